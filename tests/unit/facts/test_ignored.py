"""Settings in files that the release at hand does not have."""

from __future__ import annotations

import pytest
from packaging.version import Version

from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts, Place
from vcompat.facts.stated import FILE, OPTION, Setting, Stated

HERE = Place("config.yaml", 3, 1)


def read(trl: str, setting: str, value: object, way: str = FILE, place: Place | None = HERE) -> Facts:
    """The facts of a run whose file of settings has one setting. `place` is that of the fact."""
    facts = Facts()
    if trl:
        facts.set("packages.trl", Version(trl), "test")
        facts.set("packages.transformers", Version("4.52.4"), "test")
    facts.set(f"plan.{setting}", value, "config.yaml", place)  # type: ignore[arg-type]
    facts.stated = (Stated(("trl.GRPOConfig",), (Setting(setting, value, HERE, way),), HERE),)
    return derive(facts, takes_defaults=True)


@pytest.mark.parametrize(
    ("trl", "setting", "value", "expected"),
    [
        # Added in 0.23.0, and in 0.18.0.
        ("0.17.0", "vllm_enable_sleep_mode", True, None),
        ("0.22.0", "vllm_enable_sleep_mode", True, None),
        ("0.23.0", "vllm_enable_sleep_mode", True, True),
        ("", "vllm_enable_sleep_mode", True, True),
        ("0.17.0", "generation_batch_size", 12, None),
        ("0.18.0", "generation_batch_size", 12, 12),
        # One of the class that GRPOConfig extends, and one of another class.
        ("0.17.0", "gradient_accumulation_steps", 3, 3),
        ("0.17.0", "lora_rank", 4, 4),
    ],
)
def test_a_key_that_the_class_does_not_have_is_no_fact(trl: str, setting: str, value: object, expected: object) -> None:
    assert read(trl, setting, value).value(f"plan.{setting}") == expected


def test_what_another_file_or_the_command_line_states_stays() -> None:
    name = "plan.vllm_enable_sleep_mode"
    assert read("0.17.0", "vllm_enable_sleep_mode", True, OPTION).value(name) is True
    assert read("0.17.0", "vllm_enable_sleep_mode", True, place=Place("train.py", 1, 1)).value(name) is True
