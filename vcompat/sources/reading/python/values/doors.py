"""What the parts of the interpreter offer to each other."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Protocol

from vcompat.facts.place import Place
from vcompat.sources.reading.python.values.core import Done, Outcomes, Site
from vcompat.sources.reading.python.values.values import (
    ON_CONDITION,
    Bound,
    ClassValue,
    Either,
    Frame,
    Function,
    Held,
    Lib,
    Method,
    Obj,
    Seq,
    Table,
    Value,
)
from vcompat.sources.reading.python.values.writes import Diff


class Objects(Protocol):
    """Reads and writes attributes and items."""

    def attribute(self, value: Value, name: str) -> Value:
        """Return an attribute."""

    def each(self, value: Either, read: Callable[[Value], Value]) -> Value:
        """Return what `read` returns for each of several values, joined."""

    def properties(self, kind: Value) -> frozenset[str]:
        """Return the attributes that a class of the script computes whenever they are read."""

    def inherited(self, kind: ClassValue | Lib, name: str, receiver: Value, own: bool) -> Value | None:
        """Return the attribute that a class or one of its bases defines, bound to `receiver`."""

    def lineage(self, kind: Value, depth: int = 0) -> list[Value]:
        """Return a class and its bases, in an order close to that of method resolution."""

    def own_classes(self, kind: Value) -> list[ClassValue]:
        """Return those of a class and its bases that the script defines."""

    def annotation(self, kind: Value, name: str) -> tuple[ClassValue, ast.expr] | None:
        """Return the annotation of a field, and the class that has it; None if no class of the script has."""

    def library_classes(self, kind: Value) -> list[Lib]:
        """Return those of a class and its bases that are of libraries."""

    def as_table(self, value: Value) -> Value:
        """Return a container of OmegaConf as a dictionary with the same cells; any other value as it is."""

    def set_attribute(self, value: Value, name: str, held: Held) -> None:
        """Set an attribute. On one of several objects, it may or may not be set."""

    def tamper(self, value: Lib, name: str, place: Place | None = None) -> None:
        """Note that the script changes a class or module of a library: objects of that class are open from now on."""

    def item(self, value: Value, key: Value) -> Value:
        """Return an item of a container."""

    def set_item(self, value: Value, key: Value, held: Held | None) -> None:
        """Set an item of a container; None deletes it. An unknown key opens the container."""

    def contains(self, table: Table, key: object) -> bool | None:
        """Return whether a dictionary has `key`; None if that is not known."""

    def merge(self, table: Table, value: Value) -> None:
        """Put the items of `value` into `table`. What cannot be followed opens all its keys."""

    def iterate(self, value: Value) -> tuple[Held, ...] | None:
        """Return what an iteration yields, in order; None if it is not known."""


class Operations(Protocol):
    """Evaluates operators."""

    def binary(self, kind: type[ast.operator], left: Value, right: Value) -> Value:
        """Return the result of a binary operator."""

    def compared(self, kind: type[ast.cmpop], left: Value, right: Value) -> Value:
        """Return the result of a comparison."""

    def choose(self, arms: list[Callable[[], Value]], why: str) -> Value:
        """Run each of `arms`, of which one runs, and return what stands for all results."""

    def combine(self, operands: tuple[Value, ...], apply: Callable[..., Any]) -> Value:
        """Return the results of `apply` on plain values, for every combination of the operands' possible values."""


class Comprehensions(Protocol):
    """Evaluates comprehensions."""

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """Return the value of a comprehension."""

    def perhaps(self, run: Callable[[], Value]) -> Value:
        """Return the result of something lazy, whose effects may or may not happen."""


class Expressions(Protocol):
    """Evaluates expressions."""

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """Return the value of an expression."""

    def lookup(self, name: str, frame: Frame) -> Value:
        """Return the value of a name as code in `frame` sees it."""

    def unbound(self, name: str, frame: Frame) -> Value:
        """Return the value of a name that nothing has bound: a function not parsed yet, a builtin, or one of ``*``."""

    def home(self, name: str, frame: Frame) -> Frame:
        """Return the frame in which an assignment binds `name`."""

    def site(self, node: ast.Call, frame: Frame) -> Site:
        """Evaluate the arguments of a call."""

    def defaults(self, arguments: ast.arguments, frame: Frame) -> dict[str, Held]:
        """Evaluate the defaults of a function's parameters."""


class Calls(Protocol):
    """Calls functions, classes and models."""

    def call(self, callee: Value, site: Site) -> Value:
        """Call something."""

    def unknown_call(self, site: Site, why: str, callee: Value | None = None) -> Value:
        """Call something unknown: it may change whatever it gets. A program of typer runs a command."""

    def follow(self, function: Function, site: Site) -> Value:
        """Run a function of the script. One that takes too many steps is a call that cannot be followed."""

    def maybe_call(self, function: Value, why: str) -> None:
        """Run a function of the script that something unknown may call, any number of times, with any arguments."""


