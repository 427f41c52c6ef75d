"""Ranges against ``packaging.specifiers``, which defines what they mean."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tests.each import each
from vcompat.rules.ranges import InvalidRange, check_range, parse_range

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


@each([*SHIPPED, *MORE])
def test_it_holds_what_the_library_says(text: str) -> None:
    range_, library = parse_range(text), SpecifierSet(text)
    different = [str(v) for v in VERSIONS if range_.contains(v) != library.contains(v, prereleases=True)]
    assert different == []


def test_the_shipped_ranges_were_found() -> None:
    assert len(SHIPPED) > 80


@pytest.mark.parametrize(
    "text", [">=zero", "0.8.5", "=0.8", ">=0.8 <0.9", "==0.8.x", ">=0.8<0.9", ">=1..2", "<", "===*", "===0.8.*"]
)
def test_what_is_no_range_is_refused(text: str) -> None:
    for refuse in (parse_range, check_range):
        with pytest.raises(InvalidRange):
            refuse(text)


@each([*SHIPPED, *MORE])
def test_a_range_that_can_be_parsed_is_not_refused(text: str) -> None:
    check_range(text)


@given(st.text("<>=!~,.* 019rc", max_size=12))
def test_a_range_is_refused_if_and_only_if_it_cannot_be_parsed(text: str) -> None:
    assert refused(check_range, text) == refused(parse_range, text)


def refused(function: Callable[[str], object], text: str) -> bool:
    try:
        function(text)
    except InvalidRange:
        return True
    return False
