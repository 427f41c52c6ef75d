"""Which commands make runs for a goal, compared with GNU make where it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from vcompat.sources.reading.makefiles.makefile import Environment, Makefile
from vcompat.sources.reading.makefiles.recipe import NotFollowed, Recipe
from vcompat.sources.reading.word import UNKNOWN

#: Makefiles, the words after `make`, and the commands that run.
CASES: list[tuple[str, str, list[str]]] = [
    ("a:\n\techo 1\n\t@echo 2\n\t-echo 3\n\t@-echo 4\nb:\n\techo b\n", "", ["echo 1", "echo 2", "echo 3", "echo 4"]),
    ("a:\n\techo a\nb:\n\techo b\n", "b", ["echo b"]),
    ("a:\n\techo a\nb:\n\techo b\n", "b a", ["echo b", "echo a"]),
    ("N = 8\na:\n\techo $(N) ${N} $$N\n", "", ["echo 8 8 $N"]),
    ("N = 8\na:\n\techo $(N)\n", "N=4", ["echo 4"]),
    ("N ?= 8\na:\n\techo $(N)\n", "", ["echo 8"]),
    ("FROM_OUTSIDE ?= 8\na:\n\techo $(FROM_OUTSIDE)\n", "", ["echo out"]),
    ("FROM_OUTSIDE = 8\na:\n\techo $(FROM_OUTSIDE)\n", "", ["echo 8"]),
    ("A = $(B)\nB = 1\na:\n\techo $(A)\nB = 2\n", "", ["echo 2"]),
    ("B = 1\nA := $(B)\nB = 2\na:\n\techo $(A)\n", "", ["echo 1"]),
    ("A = 1\nA += 2\na:\n\techo $(A)\n", "", ["echo 1 2"]),
    ("A += 2\na:\n\techo $(A)\n", "", ["echo 2"]),
    ("B = 1\nA := x\nA += $(B)\nB = 2\na:\n\techo $(A)\n", "", ["echo x 1"]),
    ("A = 1 # note\na: # note\n\techo $(A)\n", "", ["echo 1 "]),
    ("A = 1 \\\n  2\na:\n\techo $(A)\n", "", ["echo 1 2"]),
    ("NAME = A\nA = 3\na:\n\techo $($(NAME))\n", "", ["echo 3"]),
    ("all: b c\nc: b\n\techo c\nb:\n\techo b\n", "", ["echo b", "echo c"]),
    ("all: b\n\techo all $^ $< $@\nb:\n\techo $@\n", "", ["echo b", "echo all b b all"]),
    ("all: | b\n\techo all\nb:\n\techo b\n", "", ["echo b", "echo all"]),
    ("train-%:\n\techo $* $@\n", "train-7b", ["echo 7b train-7b"]),
    ("a: N = 2\na: b\n\techo $(N)\nb:\n\techo b$(N)\nN = 1\n", "", ["echo b2", "echo 2"]),
    ("a:\n\techo 1\\\n\t  2\n", "", ["echo 1\\\n  2"]),
    ("a: ; echo 1\n", "", ["echo 1"]),
    (".DEFAULT_GOAL = b\na:\n\techo a\nb:\n\techo b\n", "", ["echo b"]),
    ("ifeq ($(N),2)\nX = two\nelse\nX = other\nendif\na:\n\techo $(X)\n", "N=2", ["echo two"]),
    ("ifeq ($(N),2)\nX = two\nelse\nX = other\nendif\na:\n\techo $(X)\n", "N=3", ["echo other"]),
    ('ifneq "$(N)" "2"\na:\n\techo a\nelse\nb:\n\techo b\nendif\n', "N=2", ["echo b"]),
    ("ifdef N\nX = set\nendif\nifndef N\nX = unset\nendif\na:\n\techo $(X)\n", "N=1", ["echo set"]),
    ("ifdef N\nifeq ($(N),2)\nX = 1\nendif\nX = 2\nendif\na:\n\techo $(X)\n", "N=1", ["echo 2"]),
    ("include more.mk\na:\n\techo $(MORE)\n", "", ["echo more"]),
    ("-include nowhere.mk\na:\n\techo a\n", "", ["echo a"]),
    ("a:\n\techo $(strip  x )\n", "", ["echo x"]),
    (".PHONY: there\nthere:\n\techo 1\n", "", ["echo 1"]),
    ("a b:\n\techo $@\n", "b", ["echo b"]),
    ("a:\n\n\techo 1\n# note\n\n\techo 2\n", "", ["echo 1", "echo 2"]),
    ("N := $(shell echo built)\n$(N):\n\t@echo no $(N); exit 1\na:\n\techo a\n", "a", ["echo a"]),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "more.mk").write_text("MORE = more\n")
    (tmp_path / "there").touch()
    return tmp_path


def reads(name: str) -> str | None:
    return Path(name).read_text() if os.path.isfile(name) else None


def recipes(text: str, words: str = "", **environment: str) -> list[Recipe]:
    values = {"FROM_OUTSIDE": "out", **environment}
    given = dict(word.split("=", 1) for word in words.split() if "=" in word)
    passes = {name: None if value == UNKNOWN else True for name, value in values.items()}
    outside = Environment(values.get, lambda name: passes.get(name, False))
    goals = [word for word in words.split() if "=" not in word]
    return Makefile(text, given, outside, reads).recipes(goals, os.path.exists)


@pytest.mark.parametrize(("text", "words", "commands"), CASES)
def test_the_commands_of_a_goal(text: str, words: str, commands: list[str]) -> None:
    assert [recipe.text.rstrip() for recipe in recipes(text, words)] == [command.rstrip() for command in commands]


@pytest.mark.skipif(shutil.which("make") is None, reason="GNU make is not installed")
@pytest.mark.parametrize(("text", "words", "commands"), CASES)
def test_make_runs_the_same_commands(folder: Path, text: str, words: str, commands: list[str]) -> None:
    (folder / "Makefile").write_text(text)
    environment = {"PATH": os.environ["PATH"], "FROM_OUTSIDE": "out"}
    done = subprocess.run(["make", "-n", *words.split()], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    printed = [line.rstrip() for line in done.stdout.splitlines() if not line.startswith("make: ")]
    assert printed == [line.rstrip() for command in commands for line in command.split("\n")]


def test_what_is_not_known_stays_unknown() -> None:
    assert (
        recipes("a:\n\techo $(shell date) $(wildcard *) $(X:.c=.o) x\n")[0].text
        == "echo " + UNKNOWN + " " + UNKNOWN + " " + UNKNOWN + " x"
    )
    assert recipes("N ?= 8\na:\n\techo $(N)\n", N=UNKNOWN)[0].text == "echo " + UNKNOWN
    assert recipes("a:\n\techo $(N)\n", N=UNKNOWN)[0].text == "echo " + UNKNOWN


def test_make_may_start_another_make() -> None:
    assert recipes("a:\n\t$(MAKE) -C sub b\n")[0].text == "make -C sub b"


@pytest.mark.parametrize(
    "text",
    [
        "define X\n1\nendef\na:\n\techo 1\n",
        "ifeq ($(shell uname),Linux)\nX = 1\nendif\na:\n\techo 1\n",
        "ifdef N\nX = 1\nelse ifdef M\nX = 2\nendif\na:\n\techo 1\n",
        "include $(shell ls)\na:\n\techo 1\n",
        "include nowhere.mk\na:\n\techo 1\n",
        "a:\n\techo 1\na:\n\techo 2\n",
        "SHELL = python\na:\n\tprint(1)\n",
        "%: X = 1\na:\n\techo $(X)\n",
        "A = $(A) 1\na:\n\techo $(A)\n",
        "$(eval a: b)\n",
        "A := aaaaaaaaaa\n" + "A := $(A)$(A)\n" * 60 + "a:\n\techo $(A)\n",
        "".join(f"A{i} = $(A{i + 1})$(A{i + 1})\n" for i in range(60)) + "a:\n\techo $(A0)\n",
        f"A = {'a' * 6000}\na:\n\techo 1\n",
        "a:\n\techo $(X\n",
        "b:\n",
        "",
    ],
)
def test_a_file_that_is_not_plain_is_not_followed(text: str) -> None:
    with pytest.raises((NotFollowed, RecursionError)):
        recipes(text, "a")


def test_a_target_that_is_a_file_may_be_up_to_date() -> None:
    uncertain = recipes("there: b\n\techo 1\nb:\n\techo 2\n", "there")
    assert [(recipe.text, recipe.why_uncertain) for recipe in uncertain] == [
        ("echo 2", "there may be up to date"),
        ("echo 1", "there may be up to date"),
    ]
    assert recipes(".PHONY: there\nthere:\n\techo 1\n")[0].why_uncertain == ""


def test_recipes_have_exported_variables_and_new_values_of_inherited_ones() -> None:
    text = "A = 1\nexport B = 2\nFROM_OUTSIDE = 3\nexport C\nC = 4\nMAYBE = 5\na:\n\techo 1\n"
    assert dict(recipes(text, "G=6", MAYBE=UNKNOWN)[0].variables) == {
        "B": "2", "FROM_OUTSIDE": "3", "C": "4", "MAYBE": None, "G": "6"
    }  # fmt: skip
    assert dict(recipes("export\nA = 1\na:\n\techo 1\n")[0].variables) == {"A": "1"}
    assert dict(recipes("export A = 1\nunexport A\na:\n\techo 1\n")[0].variables) == {}


def test_the_lines_are_those_of_the_file_and_one_shell_gets_all() -> None:
    text = "A = 1 \\\n 2\na:\n\techo 1\n\techo 2\n"
    assert [recipe.line for recipe in recipes(text)] == [4, 5]
    assert [recipe.text for recipe in recipes(f".ONESHELL:\n{text}")] == ["echo 1\necho 2"]
