"""The folder ``tools/`` of the site: the files of the engine, and the list of them that the page's worker loads."""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from vcompat.report.parts.page_style import STYLE
from web.tools.archive import archive
from web.tools.licenses import licenses
from web.tools.npm_packages import FOLDER

_STATIC = Path(__file__).resolve().parents[1] / "static" / "tools"


class File(NamedTuple):
    """A file that the worker loads."""

    name: str
    content: bytes
    is_packed: bool
    """Whether it is compressed: not every server does that."""


class Bundle(NamedTuple):
    """The files of the engine."""

    version: str
    """A digest of all files, which names the folder: browsers keep what is in it for ever."""
    files: tuple[File, ...]
    lock: dict[str, object]
    """What Pyodide must know of its release."""

    @property
    def megabytes(self) -> float:
        """What is loaded once, in MB."""
        return sum(len(file.content) for file in self.files) / 1e6


@functools.cache
def bundle() -> Bundle:
    """Return the files of the engine. The packages from npm must be installed."""
    pyodide, tree_sitter = FOLDER / "pyodide", FOLDER / "web-tree-sitter"
    packed = {
        "pyodide.asm.wasm": pyodide / "pyodide.asm.wasm",
        "web-tree-sitter.wasm": tree_sitter / "web-tree-sitter.wasm",
        "tree-sitter-bash.wasm": FOLDER / "tree-sitter-bash" / "tree-sitter-bash.wasm",
    }
    files = [File(name, gzip.compress(path.read_bytes(), 9, mtime=0), True) for name, path in packed.items()]
    files.append(File("python_stdlib.zip", (pyodide / "python_stdlib.zip").read_bytes(), False))
    files.append(File("vcompat.zip", archive(), False))
    scripts = (pyodide / "pyodide.mjs", pyodide / "pyodide.asm.mjs", tree_sitter / "web-tree-sitter.js")
    # Loaded as files, too: what is only imported is not kept where a page is used for the first time.
    files += [File(path.name, _without_map(path.read_bytes()), False) for path in scripts]
    lock = json.loads((pyodide / "pyodide-lock.json").read_bytes())
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.name} {len(file.content)}\n".encode() + file.content)
    return Bundle(digest.hexdigest()[:16], tuple(files), {"info": lock["info"], "packages": {}})


def _without_map(script: bytes) -> bytes:
    """A script without the address of its source map, which is not on the site."""
    lines = script.splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith(b"//# sourceMappingURL="))


def write(site: Path) -> None:
    """Write the engine below the folder of the site, and the script that serves it offline."""
    made, tools = bundle(), site / "tools"
    folder = tools / f"engine-{made.version}"
    folder.mkdir(parents=True)
    listed = []
    for file in made.files:
        # No ending that makes a server say that it is compressed.
        path = f"{file.name}.bin" if file.is_packed else file.name
        (folder / path).write_bytes(file.content)
        digest = hashlib.sha256(file.content).hexdigest()
        listed.append(
            {"name": file.name, "path": path, "size": len(file.content), "sha256": digest, "packed": file.is_packed}
        )
    manifest = {"version": made.version, "folder": f"{folder.name}/", "lock": made.lock, "files": listed}
    (tools / "engine.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    (tools / "licenses.txt").write_text(licenses(), encoding="utf-8")
    (tools / "report.css").write_text(STYLE.lstrip(), encoding="utf-8")
    # At the top of the site, since it serves the pages there.
    (site / "offline.js").write_bytes((_STATIC / "offline.js").read_bytes())
