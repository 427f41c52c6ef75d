"""The call of a release's own choice between the engines V0 and V1, for a plain run."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

V0, V1, REFUSED = "v0", "v1", "refused"
_VARIABLE = "VLLM_USE_V1"


class Model:
    """What the choice asks of a plain decoder model in 16 bits. Anything else raises AttributeError."""

    is_v1_compatible = True
    quantization = None
    task = runner_type = "generate"
    model_impl = "auto"
    supported_runner_types = frozenset({"generate"})
    is_hybrid = is_attention_free = is_encoder_decoder = has_inner_state = False

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype


def kinds(files: frozenset[str], read: Callable[[str], bytes]) -> list[str]:
    """Return the engines that a release has, from its files. V1 counts if a variable chooses it."""
    older = "vllm/worker/worker.py" in files
    newer = "vllm/v1/worker/gpu_worker.py" in files and (not older or _VARIABLE.encode() in read("vllm/envs.py"))
    return [V0] * older + [V1] * newer


def choice(engines: list[str], variable: str) -> str:
    """Return v0, v1 or refused. `variable` is the value of VLLM_USE_V1; empty if it is not set."""
    if len(engines) == 1:
        return engines[0]
    os.environ.pop(_VARIABLE, None)
    if variable:
        os.environ[_VARIABLE] = variable
    from vllm import envs  # type: ignore[import-untyped,import-not-found,unused-ignore]

    module = importlib.import_module("vllm.engine.arg_utils")
    oracle = getattr(module.EngineArgs, "_is_v1_supported_oracle", None)
    if oracle is None:
        return V1 if envs.VLLM_USE_V1 else V0
    if variable and not envs.VLLM_USE_V1:
        return V0
    return _asked(module, oracle)


def _asked(module: Any, oracle: Any) -> str:
    import torch

    platform: Any = importlib.import_module("vllm.platforms").current_platform
    half = torch.bfloat16 if platform.get_device_capability()[0] >= 8 else torch.float16
    answers = set()
    for executor in (None, "external_launcher"):
        arguments = module.EngineArgs(model="model", distributed_executor_backend=executor)
        try:
            answers.add(V1 if oracle(arguments, Model(half)) else V0)
        except NotImplementedError:
            answers.add(REFUSED)
    if len(answers) > 1:
        raise ValueError("the choice depends on the executor")
    return answers.pop()
