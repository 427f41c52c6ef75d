"""Since when and until when classes have their settings, as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from click import style
from packaging.version import Version

from vcompat.facts.records.recorded_settings import ClassRecord, Field, load_class

_INDENT = 2
#: Columns between columns.
_GAP = 2


class Run(NamedTuple):
    """Consecutive releases in which a setting is the same."""

    first: Version
    last: Version
    field: Field


def histories(record: ClassRecord) -> dict[str, list[Run]]:
    """Return the runs of every setting that a class has of its own or from a base in its package, sorted by name."""
    by_name: dict[str, list[Run]] = {}
    before: Version | None = None
    for version in record.releases():
        for name, field in _fields(record, version).items():
            runs = by_name.setdefault(name, [])
            if runs and runs[-1].last == before and runs[-1].field == field:
                runs[-1] = runs[-1]._replace(last=version)
            else:
                runs.append(Run(version, version, field))
        before = version
    return dict(sorted(by_name.items()))


def foreign_bases(record: ClassRecord) -> list[str]:
    """Return the classes of other packages whose settings the class also has, as ``package.Name``."""
    names: dict[str, None] = {}
    for version in record.releases():
        for package, name in record.bases(version):
            base = load_class(package, name) if package == record.package else None
            names.update(dict.fromkeys(foreign_bases(base) if base else [f"{package}.{name}"]))
    return [name for name in names if not name.startswith(f"{record.package}.")]


def _fields(record: ClassRecord, version: Version) -> dict[str, Field]:
    inherited: dict[str, Field] = {}
    for package, name in reversed(record.bases(version)):
        base = load_class(package, name) if package == record.package else None
        inherited |= _fields(base, version) if base is not None else {}
    return {**inherited, **record.fields(version)}


def class_table(record: ClassRecord, changed_only: bool, width: int) -> Iterator[str]:
    """A line for each run of each setting; of the settings that came, went or changed if `changed_only`."""
    releases = record.releases()
    has = [version for version in releases if record.exists(version)]
    bases = foreign_bases(record)
    yield style(f"{record.name} of {record.package} {span_of(has[0], has[-1], None)} ({len(has)} releases)", bold=True)
    rows: list[tuple[str, str, list[str]]] = []
    for name, history in histories(record).items():
        runs = _shown_runs(history, releases)
        if changed_only and not _has_changed(runs, has):
            continue
        label = f"{name} *" if any(_has(base, name) for base in bases) else name
        for run in runs:
            rows.append((label, span_of(run.first, run.last, releases[-1]), default_of(run.field)))
            label = ""
    columns = zip(("setting", "releases"), *(row[:2] for row in rows), strict=True)
    names, spans = (max(map(len, column)) for column in columns)
    yield style(f"{'setting':<{names}}  {'releases':<{spans}}  default", bold=True)
    for label, span, default in rows:
        yield from _beside(f"{label:<{names}}  {span:<{spans}}", default, width)
    if bases:
        listed = " and ".join(bases)
        yield style(f"It also has the settings of {listed};", dim=True)
        yield style("* replaces one of them in these releases.", dim=True)


def setting_table(name: str, records: Sequence[ClassRecord], width: int) -> Iterator[str]:
    """A line for each run of one setting in each class that has it."""
    yield style(name, bold=True)
    packages = {record.package for record in records}
    classes = {_label(record, len(packages) > 1): (record, histories(record).get(name, [])) for record in records}
    names = max(map(len, classes), default=0)
    shown = {
        (label, run): span_of(run.first, run.last, record.releases()[-1])
        for label, (record, runs) in classes.items()
        for run in runs
    }
    spans = max(map(len, shown.values()), default=0)
    for label, (_, runs) in classes.items():
        before: Field | None = None
        for run in runs:
            left = f"{' ' * _INDENT}{'' if before else label:<{names}}  {shown[label, run]:<{spans}}"
            types = " or ".join("None" if one == "none" else one for one in run.field.types)
            yield from _beside(left, [types, *default_of(run.field, "default "), *_choices(run.field, before)], width)
            before = run.field


def _label(record: ClassRecord, several: bool) -> str:
    return f"{record.package}.{record.name}" if several else record.name


def _choices(field: Field, before: Field | None) -> Iterator[str]:
    """The values that a setting is limited to; what changed in them, if the run before states some."""
    if field.choices is None:
        return
    if before is None or before.choices is None:
        yield f"one of {', '.join(map(str, field.choices))}"
        return
    for word, these, others in (("adds", field, before), ("drops", before, field)):
        changed = [str(value) for value in these.choices or () if value not in (others.choices or ())]
        if changed:
            yield f"{word} {', '.join(changed)}"


def _beside(left: str, parts: Sequence[str], width: int) -> Iterator[str]:
    """What is stated of a run beside the columns on its left; further left where a line would be too long."""
    margin = len(left) + _GAP
    line = left
    for number, part in enumerate(parts):
        joined = f"{line}{', ' if number else ' ' * _GAP}{part}"
        if len(joined) <= width:
            line = joined
            continue
        yield line + ("," if number else "")
        indent = max(_INDENT * 2, min(margin, width - len(part)))
        *above, line = textwrap.wrap(part, width - indent, break_on_hyphens=False, break_long_words=False)
        yield from (" " * indent + one for one in above)
        line = " " * indent + line
    yield line


def _shown_runs(runs: Sequence[Run], releases: Sequence[Version]) -> list[Run]:
    """The runs, those joined that differ only in what a table of a class does not show."""
    joined = [runs[0]]
    following = dict(pairwise(releases))
    for run in runs[1:]:
        if following.get(joined[-1].last) == run.first and default_of(joined[-1].field) == default_of(run.field):
            joined[-1] = joined[-1]._replace(last=run.last)
        else:
            joined.append(run)
    return joined


def _has_changed(runs: Sequence[Run], has: Sequence[Version]) -> bool:
    return len(runs) > 1 or (runs[0].first, runs[0].last) != (has[0], has[-1])


def _has(base: str, name: str) -> bool:
    package, _, kind = base.partition(".")
    record = load_class(package, kind)
    return record is not None and bool(record.history(name))


def span_of(first: Version, last: Version, newest: Version | None) -> str:
    """The releases in few words; ``since`` if the last is the newest."""
    if last == newest:
        return f"since {first}"
    return f"{first} - {last}" if first != last else f"{first}"


def default_of(field: Field, before_default: str = "") -> list[str]:
    """The default, and what upstream states about the setting's end."""
    default = repr(field.default) if field.has_default else "required" if field.required else "computed"
    parts = [f"{before_default if field.has_default else ''}{default}"]
    parts += ["deprecated"] if field.deprecated else []
    return [*parts, *([f"use {field.replaced_by}"] if field.replaced_by else [])]
