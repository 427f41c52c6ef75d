"""How the rows of a module are written: as text, in which a line has rows of one kind with the same releases.

A line is a kind, a scope, and names; what holds in all releases that have the scope has no releases of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from vcompat.index.rows import CLASS, PLAIN, TARGETED, VARIABLE, Row, mask_of_text, text_of_mask

_NONE = "-"
#: Separates names and values from the releases. No name, default or annotation that is kept contains it.
_RELEASES = "|"


class Module:
    """The rows of one module. They are read kind by kind and scope by scope, when they are asked for."""

    def __init__(self, text: str, count: int) -> None:
        """Take the text that `encoded` returned, for an index of `count` releases."""
        first, *lines = text.split("\n")
        self._count = count
        self.mask = mask_of_text(first, count)
        """The releases that have the module."""
        self._lines: dict[tuple[str, str], list[str]] = {}
        self._names: dict[tuple[str, str], Mapping[str, list[tuple[str, int]]]] = {}
        for line in lines:
            kind, scope, rest = line.split(" ", 2)
            self._lines.setdefault((kind, "" if scope == _NONE else scope), []).append(rest)

    def scopes(self, kind: str) -> list[str]:
        """Return the scopes that have rows of a kind."""
        return [scope for known, scope in self._lines if known == kind]

    def names(self, kind: str, scope: str = "") -> Mapping[str, list[tuple[str, int]]]:
        """Return the values of the names of a scope, each with the releases that have it."""
        key = kind, scope
        if key not in self._names:
            self._names[key] = self._read(kind, scope)
        return self._names[key]

    def having(self, kind: str, name: str, scope: str = "") -> int:
        """Return the releases in which a scope has a row of this kind and name."""
        found = 0
        for _, mask in self.names(kind, scope).get(name, ()):
            found |= mask
        return found

    def _read(self, kind: str, scope: str) -> Mapping[str, list[tuple[str, int]]]:
        found: dict[str, list[tuple[str, int]]] = {}
        for line in self._lines.get((kind, scope), ()):
            rest, _, releases = line.partition(_RELEASES)
            mask = mask_of_text(releases, self._count) if releases else self._releases_of(scope)
            for name, value in _items(kind, rest):
                found.setdefault(name, []).append((value, mask))
        return found

    def _releases_of(self, scope: str) -> int:
        """The releases that have a class or a registry."""
        if not scope:
            return self.mask
        outer, _, name = scope.rpartition(".")
        return self.having(CLASS, name, outer) | self.having(VARIABLE, name, outer) or self._releases_of(outer)


def encoded(mask: int, rows: Mapping[Row, int], count: int) -> str:
    """Return the text of a module that the releases `mask` of `count` have."""
    lines = [text_of_mask(mask, count)]
    whole = _whole(mask, rows)
    groups: dict[tuple[str, str, int, str], list[str]] = defaultdict(list)
    for (kind, scope, name, value), has in rows.items():
        if kind in PLAIN:
            groups[scope, kind, has, ""].append(name)
        elif kind in TARGETED:
            module, _, original = value.partition(":")
            groups[scope, kind, has, module].append(name if original == name else f"{name}={original}")
        else:
            groups[scope, kind, has, f"{name} {value}"] = []
    for (scope, kind, has, head), names in sorted(groups.items()):
        words = [kind, scope or _NONE, *([head.rstrip()] if head else []), *sorted(names)]
        releases = "" if has == _releases_of(scope, whole) else f"{_RELEASES}{text_of_mask(has, count)}"
        lines.append(" ".join(words).replace(_RELEASES, "/") + releases)
    return "\n".join(lines)


def _items(kind: str, rest: str) -> Iterator[tuple[str, str]]:
    if kind in PLAIN:
        for name in rest.split(" "):
            yield name, ""
    elif kind in TARGETED:
        target, *names = rest.split(" ")
        for text in names:
            name, renamed, original = text.partition("=")
            yield name, f"{target}:{original if renamed else name}"
    else:
        name, _, value = rest.partition(" ")
        yield name, value


def _whole(mask: int, rows: Mapping[Row, int]) -> dict[str, int]:
    """The releases that have the module, and each class or registry in it."""
    whole = {"": mask}
    for (kind, scope, name, _), has in rows.items():
        if kind in (CLASS, VARIABLE):
            inside = f"{scope}.{name}" if scope else name
            whole[inside] = whole.get(inside, 0) | has
    return whole


def _releases_of(scope: str, whole: Mapping[str, int]) -> int:
    while scope not in whole:
        scope = scope.rpartition(".")[0]
    return whole[scope]
