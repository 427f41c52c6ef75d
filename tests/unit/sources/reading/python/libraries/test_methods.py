"""Methods of dictionaries, lists, texts, paths, classes and instances."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tables import Case, parametrized
from tests.unit.sources.reading.python.outcome_for_tests import Session

IMPORTS = """
import argparse, functools, os
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from trl import GRPOConfig, GRPOTrainer
from elsewhere import Other, OtherConfig
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path, IMPORTS)


@parametrized(__file__, "methods.txt")
def test_what_is_known_after_a_script(session: Session, case: Case) -> None:
    case.check(session.checked(case.text))


def test_methods_of_paths_keep_the_file_that_they_name(session: Session) -> None:
    (session.folder / "a.txt").write_text("text")
    assert session.filled(PATHS) == PATHS


PATHS = r"""
>>> p = Path("a.txt")
>>> [p.read_text(), p.open(), p.open("w"), p.read_bytes(), Path("b.txt").read_text()]
['text'@2:2, io.TextIOWrapper@2:17(path='a.txt')@2:17, io.TextIOWrapper@2:27(path=<computed at run time>)@2:27, <computed at run time>@2:40, <computed at run time>@2:56]
p = 'a.txt'@1:5
writes a.txt

>>> p = Path("a.txt")
>>> p.write_text("b")
>>> p.read_text()
<computed at run time>
p = 'a.txt'@1:5
writes a.txt

>>> [Path("b.txt").unlink(), Path("./c.txt").write_bytes(b"c"), Path("d.txt").exists(), (1).unlink()]
[<computed at run time>@1:2, <computed at run time>@1:26, <computed at run time>@1:61, <computed at run time>@1:85]
writes 1
writes b.txt
writes c.txt

>>> p = Path("a")
>>> [p.joinpath("b", "c"), p.joinpath(), p.__truediv__("b"), p / "b"]
['a/b/c'@2:2, 'a'@2:24, 'a/b'@2:38, 'a/b'@2:58]
p = 'a'@1:5

>>> p = Path("a")
>>> [p.resolve(), p.absolute(), p.expanduser(), p.as_posix(), p.with_suffix(".x"), p.with_name("b")]
['a'@2:2, 'a'@2:15, 'a'@2:29, 'a'@2:45, <computed at run time>@2:59, <computed at run time>@2:80]
p = 'a'@1:5

>>> p = Path("a")
>>> [p.exists(), p.is_file(), p.is_dir(), p.glob("*"), p.mkdir(), p.write_text("b"), p.unlink()]
[<computed at run time>@2:2, <computed at run time>@2:14, <computed at run time>@2:27, <computed at run time>@2:39, <computed at run time>@2:52, <computed at run time>@2:63, <computed at run time>@2:82]
p = 'a'@1:5
writes a

>>> [(1).read_text(), (1).open(), (1).joinpath("a"), (1).__truediv__(2), (1).resolve(), (1).as_posix()]
[<computed at run time>@1:2, <computed at run time>@1:19, <computed at run time>@1:31, <computed at run time>@1:50, 1@1:70, 1@1:85]
"""
