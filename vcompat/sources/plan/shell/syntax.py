"""Parses shell text with shfmt, the parser of mvdan/sh, into its syntax tree.

shfmt prints the tree as JSON. The text is never run. A part that shfmt cannot parse ends the statements before it; the
statements after it are parsed on their own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
import threading
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from vcompat.foundation.errors import InputError

Node = dict[str, Any]

#: Maximum size of a text in characters, and of its tree in bytes.
LONGEST_TEXT, LARGEST_TREE = 200_000, 40_000_000
#: Maximum time for one text in seconds.
_TIMEOUT = 5
#: Maximum number of syntax errors in one text.
_MOST_ERRORS = 8
_ERROR = re.compile(r"^(?:<standard input>:)?(\d+):\d+: ", re.MULTILINE)


def children(node: Node | None, key: str = "Parts") -> list[Node]:
    """Return the nodes in the list `key` of a node; none if it has no such list."""
    found = (node or {}).get(key)
    return found if isinstance(found, list) else []


class Block(NamedTuple):
    """Consecutive statements of a text."""

    statements: tuple[Node, ...]
    line: int
    """The number of lines before the text that was parsed; positions in the tree start after them."""
    error: int = 0
    """The line of the syntax error that ends the statements; 0 if there is none."""


@lru_cache(maxsize=64)
def parse(text: str, where: str) -> tuple[Block, ...]:
    """Parse `text`. Raises InputError, with `where` as the location, if shfmt is missing or the text is too large."""
    if len(text) > LONGEST_TEXT:
        raise InputError(where, f"more than {LONGEST_TEXT} characters", "a shorter shell script")
    return tuple(_blocks(text, where))


def _blocks(text: str, where: str) -> Iterator[Block]:
    """Yield the statements before each syntax error, then those after it."""
    lines = text.split("\n")
    first = 0
    for _ in range(_MOST_ERRORS):
        statements, error = _parsed("\n".join(lines[first:]), where)
        if not error:
            yield Block(statements, first)
            return
        end = first + error - 1
        for _ in range(_MOST_ERRORS):
            statements, earlier = _parsed("\n".join(lines[first:end]), where)
            if not earlier:
                break
            end = first + earlier - 1
        yield Block(statements if not earlier else (), first, first + error)
        first += error
    yield Block((), first, first + 1)


def _parsed(text: str, where: str) -> tuple[tuple[Node, ...], int]:
    """Return the statements of `text` and the line of its syntax error; 0 if there is none."""
    output, errors = _shfmt(text, where)
    if match := _ERROR.search(errors):
        return (), int(match[1])
    try:
        return tuple(json.loads(output).get("Stmts") or ()), 0
    except (ValueError, RecursionError):
        raise InputError(where, "the shell commands are nested too deeply to be read", "a shell script") from None


def _shfmt(text: str, where: str) -> tuple[bytes, str]:
    """Return what shfmt prints for `text`: the tree, and errors."""
    program = _program()
    if program is None:
        raise InputError(where, "shell scripts are read with shfmt, which is not installed", "the package shfmt-py")
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as problems:
        source.write(text.encode("utf-8", "replace"))
        source.seek(0)
        command = [program, "--to-json", "-ln", "bash"]
        try:
            process = subprocess.Popen(command, stdin=source, stdout=subprocess.PIPE, stderr=problems)
        except OSError as error:
            raise InputError(where, f"shfmt failed: {error}", "a shell script") from None
        timer = threading.Timer(_TIMEOUT, process.kill)
        timer.start()
        try:
            # Deep nesting makes the tree many times larger than the text.
            tree = process.stdout.read(LARGEST_TREE + 1) if process.stdout else b""
        finally:
            process.kill()
            process.wait()
            timer.cancel()
            if process.stdout:
                process.stdout.close()
        if len(tree) > LARGEST_TREE:
            raise InputError(where, "too many shell commands to be read", "a shorter shell script")
        problems.seek(0)
        return tree, problems.read(100_000).decode("utf-8", "replace")


@lru_cache(maxsize=1)
def _program() -> str | None:
    """Return the path of shfmt: beside this interpreter, as its package installs it, else on the PATH."""
    installed = os.path.join(sysconfig.get_path("scripts"), "shfmt")
    return installed if os.access(installed, os.X_OK) else shutil.which("shfmt")
