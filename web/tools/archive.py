"""The archive of Python modules for the tools: vcompat as its wheel has it, what it imports, and those in `inside`."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from importlib.metadata import distribution
from pathlib import Path

from web.tools.npm_packages import FOLDER

_HERE = Path(__file__).resolve().parent
_CHECKOUT = _HERE.parents[1]
#: What vcompat imports and is Python alone, in the releases of this environment, which are those that tests use.
PURE = ("click", "packaging", "tomli", "nvidia-ml-py", "PyYAML")
#: ZIP files store a time. With one for all, two builds are the same.
_TIME = (2020, 2, 2, 0, 0, 0)
#: Already compressed.
_STORED = (".zip",)
#: Compiled modules are kept for the same sources and Pyodide.
_KEPT = FOLDER / ".compiled"


def archive() -> bytes:
    """Return the archive as a ZIP file: the modules, and those that a first answer imports also compiled.

    The packages from npm must be installed. Raises CalledProcessError if vcompat or a module does not compile.
    """
    files = dict(sorted({**_vcompat(), **_dependencies(), **_inside()}.items()))
    plain = _zip(files)
    return _zip(dict(sorted({**files, **_compiled(plain)}.items())))


def _vcompat() -> Mapping[str, bytes]:
    """The files of vcompat's wheel, without what describes it for installers."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
        subprocess.run(command, cwd=_CHECKOUT, check=True, capture_output=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as opened:
            return {name: opened.read(name) for name in opened.namelist() if ".dist-info/" not in name}


def _dependencies() -> Mapping[str, bytes]:
    return {name: content for package in PURE for name, content in _pure(package)}


def _pure(package: str) -> Iterator[tuple[str, bytes]]:
    """Yield the Python files of an installed distribution, and its metadata, which states the release."""
    for file in distribution(package).files or ():
        name = file.as_posix()
        if file.suffix == ".py" or name.endswith(".dist-info/METADATA"):
            yield name, Path(str(file.locate())).read_bytes()


def _inside() -> Mapping[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted((_HERE / "inside").glob("*.py"))}


def _compiled(plain: bytes) -> Mapping[str, bytes]:
    """The modules that a first answer imports, compiled in Pyodide: importing them takes half the time."""
    script = _HERE / "precompile.mjs"
    stamp = hashlib.sha256(plain + script.read_bytes() + (FOLDER / ".installed").read_bytes()).hexdigest()
    kept = _KEPT / f"{stamp}.zip"
    if not kept.exists():
        with tempfile.TemporaryDirectory() as folder:
            given, made = Path(folder, "plain.zip"), Path(folder, "compiled.zip")
            given.write_bytes(plain)
            subprocess.run(["node", str(script), str(given), str(made)], check=True, capture_output=True)
            _KEPT.mkdir(exist_ok=True)
            for old in _KEPT.iterdir():
                old.unlink()
            kept.write_bytes(made.read_bytes())
    with zipfile.ZipFile(kept) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def _zip(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as opened:
        for name, content in files.items():
            kind = zipfile.ZIP_STORED if name.endswith(_STORED) else zipfile.ZIP_DEFLATED
            opened.writestr(zipfile.ZipInfo(name, _TIME), content, kind, 9)
    return buffer.getvalue()
