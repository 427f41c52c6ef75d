"""Finds what Triton and FlashInfer compile with at run time: a C compiler, Python's headers, ninja."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from vcompat.facts.facts import Facts
from vcompat.foundation.executables import find_program

#: Variables that add folders with headers for gcc and clang.
_HEADER_PATHS = ("CPATH", "C_INCLUDE_PATH")


def probe_compilers(facts: Facts, environment: Mapping[str, str] | None = None, prefix: str = sys.base_prefix) -> None:
    """Record the facts ``host.c_compiler``, ``host.python_headers`` and ``host.ninja``.

    They are found as Triton's ``runtime/build.py`` finds them (the variable CC, else gcc or clang in PATH; the headers
    of the interpreter, which is installed in `prefix`), and as FlashInfer starts ninja, by its name.
    """
    variables = os.environ if environment is None else environment
    path = variables.get("PATH")
    named = variables.get("CC")
    compilers = ("gcc", "clang") if named is None else (named,)
    found = [name for name in compilers if find_program(name, path)]
    where = "PATH" if named is None else "the variable CC"
    facts.set("host.c_compiler", bool(found), f"{found[0]} in {where}" if found else f"no {' or '.join(compilers)}")
    facts.set("host.ninja", find_program("ninja", path) is not None, "PATH")
    folder = os.path.join(prefix, "include", f"python{sys.version_info[0]}.{sys.version_info[1]}{_abi()}")
    if os.path.isfile(os.path.join(folder, "Python.h")):
        facts.set("host.python_headers", True, folder)
    elif any(variables.get(name) for name in _HEADER_PATHS):
        facts.forget("host.python_headers", f"not in {folder}, but {' or '.join(_HEADER_PATHS)} may name their folder")
    else:
        facts.set("host.python_headers", False, f"no Python.h in {folder}")


def _abi() -> str:
    """The suffix of the folder of headers, such as t for a build without the GIL."""
    return getattr(sys, "abiflags", "")
