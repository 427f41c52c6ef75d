"""What launchers and loggers write before the text of a line: the process, the time and the level."""

from __future__ import annotations

import re
import time as clock
from typing import NamedTuple

from vcompat.diagnosis.logs.bounded_lines import COLORS
from vcompat.diagnosis.logs.labels import LEVELS, Labels


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


_COLORS = re.compile(COLORS)
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
    # Ray, if it does not know what the process runs.
    r"|\((?P<pid>pid=\d{1,20}(?:, ip=[\w.:]{1,80})?)\)\s?"
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
#: What loggers put between the time, the level and the names of modules, and such a name. Names contain none of what is
#: between, so that no line makes a pattern try many ways.
_BETWEEN, _NAME = "(?: - |: ?| )", r"\[?[^\s:\]]{1,80}\]?"
#: What follows the time: names of modules and the level; then the place of the call (DeepSpeed), or the name of a
#: module as the examples of transformers print it. A single word behind the level is text.
_REST = (
    rf"(?:(?:{_BETWEEN}{_NAME}){{0,5}}?{_BETWEEN}\[?(?P<level>{LEVELS})\]?(?:{_BETWEEN}|(?=\s))"
    r"(?:\[[\w./-]{1,120}:\d{1,6}(?::[\w.<>]{1,80})?\] ?"
    r"|(?:__main__|[A-Za-z]\w{0,60}(?:[._]\w{1,60}){1,8}) - )?|[ :-])?"
)
_ZONE = r"(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d| (?:UTC|GMT)\b)?"
_TIME = r"(?P<time>\d\d:\d\d:\d\d)"
#: Year first; month first, as in the examples of transformers; two digits of the year first (Spark), or last (Rich).
_DATES = (
    r"\d{4}[-/](?P<date>\d\d[-/]\d\d)[T ]",
    r"(?P<date>(?:0\d|1[012])/\d\d)/\d{4},? ",
    r"(?:1[3-9]|[2-9]\d)/(?P<date>\d\d/\d\d) ",
    r"(?P<date>(?:0\d|1[012])/\d\d)/\d\d ",
)
#: vLLM: `ERROR 06-05 02:45:37 [core.py:515] `, before 0.8 `core.py:515] `; transformers: `[WARNING|trainer.py:1] date
#: >> `; LLaMA-Factory: `[INFO|date] module:1 >> `; ms-swift: `[INFO:swift] `; torch's `W0605 02:45:37.123 1
#: file.py:5] `; logging's `2025-06-05 02:45:37,123 - name - ERROR - `, other dates, and the time alone.
_LOGGERS = (
    re.compile(rf"(?P<level>{LEVELS}) (?P<date>\d\d-\d\d) (?P<time>\d\d:\d\d:\d\d)(?:\.\d+)? \[?[\w./-]+:\d+\] ?"),
    re.compile(
        rf"\[(?P<level>{LEVELS})\|[^\]]{{1,120}}\] \d{{4}}-(?P<date>\d\d-\d\d) (?P<time>\d\d:\d\d:\d\d)\S* >> ?"
    ),
    re.compile(
        rf"\[(?P<level>{LEVELS})\|\d{{4}}-(?P<date>\d\d-\d\d) (?P<time>\d\d:\d\d:\d\d)\]"
        r" [\w.-]{1,120}:\d{1,6} >> ?"
    ),
    re.compile(rf"\[(?P<level>{LEVELS}):[A-Za-z][\w.]{{0,80}}\] "),
    re.compile(
        r"\[?(?P<letter>[DIWEF])(?P<date>\d{3,4}) (?P<time>\d\d:\d\d:\d\d)(?:\.\d+)?(?: +\d+)? [\w./-]+:\d+\] ?"
    ),
    *(re.compile(rf"\[?{date}{_TIME}{_ZONE}\]?{_REST}") for date in _DATES),
    re.compile(rf"(?:\[(?=[^\]]{{8,30}}\]\s))?{_TIME}{_ZONE}(?:\]|(?=\s)){_REST}"),
    re.compile(rf"(?P<level>{LEVELS})(?::[\w.]{{1,80}}:|:\s{{1,6}})"),
    re.compile(r"(?P<epoch>1\d{9})\.\d{1,9} "),
)
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
#: syslog and journald: `Mar 12 10:00:11 node1 train[12]: `; RFC 5424: `<14>1 2025-03-12T10:00:11Z node1 train 12 - - `.
_SYSLOGS = (
    re.compile(
        rf"(?:<\d{{1,3}}>)?(?:(?P<month>{'|'.join(_MONTHS)}) (?P<day>[ \d]\d) |\d{{4}}-(?P<date>\d\d-\d\d)T)"
        rf"{_TIME}{_ZONE} (?P<process>[\w.-]{{1,80}} [^\s:\[\]]{{1,80}}\[\d{{1,10}}\]): ?"
    ),
    re.compile(
        rf"<\d{{1,3}}>1 \d{{4}}-(?P<date>\d\d-\d\d)T{_TIME}{_ZONE} "
        r"(?P<process>[\w.-]{1,80} \S{1,80} [\w-]{1,80}) \S{1,80} (?:-|\[[^\]]{0,400}\]) ?"
    ),
)
_LETTERS = {"D": "DEBUG", "I": "INFO", "W": "WARNING", "E": "ERROR", "F": "FATAL"}
#: A progress bar of tqdm that another text follows on the same line.
_BAR = re.compile(r"^.{0,200}?\d{1,3}%\|.{0,300}?\| ?\d[^\[\]]{0,40}\[[^\]]{0,120}\]\s*(?=\S)")
#: What prefixes begin with, but for levels, and where the mark behind the name of a service of docker compose is.
_FIRST, _SERVICE = frozenset("[(<>0123456789"), 110
#: The most prefixes before one text; more than that is text.
_MOST = 5


