"""Scratch environments for trials: chosen releases of upstream packages, and nothing of the environment that runs the tests.

Each environment is a list of folders for sys.path. uv installs the packages and what they require into one of them, with
the chosen releases forced against any requirement, because a trial often combines releases that exclude each other.
vLLM and DeepSpeed are source trees without their compiled extensions. torch is that of the test environment.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.upstream.releases import NotAvailable, cache_directory, release
from vcompat.upstream.requirements import requirement_lines

#: Packages that are used as source trees: their wheels are large or must be built.
_TREES = ("vllm", "deepspeed")
#: Packages that are only installed if they are pinned: torch is linked, the others need a GPU or are large, and importing
#: vLLM's Python code does not need them.
_LEFT_OUT = """
torch torchvision torchaudio torchcodec triton xformers flashinfer-python flashinfer-cubin ray cupy-cuda12x vllm-flash-attn
vllm vllm-nccl-cu12 deepspeed nvidia-cutlass-dsl nvidia-cudnn-frontend nvidia-nccl-cu12 pynvvideocodec tilelang
quack-kernels humming-kernels tokenspeed-mla fastsafetensors instanttensor bitsandbytes nvtx liger-kernel
""".split()
#: What torch itself imports.
_FOR_TORCH = "filelock typing-extensions setuptools<81 sympy networkx jinja2 fsspec numpy".split()
_TORCH_FOLDERS = ("torch", "torchgen", "functorch")


def folders(pins: Mapping[str, str], until: str) -> list[Path]:
    """Return the folders of an environment with the releases `pins`, the first one taking precedence.

    `until` is a date such as ``2025-06-30``; packages that are not pinned are in the newest release before it, or in the
    newest release if it is empty. Raises NotAvailable with the reason.
    """
    trees = [release(package, pins[package]) for package in _TREES if package in pins]
    return [*trees, _installed(pins, until), _torch()]


def _installed(pins: Mapping[str, str], until: str) -> Path:
    """The folder of the installed packages, which appears in the cache atomically."""
    required, forced = _requirements(pins), _forced(pins)
    identity = json.dumps([required, forced, until, sys.implementation.cache_tag])
    folder = cache_directory() / "trials" / hashlib.sha256(identity.encode()).hexdigest()[:16]
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            _install(Path(scratch), required, forced, until)
            try:
                os.replace(Path(scratch) / "target", folder)
            except OSError:
                # Another process created the folder first.
                if not folder.is_dir():
                    raise
    return folder


def _requirements(pins: Mapping[str, str]) -> list[str]:
    """What to install: the pinned packages, and what those that are source trees require."""
    plain = [f"{package}=={version}" for package, version in sorted(pins.items()) if package not in _TREES]
    return [
        *_FOR_TORCH,
        *plain,
        *(line for package in _TREES if package in pins for line in _of(package, pins[package])),
    ]


def _of(package: str, version: str) -> Iterator[str]:
    tree = release(package, version)

    def read(path: str) -> str | None:
        file = tree / path
        return file.read_text(encoding="utf-8") if file.is_file() else None

    for line in requirement_lines(package, Version(version), read):
        requirement = Requirement(line)
        if "extra" not in str(requirement.marker or "") and canonicalize_name(requirement.name) not in _LEFT_OUT:
            yield line


def _forced(pins: Mapping[str, str]) -> list[str]:
    """uv's overrides: pinned releases whatever other packages require, and packages that are left out."""
    never = [f'{package} ; python_version < "3"' for package in _LEFT_OUT if package not in pins]
    return never + [f"{package}=={version}" for package, version in sorted(pins.items()) if package not in _TREES]


def _install(scratch: Path, required: list[str], forced: list[str], until: str) -> None:
    (scratch / "required.txt").write_text("\n".join(required))
    (scratch / "forced.txt").write_text("\n".join(forced))
    command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", sys.executable]
    command += ["--target", str(scratch / "target"), "-r", str(scratch / "required.txt")]
    command += ["--override", str(scratch / "forced.txt"), *(["--exclude-newer", until] if until else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotAvailable(f"{', '.join(required)} cannot be installed: {done.stderr.strip()[-1500:]}")


def _torch() -> Path:
    """A folder with links to torch in the test environment, and to nothing else there."""
    found = distribution("torch")
    site = Path(str(found.locate_file(""))).resolve()
    metadata = next(site.glob(f"torch-{found.version}*.dist-info")).name
    folder = cache_directory() / "trials" / f"torch-{hashlib.sha256(str(site).encode()).hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    for name in (*_TORCH_FOLDERS, metadata):
        if not (folder / name).exists() and (site / name).exists():
            (folder / name).symlink_to(site / name)
    return folder
