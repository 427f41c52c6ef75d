"""Wraps TRL's trainer: bounds it before it is made, adds the canary, and ends the process where training ends."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

from vcompat.rehearsal.inside.bounds import bound, first_of, samples_for, silence
from vcompat.rehearsal.inside.canary import generate_moved, why_not
from vcompat.rehearsal.inside.engine_measures import timed
from vcompat.rehearsal.inside.observed_trainer import arguments_of, facts_of
from vcompat.rehearsal.inside.process_state import Session
from vcompat.rehearsal.inside.sharding import computes_in
from vcompat.rehearsal.inside.tiny import tiny_model
from vcompat.rehearsal.protocol import CANARY, MAKING, OTHER, TRAINED, TRAINER

#: What would save or push: also a callback can ask for a checkpoint.
_SAVING = ("save_model", "save_state", "_save_checkpoint", "push_to_hub", "create_model_card", "save_metrics")
_STATED = (
    "gradient_accumulation_steps", "max_completion_length", "max_steps", "num_generations", "num_iterations",
    "per_device_train_batch_size", "steps_per_generation", "vllm_enable_sleep_mode", "vllm_mode",
    "vllm_tensor_parallel_size",
)  # fmt: skip


def wrap_trainer(module: ModuleType, session: Session) -> None:
    """Wrap ``GRPOTrainer``."""
    # Before the script loads a model.
    session.events.memory.start()
    owner = vars(module)["GRPOTrainer"]
    original = owner.__init__
    signature = inspect.signature(original)

    @functools.wraps(original)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(self, *args, **kwargs)
        if given.arguments.get("args") is None:
            given.arguments["args"] = vars(module)["GRPOConfig"](_output(session))
        before = arguments_of(given.arguments["args"])
        changed = _bounded(given.arguments, session)
        with session.events.phase(MAKING):
            original(*given.args, **given.kwargs)
        _rehearse(self, session, changed, before)

    owner.__init__ = made
    timed(owner, "_move_model_to_vllm", "synchronization", session)


def _bounded(arguments: dict[str, Any], session: Session) -> list[str]:
    config = arguments["args"]
    changed = bound(config, session.steps, _output(session))
    if session.is_tiny and isinstance(arguments.get("model"), str):
        with session.events.phase("tiny model"):
            trust = bool(getattr(config, "trust_remote_code", False))
            arguments["model"] = tiny_model(arguments["model"], session.folder, trust)
        changed.append("model")
    training, evaluation = samples_for(config)
    for name, count in (("train_dataset", training), ("eval_dataset", evaluation)):
        if arguments.get(name) is not None:
            arguments[name] = first_of(arguments[name], count)
    return changed


def _output(session: Session) -> str:
    return os.path.join(session.folder, "output")


def _rehearse(trainer: Any, session: Session, changed: list[str], before: dict[str, Any]) -> None:
    """Wrap the methods of one trainer: a subclass may have its own."""
    config = trainer.args
    reason = why_not(trainer)
    session.events.add(
        TRAINER,
        name=type(trainer).__name__,
        rank=int(trainer.accelerator.process_index),
        world=int(trainer.accelerator.num_processes),
        changed=changed,
        arguments=before,
        facts=facts_of(trainer),
        settings={name: getattr(config, name) for name in _STATED if hasattr(config, name)},
        evaluates=trainer.eval_dataset is not None and str(config.eval_strategy) != "no",
        cannot_move=reason,
        dtypes=sorted({str(one.dtype).removeprefix("torch.") for one in trainer.model.parameters()}),
        mixed=bool(computes_in(trainer)),
    )
    trainer.train = functools.partial(_train, session, trainer, trainer.train)
    trainer.evaluate = _phase("evaluation", trainer.evaluate, session)
    trainer.training_step = _phase("training step", trainer.training_step, session)
    for name in _SAVING:
        if hasattr(trainer, name):
            setattr(trainer, name, _nothing)
    generate = getattr(trainer, "_generate_and_score_completions", None)
    if generate is None:
        return

    @functools.wraps(generate)
    def generated(*args: Any, **kwargs: Any) -> Any:
        with session.events.phase("rollout", step=int(trainer.state.global_step)):
            if reason:
                return generate(*args, **kwargs)
            session.trainer = trainer
            try:
                tell = functools.partial(session.events.add, CANARY)
                return generate_moved(trainer, lambda: generate(*args, **kwargs), tell, session)
            finally:
                session.trainer = None

    trainer._generate_and_score_completions = generated


def _nothing(*args: Any, **kwargs: Any) -> None:
    """Stand where something would be saved or pushed."""


def _phase(name: str, original: Callable[..., Any], session: Session) -> Callable[..., Any]:
    @functools.wraps(original)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with session.events.phase(name):
            return original(*args, **kwargs)

    return wrapper


def _train(session: Session, trainer: Any, train: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Train from the beginning, wait for the other ranks, and end the process: what follows would save or report."""
    if session.endings:
        session.end()
    with session.events.phase("training"):
        train()
    with session.events.phase("last barrier"):
        trainer.accelerator.wait_for_everyone()
    session.events.add(TRAINED, steps=int(trainer.state.global_step))
    session.end()


def stop_others(module: ModuleType, session: Session) -> None:
    """Wrap ``transformers.Trainer``: a trainer that is not rehearsed must not train, nor make folders."""
    owner = vars(module)["Trainer"]
    train = owner.train

    @functools.wraps(train)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        # The bounded trainer has a `train` of its own, which calls this one.
        if not isinstance(vars(self).get("train"), functools.partial):
            session.events.add(OTHER, name=type(self).__name__)
            session.end()
        return train(self, *args, **kwargs)

    original = owner.__init__
    signature = inspect.signature(original)

    @functools.wraps(original)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        config = signature.bind(self, *args, **kwargs).arguments.get("args")
        if config is not None:
            silence(config, _output(session))
        original(self, *args, **kwargs)

    owner.train, owner.__init__ = guarded, made