def _uncolored(text: str) -> str:
    """Return `text` without colors, which what was wrapped in JSON can have, and what reverses its direction."""
    if not text.isascii():
        text = _BIDIRECTIONAL.sub("", text)
    return _COLORS.sub("", text) if "\x1b" in text else text


class _Prefix(NamedTuple):
    """What one prefix states; each is empty if it states none."""

    process: str
    time: str
    level: str
    end: int
    """Where the text behind it begins."""


def parse_line(number: int, raw: str, before: str = "", labels: Labels | None = None) -> Line:
    """Separate the prefixes of a line from its text. `before` names the process if the line names none.

    `labels` are those of the log so far; without them, what is a prefix only by what follows it is text.
    """
    text = _uncolored(_unwrapped(raw) if raw.startswith('{"log":') else raw.removeprefix("\ufeff"))
    if "%|" in text:
        text = _BAR.sub("", text)
    processes, time, level = [], "", ""
    for _ in range(_MOST):
        prefix = _prefix(text)
        if prefix is None and labels is not None and (label := labels.find(text)) is not None:
            prefix = _Prefix(label.process, "", label.level, label.end)
        if prefix is None:
            break
        processes += [prefix.process] if prefix.process else []
        # The first one is on all lines of a file, in one time zone; but one with a day says more than one without.
        time = prefix.time if len(prefix.time) > len(time) else time
        level = prefix.level or level
        text = text[prefix.end :]
    return Line(number, " ".join(processes) or before, text, time, level)


def _prefix(text: str) -> _Prefix | None:
    """The prefix that a text begins with, whatever follows it."""
    if not _may_have_prefix(text):
        return None
    quoted = _QUOTED.match(text)
    start = quoted.end() if quoted else 0
    if prefix := _PROCESS.match(text, start):
        return _Prefix(next(name for name in prefix.groups() if name), "", "", prefix.end())
    prefix = next((match for pattern in (*_SYSLOGS, *_LOGGERS) if (match := pattern.match(text, start))), None)
    if prefix is None:
        return _Prefix("", "", "", start) if quoted else None
    named = prefix.groupdict()
    level = named.get("level") or _LETTERS.get(named.get("letter") or "", "")
    return _Prefix(named.get("process") or "", _time(named), level, prefix.end())


def _time(named: dict[str, str | None]) -> str:
    """The time that a prefix states, with the day if it states one; empty if it states none."""
    if epoch := named.get("epoch"):
        return clock.strftime("%m-%d %H:%M:%S", clock.gmtime(int(epoch)))
    time, date = named.get("time") or "", named.get("date") or ""
    if month := named.get("month"):
        date = f"{_MONTHS.index(month) + 1:02}{int(named['day'] or 0):02}"
    return f"{_dashed(date)} {time}" if date else time


def _may_have_prefix(text: str) -> bool:
    """Whether a text begins as one of the prefixes does: most lines of a traceback do not."""
    start = text.lstrip()[:2]
    first = start[:1]
    return (
        first in _FIRST
        or (first in "CDEFIW" and not start[1:].islower())
        or start in ("st", "wo")
        or text[:3] in _MONTHS
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
