"""A set of releases that work together, as text for a person and as constraints for an installer."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from click import style
from packaging.version import Version

from vcompat.fixes.resolve import Pin, Reason, Resolution
from vcompat.report.releases import runs


def render(resolution: Resolution, releases: Mapping[str, Sequence[Version]], width: int) -> str:
    """The set, why each newer release is ruled out, and what remains. `releases` are all that exist."""
    lines = [f"{pin.package:<14}{style(str(pin.version), fg='green')}" for pin in resolution.pins]
    if not resolution.pins:
        lines = [style("No set of releases works for this.", fg="red")]
    if resolution.ruled_out:
        lines += ["", "newer releases ruled out:" if resolution.pins else "releases ruled out:"]
        lines += [line for entry in _grouped(resolution.ruled_out, releases) for line in _entry(*entry, width)]
    lines += ["", *_left(resolution)] if resolution.pins else []
    return "\n".join(lines)


def constraints(pins: Sequence[Pin], heading: str) -> str:
    """A constraints file that pip and uv read."""
    return "\n".join([f"# {heading}", *(f"{pin.package}=={pin.version}" for pin in pins)]) + "\n"


def _grouped(
    ruled_out: Sequence[tuple[Pin, Reason]], releases: Mapping[str, Sequence[Version]]
) -> Iterator[tuple[str, str]]:
    """For each package and reason: the releases, and the reason with the details of the newest."""
    groups: dict[tuple[str, str], list[tuple[Version, str]]] = {}
    for pin, reason in ruled_out:
        groups.setdefault((pin.package, reason.kind), []).append((pin.version, reason.text))
    for (package, _), ones in groups.items():
        yield f"{package} {runs([version for version, _ in ones], releases[package])}", ones[0][1]


def _entry(releases: str, reason: str, width: int) -> list[str]:
    margin = " " * 38
    lines = textwrap.wrap(reason, width, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False)
    if len(releases) < 36:
        return [f"  {releases:<36}{lines[0].lstrip()}", *lines[1:]]
    return [*textwrap.wrap(releases, width, initial_indent="  ", subsequent_indent="    "), *lines]


def _left(resolution: Resolution) -> Iterator[str]:
    fixed = [finding for finding in resolution.findings if finding.fixed_by]
    certain = [f for f in resolution.findings if f.is_certain and not f.fixed_by]
    possible = [f for f in resolution.findings if not f.is_certain and not f.fixed_by]
    for finding in certain:
        patch = next((fix.details["patch"] for fix in finding.fixes if fix.removes_failure), "")
        what = f"fixed by vcompat.patch() ({patch})" if patch else "remains"
        yield f"{finding.rule.severity}: {finding.failure}"
        yield f"  {finding.rule.id}: {what}"
    if fixed:
        yield f"{len(fixed)} fixed by patches that the script applies"
    if possible:
        yield f"{len(possible)} more might apply; run `vcompat check` on the machine to find out"
