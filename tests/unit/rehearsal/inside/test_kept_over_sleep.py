from __future__ import annotations

import pytest
import torch

from vcompat.rehearsal.inside.digests import Trained, count_same, different, digests_of
from vcompat.rehearsal.inside.kept_over_sleep import kept_of, lost_buffers, lost_parameters


def model(**changed: float) -> torch.nn.Module:
    """A model whose tensors named in `changed` are multiplied by a number."""
    made = torch.nn.Module()
    torch.manual_seed(0)
    for name, columns in (("q", 64), ("norm", 32)):
        made.register_parameter(name, torch.nn.Parameter(torch.randn(4, columns)))
    made.register_buffer("cache", torch.randn(8))
    with torch.no_grad():
        for name, factor in changed.items():
            getattr(made, name).mul_(factor)
    return made


def test_a_model_that_is_as_it_was_lost_nothing() -> None:
    start, now = kept_of(model()), kept_of(model())
    assert lost_buffers(start.buffers, now.buffers) == lost_parameters(start, now, model()) == []


def test_a_buffer_with_another_bit_is_lost() -> None:
    assert lost_buffers(kept_of(model()).buffers, kept_of(model(cache=1.0000001)).buffers) == ["cache"]


def test_a_buffer_that_is_missing_is_lost() -> None:
    assert lost_buffers(kept_of(model()).buffers, {}) == ["cache"]


@pytest.mark.parametrize("factor", [0, 1000, float("nan"), float("inf")])
def test_a_parameter_of_another_magnitude_is_lost(factor: float) -> None:
    assert lost_parameters(kept_of(model()), kept_of(model(q=factor)), model()) == ["q"]


def test_a_parameter_that_training_changed_is_not_lost() -> None:
    assert lost_parameters(kept_of(model()), kept_of(model(q=1.3)), model()) == []


def test_a_parameter_of_another_magnitude_that_the_trainer_has_so_is_not_lost() -> None:
    assert lost_parameters(kept_of(model()), kept_of(model(q=1000)), model(q=990)) == []


def test_a_parameter_of_tiny_numbers_is_not_judged_since_the_canary_fills_it() -> None:
    assert lost_parameters(kept_of(model(q=1e-5)), kept_of(model()), model()) == []


def test_parameters_with_other_bits_are_named_and_those_that_vllm_does_not_have_are_not_counted() -> None:
    trained = Trained({"q": (4, 64), "norm": (4, 32), "other": (4, 4)}, ["q"], [], 1)
    start = digests_of(model())
    assert different(start, digests_of(model(q=2)), trained.shapes, trained, model()) == (["q"], 2)
    assert different(start, digests_of(model(q=2)), ["norm", "other"], trained, model()) == ([], 1)


def test_parameters_with_the_same_bits_are_counted() -> None:
    assert count_same(digests_of(model()), digests_of(model())) == 2
    assert count_same(digests_of(model()), digests_of(model(q=2))) == 1
