"""The order of synchronization and generation in a colocated run with an adapter, two processes.

`VLLMGeneration.sync_weights` and `generate` are real, as are torch's collectives. Rank 1 is held up while it merges its
adapter. The model and the engine are stand-ins that record when they are called.
"""

from __future__ import annotations

import contextlib
import datetime
import multiprocessing
import socket
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.upstream.releases import release
from tests.upstream.test_trl_fresh_weights_after_sleep import GENERATION, NAMES, TRAINING
from tests.upstream.upstream_code import load

RANKS = 2
#: How long rank 1 waits in vain, while it merges, for rank 0 to generate.
PATIENCE = datetime.timedelta(seconds=3)


class Record:
    """The order of events in all processes."""

    def __init__(self, store: Any) -> None:
        self.store = store

    def add(self, event: str) -> None:
        self.store.set(f"event {self.store.add('number', 1)}", event)
        self.store.set(event, "")

    def events(self) -> list[str]:
        return [self.store.get(f"event {number}").decode() for number in range(1, self.store.add("number", 0) + 1)]


class Adapted(torch.nn.Linear):
    prefix = "lora_"

    def __init__(self, rank: int, record: Record) -> None:
        super().__init__(1, 1)
        self.rank, self.record = rank, record

    def merge_adapter(self) -> None:
        if self.rank == 1:
            with contextlib.suppress(torch.distributed.DistStoreError):
                self.record.store.wait(["rank 0 generates"], PATIENCE)

    def unmerge_adapter(self) -> None:
        self.record.add(f"rank {self.rank} synchronized")


def engine(rank: int, record: Record) -> Any:
    def generate(prompts: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
        record.add(f"rank {rank} generates")
        return [SimpleNamespace(prompt_token_ids=[1], outputs=[SimpleNamespace(token_ids=[1])]) for _ in prompts]

    model = SimpleNamespace(load_weights=lambda named: None)
    runner = SimpleNamespace(model_runner=SimpleNamespace(model=model))
    llm_engine = SimpleNamespace(model_executor=SimpleNamespace(driver_worker=runner))
    return SimpleNamespace(
        generate=generate,
        reset_prefix_cache=lambda: None,
        llm_engine=llm_engine,
        apply_model=lambda function: [function(model)],
    )


def run_rank(version: str, rank: int, port: int, result: Any) -> None:
    store = torch.distributed.TCPStore("127.0.0.1", port, RANKS, rank == 0)
    torch.distributed.init_process_group(
        "gloo", store=torch.distributed.PrefixStore("group", store), rank=rank, world_size=RANKS
    )
    group, _ = torch.distributed.new_subgroups_by_enumeration([[0, 1]])
    methods = ("VLLMGeneration.generate", "VLLMGeneration.sync_weights", "VLLMGeneration._push_param_to_vllm")
    module = load(release("trl", version), GENERATION, methods, {**NAMES, "is_peft_model": lambda model: True})
    generation, record = module.VLLMGeneration(), Record(store)
    vars(generation).update(TRAINING, mode="colocate", enable_sleep_mode=False, tensor_parallel_size=2, tp_group=group)
    vars(generation).update(model=Adapted(rank, record), llm=engine(rank, record))
    state = SimpleNamespace(deepspeed_plugin=None)
    places = {"is_main_process": rank == 0, "process_index": rank, "local_process_index": rank}
    generation.accelerator = SimpleNamespace(state=state, **places)
    generation._dist = SimpleNamespace(is_fsdp=False, gather_params=lambda parameters: contextlib.nullcontext())
    generation._fix_param_name_to_vllm = lambda name, **kwargs: name
    generation.sync_weights()
    generation.generate([[1]], None, 1)
    torch.distributed.barrier()
    if rank == 0:
        result.put(record.events())
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


def events_of(version: str) -> list[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    spawn = multiprocessing.get_context("spawn")
    result = spawn.Queue()
    ranks = [spawn.Process(target=run_rank, args=(version, rank, port, result)) for rank in range(RANKS)]
    for process in ranks:
        process.start()
    events: list[str] = result.get(timeout=300)
    for process in ranks:
        process.join(60)
    return events


@pytest.mark.parametrize(
    "version", [pytest.param("0.29.1", marks=pytest.mark.slow), pytest.param("1.0.0", marks=pytest.mark.slow), "1.7.0"]
)
def test_no_rank_generates_before_the_ranks_of_its_group_have_synchronized(version: str) -> None:
    events = events_of(version)
    assert sorted(events[:2]) == ["rank 0 synchronized", "rank 1 synchronized"]
    assert sorted(events[2:]) == ["rank 0 generates", "rank 1 generates"]
