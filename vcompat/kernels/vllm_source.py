"""Import vLLM's modules from the source of a release without running what its packages do when they are imported.

`import vllm` imports the engine, compiled extensions and packages that this environment has in other releases. A kernel
needs none of them. Modules whose text is given are imported with that text, and the packages above them are importable,
but their ``__init__.py`` is not run. All other modules are the release's own.
"""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import os
import sys
import zipimport
from collections.abc import Iterable, Mapping, Sequence
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


class _Text:
    """A loader of a module whose text is given."""

    def __init__(self, text: str) -> None:
        self._text = text

    def get_source(self, name: str) -> str:
        """Return the text; Triton reads the source of a kernel."""
        return self._text

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """The usual module is right."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the text in the module."""
        exec(compile(self._text, str(module.__file__), "exec"), module.__dict__)


class Finder:
    """A finder for ``sys.meta_path``: modules of vLLM come from one release, and from nowhere else.

    `texts` has texts by the path of a file. Other modules are in `place`, the path of an archive or a folder.
    """

    def __init__(self, place: str, version: str, texts: Mapping[str, str]) -> None:
        self._place = place
        self._metadata = _Metadata(version)
        self._texts = {_module(path): text for path, text in texts.items()}
        self._packages = {_module(path) for path in texts if path.endswith("/__init__.py")}
        for name in self._texts:
            parts = name.split(".")
            self._packages.update(".".join(parts[:end]) for end in range(1, len(parts)))

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return where the module is; None if it is none of vLLM's. Raises ImportError if the release lacks it."""
        if name.partition(".")[0] != PACKAGE:
            return None
        if name not in self._texts and name not in self._packages:
            return self._whole(name)
        text, folder = self._texts.get(name), f"{self._place}/{name.replace('.', '/')}"
        loader: Any = None if text is None else _Text(text)
        spec = importlib.machinery.ModuleSpec(name, loader, origin=f"{folder}.py", is_package=name in self._packages)
        spec.has_location = text is not None
        if name in self._packages:
            spec.submodule_search_locations = [folder]
        return spec

    def _whole(self, name: str) -> importlib.machinery.ModuleSpec:
        above, _, _ = name.rpartition(".")
        found: importlib.machinery.ModuleSpec | None
        if os.path.isdir(self._place):
            found = importlib.machinery.PathFinder.find_spec(name, [f"{self._place}/{above.replace('.', '/')}"])
        else:
            found = zipimport.zipimporter(f"{self._place}/{above.replace('.', '/')}").find_spec(name)
        if found is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return found

    def find_distributions(
        self, context: importlib.metadata.DistributionFinder.Context | None = None
    ) -> Iterable[importlib.metadata.Distribution]:
        """Return the metadata of the release if vLLM's is asked for."""
        return [self._metadata] if context is not None and context.name == PACKAGE else []


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def install(place: str, version: str, texts: Mapping[str, str]) -> None:
    """Import vLLM's modules from the release `version` in `place`, those of `texts` with the given text."""
    sys.meta_path.insert(0, Finder(place, version, texts))
