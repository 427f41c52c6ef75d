"""Judges how a rehearsal ended: whether each rank came to the last step, and how its processes left."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Sequence

from vcompat.rehearsal.command import Ended
from vcompat.rehearsal.protocol import END, ENTER, PHASE, TRAINED, Told, file_suffix
from vcompat.rehearsal.py_spy import main_thread
from vcompat.rehearsal.verdict import FAILED, NOT_EXERCISED, PASSED, Check

LAST_STEP, CLEAN_EXIT = "last step", "clean exit"
#: Calls of a stack that are shown, the innermost ones, and ranks that are named.
_FRAMES, _RANKS = 4, 8
#: The innermost call of a process whose script has ended, and that waits for its threads.
_AT_EXIT = re.compile(r"_shutdown \(threading\.py:")
_FRAME = re.compile(r'File "([^"]*)", line (\d+) in (\S+)')


def last_step(ranks: Sequence[Told], ended: Ended) -> Check:
    """Judge whether each rank that reported came to the last step."""
    late = sorted((one for one in ranks if not one.of(TRAINED)), key=lambda one: one.events[-1].time)
    if not late:
        steps = min(int(one.of(TRAINED)[-1].values["steps"]) for one in ranks)
        planned = int(ranks[0].trainer["settings"]["max_steps"])
        text = f"{steps} of {planned} steps" if steps < planned else f"{steps} steps"
        return Check(LAST_STEP, PASSED, f"{text}{_missing(ranks)}")
    if not ended.stuck and not ended.code and all(_only_made(one) for one in late):
        return Check(LAST_STEP, NOT_EXERCISED, "the script ended without training")
    if ended.stuck:
        where = _alike([(one.rank, _waited(one)) for one in late])
        text = "no rank made any progress, so all processes were ended"
        return Check(LAST_STEP, FAILED, text, (*where, *_stacks(late)))
    first = late[0]
    where = _alike([(one.rank, f"{_how(one)} in: {_phase(one)}") for one in late[1:]])
    return Check(LAST_STEP, FAILED, f"rank {first.rank} {_how(first)} first, in: {_phase(first)}", where)


def _alike(texts: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """One line for all ranks that have the same text."""
    groups: dict[str, list[int]] = {}
    for rank, text in texts:
        groups.setdefault(text, []).append(rank)
    return tuple(f"{ranks_of(numbers)}: {text}" for text, numbers in groups.items())


def ranks_of(numbers: Sequence[int]) -> str:
    """Return ranks as words: the first few, and how many more."""
    if len(numbers) == 1:
        return f"rank {numbers[0]}"
    more = f" and {len(numbers) - _RANKS} more" if len(numbers) > _RANKS else ""
    return f"ranks {', '.join(map(str, sorted(numbers)[:_RANKS]))}{more}"


def _only_made(rank: Told) -> bool:
    """Whether a rank made its trainer, did not train and ended well."""
    trains = any(event.values.get("name") == "training" for event in rank.of(ENTER))
    return bool(rank.trainer) and not trains and bool(rank.of(END))


def _missing(ranks: Sequence[Told]) -> str:
    world = max(int(one.trainer["world"]) for one in ranks)
    return f"; {len(ranks)} of {world} ranks reported here" if len(ranks) < world else ""


def _how(rank: Told) -> str:
    if not rank.of(END):
        return "waited" if rank.stacks else "ended without Python's exit"
    return _raised(rank) or "exited"


def _raised(rank: Told) -> str:
    """What was raised first, in words; empty if nothing was."""
    failed = [str(event.values["failed"]) for event in rank.of(PHASE) if event.values.get("failed")]
    return f"raised {failed[0]}" if failed else ""


def _waited(rank: Told) -> str:
    if _AT_EXIT.match(_stack(rank)):
        return f"{_raised(rank) or 'ended'} in: {_phase(rank)}; then a thread that is no daemon went on"
    return f"waited in: {_phase(rank)}"


def _phase(rank: Told) -> str:
    """The phases that had begun and not ended, or ended by an exception."""
    open_phases: list[str] = []
    for event in rank.events:
        name = str(event.values.get("name"))
        if event.kind == ENTER:
            open_phases.append(name)
        elif event.kind == PHASE and not event.values.get("failed") and name in open_phases:
            open_phases.remove(name)
    return " > ".join(open_phases) or "no phase"


def _stack(one: Told) -> str:
    """The innermost calls of the main thread, which faulthandler writes last; without vcompat's own."""
    found = main_thread(one.py_spy) or _FRAME.findall(one.stacks.strip().split("\n\n")[-1])
    frames = [(os.path.basename(path), line, name) for path, line, name in found if "/vcompat/rehearsal/" not in path]
    return " < ".join(f"{name} ({file}:{line})" for file, line, name in frames[:_FRAMES])


def _stacks(ranks: Sequence[Told]) -> tuple[str, ...]:
    return _alike([(one.rank, stack) for one in ranks if (stack := _stack(one))])


def clean_exit(told: Sequence[Told], ended: Ended) -> Check:
    """Judge the exit of the command and of each process that reported."""
    ranks = [one for one in told if one.is_rank]
    if ended.stuck:
        return _stuck_exit(ranks, ended)
    if ended.left:
        left = ", ".join(map(str, ended.left))
        return Check(CLEAN_EXIT, FAILED, f"processes were left when the command had ended: {left}")
    if ended.code:
        return Check(CLEAN_EXIT, FAILED, f"the command ended {exit_of(ended.code)}")
    silent = [one.rank for one in ranks if not one.of(END)]
    if silent:
        return Check(CLEAN_EXIT, FAILED, f"rank {silent[0]} ended without Python's exit, although the exit code is 0")
    return Check(CLEAN_EXIT, PASSED, "exit code 0")


def _stuck_exit(ranks: Sequence[Told], ended: Ended) -> Check:
    here = {file_suffix(os.uname().nodename, pid) for pid in ended.waiting}
    late = [one for one in ranks if one.name in here]
    if not late or not all(one.of(TRAINED) for one in ranks):
        return Check(CLEAN_EXIT, NOT_EXERCISED, "the processes were ended")
    who = ranks_of([one.rank for one in late])
    text = f"{who} did not exit after the last step, until the processes were ended"
    return Check(CLEAN_EXIT, FAILED, text, _stacks(late))


def exit_of(code: int) -> str:
    """Return how a program with this exit code ended, as the end of a sentence."""
    number = -code if code < 0 else code - 128 if code > 128 else 0
    try:
        return f"by {signal.Signals(number).name} (exit code {code})"
    except ValueError:
        return f"with exit code {code}"
