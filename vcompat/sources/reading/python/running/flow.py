"""How statements follow one another: in order, or in the arms of a branch, each of which runs on a state of its own."""

from __future__ import annotations

import ast
from collections.abc import Callable

from vcompat.sources.reading.python.values.core import NORMAL, Done, Jump, Outcomes, Stopped
from vcompat.sources.reading.python.values.interpreter_part import Part
from vcompat.sources.reading.python.values.values import NONE, ON_CONDITION, Frame, Value, join
from vcompat.sources.reading.python.values.writes import Diff


class Flow(Part):
    """Runs statements in their order, and joins how the arms of a branch ended."""

    def block(self, statements: list[ast.stmt], frame: Frame) -> Done:
        """Run statements."""
        return self.sequence([bound(self.run.statements.statement, node, frame) for node in statements])

    def sequence(self, steps: list[Callable[[], Done]]) -> Done:
        """Run `steps` one after the other, each only in the cases in which the ones before it end normally."""
        for index, step in enumerate(steps):
            done = step()
            if isinstance(done, dict):
                return self.go_on(done, steps[index + 1 :])
            if done is not None:
                return done
        return None

    def go_on(self, outcomes: Outcomes, rest: list[Callable[[], Done]]) -> Done:
        """Run `rest` in the case in which a step ended normally, and add how the others ended."""
        others = {kind: end for kind, end in outcomes.items() if kind != NORMAL}
        if NORMAL not in outcomes:
            return self.settle(others)
        _, before = outcomes[NORMAL]
        self.run.uncertain.append(ON_CONDITION)
        with self.run.state.arm() as diff:
            self.run.state.apply(before)
            done = self.sequence(rest)
        self.run.uncertain.pop()
        self.add(others, done, diff)
        return self.settle(others)

    def add(self, outcomes: Outcomes, done: Done, diff: Diff) -> None:
        """Add how an arm ended that wrote `diff`."""
        if isinstance(done, dict):
            for kind, (value, more) in done.items():
                # `more` is relative to the state after `diff`.
                self.add_one(outcomes, kind, value, diff.then(more))
        elif done is None:
            self.add_one(outcomes, NORMAL, NONE, diff)
        else:
            self.add_one(outcomes, done.kind, done.value, diff)

    def add_one(self, outcomes: Outcomes, kind: str, value: Value, diff: Diff) -> None:
        """Add one way to end."""
        known = outcomes.get(kind)
        if known is not None:
            value, diff = join(known[0], value), self.run.state.join(known[1], diff)
        outcomes[kind] = (value, diff)

    def settle(self, outcomes: Outcomes) -> Done:
        """Apply the writes if there is one way to end. A run that ends here is of no interest if another goes on."""
        going_on = {kind: end for kind, end in outcomes.items() if kind not in ("raise", "exit")}
        if going_on and len(going_on) < len(outcomes):
            if "raise" in outcomes:
                self.run.raises()
            outcomes = going_on
        if len(outcomes) > 1 and not going_on:
            outcomes = {"raise": outcomes["raise"]} if "raise" in outcomes else outcomes
        if len(outcomes) != 1:
            return outcomes
        ((kind, (value, diff)),) = outcomes.items()
        self.run.state.apply(diff)
        return None if kind == NORMAL else Jump(kind, value)

    def branch(self, arms: list[Callable[[], Done]], why: str = ON_CONDITION) -> Done:
        """Run the arms of a branch, of which one runs."""
        outcomes: Outcomes = {}
        self.run.uncertain.append(why)
        for arm in arms:
            with self.run.state.arm() as diff:
                done = self.caught(arm)
            self.add(outcomes, done, diff)
        self.run.uncertain.pop()
        return self.settle(outcomes)

    @staticmethod
    def caught(run: Callable[[], Done]) -> Done:
        """Run something, and return the jump that ends it."""
        try:
            return run()
        except Stopped as stopped:
            return stopped.jump


def bound(run: Callable[..., Done], *arguments: object) -> Callable[[], Done]:
    """Return a call of `run` that is made later."""
    return lambda: run(*arguments)
