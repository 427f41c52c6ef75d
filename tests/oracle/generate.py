"""Generates examples with hypothesis: training scripts, and launch scripts with all that they need."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

from tests.oracle.chance import Chance
from tests.oracle.example import Example
from tests.oracle.grammar_python import scripts
from tests.oracle.grammar_shell import launches


class Anew(HypothesisProvider):
    """Draws every example anew, and every choice with the same probability.

    With its own backend, hypothesis generates most examples by changing one choice of an earlier example, and prefers
    constants of the modules that happen to be imported. Examples would be near-duplicates, and differ between runs.
    """

    def draw_integer(
        self,
        min_value: int | None = None,
        max_value: int | None = None,
        *,
        weights: dict[int, float] | None = None,
        shrink_towards: int = 0,
    ) -> int:
        if min_value is None or max_value is None or weights is not None:
            return super().draw_integer(min_value, max_value, weights=weights, shrink_towards=shrink_towards)
        assert self._random is not None
        return self._random.randint(min_value, max_value)


AVAILABLE_PROVIDERS["anew"] = Anew

#: Nothing but generation: `tests.oracle.shrink` makes failing examples small, since each trial takes executions.
GENERATION = settings(
    backend="anew",
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@st.composite
def examples(draw: st.DrawFn) -> Example:
    """A strategy for examples."""
    chance = Chance(draw)
    return chance.choice((scripts, launches))(chance)
