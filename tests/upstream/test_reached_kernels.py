"""What resolve selects for cards without FlashAttention, and the kernels that a plain run reaches there, compiled."""

from __future__ import annotations

import pytest
from packaging.version import Version

from tests.unit.facts_for_tests import facts
from vcompat.fixes.releases import Wish, recorded_releases
from vcompat.fixes.resolve import resolve
from vcompat.kernels.environments import NotInstalled, triton
from vcompat.kernels.grid import HALF, Attempt
from vcompat.kernels.plain_run import reached
from vcompat.kernels.record import COMPILES
from vcompat.kernels.runner import run
from vcompat.kernels.variants import triton_pins, variants
from vcompat.rules.database import load_rules
from vcompat.sources.gather import RunFacts
from vcompat.upstream.store import Store

pytest.importorskip("torch")


def selected(card: str) -> Version:
    """The vLLM release that resolve selects for a plain colocated run."""
    plan = facts(gpu__compute_capability=card, plan__use_vllm="true", plan__vllm_mode="colocate")
    plan.closed.add("env")
    wish = Wish([RunFacts("train.py", "", plan, False)], Version("3.11"), {})
    return next(pin.version for pin in resolve(wish, recorded_releases(), load_rules()).pins if pin.package == "vllm")


@pytest.mark.parametrize("card", [pytest.param("7.0", id="V100"), pytest.param("7.5", id="T4")])
@pytest.mark.parametrize("head_size", [64, 128])
def test_the_kernels_of_what_resolve_selects_compile(card: str, head_size: int) -> None:
    version = selected(card)
    found = reached(version, card, head_size)
    assert found is not None
    assert found.backend == "TRITON_ATTN"
    pins = {version: triton_pins()[version]}
    try:
        triton(pins[version])
    except NotInstalled as trouble:
        pytest.skip(str(trouble))
    for kernel in found.kernels:
        (variant,) = variants(kernel, pins, Store())
        wanted = [Attempt(call, card, HALF, head_size) for call in kernel.calls]
        ((_, outcomes),) = run([(variant, wanted)], 1)
        found_words = {attempt: (outcome.word, outcome.message) for attempt, outcome in outcomes.items()}
        assert found_words == dict.fromkeys(wanted, (COMPILES, ""))
