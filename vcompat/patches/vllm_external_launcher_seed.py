"""Gives tensor-parallel ranks one seed under ``external_launcher``: vLLM 0.8.0 - 0.8.5.post1, and V0 of 0.9.0 - 0.10.2.

Why: each rank of a tensor-parallel group samples for itself and must draw the same token, so all need one seed. From
0.8.0 the default seed is None: up to 0.8.2 the ranks drift apart without a word, from 0.8.3 vLLM stops with an
AssertionError. V1 of 0.9.0 and everything after 0.10.2 turns None into 0, or has 0 as its default. That is one seed
for the whole job: groups that are given the same prompts then sample the same completions.
How: `EngineArgs.create_engine_config`, through which every way to build an engine goes, sees the number of the rank's
group as the seed, where none was given. Where vLLM would take 0, the seed is left alone; the first rank of the second
group warns once if its seed is 0, and says what to pass.
Process: every rank, since with this backend the engine lives in the rank itself.
Upstream: https://github.com/vllm-project/vllm/issues/15895, https://github.com/vllm-project/vllm/pull/15980 (the
assertion), https://github.com/vllm-project/vllm/pull/17929 (0 in V1).
Remove when: vLLM below 0.11.0 is no longer supported and nobody misses the warning.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap

_SIZES = ("tensor_parallel_size", "pipeline_parallel_size", "prefill_context_parallel_size")


def _group_size(arguments: Any) -> int:
    """Ranks that together hold one copy of the model."""
    size = 1
    for name in _SIZES:
        size *= int(getattr(arguments, name, 1))
    return size


def _place(arguments: Any) -> tuple[int, int] | None:
    """The rank's group and its place in the group, from 0; None where that is not for this patch to say."""
    if getattr(arguments, "distributed_executor_backend", None) != "external_launcher":
        return None
    try:
        return divmod(int(os.environ.get("RANK", "0")), _group_size(arguments))
    except (TypeError, ValueError, ZeroDivisionError):
        # Nonsense in RANK or in a size: vLLM says so itself, in better words.
        return None


def _seeding(create: Callable[..., Any]) -> Callable[..., Any]:
    def create_with_seed(self: Any, *args: Any, **kwargs: Any) -> Any:
        place = _place(self) if self.seed is None else None
        if place:
            self.seed = place[0]
        return create(self, *args, **kwargs)

    return create_with_seed


def _seeding_v0_or_warning(create: Callable[..., Any]) -> Callable[..., Any]:
    warned = False

    def create_with_seed_or_warning(self: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal warned
        place = None if self.seed else _place(self)
        if place and self.seed is None and _is_v0():
            self.seed = place[0]
        elif place == (1, 0) and not warned:
            warned = True
            _warn(_group_size(self))
        return create(self, *args, **kwargs)

    return create_with_seed_or_warning


def _is_v0() -> bool:
    """Whether the user asked for V0. A fall back to it comes later, when the seed is 0 already."""
    from vllm import envs

    return not getattr(envs, "VLLM_USE_V1", True)


def _warn(size: int) -> None:
    import logging

    pass_this = "int(os.environ['RANK'])" + (f" // {size}" if size > 1 else "")
    logging.getLogger("vcompat").warning(
        "vLLM's seed is 0 in more than one group of ranks under external_launcher: groups that get the same prompts "
        "will sample the same completions. Pass seed=%s to the engine.",
        pass_this,
    )


def _change(make: Callable[..., Any], has: tuple[str, ...] = (), lacks: tuple[str, ...] = ()) -> Change:
    return Change(
        "vllm.engine.arg_utils",
        "EngineArgs",
        Wrap("EngineArgs.create_engine_config", make),
        shape=("def create_engine_config(self, ", "self.distributed_executor_backend", "seed=self.seed"),
        has=has,
        lacks=lacks,
    )


_NONE = "\n    seed: Optional[int] = None"

PATCH = Patch(
    id="vllm_external_launcher_seed",
    title="Give tensor-parallel ranks one seed",
    package="vllm",
    process="every rank",
    changes=(
        _change(_seeding, has=(_NONE,)),
        _change(_seeding_v0_or_warning, has=("\n    seed: ",), lacks=(_NONE, "\n    seed: int = 0")),
    ),
)
