"""A page for each configuration class with its settings by release, and the list of all classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.records.recorded_settings import COMMANDS, ClassRecord, Field, known_classes, load_class
from vcompat.report.upstream.setting_table import default_of, span_of
from vcompat.upstream.requirements import PARTNERS
from web.page import Page, shortened


class Row(NamedTuple):
    """A setting in consecutive releases in which it is the same."""

    name: str
    is_first: bool
    """Whether it is the first row of its setting."""
    releases: str
    types: str
    default: str
    choices: str


def pages() -> Iterator[Page]:
    """Yield the pages of all classes and the list."""
    packages = [
        (package, [record for name in known_classes(package) if (record := load_class(package, name))])
        for package in PARTNERS
    ]
    yield Page(
        "settings",
        "releases/settings.html",
        "Settings by release",
        "Which releases of TRL, vLLM, transformers, DeepSpeed, PEFT and accelerate have which settings, with defaults.",
        {"packages": packages, "name_of": name_of, "called": called},
    )
    for _, records in packages:
        for record in records:
            yield _page(record)


def name_of(record: ClassRecord) -> str:
    """Return the name of the page of a class."""
    return f"settings/{record.package}/{record.name}"


def called(record: ClassRecord) -> str:
    """Return the class as people call it: a command for the options of one."""
    return COMMANDS.get(record.name, record.name)


def _page(record: ClassRecord) -> Page:
    releases = record.releases()
    has = [version for version in releases if record.exists(version)]
    bases = [load_class(package, name) for package, name in record.bases(has[-1])] if has else []
    title = f"{called(record)}: settings by release of {record.package}"
    return Page(
        name_of(record),
        "releases/setting_class.html",
        title,
        shortened(
            f"Settings of {called(record)} in {len(has)} releases of {record.package}, with their defaults: "
            f"{', '.join(record.names())}"
        ),
        {
            "record": record,
            "called": called(record),
            "span": span_of(has[0], has[-1], releases[-1]) if has else "in no release",
            "count": len(has),
            "bases": [(name_of(base), called(base)) for base in bases if base is not None],
            "rows": [row for name in record.names() for row in _rows(record, name)],
        },
    )


def _rows(record: ClassRecord, name: str) -> Iterator[Row]:
    newest = record.releases()[-1]
    shown: list[tuple[Version, Version, tuple[str, str, str]]] = []
    order = {version: place for place, version in enumerate(record.releases())}
    for first, last, field in record.history(name):
        cells = _cells(field)
        if shown and shown[-1][2] == cells and order[first] == order[shown[-1][1]] + 1:
            shown[-1] = (shown[-1][0], last, cells)
        else:
            shown.append((first, last, cells))
    for number, (first, last, cells) in enumerate(shown):
        yield Row(name, not number, span_of(first, last, newest), *cells)


def _cells(field: Field) -> tuple[str, str, str]:
    types = " or ".join("None" if one == "none" else one for one in field.types)
    choices = ", ".join(map(str, field.choices)) if field.choices is not None else ""
    return types, ", ".join(default_of(field)), choices
