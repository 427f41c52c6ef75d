"""A model that FSDP2 shards over two ranks on the CPU: is it moved, and moved back, in each gathered copy?

Run by `torch.distributed.run`, see test_sharding.py. Prints what it found as a line of JSON, in the first rank.
"""

from __future__ import annotations

import json
import os
import sys

import torch
from torch.distributed.fsdp import fully_shard

from vcompat.rehearsal.inside.moving import Moved
from vcompat.rehearsal.inside.sharding import shape_of, shard_again


def gathered(model: torch.nn.Module) -> torch.Tensor:
    """All weights as the synchronization gathers them."""
    return torch.cat([one.full_tensor().flatten() for one in model.parameters()])  # type: ignore[operator, attr-defined]


def main() -> None:
    torch.distributed.init_process_group("gloo")
    torch.manual_seed(0)
    # Two ranks cannot share three rows evenly, and the second has none of a single row.
    model = torch.nn.Sequential(torch.nn.Linear(64, 3), torch.nn.Linear(3, 1))
    # With False, what a forward gathered stays gathered.
    fully_shard(model, reshard_after_forward=sys.argv[1] == "True")
    values = torch.ones(2, 64)
    with torch.no_grad():
        weights = gathered(model)
        # FSDP2 may replace the parts in the first forward.
        moved = Moved(dict(model.named_parameters()), seed=1)
        at_first, moved_weights = model(values), gathered_again(model)
        exact = restore(model, moved)
        restored = model(values)
        shard_again(model)
        moved = Moved(dict(model.named_parameters()), seed=1)
        again = model(values)
        exact = restore(model, moved) and exact
        same = torch.equal(gathered_again(model), weights) and torch.equal(model(values), restored)
        shard_again(model)
    found = {
        "share": float((moved_weights != weights).double().mean()),
        "differs": not torch.equal(at_first, restored),
        "again": torch.equal(again, at_first),
        "exact": exact,
        "same": same,
        "shapes": [shape_of(one) for one in model.parameters()],
    }
    if torch.distributed.get_rank() == 0:
        print(json.dumps(found), flush=True)
    torch.distributed.barrier()
    # What gloo's threads still do when Python ends aborts some processes ("terminate called without an active
    # exception"), which is not what is tested.
    os._exit(0)


def gathered_again(model: torch.nn.Module) -> torch.Tensor:
    shard_again(model)
    return gathered(model)


def restore(model: torch.nn.Module, moved: Moved) -> bool:
    shard_again(model)
    return moved.restore()


if __name__ == "__main__":
    main()
