"""Runs the code cells of a notebook in one process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from pathlib import Path

from tests.oracle.standins import recorder


def run(path: str) -> None:
    """Run the cells in order. Lines for the shell run in a shell; magic commands that set variables set them."""
    recorder.LAUNCH.update(launcher="python", world_size=1, num_machines=1, processes_per_machine=1)
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    sys.argv = ["ipykernel_launcher.py"]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    os.chdir(os.path.dirname(os.path.abspath(path)))
    for cell in json.loads(Path(path).read_text())["cells"]:
        if cell["cell_type"] == "code":
            source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
            _run_cell(source, main)


def _run_cell(source: str, main: types.ModuleType) -> None:
    first, _, rest = source.lstrip().partition("\n")
    if first.startswith("%%bash") or first.startswith("%%sh"):
        subprocess.run(["bash", "-c", rest], check=True)
    elif first.startswith("%%writefile"):
        Path(first.split()[-1]).write_text(rest)
    elif not first.startswith("%%") or first.startswith(("%%time", "%%capture")):
        code = rest if first.startswith("%%") else source
        lines = [_line(line) for line in code.splitlines()]
        exec(compile("\n".join(lines), "<cell>", "exec"), main.__dict__)


def _line(line: str) -> str:
    stripped = line.lstrip()
    indent = line[: len(line) - len(stripped)]
    if stripped.startswith("!"):
        return f"{indent}__import__('subprocess').run({stripped[1:]!r}, shell=True)"
    if stripped.startswith(("%env ", "%set_env ")):
        name, _, value = stripped.split(" ", 1)[1].partition("=" if "=" in stripped else " ")
        return f"{indent}__import__('os').environ[{name.strip()!r}] = {value.strip()!r}"
    return f"{indent}pass" if stripped.startswith("%") else line
