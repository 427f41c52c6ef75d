"""What is certain, compared with executions: a program whose use is certain dies of it, whatever its conditions are.

The programs are generated. The package is a fake that lacks every name: any use of it raises, as with a release that
does not have the name.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.unit.sources.reading.uses.test_project_uses import Folder
from vcompat.sources.reading.uses.project_uses import uses_of

_USES = ("from trl import gone", "trl.gone", "trl.gone(x=1)", "from trl.gone import x", "trl.part.gone")
_SIMPLE = (
    "a = 1",
    "print",
    "sys.path",
    "helper()",
    "other(2)",
    "c()",
    "if c():\n    sys.exit()",
    "if c():\n    raise ValueError",
)
_ERRORS = ("ImportError", "Exception", "ValueError", "(ImportError, KeyError)", "AttributeError", "")


def block(chance: random.Random, depth: int, in_function: bool) -> list[str]:
    """The lines of a block of statements."""
    lines: list[str] = []
    for _ in range(chance.randint(1, 3)):
        lines += statement(chance, depth, in_function)
    return lines


def statement(chance: random.Random, depth: int, in_function: bool) -> list[str]:
    def inner(is_function: bool = in_function) -> list[str]:
        return [f"    {line}" for line in block(chance, depth - 1, is_function)]

    kinds = ["use"] * 3 + ["simple"] * 4 + (["return"] if in_function else [])
    if depth:
        kinds += ["if", "else", "try", "for", "while", "def", "with", "class", "finally", "nested"]
    kind = chance.choice(kinds)
    if kind == "use":
        return [chance.choice(_USES)]
    if kind == "simple":
        return chance.choice(_SIMPLE).split("\n")
    if kind == "return":
        return ["return"]
    if kind in ("if", "else"):
        return ["if c():", *inner(), *(["else:", *inner()] if kind == "else" else [])]
    if kind == "try":
        error = chance.choice(_ERRORS)
        return [
            "try:",
            *inner(),
            f"except {error}:".replace(" :", ":"),
            *inner(),
            *(["else:", *inner()] * chance.randint(0, 1)),
        ]
    if kind == "finally":
        return ["try:", *inner(), "finally:", *inner()]
    if kind == "for":
        return ["for i in range(c()):", *inner()]
    if kind == "while":
        return ["while c():", *inner(), "    break"]
    if kind == "with":
        return [f"with contextlib.suppress({chance.choice(_ERRORS[:3])}):", *inner()]
    if kind == "class":
        return ["class K:", *inner(False)]
    name = chance.choice(("helper", "other", "third"))
    return [f"def {name}(*_):", *inner(True)] + ([f"{name}()"] if kind == "nested" else [])


def programs(seed: int) -> Iterator[str]:
    chance = random.Random(seed)
    for _ in range(400):
        begin = ["import contextlib, sys, trl", "def helper(*_):\n    pass", "def other(*_):\n    pass"]
        text = "\n".join([*begin, *block(chance, 3, False)])
        try:
            compile(text, "main.py", "exec")
        except SyntaxError:
            continue
        yield text


def dies_of_a_use(text: str, seed: int) -> bool:
    """Whether the program, with conditions at random, ends because the package lacks a name."""
    chance = random.Random(seed)
    scope: dict[str, Any] = {"c": lambda: chance.random() < 0.5, "__name__": "__main__"}
    try:
        exec(compile(text, "main.py", "exec"), scope)
    except (ImportError, AttributeError, RecursionError, NameError):
        # A program that fails by itself, such as one that calls itself without end, does not reach the use.
        return True
    except (SystemExit, ValueError):
        return False
    return False


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 5))])
def test_a_program_with_a_certain_use_always_dies_of_one(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = ModuleType("trl")
    setattr(package, "part", ModuleType("trl.part"))  # noqa: B010 - mypy knows no such attribute
    monkeypatch.setitem(sys.modules, "trl", package)
    certain = 0
    for text in programs(seed):
        found = uses_of(str(tmp_path / "main.py"), text.encode(), Folder(tmp_path))
        sure = [
            used for used in found if not used.presumes and not used.branch and used.use.name and not used.use.argument
        ]
        if sure:
            certain += 1
            assert all(dies_of_a_use(text, number) for number in range(8)), text
    assert certain > 50
