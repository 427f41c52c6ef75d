"""The packages from npm that the tools need: Pyodide, tree-sitter and its grammar of bash."""

from __future__ import annotations

import functools
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent / "npm"
FOLDER = HERE / "node_modules"
#: Those that the page loads.
PACKAGES = ("pyodide", "tree-sitter-bash", "web-tree-sitter")


@functools.cache
def missing() -> str:
    """Return why the packages cannot be used, in one line; empty if they are installed now.

    npm installs exactly what the lock file states, and compares the digests.
    """
    programs = [name for name in ("node", "npm") if shutil.which(name) is None]
    if programs:
        return f"{' and '.join(programs)}: not found in PATH; expected Node.js 20 or newer with npm"
    lock = (HERE / "package-lock.json").read_bytes()
    stamp = FOLDER / ".installed"
    if not stamp.exists() or stamp.read_bytes() != lock:
        result = subprocess.run(["npm", "ci"], cwd=HERE, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            last = (result.stderr.strip().splitlines() or ["no message"])[-1]
            return f"npm ci in {HERE.name}/: {last}; expected the packages of package-lock.json"
        stamp.write_bytes(lock)
    return ""
