"""Ranges against ``packaging.specifiers``, which defines what they mean."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from vcompat.rules.ranges import InvalidRange, parse_range

ROOT = Path(__file__).resolve().parents[3]
#: Every text in the shipped rules that is a range.
SHIPPED = sorted(
    set(
        chain.from_iterable(
            re.findall(r'"([<>=!][^"]*\d[^"]*)"', path.read_text(encoding="utf-8"))
            for path in (ROOT / "rules").rglob("*.toml")
        )
    )
)
MORE = [
    "==0.8.*",
    "!=0.8.*",
    "~=0.8.2",
    ">0.8.5",
    ">0.8.5.post1",
    "<=0.8.5rc1",
    "<0.8.5rc2",
    "==0.8.5+cu128",
    ">=0.8.5,",
]
NUMBERS = ["0.5.5", "0.7.2", "0.8.2", "0.8.4", "0.8.5", "0.9", "0.10.2", "0.31.0", "1.9.2", "1.10.0", "2.5.1", "5.0.0"]
SUFFIXES = ["", ".post1", "rc1", "a2", ".dev3", "rc1.dev1", "+cu128", ".post1+cu128", "rc1+cpu", ".dev3+g12ab"]
VERSIONS = [Version(number + suffix) for number in NUMBERS for suffix in SUFFIXES] + [Version("1!0.1")]


@pytest.mark.parametrize("text", [*SHIPPED, *MORE])
def test_it_holds_what_the_library_says(text: str) -> None:
    range_, library = parse_range(text), SpecifierSet(text)
    different = [str(v) for v in VERSIONS if range_.contains(v) != library.contains(v, prereleases=True)]
    assert different == []


def test_the_shipped_ranges_were_found() -> None:
    assert len(SHIPPED) > 80


@pytest.mark.parametrize("text", [">=zero", "0.8.5", "=0.8", ">=0.8 <0.9", "==0.8.x"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(InvalidRange):
        parse_range(text)
