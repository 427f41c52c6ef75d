"""Attributes, items and iteration of objects, each with what an unknown key or name opens."""

from __future__ import annotations

import ast
import functools
import os.path
from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter
from typing import Any

from vcompat.facts.place import Place
from vcompat.facts.presumption import CALL
from vcompat.sources.reading.invocation import Others
from vcompat.sources.reading.python.values.interpreter_part import Part
from vcompat.sources.reading.python.values.values import (
    ADDS_ADAPTER,
    AT_RUN_TIME,
    ITEMS,
    OF_MODELS,
    OPEN,
    SOMETIMES,
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
    Loaded,
    Method,
    Mutable,
    Native,
    Obj,
    Partial,
    Seq,
    Super,
    Table,
    Unknown,
    Value,
    from_plain,
    is_none,
    join,
    join_held,
    joined,
    text_of,
)

_TORCH_TYPES = frozenset("bfloat16 float16 half float32 float float64 float8_e4m3fn float8_e5m2".split())

#: The kinds of parameters of a signature, members of an enumeration.
PARAMETER_KINDS: Mapping[str, object] = {
    name: kind for name in dir(Parameter) if isinstance(kind := getattr(Parameter, name), int)
}

#: Decorators of a property that leave it a property; the function that they decorate is not the one that computes it.
_ACCESSORS = frozenset({"setter", "getter", "deleter"})


def _path_part(path: str | None, name: str) -> Value | None:
    """Return an attribute of a path, which is kept as text. What is above a relative path is not known."""
    if path is None or name not in ("parent", "parents", "name"):
        return None
    if name == "name":
        return Const(os.path.basename(path))
    above = list(_parents(path))
    if name == "parents":
        return Seq("tuple", [Held(Const(one)) for one in above])
    return Const(above[0]) if above else Unknown()


def _parents(path: str) -> Iterator[str]:
    while path not in ("", ".", "/") and os.path.basename(path) != "..":
        path = os.path.dirname(path) or "."
        yield path


