"""The names, versions and builds in conda's specifications and file names."""

from __future__ import annotations

import os
import re
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Place
from vcompat.rules.record import shipped_record
from vcompat.sources.reading.packages.origin import Origin, of_conda_build
from vcompat.sources.reading.packages.stated_packages import Entry, package_of

_VERSION = re.compile(r"\d[A-Za-z0-9._+!]*")
#: Packages with a record of all releases.
_RECORDED = ("torch", "vllm", "trl", "transformers", "accelerate", "deepspeed", "peft")


class CondaSpec(NamedTuple):
    """One conda package."""

    name: str
    version: str = ""
    """The exact version; empty if there is none."""
    build: str = ""
    allowed: str = ""
    """What the specification allows if it is not an exact version, as written; empty if it allows everything."""

    def entry(self, place: Place, applies: bool | None = True, depends: str = "") -> Entry:
        """Return the entry of the package for the file at `place`."""
        why = f"allows {self.allowed}" if self.allowed else "does not pin a version"
        origin = of_conda_build(self.build) if self.build != "pypi_0" else Origin()
        return Entry(self.name, place, self.version, why, None, applies, depends, origin)


def read_spec(text: str) -> CondaSpec:
    """Return what a specification such as ``conda-forge::pytorch=2.5.1=cuda126_py311`` says.

    Version and build of a specification with a build are exact. ``=2.5`` stands for every 2.5.*, ``==2.5`` does not.
    """
    text = text.strip().rpartition("::")[2]
    bracket = re.search(r"\[(.*)\]", text)
    keys: dict[str, str] = dict(re.findall(r"(\w+)\s*=\s*['\"]?([^'\",\]]+)", bracket[1])) if bracket else {}
    match = re.match(r"([A-Za-z0-9_.-]+)\s*(.*)", re.sub(r"\[.*\]", "", text).strip())
    if match is None:
        return CondaSpec(text)
    name, rest = str(match[1]), str(match[2]).strip()
    parts = re.fullmatch(r"(?:==?\s*)?([^\s=<>!~,|*]+)(?:=|\s+)(\S+)", rest)
    version = keys.get("version") or (str(parts[1]) if parts else rest)
    # A star in a build stands for anything; what is around it names the kind of build.
    build = (keys.get("build") or (str(parts[2]) if parts else "")).replace("*", "_").strip("_")
    exact = re.fullmatch(r"(?:==\s*)?(\S+)", version)
    if exact and _VERSION.fullmatch(exact[1]):
        return CondaSpec(name, exact[1], build)
    fuzzy = re.fullmatch(r"=\s*(\S+?)(?:\.?\*)?", version)
    if fuzzy and _VERSION.fullmatch(fuzzy[1]):
        release = _only_release(name, fuzzy[1])
        return CondaSpec(name, release, build, "" if release else f"{fuzzy[1]}.*")
    return CondaSpec(name, "", build, version)


def read_file_name(url: str) -> CondaSpec | None:
    """Return the package in a conda file at `url`, named ``name-version-build.conda``; None for another file."""
    file = os.path.basename(unquote(urlsplit(url).path))
    match = re.fullmatch(r"(.+)-([^-]+)-([^-]+)(?:\.conda|\.tar\.bz2)", file)
    return CondaSpec(match[1], match[2], match[3]) if match else None


def _only_release(name: str, prefix: str) -> str:
    """Return the only release that a complete version followed by anything stands for; empty if there are several."""
    package = package_of(name)
    try:
        wanted = Version(prefix)
    except InvalidVersion:
        return ""
    if len(wanted.release) < 3 or package not in _RECORDED:
        return ""
    length = len(wanted.release)
    found = [release for release in shipped_record(package).releases if release.release[:length] == wanted.release]
    return prefix if len(found) == 1 else ""
