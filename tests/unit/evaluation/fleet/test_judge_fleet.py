from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.fleet_reports import TIME, fleet, ranks, report
from vcompat.evaluation.config import Config
from vcompat.evaluation.fleet.fleet_finding import Entry, FleetFinding
from vcompat.evaluation.fleet.judge_fleet import KINDS_LIMIT, Asked, FleetOutcome, judge
from vcompat.evaluation.fleet_kinds import KINDS
from vcompat.facts.facts import Facts, Known
from vcompat.rules.database import load_rules
from vcompat.rules.rule import SEVERITIES
from vcompat.sources.nodes.collect import validated
from vcompat.sources.nodes.reported_node import OWN
from vcompat.sources.nodes.stream import Document

Reports = list[dict[str, Any]]


def judged(reports: Reports, with_rules: bool = False, **asked: Any) -> FleetOutcome:
    collected = validated(("all.jsonl", Document(one)) for one in reports)
    assert collected.rejected == ()
    return judge(collected, Asked(**asked), Config(), load_rules(thorough=False) if with_rules else ())


def found(outcome: FleetOutcome) -> dict[str, FleetFinding]:
    return {one.kind.id: one for one in outcome.findings}


def shown(entry: Entry) -> list[tuple[str, tuple[str, ...]]]:
    return [(group.value, group.nodes) for group in entry.groups]


def test_equal_nodes_have_no_finding() -> None:
    outcome = judged(fleet(5), expected=5, now=TIME + 60)
    assert (outcome.findings, outcome.fails, outcome.processes) == ((), False, 5)
    assert outcome.nodes == ("node1", "node2", "node3", "node4", "node5")


def test_the_ranks_of_a_sound_job_have_no_finding() -> None:
    outcome = judged(ranks(3), expected=3, now=TIME + 60)
    assert (outcome.findings, outcome.processes, len(outcome.nodes)) == ((), 24, 3)


def test_a_version_that_differs_is_grouped_by_value_with_the_most_frequent_last() -> None:
    reports = fleet(6)
    for number in (1, 4):
        reports[number]["facts"]["packages.vllm"] = "0.25.1"
    outcome = judged(reports)
    (entry,) = found(outcome)["packages-differ"].entries
    assert (entry.subject, entry.has_rest, entry.deviating) == ("vllm", True, ("node2", "node5"))
    assert shown(entry) == [("0.25.1", ("node2", "node5")), ("0.31.0", ("node1", "node3", "node4", "node6"))]
    assert not outcome.fails
    assert outcome._replace(threshold="warning").fails


def test_without_a_majority_all_nodes_deviate() -> None:
    reports = fleet(2)
    reports[1]["facts"]["packages.vllm"] = "0.25.1"
    (entry,) = found(judged(reports))["packages-differ"].entries
    assert not entry.has_rest
    assert set(entry.deviating) == {"node1", "node2"}


def test_a_package_that_is_missing_on_a_node_differs() -> None:
    reports = fleet(3)
    del reports[2]["facts"]["packages.peft"]
    (entry,) = found(judged(reports))["packages-differ"].entries
    assert shown(entry)[0] == ("not installed", ("node3",))


def test_a_package_that_is_not_known_on_a_node_does_not_differ() -> None:
    reports = fleet(3)
    reports[2]["unknown"]["packages.peft"] = "installed several times"
    del reports[2]["facts"]["packages.peft"]
    assert found(judged(reports)) == {}


def test_ranks_of_one_node_that_differ_are_named_by_rank() -> None:
    reports = ranks(2, 2)
    reports[3]["facts"]["packages.trl"] = "1.15.0"
    (entry,) = found(judged(reports))["packages-differ"].entries
    assert shown(entry)[0] == ("1.15.0", ("node2 rank 3",))
    assert shown(entry)[1] == ("1.16.0", ("node1", "node2 rank 2"))


