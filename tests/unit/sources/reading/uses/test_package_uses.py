"""What a module uses of another package: what is listed, what is left out, and with which releases it runs."""

from __future__ import annotations

import pytest
from packaging.version import Version

from vcompat.rules.ranges import in_all
from vcompat.sources.reading.uses.package_uses import uses_in


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
        "with suppress(ImportError):\n    from vllm import LLM",
        "if hasattr(vllm, 'LLM'):\n    from vllm import LLM",
        "if __name__ == '__main__':\n    from vllm import LLM",
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
        ("is_vllm_version('>=', '0.28')", "0.28.0", "0.27.0"),
        ("compare_versions('vllm', '<', '0.28')", "0.27.0", "0.28.0"),
        ("is_vllm_greater_or_equal('0.28', accept_dev=True)", "0.28.0", "0.27.0"),
        ("is_vllm_greater_or_equal_than_0_28", "0.28.0", "0.27.0"),
        ("is_vllm_ge_v0_28_0()", "0.28.0", "0.27.0"),
        ("vllm_version_at_least('0.28')", "0.28.0", "0.27.0"),
        ("not (is_vllm_version('<', '0.27') or is_vllm_version('>', '0.28'))", "0.27.1", "0.29.0"),
    ],
)
def test_a_version_comparison_guards_the_uses_behind_it(condition: str, inside: str, outside: str) -> None:
    flag = "FLAG = is_vllm_available(min_version='0.28.0')\n"
    source = f"{flag}if {condition}:\n    from vllm import a\nelse:\n    from vllm import b\n"
    a, b = (use for use, _ in uses_in(source, "vllm"))
    assert in_all(a.guards, Version(inside))
    assert not in_all(a.guards, Version(outside))
    assert in_all(b.guards, Version(outside))
    if " or " not in condition:
        assert not in_all(b.guards, Version(inside))


def test_a_call_has_the_guards_of_its_import() -> None:
    source = "if is_vllm_available(min_version='0.28.0'):\n    from vllm import f\ndef g():\n    f(a=1)\n"
    assert [use.guards for use, _ in uses_in(source, "vllm")] == [(">=0.28.0",)] * 2


@pytest.mark.parametrize(
    "condition",
    ["something and is_vllm_version('>=', '0.28')", "is_vllm_available() and flag and is_vllm_version('>=', '0.28')"],
)
def test_where_another_condition_may_be_false_the_opposite_guards_nothing(condition: str) -> None:
    a, b = (
        use for use, _ in uses_in(f"if {condition}:\n    from vllm import a\nelse:\n    from vllm import b\n", "vllm")
    )
    assert (a.guards, b.guards) == ((">=0.28",), ())


def test_code_after_a_conditional_return_runs_where_the_condition_is_false() -> None:
    source = (
        "def f():\n    if is_vllm_version('<', '0.28'):\n        return\n    from vllm import a\nfrom vllm import b\n"
    )
    assert [use.guards for use, _ in uses_in(source, "vllm")] == [(">=0.28",), ()]


def test_a_guard_of_one_package_is_none_of_another() -> None:
    source = "if is_torch_version('>=', '2.5'):\n    import torch.a\n    import vllm.b\n"
    assert [(str(use), use.guards) for use, _ in uses_in(source, ("torch", "vllm"))] == [
        ("imports torch.a", (">=2.5",)),
        ("imports vllm.b", ()),
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def f(a: A):\n    a.x", ["reads vllm.A.x"]),
        ("def f(a: A | None):\n    a.x()", ["reads vllm.A.x"]),
        ("def f(a: Optional['A']):\n    a.x.y", ["reads vllm.A.x"]),
        ("def f():\n    a: A = g()\n    a.x", ["reads vllm.A.x"]),
        ("def f():\n    a = g()\n    a.x", ["reads vllm.g().x"]),
        ("def f():\n    a = A.make(1)\n    return a.x", ["reads vllm.A.make().x"]),
        ("class C:\n    def __init__(self, a: A):\n        self.a = a\n    def f(self):\n        self.a.x", ["reads vllm.A.x"]),
        ("class C:\n    def __init__(self):\n        self.a: A = h()\n        self.a.x", ["reads vllm.A.x"]),
    ],
)  # fmt: skip
def test_attributes_of_objects_of_a_known_class_are_listed(code: str, expected: list[str]) -> None:
    assert listed(f"from vllm import A, g\n{code}")[2:] == expected


@pytest.mark.parametrize(
    "code",
    [
        "def f(a: A | B):\n    a.x",
        "def f(a: A):\n    a = h(a)\n    a.x",
        "def f(a: A):\n    if isinstance(a, B):\n        a.x",
        "def f(a: A):\n    if hasattr(a, 'x'):\n        a.x",
        "def f(a: A):\n    a.x = 1",
        "def f(a: A):\n    a.__class__",
        "def f(a: A):\n    return [a.x for a in b]",
        "def f():\n    a = g()\n    a = g()\n    a.x",
        "class C:\n    def __init__(self):\n        self.a: A = h()\n    def f(self):\n        self.a = None or h()\n        self.a.x",
        "def A(): ...\ndef f(a: A):\n    a.x",
        "try:\n    from b import A\nexcept ImportError: ...\ndef f(a: A):\n    a.x",
    ],
)  # fmt: skip
def test_attributes_of_objects_that_may_be_something_else_are_not_listed(code: str) -> None:
    assert listed(f"from vllm import A, g\n{code}")[2:] == []


def test_a_name_with_two_meanings_passes_nothing() -> None:
    assert listed("from vllm import f\nf(a=1)\n") == ["imports vllm.f", "passes vllm.f(a=)"]
    assert listed("from vllm import f\nf(a=1)\ndef f(): ...\n") == ["imports vllm.f"]
