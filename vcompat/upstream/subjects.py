"""What rules and patches expect in a release's source: each fingerprint of a rule, each change of a patch.

Both are inspected in the same way, and both are recorded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from vcompat.patching.guard import inspect_source
from vcompat.patching.patch import Change, Patch
from vcompat.rules.fingerprint import ABSENT, Fingerprint, Seen, find_code
from vcompat.rules.record import PATCH, RULE
from vcompat.rules.rule import Rule

Read = Callable[[str], str | None]
#: Folders of a source tree that contain a package.
ROOTS = ("", "src/", "py_src/", "bindings/python/py_src/")


class Subject(NamedTuple):
    """One thing to inspect in every release of a package."""

    kind: str
    """RULE or PATCH."""
    id: str
    number: int
    """Index among the rule's fingerprints, or the patch's changes, in this package; from 0."""
    package: str
    terms: str
    """A hash of what the code is checked for. A verdict recorded for other terms is not valid."""
    look: Callable[[Read], Seen]
    """Inspect one release, given a reader of its files."""
    in_wheels: bool = True
    """Whether wheels can be inspected; files that state how a release is built are only in source distributions."""
    file: str = ""
    """The first file that is looked for. Subjects in its order parse a file once, not once each."""

    @property
    def key(self) -> tuple[str, str, int]:
        """Identifies the subject among those of its package."""
        return self.kind, self.id, self.number


def subjects_of(rules: Iterable[Rule], patches: Iterable[Patch]) -> list[Subject]:
    """Return all subjects: rules, then patches, each sorted by id."""
    return [*_of_rules(rules), *_of_patches(patches)]


def _of_rules(rules: Iterable[Rule]) -> Iterator[Subject]:
    for rule in sorted(rules, key=lambda rule: rule.id):
        count: dict[str, int] = {}
        for fingerprint in rule.evidence.fingerprints:
            package = fingerprint.package
            number = count[package] = count.get(package, -1) + 1
            terms = _hash(repr(_plain(fingerprint)))
            in_wheels = any(path.endswith(".py") for path in fingerprint.module)
            yield Subject(RULE, rule.id, number, package, terms, fingerprint.look, in_wheels, fingerprint.module[0])


def _of_patches(patches: Iterable[Patch]) -> Iterator[Subject]:
    for patch in sorted(patches, key=lambda patch: patch.id):
        count: dict[str, int] = {}
        for change in patch.changes:
            terms = (change.module, change.object, change.shape, change.has, change.lacks)
            package = change.module.partition(".")[0]
            number = count[package] = count.get(package, -1) + 1
            file = f"{change.module.replace('.', '/')}.py"
            yield Subject(PATCH, patch.id, number, package, _hash(repr(terms)), _guard_of(change), file=file)


def _plain(fingerprint: Fingerprint) -> tuple[object, ...]:
    return (*fingerprint[:-1], tuple(_plain(part) for part in fingerprint.also))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]


def _guard_of(change: Change) -> Callable[[Read], Seen]:
    def look(read: Read) -> Seen:
        path, source = module_source(change.module, read)
        code = None if source is None else find_code(source, change.object)
        if source is None or code is None:
            return Seen(ABSENT)
        return Seen(inspect_source(change, source).word.replace(" ", "-"), path, code.line, code.digest())

    return look


def module_source(module: str, read: Read) -> tuple[str, str | None]:
    """Return path and text of a module, wherever its package is in the source tree; None for the text if missing."""
    stem = module.replace(".", "/")
    for root in ROOTS:
        for path in (f"{root}{stem}.py", f"{root}{stem}/__init__.py"):
            source = read(path)
            if source is not None:
                return path, source
    return stem, None
