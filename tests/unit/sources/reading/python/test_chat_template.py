from __future__ import annotations

from collections.abc import Sequence

import pytest

from vcompat.facts.facts import Facts
from vcompat.sources.reading.columns import Columns
from vcompat.sources.reading.python.chat_template import FACT, chat_templates
from vcompat.sources.reading.python.values.abstract_run import Run
from vcompat.sources.reading.python.values.core import Start


def stated(*sources: str, lines: Sequence[int] = ()) -> Facts:
    facts, run = Facts(), Run("module0.py", b"", Start(lines=lines))
    run.sources = {f"module{index}.py": Columns(source.encode()) for index, source in enumerate(sources)}
    chat_templates(facts, run)
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
def test_a_call_that_leaves_open_how_ids_are_returned_is_stated(call: str, takes_ids: bool | None) -> None:
    assert stated(f"def length(messages):\n    return len({call})\n").value(FACT) is takes_ids


def test_the_call_can_be_in_a_module_that_the_script_imports() -> None:
    facts = stated("import helper\n", "ids = (\n    tokenizer.apply_chat_template(m)\n)\n")
    known = facts.get(FACT)
    assert known is not None and known.value is True and str(known.place) == "module1.py:2:1"


def test_the_place_of_a_call_in_a_notebook_is_that_in_its_file() -> None:
    known = stated("\ntokenizer.apply_chat_template(m)\n", lines=(12, 31)).get(FACT)
    assert known is not None and known.place is not None and known.place.line == 31


def test_a_module_that_cannot_be_parsed_leaves_it_open() -> None:
    assert stated("x.apply_chat_template(").get(FACT) is None
