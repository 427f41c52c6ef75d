"""Give tensor-parallel ranks one seed under ``external_launcher``: vLLM 0.8.0 - 0.8.5.post1, and V0 of 0.9.0 - 0.10.2.

Why: each rank of a tensor-parallel group samples independently and must draw the same token, so all ranks need the
same seed. From 0.8.0 on the default seed is None: up to 0.8.2 the ranks silently sample different tokens, from 0.8.3
on vLLM stops with an AssertionError. V1 of 0.9.0 - 0.10.2, and every later release, turns None into 0 or defaults to 0.
That is one seed for the whole job: groups that get the same prompts then sample the same completions.
How: wrap `EngineArgs.create_engine_config`, which every way to build an engine calls. If no seed is given, the seed is
the index of the rank's group. Where vLLM would use 0, the seed is not changed. The first rank of the second group then
warns once if its seed is 0, and names the argument to pass.
Process: every rank, because with this backend the engine runs in the rank's own process.
Upstream: https://github.com/vllm-project/vllm/issues/15895, https://github.com/vllm-project/vllm/pull/15980 (the
assertion), https://github.com/vllm-project/vllm/pull/17929 (0 in V1).
Remove when: vLLM below 0.11.0 is no longer supported and the warning is no longer needed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap

_SIZES = ("tensor_parallel_size", "pipeline_parallel_size", "prefill_context_parallel_size")


def _group_size(arguments: Any) -> int:
    """The number of ranks that share one copy of the model."""
    size = 1
    for name in _SIZES:
        size *= int(getattr(arguments, name, 1))
    return size


def _place(arguments: Any) -> tuple[int, int] | None:
    """The index of the rank's group and the rank's index in it, from 0; None if the patch does not apply."""
    if getattr(arguments, "distributed_executor_backend", None) != "external_launcher":
        return None
    try:
        return divmod(int(os.environ.get("RANK", "0")), _group_size(arguments))
    except (TypeError, ValueError, ZeroDivisionError):
        # An invalid RANK or size: vLLM itself reports it with a better message.
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
    """Whether the user requested V0. An automatic fallback to V0 happens later, when the seed is already 0."""
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
    title="Give tensor-parallel ranks the same seed",
    package="vllm",
    process="every rank",
    changes=(
        _change(_seeding, has=(_NONE,)),
        _change(_seeding_v0_or_warning, has=("\n    seed: ",), lacks=(_NONE, "\n    seed: int = 0")),
    ),
)
