"""Real packages in other versions than in this environment, for processes started by a test.

`installed("transformers==4.48.3")` returns a folder with only that package, without dependencies. pip creates the
folder once, in the cache of `releases`. With the folder first on its PYTHONPATH, a process imports that version and
finds it in the metadata.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.upstream.releases import NotAvailable, cache_directory

_ROOT = Path(__file__).resolve().parents[2]
#: Packages that have source distributions only. They build in seconds, without extensions.
_WITHOUT_WHEELS = frozenset({"deepspeed"})


def installed(*pins: str) -> list[Path]:
    """Return the folders of the packages in `pins`, such as ``numpy==1.26.4``, in order.

    A folder appears in the cache atomically. Raises NotAvailable with the package and the reason.
    """
    return [_folder(pin) for pin in pins]


def python_path(*folders: Path) -> str:
    """Return a value for PYTHONPATH: `folders` in order, then its current value."""
    return os.pathsep.join([*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])])


def run_python(program: str, *folders: Path) -> subprocess.CompletedProcess[str]:
    """Run `program` in a process that imports from `folders` first, and return it when it has ended."""
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": python_path(*folders, _ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


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
                # Another test process created the folder first.
                if not folder.is_dir():
                    raise
    return folder


def _install(pin: str, target: Path) -> None:
    name = pin.partition("==")[0]
    built = f"--no-binary={name}" if name in _WITHOUT_WHEELS else "--only-binary=:all:"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", built]
    command += ["--disable-pip-version-check", "--target", str(target), pin]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["pip printed no reason"])[-1]
        raise NotAvailable(f"{pin} is not in {cache_directory()} and cannot be installed: {reason}")
