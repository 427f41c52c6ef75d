"""Which ranks exchange data with each other, in rounds in which each rank has one partner at most."""

from __future__ import annotations

#: The most ranks of which each pair is tried. A larger job tries pairs at distances that are powers of two.
_ALL_PAIRS = 64


def partners(rank: int, size: int) -> list[int | None]:
    """Return the partner of a rank in each round; None where it has none.

    The partner of a rank's partner is the rank itself. Up to 64 ranks, each pair meets once.
    """
    if size > _ALL_PAIRS:
        found = [rank ^ 1 << bit for bit in range((size - 1).bit_length())]
        return [partner if partner < size else None for partner in found]
    # The circle method of tournaments: the last place is fixed, or stands for no partner if `size` is odd.
    places = size + size % 2
    last = places - 1
    rounds: list[int | None] = []
    for number in range(last):
        if rank == last:
            partner = number * (places // 2) % last
        else:
            opposite = (number - rank) % last
            partner = last if opposite == rank else opposite
        rounds.append(partner if partner < size else None)
    return rounds


def roots(size: int) -> list[int]:
    """Return the ranks that broadcast: all of them in a job of up to 64 ranks, else 64 of them."""
    return sorted({number * size // _ALL_PAIRS for number in range(_ALL_PAIRS)})
