"""What a module uses of another package: what is listed, what is left out, and with which releases it runs."""

from __future__ import annotations

import pytest
from packaging.version import Version

from vcompat.upstream.uses import uses_in


def listed(source: str) -> list[str]:
    return [str(use) for use, _ in uses_in(source, "vllm")]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from vllm import LLM", ["imports vllm.LLM"]),
        ("import vllm.utils", ["imports vllm.utils"]),
        ("from vllm.utils import a as b, c", ["imports vllm.utils.a", "imports vllm.utils.c"]),
        ("def f():\n    from vllm import LLM", ["imports vllm.LLM"]),
        ("from vllm import LLM\nLLM(model=1)", ["imports vllm.LLM", "passes vllm.LLM(model=)"]),
        ("from vllm import LLM\nk = {'a': 1}\nk['b'] = 2\nLLM(**k)", ["imports vllm.LLM", "passes vllm.LLM(a=)", "passes vllm.LLM(b=)"]),
        ("from vllm import LLM\nself.llm = LLM()\nself.llm.sleep(level=1)", ["imports vllm.LLM", "calls vllm.LLM.sleep", "passes vllm.LLM.sleep(level=)"]),
        ("patch('vllm.worker.worker.Worker.f')", ["replaces vllm.worker.worker.Worker.f"]),
        ("patch('vllm.utils.f')", ["replaces vllm.utils.f"]),
    ],
)  # fmt: skip
def test_unconditional_uses_are_listed(source: str, expected: list[str]) -> None:
    assert listed(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "from trl import LLM",
        "from .vllm import LLM",
        "try:\n    from vllm import LLM\nexcept ImportError:\n    pass",
        "try:\n    from vllm import LLM\nexcept (ValueError, ModuleNotFoundError):\n    pass",
        "if TYPE_CHECKING:\n    from vllm import LLM",
        "from vllm import *",
        "vllm = (",
        "open('vllm.txt')",
    ],
)
def test_uses_that_may_be_missing_are_left_out(source: str) -> None:
    assert listed(source) == []


def test_an_object_of_several_possible_classes_is_ignored() -> None:
    source = "from vllm import Group\nif xpu:\n    c = Other()\nelse:\n    c = Group()\nc.barrier()"
    assert listed(source) == ["imports vllm.Group"]


@pytest.mark.parametrize(
    ("condition", "inside", "outside"),
    [
        ("is_vllm_available(min_version='0.28.0')", "0.28.0", "0.27.0"),
        ("Version(vllm.__version__) <= Version('0.10.2')", "0.10.2", "0.11.0"),
        ("version.parse(vllm.__version__) > version.parse('0.11')", "0.12.0", "0.11.0"),
        ("is_vllm_available() and Version(vllm_version) < Version('0.12')", "0.11.0", "0.12.0"),
        ("not is_vllm_available(min_version='0.28.0')", "0.27.0", "0.28.0"),
        ("FLAG", "0.28.0", "0.27.0"),
    ],
)
def test_a_version_comparison_guards_the_uses_behind_it(condition: str, inside: str, outside: str) -> None:
    flag = "FLAG = is_vllm_available(min_version='0.28.0')\n"
    source = f"{flag}if {condition}:\n    from vllm import a\nelse:\n    from vllm import b\n"
    a, b = (use for use, _ in uses_in(source, "vllm"))
    assert a.runs_with(Version(inside))
    assert not a.runs_with(Version(outside))
    assert b.runs_with(Version(outside))
    assert not b.runs_with(Version(inside))


def test_a_call_has_the_guards_of_its_import() -> None:
    source = "if is_vllm_available(min_version='0.28.0'):\n    from vllm import f\ndef g():\n    f(a=1)\n"
    assert [use.guards for use, _ in uses_in(source, "vllm")] == [(">=0.28.0",)] * 2
