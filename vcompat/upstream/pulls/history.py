"""Which pull requests changed a function between two tags of a clone: all of them, or nothing is stated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from vcompat.index.rows import CODE, FLAG
from vcompat.upstream.names.extract import rows_of
from vcompat.upstream.names.sources import modules_in
from vcompat.upstream.pulls.clone import UNKNOWN, Clone, Step

#: What identifies the code of each scope of a module. A name that is defined twice has two codes.
_Codes = Mapping[str, frozenset[str]]
_KEPT = 4000


class Changed(NamedTuple):
    """A scope whose code differs between two tags, or that the later one lacks."""

    module: str
    scope: str
    pulls: tuple[int, ...]
    """The pull requests that changed it, the oldest first."""


class History:
    """The changes of the modules of a package, in a clone."""

    def __init__(self, clone: Clone, package: str) -> None:
        self._clone, self._package = clone, package
        self._codes = lru_cache(maxsize=_KEPT)(self._read)

    def changed(self, before: str, after: str, is_wanted: Callable[[str], bool]) -> Iterator[Changed]:
        """Yield what differs between two tags, in the wanted modules, and is known to come from pull requests."""
        old, new = self._clone.files(before), self._clone.files(after)
        steps = self._clone.steps(before, after)
        now = modules_in(self._package, new)
        for module, path in modules_in(self._package, old).items():
            is_elsewhere = now.get(module, path) != path
            if old[path] != new.get(path, "") and not is_elsewhere and is_wanted(module):
                yield from self._of_module(module, old[path], new.get(path, ""), steps.get(path, []))

    def _of_module(self, module: str, old: str, new: str, steps: Sequence[Step]) -> Iterator[Changed]:
        # The contents that the file had on the way to the later tag. The way need not begin at the earlier one.
        way = [steps[0].old, *(step.new for step in steps)] if steps else []
        is_whole = all(step.old == content for step, content in zip(steps, way, strict=False))
        if not way or not is_whole or way[-1] != new:
            return
        known = self._codes(old)
        codes = [self._codes(content) for content in way]
        if known is None or None in codes:
            return
        for scope, code in known.items():
            if not scope:
                continue  # the statements of the module itself, such as its imports, change with most commits
            variants = [one.get(scope) for one in codes if one is not None]
            pulls = _pulls(code, variants, steps)
            if pulls:
                yield Changed(module, scope, pulls)

    def _read(self, content: str) -> _Codes | None:
        """The codes of a module with this content; None if it cannot be read."""
        if not content or content == UNKNOWN:
            return None if content else {}
        try:
            rows = rows_of("", self._clone.text(content), is_package=False)
        except UnicodeDecodeError:
            return None
        codes: dict[str, set[str]] = {}
        for kind, scope, name, _ in rows:
            if kind == CODE:
                codes.setdefault(scope, set()).add(name)
            elif kind == FLAG and name == "broken":
                return None
        return {scope: frozenset(names) for scope, names in codes.items()}


def _pulls(
    code: frozenset[str], variants: Sequence[frozenset[str] | None], steps: Sequence[Step]
) -> tuple[int, ...] | None:
    """The pull requests that made the last variant of `code`; None if one of the changes has no number.

    An earlier release may have left the way of the later one, and have picked commits from it. What it has stands on
    that way at the place of the last equal variant; if no variant is equal, it cannot be said what came after it.
    """
    if variants[-1] == code or code not in variants:
        return None
    start = len(variants) - 1 - variants[::-1].index(code)
    pulls = [step.pull for at, step in enumerate(steps) if at >= start and variants[at] != variants[at + 1]]
    known = [pull for pull in pulls if pull is not None]
    return tuple(dict.fromkeys(known)) if len(known) == len(pulls) else None
