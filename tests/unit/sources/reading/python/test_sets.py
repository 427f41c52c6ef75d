"""The order of a set of strings differs between runs of Python, so that nothing that depends on it is stated."""

from __future__ import annotations

import pytest

from vcompat.sources.reading.scripts.script import read_source


def _mode(expression: str) -> object:
    text = f"from trl import GRPOConfig\ns = {{'colocate', 'server'}}\nGRPOConfig(vllm_mode={expression})\n"
    return read_source("train.py", text.encode()).facts.value("plan.vllm_mode")


@pytest.mark.parametrize(
    "expression",
    [
        "list(s)[0]",
        "next(iter(s))",
        "s.pop()",
        "','.join(s)",
        "str(s)",
        "f'{s}'",
        "repr([s])",
        "'%s' % s",
        "[x for x in s][0]",
        "tuple(set(['server', 'colocate']))[0]",
        "[*s][-1]",
        "dict(enumerate(s))[0]",
        "list(zip(s, 'ab'))[0][0]",
        "list({x for x in ['a', 'b']})[0]",
        "str({'colocate'})",
        "(lambda a, b: a)(*s)",
    ],
)
def test_what_depends_on_the_order_of_a_set_is_unknown(expression: str) -> None:
    assert _mode(expression) is None


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("sorted(s)[0]", "colocate"),
        ("max(s)", "server"),
        ("'server' if len(s) == 2 else ''", "server"),
        ("'server' if 'server' in s else ''", "server"),
        ("'server' if 'x' not in s else ''", "server"),
        ("list({'server'})[0]", "server"),
        ("'server' if len(set(s)) == 2 else ''", "server"),
    ],
)
def test_what_does_not_depend_on_the_order_of_a_set_is_known(expression: str, expected: str) -> None:
    assert _mode(expression) == expected


def test_unpacking_and_loops_over_a_set_are_unknown() -> None:
    header = "from trl import GRPOConfig\n"
    for text in (
        "a, b = {'colocate', 'server'}\n",
        "for a in {'colocate', 'server'}:\n    pass\n",
        "for a in {'colocate', 'server'}:\n    break\n",
    ):
        facts = read_source("train.py", f"{header}{text}GRPOConfig(vllm_mode=a)\n".encode()).facts
        assert facts.value("plan.vllm_mode") is None


def test_a_set_of_choices_and_a_set_as_a_value_are_still_known() -> None:
    text = (
        "import argparse\nfrom trl import GRPOConfig, GRPOTrainer\nfrom peft import LoraConfig\n"
        "GRPOTrainer(args=GRPOConfig(), peft_config=LoraConfig(target_modules={'q_proj', 'v_proj'}))\n"
    )
    assert set(read_source("train.py", text.encode()).facts.value("plan.lora_targets")) == {"q_proj", "v_proj"}  # type: ignore[arg-type]
