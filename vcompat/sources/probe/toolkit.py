"""Finds the CUDA toolkit whose compiler builds kernels at run time: the fact ``host.cuda_toolkit``."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Facts
from vcompat.foundation.executables import find_program

#: Bytes of cuda.h that are read; its version is defined in the first thousands.
_HEADER = 65536


def probe_toolkit(
    facts: Facts, environment: Mapping[str, str] | None = None, standard: str = "/usr/local/cuda"
) -> None:
    """Record the version of the toolkit that `torch.utils.cpp_extension` finds; None if there is no nvcc.

    It looks in CUDA_HOME or CUDA_PATH, then for nvcc in PATH, then in the folder `standard`. The fact stays unknown if
    a toolkit does not state its version.
    """
    for folder in (*_folders(os.environ if environment is None else environment), standard):
        nvcc = os.path.join(folder, "bin", "nvcc")
        if os.access(nvcc, os.X_OK):
            version = _version(folder)
            if version is None:
                facts.forget("host.cuda_toolkit", f"no version found in {folder}")
            else:
                facts.set("host.cuda_toolkit", version, folder)
            return
    facts.set("host.cuda_toolkit", None, "no nvcc in CUDA_HOME, PATH or /usr/local/cuda")


def _folders(environment: Mapping[str, str]) -> Iterator[str]:
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if environment.get(variable):
            yield environment[variable]
            return
    nvcc = find_program("nvcc", environment.get("PATH"))
    if nvcc:
        yield os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))


def _version(folder: str) -> Version | None:
    """Return the version that ``version.json`` states, else the one in ``cuda.h``; None if there is neither."""
    try:
        with open(os.path.join(folder, "version.json"), encoding="utf-8") as file:
            return Version(json.load(file)["cuda"]["version"])
    except (OSError, ValueError, KeyError, TypeError, InvalidVersion):
        pass
    try:
        with open(os.path.join(folder, "include", "cuda.h"), encoding="ascii", errors="replace") as file:
            found = re.search(r"#define CUDA_VERSION (\d+)(\d\d)\d\s", file.read(_HEADER))
    except OSError:
        return None
    return Version(f"{int(found[1])}.{int(found[2])}") if found else None
