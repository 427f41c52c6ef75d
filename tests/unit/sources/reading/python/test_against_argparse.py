"""Parsers of command lines that scripts build, followed by the abstract execution and really run by argparse."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from vcompat.facts.facts import Place
from vcompat.sources.reading.invocation import Environment
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.scripts.script import read_script
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS

HEAD = "import argparse, sys\nfrom argparse import ArgumentParser\np = argparse.ArgumentParser()\n"
TAIL = """
from trl import GRPOConfig, GRPOTrainer
GRPOTrainer(model="m", args=GRPOConfig(vllm_mode=f"{x!r}"), reward_funcs=len)
"""
MANY = """
p.add_argument("file", nargs="?", default="f.yaml")
p.add_argument("-n", "--number", "--num-of-them", type=int, default=4, help="how many")
p.add_argument("--rate", type=float, default="0.5")
p.add_argument("--flag", action="store_true")
p.add_argument("--no-other", action="store_false", dest="other")
p.add_argument("--const", action="store_const", const=7, default=1)
p.add_argument("-v", action="count", default=0)
p.add_argument("--add", action="append", default=None)
p.add_argument("--many", nargs="+", type=int, default=[1])
p.add_argument("--two", nargs=2)
p.add_argument("--maybe", nargs="?", const="c", default="d")
p.add_argument("--mode", choices=["a", "b"], default="a")
p.add_argument("--both", action=argparse.BooleanOptionalAction, default=None)
a = p.parse_args()
x = [a.file, a.number, a.rate, a.flag, a.other, a.const, a.v, a.add, a.many, a.two, a.maybe, a.mode, a.both]
"""
MANY_WORDS = """

-n 5
-n5 --rate 1e-3
--number=6 --flag
--num-of 7 --no-other
--fl --const -vvv
-v -v g.yaml
--add a --add=b
--many 1 2 3 --two a b
--many 4 -- h.yaml
--maybe
--maybe e --mode b
--both
--no-both --rate=2
g.yaml -n 1 --mode=a
""".split("\n")[1:-1]

#: Code after HEAD, and command lines for it.
PARSERS = [
    (MANY, MANY_WORDS),
    (
        "g = p.add_argument_group('g')\ng.add_argument('--a', default=1, type=int)\n"
        "m = p.add_mutually_exclusive_group()\nm.add_argument('--b', action='store_true')\nm.add_argument('--c', action='store_true')\n"
        "p.set_defaults(a=5, d='x')\na = p.parse_args()\nx = [a.a, a.b, a.c, a.d, vars(a)['a'], getattr(a, 'b'), hasattr(a, 'e')]",
        ["", "--a 3 --b", "--c"],
    ),
    (
        "p.add_argument('--a', default=1, type=int)\na, rest = p.parse_known_args()\nx = [a.a, rest]",
        ["", "--a 2 --other 3", "--a=2 y"],
    ),
    (
        "p.add_argument('--a', type=int, required=True)\np.add_argument('b')\na = p.parse_args(['--a', '3', 'z'])\nx = [a.a, a.b, a.a + 1]",
        ["", "--a 9"],
    ),
    (
        "s = p.add_subparsers(dest='command')\nt = s.add_parser('train')\nt.add_argument('--n', type=int, default=1)\n"
        "e = s.add_parser('eval')\ne.add_argument('--m', default='m')\na = p.parse_args()\nx = [a.command]",
        ["train", "train --n 3", "eval --m q"],
    ),
    (
        "p.add_argument('--a', type=lambda text: int(text) * 2, default=1)\np.add_argument('--b', type=str, default=3)\n"
        "p.add_argument('--c', type=int, default='7')\na = p.parse_args()\nx = [a.a, a.b, a.c]",
        ["", "--a 4 --b 5 --c 6"],
    ),
    (
        "def flag(text):\n    return text.lower() in ('yes', 'true')\np.add_argument('--a', type=flag, default=False)\n"
        "p.add_argument('--the-name', dest='named', default='n')\np.add_argument('--with-dash', default='w')\n"
        "a = p.parse_args()\na.new = 5\nx = [a.a, a.named, a.with_dash, a.new]",
        ["", "--a yes --the-name q --with-dash z", "--a no"],
    ),
    (
        "q = argparse.ArgumentParser(add_help=False)\nq.add_argument('--a', type=int, default=2)\n"
        "p = argparse.ArgumentParser(parents=[q], prefix_chars='-', allow_abbrev=False)\np.add_argument('--abc', default=1)\n"
        "a = p.parse_args()\nx = [a.a, a.abc]",
        ["", "--a 3", "--abc 4"],
    ),
    ("x = [sys.argv[1:], len(sys.argv), sys.argv[-1] == 'z']", ["y z", "--a 1"]),
]
#: Parsers that are not followed.
OPEN = [
    (
        "p.add_argument('--a', default=argparse.SUPPRESS)\np.add_argument('--b', default=1, type=int)\n"
        "a = p.parse_args()\nx = [hasattr(a, 'a'), getattr(a, 'a', 'none')]",
        ["", "--a 1 --b 2"],
    ),
    (
        "p = argparse.ArgumentParser(argument_default=argparse.SUPPRESS)\np.add_argument('--a')\n"
        "a = p.parse_args()\nx = [hasattr(a, 'a'), 'a' in vars(a)]",
        ["", "--a 1"],
    ),
]
CASES = [(text, tuple(words.split())) for text, lines in PARSERS for words in lines]

OPEN_CASES = [(text, tuple(words.split())) for text, lines in OPEN for words in lines]


def really(text: str, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> str:
    with monkeypatch.context() as changed:
        changed.setattr(sys, "argv", ["train.py", *words])
        names: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(HEAD + text, "train.py", "exec"), names)
        return repr(names["x"])


def followed(tmp_path: Path, text: str, words: tuple[str, ...]) -> object:
    path = tmp_path / "train.py"
    path.write_text(HEAD + text + TAIL)
    facts = read_script(str(path), Start(words, Place("run.sh", 1), Environment())).facts
    return facts.value("plan.vllm_mode", "unknown")


@pytest.mark.parametrize(("text", "words"), CASES)
def test_a_command_line_is_parsed_as_argparse_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, words: tuple[str, ...]
) -> None:
    assert followed(tmp_path, text, words) == really(text, words, monkeypatch)


@pytest.mark.parametrize(("text", "words"), [*CASES, *OPEN_CASES])
def test_with_a_word_that_is_not_known_nothing_false_is_stated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, words: tuple[str, ...]
) -> None:
    assert followed(tmp_path, text, words) in ("unknown", really(text, words, monkeypatch))
    for index in range(len(words)):
        for stands_for in (UNKNOWN, UNKNOWN_WORDS):
            hidden = (*words[:index], stands_for, *words[index + 1 :])
            assert followed(tmp_path, text, hidden) in ("unknown", really(text, words, monkeypatch))
