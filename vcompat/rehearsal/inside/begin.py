"""The rehearsal in one training process: waits for TRL's and vLLM's modules, and wraps what it measures."""

from __future__ import annotations

import atexit
import os
import sys
from types import ModuleType

from vcompat.patching.hooks import ImportHook
from vcompat.rehearsal.inside.engine_measures import wrap_engine, wrap_generation
from vcompat.rehearsal.inside.process_state import Session
from vcompat.rehearsal.inside.trainer import stop_others, wrap_trainer
from vcompat.rehearsal.protocol import BEGIN, END, FOLDER, STEPS, STUCK_AFTER, TINY

_TRAINER, _GENERATION = "trl.trainer.grpo_trainer", "trl.generation.vllm_generation"
_ENGINE, _OTHERS = "vllm.entrypoints.llm", "transformers.trainer"
_RANKS = ("RANK", "LOCAL_RANK", "WORLD_SIZE")


def begin() -> None:
    """Begin the rehearsal of this process, as the environment has it. Raises nothing of its own account."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return
    try:
        steps, stuck_after = int(os.environ.get(STEPS, "3")), float(os.environ.get(STUCK_AFTER, "300"))
        session = Session(folder, steps, stuck_after)
        session.is_tiny = os.environ.get(TINY) == "1"
    except (OSError, ValueError) as error:
        sys.stderr.write(f"vcompat: no rehearsal in process {os.getpid()}: {error}\n")
        return
    variables = {name: os.environ[name] for name in _RANKS if name in os.environ}
    session.events.add(BEGIN, pid=os.getpid(), host=os.uname().nodename, variables=variables)
    atexit.register(session.events.finish, END)
    wraps = {_TRAINER: wrap_trainer, _GENERATION: wrap_generation, _ENGINE: wrap_engine, _OTHERS: stop_others}

    def imported(module: ModuleType) -> None:
        try:
            wraps[module.__name__](module, session)
        except Exception as error:
            session.problem(f"{module.__name__}: {type(error).__name__}: {error}")

    ImportHook(imported).wait_for(frozenset(wraps))
