"""What code may change that is not followed: loops, exception handlers, functions that get an object.

Everything that it might assign becomes unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from itertools import dropwhile
from typing import NamedTuple

from vcompat.foundation.syntax.function_parameters import parameters
from vcompat.foundation.syntax.terms import called, dotted, names_in, text_of, texts_in
from vcompat.upstream.settings.code import Code, decorators, methods
from vcompat.upstream.settings.constructor_state import Binding, Instance, State

#: Functions and methods that change neither the objects that they get nor the one that they are called on.
_HARMLESS = frozenset(
    "isinstance issubclass getattr hasattr len str repr type id bool int float list tuple dict set sorted min max sum "
    "any all fields asdict is_dataclass print warn warning warning_once info info_once debug error exception copy "
    "deepcopy replace join format startswith endswith lower upper strip split rsplit partition get keys values items "
    "index count removeprefix removesuffix isdigit super cast vars signature".split()
)


#: Module, class and definition of a method.
Method = tuple[str, ast.ClassDef, ast.FunctionDef]


class Foreign(NamedTuple):
    """What is known of the classes of other packages that a package's classes inherit from or pass settings to."""

    fields: Mapping[str, frozenset[str]]
    """The settings of each class, such as ``transformers.TrainingArguments``, in any of its releases."""
    assigns: Mapping[str, frozenset[str]]
    """The attributes that constructing it may assign; those of its parameter ``args`` with ``args.`` before."""


class Place(NamedTuple):
    """The function that code is in."""

    module: str
    function: ast.AST
    seen: frozenset[int] = frozenset()
    """The functions that are being inspected; none is inspected inside itself."""


class Passed(NamedTuple):
    """The objects among the arguments of a call."""

    positional: list[Instance | None]
    named: Mapping[str, Instance | None]

    def after(self, first: Instance | None) -> Passed:
        """Return the arguments with one before them."""
        return Passed([first, *self.positional], self.named)

    def objects(self) -> list[Instance]:
        """Return the objects."""
        return [one for one in (*self.positional, *self.named.values()) if one is not None]


