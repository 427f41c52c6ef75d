from __future__ import annotations

import pytest

from vcompat.fleet.partners import partners, roots


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 13, 63, 64])
def test_each_pair_meets_once_and_both_in_the_same_round(size: int) -> None:
    rounds = [partners(rank, size) for rank in range(size)]
    met = []
    for rank, own in enumerate(rounds):
        for turn, partner in enumerate(own):
            if partner is not None:
                assert rounds[partner][turn] == rank
                met.append((rank, partner))
    assert sorted(met) == [(a, b) for a in range(size) for b in range(size) if a != b]


@pytest.mark.parametrize("size", [65, 100, 4096])
def test_a_large_job_tries_few_pairs_that_connect_all_ranks(size: int) -> None:
    rounds = {rank: partners(rank, size) for rank in range(size)}
    assert all(
        rounds[partner][turn] == rank
        for rank, own in rounds.items()
        for turn, partner in enumerate(own)
        if partner is not None
    )
    assert max(map(len, rounds.values())) <= 12
    reached, left = {0}, [0]
    while left:
        new = {partner for partner in rounds[left.pop()] if partner is not None} - reached
        reached |= new
        left += new
    assert len(reached) == size


def test_all_ranks_of_a_small_job_broadcast_and_64_of_a_large_one() -> None:
    assert roots(5) == [0, 1, 2, 3, 4]
    assert roots(64) == list(range(64))
    assert len(roots(4096)) == 64
    assert max(roots(4096)) < 4096
