"""What launchers and loggers write before the text of a line: the process, the time and the level."""

from __future__ import annotations

import re
from typing import NamedTuple


class Line(NamedTuple):
    """One line of a log, without what launchers and loggers put before it."""

    number: int
    """Line number from 1 in its file."""
    process: str
    """The process that the prefixes name; empty if none does. Two processes never share a name within a file."""
    text: str
    time: str
    """Month, day and time of day as ``MM-DD HH:MM:SS``, which sorts; the day is left out if the line has none."""
    level: str
    """The logger's level, such as ``INFO``; empty if none is stated."""


#: Colors and movements of the cursor (ECMA-48), and titles of terminals.
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
#: What reverses the direction of the text: a line is shown as another one than it is.
_BIDIRECTIONAL = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

#: Prefixes that name a process.
_PROCESS = re.compile(
    r"\s{0,4}(?:"
    # torch, and torchrun with --tee.
    r"\[(?P<rank>rank\d+)\]:\s?"
    r"|\[(?P<local>default\d+)\]:\s?"
    # vLLM: `(VllmWorker rank=1 pid=12)`, `(EngineCore_DP0 pid=12)`; Ray: `(train_fn pid=12, ip=10.0.0.1)`; SkyPilot:
    # `(head, rank=0, pid=12)`.
    r"|\((?P<named>[\w.:<>-]{1,80}(?:,? \w{1,20}=[\w.:-]{1,80}){0,4}?,? pid=\d{1,20}(?:, ip=[\w.:]{1,80})?)\)"
    r"(?: \[repeated [^\]]{1,80}\])?\s?"
    # srun --label, mpirun --tag-output, docker compose, kubectl logs --prefix, pdsh.
    r"|(?P<task>\d{1,5}): (?=\S|\s{2})"
    r"|\[\d{1,5},(?P<mpi>\d{1,5})\]<std(?:out|err)>:\s?"
    r"|(?P<service>[\w.-]{1,60}-\d{1,5}) {1,40}\| "
    r"|\[(?P<pod>pod/[\w./-]{1,200})\] "
    r"|(?P<host>(?:\d{1,3}\.){3}\d{1,3}|worker-\d{1,4}): "
    r")"
)
#: What people quote with in an issue, and what Kubernetes writes after the time.
_QUOTED = re.compile(r"(?:> )+|std(?:out|err) [FP] ")
_LEVELS = "DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL"
#: What loggers put between the time, the level and the names of modules, and such a name. Names contain none of what is
#: between, so that no line makes a pattern try many ways.
_BETWEEN, _NAME = "(?: - |: ?| )", r"\[?[^\s:\]]{1,80}\]?"
#: vLLM: `ERROR 06-05 02:45:37 [core.py:515] `, before 0.8 `core.py:515] `; transformers: `[WARNING|trainer.py:1] date
#: >> `; logging's `2025-06-05 02:45:37,123 - name - ERROR - `, torch's `W0605 02:45:37.123 1 file.py:5] `.
_LOGGERS = (
    re.compile(rf"(?P<level>{_LEVELS}) (?P<date>\d\d-\d\d) (?P<time>\d\d:\d\d:\d\d)(?:\.\d+)? \[?[\w./-]+:\d+\] ?"),
    re.compile(
        rf"\[(?P<level>{_LEVELS})\|[^\]]{{1,120}}\] \d{{4}}-(?P<date>\d\d-\d\d) (?P<time>\d\d:\d\d:\d\d)\S* >> ?"
    ),
    re.compile(
        r"\[?(?P<letter>[DIWEF])(?P<date>\d{3,4}) (?P<time>\d\d:\d\d:\d\d)(?:\.\d+)?(?: +\d+)? [\w./-]+:\d+\] ?"
    ),
    re.compile(
        r"\[?(?:\d{4}[-/])(?P<date>\d\d[-/]\d\d)[T ](?P<time>\d\d:\d\d:\d\d)(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?"
        rf"(?:(?:{_BETWEEN}{_NAME}){{0,5}}?{_BETWEEN}\[?(?P<level>{_LEVELS})\]?(?:{_BETWEEN}|(?=\s))|[ :-])?"
    ),
    re.compile(rf"(?P<level>{_LEVELS})(?::[\w.]{{1,80}}:|:\s{{1,6}})"),
)
_LETTERS = {"D": "DEBUG", "I": "INFO", "W": "WARNING", "E": "ERROR", "F": "FATAL"}
#: A progress bar of tqdm that another text follows on the same line.
_BAR = re.compile(r"^.{0,200}?\d{1,3}%\|.{0,300}?\| ?\d[^\[\]]{0,40}\[[^\]]{0,120}\]\s*(?=\S)")
#: What prefixes begin with, but for levels, and where the mark behind the name of a service of docker compose is.
_FIRST, _SERVICE = frozenset("[(>0123456789"), 110
#: The most prefixes before one text; more than that is text.
_MOST = 5


def plain(text: str) -> str:
    """Return `text` without what a terminal obeys: colors, and what reverses the direction of the text."""
    if not text.isascii():
        text = _BIDIRECTIONAL.sub("", text)
    return _ANSI.sub("", text) if "\x1b" in text else text


def parse_line(number: int, raw: str, before: str = "") -> Line:
    """Separate the prefixes of a line from its text. `before` names the process if the line names none."""
    text = plain(_unwrapped(raw) if raw.startswith('{"log":') else raw.removeprefix("\ufeff"))
    if "%|" in text:
        text = _BAR.sub("", text)
    processes, time, level = [], "", ""
    for _ in range(_MOST):
        if not _may_have_prefix(text):
            break
        quoted = _QUOTED.match(text)
        if quoted:
            text = text[quoted.end() :]
        found = _PROCESS.match(text)
        if found:
            processes.append(next(name for name in found.groups() if name))
            text = text[found.end() :]
            continue
        found = next((match for pattern in _LOGGERS if (match := pattern.match(text))), None)
        if found is None:
            break
        named = found.groupdict()
        if named.get("time"):
            time = f"{_dashed(named['date'])} {named['time']}"
        level = named.get("level") or _LETTERS.get(named.get("letter") or "", "") or level
        text = text[found.end() :]
    return Line(number, " ".join(processes) or before, text, time, level)


def _may_have_prefix(text: str) -> bool:
    """Whether a text begins as one of the prefixes does: most lines of a traceback do not."""
    start = text.lstrip()[:2]
    first = start[:1]
    return (
        first in _FIRST
        or (first in "CDEFIW" and not start[1:].islower())
        or start in ("st", "wo")
        or " | " in text[:_SERVICE]
    )


def _unwrapped(raw: str) -> str:
    """The text of a line that Docker's driver `json-file` has written."""
    import json

    try:
        text = json.loads(raw)["log"]
    except (ValueError, RecursionError):
        return raw
    return text.rstrip("\r\n") if isinstance(text, str) else raw


def _dashed(date: str) -> str:
    """Return ``06-05`` for that, ``06/05``, ``0605`` or ``605``."""
    digits = date.replace("-", "").replace("/", "").zfill(4)
    return f"{digits[:2]}-{digits[2:]}"
