"""The predicted memory of a trainer, compared with what torch allocated on a GPU in real steps."""

from __future__ import annotations

from typing import Any

import pytest

from vcompat.facts.memory.trainer_memory import Setup, allocation

#: Layers of this width take whole blocks of torch's allocator, which rounds up to 2 MiB.
_WIDTH, _LAYERS = 2048, 12


@pytest.mark.parametrize(("dtype", "size"), [("float32", 4), ("bfloat16", 2)])
def test_weights_gradients_and_optimizer_state_take_what_is_predicted(cuda: Any, dtype: str, size: int) -> None:
    cuda.cuda.empty_cache()
    before = cuda.cuda.memory_allocated()
    cuda.cuda.reset_peak_memory_stats()
    layers = [cuda.nn.Linear(_WIDTH, _WIDTH, bias=False) for _ in range(_LAYERS)]
    model = cuda.nn.Sequential(*layers).to("cuda", getattr(cuda, dtype))
    # Not the fused or the foreach variant, whose temporary copies are not part of the prediction.
    optimizer = cuda.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(2):
        model(cuda.ones(1, _WIDTH, device="cuda", dtype=getattr(cuda, dtype))).sum().backward()
        optimizer.step()
        at_most = cuda.cuda.memory_allocated() - before
        optimizer.zero_grad()
    predicted = allocation(Setup(parameters=_LAYERS * _WIDTH**2, weight_bytes=size))
    whole = predicted.weights + predicted.gradients + predicted.optimizer
    # One activation per layer, and the scalars of the optimizer.
    assert whole <= at_most <= whole * 1.01
    # Beside these, the optimizer's step has temporary tensors of the largest parameter.
    assert cuda.cuda.max_memory_allocated() - before <= whole + 6 * _WIDTH**2 * 4
