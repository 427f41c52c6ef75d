"""What the code of a cell may change in the environment and the folder of later commands."""

from __future__ import annotations

import pytest

from vcompat.sources.reading.notebooks.notebook_environment import changes
from vcompat.sources.reading.word import UNKNOWN

#: The code of a cell; for each change its line, variable, value, folder, what may change any variable, and whether also
#: those that were set before.
CHANGES = [
    ("", []),
    ("x = 1", []),
    ("x = = 1", [(0, "", None, None, "a cell that is not Python", True)]),
    ("os.environ['A'] = '1'", [(0, "A", "1", None, "", False)]),
    ("x\n\nos.environ['A'] = 'b'", [(2, "A", "b", None, "", False)]),
    ("environ['A'] = 'b'", [(0, "A", "b", None, "", False)]),
    ("os.environ['A'] = x", [(0, "A", UNKNOWN, None, "", False)]),
    ("os.environ['A'] = 5", [(0, "A", UNKNOWN, None, "", False)]),
    ("os.environ['A'] = f()", [(0, "", None, None, "f()", False), (0, "", None, None, "a use of os.environ", True)]),
    ("os.environ['A'] = str(5)", [(0, "A", UNKNOWN, None, "", False)]),
    (
        "os.environ['A'] = os.environ['B']",
        [(0, "", None, None, "a use of os.environ", True), (0, "", None, None, "a use of os.environ", True)],
    ),
    (
        "os.environ['A'] = os.environ['B'] = 'c'",
        [(0, "", None, None, "a use of os.environ", True), (0, "", None, None, "a use of os.environ", True)],
    ),
    ("os.environ[k] = 'b'", [(0, "", None, None, "a use of os.environ", True)]),
    ("os.environ[5] = 'b'", [(0, "", None, None, "a use of os.environ", True)]),
    ("other['A'] = 'b'", []),
    ("os.environ['A'] += 'b'", [(0, "", None, None, "a use of os.environ", True)]),
    ("os.environ['A']: str = 'b'", [(0, "", None, None, "a use of os.environ", True)]),
    ("del os.environ['A']", [(0, "A", None, None, "", False)]),
    ("del os.environ['A'], os.environ['B']", [(0, "A", None, None, "", False), (0, "B", None, None, "", False)]),
    ("del x, os.environ['A']", [(0, "", None, None, "a use of os.environ", True)]),
    ("del x", []),
    ("del os.environ[k]", [(0, "", None, None, "a use of os.environ", True)]),
    ("os.chdir('d')", [(0, "", None, "d", "", False)]),
    ("chdir('d')", [(0, "", None, UNKNOWN, "", False)]),
    ("os.chdir(d)", [(0, "", None, UNKNOWN, "", False)]),
    ("os.chdir()", [(0, "", None, UNKNOWN, "", False)]),
    ("os.chdir(f'{x}')", [(0, "", None, UNKNOWN, "", False)]),
    ("x = os.chdir('d')", [(0, "", None, UNKNOWN, "", False)]),
    ("os.environ.setdefault('A', 'b')", [(0, "A", UNKNOWN, None, "", False)]),
    (
        "os.environ.setdefault(k, 'b')",
        [(0, "", None, None, "setdefault()", False), (0, "", None, None, "a use of os.environ", True)],
    ),
    (
        "os.environ.setdefault('', 'b')",
        [(0, "", None, None, "setdefault()", False), (0, "", None, None, "a use of os.environ", True)],
    ),
    ("os.environ.pop('A')", [(0, "A", None, None, "", False)]),
    ("os.environ.pop('A', None)", [(0, "A", None, None, "", False)]),
    ("os.environ.pop(k)", [(0, "", None, None, "pop()", False), (0, "", None, None, "a use of os.environ", True)]),
    ("environ.pop('A')", [(0, "A", None, None, "", False)]),
    (
        "x = os.environ.pop('A')",
        [(0, "", None, None, "pop()", False), (0, "", None, None, "a use of os.environ", True)],
    ),
    ("os.environ.update({'A': 'b', 'C': x})", [(0, "A", "b", None, "", False), (0, "C", UNKNOWN, None, "", False)]),
    (
        "os.environ.update({k: 'b'})",
        [(0, "", None, None, "update()", False), (0, "", None, None, "a use of os.environ", True)],
    ),
    (
        "os.environ.update({5: 'b'})",
        [(0, "", None, None, "update()", False), (0, "", None, None, "a use of os.environ", True)],
    ),
    (
        "os.environ.update({**x})",
        [(0, "", None, None, "update()", False), (0, "", None, None, "a use of os.environ", True)],
    ),
    (
        "os.environ.update(x)",
        [(0, "", None, None, "update()", False), (0, "", None, None, "a use of os.environ", True)],
    ),
    ("os.environ.update(A='b', C=x)", [(0, "A", "b", None, "", False), (0, "C", UNKNOWN, None, "", False)]),
    ("os.environ.update({'A': 'b'}, C='d')", [(0, "A", "b", None, "", False), (0, "C", "d", None, "", False)]),
    (
        "os.environ.update(**x)",
        [(0, "", None, None, "update()", False), (0, "", None, None, "a use of os.environ", True)],
    ),
    ("os.environ.update()", []),
    ("os.environ.clear()", [(0, "", None, None, "clear()", False), (0, "", None, None, "a use of os.environ", True)]),
    ("os.environ.get('A')", [(0, "", None, None, "get()", False), (0, "", None, None, "a use of os.environ", True)]),
    ("os.environ.copy()", [(0, "", None, None, "copy()", False), (0, "", None, None, "a use of os.environ", True)]),
    ("other.update({'A': 'b'})", [(0, "", None, None, "update()", False)]),
    ("other.pop('A')", [(0, "", None, None, "pop()", False)]),
    ("x.update()", [(0, "", None, None, "update()", False)]),
    ("f()", [(0, "", None, None, "f()", False)]),
    ("x.f()", [(0, "", None, None, "f()", False)]),
    ("print(1)", []),
    ("x.print(1)", [(0, "", None, None, "print()", False)]),
    ("print(f())", [(0, "", None, None, "f()", False)]),
    ("y = len(x)", []),
    ("(lambda: 1)()", [(0, "", None, None, "a call()", False)]),
    ("f()()", [(0, "", None, None, "a call()", False), (0, "", None, None, "f()", False)]),
    ("__unknown_output__()", []),
    ("__unknown_magic__()", [(0, "", None, None, "__unknown_magic__()", True)]),
    ("load_dotenv()", [(0, "", None, None, "load_dotenv()", True)]),
    ("x.load_dotenv()", [(0, "", None, None, "load_dotenv()", True)]),
    ("exec('x')", [(0, "", None, None, "exec()", True)]),
    ("eval('x')", [(0, "", None, None, "eval()", True)]),
    ("os.putenv('A', 'b')", [(0, "", None, None, "putenv()", True)]),
    ("os.unsetenv('A')", [(0, "", None, None, "unsetenv()", True)]),
    ("str(int(float(range(1))))", []),
    ("display(x)", []),
    ("sorted(list(dict(set(tuple(min(max(sum(x))))))))", []),
    ("import os", []),
    ("import os, sys", []),
    ("import os.path", []),
    ("import torch", [(0, "", None, None, "an import", False)]),
    ("import os, torch", [(0, "", None, None, "an import", False)]),
    ("from os import path", []),
    ("from torch import nn", [(0, "", None, None, "an import", False)]),
    ("from os.path import join", []),
    ("from . import x", [(0, "", None, None, "an import", False)]),
    ("from .os import x", []),
    ("import json, re, math, time, random, pathlib, subprocess, shutil, typing, collections, glob", []),
    ("x = os.environ", [(0, "", None, None, "a use of os.environ", True)]),
    ("f = environ", [(0, "", None, None, "a use of os.environ", True)]),
    ("y = os.environ['A']", [(0, "", None, None, "a use of os.environ", True)]),
    ("if x:\n    os.environ['A'] = 'b'", [(1, "", None, None, "a use of os.environ", True)]),
    ("for i in x:\n    f()", [(1, "", None, None, "f()", False)]),
    ("def g():\n    os.chdir('x')", [(1, "", None, UNKNOWN, "", False)]),
    ("if x:\n    import torch\n    print(1)", [(1, "", None, None, "an import", False)]),
    (
        "x = 1\nimport torch\nos.environ['A'] = 'b'\nf()\nos.chdir('d')",
        [
            (1, "", None, None, "an import", False),
            (2, "A", "b", None, "", False),
            (3, "", None, None, "f()", False),
            (4, "", None, "d", "", False),
        ],
    ),
    ("class C:\n    pass", []),
    ("x: int = f()", [(0, "", None, None, "f()", False)]),
    ("await f()", [(0, "", None, None, "f()", False)]),
    ("with open(x) as f:\n    pass", [(0, "", None, None, "open()", False)]),
    ("\x00", [(0, "", None, None, "a cell that is not Python", True)]),
    (
        "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((",
        [(0, "", None, None, "a cell that is not Python", True)],
    ),
    ("os.environ['A'] = 'x' + 'y'", [(0, "A", UNKNOWN, None, "", False)]),
    ("a.environ['A'] = 'x'", [(0, "A", "x", None, "", False)]),
    (
        "os.environ.update({'A': 'b'}, **x)",
        [(0, "", None, None, "update()", False), (0, "", None, None, "a use of os.environ", True)],
    ),
    ("os.chdir('a'); os.chdir('b')", [(0, "", None, "a", "", False), (0, "", None, "b", "", False)]),
    ("@f\ndef g(): pass", []),
    (
        "os.environ.update([('A', 'b')])",
        [(0, "", None, None, "update()", False), (0, "", None, None, "a use of os.environ", True)],
    ),
]


@pytest.mark.parametrize(("code", "expected"), CHANGES)
def test_code_changes_exactly_this(code: str, expected: list[tuple[object, ...]]) -> None:
    assert [tuple(each) for each in changes(code.split("\n"))] == expected
