"""Runs of EasyR1."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.frameworks.launched import OPEN, known, launched, likely

FILE = """\
worker:
  actor: {model: {model_path: org/m-7B}}
  rollout: {n: 5, tensor_parallel_size: 2, gpu_memory_utilization: 0.6, dtype: bf16, enable_chunked_prefill: false}
trainer: {nnodes: 1, n_gpus_per_node: 8}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(words: str) -> list[object]:
    facts = launched(f"python3 -m verl.trainer.main config=a.yaml {words}", a=FILE)
    return known(facts, "model num_generations tensor_parallel_size world_size")


def test_the_file_and_the_words_state_the_engine() -> None:
    facts = launched("python3 -m verl.trainer.main config=a.yaml worker.rollout.n=8", a=FILE)
    assert known(facts, "framework model use_vllm num_generations") == ["verl", "org/m-7B", True, 8]
    assert known(facts, "tensor_parallel_size gpu_memory_utilization engine_dtype enable_chunked_prefill") == [
        2,
        0.6,
        "bfloat16",
        False,
    ]
    assert known(facts, "launcher world_size") == ["ray", 8]


def test_words_that_are_not_known_may_replace_what_the_file_states() -> None:
    assert run("worker.rollout.n=$N") == [OPEN, OPEN, OPEN, OPEN]
    assert run('worker.rollout.n="$N"') == ["org/m-7B", OPEN, 2, 8]
    assert run("worker.rollout='{n: 3}'") == ["org/m-7B", OPEN, OPEN, 8]


def test_a_variable_without_quotes_is_presumably_one_word() -> None:
    facts = launched("python3 -m verl.trainer.main config=a.yaml worker.rollout.n=$N", a=FILE)
    assert likely(facts, "model") == "org/m-7B"
    assert likely(facts, "num_generations") == OPEN


def test_the_type_of_the_engine_is_likely_where_it_is_not_stated() -> None:
    facts = launched("python3 -m verl.trainer.main worker.rollout.n=8")
    assert known(facts, "engine_dtype") == [OPEN]
    assert likely(facts, "engine_dtype") == "bfloat16"
