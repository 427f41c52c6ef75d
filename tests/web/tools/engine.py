"""The engine of the tools in Node, and the command that it is compared with."""

from __future__ import annotations

import base64
import io
import json
import os
import subprocess
from collections.abc import Mapping
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, NamedTuple

from vcompat.cli.program import main

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LOGS = sorted((ROOT / "tests/cases/logs").glob("*.log"))


class Engine:
    """A process of Node that answers as the worker of a page does."""

    def __init__(self, archive: Path) -> None:
        command = ["node", str(HERE / "answers.mjs"), str(archive)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.started: dict[str, Any] = self._line()

    def _line(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the process has ended"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, command: str, files: Mapping[str, bytes], **details: Any) -> dict[str, Any]:
        """Return the answer to a request; ``error`` is what the engine could not do."""
        encoded = {path: base64.b64encode(content).decode() for path, content in files.items()}
        assert self._process.stdin is not None
        print(json.dumps({"command": command, "files": encoded, **details}), file=self._process.stdin, flush=True)
        return self._line()

    def close(self) -> None:
        self._process.communicate(timeout=300)


class Commanded(NamedTuple):
    """What the command did."""

    code: int
    report: Any
    """Its report as JSON; None if it has none."""
    message: str
    """What it prints on standard error."""


def commanded(words: list[str], files: Mapping[str, bytes], folder: Path) -> Commanded:
    """Run `vcompat` in a new folder with the files."""
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    report = folder.parent / f"{folder.name}.json"
    before = Path.cwd()
    os.chdir(folder)
    printed = io.StringIO()
    try:
        with redirect_stderr(printed):
            code = main([*words, "--format", "json", "-o", str(report)])
    finally:
        os.chdir(before)
    return Commanded(code, json.loads(report.read_text()) if report.exists() else None, printed.getvalue().strip())
