"""Triton releases, each in a folder of its own beside the fetched releases. torch is the one of this environment."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from vcompat.upstream.store import default_folder

#: Seconds that an installation may take.
_PATIENCE = 600


class NotInstalled(Exception):
    """A Triton release cannot be installed; the message states which and why."""


def folder() -> Path:
    """Return the folder with one folder per Triton release."""
    return default_folder().parent / "triton"


def triton(version: str) -> Path:
    """Return the folder of a Triton release; install it first if it is not there. Raises NotInstalled."""
    place = folder() / version
    if place.is_dir():
        return place
    try:
        folder().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=folder()) as scratch:
            target = Path(scratch) / version
            done = subprocess.run(
                [*_installer(), f"triton=={version}", "--no-deps", "--target", str(target)],
                capture_output=True,
                text=True,
                timeout=_PATIENCE,
                check=False,
            )
            if done.returncode:
                raise NotInstalled(f"triton {version}: {(done.stderr.strip().splitlines() or ['pip failed'])[-1]}")
            with contextlib.suppress(OSError):
                os.replace(target, place)
            if not place.is_dir():  # else another process installed it meanwhile
                raise NotInstalled(f"triton {version}: cannot write {place}")
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalled(f"triton {version}: {error}") from error
    return place


def _installer() -> list[str]:
    uv = Path(sys.executable).parent / "uv"
    installer = str(uv) if uv.is_file() else shutil.which("uv")
    quiet = ["--quiet", "--only-binary", ":all:"]
    if installer:
        return [installer, "pip", "install", "--python", sys.executable, *quiet]
    return [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", *quiet]


def size(version: str) -> int:
    """Return the bytes that an installed Triton release takes."""
    return sum(path.stat().st_size for path in (folder() / version).rglob("*") if path.is_file())
