"""What `vcompat rules scan` found, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from click import style
from packaging.version import Version

from vcompat.report.parts.release_ranges import runs
from vcompat.rules.ranges import parse_range
from vcompat.upstream.index import Release
from vcompat.upstream.scanning.scan import Misfit


def render(
    misfits: Sequence[Misfit],
    packages: tuple[str, str],
    releases: Mapping[str, Sequence[Version]],
    is_one: bool = False,
) -> Iterator[str]:
    """Three lines for each misfit: who uses what, who does not define it, and which rule knows it.

    With `is_one`, the other package is one release, to which no declared range applies.
    """
    user, other = packages
    for misfit in misfits:
        yield style(f"{user} {runs(misfit.users, releases[user])} {misfit.use}", bold=True)
        guards = f", only with {' and '.join(misfit.use.guards)}" if misfit.use.guards else ""
        yield f"    in {misfit.place}{guards}"
        inside = "" if is_one and not misfit.inside else f"; {_inside(misfit, user)}"
        yield f"    {other} {runs(misfit.lacking, releases[other])}: not defined{inside}"
        yield ""


def declared_ranges(users: Sequence[Release], other: Release, declared: Mapping[Version, str | None]) -> Iterator[str]:
    """A line for each of `users`: the range of the other package that it declares, and whether that has `other`."""
    for user in users:
        asks = declared.get(user.version)
        if asks is None:
            said = f"declares no range of {other.package}"
        else:
            holds = not asks or parse_range(asks).contains(other.version)
            said = f"declares {other.package} {asks or '(any)'}, {'with' if holds else 'without'} {other.version}"
        yield f"{user.package} {user.version} {said}"


def named(releases: Sequence[Release]) -> str:
    """Return ``vllm 0.33.0`` for one release, ``101 releases of vllm`` for several."""
    one = releases[0]
    return f"{one.package} {one.version}" if len(releases) == 1 else f"{len(releases)} releases of {one.package}"


def _inside(misfit: Misfit, user: str) -> str:
    if not misfit.inside and not misfit.undeclared:
        return f"no pair that {user} declares"
    known = style(f"known: {', '.join(misfit.known)}", fg="green") if misfit.known else style("no rule", fg="red")
    if not misfit.inside:
        return f"{len(misfit.undeclared)} pairs, {user} declares no range; {known}"
    return f"{len(misfit.inside)} pairs that {user} declares; {known}"
