"""The comparison of one generation. The trainer is a stand-in with a model of one row; real ones are in tests/e2e."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

from vcompat.rehearsal.inside.canary import generate_moved
from vcompat.rehearsal.inside.process_state import Session


class Trainer:
    """Its probability of each token is a product of the token and the weights."""

    def __init__(self) -> None:
        self.model = torch.nn.Linear(64, 1, bias=False)
        self.state = SimpleNamespace(global_step=0)
        self.args = SimpleNamespace(per_device_train_batch_size=2, bf16=False, fp16=False)

    def _get_per_token_logps_and_entropies(
        self, model: Any, ids: Any, mask: Any, keep: int, batch_size: int
    ) -> tuple[Any, None]:
        return -(ids[:, -keep:].float() * model.weight.abs().sum()), None


def compared(tmp_path: Path, change: Any) -> dict[str, Any]:
    trainer, told = Trainer(), []
    session = Session(str(tmp_path), 2, 300.0)
    session.dtype = "float32"

    def generate() -> dict[str, Any]:
        ids = torch.arange(1, 9).view(2, 4)
        ones = torch.ones_like(ids)
        logps, _ = trainer._get_per_token_logps_and_entropies(trainer.model, ids, ones, 4, 2)
        return {
            "prompt_ids": ids, "prompt_mask": ones, "completion_ids": ids, "completion_mask": ones,
            "sampling_per_token_logps": change(logps.detach()),
        }  # fmt: skip

    before = trainer.model.weight.detach().clone()
    generate_moved(trainer, generate, lambda **values: told.append(values), session)
    assert torch.equal(before, trainer.model.weight)
    (one,) = told
    return one


def test_probabilities_of_the_moved_weights_agree(tmp_path: Path) -> None:
    one = compared(tmp_path, lambda logps: logps)
    assert (one["tokens"], one["to_moved"], one["not_finite"], one["exact"]) == (8, 0.0, 0, True)
    assert one["moved"] > 0.001


def test_probabilities_that_are_no_numbers_are_counted(tmp_path: Path) -> None:
    def broken(logps: Any) -> Any:
        logps[0, 1], logps[1, 2] = float("nan"), float("-inf")
        return logps

    one = compared(tmp_path, broken)
    assert (one["tokens"], one["not_finite"], one["to_moved"]) == (6, 2, 0.0)
