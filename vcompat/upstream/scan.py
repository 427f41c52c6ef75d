"""Compare the releases of two packages: what the source of one uses of the other, and the other does not have.

Finds imports, arguments and methods that were removed or do not exist yet, whether somebody reported them or not. How
returned objects are used is not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.rules.ranges import parse_range
from vcompat.rules.rule import Rule
from vcompat.upstream.archive import BadArchive
from vcompat.upstream.index import Release
from vcompat.upstream.processes import in_parts, spread
from vcompat.upstream.requirements import declared
from vcompat.upstream.store import Store, Unavailable
from vcompat.upstream.surface import Surface
from vcompat.upstream.uses import Use, uses_in


class Misfit(NamedTuple):
    """A use that some releases of the other package do not support."""

    use: Use
    users: tuple[Version, ...]
    """Releases with the use."""
    lacking: tuple[Version, ...]
    """Releases of the other package that do not have what is used."""
    inside: tuple[tuple[Version, Version], ...]
    """Pairs of both that the metadata of the using package allows."""
    place: str
    """File and line of the use in the newest release with it."""
    known: tuple[str, ...]
    """Rules that cover the use; empty unless every pair in `inside` is covered."""


class Scan(NamedTuple):
    """What was found, and what could not be inspected."""

    misfits: tuple[Misfit, ...]
    uses: int
    troubles: tuple[str, ...]
    asks: Mapping[Version, str | None] = MappingProxyType({})
    """The range of the other package that each using release declares; None if it declares none."""


class _User(NamedTuple):
    version: Version
    asks: str | None
    """The range of the other package that it requires; None if it does not require it."""
    places: Mapping[Use, str]
    trouble: str = ""


class _Server(NamedTuple):
    version: Version
    lacks: tuple[Use, ...]
    trouble: str = ""


def scan(
    users: Sequence[Release], others: Sequence[Release], rules: Sequence[Rule], each: Callable[[str], None]
) -> Scan:
    """Check what `users`, the releases of one package, use of `others`, the releases of another one.

    `each` is called with the name of every inspected release.
    """
    other = others[0].package
    asking: list[_User] = []
    for asked in spread(_read_users, [(part, other) for part in in_parts(users)]):
        for user in asked:
            each(f"{users[0].package} {user.version}")
            asking.append(user)
    uses = tuple(sorted({use for user in asking for use in user.places}))
    serving: list[_Server] = []
    for answers in spread(_read_others, [(part, uses) for part in in_parts(others)]):
        for server in answers:
            each(f"{other} {server.version}")
            serving.append(server)
    asking.sort(key=lambda user: user.version)
    serving.sort(key=lambda server: server.version)
    packages = (users[0].package, other)
    misfits = [_misfit(use, packages, asking, serving, rules) for use in uses]
    troubles = [*(user.trouble for user in asking), *(server.trouble for server in serving)]
    asks = {user.version: user.asks for user in asking}
    return Scan(tuple(misfit for misfit in misfits if misfit.lacking), len(uses), tuple(filter(None, troubles)), asks)


def _read_users(task: tuple[Sequence[Release], str]) -> list[_User]:
    releases, other = task
    return [_read_user(release, other) for release in releases]


def _read_user(release: Release, other: str) -> _User:
    places: dict[Use, str] = {}
    try:
        with Store().open(release) as source:
            roots = (f"{release.package}/", f"src/{release.package}/")
            for path in sorted(source.names()):
                if path.startswith(roots) and path.endswith(".py"):
                    for use, line in uses_in(source.read(path) or "", other.replace("-", "_")):
                        places.setdefault(use, f"{path}:{line}")
            asks = declared(release.package, release.version, source.read).get(other)
    except (Unavailable, BadArchive) as trouble:
        return _User(release.version, None, {}, str(trouble))
    return _User(release.version, asks, places)


def _read_others(task: tuple[Sequence[Release], tuple[Use, ...]]) -> list[_Server]:
    releases, uses = task
    return [_read_other(release, uses) for release in releases]


def _read_other(release: Release, uses: Iterable[Use]) -> _Server:
    try:
        with Store().open(release) as source:
            surface = Surface(source.read)
            reached = [use for use in uses if use.runs_with(release.version)]
            return _Server(release.version, tuple(use for use in reached if surface.offers(use) is False))
    except (Unavailable, BadArchive) as trouble:
        return _Server(release.version, (), str(trouble))


def _misfit(
    use: Use, packages: tuple[str, str], asking: Sequence[_User], serving: Sequence[_Server], rules: Sequence[Rule]
) -> Misfit:
    users = [user for user in asking if use in user.places]
    lacking = [server.version for server in serving if use in server.lacks]
    inside = [
        (user.version, version)
        for user in users
        for version in lacking
        if user.asks is not None and (not user.asks or parse_range(user.asks).contains(version))
    ]
    return Misfit(
        use,
        tuple(user.version for user in users),
        tuple(lacking),
        tuple(inside),
        f"{users[-1].places[use]} in {users[-1].version}" if users else "",
        _known(use, packages, inside, rules),
    )


def _known(
    use: Use, packages: tuple[str, str], pairs: Iterable[tuple[Version, Version]], rules: Sequence[Rule]
) -> tuple[str, ...]:
    """The rules that cover all `pairs`: a rule covers a pair if it applies, or if it might apply and names the use."""
    names: dict[str, None] = {}
    for one, other in pairs:
        facts = Facts()
        facts.set(f"packages.{packages[0]}", one, "scanned")
        facts.set(f"packages.{packages[1]}", other, "scanned")
        facts.set("plan.use_vllm", True, "scanned")
        covering = [rule.id for rule in rules if rule.severity == "error" and _covers(rule, use, facts)]
        if not covering:
            return ()
        names.update(dict.fromkeys(covering))
    return tuple(names)


def _covers(rule: Rule, use: Use, facts: Facts) -> bool:
    truth = rule.when.truth(facts)
    return truth is True or (truth is None and _looks_for(rule, use))


def _looks_for(rule: Rule, use: Use) -> bool:
    """Whether a fingerprint of the rule names what is used."""
    name = use.argument or use.name.rpartition(".")[2] or use.module.rpartition(".")[2]
    return any(name in text for found in rule.evidence.fingerprints for text in (*found.has, *found.lacks))
