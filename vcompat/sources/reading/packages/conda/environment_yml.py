"""Reads environment.yml, written by a person or by `conda env export`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Place
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.packages.conda.spec import CondaSpec, read_spec
from vcompat.sources.reading.packages.origin import CPU, Origin
from vcompat.sources.reading.packages.platforms import Runtime
from vcompat.sources.reading.packages.requirements_txt import RequirementsReader
from vcompat.sources.reading.packages.stated_packages import Declared, Entry, package_of

_WITH_BUILD = re.compile(r"[^=\s]+=[^=\s]+=[^=\s]+")
_WITHOUT_BUILD = re.compile(r"([^=\s]+)=([^=\s*]+)")
#: Packages that are in every complete export, and in no environment that a person writes.
_LOW_LEVEL = frozenset("openssl zlib libzlib tk ncurses libffi xz readline ca-certificates".split())


def read_conda(document: Document, runtime: Runtime) -> Declared:
    """Return what an environment.yml declares.

    A complete export lists every package with its exact version, so packages that are not in it are absent.
    """
    dependencies = document.get("dependencies")
    items = dependencies if isinstance(dependencies, list) else []
    plain = [item for item in items if isinstance(item, str)]
    complete = _is_export(plain, "prefix" in document.table)
    specs = [_exact(item) if complete else read_spec(item) for item in plain]
    python = _python(specs)
    reader = RequirementsReader(runtime._replace(python=python or runtime.python))
    for text, place in _of_pip(items, document):
        reader.line(text, place)
    declared = reader.declared()
    by_pip = set(declared.entries)
    add_specs(declared, specs, document.place("dependencies"))
    declared.complete = complete and not reader.skipped
    if not complete and "vllm" in by_pip and "torch" in declared.entries and "torch" not in by_pip:
        # vLLM requires one version of torch. pip replaces conda's if it is another.
        why = "lists torch, which pip might replace for vLLM"
        declared.add(Entry("torch", document.place("dependencies"), why=why))
    if complete and python is not None and len(python.release) > 2:
        declared.python = python
    return declared


def _of_pip(items: Sequence[object], document: Document) -> Iterator[tuple[str, Place]]:
    """Yield the requirements in the lists for pip."""
    for index, group in enumerate(items):
        listed = group.get("pip") if isinstance(group, dict) else None
        for text in listed if isinstance(listed, list) else []:
            yield str(text).strip(), document.place("dependencies", str(index), "pip")


def _is_export(items: list[str], has_prefix: bool) -> bool:
    if not items:
        return False
    names = {item.rpartition("::")[2].partition("=")[0] for item in items}
    if all(_WITH_BUILD.fullmatch(item.rpartition("::")[2]) and "*" not in item for item in items):
        return "python" in names
    pinned = all(_WITHOUT_BUILD.fullmatch(item) for item in items)
    return has_prefix and pinned and len(names & _LOW_LEVEL) > 2


def _exact(item: str) -> CondaSpec:
    match = _WITHOUT_BUILD.fullmatch(item)
    return CondaSpec(match[1], match[2]) if match else read_spec(item)


def add_specs(declared: Declared, specs: Sequence[CondaSpec], place: Place) -> None:
    """Add the packages of `specs`. With the package ``cpuonly``, torch is a CPU build."""
    cpu_only = any(spec.name == "cpuonly" for spec in specs)
    for spec in specs:
        entry = spec.entry(place)
        if package_of(spec.name) == "torch" and (cpu_only or spec.name == "pytorch-cpu"):
            entry = entry._replace(origin=Origin("the package cpuonly" if cpu_only else "pytorch-cpu", CPU))
        declared.add(entry)


def _python(specs: Iterable[CondaSpec]) -> Version | None:
    """Return the Python version of the environment, which can be without the patch release."""
    spec = next((spec for spec in specs if spec.name == "python"), None)
    try:
        return Version((spec.version or spec.allowed.removesuffix(".*")) if spec else "")
    except InvalidVersion:
        return None
