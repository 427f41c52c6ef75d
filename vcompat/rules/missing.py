"""Finds what the code of a run uses of packages and the releases at hand do not have.

The index of names (``vcompat.index``) states what each recorded release has. A release that is newer counts as the last
one. Of another that is not recorded, and of what its source does not determine, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.records.known_releases import RECORDED
from vcompat.facts.use import ARGUMENT, CHAIN, IMPORT, METHOD, OVERRIDE, Use, Used
from vcompat.index.names import Answer, Defined, Names
from vcompat.index.rows import CLASS, FUNCTION, union
from vcompat.index.store import Index, open_index
from vcompat.rules.ranges import in_all

#: What can be missing.
NAME, KEYWORD, OVERRIDDEN = "name", "argument", "overridden"
LACKING = (NAME, KEYWORD, OVERRIDDEN)
_KINDS = {ARGUMENT: KEYWORD, OVERRIDE: OVERRIDDEN}


class Missing(NamedTuple):
    """What a release lacks, and the places that use it."""

    kind: str
    """One of LACKING."""
    package: Index
    version: Version
    what: str
    """In words, such as ``trl.extras.vllm_client``."""
    has: int
    """The releases that have it."""
    may: int
    """Those of which that is not known."""
    now: str
    """Where the release has it instead; empty if that is not known."""
    used: tuple[Used, ...]
    """The surest first."""


class _Absent(NamedTuple):
    """What some releases lack of a use: sets of releases, a bit for each."""

    what: str
    releases: int
    """The releases that lack it."""
    answer: Answer
    """The releases that have it, or may have it."""
    name: str
    """The name that is looked for elsewhere; empty if it is none of a module."""


def missing(facts: Facts) -> Iterator[Missing]:
    """Yield what the code of a run uses of releases that are known, and they do not have."""
    by_absent: dict[tuple[str, str, _Absent], list[Used]] = {}
    judged = _settings(facts)
    for used in facts.uses:
        if used.use.kind == ARGUMENT and (used.use.name.rpartition(".")[2], used.use.argument) in judged:
            continue
        version = facts.value(f"packages.{used.package}")
        if isinstance(version, Version) and in_all(used.use.guards, version):
            absent = lacks(used.package, used.use, version)
            if absent is not None:
                by_absent.setdefault((_KINDS.get(used.use.kind, NAME), used.package, absent), []).append(used)
    for (kind, package, absent), uses in by_absent.items():
        index, version = open_index(package), facts.value(f"packages.{package}")
        assert index is not None and isinstance(version, Version)
        ordered = tuple(sorted(uses, key=lambda used: (bool(used.branch), bool(used.presumes), used.place)))
        now = _elsewhere(index, absent.name, _release(index, version))
        yield Missing(kind, index, version, absent.what, absent.answer.has, absent.answer.may, now, ordered)


def _release(index: Index, version: Version) -> int:
    """The set that has a release; the last one for a release that is newer; empty for another that is not recorded."""
    is_newer = index.package in RECORDED and version.release > index.releases[-1].release
    return 1 << (len(index.releases) - 1) if is_newer else index.only(version)


def _settings(facts: Facts) -> set[tuple[str, str]]:
    """Return the settings of configuration classes, each with the class, which have rules of their own."""
    each = (*facts.stated, *(facts.likely_stated or ()))
    return {
        (name.rpartition(".")[2], one.name) for stated in each for name in stated.classes for one in stated.settings
    }


def lacks(package: str, use: Use, version: Version) -> _Absent | None:
    """Return what one release lacks of a use; None if it has all of it, or that is not known."""
    index = open_index(package)
    release = _release(index, version) if index is not None else 0
    known = _absent(package, use._replace(guards=())) if release else ()
    return next((one for one in known if one.releases & release), None)


@cache
def _names(package: str) -> Names:
    index = open_index(package)
    assert index is not None
    return Names(index)


@lru_cache(maxsize=8192)
def _absent(package: str, use: Use) -> tuple[_Absent, ...]:
    """Return what any recorded release lacks of a use. A search asks for each release."""
    index = open_index(package)
    assert index is not None
    names, module = _names(package), use.module
    there = names.module(module)
    absent = []
    if module != index.root and use.kind != OVERRIDE and (gone := index.every & ~(there.has | there.may)):
        absent.append(_Absent(f"module {module}", gone, there, use.name.partition(".")[0]))
    if use.name and use.kind in (IMPORT, CHAIN, ARGUMENT, METHOD, OVERRIDE):
        absent += _of_chain(names, use, module, use.name.split("."), there.has)
    return tuple(each for each in absent if each.releases)


def _of_chain(names: Names, use: Use, module: str, parts: Sequence[str], releases: int) -> Iterator[_Absent]:
    """Yield what is absent of a chain of attributes of a module that `releases` have."""
    if use.kind in (IMPORT, CHAIN):
        answer = names.name(module, parts[0], releases)
        yield _Absent(f"{module}.{parts[0]}", releases & ~(answer.has | answer.may), answer, parts[0])
    if use.kind != IMPORT:
        for defined in _single(names, module, parts[0], releases):
            if not defined.kind and len(parts) > 1:
                yield from _of_chain(names, use, defined.module, parts[1:], defined.releases)
            elif use.kind == ARGUMENT and defined.kind in (CLASS, FUNCTION):
                yield _of_argument(names, module, ".".join(parts), use.argument, defined.releases)
            elif use.kind != ARGUMENT and defined.kind == CLASS and len(parts) > 1:
                absent = _of_attribute(names, module, parts, defined)
                # A method of a project's own is no override.
                if use.kind != OVERRIDE or absent.answer.has:
                    yield absent


def _single(names: Names, module: str, name: str, releases: int) -> Iterator[Defined]:
    """Yield where a name of a module is defined, for the releases in which that is one place."""
    once = several = 0
    found = [one._replace(releases=one.releases & releases) for one in names.find(module, name, releases)]
    for one in found:
        several |= once & one.releases
        once |= one.releases
    yield from (one._replace(releases=one.releases & ~several) for one in found if one.releases & ~several)


def _of_argument(names: Names, module: str, dotted: str, argument: str, releases: int) -> _Absent:
    answer = names.takes(module, dotted, argument, releases)
    everywhere = names.takes(module, dotted, argument)
    return _Absent(f"argument {argument} of {module}.{dotted}", releases & ~(answer.has | answer.may), everywhere, "")


def _of_attribute(names: Names, module: str, parts: Sequence[str], defined: Defined) -> _Absent:
    answer = names.attribute(defined.module, defined.name, parts[1], defined.releases)
    places = [one for one in names.find(module, parts[0]) if one.kind == CLASS]
    each = [names.attribute(one.module, one.name, parts[1], one.releases) for one in places]
    has = union(one.has for one in each)
    everywhere = Answer(has, union(one.may for one in each) & ~has)
    return _Absent(f"{module}.{parts[0]}.{parts[1]}", defined.releases & ~(answer.has | answer.may), everywhere, "")


def _elsewhere(index: Index, name: str, release: int) -> str:
    """Where a release has a class or a function that a module of it lacks; empty if it is nowhere, or in many.

    Copies in experimental modules do not count.
    """
    places = [where for where in index.places_of(name) if where.kind in (CLASS, FUNCTION)] if name else []
    there = [where.module for where in places if where.releases & release and not where.scope]
    there = [module for module in there if ".experimental" not in module] or there
    return f"{there[0]}.{name}" if len(there) == 1 else ""
