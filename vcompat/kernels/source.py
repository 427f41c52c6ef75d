"""Import vLLM's modules from the source of a release without running what its packages do when they are imported.

`import vllm` imports the engine, compiled extensions and packages that this environment has in other releases. A kernel
needs none of them. The packages named in `bare` are importable, but their ``__init__.py`` is not run; all other modules
are the release's own.
"""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import os
import sys
import zipimport
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

PACKAGE = "vllm"


class _Metadata(importlib.metadata.Distribution):
    """States the version of the release. vLLM asks for it to find out whether it is a build for CPUs."""

    def __init__(self, version: str) -> None:
        self._version = version

    def read_text(self, filename: str) -> str | None:
        return f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {self._version}\n" if filename == "METADATA" else None

    def locate_file(self, path: str | os.PathLike[str]) -> Any:
        raise FileNotFoundError(path)


class Finder:
    """A finder for ``sys.meta_path``: modules of vLLM come from one archive, and from nowhere else."""

    def __init__(self, archive: str, version: str, bare: Sequence[str]) -> None:
        self._archive = archive
        self._metadata = _Metadata(version)
        self._bare = frozenset(bare)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return where the module is; None if it is none of vLLM's. Raises ImportError if the release lacks it."""
        if name.partition(".")[0] != PACKAGE:
            return None
        if name in self._bare:
            spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [f"{self._archive}/{name.replace('.', '/')}"]
            return spec
        folder, _, _ = name.rpartition(".")
        finder = zipimport.zipimporter(f"{self._archive}/{folder.replace('.', '/')}")
        found = finder.find_spec(name)
        if found is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return found

    def find_distributions(
        self, context: importlib.metadata.DistributionFinder.Context | None = None
    ) -> Iterable[importlib.metadata.Distribution]:
        """Return the metadata of the release if vLLM's is asked for."""
        return [self._metadata] if context is not None and context.name == PACKAGE else []


def install(archive: str, version: str, module: str) -> None:
    """Import vLLM's modules from `archive`, the release `version`. The packages above `module` are bare."""
    parts = module.split(".")
    above = [".".join(parts[:end]) for end in range(1, len(parts))]
    sys.meta_path.insert(0, Finder(archive, version, above))
