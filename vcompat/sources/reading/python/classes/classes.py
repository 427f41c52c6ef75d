"""Classes of the script: their definition, dataclass fields, and the creation of instances."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeGuard

from vcompat.sources.reading.python.classes import class_changes, configurations, pydantic_models
from vcompat.sources.reading.python.classes.constructions import constructed
from vcompat.sources.reading.python.values import objects
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import (
    UNSET,
    ClassValue,
    Frame,
    Function,
    Held,
    Lib,
    Obj,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run


def define(run: Run, node: ast.ClassDef, frame: Frame) -> Value:
    """Return the class that a statement defines: its body is run in a frame of its own."""
    bases = tuple(run.expressions.evaluate(base, frame) for base in node.bases)
    inner = Frame(frame)
    kind = ClassValue(node, bases, inner)
    inner.owner = kind
    run.flow.block(node.body, inner)
    _own_methods(kind, frame)
    class_changes.made(run, kind, frame)
    decorators = [run.statements.evaluate_decorator(decorator, frame) for decorator in node.decorator_list]
    kind.is_dataclass = any(isinstance(one, Lib) and one.name == "dataclass" for one in decorators)
    kind.is_model = not kind.is_dataclass and pydantic_models.is_model(run, kind)
    if kind.is_dataclass or kind.is_model:
        _fields(run, kind, node, inner)
    return class_changes.decorated(run, kind, decorators, frame)


def _own_methods(kind: ClassValue, frame: Frame) -> None:
    """Let methods see the enclosing function's names, not those of the class body, and know their class."""
    for key, held in list(kind.cells.items()):
        if isinstance(held.value, Function):
            method = held.value
            kind.cells[key] = held._replace(value=Function(method.node, frame, method.defaults, kind, method.decorated))


def _fields(run: Run, kind: ClassValue, node: ast.ClassDef, frame: Frame) -> None:
    """Record the annotated names of the class body, in order, with their defaults."""
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = statement.target.id
            if "ClassVar" in ast.unparse(statement.annotation) or (
                kind.is_model and not pydantic_models.is_field(name)
            ):
                continue
            kind.fields[name] = Held(UNSET, run.place(statement, frame))
            if statement.value is not None:
                held = kind.cells.get(name)
                place = run.place(statement.value, frame)
                kind.fields[name] = Held(held.value if held else Unknown(), place)
                if held is not None and _is_field(held.value):
                    _set_default(kind, name, held.value)


def _is_field(value: Value) -> TypeGuard[Obj]:
    return isinstance(value, Obj) and isinstance(value.kind, Lib) and value.kind.name == "field"


def _set_default(kind: ClassValue, name: str, field: Obj) -> None:
    """Let the class have the default of a field, or not have the attribute, as ``@dataclass`` does."""
    if "default" in field.cells:
        kind.cells[name] = field.cells["default"]
    else:
        del kind.cells[name]


def default_of(run: Run, held: Held) -> Held:
    """Return the default of a field: the value, or what ``field(default_factory=...)`` makes for each instance."""
    value = held.value
    if _is_field(value):
        if "default" in value.cells:
            return value.cells["default"]
        if "default_factory" in value.cells:
            factory = value.cells["default_factory"]
            return Held(run.calls.call(factory.value, run.implicit(place=factory.place)), factory.place)
        return Held(UNSET, held.place)
    return held


def all_fields(run: Run, kind: ClassValue) -> dict[str, Held]:
    """Return the fields of a dataclass and of its bases in the script, with their defaults."""
    fields: dict[str, Held] = {}
    for owner in reversed(run.objects.own_classes(kind)):
        fields |= owner.fields
    return fields


def instantiate(run: Run, kind: ClassValue, site: Site) -> Value:
    """Create an instance of a class of the script."""
    made = Obj(kind, site.place)
    if "__new__" in kind.cells:
        run.open(made, "the class defines __new__")
    initialize = run.objects.inherited(kind, "__init__", made, own=True)
    trainers = [base.name for base in run.objects.library_classes(kind) if base.name.endswith("Trainer")]
    if initialize is not None:
        run.calls.call(initialize, site)
    elif trainers:
        return configurations.trainer(run, trainers[0], site, made)
    else:
        fill(run, made, kind, site)
    for name in run.objects.properties(kind) & {str(key) for key in made.cells}:
        run.state.write(made, name, Held(Unknown("computed by a property of its class"), site.place))
    own = run.objects.own_classes(kind)
    if any({"__getattribute__", "__getattr__", "__setattr__"} & owner.cells.keys() for owner in own):
        run.open(made, "its class computes its attributes")
    if any("**" in owner.fields for owner in own):
        run.open(made, "its class cannot be followed")
    configurations.made(run, made, site)
    return made


def fill(run: Run, made: Obj, kind: ClassValue, site: Site) -> None:
    """Do what the constructor of a dataclass, a model of pydantic or a library's class does, then ``__post_init__``."""
    fields = all_fields(run, kind)
    changed = fields.pop("**", None)
    bases = run.objects.library_classes(kind)
    for name, held in fields.items():
        default = default_of(run, held)
        if default.value is not UNSET:
            run.state.initialize(made, name, default)
    if kind.is_model:
        pydantic_models.fill(run, made, kind, site)
        return
    names = list(fields)
    if (base := _constructing(run, kind)) is not None:
        constructed(run, base, site, names)
    for index, held in enumerate(site.arguments):
        if bases or index >= len(names):
            configurations.positional(run, made, bases, index, held)
        else:
            run.state.write(made, names[index], held)
    objects.set_keywords(run, made, site)
    if configurations.is_configuration(run, made):
        for base in bases:
            configurations.open_like(run, made, base)
    if changed is not None or any(not isinstance(owner, ClassValue | Lib) for owner in run.objects.lineage(kind)):
        run.open(made, "its class cannot be followed")
    post = run.objects.inherited(kind, "__post_init__", made, own=True)
    if post is not None:
        run.calls.call(post, run.implicit(place=site.place))


def replaced(run: Run, kind: Value, site: Site) -> None:
    """Record the changes that `dataclasses.replace` gives to the constructor of `kind`, beside the other settings."""
    changes = site._replace(arguments=())
    if isinstance(kind, Lib):
        constructed(run, kind, changes, whole=False)
    elif isinstance(kind, ClassValue):
        base, own = _constructing(run, kind), run.objects.own_classes(kind)
        if base is not None and not any({"__init__", "__new__"} & owner.cells.keys() for owner in own):
            constructed(run, base, changes, all_fields(run, kind), whole=False)


def _constructing(run: Run, kind: ClassValue) -> Lib | None:
    """Return the one class of a library whose constructor a class of the script has; None if it has another one."""
    bases = run.objects.library_classes(kind)
    is_plain = "**" not in all_fields(run, kind) and (kind.is_dataclass or not kind.fields)
    return bases[0] if len(bases) == 1 and is_plain else None