class Objects(Part):
    """Reads and writes attributes and items."""

    # Attributes

    def attribute(self, value: Value, name: str) -> Value:
        """Return an attribute."""
        if name == "__dict__" and isinstance(value, Mutable) and not isinstance(value, ClassValue):
            return self._view(value)
        read = next((read for kind, read in _ATTRIBUTES.items() if isinstance(value, kind)), None)
        known = read(self, value, name) if read is not None else None
        return known if known is not None else Method(value, name)

    def each(self, value: Either, read: Callable[[Value], Value]) -> Value:
        """Return what `read` returns for each of several values, joined."""
        return joined([read(part) for part in value.values])

    def _of_unknown(self, value: Unknown, name: str) -> Value:
        self.run.raises()
        if self.run.presuming and type(value) is Unknown:
            return self.run.part(value, name)
        if not isinstance(value, Loaded) or name in self.run.tampered:
            return Unknown(value.why)
        return Method(value, name) if name in (*OF_MODELS, ADDS_ADAPTER) else value.attribute(name)

    def _library(self, value: Lib, name: str) -> Value:
        path = f"{value.path}.{name}"
        if path == "os.environ":
            return self.run.environ
        if value.path == "sys" and name == "argv":
            return self.argv()
        if value.path == "torch" and name in _TORCH_TYPES:
            return Const(name)
        if value.path == "inspect.Parameter" and name in PARAMETER_KINDS:
            return Const(PARAMETER_KINDS[name])
        if path in self.run.tampered:
            return Unknown(self.run.tampered[path])
        if name == "TYPE_CHECKING":
            return Const(False)
        return Lib(path, value.imported)

    def argv(self) -> Value:
        """Return ``sys.argv``."""
        from vcompat.sources.reading.word import UNKNOWN_WORDS, has_words

        words = self.run.words
        if words is not None and self.run.presuming:
            words = tuple(word for word in words if not has_words(word))
        if words is None or UNKNOWN_WORDS in words:
            return Seq("list", None)
        held = [
            Held(
                Const(word) if isinstance(word, str) else Unknown("the command line is not known"), self.run.start.place
            )
            for word in words
        ]
        return self.run.once("sys.argv", lambda: Seq("list", [Held(Const(self.run.path)), *held]))

    def _of_instance(self, value: Obj, name: str) -> Value:
        if name == "__class__":
            return value.kind
        held = value.cells.get(name)
        if held is None or name in self.properties(value.kind):
            return self._of_its_class(value, name)
        if not held.optional:
            return held.value
        default = self._of_its_class(value, name)
        if not isinstance(default, Method):
            return join(held.value, default)
        # Without a default, it is set if the script goes on.
        self.run.raises()
        return held.value

    def _of_its_class(self, value: Obj, name: str) -> Value:
        """Return an attribute that the script did not set on the instance."""
        if isinstance(value.kind, ClassValue):
            inherited = self.inherited(value.kind, name, value, own=True)
            if inherited is not None and value.why_open and not isinstance(inherited, Function | Bound):
                return join(Unknown(value.why_open), inherited)
            if inherited is not None:
                return inherited
        return self.unset_attribute(value, name)

    def properties(self, kind: Value) -> frozenset[str]:
        """Return the attributes that a class of the script computes whenever they are read."""
        return frozenset(
            str(name)
            for owner in self.own_classes(kind)
            for name, held in owner.cells.items()
            if isinstance(held.value, Function) and {"property", *_ACCESSORS} & set(held.value.decorated)
        )

    def unset_attribute(self, value: Obj, name: str) -> Value:
        """Return an attribute that the script did not set: a default, a method, or what an opened object has."""
        known = self.run.models.unset_attribute(value, name)
        if known is not None:
            return known
        if value.why_open and not self._is_method(value, name):
            return Unknown(value.why_open)
        return Method(value, name)

    @staticmethod
    def _is_method(value: Obj, name: str) -> bool:
        """Return whether an attribute of an opened object of a library is most likely still its method."""
        return isinstance(value.kind, Lib) and name.startswith(("add_", "parse_", "train", "set_defaults"))

    def inherited(self, kind: ClassValue | Lib, name: str, receiver: Value, own: bool) -> Value | None:
        """Return the attribute that a class or one of its bases defines, bound to `receiver`."""
        perhaps: list[Value] = []
        for owner in self.own_classes(kind)[0 if own else 1 :]:
            if name in owner.cells:
                value, _, optional = owner.cells[name]
                perhaps.append(self._bound(value, receiver) if isinstance(value, Function) else value)
                if not optional:
                    break
        return joined(perhaps) if perhaps else None

    def _bound(self, function: Function, receiver: Value) -> Value:
        if "staticmethod" in function.decorated:
            return function
        if "classmethod" in function.decorated:
            kind = receiver.kind if isinstance(receiver, Obj) else receiver
            return Bound(function, kind)
        if _ACCESSORS & set(function.decorated):
            return Unknown("computed by a property of its class")
        bound = Bound(function, receiver)
        if {"property", "cached_property"} & set(function.decorated):
            return self.run.calls.call(bound, self.run.alone(function))
        return bound if isinstance(receiver, Obj | Unknown) else function

    def lineage(self, kind: Value, depth: int = 0) -> list[Value]:
        """Return a class and its bases, in an order close to that of method resolution."""
        kinds: list[Value] = [kind]
        if isinstance(kind, ClassValue) and depth < 20:
            for base in kind.bases:
                above = self.lineage(base, depth + 1)
                # What several bases have in common comes after all of them.
                kinds = [k for k in kinds if k not in above] + above
        # Classes of libraries come after those of the script, as the common base of several does.
        return sorted(kinds, key=lambda k: not isinstance(k, ClassValue))

    def own_classes(self, kind: Value) -> list[ClassValue]:
        """Return those of a class and its bases that the script defines."""
        return [owner for owner in self.lineage(kind) if isinstance(owner, ClassValue)]

    def annotation(self, kind: Value, name: str) -> tuple[ClassValue, ast.expr] | None:
        """Return the annotation of a field, and the class that has it; None if no class of the script has."""
        annotations = ((owner, part, node) for owner in self.own_classes(kind) for part, node in owner.annotated())
        return next(((owner, node) for owner, part, node in annotations if part == name), None)

    def library_classes(self, kind: Value) -> list[Lib]:
        """Return those of a class and its bases that are of libraries."""
        return [owner for owner in self.lineage(kind) if isinstance(owner, Lib)]

    def _of_class(self, value: ClassValue, name: str) -> Value | None:
        if name == "__name__":
            return Const(value.name)
        inherited = self.inherited(value, name, value, own=True)
        return Unknown(value.why_open) if inherited is None and value.why_open else inherited

    def _view(self, value: Mutable) -> Value:
        """Return ``__dict__``: a dictionary with the same cells."""
        view = Table()
        view.cells, view.birth = value.cells, value.birth
        return view

    def as_table(self, value: Value) -> Value:
        """Return a container of OmegaConf as a dictionary with the same cells; any other value as it is."""
        is_container = isinstance(value, Obj) and value.kind == Lib("omegaconf.DictConfig")
        return self._view(value) if is_container and isinstance(value, Obj) else value

    def set_attribute(self, value: Value, name: str, held: Held) -> None:
        """Set an attribute. On one of several objects, it may or may not be set."""
        if isinstance(value, Either):
            for part in value.values:
                if isinstance(part, Mutable):
                    before = part.cells.get(name)
                    self.run.state.write(part, name, join_held(before, held))
        elif isinstance(value, Lib):
            self.tamper(value, name, held.place)
        elif isinstance(value, Obj) and self._setter(value, name, held):
            return
        elif isinstance(value, Mutable):
            self.run.state.write(value, name, held)
        elif isinstance(value, Method) and isinstance(value.receiver, ClassValue):
            # The constructor that `dataclass` makes, and other parts of a class that are not followed.
            value.receiver.fields["**"] = Held(Unknown("the script changes the class"))
        elif isinstance(value, Loaded):
            # Values of models have no identity.
            self.run.tampered[name] = "the script changes it"
        elif isinstance(value, Bound | Partial | Method | Native | Function):
            return
        else:
            self.run.raises()
            if self.run.presuming and type(value) is Unknown:
                self.run.state.write(self.run.shadow(value), name, held)

    def tamper(self, value: Lib, name: str, place: Place | None = None) -> None:
        """Note that the script changes a class or module of a library: objects of that class are open from now on.

        Presumably, another method of a trainer than its constructor reads the settings only.
        """
        if self.run.presuming and value.name.endswith("Trainer") and name != "__init__":
            self.run.presume(CALL, f"{value.name}.{name}, which the script replaces, changes no setting", place)
            return
        if f"{value.path}.{name}" == "os.environ":
            self.run.open(self.run.environ, "the script replaces it")
        self.run.tampered[f"{value.path}.{name}"] = "the script replaces it"
        self.run.tampered[value.name] = "the script changes the class"
        for event in self.run.events:
            if event.kind == "configuration" and event.name == value.name and event.subject is not None:
                self.run.open(event.subject, "the script changes the class")

    def _setter(self, value: Obj, name: str, held: Held) -> bool:
        """Call ``__setattr__`` if the class of the script defines it; a property's setter opens the object."""
        if not isinstance(value.kind, ClassValue):
            return False
        if any("__setattr__" in owner.cells for owner in self.own_classes(value.kind)):
            self.run.open(value, "the class defines __setattr__")
            return True
        setter = value.kind.cells.get(name, Held(UNSET)).value
        if isinstance(setter, Function) and "setter" in setter.decorated:
            self.run.calls.call(Bound(setter, value), self.run.alone(setter, held))
            return True
        return False

    # Items

    def item(self, value: Value, key: Value) -> Value:
        """Return an item of a container."""
        if isinstance(value, Either):
            return self.each(value, lambda part: self.item(part, key))
        if isinstance(value, Obj):
            return self._item_of_instance(value, key)
        if isinstance(value, Seq) and value.kind == "set":
            self.run.raises()
            return Unknown()
        is_known = isinstance(value, Table | Const) or (isinstance(value, Seq) and value.items is not None)
        if isinstance(key, Const) and is_known:
            return self._item_at(value, key.value)
        if isinstance(value, Table | Seq) and not value.why_open:
            return self._any_item(value)
        self.run.raises()
        return Unknown(value.why if isinstance(value, Unknown) else AT_RUN_TIME)

    def _item_at(self, value: Any, key: Any) -> Value:
        """Return the item of a table, a sequence or a constant under a plain key."""
        if isinstance(value, Environ):
            self.run.raises()
            return self.run.variable(str(key), Unknown("the variable is not set"))
        if isinstance(value, Table):
            held = value.cells.get(key)
            if held is None or held.optional:
                self.run.raises()
            return held.value if held is not None else Unknown(value.why_open or AT_RUN_TIME)
        try:
            item: Value = (value.items or ())[key].value if isinstance(value, Seq) else from_plain(value.value[key])
        except Exception:
            self.run.raises()
            return Unknown()
        return item

    def _any_item(self, value: Table | Seq) -> Value:
        """Return what stands for every item, of which an unknown key chooses one."""
        self.run.raises()
        held = value.items if isinstance(value, Seq) else tuple(value.cells.values())
        if not held or isinstance(value, Environ):
            return Unknown()
        result = joined(item.value for item in held)
        return Unknown(candidates=result.candidates) if isinstance(result, Unknown) else result

    def _item_of_instance(self, value: Obj, key: Value) -> Value:
        if isinstance(value.kind, ClassValue):
            method = self.inherited(value.kind, "__getitem__", value, own=True)
            if method is not None:
                return self.run.calls.call(method, self.run.implicit(Held(key)))
        held = value.cells.get(key.value) if isinstance(key, Const) and isinstance(key.value, str) else None
        if held is not None:
            return held.value
        self.run.raises()
        return Unknown(value.why_open or AT_RUN_TIME)

    def set_item(self, value: Value, key: Value, held: Held | None) -> None:
        """Set an item of a container; None deletes it. An unknown key opens the container."""
        if isinstance(value, Either):
            for part in value.values:
                if isinstance(part, Table) and isinstance(key, Const):
                    self.run.state.write(part, key.value, join_held(part.cells.get(key.value), held))
                elif isinstance(part, Mutable):
                    self.run.open(part, "an item of one of several objects is set")
        elif isinstance(value, Mutable) and not (isinstance(key, Const) and self._set_at(value, key.value, held)):
            self.run.open(value, "an unknown key is set")

    def _set_at(self, value: Mutable, key: Any, held: Held | None) -> bool:
        """Set or delete the item under a plain key. Return False if it is not known what that does."""
        if isinstance(value, Environ):
            self.run.state.write(value, str(key), held or Held(UNSET))
        elif isinstance(value, Table):
            self.run.state.write(value, key, held)
        elif isinstance(value, Seq) and value.items is not None:
            items = list(value.items)
            try:
                items[key : key + 1 or None] = [held] if held else []
                value.items[key]
            except (IndexError, TypeError):
                self.run.raises()
            else:
                self.run.state.write(value, ITEMS, Held(Items(tuple(items))))
        elif isinstance(value, Obj) and isinstance(key, str):
            if isinstance(value.kind, ClassValue):
                self.run.open(value, "an item is set")
            else:
                self.run.state.write(value, key, held)
        else:
            return False
        return True

    def contains(self, table: Table, key: object) -> bool | None:
        """Return whether a dictionary has `key`; None if that is not known."""
        held = table.cells.get(key)
        if isinstance(table, Environ):
            if held is None:
                closed = self.run.start.environment.others is Others.UNSET and not table.why_open
                return False if closed else None
            return (
                None
                if held.optional or (isinstance(held.value, Unknown) and held.value is not UNSET)
                else held.value is not UNSET
            )
        if held is not None:
            return None if held.optional else True
        return None if table.why_open else False

    def merge(self, table: Table, value: Value) -> None:
        """Put the items of `value` into `table`. What cannot be followed opens all its keys."""
        if isinstance(value, Obj) and isinstance(value.kind, Lib):
            value = self._view(value)
        if isinstance(value, Table) and not isinstance(value, Environ):
            self._merge_table(table, value)
        elif isinstance(value, Either):
            self._merge_either(table, value)
        elif is_none(value):
            self.run.raises()
        elif isinstance(value, Seq) and value.items is not None:
            self._merge_pairs(table, value.items)
        else:
            self.run.open(table, value.why if isinstance(value, Unknown) else AT_RUN_TIME)

    def _merge_table(self, table: Table, value: Table) -> None:
        if value.why_open:
            self.run.open(table, value.why_open)
        for key, held in value.cells.items():
            if key is not OPEN:
                before = table.cells.get(key) if held.optional else None
                now = held if before is None else join_held(before, held._replace(optional=False), SOMETIMES)
                self.set_item(table, Const(key), now)

    def _merge_either(self, table: Table, value: Either) -> None:
        diffs = []
        for part in value.values:
            with self.run.state.arm() as diff:
                self.merge(table, part)
            diffs.append(diff)
        self.run.state.apply(functools.reduce(self.run.state.join, diffs))

    def _merge_pairs(self, table: Table, items: tuple[Held, ...]) -> None:
        for held in items:
            pair = self.iterate(held.value)
            if pair is None or len(pair) != 2:
                self.run.open(table, AT_RUN_TIME)
            else:
                self.set_item(table, pair[0].value, pair[1])

    # Iteration

    def iterate(self, value: Value) -> tuple[Held, ...] | None:
        """Return what an iteration yields, in order; None if it is not known."""
        value = self.as_table(value)
        if isinstance(value, Seq):
            # The order of a set is not known.
            is_ordered = value.kind != "set" or len(value.items or ()) < 2
            return value.items if is_ordered else None
        if isinstance(value, Table) and not isinstance(value, Environ) and not value.why_open:
            if any(held.optional for held in value.cells.values()):
                return None
            return tuple(Held(Const(key), held.place) for key, held in value.cells.items())
        text = text_of(value)
        return tuple(Held(Const(character)) for character in text) if text is not None and len(text) < 200 else None


#: How the attributes of a value are read, by its kind. None: it has a method of that name.
_ATTRIBUTES: Mapping[type[Any] | tuple[type[Any], ...], Callable[[Objects, Any, str], Value | None]] = {
    Either: lambda own, value, name: own.each(value, lambda part: own.attribute(part, name)),
    (Function, Bound): lambda own, value, name: own.run.models.attribute(value, name),
    Lib: Objects._library,
    Obj: Objects._of_instance,
    ClassValue: Objects._of_class,
    Super: lambda own, value, name: own.inherited(value.owner, name, value.receiver, own=False),
    Frame: lambda own, frame, name: frame.cells.get(name, Held(Unknown())).value,
    Const: lambda own, value, name: _path_part(text_of(value), name),
    Partial: lambda own, value, name: value.function if name == "func" else None,
    Unknown: Objects._of_unknown,
}
