"""The leads of a failure: what it lacks, which releases have that, and which code changed later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from packaging.version import Version

from vcompat.diagnosis.leads.callee import Callee, callees
from vcompat.diagnosis.leads.caller import Caller, caller_of
from vcompat.diagnosis.leads.changed import PASSED, changed_later, deepest
from vcompat.diagnosis.leads.frame_releases import Frame, consistent, frames_of
from vcompat.diagnosis.leads.lead import MISSING, RELEASES, Change, Lead
from vcompat.diagnosis.leads.python_errors import KEY, MODULE, NAME, REQUIRED, Missing, missing_in
from vcompat.diagnosis.logs.prefixes import Line
from vcompat.facts.facts import Facts
from vcompat.index.packages import IMPORTED
from vcompat.index.rows import CLASS, FUNCTION
from vcompat.index.spans import have, position, spans, wanted
from vcompat.index.store import Index, open_index


def leads_of(lines: Sequence[Line], facts: Facts) -> list[Lead]:
    """Return the leads of a failure, the likeliest first, from its lines and from what is known of the releases."""
    frames = frames_of(lines)
    known = _Known(frames, facts)
    leads: dict[str, Lead] = {}
    for line, missing in _missing_in(lines):
        lead = _lead(line, missing, frames, known)
        if lead is not None:
            leads.setdefault(lead.title, lead)
    is_clear = any(missing.kind != KEY for _, missing in _missing_in(lines))
    answer = list(leads.values()) or ([] if is_clear else list(_changed(frames, known)))
    return [*answer, *_releases(frames, known, is_told=bool(leads))]


def narrow(lines: Sequence[Line], facts: Facts) -> None:
    """State, of packages of which nothing states the release, the releases that can have printed a traceback.

    Rules are evaluated for each of them, and for the releases beside them: what was installed from a repository is
    between two releases. Raises InputError for a damaged index.
    """
    for package, has in consistent(frames_of(lines)).items():
        index, name = open_index(package), f"packages.{package}"
        if index is None or has == index.every or facts.get(name) is not None or facts.candidates(name):
            continue
        near = has | has << 1 | has >> 1
        releases = tuple(version for number, version in enumerate(index.releases) if near >> number & 1)
        facts.forget(name, f"the traceback is of {spans(index, has)}", candidates=releases)


def _releases(frames: Sequence[Frame], known: _Known, is_told: bool) -> Iterator[Lead]:
    """Say of which releases a traceback is: where that contradicts what is stated, and unless a lead tells more."""
    for package, has in known.consistent.items():
        frame = next((one for one in reversed(frames) if one.package == package and one.is_telling), None)
        index, version = open_index(package), known.version(package)
        if frame is None or index is None:
            continue
        if version is None and not is_told and package not in PASSED:
            yield Lead(RELEASES, f"the traceback is of {package} {spans(index, has)}", frame.line)
        elif version is not None and index.only(version) & ~has:
            differs = f"not of {version}: another one, or a changed copy, is installed"
            yield Lead(RELEASES, f"the traceback is of {package} {spans(index, has)}, {differs}", frame.line)


def _changed(frames: Sequence[Frame], known: _Known) -> Iterator[Lead]:
    frame = deepest(frames)
    if frame is not None:
        lead = changed_later(frames, known.consistent.get(frame.package, 0), known.version(frame.package))
        if lead is not None:
            yield lead


class _Known:
    """What is known of the releases of each package: by the facts, and by the frames."""

    def __init__(self, frames: Sequence[Frame], facts: Facts) -> None:
        self._facts = facts
        self.consistent: Mapping[str, int] = consistent(frames)

    def version(self, package: str) -> Version | None:
        """Return the release of a package; None if it is not known."""
        value = self._facts.value(f"packages.{package}") if package in self.named else None
        return value if isinstance(value, Version) else None

    @property
    def named(self) -> list[str]:
        """The packages of which the facts have the release."""
        names = (name.removeprefix("packages.") for name, _ in self._facts.all_known() if name.startswith("packages."))
        return [name for name in names if name in IMPORTED]

    def releases(self, index: Index) -> int:
        """Return the releases of a package that it can be."""
        version = self.version(index.package)
        if version is not None:
            return index.only(version)
        return self.consistent.get(index.package, index.every)

    def at(self, index: Index) -> int | None:
        """Return the number of the newest release that it can be; None if nothing is known."""
        version = self.version(index.package)
        if version is not None:
            return position(index, version)
        has = self.consistent.get(index.package, index.every)
        return None if has == index.every else has.bit_length() - 1


def _missing_in(lines: Sequence[Line]) -> Iterator[tuple[Line, Missing]]:
    for line in lines:
        for missing in missing_in(line.text):
            yield line, missing


def _lead(line: Line, missing: Missing, frames: Sequence[Frame], known: _Known) -> Lead | None:
    for callee in callees(missing, frames, known.named):
        if not _can_lack(missing, callee, known):
            continue
        caller = caller_of(missing, callee, frames)
        changes = _changes(missing, callee, caller, known)
        if changes or not callee.has:
            return Lead(MISSING, _title(callee, known), line, tuple(_details(missing, callee, caller, known)), changes)
    return None


def _can_lack(missing: Missing, callee: Callee, known: _Known) -> bool:
    """Whether the release that failed can be one that lacks it: a prerelease is like one of its neighbors."""
    index = callee.package
    version = known.version(index.package)
    if version is None:
        # Where all recorded releases have a name or a module, the one that failed is older than they. An attribute may
        # be stored on some ways only.
        is_in_all = not callee.lacks and missing.kind in (NAME, MODULE)
        return is_in_all or bool(known.releases(index) & callee.lacks)
    at = position(index, version)
    if at < 0:
        return True
    near = [at] if index.only(version) else [at, at + 1]
    return any(callee.lacks >> max(0, number) & 1 for number in near)


def _changes(missing: Missing, callee: Callee, caller: Caller | None, known: _Known) -> tuple[Change, ...]:
    index = callee.package
    changes = []
    to = wanted(index, callee.has, known.at(index), missing.kind == REQUIRED)
    if to and to[0]:
        changes.append((0 if to[1] else 2, Change(index.package, to[0], _having(callee))))
    if caller is not None:
        free = caller.package.every & ~caller.uses
        to = wanted(caller.package, free, _last_use(caller, known))
        if to and to[0]:
            because = have(caller.package, caller.uses, "use")
            changes.append((1 if to[1] else 3, Change(caller.package.package, to[0], because)))
    return tuple(change for _, change in sorted(changes, key=lambda one: one[0]))


def _last_use(caller: Caller, known: _Known) -> int:
    """The number of the release that uses it: the newest one that it can be."""
    at = known.at(caller.package)
    return caller.uses.bit_length() - 1 if at is None else at


def _title(callee: Callee, known: _Known) -> str:
    index = callee.package
    version = known.version(index.package)
    if not callee.has:
        return f"no recorded release of {index.package} has {callee.what}"
    if version is not None:
        return f"{index.package} {version} has no {callee.what} ({_having(callee)})"
    if callee.is_open:
        return f"{callee.what} can be in {index.package} {spans(index, callee.has)} only"
    having = spans(index, callee.has)
    if not callee.lacks:
        return f"all recorded releases of {index.package}, {having}, have {callee.what}: an older one is installed"
    return f"{callee.what} is in {index.package} {having} only"


def _having(callee: Callee) -> str:
    """Which releases have what is missing, or may have it, as a part of a sentence."""
    index = callee.package
    return f"{spans(index, callee.has)} pass it on" if callee.is_open else have(index, callee.has)


def _details(missing: Missing, callee: Callee, caller: Caller | None, known: _Known) -> Iterator[str]:
    if caller is not None:
        yield f"{caller.module} uses it in {caller.package.package} {spans(caller.package, caller.uses)}"
    if missing.kind == NAME:
        index = callee.package
        version = known.version(index.package)
        here = (index.only(version) if version else 0) or 1 << len(index.releases) - 1
        for where in index.places_of(missing.name):
            is_other = where.module != callee.module and where.kind in (CLASS, FUNCTION) and not where.scope
            if is_other and where.releases & here and not callee.has & here:
                yield f"{where.module} has {missing.name} in {index.package} {spans(index, where.releases)}"
