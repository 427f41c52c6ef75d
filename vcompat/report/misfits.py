"""What `vcompat rules scan` found, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from click import style
from packaging.version import Version

from vcompat.report.releases import runs
from vcompat.upstream.scan import Misfit


def render(
    misfits: Sequence[Misfit], packages: tuple[str, str], releases: Mapping[str, Sequence[Version]]
) -> Iterator[str]:
    """Three lines for each misfit: who uses what, who does not define it, and which rule knows it."""
    user, other = packages
    for misfit in misfits:
        yield style(f"{user} {runs(misfit.users, releases[user])} {misfit.use}", bold=True)
        yield f"    in {misfit.place}{_guarded(misfit)}"
        yield f"    {other} {runs(misfit.lacking, releases[other])}: not defined; {_inside(misfit, user)}"
        yield ""


def _guarded(misfit: Misfit) -> str:
    return f", only with {' and '.join(misfit.use.guards)}" if misfit.use.guards else ""


def _inside(misfit: Misfit, user: str) -> str:
    if not misfit.inside:
        return f"no pair that {user} declares"
    known = style(f"known: {', '.join(misfit.known)}", fg="green") if misfit.known else style("no rule", fg="red")
    return f"{len(misfit.inside)} pairs that {user} declares; {known}"
