"""The values of the abstract execution: constants, unknown values, objects with an identity, and functions.

A mutable object keeps its contents in `cells`, which only the `State` writes, so that what one arm of a branch wrote
can be reverted and joined with what the other arm wrote.
"""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from vcompat.facts.facts import Place

if TYPE_CHECKING:
    from collections.abc import Callable

#: Maximum number of possible values that are listed for an unknown one.
MOST_CANDIDATES = 8

#: Maximum number of objects of which a value can be one.
MOST_ALTERNATIVES = 100

#: Python's own types of plain values and containers.
PYTHON_TYPES = frozenset({"bool", "int", "float", "str", "bytes", "list", "dict", "tuple", "set"})

CLASS_DEFAULT = "has the default of its class"
AT_RUN_TIME = "computed at run time"
LOADED = "loaded by from_pretrained"
ON_CONDITION = "depends on a condition"
SOMETIMES = "set only under a condition"


@dataclass(frozen=True)
class Const:
    """An immutable plain value: None, a bool, a number, a string or bytes."""

    value: Any
    remark: str = ""
    """The origin, such as the default of an option."""


@dataclass(frozen=True)
class Unknown:
    """A value that is not known without running the script."""

    why: str = AT_RUN_TIME
    candidates: tuple[Any, ...] = ()
    """Plain values that it may have, among others."""
    unless_set: bool = False
    """True for an environment variable that keeps the caller's value and has the candidate otherwise."""
    is_complete: bool = field(default=False, repr=False)
    """Whether it has one of the candidates for certain."""


class Step(NamedTuple):
    """A call that made a model: one that loads it, or one that adds an adapter to it."""

    kind: str
    """``loaded`` or ``adapter``."""
    owner: str
    """The class whose method was called, such as FastLanguageModel."""
    settings: dict[str, Held]
    place: Place | None
    why_open: str
    """Why there may be other settings; empty if there are not."""


@dataclass(frozen=True, eq=False)
class Model(Unknown):
    """A model that a framework has loaded. It is like any unknown value, except that the calls that made it are known.

    Each is equal to itself only: what may be one of two models is a plain unknown value.
    """

    steps: tuple[Step, ...] = ()
    """The calls, in order; the first one has loaded it."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


#: Methods of models that return the model itself; of one with an adapter, the model with the adapter's weights.
OF_MODELS = frozenset("to cuda cpu train eval float half bfloat16 requires_grad_ merge_and_unload".split())
#: Those of them that also change the data type, or may.
_CASTING = frozenset({"float", "half", "bfloat16", "to"})
#: The method of transformers' models that adds an adapter to be trained.
ADDS_ADAPTER = "add_adapter"


@dataclass(frozen=True)
class Loaded(Unknown):
    """A model that a from_pretrained() of transformers has loaded."""

    why: str = LOADED
    name: Value = field(default_factory=Unknown)
    """The name by which it was asked for, which it and its configuration keep."""
    load: Step | None = field(default=None, compare=False)
    """The call that has loaded it, or the arguments of each that may have; None if that is not known."""

    def attribute(self, name: str) -> Value:
        """Return an attribute."""
        if name == "config":
            return self
        return self.name if name in ("name_or_path", "_name_or_path") else Unknown(self.why)

    def after(self, method: str, only_moves: bool) -> Loaded:
        """Return the model that one of `OF_MODELS` returns; `only_moves` if it gets nothing but a device."""
        if self.load is None or method not in _CASTING or (method == "to" and only_moves):
            return self
        changed = Held(Unknown(f"{method}() may change it"), self.load.place)
        return replace(self, load=self.load._replace(settings={**self.load.settings, "dtype": changed}))


@dataclass(frozen=True)
class Lib:
    """Something of a library, by its dotted name; also a name that the script uses and never binds."""

    path: str
    imported: bool = True

    @property
    def name(self) -> str:
        """The last part of the dotted name."""
        return self.path.rpartition(".")[2]

    @property
    def owner(self) -> str:
        """The part before the last one, such as the class of a method; empty if there is none."""
        return self.path.rpartition(".")[0].rpartition(".")[2]

    @property
    def root(self) -> str:
        """The first part of the dotted name."""
        return self.path.partition(".")[0]


class Held(NamedTuple):
    """What a variable, an item or an attribute holds."""

    value: Value
    place: Place | None = None
    """The position that sets it."""
    optional: bool = False
    """True if it may not be there."""

    def is_certainly(self, value: object) -> bool:
        """Return whether it is there and is `value`: None, True or False."""
        return not self.optional and isinstance(self.value, Const) and self.value.value is value


class Key:
    """A key that no dictionary of a script has."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.name}>"


