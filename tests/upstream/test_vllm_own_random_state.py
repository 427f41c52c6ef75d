"""Ranks of one tensor-parallel group sample the same tokens although training consumes their random states unequally.

`LLM._run_engine` and the sampling of vLLM, `random_sample`, are real. The engine is a stand-in for the GPUs of the group:
each step samples one token from fixed probabilities.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy
import pytest
import torch

from tests.upstream.releases import release
from tests.upstream.upstream_code import load
from vcompat.patches.of_vllm.vllm_own_random_state import PATCH

#: A release of each variant of `_run_engine`, with its module and class.
VARIANTS = {
    "0.7.0": ("vllm.entrypoints.llm", "LLM"),
    "0.8.5": ("vllm.entrypoints.llm", "LLM"),
    "0.9.1": ("vllm.entrypoints.llm", "LLM"),
    "0.10.2": ("vllm.entrypoints.llm", "LLM"),
    "0.12.0": ("vllm.entrypoints.llm", "LLM"),
    "0.17.1": ("vllm.entrypoints.llm", "LLM"),
    "0.22.0": ("vllm.entrypoints.offline_utils", "OfflineInferenceMixin"),
    "0.33.0": ("vllm.entrypoints.common.offline", "OfflineInferenceMixin"),
}
SEED, LENGTH = 3, 16
PROBABILITIES = torch.full((4, 256), 1 / 256)


class Engine:
    """The interface of vLLM's `LLMEngine` that `_run_engine` uses, for one prompt of `LENGTH` tokens."""

    def __init__(self, sample: Callable[..., torch.Tensor], ranks: int, backend: str) -> None:
        parallel = SimpleNamespace(distributed_executor_backend=backend, world_size=ranks)
        self.vllm_config = SimpleNamespace(parallel_config=parallel, model_config=SimpleNamespace(seed=SEED))
        self.sample, self.tokens = sample, list[list[int]]()
        # As vLLM's worker does after it has loaded the model.
        random.seed(SEED)
        numpy.random.seed(SEED)
        torch.manual_seed(SEED)

    def has_unfinished_requests(self) -> bool:
        return len(self.tokens) < LENGTH

    def step(self) -> list[Any]:
        self.tokens.append(self.sample(PROBABILITIES.clone(), {}).tolist())
        return []


Rank = Callable[..., list[list[list[int]]]]


@pytest.fixture
def rank_of(upstream_module: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    platforms = ModuleType("vllm.platforms")
    platforms.current_platform = SimpleNamespace(device_type="cpu")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "vllm.platforms", platforms)

    def make(version: str) -> Rank:
        module, name = VARIANTS[version]
        names = {"tqdm": None, "Callable": Callable}
        class_ = vars(upstream_module("vllm", version, module, (f"{name}._run_engine",), names))[name]
        sample = sampling_of(version, monkeypatch)

        def generations(dropped: int, ranks: int = 2, backend: str = "external_launcher") -> list[list[list[int]]]:
            """Generate three times; between generations, training drops `dropped` elements out."""
            llm = class_()
            llm.llm_engine, llm.output_type = Engine(sample, ranks, backend), None
            done = []
            for _ in range(3):
                llm.llm_engine.tokens = []
                arguments = (object,) if version in ("0.17.1", "0.22.0", "0.33.0") else ()
                llm._run_engine(*arguments, use_tqdm=False)
                done.append(llm.llm_engine.tokens)
                torch.nn.functional.dropout(torch.ones(dropped), 0.05)
                numpy.random.random(dropped)
            return done

        return generations

    before = random.getstate(), numpy.random.get_state(), torch.get_rng_state()
    yield make
    random.setstate(before[0])
    numpy.random.set_state(before[1])
    torch.set_rng_state(before[2])


def sampling_of(version: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., torch.Tensor]:
    """vLLM's own sampling from probabilities."""
    name = "vllm.v1.sample.ops.topk_topp_sampler"
    tree = release("vllm", version)
    source = tree.joinpath(*name.split(".")).with_suffix(".py").read_text()
    parts = ["random_sample", "empty_exponential_noise_like", "sample_with_exponential_noise"]
    objects = tuple(part for part in parts if f"def {part}(" in source)
    module = load(tree, name, objects, {"torch": torch, "async_tensor_h2d": None})
    monkeypatch.delitem(sys.modules, name)
    sample: Callable[..., torch.Tensor] = vars(module)["random_sample"]
    return sample


@pytest.mark.parametrize("version", VARIANTS)
def test_ranks_sample_the_same_tokens_after_training_only_with_the_patch(
    version: str, rank_of: Any, engine_of: Any
) -> None:
    rank = rank_of(version)
    first, second = rank(dropped=1000), rank(dropped=2000)
    assert first[0] == second[0]
    assert first[1] != second[1]
    engine = engine_of(PATCH)
    assert engine.patch(None, (), strict=True)[PATCH.id].status == "applied"
    first, second = rank(dropped=1000), rank(dropped=2000)
    assert first == second
    assert first[0] != first[1] != first[2], "each generation samples anew"
    engine.unpatch()
    assert rank(dropped=1000)[1] != rank(dropped=2000)[1]


def test_training_keeps_its_random_states(rank_of: Any, outcome: Any) -> None:
    rank = rank_of("0.33.0")
    assert outcome(PATCH) == "applied"
    rank(dropped=10)
    # What training consumes alone, three times.
    after = torch.get_rng_state(), numpy.random.get_state()[1].tolist(), random.getstate()
    torch.manual_seed(SEED)
    numpy.random.seed(SEED)
    random.seed(SEED)
    for _ in range(3):
        torch.nn.functional.dropout(torch.ones(10), 0.05)
        numpy.random.random(10)
    assert torch.equal(after[0], torch.get_rng_state())
    assert after[1:] == (numpy.random.get_state()[1].tolist(), random.getstate())


@pytest.mark.parametrize(("ranks", "backend"), [(1, "external_launcher"), (2, "mp")])
def test_other_engines_keep_sampling_with_the_state_of_the_process(
    ranks: int, backend: str, rank_of: Any, engine_of: Any
) -> None:
    rank = rank_of("0.33.0")
    without = rank(dropped=1000, ranks=ranks, backend=backend)
    engine_of(PATCH).patch(None, (), strict=True)
    assert rank(dropped=1000, ranks=ranks, backend=backend) == without
