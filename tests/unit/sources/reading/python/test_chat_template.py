from __future__ import annotations

import pytest

from vcompat.facts.facts import Facts
from vcompat.sources.reading.python.chat_template import FACT, chat_templates


def stated(*sources: str) -> Facts:
    facts = Facts()
    chat_templates(facts, {f"module{index}.py": source.encode() for index, source in enumerate(sources)})
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


def test_a_module_that_cannot_be_parsed_leaves_it_open() -> None:
    assert stated("x.apply_chat_template(").get(FACT) is None
