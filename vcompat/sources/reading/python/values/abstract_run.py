"""The state of one abstract execution: limits, events, presumptions, the environment; and the parts that execute."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Hashable, Iterable, Mapping

from vcompat.facts.facts import Place
from vcompat.facts.presumption import CALLER, Presumption
from vcompat.facts.stated import Stated
from vcompat.sources.reading.columns import Columns
from vcompat.sources.reading.invocation import Others
from vcompat.sources.reading.python.values import doors
from vcompat.sources.reading.python.values.core import MOST_STEPS, Event, Presumed, Site, Start, TooComplexError
from vcompat.sources.reading.python.values.values import (
    OPEN,
    UNSET,
    Bound,
    ClassValue,
    Const,
    Either,
    Environ,
    Frame,
    Function,
    Held,
    Items,
    Lib,
    Method,
    Mutable,
    Obj,
    Partial,
    Table,
    Unknown,
    Value,
    join,
    truth,
)
from vcompat.sources.reading.python.values.writes import Diff, State, opened
from vcompat.sources.reading.word import Word

#: Variables that launchers set for the processes that they start: their absence is not presumed.
_OF_LAUNCHERS = re.compile(
    r"(LOCAL_|GROUP_|NODE_|ROLE_)?(RANK|WORLD_SIZE)|MASTER_\w+|(SLURM|ACCELERATE|TORCHELASTIC|FSDP|OMPI)_\w+"
)


class Run:
    """The state of one abstract execution, and its parts."""

    objects: doors.Objects
    operations: doors.Operations
    comprehensions: doors.Comprehensions
    expressions: doors.Expressions
    calls: doors.Calls
    flow: doors.Flow
    assignments: doors.Assignments
    control: doors.Control
    statements: doors.Statements
    imports: doors.Imports
    commands: doors.Commands
    models: doors.Models

    def __init__(self, path: str, source: bytes, start: Start) -> None:
        self.path = path
        self.start = start
        self.state = State()
        self.events: list[Event] = []
        self.stated: list[Stated] = []
        """What configuration classes certainly get."""
        self.uncertain: list[str] = []
        """Why what runs now may not run."""
        self.tampered: dict[str, str] = {}
        """Names of library classes that the script changes, with the reason."""
        self.filtered: set[str] = set()
        """Names of classes that get no setting which the installed release has not."""
        self.sources: dict[str, Columns] = {path: Columns(source)}
        self.modules: dict[str, Frame | None] = {}
        self.lines = start.lines
        self.calling: list[ast.AST] = []
        self.perhaps_called: dict[ast.AST, int] = {}
        self.perhaps_wrote: dict[ast.AST, Diff] = {}
        self.may_raise = self.presumed_not_to_raise = False
        """Whether what runs now can raise; whether the presuming reading went on after what can."""
        self.steps, self.most_steps = 0, MOST_STEPS
        self.outer: set[ast.stmt] = set()
        """In the presuming reading: the statements of the module and of the functions that it calls and that make a
        configuration. Each has a share of the steps of its own."""
        self.environ = Environ()
        for name, text in start.environment.values.items():
            self.environ.cells[name] = Held(from_environment(text), start.environment.places.get(name))
        self.inherited = dict(self.environ.cells)
        self.module = Frame(None, path)
        self.presuming = self.state.keeps = start.presuming
        self.presumed: list[Presumed] = []
        self.unset: set[str] = set()
        """Environment variables that the presuming reading takes for unset, and that have no default in the script."""
        self.stopped = False
        """Whether the script certainly stops before its end."""
        self.given_up: list[str] = []
        """The calls and statements that were not followed since they take too many steps, with the place."""
        self.heavy = start.heavy if start.heavy is not None else set()
        self.before_entry: list[tuple[Mutable, dict[Hashable, Held]]] = []
        """What objects held before the function of the script that `modal run` starts."""
        self.called: set[ast.AST] = set()
        """The functions of the script that were called."""
        self.named: dict[ast.AST, str] = {}
        """The functions and classes of the script that its code names where it runs, with the path of each."""
        self.singletons: dict[str, Value] = {}
        """Objects of which there is one in a process, by name."""
        self.overwritten: set[str] = set()
        """Files that the script itself may write."""
        self.shadows: dict[int, tuple[Unknown, Obj]] = {}
        """In the presuming reading: what the script sets of values that are not known, by their identity."""
        self.parts: dict[tuple[int, str], tuple[Unknown, Unknown]] = {}
        """There, too: the attributes of such values that the script reads."""

    # Limits, places, events

    def step(self) -> None:
        """Count one step. Raises TooComplexError after too many."""
        self.steps += 1
        if self.steps > self.most_steps:
            raise TooComplexError

    def place(self, node: ast.AST | None, frame: Frame | None) -> Place:
        """Return the position of `node` in the file of `frame`."""
        path = frame.path if frame is not None and frame.path else self.path
        line, offset = getattr(node, "lineno", 0), getattr(node, "col_offset", -1)
        columns = self.sources.get(path) if offset > 0 else None
        return self.position(path, line, columns.of(line, offset) if columns else offset + 1)

    def position(self, path: str, line: int, column: int) -> Place:
        """Return a position in a file; of the code of a notebook, the line of the file that holds the line of it."""
        if self.lines and path == self.path:
            return Place(path, self.lines[line - 1] if 0 < line <= len(self.lines) else 0)
        return Place(path, line, column)

    def implicit(self, *arguments: Held, place: Place | None = None) -> Site:
        """Return a call that Python makes and that no expression of the script is: of ``__enter__``, of a decorator."""
        return Site(arguments, {}, "", place or Place(self.path), ast.Pass(), self.module)

    def alone(self, function: Function, *arguments: Held) -> Site:
        """Return a call of a function at its definition: a property is read, nothing calls it."""
        node, frame = function.node, function.frame
        return Site(arguments, {}, "", self.place(node, frame), node, frame)

    def record(  # noqa: PLR0913, PLR0917 - an event has that many parts, all but three of them optional
        self,
        kind: str,
        name: str,
        place: Place,
        settings: Mapping[str, Held] | None = None,
        subject: Value | None = None,
        why_open: str = "",
    ) -> None:
        """Record an event."""
        why = self.uncertain[-1] if self.uncertain else ""
        self.events.append(Event(kind, name, settings or {}, place, why, subject, why_open))

    def raises(self) -> None:
        """Note that the operation that runs now can raise, so that what follows in a ``try`` may not run."""
        self.may_raise = True

    def note_named(self, value: Value) -> Value:
        """Note that code which runs names a function or class of the script. Return it."""
        inner = value.function if isinstance(value, Bound) else value
        if isinstance(inner, Function | ClassValue):
            self.named[inner.node] = inner.frame.path
        return value

    # What is presumed

    def presume(self, kind: str, text: str, place: Place | None, about: Iterable[Value] = ()) -> None:
        """Note that the presuming reading goes on although something is not known."""
        births = frozenset(born for value in about for born in reachable_births(value))
        self.presumed.append(Presumed(Presumption(kind, text, place), births))

    @property
    def words(self) -> tuple[Word, ...] | None:
        """The arguments of the script; None if they are not known."""
        if self.start.words is None and self.presuming:
            self.presume(CALLER, "the script is started without options", Place(self.path))
            return ()
        return self.start.words

    # The environment

    def variable(self, name: str, default: Value) -> Value:
        """Return the value of an environment variable, or `default` if it is not set."""
        held = self.environ.cells.get(name)
        if held is None:
            return self._inherited_variable(name, default)
        value = default if held.value is UNSET else held.value
        # Where the script has not set it, the caller may have.
        return join(value, self._inherited_variable(name, default)) if held.optional else value

    def _inherited_variable(self, name: str, default: Value) -> Value:
        """Return the value of a variable that the script does not set."""
        if self.presuming and not _OF_LAUNCHERS.fullmatch(name):
            if name in self.start.required:
                self.presume(CALLER, f"the caller sets {name}, without which the script stops", None)
                return Unknown("read from an environment variable")
            self.presume(CALLER, f"the caller does not set {name}", None)
            if truth(default) is False:
                self.unset.add(name)
            return default
        if self.environ.why_open or self.start.environment.others is not Others.UNSET:
            return join(Unknown("read from an environment variable"), default)
        return default

    def open_variables(self, why: str) -> None:
        """Make the environment variables unknown that are known so far."""
        for key, held in list(self.environ.cells.items()):
            self.state.write(self.environ, key, opened(key, held, held, why))

    # Opening

    def open(self, value: Value, why: str, seen: set[int] | None = None) -> None:
        """Make unknown what is reachable from `value`, and run the functions among it as if they might be called."""
        seen = set() if seen is None else seen
        if isinstance(value, Const | Unknown | Lib) or id(value) in seen or len(seen) > 5000:
            return
        seen.add(id(value))
        for part in _reachable(value):
            self.open(part, why, seen)
        if isinstance(value, Frame):
            self._open_names(value, why)
        elif isinstance(value, Function):
            self.calls.maybe_call(value, why)
        elif isinstance(value, Mutable):
            self.state.open(value, why)
            for method in _methods(value.kind) if isinstance(value, Obj) else []:
                self.calls.maybe_call(Bound(method, value), why)

    def _open_names(self, frame: Frame, why: str) -> None:
        """Make the variables of a module or function unknown, not its functions, classes and imported names."""
        for key, held in list(frame.cells.items()):
            if key != "__name__" and not isinstance(held.value, Function | ClassValue | Frame | Lib):
                self.state.write(frame, key, opened(key, held, held, why))

    def open_stored(self, node: ast.AST, values: Iterable[Value], since: int, why: str) -> None:
        """Make unknown what a part of the script has written that was not followed to its end, and what it stores.

        That is what `State.written` has from `since` on, and the attributes of `values` that `node` assigns to.
        """
        for owner, key in dict.fromkeys(self.state.written[since:]):
            self._open_cell(owner, key, why)
        attributes = [part for part in ast.walk(node) if isinstance(part, ast.Attribute)]
        names = {part.attr for part in attributes if not isinstance(part.ctx, ast.Load)}
        for value in values:
            if isinstance(value, Mutable):
                for key in names & value.cells.keys():
                    self._open_cell(value, key, why)

    def _open_cell(self, owner: Mutable, key: Hashable, why: str) -> None:
        held = owner.cells.get(key)
        if held is None or not isinstance(held.value, Function | ClassValue | Frame | Lib):
            self.state.write(owner, key, opened(key, held, None, why))

    def open_more(self, owner: Mutable, why: str) -> None:
        """Let an object have more than its cells say, which stay as they are."""
        self.state.write(owner, OPEN, Held(Const(why)))

    def merge_attributes(self, owner: Mutable, value: Value) -> None:
        """Set the attributes of `owner` that a dictionary names. What is not known opens it."""
        if not isinstance(value, Table) or value.why_open:
            self.open(owner, "set from an unknown dictionary")
            return
        for key, held in value.cells.items():
            self.state.write(owner, key, held)

    def once(self, name: str, make: Callable[[], Value]) -> Value:
        """Return the one object of a name, made when it is first asked for."""
        if name not in self.singletons:
            self.singletons[name] = make()
        return self.singletons[name]

    def shadow(self, value: Unknown) -> Obj:
        """Return the object that holds what the script sets of a value that is not known.

        In the arm of a branch, and in a loop, a new one is kept by nothing: each pass would make another.
        """
        if self.state.is_in_arm and id(value) not in self.shadows:
            return Obj(Lib("unknown", imported=False))
        if id(value) not in self.shadows:
            made = Obj(Lib("unknown", imported=False))
            # It is older than every branch that sets something.
            made.birth = -1 - len(self.shadows)
            self.shadows[id(value)] = value, made
        return self.shadows[id(value)][1]

    def part(self, value: Unknown, name: str) -> Value:
        """Return an attribute of a value that is not known: what the script has set, else the same one each time."""
        _, other = self.parts.setdefault((id(value), name), (value, Unknown(value.why)))
        held = self.shadow(value).cells.get(name)
        if held is None:
            return other
        return join(held.value, other) if held.optional else held.value

    def open_all(self, why: str, of_main: bool = True) -> None:
        """Make everything unknown that the script has set so far; without `of_main`, what its modules have set."""
        frames = [self.module] * of_main + [frame for frame in self.modules.values() if frame]
        for frame in frames:
            for held in list(frame.cells.values()):
                if not isinstance(held.value, Function | ClassValue):
                    self.open(held.value, why)
            for key, held in list(frame.cells.items()):
                if not isinstance(held.value, Function | ClassValue | Lib) and key is not OPEN:
                    self.state.write(frame, key, Held(Unknown(why)))
        self.open(self.environ, why)


def from_environment(text: Word | None) -> Value:
    """Return the value of an environment variable that a launch script leaves."""
    if text is None:
        return UNSET
    return Const(text) if isinstance(text, str) else Unknown("the launch script computes it")


def reachable_births(value: Value, seen: set[int] | None = None) -> set[int]:
    """Return the `birth` of the objects that can be reached from `value`."""
    seen = set() if seen is None else seen
    if isinstance(value, Mutable):
        if value.birth in seen or len(seen) > 5000:
            return seen
        seen.add(value.birth)
    for part in _reachable(value):
        reachable_births(part, seen)
    return seen


def _methods(kind: Value) -> list[Function]:
    """Return the methods of a class; none of one that extends a class of a library."""
    classes = [kind]
    for base in classes:
        if not isinstance(base, ClassValue):
            return []
        classes += base.bases
    owned = [held.value for owner in classes if isinstance(owner, ClassValue) for held in owner.cells.values()]
    return [value for value in owned if isinstance(value, Function)]


def _reachable(value: Value) -> list[Value]:
    if isinstance(value, Either):
        return list(value.values)
    if isinstance(value, Items):
        return [held.value for held in value.held]
    if isinstance(value, Bound):
        return [value.function, value.receiver]
    if isinstance(value, Method):
        return [value.receiver]
    if isinstance(value, Partial):
        return [value.function, *(h.value for h in value.arguments), *(h.value for h in value.keywords.values())]
    if isinstance(value, Mutable) and not isinstance(value, Frame):
        return [held.value for held in value.cells.values()]
    return []
