"""Sleep mode of the engine: when it sleeps, at which level, and whether its model has again what it had before."""

from __future__ import annotations

import functools
from typing import Any

from vcompat.rehearsal.inside.kept_over_sleep import Kept, kept_of, lost_buffers, lost_parameters
from vcompat.rehearsal.inside.process_state import Session
from vcompat.rehearsal.inside.sharding import is_sharded
from vcompat.rehearsal.protocol import KEPT


def wrap_sleep(owner: Any, session: Session) -> None:
    """Wrap ``LLM.sleep`` and ``LLM.wake_up``, if this release has them."""
    sleep, wake_up = vars(owner).get("sleep"), vars(owner).get("wake_up")
    if sleep is None or wake_up is None:
        return

    @functools.wraps(sleep)
    def sleeping(self: Any, *args: Any, **kwargs: Any) -> Any:
        level = args[0] if args else kwargs.get("level", 1)
        if level and session.is_awake:
            session.before_sleep = _kept(session, self)
            session.is_awake = False
        with session.events.phase("sleep", level=level):
            return sleep(self, *args, **kwargs)

    @functools.wraps(wake_up)
    def waking(self: Any, *args: Any, **kwargs: Any) -> Any:
        # The first releases with sleep mode take no tags.
        tags = args[0] if args else kwargs.get("tags")
        with session.events.phase("wake up", tags=tags):
            result = wake_up(self, *args, **kwargs)
        session.is_awake = session.is_awake or tags is None or "weights" in tags
        return result

    owner.sleep, owner.wake_up = sleeping, waking


def note_start(session: Session, engine: Any) -> None:
    """Note what the model of an engine that can sleep has when it was started."""
    model = getattr(engine.llm_engine, "model_config", None)
    if getattr(model, "enable_sleep_mode", False):
        session.start = _kept(session, engine)


def compare_after_sleep(session: Session, engine: Any) -> None:
    """Compare what the model has with what it had before it last slept, once after each sleep."""
    before, session.before_sleep = session.before_sleep, None
    if before is None or session.start is None or (now := _kept(session, engine)) is None:
        return
    buffers = lost_buffers(before.buffers, now.buffers)
    # Of parameters that are sharded, the magnitude is not known here, and to ask for it needs all ranks.
    start = Kept({}, {}) if is_sharded(session.trainer.model) else session.start
    parameters = lost_parameters(start, now, session.trainer.model)
    session.events.add(
        KEPT,
        step=int(session.trainer.state.global_step),
        buffers=len(before.buffers),
        lost_buffers=buffers[:500],
        parameters=len(start.sizes),
        lost_parameters=parameters[:500],
    )


def _kept(session: Session, engine: Any) -> Kept | None:
    """What the model of this process's worker has; None if that cannot be read, which is reported elsewhere."""
    if session.digests is None:
        return None
    try:
        with session.events.phase("checksums"):
            found: list[Kept] = engine.apply_model(kept_of)
            return found[0]
    except Exception as error:
        session.problem(f"vLLM's buffers cannot be compared: {type(error).__name__}: {error}")
        return None
