"""Runs vcompat's commands on files that a page has: diagnose, report and check, with the command line of each."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path, PurePosixPath
from typing import Any

#: What the files of a check are: started or read as the run, a list of packages, or read where others name them.
RUN, PACKAGES, OTHER = "run", "packages", "other"
_FORMATS = ("json", "html", "markdown")
_BAD_INPUT = 2


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a command states about files.

    `request` has ``command`` ("diagnose", "report" or "check") and ``files``, the bytes of each by its relative path.
    A check also has ``roles`` (of each path: RUN, PACKAGES or OTHER), ``target`` and ``packages``, a release of each.

    The answer has the exit ``code``, the ``command`` as one types it, the ``message`` if the code is 2, and the text of
    each report: ``json``, ``html`` and ``markdown``; of "report" only ``markdown``.
    """
    words = arguments(request)
    formats = ("markdown",) if request["command"] == "report" else _FORMATS
    with _files(request["files"]), tempfile.TemporaryDirectory() as folder:
        outputs = {form: os.path.join(folder, form) for form in formats}
        code, message = _run([*words, *_output_words(request["command"], outputs)])
        found = {form: Path(path).read_text("utf-8") for form, path in outputs.items() if os.path.exists(path)}
    return {"code": code, "command": shlex.join(["vcompat", *words]), "message": message, **found}


def arguments(request: Mapping[str, Any]) -> list[str]:
    """Return the words of the command line for a request, without those for the reports."""
    command, paths = request["command"], sorted(map(_relative, request["files"]))
    if command == "report":
        return ["report", "--anonymize", *paths]
    if command == "diagnose":
        return ["diagnose", *paths]
    roles = {_relative(path): role for path, role in request.get("roles", {}).items()}
    words = ["check", *(path for path in paths if roles.get(path, RUN) == RUN), "--no-probe"]
    for path in paths:
        words += ["--env", path] if roles.get(path) == PACKAGES else []
    if request.get("target"):
        words += ["--target", request["target"]]
    for package, release in request.get("packages", {}).items():
        words += ["--set", f"packages.{package}={release}"] if release else []
    return words


def _output_words(command: str, outputs: Mapping[str, str]) -> Iterator[str]:
    for form, path in outputs.items():
        yield from ("-o", path) if command == "report" else ("--format", form, "-o", path)


def _relative(path: str) -> str:
    """Return a path that stays in the folder of the files, and is no option."""
    parts = [part for part in PurePosixPath(path.replace("\\", "/")).parts if part not in ("/", "..", ".")]
    inside = "/".join(parts) or "file"
    return f"./{inside}" if inside.startswith("-") else inside


@contextmanager
def _files(files: Mapping[str, Any]) -> Iterator[None]:
    """Write files into a new folder, which is the current one inside of the block."""
    before, folder = os.getcwd(), tempfile.mkdtemp()
    try:
        for path, content in files.items():
            file = Path(folder, _relative(path))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(bytes(content))
        os.chdir(folder)
        yield
    finally:
        os.chdir(before)
        shutil.rmtree(folder)


def _run(words: Sequence[str]) -> tuple[int, str]:
    """Run a command line; return its exit code, and what it prints if it refuses its input."""
    from vcompat.cli.program import main

    printed = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(printed):
        code = main(list(words))
    return code, printed.getvalue().strip() if code == _BAD_INPUT else ""
