from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.sources.reading.python.outcome_for_tests import Session
from vcompat.facts.facts import Facts
from vcompat.sources.reading.columns import Columns
from vcompat.sources.reading.python.chat_template import FACT, chat_templates
from vcompat.sources.reading.python.values.core import Start


def stated(folder: Path, script: str, *module: str, **started: Any) -> Facts:
    for text in module:
        (folder / "helper.py").write_text(text)
    session, facts = Session(folder), Facts()
    session.start = Start(**started)
    chat_templates(facts, session.executed(script))
    return facts


@pytest.mark.parametrize(
    ("call", "takes_ids"),
    [
        ("tokenizer.apply_chat_template(messages)", True),
        ("tokenizer.apply_chat_template(messages, tokenize=True, add_generation_prompt=True)", True),
        ("tokenizer.apply_chat_template(messages, tokenize=False)", None),
        ("tokenizer.apply_chat_template(messages, tokenize=flag)", None),
        ("tokenizer.apply_chat_template(messages, return_dict=False)", None),
        ("tokenizer.apply_chat_template(messages, **options)", None),
        ("tokenizer.apply_chat_template(*arguments)", None),
        ("apply_chat_template(example, tokenizer)", None),
        ("'tokenizer.apply_chat_template(messages)'", None),
    ],
)
def test_a_call_that_leaves_open_how_ids_are_returned_is_stated(
    call: str, takes_ids: bool | None, tmp_path: Path
) -> None:
    script = f"def length(messages):\n    return len({call})\nlength([])\n"
    assert stated(tmp_path, script).value(FACT) is takes_ids


def test_the_call_can_be_in_a_module_that_the_script_imports(tmp_path: Path) -> None:
    facts = stated(tmp_path, "import helper\n", "ids = (\n    tokenizer.apply_chat_template(m)\n)\n")
    known = facts.get(FACT)
    assert known is not None and known.value is True and str(known.place).endswith("helper.py:2:1")


COUNT = "def count(x):\n    return len(t.apply_chat_template(x))\n"


@pytest.mark.parametrize(
    ("script", "runs"),
    [
        (f"{COUNT}count([])\n", "certainly"),
        (f"{COUNT}class Other:\n    def m(self):\n        count([])\n", "no"),
        (f"{COUNT}", "no"),
        (f"{COUNT}data.map(count)\n", "perhaps"),
        (f"{COUNT}data.map(lambda x: count(x))\n", "perhaps"),
        (f"{COUNT}def helper(x):\n    return count(x)\ntrain(rewards=[helper])\n", "perhaps"),
        (f"{COUNT}def load(kind):\n    if kind == 'a':\n        return count([])\nload('b')\n", "no"),
        (f"{COUNT}def load(kind):\n    if kind == 'a':\n        return count([])\nload('a')\n", "certainly"),
        (f"{COUNT}def load(kind):\n    if kind == 'a':\n        return count([])\nload(other())\n", "perhaps"),
        ("def load():\n    def count(x):\n        return t.apply_chat_template(x)\n    return data.map(count)\nload()\n", "perhaps"),
        ("def load():\n    def count(x):\n        return t.apply_chat_template(x)\n    return data\nload()\n", "no"),
        ("class Data:\n    def __getitem__(self, i):\n        return t.apply_chat_template(i)\nrun(Data())\n", "perhaps"),
        ("class Data:\n    def __getitem__(self, i):\n        return t.apply_chat_template(i)\n", "no"),
        ("if False:\n    t.apply_chat_template(x)\n", "no"),
        ("import helper\nhelper.load('b')\n", "no"),
        ("import helper\nhelper.load('a')\n", "certainly"),
        ("from helper import load, count\ndata.map(count)\n", "perhaps"),
    ],
)  # fmt: skip
def test_only_a_call_that_is_reached_counts(script: str, runs: str, tmp_path: Path) -> None:
    helper = f"{COUNT}def load(kind):\n    return count([]) if kind == 'a' else None\n"
    for presuming in (False, True):
        facts = stated(
            tmp_path,
            f"from elsewhere import data, other, run, t, train\n{script}",
            helper,
            presuming=presuming,
        )
        known = facts.get(FACT)
        assert (known is not None and not known.presumes) is (runs == "certainly")
        assert (known is not None and bool(known.presumes)) is (runs == "perhaps" and presuming)
        assert facts.is_open(FACT) is (runs == "perhaps" and not presuming)


def test_the_place_of_a_call_in_a_notebook_is_that_in_its_file(tmp_path: Path) -> None:
    known = stated(tmp_path, "\nids = tokenizer.apply_chat_template(m)\n", lines=(12, 31)).get(FACT)
    assert known is not None and known.place is not None and known.place.line == 31


def test_a_module_that_cannot_be_parsed_leaves_it_open(tmp_path: Path) -> None:
    session, facts = Session(tmp_path), Facts()
    run = session.executed("1\n")
    run.sources["helper.py"] = Columns(b"x.apply_chat_template(")
    chat_templates(facts, run)
    assert facts.get(FACT) is None and facts.is_open(FACT)