#: The cell that says why an object may hold more, or other things, than its cells say.
OPEN = Key("open")
#: The cell that holds the items of a sequence.
ITEMS = Key("items")


births = itertools.count()


class Mutable:
    """An object with an identity. Write its cells through `State` only."""

    def __init__(self, cells: dict[Hashable, Held] | None = None) -> None:
        self.cells: dict[Hashable, Held] = cells if cells is not None else {}
        self.birth = next(births)
        """Orders objects by their creation, so that a branch knows which ones it made."""

    @property
    def why_open(self) -> str:
        """Why the object may hold more than its cells say; empty if it does not."""
        held = self.cells.get(OPEN)
        if held is None:
            return ""
        return held.value.value if isinstance(held.value, Const) else AT_RUN_TIME


class Table(Mutable):
    """A dictionary with plain keys. ``why_open`` means that it may have other keys."""


class Environ(Table):
    """``os.environ``. The cell of a variable that is known to be unset holds UNSET."""


class Frame(Table):
    """The names of a module, a function call or a class body."""

    def __init__(self, parent: Frame | None, path: str = "") -> None:
        super().__init__()
        self.parent = parent
        self.path: str = path or (parent.path if parent else "")
        """The file of the code, for places."""
        self.elsewhere: dict[str, str] = {}
        """Names declared global or nonlocal."""
        self.owner: ClassValue | None = None
        """The class of the method that runs, for ``super()``."""
        self.receiver: Value | None = None
        self.is_comprehension = False

    @property
    def module(self) -> Frame:
        frame = self
        while frame.parent is not None:
            frame = frame.parent
        return frame


@dataclass(frozen=True)
class Items:
    """The items of a sequence. Held in its cell ITEMS, which is Unknown if they are not known."""

    held: tuple[Held, ...]


class Seq(Mutable):
    """A list, tuple or set, or what can be iterated like one."""

    def __init__(self, kind: str, held: Iterable[Held] | None) -> None:
        super().__init__()
        self.kind = kind
        self.cells[ITEMS] = Held(Items(tuple(held))) if held is not None else Held(Unknown())

    @property
    def items(self) -> tuple[Held, ...] | None:
        """The items; None if they are not known."""
        value = self.cells[ITEMS].value
        if not isinstance(value, Items) or self.why_open:
            return None
        return _once_each(value.held) if self.kind == "set" else value.held


def _once_each(held: tuple[Held, ...]) -> tuple[Held, ...] | None:
    """Return the items of a set; None if it is not known which of them are equal."""
    if len(held) > 1 and not all(isinstance(item.value, Const) for item in held):
        return None
    by_value: dict[object, Held] = {}
    for item in held:
        by_value.setdefault(item.value.value if isinstance(item.value, Const) else None, item)
    return tuple(by_value.values())


class ClassValue(Mutable):
    """A class that the script defines. Its cells are its attributes."""

    def __init__(self, node: ast.ClassDef, bases: tuple[Value, ...], frame: Frame) -> None:
        super().__init__(frame.cells)
        self.node = node
        self.name = node.name
        self.bases = bases
        self.frame = frame
        """Where the names in its body are looked up."""
        self.fields: dict[str, Held] = {}
        """The fields of a dataclass, by name, with their defaults (MISSING: none)."""
        self.is_dataclass = False
        self.is_model = False
        """Whether it is a model of pydantic, which has fields, too."""

    def annotated(self) -> Iterator[tuple[str, ast.expr]]:
        """Yield the names in its body that have annotations, with these."""
        for statement in self.node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                yield statement.target.id, statement.annotation


class Obj(Mutable):
    """An instance of a class of the script, or of one of a library."""

    def __init__(self, kind: Value, place: Place | None = None) -> None:
        super().__init__()
        self.kind = kind
        """The class: ClassValue or Lib."""
        self.place = place
        """Where it was created."""


