"""The user's terminal: output in its encoding and colors, its width, and readers that stop early."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

import click


def prepare() -> None:
    """Let every character be printed in any encoding: one that it lacks is printed as an escape.

    What is printed to a stream that is closed is lost; Python has none in its place.
    """
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - to the end of the process
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def say(text: str) -> None:
    """Print a line or more. A reader that has stopped (``| head``) changes nothing: the command runs to its end."""
    try:
        click.echo(text)
    except BrokenPipeError:
        discard()


def say_all(lines: Iterable[str]) -> None:
    """Print lines, each as soon as it is known."""
    for line in lines:
        say(line)


@contextmanager
def status() -> Iterator[Callable[[str], None]]:
    """Yield a function that replaces the last line of a terminal's stderr; elsewhere, it prints nothing."""
    shown = sys.stderr.isatty()

    def show(text: str) -> None:
        if shown:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()

    try:
        yield show
    finally:
        show("")


def discard() -> None:
    """Send all further output nowhere, so that the exit code remains the command's own."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def width(least: int = 60) -> int:
    """Columns to fill: the terminal's, between `least` and 110, which is as long as a line should be."""
    return max(least, min(columns(), 110))


def is_ascii() -> bool:
    """Whether standard output cannot show block characters."""
    try:
        "█░".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def columns() -> int:
    """What COLUMNS says, else the terminal's width, else 80."""
    with suppress(ValueError):
        return int(os.environ.get("COLUMNS", ""))
    with suppress(OSError, ValueError):
        return os.get_terminal_size(1).columns
    return 80
