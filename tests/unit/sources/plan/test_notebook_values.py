"""The variables of a notebook, and commands with their values put in."""

from __future__ import annotations

import pytest

from vcompat.sources.plan.invocation import UNKNOWN_WORDS
from vcompat.sources.plan.notebook_values import Names, names_of, substitute

#: Cells; the constants, all names that the code binds, and whether it may bind any name.
NAMES = [
    ([], ({}, [], False)),
    (["x = 1"], ({"x": "1"}, ["x"], False)),
    (
        ["x = 'a'\ny = 1.5\nz = True\nw = None\nv = b'x'"],
        ({"x": "a", "y": "1.5", "z": "True"}, ["v", "w", "x", "y", "z"], False),
    ),
    (["x = 1", "x = 2"], ({}, ["x"], False)),
    (["x = 1\nx += 1"], ({}, ["x"], False)),
    (["x = 1\nfor x in y: pass"], ({}, ["x"], False)),
    (["x = 1\ndef x(): pass"], ({}, ["x"], False)),
    (["x = 1\nclass x: pass"], ({}, ["x"], False)),
    (["x = 1\nasync def x(): pass"], ({}, ["x"], False)),
    (["x = 1\nimport x"], ({}, ["x"], False)),
    (["x = 1\nimport x.y"], ({}, ["x"], False)),
    (["x = 1\nimport y as x"], ({}, ["x"], False)),
    (["from a import x as z"], ({}, ["z"], False)),
    (["import a.b as c"], ({}, ["c"], False)),
    (["x = 1\ndef f(x): pass"], ({}, ["f", "x"], False)),
    (["x = 1\ntry: pass\nexcept E as x: pass"], ({}, ["x"], False)),
    (["try: pass\nexcept E: pass"], ({}, [], False)),
    (["x = 1\nmatch y:\n    case x: pass"], ({}, ["x"], False)),
    (
        ["match y:\n    case [*x]: pass\n    case {**r}: pass\n    case _: pass\n    case [*_]: pass"],
        ({}, ["x"], False),
    ),
    (["x = 1\nwith a as x: pass"], ({}, ["x"], False)),
    (["x = 1\n(x := 2)"], ({}, ["x"], False)),
    (["x = 1\ndel x"], ({}, ["x"], False)),
    (["x = 1\nglobal x"], ({"x": "1"}, ["x"], False)),
    (["x = y = 1"], ({"x": "1"}, ["x", "y"], False)),
    (["x, y = 1, 2"], ({}, ["x", "y"], False)),
    (["x = 'a' + 'b'"], ({}, ["x"], False)),
    (["x = -1"], ({}, ["x"], False)),
    (["x.y = 1"], ({}, [], False)),
    (["x[0] = 1"], ({}, [], False)),
    (["x: int = 1"], ({}, ["x"], False)),
    (["if a:\n    x = 1"], ({}, ["x"], False)),
    (["x = 1", "from a import *"], ({}, ["*", "x"], True)),
    (["x = 1\n__unknown_magic__()"], ({}, ["x"], True)),
    (["x = 1\nexec(y)"], ({}, ["x"], True)),
    (["x = 1\neval(y)"], ({}, ["x"], True)),
    (["x = 1\nglobals(y)"], ({}, ["x"], True)),
    (["x = 1\nlocals(y)"], ({}, ["x"], True)),
    (["x = 1\nvars(y)"], ({}, ["x"], True)),
    (["x = 1\nprint(y)"], ({"x": "1"}, ["x"], False)),
    (["x = = 1", "y = 1"], ({}, ["y"], True)),
    (["\x00"], ({}, [], True)),
    (["x = 1\n[x for x in y]"], ({}, ["x"], False)),
    (["x = 1\nlambda x: 1"], ({}, ["x"], False)),
    (["x = 1\nf(x=2)"], ({"x": "1"}, ["x"], False)),
    (["x = x"], ({}, ["x"], False)),
]

#: A command; what IPython makes of it, and the same where the code may bind any name.
COMMANDS = [
    ("x", ["x", "x"]),
    ("{a}", ["A", "A"]),
    ("{a}{c}", [f"A{UNKNOWN_WORDS}", f"A{UNKNOWN_WORDS}"]),
    ("{b}", [UNKNOWN_WORDS, UNKNOWN_WORDS]),
    ("$a", ["A", "A"]),
    ("$c", [UNKNOWN_WORDS, UNKNOWN_WORDS]),
    ("$$a", ["$a", "$a"]),
    ("$x", ["$x", UNKNOWN_WORDS]),
    ("${a}", ["$A", UNKNOWN_WORDS]),
    ("$ab", ["$ab", UNKNOWN_WORDS]),
    ("$a.x", ["A.x", "A.x"]),
    ("a$", ["a$", "a$"]),
    ("{}", ["{}", "{}"]),
    ("{ a }", [UNKNOWN_WORDS, UNKNOWN_WORDS]),
    ("{a!r}", [UNKNOWN_WORDS, UNKNOWN_WORDS]),
    ("{a:>5}", [UNKNOWN_WORDS, UNKNOWN_WORDS]),
    ("{a + 1}", [UNKNOWN_WORDS, UNKNOWN_WORDS]),
    ("{f(x)}", [UNKNOWN_WORDS, UNKNOWN_WORDS]),
    ("{x}", ["{x}", UNKNOWN_WORDS]),
    ("{a} {x}", ["{a} {x}", f"A {UNKNOWN_WORDS}"]),
    ("{c.d}", [UNKNOWN_WORDS, UNKNOWN_WORDS]),
    ("{1}", [UNKNOWN_WORDS, UNKNOWN_WORDS]),
    ("{=}", ["{=}", "{=}"]),
    ("{a} $a $x {c} $$b", [f"A A $x {UNKNOWN_WORDS} $b", f"A A {UNKNOWN_WORDS} {UNKNOWN_WORDS} $b"]),
    ("{a b}", ["{a b}", "{a b}"]),
    ("{{a}}", ["{A}", "{A}"]),
    ("$d$a", [f"{UNKNOWN_WORDS}A", f"{UNKNOWN_WORDS}A"]),
    ("$_", ["$_", UNKNOWN_WORDS]),
    ("\\$a", ["\\A", "\\A"]),
    ("{:x}", ["{:x}", "{:x}"]),
    ("{!r}", ["{!r}", "{!r}"]),
    ("'$a'", ["'A'", "'A'"]),
    ("{a", ["{a", "{a"]),
    ("a}", ["a}", "a}"]),
    ("$A", ["$A", UNKNOWN_WORDS]),
    ("{'a'}", [UNKNOWN_WORDS, UNKNOWN_WORDS]),
    ("$a1", ["$a1", UNKNOWN_WORDS]),
]


@pytest.mark.parametrize(("cells", "expected"), NAMES)
def test_the_names_of_cells_are_these(cells: list[str], expected: tuple[dict[str, str], list[str], bool]) -> None:
    found = names_of([cell.split("\n") for cell in cells])
    assert (found.constants, sorted(found.bound), found.any_name) == expected


@pytest.mark.parametrize(("command", "expected"), COMMANDS)
def test_a_command_becomes_this(command: str, expected: list[str]) -> None:
    names = Names({"a": "A", "b": "B"}, frozenset("abcd"), False)
    anything = names._replace(any_name=True)
    assert [substitute(command, names, frozenset("ac")), substitute(command, anything, frozenset("a"))] == expected
