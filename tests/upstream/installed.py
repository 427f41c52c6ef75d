"""Real packages in other versions than this environment's, for processes that a test starts.

`installed("transformers==4.48.3")` returns a folder that holds that one package and nothing it depends on. It is made
once with pip and kept in the cache of `releases`. Put before others on a process's PYTHONPATH, it is the version that
the process imports and finds in the metadata.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.upstream.releases import NotAvailable, cache_directory


def installed(*pins: str) -> list[Path]:
    """The folders of the packages that `pins` name, such as ``numpy==1.26.4``, in their order.

    A folder appears in the cache at once and whole. Raises NotAvailable, saying which package and why.
    """
    return [_folder(pin) for pin in pins]


def python_path(*folders: Path) -> str:
    """A value for PYTHONPATH: `folders` in their order, then what is on it already."""
    return os.pathsep.join([*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])])


def _folder(pin: str) -> Path:
    # Compiled packages fit one version of Python.
    folder = cache_directory() / f"installed-{sys.implementation.cache_tag}" / pin.replace("==", "-")
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            made = Path(scratch) / "target"
            _install(pin, made)
            try:
                os.replace(made, folder)
            except OSError:
                # Another test process may have been faster; its folder is as good as ours.
                if not folder.is_dir():
                    raise
    return folder


def _install(pin: str, target: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--target", str(target), pin]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["pip says nothing"])[-1]
        raise NotAvailable(f"{pin} is not in {cache_directory()} and cannot be installed: {reason}")
