"""The search against trying every set."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.version import Version

from vcompat.fixes.releases import Pin, Pins
from vcompat.foundation.newest_first import Search

PINS = [[Pin(package, Version(str(number))) for number in (3, 2, 1)] for package in "abcd"]
EVERY = [pin for pins in PINS for pin in pins]
parts = st.frozensets(st.sampled_from(EVERY), min_size=1, max_size=4)


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(st.lists(parts, max_size=25))
def test_it_finds_the_first_set_that_contains_no_conflict(conflicts: list[frozenset[Pin]]) -> None:
    def bad(pins: Pins) -> frozenset[Pin] | None:
        return next((part for part in conflicts if part <= set(pins)), None)

    expected = next((pins for pins in product(*PINS) if bad(pins) is None), None)
    pairs = {frozenset(pair): bad(pair) for pair in combinations(EVERY, 2)}
    search = Search(
        PINS, lambda pin: bad((pin,)) is None, lambda one, other: pairs[frozenset((one, other))] is None, bad
    )
    assert search.first() == expected
    few = Search(
        PINS, lambda pin: bad((pin,)) is None, lambda one, other: pairs[frozenset((one, other))] is None, bad, most=8
    )
    assert few.first() in (None, expected)
