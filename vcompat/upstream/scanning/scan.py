"""Compare the releases of packages: what the source of one uses of another, and the other does not have.

Finds imports, arguments, methods and attributes that were removed or do not exist yet, reported or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.use import ATTRIBUTE, Use
from vcompat.rules.ranges import in_all
from vcompat.rules.rule import Rule
from vcompat.upstream.index import Release
from vcompat.upstream.processes import in_parts, spread
from vcompat.upstream.scanning.covered import Known, Pair
from vcompat.upstream.scanning.release_uses import Server, User, all_uses, read_servers, read_users

#: Releases that one process reads after each other. Neighbors share most files, which it then reads once.
_NEIGHBORS = 12


class Misfit(NamedTuple):
    """A use that some releases of the other package do not support."""

    use: Use
    users: tuple[Version, ...]
    """Releases with the use."""
    lacking: tuple[Version, ...]
    """Releases of the other package that do not have what is used."""
    inside: tuple[Pair, ...]
    """Pairs of both that the metadata of the using package allows."""
    undeclared: tuple[Pair, ...]
    """Pairs of both of which the using package declares nothing."""
    place: str
    """File and line of the use in the newest release with it."""
    files: tuple[str, ...]
    """The files with the use, of all releases."""
    known: tuple[str, ...]
    """Rules that cover the use; empty unless every pair in `inside` is covered."""
    left: tuple[Pair, ...]
    """The pairs of `inside`, or else of `undeclared`, that no rule covers."""


class Scan(NamedTuple):
    """What was found, and what could not be inspected."""

    user: str
    other: str
    misfits: tuple[Misfit, ...]
    uses: int
    unknown: int
    """Uses of which no release's source determines whether it supports them."""
    troubles: tuple[str, ...]
    asks: Mapping[Version, str | None] = MappingProxyType({})
    """The range of the other package that each using release declares; None if it declares none."""


def scan(
    users: Sequence[Release], others: Sequence[Release], rules: Sequence[Rule], each: Callable[[str], None]
) -> Scan:
    """Check what `users`, the releases of one package, use of `others`, the releases of another one.

    `each` is called with the name of every inspected release.
    """
    user, other = users[0].package, others[0].package
    asking = _read({user: users}, [other], each)[user]
    serving = _answered({other: others}, {other: list(all_uses(asking, other))}, each)[other]
    return _compared(user, other, asking, serving, rules)


def scan_all(
    releases: Mapping[str, Sequence[Release]],
    rules: Sequence[Rule],
    each: Callable[[str], None],
    about: Set[str] = frozenset(),
) -> Iterator[Scan]:
    """Check every ordered pair of packages; yield the pairs of which one uses the other.

    With `about`, only the pairs with one of these packages. `each` is called with the name of every release, when it
    was read and when the others were compared with it.
    """
    asking = _read(releases, list(releases), each)
    pairs = [(user, other) for user in releases for other in releases if user != other]
    pairs = [pair for pair in pairs if not about or not about.isdisjoint(pair)]
    wanted: dict[str, set[Use]] = {other: set() for other in releases}
    for user, other in pairs:
        wanted[other].update(all_uses(asking[user], other))
    serving = _answered(releases, {other: sorted(uses) for other, uses in wanted.items()}, each)
    for user, other in pairs:
        found = _compared(user, other, asking[user], serving[other], rules)
        if found.uses:
            yield found


def _read(
    releases: Mapping[str, Sequence[Release]], others: Sequence[str], each: Callable[[str], None]
) -> dict[str, list[User]]:
    tasks = [(part, others) for known in releases.values() for part in in_parts(known, _NEIGHBORS)]
    users_of: dict[str, list[User]] = {package: [] for package in releases}
    for package, users in spread(_users_of, tasks):
        for user in users:
            each(f"{package} {user.version}")
        users_of[package] += users
    for users in users_of.values():
        users.sort(key=lambda user: user.version)
    return users_of


def _users_of(task: tuple[Sequence[Release], Sequence[str]]) -> tuple[str, list[User]]:
    return task[0][0].package, read_users(task)


def _answered(
    releases: Mapping[str, Sequence[Release]], uses: Mapping[str, Sequence[Use]], each: Callable[[str], None]
) -> dict[str, list[Server]]:
    asked = {package: known for package, known in releases.items() if uses[package]}
    tasks = [(part, uses[package]) for package, known in asked.items() for part in in_parts(known, _NEIGHBORS)]
    servers_of: dict[str, list[Server]] = {package: [] for package in releases}
    for package, servers in spread(_servers_of, tasks):
        for server in servers:
            each(f"{package} {server.version}")
        servers_of[package] += servers
    for servers in servers_of.values():
        servers.sort(key=lambda server: server.version)
    return servers_of


def _servers_of(task: tuple[Sequence[Release], Sequence[Use]]) -> tuple[str, list[Server]]:
    return task[0][0].package, read_servers(task)


def _compared(user: str, other: str, asking: Sequence[User], serving: Sequence[Server], rules: Sequence[Rule]) -> Scan:
    known = Known((user, other), rules)
    uses = list(all_uses(asking, other))
    lacking: dict[Use, list[Version]] = {}
    for server in serving:
        for use in server.lacks:
            lacking.setdefault(use, []).append(server.version)
    had = {use for server in serving for use in server.has}
    misfits = [
        _misfit(use, other, asking, lacking[use], known)
        for use in uses
        # The class of an object is known only as well as annotations are true: some release must have the attribute.
        if use in lacking and (use.kind != ATTRIBUTE or use in had)
    ]
    troubles = [*(one.trouble for one in asking), *(one.trouble for one in serving)]
    asks = {one.version: one.of[other].asks for one in asking if other in one.of}
    unknown = len(set(uses) - had - lacking.keys())
    return Scan(user, other, tuple(misfits), len(uses), unknown, tuple(filter(None, troubles)), asks)


def _misfit(use: Use, other: str, asking: Sequence[User], lacking: Sequence[Version], known: Known) -> Misfit:
    users = [user for user in asking if other in user.of and use in user.of[other].places]
    inside: list[Pair] = []
    undeclared: list[Pair] = []
    for user in users:
        asks = user.of[other].asks
        pairs = [(user.version, version) for version in lacking if not asks or in_all([asks], version)]
        (undeclared if asks is None else inside).extend(pairs)
    covering, left = known.covering(use, inside or undeclared)
    places = [place for user in users for place in user.of[other].places[use]]
    return Misfit(
        use,
        tuple(user.version for user in users),
        tuple(lacking),
        tuple(inside),
        tuple(undeclared),
        f"{users[-1].of[other].places[use][0]} in {users[-1].version}",
        tuple(dict.fromkeys(place.partition(":")[0] for place in places)),
        () if left else covering,
        left,
    )
