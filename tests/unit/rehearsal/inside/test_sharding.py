from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.e2e.conftest import free_port
from vcompat.rehearsal.inside.sharding import computes_in, is_sharded, local_of, why_not_sharded

RANKS = Path(__file__).with_name("sharded_ranks.py")


def trainer_with(adapter: bool = False, mixed: str = "no", parameters: tuple[Any, ...] = (), **state: Any) -> Any:
    model = SimpleNamespace(parameters=lambda: parameters, peft_config={"default": 1} if adapter else None)
    accelerator = SimpleNamespace(state=SimpleNamespace(**state), mixed_precision=mixed)
    return SimpleNamespace(model=model, accelerator=accelerator, args=SimpleNamespace(bf16=False, fp16=False))


@pytest.mark.parametrize("reshards", [True, False])
def test_what_fsdp2_shards_is_moved_for_each_use_and_comes_back(reshards: bool) -> None:
    launcher = ["-m", "torch.distributed.run", "--nproc_per_node", "2", "--master_port", str(free_port())]
    command = [sys.executable, *launcher, str(RANKS), str(reshards)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[4]), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert 0.3 < found.pop("share") < 0.7
    assert found.pop("shapes") == [[3, 64], [3], [1, 3], [1]]
    assert found == {"differs": True, "again": True, "exact": True, "same": True}


def test_kinds_of_sharding_that_cannot_be_moved_are_named() -> None:
    first, second = SimpleNamespace(fsdp_version=1), SimpleNamespace(fsdp_version=2)
    assert why_not_sharded(trainer_with(fsdp_plugin=first)).startswith("FSDP1")
    assert why_not_sharded(trainer_with(fsdp_plugin=second)) == ""
    assert "adapter" in why_not_sharded(trainer_with(adapter=True, fsdp_plugin=second))
    assert why_not_sharded(trainer_with(adapter=True, deepspeed_plugin=SimpleNamespace(zero_stage=2))) == ""
    assert "adapter" in why_not_sharded(trainer_with(adapter=True, deepspeed_plugin=SimpleNamespace(zero_stage=3)))


def test_weights_that_zero_keeps_on_a_disk_or_quantized_are_not_moved() -> None:
    def reason(part: torch.Tensor, **more: Any) -> str:
        parameter = SimpleNamespace(dtype=torch.float32, ds_tensor=part, **more)
        return why_not_sharded(trainer_with(parameters=(parameter,), deepspeed_plugin=SimpleNamespace(zero_stage=3)))

    away: Any = torch.ones(4)
    away.status = SimpleNamespace(name="NOT_AVAILABLE")
    assert reason(torch.ones(4)) == ""
    assert all([reason(away), reason(torch.ones(4, dtype=torch.int8)), reason(torch.ones(4), ds_secondary_tensor=1)])


def test_the_part_of_a_sharded_parameter_is_moved_in_its_memory() -> None:
    parameter = torch.nn.Parameter(torch.ones(4))
    assert local_of(parameter).data_ptr() == parameter.data_ptr()
    model = SimpleNamespace(parameters=lambda: [parameter])
    assert not is_sharded(model)
    parameter.ds_tensor = torch.zeros(2)  # type: ignore[attr-defined]
    assert local_of(parameter).data_ptr() == parameter.ds_tensor.data_ptr()  # type: ignore[attr-defined]
    assert is_sharded(model)


def test_the_types_of_mixed_precision_are_those_of_arguments_launcher_and_policy() -> None:
    policy = SimpleNamespace(fsdp_version=2, mixed_precision_policy=SimpleNamespace(param_dtype=torch.bfloat16))
    assert computes_in(trainer_with()) == set()
    assert computes_in(trainer_with(mixed="fp16")) == {"float16"}
    assert computes_in(trainer_with(fsdp_plugin=policy)) == {"bfloat16"}
