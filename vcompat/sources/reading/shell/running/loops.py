"""Executes loops: a few known passes one by one; every other loop as any number of passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vcompat.facts.facts import Place
from vcompat.sources.reading.shell.running.execution import Frame, Machine
from vcompat.sources.reading.shell.tree.nodes import CountedFor, For, While
from vcompat.sources.reading.shell.words.arithmetic import evaluate
from vcompat.sources.reading.shell.words.expansion import Expander
from vcompat.sources.reading.shell.words.state import State, merged
from vcompat.sources.reading.word import UNKNOWN, Word, has_words

#: Maximum number of passes that are followed one by one.
MOST_PASSES = 32
#: Maximum number of rounds until the state before a pass no longer changes.
_MOST_ROUNDS = 8

_Run = Callable[[State], "State | None"]


class Loops(Machine):
    """Executes loops."""

    def run_for(self, command: For, state: State) -> State | None:
        """Run a loop over words."""
        place, name, body = self.place(command), command.name, command.body
        words = self._items(command, state)
        known = words is not None and len(words) <= MOST_PASSES and not any(map(has_words, words))
        if not known or command.is_select:

            def any_pass(copy: State) -> State | None:
                copy.set(name, UNKNOWN, place)
                return self.block(body, copy)

            return self._in_frame(lambda frame: self._repeated(any_pass, state, place, frame))
        return self._in_frame(lambda frame: self._passes(words or (), command, state, frame))

    def _items(self, command: For, state: State) -> Sequence[Word] | None:
        if command.words is None:
            return state.positional
        return Expander(state, self, command).fields(command.words)

    def _in_frame(self, run: Callable[[Frame], State | None]) -> State | None:
        return self.framed("loop", lambda: run(self.frames[-1]))

    def _passes(self, words: Sequence[Word], command: For, state: State, frame: Frame) -> State | None:
        current: State | None = state
        body, place = command.body, self.place(command)
        state.status = state.status if words else 0
        for word in words:
            if current is None:
                return None
            current.set(command.name, word, place)
            current = self._pass(lambda copy: self.block(body, copy), current, place, frame)
        return current

    def _pass(self, run: _Run, state: State, place: Place, frame: Frame) -> State | None:
        """Run one pass. It may not run if an earlier one may have left the loop."""
        frame.continued, frame.reason = [], ""
        if frame.left:
            with self.uncertain(f"{place}: the loop may end before"):
                result = run(state)
        else:
            result = run(state)
        return merged([result, *frame.continued])

    def _repeated(self, run: _Run, state: State, place: Place, frame: Frame) -> State | None:
        """Run any number of passes."""
        entry = state.copy()
        with self.quietly():
            for _ in range(_MOST_ROUNDS):
                frame.continued = []
                result = run(entry.copy())
                again = merged([entry, result, *frame.continued])
                if again is None or again == entry:
                    break
                entry = again
            else:
                entry.open_all(f"{place}: a loop that is not followed")
        frame.continued, frame.reason = [], ""
        with self.uncertain(f"{place}: in a loop"):
            result = run(entry.copy())
        entry.status = None
        return merged([entry, result, *frame.continued])

    def run_counted(self, command: CountedFor, state: State) -> State | None:
        """Run a loop with three expressions."""
        place = self.place(command)
        evaluate(command.first, Expander(state, self, command))

        def condition(copy: State) -> bool | None:
            if not command.condition:
                return True
            value = evaluate(command.condition, Expander(copy, self, command))
            return None if value is None else value != 0

        def step(copy: State) -> State | None:
            result = self.block(command.body, copy)
            frame = self.frames[-1]
            result = merged([result, *frame.continued])
            frame.continued = []
            if result is not None and command.step:
                evaluate(command.step, Expander(result, self, command))
            return result

        return self._in_frame(lambda frame: self._while(condition, step, state, place, frame))

    def run_while(self, command: While, state: State) -> State | None:
        """Run a loop with a condition."""
        place, until = self.place(command), command.is_until

        def condition(copy: State) -> bool | None:
            with self.condition():
                result = self.block(command.condition, copy)
            if result is None:
                return None
            copy.become(result)
            return None if copy.status is None else (copy.status == 0) != until

        def step(copy: State) -> State | None:
            return self.block(command.body, copy)

        return self._in_frame(lambda frame: self._while(condition, step, state, place, frame))

    def _while(
        self, condition: Callable[[State], bool | None], step: _Run, state: State, place: Place, frame: Frame
    ) -> State | None:
        current: State | None = state
        status: int | None = 0
        for _ in range(MOST_PASSES):
            if current is None:
                return None
            ahead = current.copy()
            with self.quietly():
                holds = condition(ahead)
            if holds is None or (frame.left and holds):
                break
            holds = condition(current)
            if not holds:
                current.status = status
                return current
            current = self._pass(step, current, place, frame)
            status = None if current is None else current.status
        if current is None:
            return None
        endless = [True]

        def any_pass(copy: State) -> State | None:
            if condition(copy) is not True:
                endless[0] = False
            return step(copy)

        result = self._repeated(any_pass, current, place, frame)
        if result is None or endless[0]:
            return None
        condition(result)
        result.status = None
        return result
