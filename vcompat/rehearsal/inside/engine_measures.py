"""What is measured of vLLM's engine and of TRL's synchronization: phases, checksums of weights, and the tokens."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

from vcompat.rehearsal.inside.digests import Digests, Trained, count_same, different, digests_of, stale
from vcompat.rehearsal.inside.parameter_names import what_is_trained
from vcompat.rehearsal.inside.process_state import Session
from vcompat.rehearsal.inside.sleeping import compare_after_sleep, note_start, wrap_sleep
from vcompat.rehearsal.protocol import AGAIN, OUTPUT, WEIGHTS

#: Names of parameters that one event has.
_MOST = 500


def timed(owner: Any, name: str, phase: str, session: Session) -> None:
    """Wrap a method, if there is one, so that its calls are phases."""
    original = vars(owner).get(name)
    if original is None:
        return

    @functools.wraps(original)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        with session.events.phase(phase):
            return original(self, *args, **kwargs)

    setattr(owner, name, wrapper)


def wrap_generation(module: ModuleType, session: Session) -> None:
    """Time the synchronization of weights (TRL 0.28.0 and later)."""
    timed(vars(module)["VLLMGeneration"], "sync_weights", "synchronization", session)


def wrap_engine(module: ModuleType, session: Session) -> None:
    """Wrap what a trainer calls of ``vllm.LLM``."""
    engine = vars(module)["LLM"]
    wrap_sleep(engine, session)
    _wrap(engine, "__init__", session, _started)
    _wrap(engine, "generate", session, _generated)


def _wrap(owner: Any, name: str, session: Session, replacement: Callable[..., Any]) -> None:
    original = vars(owner)[name]

    @functools.wraps(original)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        return replacement(session, self, functools.partial(original, self, *args, **kwargs))

    setattr(owner, name, wrapper)


def _started(session: Session, engine: Any, start: Callable[[], None]) -> None:
    with session.events.phase("engine start"):
        start()
    session.digests = session.first_digests = _digests(session, engine)
    note_start(session, engine)


def _generated(session: Session, engine: Any, generate: Callable[[], Any]) -> Any:
    # Memory that sleeps cannot be read.
    if session.trainer is not None and session.is_awake:
        _compare(session, engine)
        compare_after_sleep(session, engine)
    with session.events.phase("generation"):
        outputs = generate()
    if session.trainer is not None:
        tokens = [list(part.token_ids) for output in outputs for part in output.outputs]
        digest = hashlib.sha256(repr(tokens).encode()).hexdigest()[:16]
        model = getattr(engine.llm_engine, "model_config", None)
        cache = getattr(getattr(engine.llm_engine, "vllm_config", None), "cache_config", None)
        session.dtype = str(getattr(model, "dtype", "")).removeprefix("torch.")
        session.events.add(
            OUTPUT,
            step=int(session.trainer.state.global_step),
            digest=digest,
            seed=getattr(model, "seed", None),
            dtype=session.dtype,
            quantization=str(getattr(model, "quantization", "") or ""),
            cache=str(getattr(cache, "cache_dtype", "")),
            tokens=sum(map(len, tokens)),
            longest=max(map(len, tokens), default=0),
        )
    return outputs


def _digests(session: Session, engine: Any) -> Digests | None:
    """The checksums of the weights of this process's worker; None if they cannot be read."""
    try:
        with session.events.phase("checksums"):
            found: list[Digests] = engine.apply_model(digests_of)
            return found[0]
    except Exception as error:
        session.problem(f"vLLM's weights cannot be compared: {type(error).__name__}: {error}")
        return None


def _compare(session: Session, engine: Any) -> None:
    """Compare vLLM's weights with those of before. It is awake now: it is about to generate."""
    before = session.digests
    now = _digests(session, engine) if before is not None else None
    if before is None or now is None:
        session.digests = None
        return
    step = int(session.trainer.state.global_step)
    is_again = step == session.digested_step
    if not is_again:
        session.digests, session.digested_step = now, step
    wanted = what_is_trained(session.trainer)
    start, compare = session.first_digests or {}, _same_step if is_again else _next_step
    try:
        found: list[dict[str, Any]] = engine.apply_model(lambda model: compare(start, before, now, wanted, model))
        session.events.add(AGAIN if is_again else WEIGHTS, step=step, **found[0])
    except Exception as error:
        session.problem(f"vLLM's weights cannot be compared: {type(error).__name__}: {error}")


def _next_step(start: Digests, before: Digests, now: Digests, wanted: Trained, model: Any) -> dict[str, Any]:
    """In another step, each trained parameter must have changed."""
    unchanged, compared = stale(before, now, wanted, model)
    frozen = [name for name in wanted.shapes if name not in wanted.names]
    other, count = different(start, now, frozen, wanted, model)
    return {
        "compared": compared,
        "trained": len(wanted.names),
        "stale": unchanged[:_MOST],
        "count": len(unchanged),
        "frozen": count,
        "same": count - len(other),
        "initial": count_same(start, now) == len(now),
    }


def _same_step(start: Digests, before: Digests, now: Digests, wanted: Trained, model: Any) -> dict[str, Any]:
    """In the same step, no parameter may have changed. What an adapter was merged into may be rounded otherwise."""
    names = [name for name in wanted.shapes if name not in wanted.adapted]
    found, compared = different(before, now, names, wanted, model)
    return {"compared": compared, "changed": found[:_MOST], "count": len(found)}
