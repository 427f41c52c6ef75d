from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from vcompat.evaluation.fleet.clocks import apart
from vcompat.evaluation.fleet.health import SKEW


def test_clocks_that_agree_are_no_finding_however_long_the_barrier_takes() -> None:
    assert list(apart([(100.0, 130.0), (129.0, 130.1), (100.0, 130.2)])) == []
    assert list(apart([])) == []


def test_a_clock_that_is_wrong_is_named_with_the_least_that_it_is_off() -> None:
    (entry,) = apart([(100.0, 100.5), (160.0, 160.5), (100.1, 100.5), (40.0, 40.4), (100.2, 100.5)])
    assert [(group.nodes, group.value) for group in entry.groups] == [
        (("rank 1",), "at least 59.5 s ahead of rank 2"),
        (("rank 3",), "at least 59.7 s behind rank 2"),
    ]


_OFFSETS = st.lists(st.floats(-SKEW / 2, SKEW / 2), min_size=2, max_size=20)


@settings(deadline=None)
@given(_OFFSETS, st.lists(st.tuples(st.floats(0, 50), st.floats(0, 50)), min_size=20, max_size=20))
def test_clocks_within_the_tolerance_are_never_named(offsets: list[float], delays: list[tuple[float, float]]) -> None:
    moment = 1_000_000.0
    clocks = [
        (moment - early + offset, moment + late + offset)
        for offset, (early, late) in zip(offsets, delays, strict=False)
    ]
    assert list(apart(clocks)) == []
