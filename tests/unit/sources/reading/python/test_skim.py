"""Top-level functions of a long script are left for later, and nothing else is."""

from __future__ import annotations

import ast

import pytest

from tests.unit.sources.reading.python.executed import as_text
from vcompat.sources.reading.python.interpreter import Interpreter
from vcompat.sources.reading.python.skim import LONG, skimmed
from vcompat.sources.reading.python.values.core import Start

FILLING = b"filling = '" + b"a" * LONG + b"'\n"


def test_a_short_script_is_left_as_it_is() -> None:
    text = b"def f():\n    return 1\n"
    short = text + b"#" * (LONG - len(text) - 1)
    assert skimmed(short) == (short, {})
    whole = skimmed(short + b"#")
    assert (whole[0], whole[1]) == (b"\n\n" + b"#" * (LONG - len(text)), {"f": (1, text)})


@pytest.mark.parametrize(
    ("text", "left", "functions"),
    [
        (b"x = 1\ndef f(a):\n    return a\ny = 2\n", b"x = 1\n\n\ny = 2\n", {"f": (2, b"def f(a):\n    return a\n")}),
        (b"def f(a):\n\n    # a\n\n    return a\n\n\ny = 2\n", b"\n\n\n\n\n\n\ny = 2\n", {"f": (1, b"def f(a):\n\n    # a\n\n    return a\n\n\n")}),
        (b"def f(\n    a,\n) -> int:\n    return a\ny = 2\n", b"\n\n\n\ny = 2\n", {"f": (1, b"def f(\n    a,\n) -> int:\n    return a\n")}),
        (b"def f():\n    return 1\n# after\ndef g():\n\treturn 2\n", b"\n\n\n\n\n", {"f": (1, b"def f():\n    return 1\n# after\n"), "g": (4, b"def g():\n\treturn 2\n")}),
        (b"def  f (): return 1\ny = 2\n", b"\ny = 2\n", {"f": (1, b"def  f (): return 1\n")}),
        (b"def f():\n    '''a\n    '''\n    return 1\n", b"\n\n\n\n", {"f": (1, b"def f():\n    '''a\n    '''\n    return 1\n")}),
        (b"def f():\n    '''a\nb\n    '''\n", b"def f():\n    '''a\nb\n    '''\n", {}),
        (b'def f():\n    """a\nb\n    """\n', b'def f():\n    """a\nb\n    """\n', {}),
        (b"def f():\n    a = 1 + \\\n2\n", b"def f():\n    a = 1 + \\\n2\n", {}),
        (b"def f():\n    return 1\ndef f():\n    return 2\n", b"\n\ndef f():\n    return 2\n", {"f": (1, b"def f():\n    return 1\n")}),
        (b"@a\ndef f():\n    return 1\n", b"@a\ndef f():\n    return 1\n", {}),
        (b"@a(\n    1\n)\ndef f():\n    return 1\n", b"@a(\n    1\n)\ndef f():\n    return 1\n", {}),
        (b"if a:\n    b\ndef f():\n    return 1\n", b"if a:\n    b\ndef f():\n    return 1\n", {}),
        (b"if a:\n\tb\ndef f():\n    return 1\n", b"if a:\n\tb\ndef f():\n    return 1\n", {}),
        (b"class A:\n    def f(self):\n        return 1\n", b"class A:\n    def f(self):\n        return 1\n", {}),
        (b"async def f():\n    return 1\n", b"async def f():\n    return 1\n", {}),
        (b"define = 1\n", b"define = 1\n", {}),
        ("def \u00e9():\n    return 1\n".encode(), "def \u00e9():\n    return 1\n".encode(), {}),
    ],
)  # fmt: skip
def test_top_level_functions_are_left_for_later(
    text: bytes, left: bytes, functions: dict[str, tuple[int, bytes]]
) -> None:
    assert skimmed(text + FILLING) == (left + FILLING, functions)
    moved = {name: (line + 1, body) for name, (line, body) in functions.items()}
    assert skimmed(FILLING + text) == (FILLING + left, moved)


def test_a_function_that_is_left_for_later_runs_when_it_is_called() -> None:
    text = (
        b"n = 1\ndef f(a, b=n):\n    return [a, b, g]\n\ndef g():\n    pass\n" + FILLING + b"x = f(2)\ny = len\nz = f\n"
    )
    short, functions = skimmed(text)
    run = Interpreter("train.py", text, Start())
    run.imports.lazy = functions
    run.run(ast.parse(short))
    assert as_text(run.module.cells["x"].value) == "[2 @3:13, 1 @3:16, def g() @3:19]"
    assert [as_text(run.module.cells[name].value) for name in "yzfg"] == [
        "builtin len",
        *["def f(b=1 @2:12)"] * 2,
        "def g()",
    ]
    assert not run.imports.lazy


def test_a_module_of_the_project_does_not_see_the_functions_of_the_script() -> None:
    run = Interpreter("train.py", b"", Start())
    run.imports.lazy = {"f": (1, b"def f(): return 1\n")}
    from vcompat.sources.reading.python.values.values import Frame

    assert as_text(run.expressions.lookup("f", Frame(None, "other.py"))) == "builtin f"
    assert as_text(run.expressions.lookup("f", Frame(run.module))) == "def f()"
