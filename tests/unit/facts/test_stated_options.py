"""The options of an adapter, and of TRL's own script."""

from __future__ import annotations

import pytest

from tests.unit.facts_for_tests import facts
from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts
from vcompat.facts.place import Place
from vcompat.facts.stated import COMPUTED, KEYWORD, OPTION, Setting, Stated

PLACE = Place("run.sh", 1, 1)
LORA = ("peft.LoraConfig",)


def stated(classes: tuple[str, ...], complete: bool = True, command: bool = False, **settings: object) -> Stated:
    given = tuple(Setting(name, value, PLACE, OPTION if command else KEYWORD) for name, value in settings.items())
    return Stated(classes, given, PLACE, is_complete=complete, is_command=command)


def with_options(*calls: Stated) -> Facts:
    known = facts(plan__peft="true")
    known.stated = calls
    return derive(known)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ()),
        ({"r": 4, "target_modules": COMPUTED, "rank_pattern": {}, "init_lora_weights": True, "use_dora": False}, ()),
        ({"rank_pattern": {"q": 4}, "use_dora": True}, ("rank_pattern", "use_dora")),
        ({"init_lora_weights": "pissa", "target_parameters": ["a"]}, ("init_lora_weights=pissa", "target_parameters")),
        ({"init_lora_weights": False}, ()),
    ],
)
def test_the_further_options_of_an_adapter_that_are_on(settings: dict[str, object], expected: tuple[str, ...]) -> None:
    assert with_options(stated(LORA, **settings)).value("plan.lora_options") == expected


def test_options_that_are_computed_or_may_be_others_are_not_known() -> None:
    for call in (stated(LORA, rank_pattern=COMPUTED), stated(LORA, complete=False)):
        found = with_options(call)
        assert found.get("plan.lora_options") is None and found.is_open("plan.lora_options")
    assert not with_options().is_open("plan.lora_options")


def test_trls_function_hands_on_few_options_of_model_config() -> None:
    config = stated(("trl.GRPOConfig", "trl.ModelConfig"), lora_target_parameters=["a"], lora_r=4)
    assert with_options(config).value("plan.lora_options") == ("target_parameters",)
    assert with_options(config, stated(LORA)).value("plan.lora_options") == ()


def test_what_trls_own_script_gets_is_known_for_it_alone() -> None:
    classes = ("trl.GRPOScriptArguments", "trl.GRPOConfig")
    assert with_options(stated(classes, beta=1)).get("plan.command_options") is None
    own = stated(classes, command=True, reward_funcs="a", beta=1)
    assert with_options(own).value("plan.command_options") == ("beta", "reward_funcs")
    assert with_options(own._replace(is_complete=False)).is_open("plan.command_options")
