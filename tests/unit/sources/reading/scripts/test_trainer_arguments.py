"""What a trainer gets besides its configuration."""

import pytest

from vcompat.facts.facts import Known
from vcompat.sources.reading.scripts.script import read_source

_SCRIPT = """
import functools
from somewhere import imported
from trl import GRPOConfig, GRPOTrainer

class Length:
    def __call__(self, completions, **others):
        return [0.0]

class Remote(Length):
    async def __call__(self, completions, **others):
        return [0.0]

class Model(imported.Module):
    def __call__(self, completions, **others):
        return [0.0]

async def asked(completions, **others):
    return [0.0]

def length(completions, **others):
    return [0.0]

@imported
def changed(completions, **others):
    return [0.0]

{before}
GRPOTrainer("Qwen/Qwen2.5-0.5B-Instruct", {arguments}, args=GRPOConfig("out", use_vllm=True), train_dataset=[])
"""


def stated(fact: str, arguments: str, before: str = "") -> Known | None:
    script = _SCRIPT.format(arguments=arguments, before=before)
    return read_source("x.py", script.encode()).facts.get(fact)


@pytest.mark.parametrize(
    ("given", "kinds"),
    [
        ("length", ["function"]),
        ("lambda completions, **others: [0.0]", ["function"]),
        ("[length, asked]", ["async function", "function"]),
        ("Length()", ["object"]),
        ("Remote()", ["async object"]),
        ("Length().__call__", ["function"]),
        ("[functools.partial(length, weight=2)]", ["partial"]),
        ("['a/reward-model', length]", ["function", "model"]),
        ("[]", []),
    ],
)
@pytest.mark.parametrize("name", ["", "reward_funcs="])
def test_the_kinds_of_reward_functions_are_stated(given: str, kinds: list[str], name: str) -> None:
    known = stated("plan.reward_kinds", name + given)
    assert known is not None
    assert isinstance(known.value, tuple)
    assert sorted(map(str, known.value)) == kinds


@pytest.mark.parametrize(
    "given",
    ["imported", "[length, imported]", "changed", "Model()", "chosen(length)", "[f for f in found]", "*imported"],
)
def test_what_is_not_known_leaves_all_kinds_open(given: str) -> None:
    assert stated("plan.reward_kinds", given) is None


@pytest.mark.parametrize("given", ["Length()", "functools.partial(length)"])
@pytest.mark.parametrize("naming", ["reward.__name__ = 'length'", "setattr(reward, '__name__', 'length')"])
def test_an_object_that_may_have_a_name_is_not_stated(given: str, naming: str) -> None:
    assert stated("plan.reward_kinds", "reward", f"reward = {given}\n{naming}") is None


@pytest.mark.parametrize(
    "before",
    [
        "@imported\nclass Named(Length):\n    pass",
        "class Named(Length):\n    @property\n    def __name__(self):\n        return 'length'",
    ],
)
def test_an_object_whose_class_may_have_a_name_is_not_stated(before: str) -> None:
    assert stated("plan.reward_kinds", "Named()", before) is None


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("length", "absent"),
        ("length, tools=[]", "absent"),
        ("length, tools=None", "absent"),
        ("length, tools=[length]", True),
        ("length, environment_factory=Length", True),
        ("length, tools=imported", "unknown"),
        ("length, **imported", "unknown"),
    ],
)
def test_whether_the_trainer_gets_tools_is_stated(arguments: str, expected: bool | str) -> None:
    facts = read_source("x.py", _SCRIPT.format(arguments=arguments, before="").encode()).facts
    known = facts.get("plan.tools")
    assert (known.value if known else "unknown" if facts.is_open("plan.tools") else "absent") == expected
