"""What all parts of the abstract execution share: the state, the limits, the events, and the ways into each part."""

from __future__ import annotations

import ast
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.facts import Place
from vcompat.facts.presumption import CALLER, Presumption
from vcompat.facts.stated import Stated
from vcompat.facts.use import Used
from vcompat.sources.reading.columns import Columns
from vcompat.sources.reading.invocation import Environment, Others
from vcompat.sources.reading.python.values.state import Diff, State, opened
from vcompat.sources.reading.python.values.values import (
    NONE,
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
from vcompat.sources.reading.word import Word

#: Limits: evaluated nodes, nested calls of the script's functions, passes of one loop.
MOST_STEPS, DEEPEST_CALL, MOST_PASSES = 60_000, 20, 64
#: Evaluated nodes from which on a call is one that is not followed, if all are used up.
SHARE_OF_CALL = 10_000
#: Why a script is given up.
TOO_COMPLEX = "the script is too complex to follow"
#: Limit of evaluated nodes in functions that a script does not call.
MOST_UNCALLED_STEPS = 8_000


#: Variables that launchers set for the processes that they start: their absence is not presumed.
_OF_LAUNCHERS = re.compile(
    r"(LOCAL_|GROUP_|NODE_|ROLE_)?(RANK|WORLD_SIZE)|MASTER_\w+|(SLURM|ACCELERATE|TORCHELASTIC|FSDP|OMPI)_\w+"
)


class Jump(NamedTuple):
    """The end of a block that does not run to its last statement."""

    kind: str
    """``return``, ``break``, ``continue``, ``raise`` or ``exit``."""
    value: Value = NONE


class Stopped(Exception):
    """An expression ended the block: a called function always raises, or exits."""

    def __init__(self, jump: Jump) -> None:
        super().__init__(jump.kind)
        self.jump = jump


class TooComplexError(Exception):
    """The script takes more steps than the reader has."""


class Gpus(NamedTuple):
    """The GPUs that the run is checked for, as far as they are known."""

    number: int | None = None
    capability: Version | None = None
    """The compute capability that all of them have; None if they differ."""
    torch_sees_them: bool = False
    """Whether torch is known to be a build for them."""


class Start(NamedTuple):
    """How the script is started."""

    words: tuple[Word, ...] | None = None
    """Its arguments, ``sys.argv[1:]``; None: the caller's."""
    place: Place | None = None
    """The position of the command."""
    environment: Environment = Environment()
    folder: Word = ""
    files: Mapping[Word, str | None] = {}
    lines: Sequence[int] = ()
    """For the code of a notebook: the line of the file that holds each line of it."""
    settings: str = ""
    """A file of settings that is handed over with the script, whose command line is not known."""
    is_command: bool = False
    """Whether a subcommand of `trl` starts TRL's own script."""
    presuming: bool = False
    """Whether to read as a careful reader does: what cannot be followed changes nothing, the caller adds nothing."""
    starts_here: bool = False
    """Whether the run is known to start in the current folder, by a command."""
    required: frozenset[str] = frozenset()
    """In the presuming reading: environment variables that the caller sets, since the script stops without them."""
    by_end: Callable[[Word, str, Word, Place | None, int], str] | None = None
    """Returns the one file of the project whose path ends like a name: by the name, the file that names it, the folder,
    the place, and how many parts of the path must fit; None in the certain reading."""
    gpus: Gpus = Gpus()
    entry: str | None = None
    """The function of the script that `modal run` starts; empty for the only one; None if the script itself runs."""
    uses: dict[tuple[str, bytes], tuple[Used, ...]] | None = None
    """What the code of scripts uses, by path and source: the same in each reading of them."""
    heavy: set[tuple[str, int, str]] | None = None
    """The functions and, of line 0, the scripts that take too many steps, by file, line and name: what one run finds,
    the next ones use."""


class Site(NamedTuple):
    """A call with its evaluated arguments."""

    arguments: tuple[Held, ...]
    keywords: dict[str, Held]
    why_open: str
    """Why there may be other arguments; empty if there are not."""
    place: Place
    node: ast.AST
    frame: Frame
    parsed: bool = False
    """Whether a parser calls, with what its caller may have meant for other classes."""

    def argument(self, index: int, name: str) -> Value | None:
        """Return the argument at `index` or named `name`; None if it is not given."""
        held = self.held(index, name)
        return held.value if held else None

    def held(self, index: int, name: str) -> Held | None:
        """Return the argument at `index` or named `name`, with its place; None if it is not given."""
        if 0 <= index < len(self.arguments):
            return self.arguments[index]
        return self.keywords.get(name)

    @property
    def values(self) -> Iterable[Value]:
        """Return all arguments."""
        return [held.value for held in (*self.arguments, *self.keywords.values())]


class Event(NamedTuple):
    """Something that happened and has to do with the run: an object was made, `vcompat.patch()` was called."""

    kind: str
    """``configuration``, ``trainer``, ``engine``, ``adapter``, ``model``, ``patch``, ``import`` or ``file``."""
    name: str
    settings: Mapping[str, Held]
    place: Place
    uncertain: str
    """Why it may not happen; empty if it does."""
    subject: Value | None = None
    """The object that was made."""
    why_open: str = ""
    """Why there may be other settings."""


class Presumed(NamedTuple):
    """Something that was presumed, and what it is about."""

    presumption: Presumption
    births: frozenset[int] = frozenset()
    """The objects that it is about, by their `birth`; empty if it is about the whole run."""


class Core(ABC):
    """The state of one abstract execution."""

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
        self.may_raise = False
        self.presumed_not_to_raise = False
        """Whether the presuming reading went on after an operation that can raise."""
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
        self.overwritten: set[str] = set()
        """Files that the script itself may write."""

    # Limits, places, events

    def step(self) -> None:
        """Count one step. Raises TooComplexError after too many."""
        self.steps += 1
        if self.steps > self.most_steps:
            raise TooComplexError

    def place(self, node: ast.AST | None, frame: Frame | None) -> Place:
        """Return the position of `node` in the file of `frame`."""
        path = frame.path if frame is not None and frame.path else self.path
        if self.lines and path == self.path:
            line = getattr(node, "lineno", 0)
            return Place(path, self.lines[line - 1] if 0 < line <= len(self.lines) else 0)
        line, offset = getattr(node, "lineno", 0), getattr(node, "col_offset", -1)
        if offset <= 0:
            return Place(path, line, offset + 1)
        columns = self.sources.get(path)
        return Place(path, line, columns.of(line, offset) if columns else offset + 1)

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
            self.maybe_call(value, why)
        elif isinstance(value, Mutable):
            self.state.open(value, why)
            for method in _methods(value.kind) if isinstance(value, Obj) else []:
                self.maybe_call(Bound(method, value), why)

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
        names = {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute) and not _is_load(part)}
        for value in (one for one in values if isinstance(one, Mutable)):
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

    # The other parts

    @abstractmethod
    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """Return the value of an expression."""

    @abstractmethod
    def attribute(self, value: Value, name: str) -> Value:
        """Return an attribute."""

    @abstractmethod
    def set_attribute(self, value: Value, name: str, held: Held) -> None:
        """Set an attribute."""

    @abstractmethod
    def item(self, value: Value, key: Value) -> Value:
        """Return an item of a container."""

    @abstractmethod
    def set_item(self, value: Value, key: Value, held: Held | None) -> None:
        """Set an item of a container; None deletes it."""

    @abstractmethod
    def iterate(self, value: Value) -> tuple[Held, ...] | None:
        """Return what an iteration yields; None if it is not known."""

    @abstractmethod
    def call(self, callee: Value, site: Site) -> Value:
        """Call something."""

    @abstractmethod
    def maybe_call(self, function: Value, why: str) -> None:
        """Run a function of the script that something unknown may call, any number of times, with any arguments."""

    @abstractmethod
    def choose(self, arms: list[Callable[[], Value]], why: str) -> Value:
        """Run each of `arms`, of which one runs, and return what stands for all results."""

    @abstractmethod
    def run_text(self, text: str, path: str, frame: Frame, line: int = 1) -> None:
        """Run Python source in `frame`."""

    @abstractmethod
    def join_diffs(self, one: Diff, other: Diff) -> Diff:
        """Join the writes of two arms."""


def from_environment(text: Word | None) -> Value:
    """Return the value of an environment variable that a launch script leaves."""
    if text is None:
        return UNSET
    return Const(text) if isinstance(text, str) else Unknown("the launch script computes it")


def _is_load(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Load)


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
    for one in classes:
        if not isinstance(one, ClassValue):
            return []
        classes += one.bases
    owned = [held.value for one in classes if isinstance(one, ClassValue) for held in one.cells.values()]
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
