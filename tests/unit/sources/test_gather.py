"""The precedence of the sources of facts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from packaging.version import Version

from vcompat.facts.facts import Facts, Known
from vcompat.foundation.errors import InputError
from vcompat.sources.gather import Sources, gather
from vcompat.sources.probe.probe_report import of_facts

#: A report of `vcompat probe` on a machine with a CPU build of vLLM and without GPUs.
SAVED = """{"facts": {
  "packages.vllm": "0.31.0", "vllm.backend": "cpu", "vllm.torch_pin": "2.13.0",
  "packages.torch": "2.13.0+cpu", "torch.cuda": null, "torch.architectures": [],
  "gpu.nvml": "library-not-found"}}"""


def saved(tmp_path: Path) -> list[str]:
    path = tmp_path / "machine.json"
    path.write_text(SAVED)
    return [str(path)]


def test_a_version_that_is_set_drops_the_build_facts_of_the_installed_one(tmp_path: Path) -> None:
    settings = {"packages.vllm": "0.7.2", "packages.torch": "2.5.1+cu124", "gpu.compute_capability": "7.0"}
    facts = gather(Sources(settings=settings, facts_files=saved(tmp_path), probe=False))
    assert facts.value("vllm.backend") == "cuda"
    assert facts.get("vllm.torch_pin") is None
    assert facts.value("torch.cuda") == Version("12.4")
    assert facts.get("torch.architectures") is None
    assert facts.value("gpu.compute_capability") == (Version("7.0"),)
    assert facts.value("gpu.nvml") == "ok"


def test_a_build_fact_that_is_set_is_kept(tmp_path: Path) -> None:
    settings = {"vllm.backend": "rocm", "packages.vllm": "0.20.0"}
    assert gather(Sources(settings=settings, facts_files=saved(tmp_path), probe=False)).value("vllm.backend") == "rocm"


def test_a_run_on_the_cpu_has_no_gpus_unless_they_are_set(tmp_path: Path) -> None:
    assert gather(Sources(facts_files=saved(tmp_path), probe=False)).value("gpu.count") == 0
    by_hand = gather(Sources(settings={"gpu.count": "8"}, facts_files=saved(tmp_path), probe=False))
    assert by_hand.value("gpu.count") == 8


@pytest.mark.parametrize(
    ("text", "value", "is_known"),
    [
        ("none", None, True),
        ("None", None, True),
        ("unknown", None, False),
        ("1", "1", True),
        (" a b", " a b", True),
        ('"none"', "none", True),
        ('"unknown"', "unknown", True),
        ("", "", True),
        ("UNKNOWN ", None, False),
    ],
)
def test_a_variable_can_be_set_to_absent_to_unknown_or_to_a_text(text: str, value: str | None, is_known: bool) -> None:
    facts = gather(Sources(settings={"env.VLLM_USE_V1": text}, probe=False))
    known = facts.get("env.VLLM_USE_V1")
    assert (known is not None) is is_known
    assert known is None or known.value == value


def test_a_variable_that_no_rule_looks_at_can_be_set_and_is_not_lost() -> None:
    facts = gather(Sources(settings={"env.MY_DATA": "/data", "env.http_proxy": "none"}, probe=False))
    assert [facts.value(name) for name in ("env.MY_DATA", "env.http_proxy")] == ["/data", None]
    assert facts.is_by_hand("env.http_proxy")


def test_a_file_of_facts_can_state_a_variable_that_no_rule_looks_at(tmp_path: Path) -> None:
    path = tmp_path / "facts.json"
    path.write_text(json.dumps(of_facts(gather(Sources(settings={"env.MY_DATA": "/data"}, probe=False)), "1")))
    assert gather(Sources(facts_files=(str(path),), probe=False)).value("env.MY_DATA") == "/data"


@pytest.mark.parametrize("name", ["env.", "env.1A", "env.A-B", "env.A.B", "environ.A"])
def test_what_cannot_be_a_variable_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=name):
        gather(Sources(settings={name: "1"}, probe=False))


@pytest.mark.parametrize(
    ("setting", "text", "complaint"),
    [
        ("vllm.backend", "cude", "'cude' is not a value of vllm.backend; expected 'cuda'"),
        ("vllm.backend", "CUDA", "expected 'cuda'"),
        ("plan.vllm_mode", "co-locate", "expected 'colocate'"),
        ("gpu.peer_access", "xyz", "expected nvlink, pcie or none"),
        ("gpu.count", "nan", "'nan' for gpu.count is not a number"),
        ("packages.vllm", "nonne", "is not a version"),
        ("plan.use_vllm", "maybe", "is not a flag"),
    ],
)
def test_a_misspelled_value_is_rejected(setting: str, text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        gather(Sources(settings={setting: text}, probe=False))


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("packages.vllm", None),
        ("plan.vllm_max_model_length", None),
        ("gpu.compute_capability", ()),
        ("plan.dtype", None),
    ],
)
def test_none_means_for_every_fact_that_there_is_nothing(setting: str, value: object) -> None:
    known = gather(Sources(settings={setting: "none"}, probe=False)).get(setting)
    assert known is not None and known.value == value


def test_a_declared_environment_replaces_the_packages_of_this_machine(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("trl==0.25.0\n")
    facts = gather(Sources(environment=str(tmp_path / "requirements.txt")))
    assert facts.value("packages.trl") == Version("0.25.0")
    # The packages that this machine has, or has not, say nothing about the run.
    assert facts.get("packages.numpy") is None
    assert facts.get("packages.vllm") is None
    assert facts.get("gpu.nvml") is not None


def test_compilers_of_this_machine_say_nothing_about_a_declared_environment(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("trl==0.25.0\n")
    tools = {f"host.{name}" for name in ("c_compiler", "ninja", "python_headers")}
    assert tools & gather(Sources()).reasons.keys() == set()
    declared = gather(Sources(environment=str(tmp_path / "requirements.txt"), settings={"host.ninja": "true"}))
    assert tools & declared.reasons.keys() == tools - {"host.ninja"}
    interpreter = gather(Sources(python=sys.executable))
    assert tools & interpreter.reasons.keys() == {"host.ninja", "host.python_headers"}


def test_an_unknown_version_in_a_later_file_drops_the_build_of_an_earlier_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("torch==2.6.0\n")
    (tmp_path / "b.txt").write_text("torch @ git+https://github.com/pytorch/pytorch@v2.7.0\n")
    files = [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]
    facts = gather(Sources(files, target="8xH100", probe=False))
    assert facts.get("packages.torch") is None
    assert facts.get("torch.cuda") is None


@pytest.mark.parametrize(("machine", "release"), [("x86_64", Version("0.10.0")), ("aarch64", None)])
def test_set_states_the_machine_for_which_markers_are_evaluated(
    tmp_path: Path, machine: str, release: Version | None
) -> None:
    (tmp_path / "requirements.txt").write_text("vllm==0.10.0; platform_machine == 'x86_64'\n")
    settings = {"host.machine": machine}
    facts = gather(Sources([str(tmp_path / "requirements.txt")], settings, target="8xH100", probe=False))
    assert facts.value("packages.vllm") == release


def test_a_version_that_is_set_decides_about_the_build_that_a_file_leaves_open(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("-i https://corp.example/simple\ntorch==2.6.0\n")
    sources = Sources([str(tmp_path / "requirements.txt")], target="8xH100", probe=False)
    assert gather(sources).get("torch.cuda") is None
    stated = sources._replace(settings={"packages.torch": "2.6.0+cu118"})
    assert gather(stated).value("torch.cuda") == Version("11.8")


def test_a_run_is_not_judged_by_an_environment_without_torch_vllm_and_trl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "train.py"
    script.write_text("from trl import GRPOConfig, GRPOTrainer\nGRPOTrainer(args=GRPOConfig()).train()\n")
    machine = Facts({"packages.click": Known(Version("8.1.0"), "metadata")}, closed=("packages",))
    monkeypatch.setattr("vcompat.sources.gather._machine", lambda sources, has_target: machine.copy())
    assert gather(Sources()).value("packages.trl", "unknown") is None
    assert gather(Sources([str(script)])).value("packages.trl", "unknown") == "unknown"
    machine.set("packages.torch", Version("2.10.0"), "metadata")
    assert gather(Sources([str(script)])).value("packages.trl", "unknown") is None