class Flow(Protocol):
    """Runs statements in their order, and joins how the arms of a branch ended."""

    def block(self, statements: list[ast.stmt], frame: Frame) -> Done:
        """Run statements."""

    def sequence(self, steps: list[Callable[[], Done]]) -> Done:
        """Run `steps` one after the other, each only in the cases in which the ones before it end normally."""

    def go_on(self, outcomes: Outcomes, rest: list[Callable[[], Done]]) -> Done:
        """Run `rest` in the case in which a step ended normally, and add how the others ended."""

    def add(self, outcomes: Outcomes, done: Done, diff: Diff) -> None:
        """Add how an arm ended that wrote `diff`."""

    def add_one(self, outcomes: Outcomes, kind: str, value: Value, diff: Diff) -> None:
        """Add one way to end."""

    def settle(self, outcomes: Outcomes) -> Done:
        """Apply the writes if there is one way to end. A run that ends here is of no interest if another goes on."""

    def branch(self, arms: list[Callable[[], Done]], why: str = ON_CONDITION) -> Done:
        """Run the arms of a branch, of which one runs."""

    @staticmethod
    def caught(run: Callable[[], Done]) -> Done:
        """Run something, and return the jump that ends it."""


class Assignments(Protocol):
    """Runs assignments."""

    def assign_statement(self, node: ast.Assign, frame: Frame) -> Done:
        """Run an assignment."""

    def annotated_statement(self, node: ast.AnnAssign, frame: Frame) -> Done:
        """Run an assignment with an annotation."""

    def augmented_statement(self, node: ast.AugAssign, frame: Frame) -> Done:
        """Run an assignment in place."""

    def extend(self, sequence: Seq, held: tuple[Held, ...] | None) -> None:
        """Append items to a list; None: unknown ones."""

    def assign(self, target: ast.expr, held: Held, frame: Frame) -> None:
        """Assign to a name, an attribute, an item, or to several by unpacking."""

    def delete_statement(self, node: ast.Delete, frame: Frame) -> Done:
        """Run `del`."""

    def global_statement(self, node: ast.Global | ast.Nonlocal, frame: Frame) -> Done:
        """Run `global` and `nonlocal`."""


class Control(Protocol):
    """Runs statements that decide what runs."""

    def if_statement(self, node: ast.If, frame: Frame) -> Done:
        """Run `if`."""

    def match_statement(self, node: ast.Match, frame: Frame) -> Done:
        """Run `match`."""

    def for_statement(self, node: ast.For | ast.AsyncFor, frame: Frame) -> Done:
        """Run a loop over items."""

    def while_statement(self, node: ast.While, frame: Frame) -> Done:
        """Run `while`."""

    def try_statement(self, node: ast.Try, frame: Frame) -> Done:
        """Run `try`."""

    def with_statement(self, node: ast.With | ast.AsyncWith, frame: Frame) -> Done:
        """Run `with`."""

    def return_statement(self, node: ast.Return, frame: Frame) -> Done:
        """Run `return`."""

    def raise_statement(self, node: ast.Raise, frame: Frame) -> Done:
        """Run `raise`."""

    def assert_statement(self, node: ast.Assert, frame: Frame) -> Done:
        """Run `assert`."""


class Statements(Protocol):
    """Runs statements."""

    def statement(self, node: ast.stmt, frame: Frame) -> Done:
        """Run a statement."""

    def evaluate_decorator(self, node: ast.expr, frame: Frame) -> Value:
        """Return the decorator; of a call of a library's function, that function."""


class Imports(Protocol):
    """Binds imported names, and runs the modules of the project."""

    def unparsed(self, name: str, frame: Frame) -> Value | None:
        """Return a function of a long script that is parsed when something asks for its name; None if it is none."""

    def import_names(self, node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
        """Bind imported names. A module beside the script is run, as an import does."""

    def imported(self, name: str, node: ast.AST, frame: Frame) -> Value:
        """Return the module `name`: one beside the script is run; any other is a library."""

    def is_unparsed(self, name: str) -> bool:
        """Return whether a function of the script is parsed when it is first called."""

    def is_unread(self, name: str) -> bool:
        """Return whether a module is one of the project that nothing has imported so far."""

    def run_text(self, text: str, path: str, frame: Frame, line: int = 1) -> None:
        """Run Python source in `frame`."""


class Commands(Protocol):
    """Calls functions that may be programs."""

    def register(self, function: Function, node: ast.expr) -> None:
        """Note a command of a program of click or typer: ``@app.command()``."""

    def call_function(self, function: Function, site: Site) -> Value:
        """Run a function of the script. One that is a program gets its arguments from the command line."""

    def chosen_by(self, site: Site) -> tuple[Function, Site] | None:
        """Return the command that a call of a program of typer runs, and its call; None if it is none or not known."""


class Models(Protocol):
    """Answers for libraries and classes."""

    def decorated(self, function: Function, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> Value:
        """Return what the decorators of a function make of it."""

    def define(self, node: ast.ClassDef, frame: Frame) -> Value:
        """Return the class that a statement defines."""

    def instantiate(self, kind: ClassValue, site: Site) -> Value:
        """Create an instance of a class of the script. Presumably, a parser of TRL's name is a copy of TRL's."""

    def attribute(self, value: Function | Bound, name: str) -> Value | None:
        """Return an attribute of a function that Modal runs elsewhere; None of every other one."""

    def description(self, value: Value, name: str, place: Place) -> Value | None:
        """Return an attribute of a class that has the names of its settings; None of every other one."""

    def unset_attribute(self, value: Obj, name: str) -> Value | None:
        """Return an attribute that the script did not set: a default of the library, or a method. None: neither."""

    def entered(self, value: Value) -> Value:
        """Return what ``with value as name`` binds."""

    def call_library(self, callee: Lib, site: Site) -> Value:
        """Call something of a library."""

    def call_method(self, callee: Method, site: Site) -> Value:
        """Call a method of an object whose class the script does not define."""
