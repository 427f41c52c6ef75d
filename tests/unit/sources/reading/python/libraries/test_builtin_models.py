"""Builtin functions: what the abstract execution returns for values that are known, and what it leaves unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tables import Case, parametrized
from tests.unit.sources.reading.python.outcome_for_tests import Session

IMPORTS = """
import collections, os, pathlib, sys
from argparse import Namespace
from dataclasses import dataclass
from types import SimpleNamespace
from trl import GRPOConfig
from elsewhere import Other
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path, IMPORTS)


@parametrized(__file__, "builtin_models.txt")
def test_what_is_known_after_a_script(session: Session, case: Case) -> None:
    case.check(session.checked(case.text))


@pytest.mark.parametrize("end", ["exit()", "quit()", "sys.exit(1)", "os._exit(1)", "os.abort()"])
def test_nothing_runs_after_the_end_of_the_program(session: Session, end: str) -> None:
    assert session.outcome(f"k = 1\n{end}\nk = 2") == ["k = 1@1:5", "ends: exit"]
