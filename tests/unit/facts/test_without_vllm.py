"""A run without vLLM, of which no file states whether it is installed."""

from __future__ import annotations

import pytest

from tests.unit.facts_for_tests import facts
from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts
from vcompat.facts.place import Place
from vcompat.facts.use import IMPORT, Use, Used

SCRIPT = {"plan__configuration": "GRPOConfig", "plan__trainer": "GRPOTrainer"}


def likely(known: Facts, takes_defaults: bool = True) -> object:
    found = derive(known, takes_defaults).likely("packages.vllm")
    return "not likely" if found is None else found.value


@pytest.mark.parametrize("given", [{}, {"packages__trl": "0.20.0"}, {"plan__use_vllm": "false"}])
def test_vllm_is_presumably_not_installed_where_the_run_does_not_use_it(given: dict[str, str]) -> None:
    assert likely(facts(**SCRIPT, **given)) is None
    assert likely(facts(**SCRIPT, **given), takes_defaults=False) == "not likely"


@pytest.mark.parametrize(
    "given",
    [
        {"plan__use_vllm": "true"},
        {"plan__use_vllm": None},
        {"packages__vllm": "0.11.0"},
        {"packages__vllm": None},
        {"plan__server_started": "true"},
        {"plan__engine_lora": "true"},
    ],
)
def test_it_may_be_installed_where_something_uses_or_states_it(given: dict[str, str | None]) -> None:
    assert likely(facts(**SCRIPT, **given)) == "not likely"


def test_it_may_be_installed_where_code_of_the_run_imports_it() -> None:
    known = facts(**SCRIPT)
    known.uses = (Used(Use(IMPORT, "vllm", "LLM"), "vllm", Place("train.py", 1, 1)),)
    assert likely(known) == "not likely"
