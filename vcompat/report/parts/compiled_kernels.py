"""What `--compile` compiled, in a few words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from vcompat.evaluation.compiled import COMPILES, FAILS, OPEN, Attempted, Compiled


def summary(compiled: Compiled) -> str:
    """The outcomes of all kernels in a sentence or two."""
    cards = ", ".join(compiled.capabilities)
    parts = list(_parts(compiled))
    said = "; ".join(parts) if parts else "the run reaches no kernel that is known here"
    return f"Compiled for {cards} with {compiled.with_what}: {said}."


def _parts(compiled: Compiled) -> Iterator[str]:
    failing = list(dict.fromkeys(one.call for one in compiled.with_outcome(FAILS)))
    open_ = [one for one in compiled.with_outcome(OPEN) if one.call not in failing]
    whole = [one.call for one in compiled.with_outcome(COMPILES)]
    whole = [call for call in dict.fromkeys(whole) if call not in {*failing, *(one.call for one in open_)}]
    if failing:
        yield f"{', '.join(failing)} {'fails' if len(failing) == 1 else 'fail'}"
    if whole:
        yield f"{', '.join(whole)} {'compiles' if len(whole) == 1 else 'compile'}"
    for message, calls in _by_message(open_).items():
        yield f"not compiled: {', '.join(calls)} ({message})"
    if compiled.left_out:
        yield f"nothing was compiled for {', '.join(compiled.left_out)}"


def _by_message(attempts: Iterable[Attempted]) -> dict[str, list[str]]:
    by_message: dict[str, list[str]] = {}
    for attempt in attempts:
        calls = by_message.setdefault(attempt.message, [])
        if attempt.call not in calls:
            calls.append(attempt.call)
    return by_message


def table(compiled: Compiled | None) -> dict[str, Any] | None:
    """The outcome of each call for JSON; None without `--compile`."""
    if compiled is None:
        return None
    return {
        "vllm": compiled.vllm,
        "triton": compiled.triton,
        "capabilities": list(compiled.capabilities),
        "seconds": round(compiled.seconds, 1),
        "attempts": [
            {
                "call": attempt.call,
                "capability": attempt.capability,
                "dtype": attempt.dtype,
                "size": attempt.size,
                "outcome": attempt.outcome,
                "message": attempt.message,
                "reached": not attempt.needs,
            }
            for attempt in compiled.attempts
        ],
    }