@dataclass(frozen=True, eq=False)
class Function:
    """A function of the script, with its closure and the values of its defaults."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    frame: Frame
    defaults: dict[str, Held]
    owner: ClassValue | None = None
    decorated: tuple[str, ...] = ()
    """The library decorators, by last name."""


@dataclass(frozen=True, eq=False)
class Bound:
    """A function of the script, bound to its first argument."""

    function: Value
    receiver: Value


@dataclass(frozen=True, eq=False)
class Method:
    """A method of an object whose class the script does not define: a dictionary, a string, a parser."""

    receiver: Value
    name: str


@dataclass(frozen=True, eq=False)
class Partial:
    """``functools.partial`` of a callable."""

    function: Value
    arguments: tuple[Held, ...]
    keywords: dict[str, Held]


@dataclass(frozen=True, eq=False)
class Super:
    """``super()`` in a method."""

    owner: ClassValue | Lib
    receiver: Value


@dataclass(frozen=True, eq=False)
class Either:
    """One of several values, of which at least one has an identity."""

    values: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Native:
    """A function of the reader that stands for one of a library."""

    name: str
    call: Callable[..., Any]


Value = Union[  # noqa: UP007 - evaluated at run time, and Python 3.10 cannot | forward references
    Const, Unknown, Lib, Mutable, Function, Bound, Method, Partial, Super, Either, Native, Items
]

NONE = Const(None)
#: The value of a variable of the environment that is not set, and of a field without a default.
UNSET = Unknown("not set")


def join(left: Value, right: Value, why: str = ON_CONDITION) -> Value:
    """Return a value that stands for both."""
    if left is right or (isinstance(left, Lib) and left == right):
        return left
    if isinstance(left, Loaded) and isinstance(right, Loaded):
        return Loaded(name=join(left.name, right.name, why), load=_joined_loads(left.load, right.load, why))
    if isinstance(left, Const | Unknown) and isinstance(right, Const | Unknown):
        return _joined_plain(left, right, why)
    if isinstance(left, Items) or isinstance(right, Items):
        return _joined_items(left, right, why)
    if isinstance(left, Seq) and isinstance(right, Seq) and left.kind == right.kind == "tuple":
        return _joined_tuples(left, right, why)
    known = alternatives(left)
    more = _missing_in(known, alternatives(right))
    if not more:
        return left
    return Either((*known, *more)) if len(known) + len(more) <= MOST_ALTERNATIVES else Unknown(why)


def joined(values: Iterable[Value], why: str = ON_CONDITION) -> Value:
    """Return a value that stands for each of several."""
    return functools.reduce(lambda one, other: join(one, other, why), values)


def _joined_plain(left: Const | Unknown, right: Const | Unknown, why: str) -> Value:
    if isinstance(left, Const) and isinstance(right, Const) and same(left.value, right.value):
        return left
    reason = next((value.why for value in (left, right) if isinstance(value, Unknown) and value is not UNSET), why)
    listed = distinct([*candidates(left), *candidates(right)])
    closed = all(isinstance(value, Const) or value.is_complete for value in (left, right))
    return Unknown(reason, listed, is_complete=closed and len(listed) < MOST_CANDIDATES)


def _joined_loads(left: Step | None, right: Step | None, why: str) -> Step | None:
    """Return a call with the arguments of one call or of the other."""
    if left is None or right is None or left is right:
        return left if left is right else None
    names = dict.fromkeys((*left.settings, *right.settings))
    joined = {name: join_held(left.settings.get(name), right.settings.get(name), why) for name in names}
    settings = {name: held for name, held in joined.items() if held is not None}
    owner = left.owner if left.owner == right.owner else ""
    return Step(left.kind, owner, settings, right.place, left.why_open or right.why_open)


def alternatives(value: Value) -> tuple[Value, ...]:
    """Return each value that `value` stands for."""
    return value.values if isinstance(value, Either) else (value,)


def is_none(value: Value) -> bool:
    """Return whether a value is None."""
    return isinstance(value, Const) and value.value is None


def function_of(value: Value) -> Value:
    """Return the function that a bound or a partial one calls; another value as it is."""
    return value.function if isinstance(value, Bound | Partial) else value


def text_of(value: Value | None) -> str | None:
    """Return the text that a value is; None if it is none, or not known."""
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else None


def _missing_in(known: Sequence[Value], values: Sequence[Value]) -> list[Value]:
    """Return the `values` that are not among the `known` ones. Plain ones are compared, others have an identity."""
    there = set(map(id, known))
    new = [value for value in values if id(value) not in there]
    plain = [value for value in known if isinstance(value, Const | Lib)]
    return [value for value in new if not (isinstance(value, Const | Lib) and value in plain)]


def join_held(left: Held | None, right: Held | None, why: str = ON_CONDITION) -> Held | None:
    """Return what a cell holds that holds `left` or `right`; None: nothing."""
    if left is None or right is None:
        there = left or right
        return there._replace(optional=True) if there else None
    if left == right:
        return left
    return Held(join(left.value, right.value, why), right.place or left.place, left.optional or right.optional)


def _joined_items(left: Value, right: Value, why: str) -> Value:
    if isinstance(left, Items) and isinstance(right, Items) and len(left.held) == len(right.held):
        return Items(tuple(join_held(a, b, why) or a for a, b in zip(left.held, right.held, strict=True)))
    return Unknown(why)


def _joined_tuples(left: Seq, right: Seq, why: str) -> Value:
    first, second = left.items, right.items
    if first is None or second is None or len(first) != len(second):
        return Seq("tuple", None)
    return Seq("tuple", [join_held(a, b, why) or a for a, b in zip(first, second, strict=True)])


def candidates(value: Value) -> tuple[Any, ...]:
    """Return the plain values that `value` may have."""
    if isinstance(value, Const):
        return (value.value,)
    if isinstance(value, Either):
        return distinct(c for part in value.values for c in candidates(part))
    return value.candidates if isinstance(value, Unknown) else ()


def same(one: Any, other: Any) -> bool:
    """Return whether two plain values are equal and of one type: 1, 1.0 and True differ."""
    return type(one) is type(other) and one == other


def distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return `values` without duplicates, at most MOST_CANDIDATES."""
    listed: list[Any] = []
    for value in values:
        if len(listed) >= MOST_CANDIDATES:
            break
        if not any(same(value, other) for other in listed):
            listed.append(value)
    return tuple(listed)


