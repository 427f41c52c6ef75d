from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from packaging.version import Version

from tests.unit.fleet_reports import report
from vcompat.foundation.errors import InputError
from vcompat.sources.nodes.reported_node import Reader


def test_a_report_has_facts_variables_gpus_and_what_the_node_is() -> None:
    read = Reader().read(report("node7", 7, env__RANK="3"), "a.json")
    assert (read.host, read.env) == ("node7", {"RANK": "3"})
    assert read.facts.value("packages.vllm") == Version("0.31.0")
    assert read.own["host.shm_mib"] == 1_031_000
    assert [gpu.number for gpu in read.gpus] == list(range(8))
    assert read.visible == tuple(gpu.uuid for gpu in read.gpus)
    assert read.node.names == (("node7", ("10.0.0.7",)),)


def test_what_vcompat_probe_prints_here_is_a_report() -> None:
    from vcompat.sources.probe.machine import probe_machine
    from vcompat.sources.probe.node import probe_node
    from vcompat.sources.probe.probe_report import report as written

    table = json.loads(json.dumps(written(probe_machine(with_health=True), "0.1.0", probe_node())))
    read = Reader().read(table, "here")
    assert read.facts.value("host.python") is not None
    assert read.node.boot is not None


def test_equal_nodes_share_their_facts() -> None:
    reader = Reader()
    one, other = (reader.read(report(f"node{number}", number), "a") for number in (1, 2))
    assert one.facts is other.facts
    assert one.gpus[0] is other.gpus[0]
    assert reader.read(report("node3", 3, packages__vllm="0.30.0"), "a").facts is not one.facts


def test_a_number_and_a_flag_are_not_confused_though_python_holds_them_for_equal() -> None:
    reader = Reader()
    reader.read(report(), "a")
    with pytest.raises(InputError, match=r"facts\.gpu\.count"):
        reader.read(report(gpus=1, gpu__count=True), "a")
    assert reader.read(report(gpus=1), "a").facts.value("gpu.mig") == (False,)
    with pytest.raises(InputError, match=r"facts\.gpu\.mig"):
        reader.read(report(gpus=1, gpu__mig=[0]), "a")


def _fact(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda table: table["facts"].update({name: value})


def _node(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda table: table["node"].update({name: value})


def _gpu(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda table: table["nvml"]["devices"][1].update({name: value})


FORGED: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a plan": (_fact("plan.vllm_sleep_level", 2), "plan.vllm_sleep_level: a node does not state this"),
    "an unknown fact": (_fact("gpu.color", "red"), "gpu.color"),
    "an unknown key": (lambda t: t.update(command="rm"), "unknown key 'command'"),
    "no facts": (lambda t: t.pop("facts"), "no key 'facts'"),
    "no node": (lambda t: t.pop("node"), "no key 'node'"),
    "a version that is none": (_fact("packages.vllm", "newest"), "packages.vllm"),
    "a nested value": (_fact("gpu.name", [["a"]]), "gpu.name: a nested value"),
    "a negative number": (_fact("host.memory_mib", -1), "host.memory_mib"),
    "a huge number": (_fact("host.memory_mib", 10**30), "host.memory_mib"),
    "a long text": (_fact("env.LD_PRELOAD", "x" * 40_000), "has 40000 characters"),
    "half a surrogate": (_fact("env.NCCL_DEBUG", "\ud800"), "is not a valid text"),
    "more GPUs than it lists": (_fact("gpu.count", 16), "has 8 entries; expected 16"),
    "another number of names": (_fact("gpu.name", ["H100"]), "gpu.name: has 1 entries"),
    "a path as host name": (_node("host", "../../etc/passwd"), "is not a host name"),
    "two dots": (_node("host", "a..b"), "is not a host name"),
    "a host name of control characters": (_node("host", "node\x1b[2J"), "is not a host name"),
    "a host name in Unicode": (_node("host", "n\u043ede1"), "is not a host name"),
    "a host name that is turned around": (_node("host", "node1\u202e"), "is not a host name"),
    "markup as host name": (_node("host", "<b>"), "is not a host name"),
    "no host name": (_node("host", ""), "is not a host name"),
    "a number as host name": (_node("host", 5), "node.host"),
    "a boot id that is none": (_node("boot", "x"), "is not a boot id"),
    "a time before computers": (_node("time", 1), "is not a time"),
    "a time that is a flag": (_node("time", True), "is not a time"),
    "ports that are none": (_node("ports_in_use", [70000]), "numbers of ports"),
    "an address that is none": (_node("names", {"node1": ["$(reboot)"]}), "addresses"),
    "a clock that is none": (_node("clock", []), "node.clock"),
    "a GPU twice": (_gpu("uuid", "GPU-a0000000-0000-4000-8000-000000000000"), "occurs twice"),
    "another index": (_gpu("index", 5), "index is 5; expected 1"),
    "errors that are no number": (_gpu("health", {"uncorrected_errors": "many"}), "uncorrected_errors"),
    "a flag that is none": (_gpu("health", {"remapping_failed": 1}), "remapping_failed"),
    "a visible GPU that is not there": (
        lambda t: t.update(visible_gpus=[{**t["visible_gpus"][0], "uuid": "GPU-x"}] * 8),
        "is not among nvml.devices",
    ),
    "a closed family that is none": (lambda t: t.update(looked_at_in_full=["plan"]), "looked_at_in_full"),
    "too many facts": (lambda t: t["facts"].update({f"env.VLLM_{n}": "1" for n in range(2000)}), "keys"),
    "sources that are numbers": (lambda t: t.update(sources={"packages.vllm": 1}), "sources.packages.vllm"),
    "facts that are a list": (lambda t: t.update(facts=[]), "an object"),
}


@pytest.mark.parametrize(("change", "reason"), FORGED.values(), ids=FORGED)
def test_a_forged_field_is_rejected_with_the_reason(change: Callable[[dict[str, Any]], Any], reason: str) -> None:
    table = json.loads(json.dumps(report()))
    change(table)
    with pytest.raises(InputError) as caught:
        Reader().read(table, "a.json")
    assert reason in str(caught.value)
    assert str(caught.value).startswith("a.json")


@pytest.mark.parametrize("value", [None, [], "text", 5, {"facts": None}])
def test_json_that_is_no_report_is_rejected(value: Any) -> None:
    with pytest.raises(InputError):
        Reader().read(value, "a.json")
