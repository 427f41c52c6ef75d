"""The indexes that vcompat is installed with: they are complete, they can be read, and they answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.foundation.shipped import evidence_folder
from vcompat.index.names import Names
from vcompat.index.packages import IMPORTED
from vcompat.index.store import open_index
from vcompat.rules.record import load_record
from vcompat.upstream.names.name_record import stale

#: The size in bytes of all of them: they are in each installation.
LARGEST = 8_000_000


def test_every_index_is_of_the_recorded_releases_and_built_by_this_code() -> None:
    assert stale({package: load_record(package, with_rows=False) for package in IMPORTED}) == []


def test_all_indexes_are_small() -> None:
    files = list(Path(evidence_folder(), "index").iterdir())
    assert sorted(path.name for path in files) == sorted(f"{package}.zip" for package in IMPORTED)
    assert sum(path.stat().st_size for path in files) < LARGEST


@pytest.mark.parametrize(
    ("package", "module", "name", "argument"),
    [
        ("accelerate", "accelerate", "Accelerator.prepare", "device_placement"),
        ("deepspeed", "deepspeed", "initialize", "config"),
        ("diffusers", "diffusers.schedulers.scheduling_ddim", "DDIMScheduler", "num_train_timesteps"),
        ("ms-swift", "swift.utils", "get_logger", "log_level"),
        ("peft", "peft", "get_peft_model", "adapter_name"),
        ("torch", "torch.distributed.fsdp", "FullyShardedDataParallel", "sharding_strategy"),
        ("transformers", "transformers", "Trainer", "compute_metrics"),
        ("trl", "trl", "GRPOTrainer", "reward_funcs"),
        ("unsloth", "unsloth.models.loader", "FastLanguageModel.from_pretrained", "max_seq_length"),
        ("unsloth-zoo", "unsloth_zoo.utils", "Version", "version"),
        ("verl", "verl.protocol", "DataProto.from_dict", "tensors"),
        ("vllm", "vllm", "LLM.generate", "sampling_params"),
    ],
)
def test_what_the_newest_release_has_is_found(package: str, module: str, name: str, argument: str) -> None:
    index = open_index(package)
    assert index is not None
    newest = index.only(index.releases[-1])
    names = Names(index)
    assert names.name(module, name.partition(".")[0]).has & newest
    assert names.takes(module, name, argument).has & newest
    assert not names.takes(module, name, "no_such_argument").has
    assert not names.name(module, "no_such_name").has


def test_every_chunk_can_be_read() -> None:
    for package in IMPORTED:
        index = open_index(package)
        assert index is not None
        modules = [module for chunk in index.chunks for module in index.modules_in(chunk)]
        assert modules == sorted(modules)
        for chunk in index.chunks:
            known = index.module(chunk)
            assert known is not None
            assert known.mask
            assert all(scope.releases for scope in index.scopes(chunk).values())