class Effects:
    """Makes unknown what code may change."""

    def __init__(self, code: Code, foreign: Foreign) -> None:
        self._code = code
        self._foreign = foreign

    def chain(self, instance: Instance) -> list[tuple[str, ast.ClassDef]]:
        """Return the class of an object and its bases in the package, nearest first."""
        return list(self._code.with_bases(instance.module, instance.node)) if instance.node else []

    def foreign_bases(self, instance: Instance) -> Iterator[str]:
        """Yield the bases of an object's class that are in other packages."""
        for module, owner in self.chain(instance):
            yield from filter(None, (self._code.foreign(module, base) for base in owner.bases))

    def method(self, instance: Instance, name: str, after: ast.ClassDef | None = None) -> Method | None:
        """Return the method of an object; with `after`, the one that ``super()`` finds in that class."""
        owners = self.chain(instance)
        if after is not None:
            owners = list(dropwhile(lambda owner: owner[1] is not after, owners))[1:]
        having = ((module, owner, methods(owner)) for module, owner in owners)
        return next(((module, owner, known[name]) for module, owner, known in having if name in known), None)

    def construct_foreign_base(self, instance: Instance, state: State) -> None:
        """Make unknown what the constructor of a base in another package may assign."""
        for base in self.foreign_bases(instance):
            for name in self._foreign.assigns.get(base, ()):
                if not name.startswith("args."):
                    state.attributes[instance, name] = None
        # Lists of settings that a base's constructor converts, such as TrainingArguments'.
        for name in self._listed_in_class(instance) & instance.given:
            state.attributes[instance, name] = None

    def pass_to_foreign_base(self, instance: Instance, settings: Instance, state: State) -> None:
        """Make unknown what the constructor of a base in another package may assign to the settings that it gets."""
        for base in self.foreign_bases(instance):
            for name in self._foreign.assigns.get(base, ()):
                if name.startswith("args."):
                    state.attributes[settings, name.removeprefix("args.")] = None

    def _listed_in_class(self, instance: Instance, attribute: str = "") -> set[str]:
        """The strings in lists that the body of an object's class, or of a base, assigns (to `attribute`)."""
        names: set[str] = set()
        for node in (node for _, owner in self.chain(instance) for node in owner.body):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.List | ast.Tuple | ast.Set | ast.BinOp):
                target = node.targets[0]
                if isinstance(target, ast.Name) and attribute in ("", target.id):
                    names.update(texts_in(node.value))
        return names

    def forget(self, instance: Instance, state: State, names: Iterable[str] | None = None) -> None:
        """Make attributes of an object unknown; without `names`, all of them."""
        for name in instance.given if names is None else names:
            state.attributes[instance, name] = None
        if names is None:
            for slot in [slot for slot in state.attributes if slot[0] is instance]:
                state.attributes[slot] = None

    def of_code(self, nodes: Iterable[ast.AST], state: State, place: Place) -> None:
        """Make unknown what the code in `nodes` may change, in `state`."""
        for top in nodes:
            for node in ast.walk(top):
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    instance = self._instance(node.value, state)
                    if instance is not None:
                        state.names[node.targets[0].id] = instance
                        continue
                self._of_node(node, state, place)

    def _of_node(self, node: ast.AST, state: State, place: Place) -> None:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            if not isinstance(state.names.get(node.id), Instance):
                state.names[node.id] = None
        elif isinstance(node, ast.Attribute):
            self._of_attribute(node, state, place)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            self._changed_inside(node.value, state)
        elif isinstance(node, ast.Call):
            self.of_call(node, state, place)

    def _of_attribute(self, node: ast.Attribute, state: State, place: Place) -> None:
        instance = self._instance(node.value, state)
        if instance is None:
            return
        if isinstance(node.ctx, ast.Store | ast.Del):
            state.attributes[instance, node.attr] = None
            return
        method = self.method(instance, node.attr)
        if method and decorators(method[2]) & {"property", "cached_property"}:
            self._of_function(method[0], method[2], Passed([instance], {}), state, place)

    def _changed_inside(self, node: ast.expr, state: State) -> None:
        """Make an attribute unknown whose value is changed in place."""
        if isinstance(node, ast.Subscript):
            self._changed_inside(node.value, state)
        elif isinstance(node, ast.Attribute):
            instance = self._instance(node.value, state)
            if instance is not None:
                state.attributes[instance, node.attr] = None
            else:
                self._changed_inside(node.value, state)
        elif isinstance(node, ast.Name) and not isinstance(state.names.get(node.id), Instance):
            state.names[node.id] = None

    def of_call(self, call: ast.Call, state: State, place: Place) -> None:
        """Make unknown what a call may change."""
        name = called(call)
        if name == "setattr" and len(call.args) == 3:
            self._of_setattr(call, state, place.function)
            return
        passed = Passed(
            [self._instance(argument, state) for argument in call.args],
            {keyword.arg or "": self._instance(keyword.value, state) for keyword in call.keywords},
        )
        if isinstance(call.func, ast.Attribute):
            receiver = self._instance(call.func.value, state)
            if receiver is not None:
                method = self.method(receiver, name)
                if method is not None:
                    self._of_function(method[0], method[2], passed.after(receiver), state, place)
                    return
                self.construct_foreign_base(receiver, state)
            elif name not in _HARMLESS:
                self._changed_inside(call.func.value, state)
        if name not in _HARMLESS and passed.objects():
            self._of_unfollowed(call, passed, state, place)

    def _of_unfollowed(self, call: ast.Call, passed: Passed, state: State, place: Place) -> None:
        """A call of something outside the class that gets an object."""
        callee = self._code.definitions.named(place.module, call.func)
        if callee is not None and isinstance(callee.node, ast.FunctionDef):
            self._of_function(callee.module, callee.node, passed, state, place)
            return
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        known = [(*owner, name) for owner in self._imported_classes(place) if name in methods(owner[1])]
        if callee is not None and isinstance(callee.node, ast.ClassDef) and "__init__" in methods(callee.node):
            known.append((callee.module, callee.node, "__init__"))
        for module, owner, method in known:
            self._of_function(module, methods(owner)[method], passed.after(None), state, place)
        if not known:
            for instance in passed.objects():
                self.forget(instance, state)

    def _imported_classes(self, place: Place) -> Iterator[tuple[str, ast.ClassDef]]:
        """Classes that the code of a function imports."""
        imports = (node for node in ast.walk(place.function) if isinstance(node, ast.ImportFrom))
        origins = self._code.definitions.names_of(place.module, imports).values()
        yield from filter(None, (self._code.find_class(*origin) for origin in origins))

    def _of_function(self, module: str, function: ast.FunctionDef, passed: Passed, state: State, caller: Place) -> None:
        """Make unknown what a function may change in the objects that it gets."""
        if id(function) in caller.seen:
            return
        names = (parameter.name for parameter in parameters(function) if parameter.is_positional)
        inner = state.copy()
        inner.names = {**dict(zip(names, passed.positional, strict=False)), **passed.named}
        self.of_code(function.body, inner, Place(module, function, caller.seen | {id(function)}))
        state.attributes = inner.attributes

    def _of_setattr(self, call: ast.Call, state: State, function: ast.AST) -> None:
        instance = self._instance(call.args[0], state)
        if instance is None:
            return
        name = text_of(call.args[1])
        if name is not None:
            state.attributes[instance, name] = None
            return
        self.forget(instance, state, self._looped_names(instance, dotted(call.args[1]), function))

    def _looped_names(self, instance: Instance, name: str, function: ast.AST) -> set[str] | None:
        """The strings that a name takes in a loop over constants; None if that is not known."""
        loops = (node for node in ast.walk(function) if isinstance(node, ast.For) and name in names_in(node.target))
        for values in (loop.iter for loop in loops):
            if isinstance(values, ast.List | ast.Tuple):
                return set(texts_in(values))
            if isinstance(values, ast.Attribute) and not any(self.foreign_bases(instance)):
                return self._listed_in_class(instance, values.attr) or None
            if isinstance(values, ast.Name):
                constant = self._code.constant_node(instance.module, values.id)
                return set(texts_in(constant[1])) or None if constant else None
        return None

    def _instance(self, node: ast.expr, state: State) -> Instance | None:
        value = instance_of(node, state)
        return value if isinstance(value, Instance) else None


def instance_of(node: ast.expr, state: State) -> Binding:
    """Return the object that a name, or an attribute of an object, refers to."""
    if isinstance(node, ast.Starred):
        return instance_of(node.value, state)
    if isinstance(node, ast.Name):
        return state.names.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = instance_of(node.value, state)
        return state.get(owner, node.attr) if isinstance(owner, Instance) else None
    return None
