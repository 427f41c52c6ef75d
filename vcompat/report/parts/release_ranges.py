"""Many releases in few words."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from packaging.version import Version


def runs(chosen: Collection[Version], releases: Iterable[Version]) -> str:
    """`chosen` releases in few words: ``0.7.0 - 0.8.4`` where they follow each other among all `releases`."""
    spans: list[list[Version]] = []
    before = None
    for version in releases:
        if version in chosen and before in chosen and spans:
            spans[-1] = [spans[-1][0], version]
        elif version in chosen:
            spans.append([version])
        before = version
    return ", ".join(" - ".join(map(str, run)) for run in spans) or "no release"
