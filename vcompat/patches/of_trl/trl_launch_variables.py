"""Start a colocated run with plain `python train.py`, in TRL 0.18.0 - 0.19.1.

Why: in colocate mode vLLM uses the backend ``external_launcher``, which reads RANK, LOCAL_RANK, MASTER_ADDR and
MASTER_PORT from the environment. A launcher (torchrun, accelerate) sets them. With plain `python`, building the engine
fails with KeyError 'RANK'. TRL sets the variables itself from 0.20.0 on.
How: if RANK is not set when the engine is built, set the variables of a process group of one, with a free port. Not
earlier: accelerate would see LOCAL_RANK and create a process group of its own.
Process: every rank.
Upstream: https://github.com/huggingface/trl/pull/3723.
Remove when: TRL below 0.20.0 is no longer supported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap


def _with_variables(init: Callable[..., None]) -> Callable[..., None]:
    def init_with_variables(self: Any, *args: Any, **kwargs: Any) -> None:
        if kwargs.get("distributed_executor_backend") == "external_launcher" and "RANK" not in os.environ:
            for name, value in _group_of_one().items():
                os.environ.setdefault(name, value)
        init(self, *args, **kwargs)

    return init_with_variables


def _group_of_one() -> dict[str, str]:
    import socket

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    return {
        "RANK": "0",
        "LOCAL_RANK": "0",
        "WORLD_SIZE": "1",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
    }


def _vllm_is_missing() -> str:
    return "" if "vllm" in sys.modules else "TRL did not import vLLM"


PATCH = Patch(
    id="trl_launch_variables",
    title="Start a colocated run without a launcher",
    package="trl",
    process="every rank",
    changes=(
        Change(
            "trl.trainer.grpo_trainer",
            "GRPOTrainer.__init__",
            Wrap("LLM.__init__", _with_variables, home="vllm.entrypoints.llm"),
            shape=("LLM(", "self.vllm_mode == 'colocate'"),
            has=("distributed_executor_backend='external_launcher'",),
            lacks=("os.environ['RANK']",),
            unneeded=_vllm_is_missing,
        ),
    ),
)
