"""An example: files, what is handed to the readers, and how to run it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import tomli


class Caller(NamedTuple):
    """What only the caller knows: one state of the machine, the environment and the command line."""

    environment: Mapping[str, str] = {}
    words: tuple[str, ...] = ()
    """Words behind the command."""
    gpus: int = 8
    host: str = "node1"
    launch: tuple[str, ...] = ()
    """Words instead of the command's first one, for a script that a caller can launch as he likes."""
    home: Mapping[str, str] = {}
    """Files in the home folder."""


class Example(NamedTuple):
    """Files, the paths that the readers get, and the command that runs them, under several states of the caller."""

    files: dict[str, str]
    given: tuple[str, ...]
    command: tuple[str, ...]
    callers: tuple[Caller, ...] = (Caller(),)
    spellings: tuple[str, ...] = ()
    """The names of the spellings that the generator put together."""

    def write(self, folder: Path) -> None:
        """Write the files into `folder`."""
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            if text.startswith("#!"):
                path.chmod(0o755)


def load(folder: Path) -> Example:
    """Read an example from a folder: its ``case.toml`` and the files beside it."""
    description: dict[str, Any] = tomli.loads((folder / "case.toml").read_text(encoding="utf-8"))
    files = {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("case.toml", "expected.toml") and "__pycache__" not in path.parts
    }
    callers = tuple(
        Caller(
            {name: str(value) for name, value in caller.get("environment", {}).items()},
            tuple(caller.get("words", ())),
            caller.get("gpus", 8),
            caller.get("host", "node1"),
            tuple(caller.get("launch", ())),
            caller.get("home", {}),
        )
        for caller in description.get("caller", [{}])
    )
    return Example(files, tuple(description["given"]), tuple(description.get("command", ())), callers)


def save(example: Example, folder: Path, note: str) -> None:
    """Write an example as a folder that `load` reads. `note` tells what was false."""
    folder.mkdir(parents=True, exist_ok=True)
    example.write(folder)
    lines = [f"# {line}" for line in note.splitlines()]
    lines += [f"given = {json.dumps(example.given)}", f"command = {json.dumps(example.command)}"]
    for caller in example.callers:
        lines += [
            "",
            "[[caller]]",
            f"launch = {json.dumps(caller.launch)}",
            f"words = {json.dumps(caller.words)}",
            f"gpus = {caller.gpus}",
            f'host = "{caller.host}"',
        ]
        for name, table in (("environment", caller.environment), ("home", caller.home)):
            pairs = ", ".join(f"{json.dumps(key)} = {json.dumps(value)}" for key, value in table.items())
            lines.append(f"{name} = {{ {pairs} }}" if pairs else f"{name} = {{}}")
    (folder / "case.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
