"""Where an interpreter has vLLM and Triton installed. Neither is imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import NamedTuple

from packaging.version import Version

from vcompat.foundation.errors import InputError
from vcompat.kernels.closure import closure
from vcompat.kernels.grid import Kernel
from vcompat.sources.probe.installed_packages import probe_packages

WHERE = "check --compile"
#: Seconds that an interpreter may take to start.
_PATIENCE = 20
#: `find_spec` of a package at the top imports nothing. The working directory is not in the path of a script.
_FIND = """
import importlib.util, json, sys
sys.path[:] = [place for place in sys.path if place]
found = {}
for name in ("vllm", "triton", "torch"):
    spec = importlib.util.find_spec(name)
    found[name] = next(iter(spec.submodule_search_locations or ()), "") if spec else ""
print(json.dumps({"path": sys.path, **found}))
"""


class Installed(NamedTuple):
    """The packages of an interpreter that a compilation needs."""

    python: str
    folder: str
    """The folder that has the package vllm."""
    vllm: Version
    triton: str
    """Triton's release."""


def interpreter(path: str) -> str:
    """Return the interpreter that `--python` names: itself, or in its environment; without one, the running one."""
    if not path:
        return sys.executable
    return os.path.join(path, "bin", "python") if os.path.isdir(path) else path


def find(python: str) -> Installed:
    """Return what the interpreter `python` has. Raises InputError if vLLM, Triton or torch is missing."""
    try:
        done = subprocess.run(
            [python, "-c", _FIND],
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=True,
            stdin=subprocess.DEVNULL,
        )
        told: Mapping[str, str] = json.loads(done.stdout.splitlines()[-1])
    except (OSError, subprocess.SubprocessError, ValueError, IndexError) as error:
        raise InputError(WHERE, f"{python} does not run: {error}", "a Python interpreter") from None
    for name, shown in (("vllm", "vLLM"), ("triton", "Triton"), ("torch", "torch")):
        if not told[name]:
            raise InputError(WHERE, f"{shown} is not installed for {python}", "an environment with vLLM and Triton")
    facts = probe_packages(told["path"])
    vllm, triton = facts.value("packages.vllm"), facts.value("packages.triton")
    if not isinstance(vllm, Version):
        raise InputError(WHERE, f"the release of vLLM in {told['vllm']} is not known", "an installed vLLM")
    return Installed(python, os.path.dirname(told["vllm"]), vllm, str(triton or ""))


class Code(NamedTuple):
    """What of the installed vLLM a kernel needs."""

    module: str
    texts: Mapping[str, str]
    """See `closure`; by the path of the file."""


def code_of(kernel: Kernel, installed: Installed) -> Code | None:
    """Return the code of a kernel; None if the installed release does not have the kernel, or not as it is called."""
    release = installed.vllm
    if release < Version(kernel.since) or (kernel.below and release >= Version(kernel.below)):
        return None

    def read(path: str) -> str | None:
        try:
            with open(os.path.join(installed.folder, path), encoding="utf-8") as file:
                return file.read()
        except (OSError, UnicodeDecodeError):
            return None

    path = next((path for path in kernel.paths if read(path)), "")
    module = path.removesuffix(".py").replace("/", ".")
    texts = closure(module, kernel.entries, read) if path else {}
    return Code(module, texts) if texts else None
