"""Read what releases use of other packages, what they declare, and what they offer to other packages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.use import Use
from vcompat.foundation.syntax import bindings, blocks, function_parameters, terms
from vcompat.index import encoding, names, signature_text
from vcompat.rules.ranges import in_all
from vcompat.sources.reading.uses import found, guards, holding, package_uses, run_conditions
from vcompat.sources.reading.uses.package_uses import uses_in
from vcompat.upstream import requirements, subjects
from vcompat.upstream.archive import Archive, BadArchive, Tree
from vcompat.upstream.index import Release
from vcompat.upstream.names import extract
from vcompat.upstream.names import signatures as written
from vcompat.upstream.offers import answer, definitions, release_rows
from vcompat.upstream.offers.answer import offers
from vcompat.upstream.offers.definitions import Definitions
from vcompat.upstream.requirements import required_ranges
from vcompat.upstream.scanning.scan_cache import Kept
from vcompat.upstream.store import Store, Unavailable
from vcompat.upstream.subjects import ROOTS

#: The modules that compute what is kept.
_SYNTAX = (bindings, blocks, function_parameters, terms)
_READING_USES = (run_conditions, found, guards, holding, requirements, package_uses)
_READING_OFFERS = (answer, definitions, encoding, extract, names, release_rows, signature_text, subjects, written)
#: The most places of a use that are listed.
_PLACES = 20
#: Ends the places of a use that has more.
MORE = "and more"


class Uses(NamedTuple):
    """What a release uses of one package."""

    asks: str | None
    """The range of the package that it requires; None if it does not require it."""
    places: Mapping[Use, Sequence[str]]
    """For each use, the first line of it in each file, such as ``trl/import_utils.py:12``."""


class User(NamedTuple):
    """What a release uses of other packages."""

    version: Version
    of: Mapping[str, Uses]
    trouble: str = ""


class Server(NamedTuple):
    """What a release lacks."""

    version: Version
    lacks: tuple[Use, ...]
    has: tuple[Use, ...] = ()
    trouble: str = ""


def read_users(task: tuple[Sequence[Release], Sequence[str]]) -> list[User]:
    """Read some releases: what each uses of some packages."""
    releases, others = task
    return [_read_user(release, [other for other in others if other != release.package]) for release in releases]


def read_servers(task: tuple[Sequence[Release], Sequence[Use]]) -> list[Server]:
    """Read some releases: which of some uses each supports."""
    releases, asked = task
    return [_read_server(release, asked) for release in releases]


def _read_user(release: Release, others: Sequence[str]) -> User:
    try:
        with Store().open(release) as source:
            known = Kept("uses", release, source, (*_SYNTAX, *_READING_USES))
            missing = [other for other in others if other not in known.table]
            if missing:
                known.table.update(_found_in(release, source, missing))
                known.save()
            return User(release.version, {other: _unpacked(*known.table[other]) for other in others})
    except (Unavailable, BadArchive) as trouble:
        return User(release.version, {}, str(trouble))


def _found_in(release: Release, source: Archive | Tree, others: Sequence[str]) -> dict[str, tuple[str | None, object]]:
    places: dict[str, dict[Use, list[str]]] = {other: {} for other in others}
    by_name = {imported_name(other): other for other in others}
    for path in sorted(source.names()):
        if not _is_in_package(path, release.package):
            continue
        for use, line in _uses_in_file(path, source, tuple(by_name)):
            lines = places[by_name[use.module.partition(".")[0]]].setdefault(use, [])
            if len(lines) < _PLACES:
                if not lines or not lines[-1].startswith(f"{path}:"):
                    lines.append(f"{path}:{line}")
            elif lines[-1] != MORE and not lines[-1].startswith(f"{path}:"):
                lines.append(MORE)
    ranges = required_ranges(release.package, release.version, source.read, others)
    return {other: (ranges.get(other), [[*use, lines] for use, lines in places[other].items()]) for other in others}


def _unpacked(asks: str | None, rows: Sequence[Sequence[object]]) -> Uses:
    uses: dict[Use, Sequence[str]] = {}
    for kind, module, name, argument, ranges, places in rows:
        uses[Use(str(kind), str(module), str(name), str(argument), _texts(ranges))] = _texts(places)
    return Uses(asks, uses)


def _texts(values: object) -> tuple[str, ...]:
    return tuple(map(str, values)) if isinstance(values, list | tuple) else ()


#: The uses in files by their content: neighboring releases share most files.
_seen: dict[tuple[object, ...], list[tuple[Use, int]]] = {}


def _uses_in_file(path: str, source: Archive | Tree, names: tuple[str, ...]) -> list[tuple[Use, int]]:
    key = (path, names, source.mark(path))
    if key not in _seen:
        _seen[key] = list(uses_in(source.read(path) or "", names))
    return _seen[key]


def _read_server(release: Release, asked: Sequence[Use]) -> Server:
    try:
        with Store().open(release) as source:
            known = Kept("offers", release, source, (*_SYNTAX, *_READING_OFFERS))
            answers = known.table
            reached = [use for use in asked if in_all(use.guards, release.version)]
            if any(_key(use) not in answers for use in reached):
                defined = definitions_of(release, source)
                for use in reached:
                    if _key(use) not in answers:
                        answers[_key(use)] = offers(defined, use)
                known.save()
            lacks = tuple(use for use in reached if answers[_key(use)] is False)
            return Server(release.version, lacks, tuple(use for use in reached if answers[_key(use)] is True))
    except (Unavailable, BadArchive) as trouble:
        return Server(release.version, (), (), str(trouble))


def definitions_of(release: Release, source: Archive | Tree) -> Definitions:
    """Return what a release defines."""
    return Definitions(imported_name(release.package), source.read, source.names())


def _key(use: Use) -> str:
    return " ".join(use[:4])


@cache
def _folders(package: str) -> tuple[str, ...]:
    return tuple(f"{root}{imported_name(package)}/" for root in ROOTS)


def _is_in_package(path: str, package: str) -> bool:
    return path.endswith(".py") and path.startswith(_folders(package))


def imported_name(package: str) -> str:
    """Return the name under which Python imports a package."""
    return package.replace("-", "_")


def all_uses(users: Iterable[User], other: str) -> Iterator[Use]:
    """Yield what any of `users` uses of a package."""
    return (use for use in sorted({use for user in users if other in user.of for use in user.of[other].places}))
