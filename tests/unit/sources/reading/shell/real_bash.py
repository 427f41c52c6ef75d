"""Runs a script with the real bash and stand-in programs, and compares what they got with what `run_shell` claims."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from vcompat.sources.reading.invocation import Environment, Invocation, Others
from vcompat.sources.reading.shell import Ran, run_shell
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS, Gap, PartlyKnown, Word, base_name

PROGRAMS = "python torchrun accelerate srun uv prog other".split()
_STAND_IN = r"""#!/bin/bash
record=$RECORD/$(date +%s%N)-$$
{ printf '%s\0' "${0##*/}" "$@"; printf '\1\0%s\0\1\0' "$PWD"; env -0; } > "$record.part"
mv "$record.part" "$record.done"
[ -n "$FAILS" ] && [ "${0##*/}" = "$FAILS" ] && exit 3
exit 0
"""
#: Variables that bash and the test set themselves.
_OWN = frozenset("PWD OLDPWD SHLVL _ PATH RECORD HOME FAILS LANG LC_ALL".split())


class Started(NamedTuple):
    """A program that was really started."""

    words: list[str]
    folder: str
    environment: dict[str, str]


def really_run(text: str, folder: Path, arguments: tuple[str, ...], caller: dict[str, str]) -> list[Started]:
    """Run the script in `folder` and return the programs that it started."""
    programs, record = folder.parent / "bin", folder.parent / "record"
    programs.mkdir()
    record.mkdir()
    for name in PROGRAMS:
        (programs / name).write_text(_STAND_IN)
        (programs / name).chmod(0o755)
    script = folder / "run.sh"
    script.write_text(text + "\nother END\n")
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "RECORD": str(record), "HOME": str(folder), **caller}
    subprocess.run(
        ["/bin/bash", str(script), *arguments],
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    return [_started(file) for file in sorted(record.glob("*.done"))]


def _started(file: Path) -> Started:
    words, folder, variables = file.read_bytes().decode().split("\1\0")
    pairs = (pair.partition("=") for pair in variables.split("\0") if pair)
    return Started(words.split("\0")[:-1], folder.rstrip("\0"), {name: value for name, _, value in pairs})


def claimed(text: str, folder: Path, arguments: tuple[str, ...] | None) -> Ran:
    """Return what `run_shell` claims about the script."""
    script = str(folder / "run.sh")
    return run_shell(text + "\nother END\n", script, arguments=arguments, script=script, folder=str(folder))


def differences(claims: list[Invocation], started: list[Started]) -> str:
    """Return what is wrong in the claims; empty if every claim is true and no program is missing.

    The script ends with `other END`. If that was not started, an error or `exit` ended the script before.
    """
    claims = [claim for claim in claims if _is_compared(claim)]
    ended = not started or started[-1].words != ["other", "END"]
    rest = list(started)
    for claim in [claim for claim in claims if claim.background]:
        matching = [real for real in rest if not _difference(claim, real)]
        if matching:
            rest.remove(matching[0])
        elif not claim.why_uncertain and not ended:
            return f"not started: {claim.words}"
    return _sequence_difference([claim for claim in claims if not claim.background], rest, ended)


def _is_compared(claim: Invocation) -> bool:
    return base_name(claim.words[0]) in {*PROGRAMS, UNKNOWN, UNKNOWN_WORDS} or _is_open(claim)


def _is_open(claim: Invocation) -> bool:
    """Return whether the claim is a shell of which it is not known what it starts."""
    unknown = claim.words[0].endswith(".sh") or "the function" in claim.why_uncertain
    return unknown or base_name(claim.words[0]) in ("bash", "sh", "f")


def _sequence_difference(claims: list[Invocation], started: list[Started], ended: bool) -> str:
    """Follow every way in which the claims can come true: positions in both lists that can be reached."""
    reached, best = {(0, 0)}, (0, 0)
    pending = [(0, 0)]
    while pending:
        at, real = pending.pop()
        best = max(best, (real, at))
        if at == len(claims) or (ended and real == len(started)):
            if real == len(started):
                return ""
            continue
        for step in _steps(claims, started, at, real):
            if step not in reached:
                reached.add(step)
                pending.append(step)
    real, at = best
    got = started[real].words if real < len(started) else "nothing"
    wrong = [_difference(claim, started[real]) for claim in claims[at : at + 1]] if real < len(started) else claims[at:]
    return f"started {got}, but {wrong}"


def _steps(claims: list[Invocation], started: list[Started], at: int, real: int) -> list[tuple[int, int]]:
    claim = claims[at]
    fits = real < len(started) and not _difference(claim, started[real])
    steps = [(at + 1, real + 1)] if fits else []
    # A command whose name is not known may be empty.
    if claim.why_uncertain or _is_open(claim) or claim.words[0] in (UNKNOWN, UNKNOWN_WORDS):
        steps.append((at + 1, real))
    if _is_open(claim) and real < len(started):
        steps.append((at, real + 1))
    if "loop" in claim.why_uncertain and real < len(started):
        loop = [other for other in claims if "loop" in other.why_uncertain]
        if any(not _difference(other, started[real]) for other in loop):
            steps.append((at, real + 1))
    return steps


def _difference(claim: Invocation, real: Started) -> str:
    if not re.fullmatch(_pattern(claim.words), "".join(f"{word}\0" for word in real.words), re.DOTALL):
        return f"claimed words {claim.words}"
    if isinstance(claim.folder, str) and os.path.realpath(claim.folder) != os.path.realpath(real.folder):
        return f"claimed folder {claim.folder}, not {real.folder}"
    return _environment_difference(claim.environment, real.environment)


def _pattern(words: tuple[Word, ...]) -> str:
    result = ""
    for word in words:
        if word == UNKNOWN_WORDS:
            result += r"(?:[^\x00]*\x00)*"
            continue
        spelled = {Gap.PART: r"[^\x00]*", Gap.WORDS: r".*"}
        parts = (word,) if isinstance(word, str) else word.parts
        result += "".join(spelled[part] if isinstance(part, Gap) else re.escape(part) for part in parts) + r"\x00"
    return result


def _environment_difference(claim: Environment, real: dict[str, str]) -> str:
    for name, value in claim.values.items():
        if name in _OWN or value == UNKNOWN:
            continue
        if value is None and name in real:
            return f"claimed that {name} is not set, not {real[name]}"
        if value is not None and not re.fullmatch(_pattern((value,)), real.get(name, "\1") + "\0", re.DOTALL):
            return f"claimed {name}={value}, not {real.get(name)}"
    if claim.others is Others.UNSET and real.keys() - claim.values.keys() - _OWN:
        return f"not claimed: {real.keys() - claim.values.keys() - _OWN}"
    return ""


def all_known(claims: list[Invocation]) -> str:
    """Return what a claim leaves open; empty if everything is known."""
    for claim in claims:
        if claim.why_uncertain:
            return f"{claim.words}: {claim.why_uncertain}"
        if not all(isinstance(word, str) for word in claim.words):
            return f"{claim.words}"
        opened = [
            name
            for name, value in claim.environment.values.items()
            if isinstance(value, PartlyKnown) and name.startswith("T")
        ]
        if opened:
            return f"{claim.words}: {opened} open"
    return ""
