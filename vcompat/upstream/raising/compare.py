"""Compare what a package uses of two releases of another one: what is gone, and what has changed."""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from vcompat.facts.use import ARGUMENT, ATTRIBUTE, IMPORT, METHOD, Use
from vcompat.foundation.errors import InputError
from vcompat.foundation.syntax.blocks import Function
from vcompat.rules.ranges import in_all
from vcompat.upstream.archive import BadArchive
from vcompat.upstream.index import Release
from vcompat.upstream.offers.definitions import Defined
from vcompat.upstream.raising.bodies import changed_parts
from vcompat.upstream.raising.changed_parameters import differences, no_longer_fits, taken
from vcompat.upstream.raising.changed_settings import Settings, changes
from vcompat.upstream.raising.moved import now_in
from vcompat.upstream.raising.overrides import problems
from vcompat.upstream.raising.side import Side
from vcompat.upstream.raising.subclasses import Inherited
from vcompat.upstream.raising.used_calls import Calls
from vcompat.upstream.scanning.release_uses import Uses, imported_name, read_users
from vcompat.upstream.store import Store, Unavailable

GONE, SIGNATURE, SETTING, BODY = "gone", "signature", "setting", "body"


class Change(NamedTuple):
    """One thing that changed of what is used."""

    kind: str
    """GONE, SIGNATURE, SETTING or BODY."""
    what: str
    """In words, such as ``calls vllm.LLM.chat`` or ``vllm.LLM``."""
    places: Sequence[str]
    """Files and lines where it is used."""
    details: Sequence[str]
    """What changed, or where it is now."""
    fails: bool = False
    """Whether the use certainly fails with the newer release."""


class Raise(NamedTuple):
    """What raising a bound means for the package that declares it."""

    user: Release
    before: Release
    after: Release
    asks: str | None
    """The range that the package declares; None if it declares none."""
    uses: int
    changes: Sequence[Change]
    missing: int
    """Uses that neither of the two releases has."""


def compared(user: Release, before: Release, after: Release) -> Raise:
    """Compare what `user` uses of two releases of a package. Raises InputError if one cannot be read."""
    store = Store()
    read = read_users(([user], [after.package]))[0]
    if read.trouble:
        raise InputError(f"{user.package} {user.version}", read.trouble)
    try:
        with (
            store.open(user) as own,
            store.open(before) as old,
            store.open(after) as new,
            tempfile.TemporaryDirectory(prefix="vcompat-") as scratch,
        ):
            uses = read.of[after.package]
            calls = Calls(own, imported_name(after.package), after.version)
            sides = (Side(before, old), Side(after, new))
            found = _Comparison(uses, sides, calls, Settings(*sides, Path(scratch)))
            return Raise(user, before, after, uses.asks, len(uses.places), list(found.changes()), found.missing)
    except (Unavailable, BadArchive) as trouble:
        raise InputError(f"{before.package} {before.version}, {after.version}", str(trouble)) from None


