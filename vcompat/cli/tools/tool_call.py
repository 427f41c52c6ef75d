"""One call of a tool: a command of vcompat, whose report is the answer."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from threading import Lock
from typing import TypedDict

from vcompat.cli.tools.confined import OUTSIDE, Confinement
from vcompat.foundation.errors import InputError

#: Characters of an answer, at most.
LONGEST = 40_000
#: Standard output belongs to a process, so that calls wait for each other.
_ONE_AT_A_TIME = Lock()


class Answer(TypedDict):
    """What a tool returns."""

    exit_code: int
    """0, or 1 if there is something to act on, as the command exits."""
    report: str
    """What the command prints."""
    lines_left_out: int
    """Lines at the end of the report that are left out, since it is too long."""


def called(words: Sequence[str], text: str = "") -> Answer:
    """Run a command of vcompat in this process, with `text` on its standard input; return its report.

    Raises InputError, in one line, for input that cannot be used.
    """
    # Imported here: the folders of the server are checked without any command.
    from vcompat.cli.program import main

    out, err = _stream(), _stream()
    with _ONE_AT_A_TIME, redirect_stdout(out), redirect_stderr(err), _standard_input(text):
        code = main(list(words))
    if code not in (0, 1):
        message = " ".join(_written(err).split()).removeprefix("vcompat: ")
        raise InputError(f"vcompat {words[0]}", message or f"exit code {code}")
    return bounded(code, _written(out), is_whole="--format=json" in words)


def bounded(code: int, report: str, is_whole: bool) -> Answer:
    """Return an answer that is not too long. Raises InputError if a report must be whole, such as JSON, and is."""
    if len(report) <= LONGEST:
        return Answer(exit_code=code, report=report, lines_left_out=0)
    if is_whole:
        raise InputError("format", f"the JSON has {len(report):,} characters", f"text, or at most {LONGEST:,}")
    kept = report[:LONGEST].rpartition("\n")[0] or report[:LONGEST]
    return Answer(exit_code=code, report=kept + "\n", lines_left_out=report[len(kept) :].strip("\n").count("\n") + 1)


def path_of(name: str, confinement: Confinement) -> str:
    """Return a path of a tool's argument as a word of a command line. Raises InputError if it is outside."""
    if "\0" in name or not confinement.allows(name):
        raise InputError(name.replace("\0", " "), OUTSIDE, f"a path below {' or '.join(confinement.folders)}")
    return f"./{name}" if name.startswith("-") else name


def _stream(text: str = "") -> io.TextIOWrapper:
    """Return a stream in memory that begins with `text`. It has an encoding, by which commands choose characters."""
    return io.TextIOWrapper(io.BytesIO(text.encode("utf-8", "replace")), encoding="utf-8", errors="backslashreplace")


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


@contextmanager
def _standard_input(text: str) -> Iterator[None]:
    """Give a command a standard input of its own: the server's is the connection to the assistant."""
    before = sys.stdin
    sys.stdin = _stream(text)
    try:
        yield
    finally:
        sys.stdin = before


def prepare(folders: Sequence[str]) -> Confinement:
    """Confine this process to `folders`, of which the first one is where relative paths begin. Raises InputError."""
    for folder in folders:
        if not os.path.isdir(folder):
            raise InputError(folder, "not a folder", "a folder with run files or logs")
    confinement = Confinement(folders)
    os.chdir(confinement.folders[0])
    # The width of reports; no terminal is there.
    os.environ["COLUMNS"] = "100"
    return confinement
