"""How statements follow one another: in order, or in the arms of a branch, each of which runs on a state of its own."""

from __future__ import annotations

import ast
from collections.abc import Callable

from vcompat.sources.reading.python.running.calls import NORMAL, Calls, Outcomes
from vcompat.sources.reading.python.values.core import Jump, Stopped
from vcompat.sources.reading.python.values.state import Diff
from vcompat.sources.reading.python.values.values import NONE, ON_CONDITION, Frame, Value, join

Done = Jump | Outcomes | None
"""How a block ended: at its last statement, by a jump, or in one of several ways with the writes of each."""


class Flow(Calls):
    """Runs statements in their order, and joins how the arms of a branch ended."""

    def block(self, statements: list[ast.stmt], frame: Frame) -> Done:
        """Run statements."""
        return self.sequence([bound(self.statement, node, frame) for node in statements])

    def sequence(self, steps: list[Callable[[], Done]]) -> Done:
        """Run `steps` one after the other, each only in the cases in which the ones before it end normally."""
        for index, step in enumerate(steps):
            done = step()
            if isinstance(done, dict):
                return self._go_on(done, steps[index + 1 :])
            if done is not None:
                return done
        return None

    def _go_on(self, outcomes: Outcomes, rest: list[Callable[[], Done]]) -> Done:
        """Run `rest` in the case in which a step ended normally, and add how the others ended."""
        others = {kind: end for kind, end in outcomes.items() if kind != NORMAL}
        if NORMAL not in outcomes:
            return self.settle(others)
        _, before = outcomes[NORMAL]
        self.uncertain.append(ON_CONDITION)
        with self.state.arm() as diff:
            self.state.apply(before)
            done = self.sequence(rest)
        self.uncertain.pop()
        self.add(others, done, diff)
        return self.settle(others)

    def add(self, outcomes: Outcomes, done: Done, diff: Diff) -> None:
        """Add how an arm ended that wrote `diff`."""
        if isinstance(done, dict):
            for kind, (value, more) in done.items():
                # `more` is relative to the state after `diff`.
                self._add_one(outcomes, kind, value, diff.then(more))
        elif done is None:
            self._add_one(outcomes, NORMAL, NONE, diff)
        else:
            self._add_one(outcomes, done.kind, done.value, diff)

    def _add_one(self, outcomes: Outcomes, kind: str, value: Value, diff: Diff) -> None:
        known = outcomes.get(kind)
        if known is not None:
            value, diff = join(known[0], value), self.join_diffs(known[1], diff)
        outcomes[kind] = (value, diff)

    def settle(self, outcomes: Outcomes) -> Done:
        """Apply the writes if there is one way to end. A run that ends here is of no interest if another goes on."""
        going_on = {kind: end for kind, end in outcomes.items() if kind not in ("raise", "exit")}
        if going_on and len(going_on) < len(outcomes):
            if "raise" in outcomes:
                self.raises()
            outcomes = going_on
        if len(outcomes) > 1 and not going_on:
            outcomes = {"raise": outcomes["raise"]} if "raise" in outcomes else outcomes
        if len(outcomes) != 1:
            return outcomes
        ((kind, (value, diff)),) = outcomes.items()
        self.state.apply(diff)
        return None if kind == NORMAL else Jump(kind, value)

    def branch(self, arms: list[Callable[[], Done]], why: str = ON_CONDITION) -> Done:
        """Run the arms of a branch, of which one runs."""
        outcomes: Outcomes = {}
        self.uncertain.append(why)
        for arm in arms:
            with self.state.arm() as diff:
                done = self._caught(arm)
            self.add(outcomes, done, diff)
        self.uncertain.pop()
        return self.settle(outcomes)

    @staticmethod
    def _caught(run: Callable[[], Done]) -> Done:
        try:
            return run()
        except Stopped as stopped:
            return stopped.jump

    def statement(self, node: ast.stmt, frame: Frame) -> Done:
        """Run a statement."""
        raise NotImplementedError


def bound(run: Callable[..., Done], *arguments: object) -> Callable[[], Done]:
    """Return a call of `run` that is made later."""
    return lambda: run(*arguments)
