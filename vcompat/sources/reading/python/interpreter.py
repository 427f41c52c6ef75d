"""The abstract execution of a script, composed of parts: each has the state (`Run`) and reaches the others by it."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable

from vcompat.facts.presumption import CALL
from vcompat.sources.reading.python import modal_apps
from vcompat.sources.reading.python.function_programs import Commands
from vcompat.sources.reading.python.imports import Imports
from vcompat.sources.reading.python.library_models import Models
from vcompat.sources.reading.python.running.assignments import Assignments
from vcompat.sources.reading.python.running.calls import Calls
from vcompat.sources.reading.python.running.comprehensions import Comprehensions
from vcompat.sources.reading.python.running.control import Control
from vcompat.sources.reading.python.running.expressions import Expressions
from vcompat.sources.reading.python.running.flow import Flow
from vcompat.sources.reading.python.running.relevance import configures
from vcompat.sources.reading.python.running.statements import Statements
from vcompat.sources.reading.python.values.abstract_run import Run
from vcompat.sources.reading.python.values.containers import Objects
from vcompat.sources.reading.python.values.core import (
    MOST_STEPS,
    MOST_UNCALLED_STEPS,
    TOO_COMPLEX,
    Done,
    Jump,
    Start,
    TooComplexError,
)
from vcompat.sources.reading.python.values.operations import Operations
from vcompat.sources.reading.python.values.values import ClassValue, Const, Function, Held, Obj, Value

#: Why what a function does may not happen that nothing calls.
NOT_CALLED = "in a function that the script does not call"


class Interpreter(Run):
    """Runs a script abstractly."""

    def __init__(self, path: str, source: bytes, start: Start) -> None:
        super().__init__(path, source, start)
        self.objects = Objects(self)
        self.operations = Operations(self)
        self.comprehensions = Comprehensions(self)
        self.expressions = Expressions(self)
        self.calls = Calls(self)
        self.flow = Flow(self)
        self.assignments = Assignments(self)
        self.control = Control(self)
        self.statements = Statements(self)
        self.imports: Imports = Imports(self)
        self.commands = Commands(self)
        self.models = Models(self)
        self.alone_in: list[Function] = []
        """For each of the last events: the function, which nothing in the script calls, that made it."""
        self.failed = ""
        """Why the execution was given up; empty if it ran to its end."""

    def run(self, tree: ast.Module) -> None:
        """Run the module, unless the certain reading of it has taken too many steps in another run."""
        whole = (self.path, 0, "")
        if whole in self.heavy and not self.presuming:
            self.failed = TOO_COMPLEX
            return
        name = "__main__" if self.start.entry is None else os.path.basename(self.path).removesuffix(".py")
        self.module.cells["__name__"] = Held(Const(name))
        if self.presuming:
            self.outer |= {*tree.body}
        try:
            self.stopped = isinstance(self.flow.caught(lambda: self._module(tree)), Jump)
        except (TooComplexError, RecursionError):
            trained = next((event for event in self.events if event.kind == "trained"), None)
            if trained is None or not self.presuming:
                self.failed = TOO_COMPLEX
                self.heavy.add(whole)
                return
            self.given_up.append(f"what follows the training ({trained.place}), which takes too many steps")
            self.presume(CALL, "what follows the training changes no setting of it", trained.place)

    def _module(self, tree: ast.Module) -> Done:
        """Run the statements of the module, then the function that `modal run` starts."""
        done = self.flow.block(tree.body, self.module)
        if done is None and self.start.entry is not None:
            modal_apps.start(self, self.module, self.start.entry)
        return done

    def run_uncalled(self, thorough: bool = False) -> None:
        """Run the functions that the script does not call, for what they would set if something called them.

        If `thorough`, each of them has the limit of steps that all share otherwise.
        """
        pending: list[tuple[Function, Value | None]] = []
        for held in list(self.module.cells.values()):
            value = held.value
            if isinstance(value, Function):
                pending.append((value, None))
            elif isinstance(value, ClassValue):
                methods_of = [h.value for h in value.cells.values() if isinstance(h.value, Function)]
                instance = Obj(value)
                pending += [(method, instance) for method in methods_of]
        self.steps = MOST_STEPS - MOST_UNCALLED_STEPS
        for function, receiver in pending:
            if function.node not in self.called and configures(self, function.node):
                try:
                    self._run_alone(function, receiver)
                except (TooComplexError, RecursionError):
                    if not thorough:
                        return
                if thorough:
                    self.steps = MOST_STEPS - MOST_UNCALLED_STEPS

    def _run_alone(self, function: Function, receiver: Value | None) -> None:
        site = self.alone(function, *([Held(receiver)] if receiver is not None else []))
        if self.presuming:
            site = site._replace(why_open="called by something unknown")
        count = len(self.events)
        self.uncertain.append(NOT_CALLED)
        self.flow.caught(_discarding(lambda: self.calls.call(function, site)))
        self.uncertain.pop()
        self.alone_in += [function] * (len(self.events) - count)


def _discarding(run: Callable[[], Value]) -> Callable[[], Jump | None]:
    def runs() -> Jump | None:
        run()
        return None

    return runs
