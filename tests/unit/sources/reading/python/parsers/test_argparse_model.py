"""Parsers that scripts build with argparse: each attribute with its value, the place that sets it, and why it is unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tables import Case, parametrized
from tests.unit.sources.reading.python.outcome_for_tests import Session
from vcompat.sources.reading.python.values.core import Start

IMPORTS = """
import argparse, json, os, sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
p = argparse.ArgumentParser()
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path, IMPORTS)


@parametrized(__file__, "argparse_model.txt")
def test_what_is_known_after_a_script(session: Session, case: Case) -> None:
    case.check(session.checked(case.text))


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("--g c", "p.add_argument('--g', choices=['a', 'b'])"),
        ("-v", "p.add_argument('-v', '--version', action='version', version='1')"),
        ("", "p.add_argument()"),
    ],
)
def test_what_argparse_refuses_leaves_all_unknown(session: Session, words: str, code: str) -> None:
    (line, *_) = session.outcome(f"{code}\np.parse_known_args()[0]", f"train.py {words}")
    assert line.startswith("argparse.Namespace@2:1(..<the command line does not fit its parser: ")
    assert len(line) <= len("argparse.Namespace@2:1(..<>)") + 100


@pytest.mark.parametrize("end", ["p.error('no')", "p.exit()", "p.exit(1, 'no')"])
def test_a_parser_can_end_the_script(session: Session, end: str) -> None:
    assert session.outcome(f"k = 1\n{end}\nk = 2") == ["k = 1@1:5", "ends: exit"]


def test_a_command_without_a_position_leaves_the_place_of_the_option(session: Session) -> None:
    session.start = Start(("--a", "2"))
    assert session.filled(PLACELESS) == PLACELESS


PLACELESS = r"""
>>> p.add_argument("--a", default=1)
>>> p.add_argument("--b", default=1)
>>> p.parse_args()
argparse.Namespace@3:1(a='2' (--a)@1:1, b=1 (default of --b)@2:1)
"""