class _Comparison:
    """Compares two releases for the uses of one package."""

    def __init__(self, uses: Uses, sides: tuple[Side, Side], calls: Calls, settings: Settings) -> None:
        before, after = self._before, self._after = sides
        self._calls, self._settings = calls, settings
        self._places: dict[Use, list[str]] = {}
        """Where the newer release needs what is used. Code that it does not reach needs nothing of it."""
        self._needed_before: set[Use] = set()
        for use, places in uses.places.items():
            if in_all(use.guards, after.release.version):
                plain = use._replace(guards=())
                self._places.setdefault(plain, []).extend(places)
                if in_all(use.guards, before.release.version):
                    self._needed_before.add(plain)
        self._overrides: dict[tuple[str, str], list[tuple[str, Function]]] = {}
        self.missing = 0

    def changes(self) -> Iterator[Change]:
        """Yield what changed, the important first."""
        yield from self._gone()
        both = {target: (self._before.definition(*target), self._after.definition(*target)) for target in self._targets}
        known = {target: (old, new) for target, (old, new) in both.items() if old and new and old.node and new.node}
        recorded = {target: found for target, (_, new) in known.items() if (found := self._settings.of(new))}
        for target, pair in known.items():
            if target not in recorded:
                yield from self._signature(target, *pair)
        for target, fields in recorded.items():
            details = [f"{name}: {text}" for name, text in changes(*fields, self._passed(target))]
            if details:
                yield Change(SETTING, ".".join(target), self._targets[target], details)
        for target, (old, new) in known.items():
            parts = changed_parts(old.node, new.node, {name.partition(".")[2] for _, name in known})
            if parts:
                yield Change(BODY, ".".join(target), self._targets[target], parts)

    def _gone(self) -> Iterator[Change]:
        members = {Use(METHOD, *target): places for target, places in self._members.items()}
        for use, places in {**members, **self._places}.items():
            had = self._before.offers(use) if use in members or use in self._needed_before else None
            has = self._after.offers(use)
            if has is False and had is False:
                self.missing += 1
            elif has is False and (had or use.kind != ATTRIBUTE):
                # The class of an object is known only as well as annotations are true.
                instead = self._replaced(use)
                details = [f"use {instead}"] if instead else now_in(use, self._before, self._after)
                yield Change(GONE, str(use), places, details, fails=True)
            elif has is not False and had is not False:
                yield from self._leaving(use, places, is_taken=has is True)

    def _leaving(self, use: Use, places: Sequence[str], is_taken: bool) -> Iterator[Change]:
        """A name that only a ``__getattr__`` still finds where it was, or a setting that is gone from the record."""
        defined = self._after.definition(use.module, use.name) if use.name else None
        if use.kind == ARGUMENT:
            instead = self._replaced(use)
            if defined and instead is not None:
                fails = not is_taken and self._settings.refuses(defined)
                details = [*([f"use {instead}"] if instead else []), *([] if fails else ["it is ignored"])]
                yield Change(GONE, str(use), places, details, fails)
        elif use.kind == IMPORT and use.name and (defined is None or defined.node is None):
            old = self._before.definition(use.module, use.name)
            if old is not None and old.node is not None:
                details = ["no longer defined there", *now_in(use, self._before, self._after)]
                yield Change(GONE, str(use), places, details)

    def _replaced(self, use: Use) -> str | None:
        """Return what replaces a setting that is gone, perhaps nothing; None if it is not gone."""
        defined = self._after.definition(use.module, use.name) if use.kind == ARGUMENT else None
        fields = self._settings.of(defined) if defined else None
        old = fields[0].get(use.argument) if fields else None
        return old.replaced_by if fields and old and use.argument not in fields[1] else None

    @cached_property
    def _targets(self) -> Mapping[tuple[str, str], Sequence[str]]:
        """The places of each function, class and method that is used."""
        targets: dict[tuple[str, str], list[str]] = {}
        # What is passed to a class or a function is nearer to what changed than its import.
        for use, places in sorted(self._places.items(), key=lambda item: item[0].kind != ARGUMENT):
            if use.name and use.kind != ATTRIBUTE:
                targets.setdefault((use.module, use.name), []).extend(places)
        for target, places in self._members.items():
            targets.setdefault(target, []).extend(places)
        return {target: _one_per_file(places) for target, places in targets.items()}

    @cached_property
    def _members(self) -> Mapping[tuple[str, str], list[str]]:
        """The places of what is read from imported classes, called on them, or used and overridden by subclasses."""
        members_of: dict[tuple[str, str], list[str]] = {}
        for use, places in self._places.items():
            owner = self._before.definition(use.module, use.name) if use.kind == IMPORT and use.name else None
            members = self._calls.members(use.module, use.name, places) if owner else Inherited({}, {})
            for name, where in members.places.items():
                target = (use.module, f"{use.name}.{name}")
                if self._before.offers(Use(METHOD, *target)):
                    members_of[target] = where
                    self._overrides[target] = members.overrides.get(name, [])
        return members_of

    def _passed(self, target: tuple[str, str]) -> Mapping[str, str]:
        """The arguments that are passed by name, each with the first place."""
        uses = (use for use in self._places if use.kind == ARGUMENT and use[1:3] == target)
        return {use.argument: self._places[use][0] for use in uses}

    def _signature(self, target: tuple[str, str], old: Defined, new: Defined) -> Iterator[Change]:
        is_method = "." in target[1]
        before, after = taken(self._before, old, is_method), taken(self._after, new, is_method)
        details, fails = list(_marks(old, new)), False
        if before and after and before != after:
            calls = list(self._calls.of(*target, self._members.get(target, self._targets[target])))
            if not calls and isinstance(new.node, ast.ClassDef):
                return
            passed = {keyword.arg: place for place, call in calls for keyword in call.keywords if keyword.arg}
            details += differences(before, after, {**passed, **self._passed(target)})
            for place, call in calls:
                # Arguments of other calls are uses of their own.
                reason = no_longer_fits(call, before, after, with_names=target in self._members)
                details += [f"{place} {reason}"] if reason else []
                fails = fails or bool(reason)
            owner = (target[0], target[1].partition(".")[0])
            owners = (self._before.definition(*owner), self._after.definition(*owner))
            for problem in problems(self._overrides.get(target, ()), owners, before, after):
                details.append(problem.text)
                fails = fails or problem.is_certain
        if details:
            yield Change(SIGNATURE, ".".join(target), self._targets[target], details, fails)


def _one_per_file(places: Sequence[str]) -> list[str]:
    first: dict[str, str] = {}
    for place in places:
        first.setdefault(place.partition(":")[0], place)
    return list(first.values())


def _marks(old: Defined, new: Defined) -> Iterator[str]:
    """What else differs for a caller: whether it must wait, and whether upstream states that it is deprecated."""
    is_async = [isinstance(defined.node, ast.AsyncFunctionDef) for defined in (old, new)]
    if is_async[0] != is_async[1]:
        yield "now async" if is_async[1] else "no longer async"
    texts = [[ast.unparse(node) for node in getattr(defined.node, "decorator_list", ())] for defined in (old, new)]
    yield from (f"deprecated: @{text}" for text in texts[1] if "deprecat" in text and text not in texts[0])