def _set(fact: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda one: one["facts"].update({fact: value})


def _health(gpu: int, **changed: Any) -> Callable[[dict[str, Any]], None]:
    return lambda one: one["nvml"]["devices"][gpu]["health"].update(changed)


def _node(**changed: Any) -> Callable[[dict[str, Any]], None]:
    return lambda one: one["node"].update(changed)


def _lose(one: dict[str, Any]) -> None:
    one["facts"] = {name: value for name, value in one["facts"].items() if not name.startswith("gpu.")}
    one["facts"]["gpu.nvml"] = "gpu-lost"
    one["unknown"]["gpu"] = "the GPU has fallen off the bus"
    one["visible_gpus"], one["nvml"]["devices"] = [], []


def _seven(one: dict[str, Any]) -> None:
    smaller = report(gpus=7)
    for name in ("facts", "nvml", "visible_gpus"):
        one[name] = smaller[name]


WRONG: dict[str, tuple[Callable[[dict[str, Any]], Any], str, str]] = {
    "torch's CUDA": (_set("torch.cuda", "12.8"), "builds-differ", "torch.cuda"),
    "architecture": (_set("gpu.compute_capability", ["8.0"] * 8), "gpus-differ", "gpu.compute_capability"),
    "GPU model": (_set("gpu.name", ["NVIDIA H200"] * 8), "gpu-models-differ", "gpu.name"),
    "driver": (_set("gpu.driver", "570.1.1"), "drivers-differ", "gpu.driver"),
    "Python": (_set("host.python", "3.11.1"), "hosts-differ", "host.python"),
    "another package": (_set("packages.wandb", "0.30.0"), "other-packages-differ", "wandb"),
    "NCCL": (_set("packages.nccl", "2.28.1"), "packages-differ", "nccl"),
    "a variable of NCCL": (_set("env.NCCL_ALGO", "Ring"), "variables-differ", "NCCL_ALGO"),
    "a variable of vLLM": (_set("env.VLLM_USE_V1", "0"), "variables-differ", "VLLM_USE_V1"),
    "a lost GPU of eight": (_seven, "visible-gpus-differ", "gpu.count"),
    "NVML that fails": (_lose, "gpus-absent", "NVML"),
    "memory errors": (_health(3, uncorrected_errors=2), "gpu-errors", "GPU 3"),
    "a row that waits": (_health(0, remapping_pending=True), "gpu-errors", "GPU 0"),
    "a failed remapping": (_health(7, remapping_failed=True), "gpu-errors", "GPU 7"),
    "a hot GPU": (_health(5, slowed_by=["temperature (hardware)"]), "gpu-slowed", "GPU 5"),
    "a GPU in use": (_health(6, processes=[{"pid": 4711, "used_mib": 39000}]), "gpu-used", "GPU 6"),
    "use of unknown size": (_health(6, processes=[{"pid": 1, "used_mib": None}], used_mib=9000), "gpu-used", "GPU 6"),
    "small shared memory": (_set("host.shm_mib", 64), "shm-small", "size of /dev/shm"),
    "full shared memory": (_node(shm_free_mib=10), "shm-small", "/dev/shm"),
    "a loose clock": (_node(clock={"synchronized": False, "error_ms": None}), "clocks-loose", "clock"),
    "a clock that is ahead": (_node(time=TIME + 3600), "clocks-differ", "clock"),
    "an old report": (_node(time=TIME - 90_000), "reports-old", "report"),
    "ECC that is off on a GPU": (_health(2, ecc=False), "gpu-models-differ", "ECC"),
    "an unresolved host name": (_node(names={"node3": []}), "host-unresolved", "host name"),
    "a loopback host name": (_node(names={"node3": ["127.0.1.1", "::1"]}), "host-unresolved", "host name"),
    "no answer about the host name": (_node(names={"node3": None}), "host-unresolved", "host name"),
}


@pytest.mark.parametrize(("change", "kind", "subject"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_one_node_is_one_finding_that_names_it(
    change: Callable[[dict[str, Any]], Any], kind: str, subject: str
) -> None:
    reports = fleet(5)
    change(reports[2])
    outcome = judged(reports, now=TIME + 60)
    assert list(found(outcome)) == [kind]
    (entry,) = found(outcome)[kind].entries
    assert entry.subject == subject
    assert entry.deviating == ("node3",)


def test_shared_memory_that_is_small_everywhere_is_a_warning() -> None:
    reports = fleet(3)
    for one in reports:
        _set("host.shm_mib", 64)(one)
        _node(shm_free_mib=64)(one)
    outcome = judged(reports, now=TIME + 60)
    assert list(found(outcome)) == ["shm-small"]
    (entry,) = found(outcome)["shm-small"].entries
    assert entry.deviating == ("node1", "node2", "node3")
    assert entry.groups[0].value == "64 MiB, no more than containers get by default"
    one_gpu = report(gpus=1)
    for one in reports:
        one["facts"] = {**one["facts"], **{name: one_gpu["facts"][name] for name in one_gpu["facts"] if "gpu." in name}}
        one["nvml"], one["visible_gpus"] = one_gpu["nvml"], one_gpu["visible_gpus"]
    assert "shm-small" not in found(judged(reports, now=TIME + 60))


HARMLESS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a monitor on a GPU": _health(6, processes=[{"pid": 9, "used_mib": 300}]),
    "a variable of the node": _set("env.VLLM_HOST_IP", "10.0.0.3"),
    "a variable of Slurm": _set("env.SLURM_NODEID", "3"),
    "a variable of NCCL's log": _set("env.NCCL_DEBUG", "INFO"),
    "a variable of vLLM's log": _set("env.VLLM_LOGGING_LEVEL", "DEBUG"),
    "slightly less shared memory": _set("host.shm_mib", 1_000_000),
    "slightly less memory": _set("host.memory_mib", 2_000_000),
    "a GPU that does not state ECC": _health(0, ecc=None, uncorrected_errors=None),
    "a clock that is not known": _node(clock={"synchronized": None, "error_ms": None}),
    "a report of the hour before": _node(time=TIME - 3600),
    "a clock slightly ahead": _node(time=TIME + 60.5),
    "a name of which nothing is known": _node(names={}),
}


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_what_differs_on_sound_nodes_is_no_finding(change: Callable[[dict[str, Any]], Any]) -> None:
    reports = fleet(5)
    change(reports[2])
    assert found(judged(reports, now=TIME + 60)) == {}


def test_a_fleet_without_gpus_has_no_lost_ones() -> None:
    reports = fleet(3)
    for one in reports:
        _lose(one)
    assert found(judged(reports)) == {}


def test_clocks_that_nobody_keeps_are_no_difference() -> None:
    reports = fleet(3)
    for one in reports:
        one["node"]["clock"]["synchronized"] = False
    assert found(judged(reports)) == {}


def test_missing_nodes_are_counted() -> None:
    (entry,) = found(judged(fleet(62), expected=64))["nodes-missing"].entries
    assert shown(entry) == [("62 reported, fewer than the 64 expected", ())]


def test_slurm_tells_which_nodes_are_missing() -> None:
    reports = fleet(3, env__SLURM_JOB_NODELIST="node[1-5]")
    (entry,) = found(judged(reports))["nodes-missing"].entries
    assert shown(entry) == [("did not report", ("node4", "node5"))]


def test_a_step_of_slurm_has_fewer_nodes_and_tasks_than_its_job() -> None:
    job = {"env__SLURM_JOB_NODELIST": "node[1-5]", "env__SLURM_STEP_NODELIST": "node[1-3]"}
    reports = fleet(3, **job, env__SLURM_NTASKS="5", env__SLURM_STEP_NUM_TASKS="3")
    for number, one in enumerate(reports):
        one["facts"]["env.SLURM_PROCID"] = str(number)
    assert found(judged(reports)) == {}
    (entry,) = found(judged(reports[:2]))["nodes-missing"].entries
    assert shown(entry) == [("did not report", ("node3",))]


def test_nodes_are_known_by_the_names_that_slurm_gives_them() -> None:
    reports = [
        report(f"ip-10-0-0-{n}", n, env__SLURM_JOB_NODELIST="gpu[1-3]", env__SLURMD_NODENAME=f"gpu{n}") for n in (1, 3)
    ]
    (entry,) = found(judged(reports))["nodes-missing"].entries
    assert shown(entry) == [("did not report", ("gpu2",))]


def test_long_host_names_are_those_that_slurm_lists_by_short_ones() -> None:
    reports = [report(f"node{n}.example.org", n, env__SLURM_JOB_NODELIST="node[1-2]") for n in (1, 2)]
    assert found(judged(reports)) == {}


def test_a_missing_rank_is_named() -> None:
    reports = ranks(2)
    del reports[5]
    (entry,) = found(judged(reports))["world-size-and-ranks"].entries
    assert shown(entry) == [("15 of 16 ranks reported, not 5", ())]


def test_a_rank_above_world_size_is_named() -> None:
    reports = ranks(1, 2)
    reports[1]["facts"]["env.RANK"] = "2"
    entry = found(judged(reports))["world-size-and-ranks"].entries[-1]
    assert shown(entry) == [("rank 2", ("node1",))]


def test_a_world_size_that_cannot_be_is_stated_without_looking_for_its_ranks() -> None:
    reports = ranks(1, 2, env__WORLD_SIZE="999999999")
    (entry,) = found(judged(reports))["world-size-and-ranks"].entries
    assert shown(entry) == [("999999999, but 2 ranks reported", ())]


def test_processes_without_ranks_are_numbered_on_their_node() -> None:
    reports = [report("node1", 1) for _ in range(3)]
    for number, one in enumerate(reports):
        one["node"]["pid"] = number
    reports[1]["facts"]["packages.trl"] = "1.15.0"
    (entry,) = found(judged(reports))["packages-differ"].entries
    assert shown(entry)[0] == ("1.15.0", ("node1 process 2",))


def test_a_process_without_rank_among_ranks_is_named() -> None:
    reports = ranks(1, 2)
    del reports[1]["facts"]["env.RANK"]
    (entry, *_) = found(judged(reports))["world-size-and-ranks"].entries
    assert entry.subject == "RANK"


def test_nodes_that_got_the_same_node_rank_have_ranks_twice() -> None:
    reports = ranks(2, 2)
    for one in reports[2:]:
        one["facts"]["env.RANK"] = one["facts"]["env.LOCAL_RANK"]
    outcome = judged(reports)
    entry = found(outcome)["ranks-twice"].entries[0]
    assert shown(entry) == [("0", ("node1", "node2")), ("1", ("node1", "node2"))]
    assert "world-size-and-ranks" in found(outcome)


def test_a_world_size_that_differs_is_one_finding() -> None:
    reports = ranks(2, 2)
    reports[3]["facts"]["env.WORLD_SIZE"] = "2"
    assert list(found(judged(reports))) == ["launch-variables-differ"]


def test_tasks_of_slurm_are_ranks() -> None:
    reports = fleet(3)
    for number, one in enumerate(reports):
        one["facts"] |= {"env.SLURM_PROCID": str(number), "env.SLURM_NTASKS": "4"}
    (entry,) = found(judged(reports))["world-size-and-ranks"].entries
    assert shown(entry) == [("3 of 4 ranks reported, not 3", ())]


def test_two_ranks_with_the_same_only_gpu_are_named() -> None:
    reports = ranks(1, 2)
    for one in reports:
        one["facts"] |= {name: value for name, value in report(gpus=1)["facts"].items() if name.startswith("gpu.")}
        one["visible_gpus"] = one["nvml"]["devices"][:1]
    (entry,) = found(judged(reports))["gpu-shared-by-ranks"].entries
    assert entry.deviating == ("node1 rank 0", "node1 rank 1")
    reports[1]["visible_gpus"] = reports[1]["nvml"]["devices"][1:2]
    assert found(judged(reports)) == {}


def test_a_rank_without_gpus_among_ranks_with_gpus_fails_the_fleet() -> None:
    reports = ranks(2, 1)
    _lose(reports[1])
    outcome = judged(reports)
    assert found(outcome)["gpu-not-available"].entries[0].deviating == ("node2",)
    assert outcome.fails


def test_a_loopback_address_of_rank_0_is_wrong_on_machines_without_rank_0() -> None:
    several = ranks(2, 2, env__MASTER_ADDR="localhost")
    (entry,) = found(judged(several))["master-is-loopback"].entries
    assert entry.deviating == ("node2",)
    for one in several:
        one["node"]["boot"] = several[0]["node"]["boot"]
    assert found(judged(several)) == {}
    # Before a launch, the launcher can still set another address.
    assert found(judged(fleet(2, env__MASTER_ADDR="localhost"))) == {}


def test_rank_0_may_call_its_own_machine_localhost() -> None:
    reports = ranks(2, 1)
    reports[0]["facts"]["env.MASTER_ADDR"] = "127.0.0.1"
    assert found(judged(reports)) == {}


def test_names_of_rank_0_with_one_address_do_not_differ() -> None:
    reports = ranks(2, 1)
    reports[0]["facts"]["env.MASTER_ADDR"] = "10.0.0.1"
    reports[0]["node"]["names"]["10.0.0.1"] = ["10.0.0.1"]
    assert found(judged(reports)) == {}
    reports[0]["facts"]["env.MASTER_ADDR"] = "10.0.0.2"
    reports[0]["node"]["names"]["10.0.0.2"] = ["10.0.0.2"]
    outcome = judged(reports)
    assert list(found(outcome)) == ["master-addresses-differ"]
    assert not outcome.fails


def test_an_address_of_rank_0_that_does_not_resolve_is_named_with_the_nodes() -> None:
    reports = fleet(3, env__MASTER_ADDR="node1")
    reports[2]["node"]["names"]["node1"] = []
    (entry,) = found(judged(reports))["name-unresolved"].entries
    assert (entry.subject, shown(entry)) == ("MASTER_ADDR=node1", [("not found", ("node3",))])


def test_an_address_of_rank_0_without_an_answer_in_time_does_not_fail_the_fleet() -> None:
    reports = fleet(3, env__MASTER_ADDR="node1")
    reports[2]["node"]["names"]["node1"] = None
    outcome = judged(reports)
    assert shown(found(outcome)["name-slow"].entries[0]) == [("no answer in time", ("node3",))]
    assert not outcome.fails


def test_a_port_in_use_counts_on_the_node_of_rank_0_and_before_the_launch() -> None:
    reports = fleet(3, env__MASTER_ADDR="node2", env__MASTER_PORT="29500")
    reports[2]["node"]["ports_in_use"] = [29500]
    assert found(judged(reports)) == {}
    reports[1]["node"]["ports_in_use"] = [29500]
    (entry,) = found(judged(reports))["port-in-use"].entries
    assert shown(entry) == [("29500", ("node2",))]
    running = ranks(1, 2)
    for one in running:
        one["node"]["ports_in_use"] = [29500]
    assert found(judged(running)) == {}


def test_two_machines_with_one_host_name_are_two_nodes() -> None:
    outcome = judged([report("node1", 1), report("node1", 2)])
    assert outcome.nodes == ("node1/1", "node1/2")
    assert list(found(outcome)) == ["same-host-name"]


def test_silent_ranks_are_named_once() -> None:
    reports = ranks(2)
    del reports[5]
    outcome = judged(reports, silent=(5,))
    assert list(found(outcome)) == ["ranks-silent"]


def test_rules_are_evaluated_for_each_kind_of_node_and_name_the_nodes() -> None:
    reports = fleet(4)
    reports[1]["facts"]["packages.vllm"] = "0.8.4"
    outcome = judged(reports, True, settings=(("plan.vllm_sleep_level", "2"),))
    sleeping = next(one for one in outcome.certain if one.finding.rule.id == "sleep-level-2-loses-buffers")
    assert (sleeping.nodes, sleeping.everywhere) == (("node2",), False)
    assert [len(nodes) for _, nodes in outcome.kinds] == [3, 1]


def test_variables_of_a_process_make_no_kinds_of_nodes() -> None:
    reports = ranks(3)
    for number, one in enumerate(reports):
        one["facts"]["env.CUDA_VISIBLE_DEVICES"] = str(number % 8)
    outcome = judged(reports, True)
    assert [len(nodes) for _, nodes in outcome.kinds] == [3]
    facts = outcome.kinds[0][0]
    assert facts.value("env.RANK") == "0"
    assert facts.value("env.MASTER_PORT") == "29500"
    assert facts.get("env.CUDA_VISIBLE_DEVICES") is None
    assert facts.why_unknown("env.CUDA_VISIBLE_DEVICES") == "differs between nodes or processes"


def test_a_process_without_a_variable_is_another_kind_than_those_with_it() -> None:
    reports = ranks(3)
    del reports[0]["facts"]["env.MASTER_PORT"]
    assert [len(nodes) for _, nodes in judged(reports, True).kinds] == [3, 1]


def test_rules_depend_on_a_rank_only_by_whether_it_is_set() -> None:
    for rule in load_rules(thorough=False):
        for name in {"env.RANK", "env.LOCAL_RANK", "env.NODE_RANK", "env.GROUP_RANK"} & set(rule.when.names()):
            first, last = ({name: Known(value, "test")} for value in ("0", "7"))
            assert rule.when.truth(Facts(first)) == rule.when.truth(Facts(last)), rule.id


def test_rules_do_not_depend_on_what_differs_slightly_between_equal_nodes() -> None:
    for rule in load_rules(thorough=False):
        assert not OWN & set(rule.when.names()), rule.id


def test_more_kinds_of_nodes_than_are_evaluated_are_a_finding() -> None:
    reports = fleet(KINDS_LIMIT + 3)
    for number, one in enumerate(reports):
        one["facts"]["packages.wandb"] = f"0.{number}"
    entry = found(judged(reports))["not-evaluated"].entries[0]
    assert entry.groups[0].value == "3 further kinds"
    assert len(entry.deviating) == 3


def test_the_threshold_decides_whether_a_warning_fails() -> None:
    reports = fleet(3)
    reports[0]["facts"]["gpu.driver"] = "570.1.1"
    outcome = judged(reports)
    assert not outcome.fails
    assert outcome._replace(threshold="warning").fails
    assert not outcome._replace(threshold="never").fails


def test_every_kind_has_a_severity_and_complete_sentences() -> None:
    for kind in KINDS.values():
        assert kind.severity in SEVERITIES
        assert kind.summary.endswith(".")
        assert kind.fix.endswith(".")
        assert not kind.title.endswith(".")
