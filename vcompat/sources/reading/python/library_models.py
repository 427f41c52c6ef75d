"""What stands for code that is not run: library calls, methods of their objects, decorators, and how classes behave."""

from __future__ import annotations

import ast

from vcompat.facts.place import Place
from vcompat.facts.presumption import CALL
from vcompat.sources.reading.python import modal_apps
from vcompat.sources.reading.python.classes import classes, configurations
from vcompat.sources.reading.python.libraries import dataclass_parser, library, methods, setting_names, steady
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.interpreter_part import Part
from vcompat.sources.reading.python.values.values import (
    CLASS_DEFAULT,
    Bound,
    ClassValue,
    Const,
    Frame,
    Function,
    Held,
    Lib,
    Method,
    Obj,
    Unknown,
    Value,
)


class Models(Part):
    """Answers for libraries and classes."""

    def decorated(self, function: Function, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> Value:
        """Return what the decorators of a function make of it."""
        value: Value = function
        for decorator in reversed(node.decorator_list):
            value = self._decorated(value, self.run.statements.evaluate_decorator(decorator, frame), decorator, frame)
        return value

    def _decorated(self, value: Value, decorator: Value, node: ast.expr, frame: Frame) -> Value:
        if isinstance(decorator, Lib | Method) and isinstance(value, Function):
            name = modal_apps.decorator_of(decorator) or decorator.name
            if name == "main" and isinstance(decorator, Lib) and decorator.root == "hydra":
                return library.hydra_main(self.run, value, node, frame)
            made = Function(value.node, value.frame, value.defaults, value.owner, (*value.decorated, name))
            self.run.commands.register(made, node)
            return made
        if isinstance(decorator, Function | ClassValue):
            return self.run.calls.call(decorator, self.run.implicit(Held(value)))
        if isinstance(value, Function):
            made = Function(value.node, value.frame, value.defaults, value.owner, (*value.decorated, "unknown"))
            self.run.commands.register(made, node)
            return made
        return Unknown()

    def define(self, node: ast.ClassDef, frame: Frame) -> Value:
        """Return the class that a statement defines."""
        return classes.define(self.run, node, frame)

    def instantiate(self, kind: ClassValue, site: Site) -> Value:
        """Create an instance of a class of the script. Presumably, a parser of TRL's name is a copy of TRL's."""
        bases = {base.name for base in self.run.objects.library_classes(kind)} if self.run.presuming else set()
        if kind.name in dataclass_parser.PARSERS and "HfArgumentParser" in bases:
            self.run.presume(CALL, f"the {kind.name} of the project is a copy of TRL's", site.place)
            return dataclass_parser.make(self.run, Lib(f"trl.{kind.name}"), site)
        return classes.instantiate(self.run, kind, site)

    def attribute(self, value: Function | Bound, name: str) -> Value | None:
        """Return an attribute of a function that Modal runs elsewhere; None of every other one."""
        return modal_apps.attribute(self.run, value, name)

    def description(self, value: Value, name: str, place: Place) -> Value | None:
        """Return an attribute of a class that has the names of its settings; None of every other one."""
        return setting_names.attribute(self.run, value, name, place) if isinstance(value, Lib | ClassValue) else None

    def unset_attribute(self, value: Obj, name: str) -> Value | None:
        """Return an attribute that the script did not set: a default of the library, or a method. None: neither."""
        if name.startswith("__") or name in methods.OF_CONFIGURATIONS:
            return Method(value, name)
        if isinstance(value.kind, Lib) and not value.why_open and name in steady.defaults_of(value.kind):
            return Const(steady.defaults_of(value.kind)[name], "default")
        if configurations.is_configuration(self.run, value):
            return Unknown(value.why_open or CLASS_DEFAULT)
        if name == "args":
            return configurations.arguments_of(self.run, value)
        return None

    def entered(self, value: Value) -> Value:
        """Return what ``with value as name`` binds."""
        if isinstance(value, Obj) and isinstance(value.kind, ClassValue):
            enter = self.run.objects.inherited(value.kind, "__enter__", value, own=True)
            if enter is not None:
                return self.run.calls.call(enter, self.run.implicit())
        return value

    def call_library(self, callee: Lib, site: Site) -> Value:
        """Call something of a library."""
        return library.call(self.run, callee, site)

    def call_method(self, callee: Method, site: Site) -> Value:
        """Call a method of an object whose class the script does not define."""
        return methods.call(self.run, callee, site)
