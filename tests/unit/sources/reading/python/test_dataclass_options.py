"""Parsers that fill dataclasses: HfArgumentParser, TrlParser and H4ArgumentParser, with all that they record."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tables import Case, parametrized
from tests.unit.sources.reading.python.outcome_for_tests import Session
from vcompat.facts.facts import Place
from vcompat.sources.reading.python.values.core import Start

IMPORTS = """
import os, yaml
from dataclasses import dataclass, field
from typing import ClassVar, List, Optional, Union
from transformers import HfArgumentParser
from trl import GRPOConfig, ModelConfig, TrlParser
from elsewhere import OtherConfig
@dataclass
class Own:
    n: int = 1
    on: bool = True
"""
FILES = {
    "a.yaml": "n: 2\nbeta: 0.1\nenv:\n  A: 1\n  2: b\n",
    "b.json": '{"n": 3}',
    "c.yml": "on: false\n",
    "d.yaml": "reward_weights: [1, 2]\nstrange: null\nodd: x\nenv: {}\n",
}


@pytest.fixture
def session(tmp_path: Path) -> Session:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return Session(tmp_path, IMPORTS)


@parametrized(__file__, "dataclass_options.txt")
def test_what_is_known_after_a_script(session: Session, case: Case) -> None:
    case.check(session.checked(case.text))


def test_a_file_that_the_launch_script_changes_is_not_known(session: Session) -> None:
    files = {"a.yaml": None, "b.json": '{"n": 7}'}
    session.start = Start((), files=files)
    assert session.filled(REWRITTEN) == REWRITTEN


REWRITTEN = r"""
$ -i train.py --config a.yaml
>>> TrlParser((Own,)).parse_args_and_config()
(class Own@1:1(n=<a.yaml is changed before: 1>@10:14, on=<a.yaml is changed before: True>@11:16, ..<a.yaml is changed before>))

$ -i train.py --config b.json
>>> TrlParser((Own,)).parse_args_and_config()
(class Own@1:1(n=7@b.json:1:2, on=True@11:16))
"""


def test_a_file_of_settings_that_is_handed_over_is_read(session: Session) -> None:
    session.start = Start(None, Place("run.sh", 3), settings=str(session.folder / "a.yaml"))
    assert session.filled(HANDED_OVER) == HANDED_OVER


HANDED_OVER = r"""
>>> [TrlParser((Own,)).parse_args_and_config(), HfArgumentParser((Own,)).parse_args_into_dataclasses()]
[(class Own@1:2(n=2@a.yaml:1:1, on=True@11:16))@1:2, (class Own@1:45(n=<read from the command line, which is not known: 1>@10:14, on=<read from the command line, which is not known: True>@11:16, ..<read from the command line, which is not known>))@1:45]
environ A = '1'@a.yaml:4:3
environ 2 = 'b'@a.yaml:5:3
file a.yaml@a.yaml() now 'settings'

>>> HfArgumentParser((Own,)).parse_args_and_config()
(class Own@1:1(n=2@a.yaml:1:1, on=True@11:16))
file a.yaml@a.yaml() now 'settings'

>>> [HfArgumentParser((Own,)).parse_yaml_file(u())]
[(class Own@1:2(n=2@a.yaml:1:1, on=True@11:16))@1:2]
file a.yaml@a.yaml() now 'settings'

$ -i train.py --config {?}
>>> TrlParser((Own,)).parse_args_and_config()
(class Own@1:1(n=2@a.yaml:1:1, on=True@11:16))
environ A = '1'@a.yaml:4:3
environ 2 = 'b'@a.yaml:5:3
file a.yaml@a.yaml() now 'settings'
"""


def test_a_command_without_a_position_gives_options_without_a_place(session: Session) -> None:
    session.start = Start(("--n", "3", "--on", "no"))
    assert session.outcome("HfArgumentParser(Own).parse_args()") == ["(class Own@1:1(n=3 (--n), on=False (--on)))"]


def test_a_subcommand_of_trl_gets_options_of_accelerate_too(session: Session) -> None:
    session.start = Start(("--beta", "1"), Place("run.sh", 3), is_command=True)
    assert session.filled(COMMAND) == COMMAND


COMMAND = r"""
>>> TrlParser((GRPOConfig, Own)).parse_args_and_config()
(trl.GRPOConfig@1:1(beta=1 (--beta in run.sh:3)@run.sh:3), class Own@1:1(n=1@10:14, on=True@11:16))
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(beta=1 (--beta in run.sh:3)@run.sh:3))
stated trl.GRPOConfig accelerate.launch@run.sh:3: option beta=1@run.sh:3 own accelerate_config n on is_complete is_command abbreviates
"""


@pytest.mark.parametrize("words", ["yes true t y 1 Yes TRUE", "no false f n 0 No FALSE"])
def test_a_flag_is_any_of_ten_words(session: Session, words: str) -> None:
    for word in words.split():
        lines = session.outcome("HfArgumentParser(Own).parse_args()[0].on", f"train.py --on {word}")
        assert lines[0].startswith(str("yes" in words))


@pytest.mark.parametrize(
    ("library", "are_known"), [("transformers", True), ("peft", True), ("trl", True), ("elsewhere", False)]
)
def test_defaults_are_known_of_classes_whose_fields_trl_transformers_and_peft_define(
    library: str, are_known: bool, tmp_path: Path
) -> None:
    run = Session(tmp_path, f"{IMPORTS}from {library} import SomeArguments\n")
    filled = run.filled("$ train.py --beta 0.1\n>>> HfArgumentParser(SomeArguments).parse_args_into_dataclasses()\n")
    assert f"{library}.SomeArguments@1:1(beta=0.1" in filled
    assert ("its defaults are not known" not in filled) == are_known
