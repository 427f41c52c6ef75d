"""Facts from beside a log: they count where the log states none, and differences are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.facts_for_tests import facts
from vcompat.diagnosis.stated.around import Around, combined, facts_around
from vcompat.facts.facts import Facts
from vcompat.facts.value import show
from vcompat.foundation.errors import InputError


def values(found: Facts, *names: str) -> list[str]:
    return [show(found.value(name, "unknown")) for name in names]


def test_the_log_counts_more_than_what_is_beside_it_and_the_difference_is_named() -> None:
    around = Around(facts(packages__vllm="0.31.0", packages__trl="1.16.0"))
    found, conflicts = combined(around, facts(packages__vllm="0.7.2"), {})
    assert values(found, "packages.vllm", "packages.trl") == ["0.7.2", "1.16.0"]
    assert conflicts == ("packages.vllm: 0.7.2 in the log, 0.31.0 here (test)",)


def test_settings_count_more_than_both() -> None:
    around = Around(facts(packages__vllm="0.31.0"))
    found, conflicts = combined(around, facts(packages__vllm="0.7.2"), {"packages.vllm": "0.8.5"})
    assert (values(found, "packages.vllm"), conflicts) == (["0.8.5"], ())


def test_a_version_without_its_build_is_no_difference() -> None:
    around = Around(facts(packages__torch="2.5.1+cu124", gpu__compute_capability="7.0,7.0"))
    _, conflicts = combined(around, facts(packages__torch="2.5.1", gpu__compute_capability="7.0"), {})
    assert conflicts == ()


def test_what_was_read_from_an_installed_package_does_not_hold_for_the_version_of_the_log() -> None:
    around = Around(facts(packages__vllm="0.31.0", vllm__torch_pin="2.13.0"))
    assert values(combined(around, facts(packages__vllm="0.7.2"), {})[0], "vllm.torch_pin") == ["unknown"]
    assert values(combined(around, Facts(), {})[0], "vllm.torch_pin") == ["2.13.0"]


def test_the_log_counts_more_than_what_follows_from_the_files_of_the_run() -> None:
    around = Around(facts(plan__use_cpu="true"))
    found, conflicts = combined(around, facts(gpu__compute_capability="7.0"), {})
    assert values(found, "gpu.compute_capability") == ["7.0"]
    assert conflicts == ("gpu.compute_capability: 7.0 in the log, none here (the run uses the CPU)",)


def test_the_data_type_of_a_running_engine_decides_rules_about_its_argument() -> None:
    assert values(combined(Around(Facts()), facts(vllm__dtype="float16"), {})[0], "plan.engine_dtype") == ["float16"]
    around = Around(facts(plan__engine_dtype="auto"))
    found, conflicts = combined(around, facts(vllm__dtype="float16"), {})
    assert (values(found, "plan.engine_dtype"), conflicts) == (["auto"], ())


def test_the_variables_of_this_process_are_not_those_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_USE_V1", "0")
    found = facts_around([], here=True).facts
    assert found.get("env.VLLM_USE_V1") is None
    assert found.get("env.VLLM_ATTENTION_BACKEND") is None
    assert found.get("host.machine") is not None


def test_without_here_nothing_of_this_machine_is_known(tmp_path: Path) -> None:
    saved = tmp_path / "node.json"
    saved.write_text(json.dumps({"vcompat": "0", "facts": {"packages.vllm": "0.7.2"}}))
    found = facts_around([str(saved)], here=False).facts
    assert values(found, "packages.vllm", "host.machine", "packages.torch") == ["0.7.2", "unknown", "unknown"]


def test_a_variable_that_a_file_of_the_run_sets_is_known(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("export VLLM_USE_V1=0\npython train.py\n")
    assert values(facts_around([str(script)], here=True).facts, "env.VLLM_USE_V1") == ["0"]


def test_a_file_that_is_not_there_is_bad_input() -> None:
    with pytest.raises(InputError):
        facts_around(["absent.py"], here=False)


@pytest.mark.parametrize(
    ("log", "here", "differ"), [("32094", "32607", False), ("15094", "16384", False), ("15094", "40960", True)]
)
def test_the_memory_that_torch_can_use_is_no_other_memory_than_that_of_the_gpu(
    log: str, here: str, differ: bool
) -> None:
    around = Around(facts(gpu__memory_mib=f"{here},{here}"))
    found, conflicts = combined(around, facts(gpu__memory_mib=log), {})
    assert (values(found, "gpu.memory_mib"), bool(conflicts)) == ([log], differ)
