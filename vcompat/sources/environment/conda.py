"""Reads the output of `conda env export`."""

from __future__ import annotations

import re

from vcompat.facts.facts import Facts, Place
from vcompat.sources.environment.stated import leave_open, state_release
from vcompat.sources.plan.document import Document


def read_conda(document: Document) -> Facts:
    """Return the packages of an exported environment.

    A full export (with builds) lists every package, so packages that are not in it are known to be absent.
    """
    facts = Facts()
    dependencies = document.get("dependencies")
    items = dependencies if isinstance(dependencies, list) else []
    plain = [item for item in items if isinstance(item, str)]
    if plain and all(re.fullmatch(r"[^=\s]+=[^=\s]+=[^=\s]+", item) for item in plain):
        facts.closed.add("packages")
    place = document.place("dependencies")
    for item in plain:
        name, version = _conda_item(item)
        _record(facts, name, version, place)
    for group in items:
        listed = group.get("pip") if isinstance(group, dict) else None
        for text in listed if isinstance(listed, list) else []:
            name, _, version = str(text).partition("==")
            _record(facts, re.split(r"[\s\[<>=!~;@]", name)[0], version.partition(";")[0].strip(), place)
    return facts


def _conda_item(text: str) -> tuple[str, str]:
    """Return name and version of ``channel::name=version=build``; the version is empty if it is a range."""
    match = re.fullmatch(r"(?:[^:\s]+::)?([A-Za-z0-9._-]+)\s*(?:={1,2}([0-9][^=\s,*]*)(?:=.*)?)?", text.strip())
    if match is None:
        return re.split(r"[\s<>=!~]", text.strip())[0].rpartition("::")[2], ""
    return match[1], match[2] or ""


def _record(facts: Facts, name: str, version: str, place: Place) -> None:
    # NVIDIA's packages have other names in conda. The vocabulary uses those of pip.
    if version:
        state_release(facts, name, version, place)
    else:
        leave_open(facts, name, "does not pin a version", place)
