from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vcompat.evaluation.fleet.hostlist import expanded, folded, numbers


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("node1", ["node1"]),
        ("node[1-3,7]", ["node1", "node2", "node3", "node7"]),
        ("gpu[008-010],login", ["gpu008", "gpu009", "gpu010", "login"]),
        ("r[1-2]n[1-2]-ib", ["r1n1-ib", "r1n2-ib", "r2n1-ib", "r2n2-ib"]),
        ("", []),
        ("node[1-", []),
        ("node]1[", []),
        ("node[1-999999999]", []),
        ("node[5-1]", []),
        ("node[a-b]", []),
        ("a[1-1000]b[1-1000]", []),
    ],
)
def test_lists_of_slurm_are_expanded(text: str, names: list[str]) -> None:
    assert expanded(text) == names


def test_a_list_is_folded() -> None:
    assert folded(["node17", "node23", "node24", "node25", "login"]) == "node[17,23-25], login"
    assert folded(["n01", "n02", "n3"]) == "n[01-02], n3"
    assert folded(["node5"]) == "node5"
    assert folded([]) == ""


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["node", "gpu-", "r1n"]), st.integers(0, 120)), unique=True))
def test_folding_and_expanding_lose_no_node(parts: list[tuple[str, int]]) -> None:
    names = {f"{name}{number:03d}" for name, number in parts}
    assert set(expanded(folded(sorted(names)).replace(", ", ","))) == names


def test_numbers_are_shown_as_ranges() -> None:
    assert numbers([0, 1, 2, 7]) == "0-2, 7"
    assert numbers(range(0, 100, 2), 3) == "0, 2, 4, ..."
