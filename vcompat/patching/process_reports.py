"""What one process of a run reports about its patches: the contents of the file that it writes, and their check.

The files are read by other programs of the same user, and are not trusted: a file that is too large or has another form
raises InputError.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from vcompat.foundation.bounded_reading import MB, read_bytes
from vcompat.foundation.errors import InputError
from vcompat.patching.ledger import APPLIED, DISABLED, FAILED, NOT_NEEDED, PENDING, REFUSED, Entry, Ledger

#: The form of the file. Another release of vcompat that writes another form has another number.
FORM = 1
#: The variables that tell which process of the run this is.
RANKS = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "TORCHELASTIC_RESTART_COUNT",
         "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "SLURM_NODEID")  # fmt: skip
_STATUSES = (APPLIED, DISABLED, FAILED, NOT_NEEDED, PENDING, REFUSED)
_EXPECTED = "a file that a process of `vcompat run` wrote"
#: The most bytes of a file, and characters of a text in it.
_LARGEST, _LONGEST = MB, 4000
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}")


class Process(NamedTuple):
    """One process of a run."""

    pid: int
    parent: int
    host: str
    program: str
    """``sys.argv[0]``; never an argument, which may be a secret."""
    python: str
    vcompat: str
    began: float
    """When the process began to write its ledger, in seconds since 1970."""
    ended: bool
    """Whether it came to the end of the interpreter. A process that a signal ends does not."""
    variables: Mapping[str, str]
    """Those in RANKS that are set."""
    versions: Mapping[str, str]
    """The versions of the imported packages that patches change."""
    patches: Ledger


def to_json(process: Process) -> bytes:
    """Return the contents of the file of a process."""
    values: dict[str, Any] = {"form": FORM, **process._asdict()}
    values["variables"] = {name: value[:100] for name, value in process.variables.items()}
    values["program"] = process.program[:_LONGEST]
    values["patches"] = {name: [entry.status, entry.reason[:_LONGEST]] for name, entry in process.patches.items()}
    return json.dumps(values, separators=(",", ":")).encode("ascii")


def read_process(path: str) -> Process:
    """Return what the file at `path` states. Raises InputError."""
    data = read_bytes(path, _LARGEST, _EXPECTED)
    try:
        values = json.loads(data)
    except (ValueError, RecursionError):
        raise InputError(path, "not valid JSON", _EXPECTED) from None
    if not isinstance(values, dict) or values.get("form") != FORM:
        raise InputError(path, "not a ledger of this release of vcompat", _EXPECTED)
    try:
        return _process(values)
    except _WrongError as error:
        raise InputError(path, str(error), _EXPECTED) from None


class _WrongError(Exception):
    """A value is not what the form requires; the message names it."""


def _process(values: dict[str, Any]) -> Process:
    return Process(
        pid=_number(values, "pid"),
        parent=_number(values, "parent"),
        host=_text(values, "host"),
        program=_text(values, "program"),
        python=_text(values, "python"),
        vcompat=_text(values, "vcompat"),
        began=float(_number(values, "began", (int, float))),
        ended=_of(values, "ended", bool),
        variables={name: _limited(name, value) for name, value in _table(values, "variables", RANKS).items()},
        versions={name: _limited(name, value) for name, value in _table(values, "versions").items()},
        patches=Ledger({name: _entry(name, value) for name, value in _table(values, "patches").items()}),
    )


def _of(values: dict[str, Any], name: str, kind: Any) -> Any:
    value = values.get(name)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _WrongError(f"'{name}' is missing or of another type")
    return value


def _number(values: dict[str, Any], name: str, kind: Any = int) -> Any:
    value = _of(values, name, kind)
    if not 0 <= value < 2**53:
        raise _WrongError(f"'{name}' is not a number that a process has")
    return value


def _text(values: dict[str, Any], name: str) -> str:
    return _limited(name, values.get(name))


def _limited(name: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise _WrongError(f"'{name}' is not a text of at most {_LONGEST} characters")
    return value


def _table(values: dict[str, Any], name: str, only: tuple[str, ...] = ()) -> dict[str, Any]:
    table: dict[str, Any] = _of(values, name, dict)
    if len(table) > 1000 or not all(_NAME.fullmatch(key) and (not only or key in only) for key in table):
        raise _WrongError(f"'{name}' has names that it cannot have")
    return table


def _entry(name: str, value: object) -> Entry:
    if not isinstance(value, list) or len(value) != 2 or value[0] not in _STATUSES:
        raise _WrongError(f"'{name}' has no status")
    return Entry(value[0], _limited(name, value[1]))