def members(value: Value) -> Value:
    """Return a list of the items of a set, for what does not depend on their order; any other value as it is."""
    return Seq("list", value.items) if isinstance(value, Seq) and value.kind == "set" else value


def truth(value: Value) -> bool | None:
    """Return the truth of `value` in a condition; None if it is not known."""
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Seq):
        return bool(value.items) if value.items is not None else None
    if isinstance(value, Table) and not isinstance(value, Environ):
        return _truth_of_table(value)
    if isinstance(value, Either):
        truths = {truth(part) for part in value.values}
        return truths.pop() if len(truths) == 1 else None
    if isinstance(value, Obj) and _computes_truth(value.kind):
        return None
    return True if isinstance(value, Function | Bound | ClassValue | Partial | Environ | Obj) else None


def _truth_of_table(table: Table) -> bool | None:
    certain = any(not held.optional for key, held in table.cells.items() if key is not OPEN)
    return True if certain else None if table.cells else False


def _computes_truth(kind: Value) -> bool:
    """Return whether a class may say whether an instance is true."""
    if isinstance(kind, Lib):
        return not kind.imported and kind.path != "object"
    if not isinstance(kind, ClassValue):
        return True
    return bool({"__bool__", "__len__"} & kind.cells.keys()) or any(map(_computes_truth, kind.bases))


class NotPlainError(Exception):
    """A value is not made of constants; the text says why."""


class Unordered(frozenset[Any]):
    """A plain set. Its text is not known, since the order of the items is not."""

    def __repr__(self) -> str:
        raise NotPlainError("the order of a set is not known")


def to_plain(value: Value, depth: int = 0, as_set: Callable[[list[Any]], Any] = list) -> Any:
    """Return `value` as a plain Python value; sets by `as_set`. Raises NotPlainError if a part of it is unknown."""
    if isinstance(value, Const):
        return value.value
    if isinstance(value, Unknown):
        raise NotPlainError(value.why)
    if isinstance(value, Either):
        raise NotPlainError(ON_CONDITION)
    if depth < 30 and isinstance(value, Seq) and value.items is not None:
        items = [_plain_held(held, depth, as_set) for held in value.items]
        return {"tuple": tuple, "set": as_set}.get(value.kind, list)(items)
    if depth < 30 and isinstance(value, Table) and not isinstance(value, Environ) and not value.why_open:
        return {key: _plain_held(held, depth, as_set) for key, held in value.cells.items()}
    raise NotPlainError(getattr(value, "why_open", "") or AT_RUN_TIME)


def plain_or(value: Value, default: Any) -> Any:
    """Return `value` as a plain Python value, or `default` if a part of it is unknown."""
    try:
        return to_plain(value)
    except NotPlainError:
        return default


def _plain_held(held: Held, depth: int, as_set: Callable[[list[Any]], Any]) -> Any:
    if held.optional:
        raise NotPlainError(SOMETIMES)
    return to_plain(held.value, depth + 1, as_set)


def from_plain(value: Any, place: Place | None = None) -> Value:
    """Return the abstract value of a plain one: scalars, lists, tuples, sets and dictionaries."""
    if isinstance(value, dict):
        return Table({key: Held(from_plain(item, place), place) for key, item in value.items()})
    if isinstance(value, list | tuple | set | frozenset):
        kind = "tuple" if isinstance(value, tuple) else "list" if isinstance(value, list) else "set"
        return Seq(kind, [Held(from_plain(item, place), place) for item in value])
    return Const(value)
