"""The choices that make up an example. hypothesis draws each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Chance:
    """Draws what the grammars ask for. The first option and the smallest number are the simplest ones."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def choice(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        # By index: hypothesis would print all options of a `sampled_from` to tell the strategy from others.
        return options[self.number(0, len(options) - 1)]

    def some(self, options: Sequence[T], count: int) -> list[T]:
        """Return `count` different options."""
        left = list(options)
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(count)]

    def number(self, least: int, most: int) -> int:
        """Return a number from `least` to `most`."""
        return self._draw(st.integers(least, most))

    def happens(self, percent: int) -> bool:
        """Return True in so many of a hundred cases."""
        return self.number(1, 100) > 100 - percent
