"""Whether the script continues from a checkpoint, by what ``train()`` of its trainer gets."""

from __future__ import annotations

import pytest

from vcompat.sources.reading.scripts.script import read_source

HEAD = """
from transformers.trainer_utils import get_last_checkpoint
from trl import GRPOConfig, GRPOTrainer
args = GRPOConfig("out", resume_from_checkpoint="out/checkpoint-10")
trainer = GRPOTrainer("a/b", print, args)
"""
FACT = "plan.resumes_checkpoint"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("trainer.train()", False),
        ("trainer.train(None)", False),
        ("trainer.train(resume_from_checkpoint=False)", False),
        ("trainer.train(True)", True),
        ("trainer.train(resume_from_checkpoint='out/checkpoint-10')", True),
        ("trainer.train(resume_from_checkpoint=args.resume_from_checkpoint)", True),
    ],
)
def test_a_script_resumes_if_train_gets_a_checkpoint(call: str, expected: bool) -> None:
    known = read_source("x.py", f"{HEAD}{call}\n".encode()).facts.get(FACT)
    assert known is not None
    assert known.value is expected


@pytest.mark.parametrize(
    "call",
    [
        "trainer.train(resume_from_checkpoint=get_last_checkpoint('out'))",
        "trainer.train(**more)",
        "if more:\n    trainer.train()\nelse:\n    trainer.train(True)",
    ],
)
def test_what_is_computed_leaves_it_open(call: str) -> None:
    facts = read_source("x.py", f"{HEAD}{call}\n".encode()).facts
    assert facts.get(FACT) is None
    assert facts.is_open(FACT)


def test_a_trainer_that_is_not_seen_to_train_states_nothing() -> None:
    assert read_source("x.py", HEAD.encode()).facts.get(FACT) is None
