"""What raising the bound of a package means, as text for a terminal or as Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from click import style

from vcompat.foundation.repositories import comparison
from vcompat.report.parts.layout import field, printable
from vcompat.report.parts.markdown_parts import cell, code
from vcompat.upstream.raising.compare import BODY, GONE, SETTING, SIGNATURE, Change, Raise

#: The titles of the kinds of changes, in their order, and how one of them is counted.
_TITLES = {
    GONE: ("Gone or no longer accepted", "gone"),
    SIGNATURE: ("Changed signatures and defaults", "with a changed signature"),
    SETTING: ("Changed settings", "with changed settings"),
    BODY: ("Changed code", "with changed code"),
}
#: The most places, and the most details of one name, that are printed without --all.
_PLACES, _DETAILS = 3, 6


def text(raised: Raise, width: int, every: bool) -> Iterator[str]:
    """Yield lines for a terminal, the important first. Without `every`, changes of code alone are only counted."""
    for kind, (title, _) in _TITLES.items():
        changes = _of(raised, kind)
        if not changes:
            continue
        is_counted = kind == BODY and not every
        yield style(title, bold=True) + (f": {len(changes)}; --all lists them" if is_counted else "")
        for change in changes if not is_counted else ():
            yield style(f"  {printable(change.what)}", fg="red" if change.fails else None)
            for line in (*_some(change.details, every), f"in {_places(change, every)}"):
                yield from field("", line, width, margin=6)
        yield ""
    if address := _address(raised):
        yield address
    yield from field("", summary(raised), width, margin=0)


def markdown(raised: Raise) -> Iterator[str]:
    """Yield lines for the description of a pull request that raises the bound."""
    before, after = raised.before.version, raised.after.version
    address = _address(raised)
    versions = f"{before} to {after}"
    yield f"### {raised.after.package}: {f'[{versions}]({address})' if address else versions}"
    yield ""
    yield f"{cell(summary(raised))}."
    for kind, (title, _) in _TITLES.items():
        changes = _of(raised, kind)
        if not changes:
            continue
        yield ""
        yield f"<details><summary>{title}: {len(changes)}</summary>" if kind == BODY else f"**{title}**"
        yield from ("", f"| {raised.after.package} | what changed | {raised.user.package} |", "| --- | --- | --- |")
        for change in changes:
            details = "<br>".join(map(cell, _some(change.details, every=False)))
            yield f"| `{code(change.what)}` | {details} | {cell(_places(change, every=False))} |"
        if kind == BODY:
            yield from ("", "</details>")


def summary(raised: Raise) -> str:
    """Return one line: how many names changed in which way."""
    user = f"{raised.user.package} {raised.user.version}"
    used = f"{user} uses {raised.uses} {'name' if raised.uses == 1 else 'names'} of {raised.after.package}"
    versions = f"{raised.before.version} to {raised.after.version}"
    missing = f"; neither release has {raised.missing} of them" if raised.missing else ""
    if not raised.changes:
        return f"{used}; none of them changed from {versions}{missing}"
    counts = [(len(_of(raised, kind)), words) for kind, (_, words) in _TITLES.items()]
    return f"{used}; {versions}: {', '.join(f'{count} {words}' for count, words in counts if count)}{missing}"


def _of(found: Raise, kind: str) -> Sequence[Change]:
    return [change for change in found.changes if change.kind == kind]


def _address(found: Raise) -> str:
    is_local = found.before.local or found.after.local
    return "" if is_local else comparison(found.after.package, found.before.version, found.after.version)


def _places(change: Change, every: bool) -> str:
    most = len(change.places) if every else _PLACES
    more = len(change.places) - most
    return ", ".join(change.places[:most]) + (f" and {more} more" if more > 0 else "")


def _some(lines: Sequence[str], every: bool) -> Sequence[str]:
    if every or len(lines) <= _DETAILS + 1:
        return lines
    return [*lines[:_DETAILS], f"and {len(lines) - _DETAILS} more"]
