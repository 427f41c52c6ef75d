"""Which commands just runs for a recipe."""

from __future__ import annotations

import pytest

from vcompat.sources.reading.recipes.justfile import Justfile
from vcompat.sources.reading.recipes.recipes import NotFollowed, Recipe
from vcompat.sources.reading.word import UNKNOWN


def recipes(text: str, words: str = "", **environment: str) -> list[Recipe]:
    return Justfile(text, environment.get).recipes(words.split())


@pytest.mark.parametrize(
    ("text", "words", "commands"),
    [
        ("a:\n    echo 1\n    @echo 2\n    -echo 3\n\nb:\n  echo b\n", "", ["echo 1", "echo 2", "echo 3"]),
        ("a:\n  echo 1\nb:\n\techo b\n", "b", ["echo b"]),
        ("a:\n  echo a\nb:\n  echo b\n", "b a", ["echo b", "echo a"]),
        ("x := '1'\na:\n  echo {{x}} {{ x }} {{{{x}}\n", "", ["echo 1 1 {{x}}"]),
        ("x := '1'\na:\n  echo {{x}}\n", "x=2 a", ["echo 2"]),
        ('x := "a" + \'b\' / "c\\n"\na:\n  echo {{x}}{{x + "d"}}\n', "", ["echo ab/c\nab/c\nd"]),
        ("y := x\nx := '1'\na:\n  echo {{y}}\n", "", ["echo 1"]),
        ("x := env('HERE')\ny := env_var_or_default('NOT_HERE', 'z')\na:\n  echo {{x}} {{y}}\n", "", ["echo here z"]),
        ("a n m='2':\n  echo {{n}} {{m}}\n", "a 1", ["echo 1 2"]),
        ("a n m='2':\n  echo {{n}} {{m}}\n", "a 1 3", ["echo 1 3"]),
        ("a n='1':\n  echo {{n}}\nb:\n  echo b\n", "a 5 b", ["echo 5", "echo b"]),
        ("a n *rest:\n  echo {{n}} {{rest}}\n", "a 1 --x 2", ["echo 1 --x 2"]),
        ("a *rest:\n  echo {{rest}}.\n", "a", ["echo ."]),
        ("a +rest='d':\n  echo {{rest}}\n", "a", ["echo d"]),
        (
            "a: b (c '1') && d\n  echo a\nb:\n  echo b\nc n:\n  echo c{{n}}\nd:\n  echo d\n",
            "",
            ["echo b", "echo c1", "echo a", "echo d"],
        ),
        ("a: b\n  echo a\nb:\n  echo b\n", "b a", ["echo b", "echo a"]),
        ("alias t := train\ntrain:\n  echo 1\n", "t", ["echo 1"]),
        ("set shell := ['bash', '-c']\n# a note\n[private]\na: # note\n  # note\n  echo 1\n", "", ["echo 1"]),
        ("a:\n  echo 1 \\\n    --x\n  echo 2\n", "", ["echo 1 \\\n--x", "echo 2"]),
        ("a:\n  #!/usr/bin/env bash\n  set -e\n  echo 1\n", "", ["#!/usr/bin/env bash\nset -e\necho 1"]),
        (
            "x := `date`\na:\n  echo {{x}} {{uppercase('a')}} {{if 'a' == 'b' { 'c' } else { 'd' } }} y\n",
            "",
            ["echo " + UNKNOWN + " " + UNKNOWN + " " + UNKNOWN + " y"],
        ),
    ],
)
def test_the_commands_of_a_recipe(text: str, words: str, commands: list[str]) -> None:
    assert [recipe.text for recipe in recipes(text, words, HERE="here")] == commands


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a:\n  echo 1\n", "b"),
        ("a n:\n  echo 1\n", "a"),
        ("a $n:\n  echo 1\n", "a"),
        ("a +n:\n  echo 1\n", "a"),
        ("import 'x'\na:\n  echo 1\n", "a"),
        ("mod x\na:\n  echo 1\n", "a"),
        ("set dotenv-load\na:\n  echo 1\n", "a"),
        ("set positional-arguments\na:\n  echo $1\n", "a"),
        ("[no-cd]\na:\n  echo 1\n", "a"),
        ("a:\n  #!/usr/bin/env python\n  print(1)\n", "a"),
        ("a:\n  echo {{nowhere}}\n", "a"),
        ("x := x\na:\n  echo {{x}}\n", "a"),
        ("a: (b `date`)\n  echo 1\nb n:\n  echo {{n}}\n", "a"),
        ("", ""),
        ("".join(f"x{i} := x{i + 1} + x{i + 1}\n" for i in range(60)) + "x60 := 'a'\na:\n  echo {{x0}}\n", "a"),
        ("x := '" + "a" * 6000 + "'\na:\n  echo 1\n", "a"),
    ],
)
def test_a_file_that_is_not_plain_is_not_followed(text: str, words: str) -> None:
    with pytest.raises(NotFollowed):
        recipes(text, words)


def test_exported_variables_and_parameters_are_in_the_environment() -> None:
    (recipe,) = recipes("export A := '1'\nB := '2'\na $c='3':\n  echo 1\n", "a")
    assert dict(recipe.variables) == {"A": "1", "c": "3"}


def test_the_lines_are_those_of_the_file() -> None:
    assert [recipe.line for recipe in recipes("# note\na:\n\n  echo 1\n\n  echo 2\n")] == [4, 6]


def test_recipes_that_need_each_other_run_once() -> None:
    assert [recipe.text for recipe in recipes("a: b\n  echo a\nb: a\n  echo b\n")] == ["echo b", "echo a"]
