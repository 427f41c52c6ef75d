"""Let vLLM sample with a random state of its own under ``external_launcher``, not with the trainer's.

Why: under ``external_launcher``, each rank of a tensor-parallel group samples for itself, from the global random
state of its process. vLLM gives all ranks the same seed, but the trainer shares that state. Dropout, such as
`lora_dropout`, consumes as much of it as the rank's micro-batch is large. From then on the ranks sample different
tokens: each continues a text that the other ranks do not have, and the completions are gibberish. If one rank ends a
completion earlier than another, `generate()` waits forever. Without dropout, the ranks stay equal.
How: wrap `_run_engine`, which runs once for each call of `LLM.generate()` or `LLM.chat()`. Before it, the random states
of Python, NumPy and torch are exchanged for vLLM's: those after its last generation, at first those of the engine's
seed. After it, they are exchanged back. Engines of one rank are not changed.
Process: every rank, because with this backend the engine runs in the rank's own process.
Upstream: no known issue. https://github.com/huggingface/trl/issues/3671 reports the hang with an adapter. TRL 1.7.1
added a barrier for it, which does not change what the ranks sample.
Remove when: vLLM keeps a random state for each engine.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap


def _seed_of_group(engine: Any) -> int | None:
    """The seed that all ranks of the engine share; None if the engine has one rank, another backend or no seed."""
    config = getattr(engine, "vllm_config", engine)
    parallel = getattr(config, "parallel_config", None)
    if getattr(parallel, "distributed_executor_backend", None) != "external_launcher":
        return None
    if getattr(parallel, "world_size", 1) == 1:
        return None
    seed: int | None = getattr(getattr(config, "model_config", None), "seed", None)
    return seed


def _device() -> Any:
    """Torch's module for vLLM's device; None if the device has no random state of its own, such as the CPU."""
    import torch
    from vllm.platforms import current_platform

    module = getattr(torch, current_platform.device_type, None)
    return module if hasattr(module, "get_rng_state") else None


def _states() -> tuple[Any, ...]:
    """The states that vLLM's `set_random_seed` sets."""
    import numpy
    import torch

    device = _device()
    return (random.getstate(), numpy.random.get_state(), torch.get_rng_state(), device and device.get_rng_state())


def _restore(states: tuple[Any, ...]) -> None:
    import numpy
    import torch

    of_python, of_numpy, of_torch, of_device = states
    random.setstate(of_python)
    numpy.random.set_state(of_numpy)
    torch.set_rng_state(of_torch)
    if of_device is not None:
        _device().set_rng_state(of_device)


def _seed(seed: int) -> None:
    import numpy
    import torch

    random.seed(seed)
    numpy.random.seed(seed)
    torch.manual_seed(seed)


def _with_own_state(run: Callable[..., Any]) -> Callable[..., Any]:
    def run_with_own_state(self: Any, *args: Any, **kwargs: Any) -> Any:
        seed = _seed_of_group(self.llm_engine)
        if seed is None:
            return run(self, *args, **kwargs)
        of_trainer, own = _states(), getattr(self, "_vcompat_random_states", None)
        if own is None:
            _seed(seed)
        else:
            _restore(own)
        try:
            return run(self, *args, **kwargs)
        finally:
            self._vcompat_random_states = _states()
            _restore(of_trainer)

    return run_with_own_state


def _change(module: str, name: str, has: tuple[str, ...] = ()) -> Change:
    return Change(
        module,
        name,
        Wrap(f"{name}._run_engine", _with_own_state),
        shape=("self.llm_engine.has_unfinished_requests()", "self.llm_engine.step()"),
        has=("def _run_engine(self", *has),
    )


PATCH = Patch(
    id="vllm_own_random_state",
    title="Let vLLM sample with a random state of its own",
    package="vllm",
    process="every rank",
    changes=(
        # Sleep mode came with ``external_launcher``, in 0.7.0.
        _change("vllm.entrypoints.llm", "LLM", has=("def sleep(self",)),
        _change("vllm.entrypoints.offline_utils", "OfflineInferenceMixin"),
        _change("vllm.entrypoints.common.offline", "OfflineInferenceMixin"),
    ),
)
