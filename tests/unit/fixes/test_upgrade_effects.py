"""What an upgrade changes for real scripts, by the shipped rules and records."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from packaging.version import Version

from tests.unit.fixes.upgrades import REQUIREMENTS, project, upgraded
from vcompat.evaluation.config import Config, Suppression
from vcompat.fixes.upgrade_effects import Upgrade
from vcompat.foundation.errors import InputError


def changes(upgrade: Upgrade) -> dict[str, str]:
    return {change.package: f"{change.before} -> {change.after}" for change in upgrade.changes}


def defaults(upgrade: Upgrade) -> dict[str, tuple[object, object]]:
    return {change.setting: (change.before, change.after) for change in upgrade.defaults}


def test_a_setting_that_is_gone_begins_to_fail_and_its_fix_does_not_undo_the_upgrade(tmp_path: Path) -> None:
    found = upgraded(project(tmp_path, "max_prompt_length=512"), "trl==1.16.0")
    (finding,) = found.settings
    assert finding.subject == "max_prompt_length" and finding.place is not None and finding.place.line == 3
    assert [fix.kind for fix in finding.fixes] == ["remove"]
    assert found.breaks(Config())


def test_a_setting_with_a_new_name_is_renamed(tmp_path: Path) -> None:
    (finding,) = upgraded(project(tmp_path, "warmup_ratio=0.1"), "trl==1.16.0", "transformers==5.17.0").settings
    assert [(fix.kind, fix.details.get("to")) for fix in finding.fixes] == [("rename", "warmup_steps")]


def test_a_name_that_the_code_imports_and_that_is_gone_stops_working(tmp_path: Path) -> None:
    script = project(tmp_path, before="from trl.extras.vllm_client import VLLMClient")
    (finding,) = upgraded(script, "trl==1.16.0").code
    assert finding.rule.id == "missing-name" and finding.place is not None and finding.place.line == 2
    assert [fix.kind for fix in finding.fixes] == ["advice"]
    assert upgraded(script, "trl==0.20.0").code == ()


def test_a_name_that_is_nowhere_any_more_has_no_fix_rather_than_the_present_release(tmp_path: Path) -> None:
    (finding,) = upgraded(project(tmp_path, before="from trl import get_kbit_device_map"), "trl==1.16.0").code
    assert finding.fixes == ()


def test_what_does_not_fit_before_and_after_is_no_finding_of_the_upgrade(tmp_path: Path) -> None:
    found = upgraded(project(tmp_path, "max_promt_length=1"), "trl==0.20.0")
    assert found.settings == () and [finding.subject for finding in found.lasts] == ["max_promt_length"]
    assert not found.breaks(Config())


def test_rules_begin_and_end_with_the_releases(tmp_path: Path) -> None:
    requirements = "trl==0.27.2\nvllm==0.12.0\ntransformers==4.57.6\n"
    script = project(tmp_path, "vllm_enable_sleep_mode=True", requirements=requirements)
    begun = upgraded(script, "trl==0.29.0")
    name = "sleep-mode-generates-with-first-checkpoint"
    assert name in [finding.rule.id for finding in begun.failures] and begun.breaks(Config())
    (tmp_path / "requirements.txt").write_text("trl==0.29.0\nvllm==0.12.0\ntransformers==4.57.6\n")
    ended = upgraded(script, "trl==1.10.0")
    assert name in [finding.rule.id for finding in ended.ends]


def test_a_suppressed_failure_does_not_begin(tmp_path: Path) -> None:
    suppression = Suppression("setting-does-not-exist", "known", date(9999, 1, 1), "vcompat.toml")
    found = upgraded(
        project(tmp_path, "max_prompt_length=512"), "trl==1.16.0", config=Config(suppressions=(suppression,))
    )
    assert found.begins == () and not found.breaks(Config())


def test_packages_that_the_new_release_rules_out_must_change_too_and_the_others_stay(tmp_path: Path) -> None:
    found = upgraded(project(tmp_path, requirements=f"{REQUIREMENTS}accelerate==1.12.0\n"), "trl==1.16.0")
    assert changes(found) == {
        "trl": "0.19.0 -> 1.16.0",
        "vllm": "0.9.1 -> 0.31.0",
        "transformers": "4.53.0 -> 5.17.0",
        "torch": "2.7.0 -> 2.13.0",
    }
    assert {change.package: change.why for change in found.changes}["vllm"].startswith("trl 1.16.0 requires vllm")
    assert dict(found.stays) == {"accelerate": "1.12.0"}


def test_nothing_else_changes_if_all_others_work(tmp_path: Path) -> None:
    found = upgraded(project(tmp_path), "trl==0.19.1")
    assert changes(found) == {"trl": "0.19.0 -> 0.19.1"}
    assert dict(found.stays) == {"vllm": "0.9.1", "transformers": "4.53.0", "torch": "2.7.0"}


def test_a_package_that_requires_the_others_takes_part(tmp_path: Path) -> None:
    requirements = "trl==0.22.2\nunsloth==2025.10.1\ntransformers==4.56.2\ntorch==2.8.0\nflash-attn==2.8.3\n"
    script = project(tmp_path, requirements=requirements)
    found = upgraded(script, "trl")
    assert changes(found)["trl"] == "0.22.2 -> 1.15.0"
    assert changes(found)["unsloth"].startswith("2025.10.1 -> 2026.")
    stuck = upgraded(script, "trl==1.16.0")
    assert stuck.companions.pins == () and stuck.breaks(Config())
    assert "unsloth" in dict(stuck.companions.unasked)


def test_of_a_range_the_newest_release_counts_and_nothing_becomes_older(tmp_path: Path) -> None:
    requirements = "trl==1.16.0\nvllm==0.31.0\ntransformers==5.17.0\n"
    assert upgraded(project(tmp_path, requirements=requirements), "vllm").changes == ()
    assert changes(upgraded(project(tmp_path), "trl<0.20"))["trl"] == "0.19.0 -> 0.19.1"


def test_what_is_compiled_for_the_present_torch_is_named(tmp_path: Path) -> None:
    script = project(tmp_path, requirements=f"{REQUIREMENTS}flash-attn==2.8.0\n")
    assert dict(upgraded(script, "trl==1.16.0").rebuilt) == {"flash-attn": "2.8.0"}
    assert upgraded(script, "trl==0.19.1").rebuilt == ()


def test_a_release_that_is_not_recorded_changes_if_metadata_rules_it_out(tmp_path: Path) -> None:
    script = project(tmp_path, requirements="trl==0.19.0\nvllm==0.9.1\ntransformers==4.31.0\n")
    found = upgraded(script, "trl==1.16.0")
    assert changes(found)["transformers"].startswith("4.31.0 -> 5.")
    assert "transformers" not in dict(found.stays)


def test_hardware_that_no_release_in_question_supports_leaves_no_set(tmp_path: Path) -> None:
    found = upgraded(project(tmp_path), "trl==1.16.0", target="8xV100-32GB")
    assert found.companions.pins == () and found.failures == ()
    assert any("trl 1.13.0" in map(str, pins) for _, pins in found.companions.unasked)


def test_for_amd_gpus_no_other_package_is_chosen(tmp_path: Path) -> None:
    found = upgraded(project(tmp_path), "trl==1.16.0", target="8xMI300X")
    assert found.companions.unchecked and changes(found) == {"trl": "0.19.0 -> 1.16.0"} and found.stays == ()


def test_vllm_is_chosen_if_the_run_uses_it_and_nothing_states_its_release(tmp_path: Path) -> None:
    found = upgraded(project(tmp_path, requirements="trl==0.19.0\n"), "trl==1.16.0")
    assert changes(found)["vllm"] == " -> 0.31.0"


def test_defaults_change_of_settings_that_the_run_does_not_set(tmp_path: Path) -> None:
    requirements = "trl==0.17.0\nvllm==0.8.4\ntransformers==4.51.3\n"
    found = defaults(upgraded(project(tmp_path, "temperature=0.7", requirements=requirements), "trl==0.19.0"))
    assert found["beta"] == (0.04, 0.0)
    assert "temperature" not in found and "bf16" not in found


def test_defaults_that_rules_are_about_come_first_and_a_default_that_means_the_same_is_none(tmp_path: Path) -> None:
    found = upgraded(project(tmp_path), "trl==1.16.0").defaults
    assert [change.matters for change in found] == sorted((change.matters for change in found), reverse=True)
    assert "loss_type" in defaults(upgraded(project(tmp_path), "trl==1.16.0"))
    assert not {"top_k", "scale_rewards"} & {change.setting for change in found}


def test_a_default_of_none_is_what_the_class_replaces_it_by(tmp_path: Path) -> None:
    script = Path(project(tmp_path, requirements="trl==0.17.0\nvllm==0.8.4\ntransformers==4.51.3\n"))
    script.write_text(script.read_text().replace("bf16=True, ", ""))
    assert defaults(upgraded(str(script), "trl==0.19.0"))["bf16"] == (False, True)


def test_a_base_whose_release_is_not_known_leaves_checkpointing_off(tmp_path: Path) -> None:
    found = defaults(upgraded(project(tmp_path, requirements="trl==0.20.0\n"), "trl==1.16.0"))
    assert found["gradient_checkpointing"] == (False, True), "not None, as in the newest transformers"


def test_a_build_for_the_cpu_stays_one(tmp_path: Path) -> None:
    requirements = "trl==0.19.0\ntorch==2.7.0+cpu\ntransformers==4.53.0\n"
    found = upgraded(project(tmp_path, requirements=requirements), "torch==2.8.0")
    assert found.facts.value("packages.torch") == Version("2.8.0+cpu")


@pytest.mark.parametrize(
    ("requirements", "reason"), [("vllm==0.9.1\n", "nothing states it"), ("trl>=0.18,<0.20\n", "0.18.0 - 0.19.1")]
)
def test_a_present_release_that_is_not_known_is_asked_for(requirements: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"{reason}; expected --from trl==VERSION"):
        upgraded(project(tmp_path, requirements=requirements), "trl==1.16.0")
