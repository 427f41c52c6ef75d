"""Chooses the releases that an installer takes for a new environment: the newest that the files of a project allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from vcompat.facts.facts import Facts, Likely, Place
from vcompat.facts.presumption import RELEASE, Presumption
from vcompat.facts.vocabulary import PACKAGES
from vcompat.foundation.newest_first import Search
from vcompat.rules.record import shipped_record
from vcompat.sources.reading.packages.stated_packages import LEFT_OPEN, Entry

#: Requirements that the records have from an extra of that name: they hold where the extra is installed.
_OF_EXTRAS: Mapping[str, frozenset[str]] = {
    "trl": frozenset({"vllm", "peft", "deepspeed", "liger-kernel"}),
    "transformers": frozenset({"accelerate", "deepspeed", "torch"}),
    "accelerate": frozenset({"deepspeed"}),
    "huggingface-hub": frozenset({"torch"}),
    "verl": frozenset({"vllm", "trl"}),
}
#: Packages that limit others so closely that installers give up the newest release of these before theirs.
_FIRST = ("unsloth", "unsloth-zoo", "ms-swift", "verl")
#: Packages that require others of which no record tells.
REQUIRE_OTHERS = frozenset({*_FIRST, "llamafactory"})
#: The most releases to try: seconds, for lists that contradict themselves. Others take some dozens.
_MOST_TRIES = 10_000
_PRESUMES = Presumption(
    RELEASE, "the environment is made anew: an installer takes the newest recorded releases that the files allow"
)


class _Release(NamedTuple):
    package: str
    version: Version


def presume_newest(facts: Facts, entries: Mapping[str, Sequence[Entry]], python: Version | None) -> None:
    """Make the releases likely that an installer takes today for what `entries` leave open, by package.

    The packages count in the order in which the files name them, as for an installer. What stated packages require is
    installed, too. A package of which an entry has no range, such as a commit, stays unknown. Without a set of recorded
    releases that work together, all do.
    """
    choice = _Choice(facts, entries, python)
    chosen = choice.newest()
    for package in entries if not chosen else ():
        if LEFT_OPEN in facts.why_unknown(f"packages.{package}"):
            facts.forget(
                f"packages.{package}",
                "no recorded releases were found that fit all that the files state",
                choice.place(package),
            )
    for release in chosen:
        name = f"packages.{release.package}"
        if facts.get(name) is None and facts.likely(name) is None:
            place = choice.place(release.package)
            source = f"the newest that {place} allows" if place else "the newest that the other packages allow"
            place = place or choice.asking(release.package)
            presumes = (
                (_PRESUMES, Presumption(RELEASE, f"{choice.extra} is installed")) if choice.extra else (_PRESUMES,)
            )
            facts.set_likely(name, Likely(release.version, source, place, presumes, facts.why_unknown(name)))


def _extra_of_trl(entries: Mapping[str, Sequence[Entry]]) -> str:
    """Return the only extra that brings TRL, as the entries name it; empty if there is none, or TRL without it."""
    bringing = {"" if one.applies or one.by_command else one.depends for one in entries.get("trl", ())}
    extra = bringing.pop() if len(bringing) == 1 else ""
    return extra if extra.startswith("the ") else ""


class _Choice:
    def __init__(self, facts: Facts, entries: Mapping[str, Sequence[Entry]], python: Version | None) -> None:
        self._facts, self._python = facts, python
        self.extra = _extra_of_trl(entries)
        self._entries = {
            package: [one for one in each if one.applies or (self.extra and one.depends == self.extra)]
            for package, each in entries.items()
        }
        self._extras = {
            package: frozenset(extra for entry in each for extra in entry.extras)
            for package, each in self._entries.items()
        }
        self._fit: dict[tuple[_Release, _Release], bool] = {}

    def place(self, package: str) -> Place | None:
        """Return where the files name a package first; None if they do not."""
        return next((entry.place for entry in self._entries.get(package, ())), None)

    def asking(self, package: str) -> Place | None:
        """Return where the files name the first package that requires `package`; None if no stated one does."""
        asking = (
            one for one in self._entries if package in shipped_record(one).declares and self._requires(one, package)
        )
        return next(map(self.place, asking), None)

    def newest(self) -> tuple[_Release, ...]:
        """Return one release of each package; none if there is no set."""
        stated = [package for package, each in self._entries.items() if each]
        named = dict.fromkeys(name for one in stated for name in (one, *sorted(self._extras[one])) if name in PACKAGES)
        # An installer finds that vLLM has each of its releases for one release of torch, whichever is named first.
        ordered = sorted(named, key=lambda one: (one not in _FIRST, one == "torch"))
        candidates = {package: self._candidates(package) for package in self._with_required(ordered)}
        known = [each for each in candidates.values() if each is not None]
        return Search(known, self._works, self._together, most=_MOST_TRIES).first() or ()

    def _with_required(self, stated: Iterable[str]) -> list[str]:
        """Return the stated packages, then those that they, and the further ones, require."""
        packages = dict.fromkeys(stated)
        for package in (waiting := list(packages)):
            required = [
                one for one in shipped_record(package).declares if one in PACKAGES and self._requires(package, one)
            ]
            waiting += [one for one in required if one not in packages]
            packages |= dict.fromkeys(required)
        return list(packages)

    def _candidates(self, package: str) -> list[_Release] | None:
        """Return the recorded releases of a package that the files allow, newest first; None if that is not known."""
        name = f"packages.{package}"
        known = self._facts.get(name) or self._facts.likely(name)
        if known is not None:
            return [_Release(package, known.value)] if isinstance(known.value, Version) else None
        limits = [entry.allowed for entry in self._entries.get(package, ())]
        record = shipped_record(package)
        stable = [one for one in record.releases if not one.is_prerelease and one not in record.yanked]
        if None in limits or not stable:
            return None
        allowed = [one for one in stable if all(limit is None or limit.contains(one) for limit in limits)]
        return [_Release(package, version) for version in reversed(allowed)]

    def _requires(self, package: str, other: str) -> bool:
        return other not in _OF_EXTRAS.get(package, ()) or other in self._extras.get(package, ())

    def _works(self, release: _Release) -> bool:
        required = self._declared(release, "python")
        return self._python is None or required is None or required.contains(self._python)

    def _together(self, one: _Release, other: _Release) -> bool:
        pair = (one, other)
        if pair not in self._fit:
            self._fit[pair] = self._admits(one, other) and self._admits(other, one)
        return self._fit[pair]

    def _admits(self, asking: _Release, asked: _Release) -> bool:
        if not self._requires(asking.package, asked.package):
            return True
        required = self._declared(asking, asked.package)
        return required is None or required.contains(asked.version, prereleases=True)

    def _declared(self, release: _Release, of: str) -> SpecifierSet | None:
        text = shipped_record(release.package).declares.get(of, {}).get(release.version)
        return _specifiers(text) if text else None


@cache
def _specifiers(text: str) -> SpecifierSet:
    return SpecifierSet(text)
