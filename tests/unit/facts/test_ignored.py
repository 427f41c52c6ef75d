"""Settings that the release at hand does not have."""

from __future__ import annotations

import pytest
from packaging.version import Version

from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts, Place
from vcompat.facts.stated import FILE, KEYWORD, OPTION, Setting, Stated

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


@pytest.mark.parametrize("way", [FILE, KEYWORD, OPTION])
def test_it_is_none_however_it_is_given(way: str) -> None:
    assert read("0.17.0", "vllm_enable_sleep_mode", True, way).value("plan.vllm_enable_sleep_mode") is None


def test_what_is_stated_elsewhere_stays() -> None:
    facts = read("0.17.0", "vllm_enable_sleep_mode", True, place=Place("train.py", 1, 1))
    assert facts.value("plan.vllm_enable_sleep_mode") is True
    assert read("0.17.0", "vllm_enable_sleep_mode", True, place=None).value("plan.vllm_enable_sleep_mode") is True


def test_a_field_of_the_scripts_own_class_stays() -> None:
    facts = Facts()
    facts.set("packages.trl", Version("0.17.0"), "test")
    facts.set("plan.vllm_enable_sleep_mode", True, "train.py", HERE)
    setting = Setting("vllm_enable_sleep_mode", True, HERE, KEYWORD)
    facts.stated = (Stated(("trl.GRPOConfig",), (setting,), HERE, frozenset({"vllm_enable_sleep_mode"})),)
    assert derive(facts).value("plan.vllm_enable_sleep_mode") is True
