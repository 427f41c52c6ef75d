"""What a release offers to other packages: the names in its modules, and the arguments of its functions and classes.

Read from the source as an importer would see it, with re-exports followed. An answer of None means that the source does
not determine it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from vcompat.upstream.subjects import module_source
from vcompat.upstream.uses import ARGUMENT, METHOD, Use

Read = Callable[[str], str | None]
_OTHER_MODULE = re.compile(r"sys\.modules\[(?!__name__\])[^]]+\] = ")
#: Limit on re-exports that are followed one after the other.
_MAX_DEPTH = 12


class Defined(NamedTuple):
    """Where a name is defined."""

    module: str
    node: ast.AST | None
    """None for a definition outside the package, or a module."""


class _Module(NamedTuple):
    name: str
    is_package: bool
    names: dict[str, ast.AST | tuple[str, str]]
    """Definitions; for an imported name, the module and the name in it."""
    typing_only: dict[str, tuple[str, str]]
    stars: list[str]
    lazy: frozenset[str]
    """String constants of a module with ``__getattr__``: any of them may be an attribute's name."""
    replaced: bool
    """Whether the module replaces itself with another object, whose attributes are not known."""
    makes_modules: bool
    """Whether it adds other modules to ``sys.modules``."""
    tree: ast.Module


class Surface:
    """What one release offers."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._modules: dict[str, _Module | None] = {}

    def offers(self, use: Use) -> bool | None:
        """Whether the release has what `use` needs; None if the source does not determine it."""
        if self._module(use.module) is None and self._makes_modules(use.module):
            return None
        if not use.name:
            return self._module(use.module) is not None
        first, _, rest = use.name.partition(".")
        defined = self._find(use.module, first)
        if defined is None and (use.kind in (ARGUMENT, METHOD) or self._is_replaced(use.module)):
            # An argument or a method needs an import, which is a use of its own and fails there.
            return None
        if defined is None or (not rest and use.kind != ARGUMENT):
            return defined is not None
        if use.kind == ARGUMENT:
            return self._takes(defined, rest, use.argument)
        return self._has(defined, rest)

    def find(self, module: str, name: str) -> Defined | None:
        """Return where a name in a module is defined, with re-exports followed; None if there is no such name."""
        return self._find(module, name)

    def find_for_typing(self, module: str, name: str) -> Defined | None:
        """Like `find`, for a package that defines its names only ``if TYPE_CHECKING`` and loads them lazily."""
        for _ in range(_MAX_DEPTH):
            here = self._module(module)
            if here is None:
                return None
            found = here.names.get(name) or here.typing_only.get(name)
            if isinstance(found, ast.AST):
                return Defined(module, found)
            if found is None or found[0].partition(".")[0] != module.partition(".")[0]:
                return None
            module, name = found[0], found[1] or name
        return None

    def imported(self, module: str, name: str) -> tuple[str, str] | None:
        """Return the module and the name in it that a module imports as `name`; None if it does not import it."""
        here = self._module(module)
        found = here.names.get(name) if here else None
        return found if isinstance(found, tuple) else None

    def is_package(self, module: str) -> bool:
        """Whether a module is a package, whose file is ``__init__.py``."""
        here = self._module(module)
        return here is not None and here.is_package

    def tree(self, module: str) -> ast.Module | None:
        """Return the parsed source of a module; None if there is no such module, or it has another syntax."""
        here = self._module(module)
        return here.tree if here else None

    def _module(self, name: str) -> _Module | None:
        if name not in self._modules:
            path, source = module_source(name, self._read)
            self._modules[name] = None if source is None else _parsed(name, source, path.endswith("__init__.py"))
        return self._modules[name]

    def _makes_modules(self, name: str) -> bool:
        """Whether the package creates modules without a file, as transformers does for removed names."""
        root = self._module(name.partition(".")[0])
        return root is not None and root.makes_modules

    def _is_replaced(self, name: str) -> bool:
        module = self._module(name)
        return module is not None and module.replaced

    def _find(self, module: str, name: str, depth: int = 0) -> Defined | None:
        here = self._module(module)
        if here is None or depth > _MAX_DEPTH:
            return None
        found = here.names.get(name)
        if found is None and name in here.lazy:
            found = here.typing_only.get(name, ("", ""))
        if isinstance(found, ast.AST):
            return Defined(module, found)
        if found is not None:
            return self._follow(module, found, depth)
        for star in here.stars if not here.replaced else []:
            inside = self._find(star, name, depth + 1)
            if inside is not None:
                return inside
        return Defined(f"{module}.{name}", None) if self._module(f"{module}.{name}") is not None else None

    def _follow(self, module: str, found: tuple[str, str], depth: int) -> Defined | None:
        where, name = found
        if not where or where.partition(".")[0] != module.partition(".")[0]:
            return Defined(where, None)
        if not name:
            return Defined(where, None) if self._module(where) is not None else None
        return self._find(where, name, depth + 1)

    def _has(self, defined: Defined, attribute: str) -> bool | None:
        """Whether a class or one of its bases has an attribute."""
        first, _, rest = attribute.partition(".")
        if rest or not isinstance(defined.node, ast.ClassDef):
            return None
        unknown = False
        for owner in self._with_bases(defined):
            if not isinstance(owner.node, ast.ClassDef):
                unknown = True
            elif first in _attributes(owner.node):
                return True
        return None if unknown else False

    def _with_bases(self, defined: Defined, depth: int = 0) -> Iterator[Defined]:
        yield defined
        if isinstance(defined.node, ast.ClassDef) and depth <= _MAX_DEPTH:
            for base in defined.node.bases:
                name = ast.unparse(base.value if isinstance(base, ast.Subscript) else base)
                if name in ("object", "Generic", "Protocol", "ABC"):
                    continue
                found = self._find(defined.module, name) if name.isidentifier() else None
                yield from self._with_bases(found or Defined("", None), depth + 1)

    def _takes(self, defined: Defined, method: str, argument: str) -> bool | None:
        """Whether a function, a class or a method accepts a keyword."""
        if isinstance(defined.node, ast.ClassDef):
            return self._class_takes(defined, method, argument)
        if isinstance(defined.node, ast.FunctionDef | ast.AsyncFunctionDef) and not method:
            return self._function_takes(defined.module, [defined.node], argument)
        return None

    def _class_takes(self, defined: Defined, method: str, argument: str) -> bool | None:
        fields: set[str] = set()
        for owner in self._with_bases(defined):
            if not isinstance(owner.node, ast.ClassDef):
                return None if argument not in fields else True
            functions = [
                node
                for node in owner.node.body
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == (method or "__init__")
            ]
            if functions:
                return True if argument in fields else self._function_takes(owner.module, functions, argument)
            if not method:
                fields |= set(_fields(owner.node))
                if argument not in fields and self._ignores_unknown(owner):
                    return True
        return argument in fields if fields else None

    def _ignores_unknown(self, owner: Defined) -> bool:
        """Whether a class is a plain dataclass of pydantic, which accepts and ignores unknown keywords."""
        module = self._module(owner.module)
        decorators = owner.node.decorator_list if isinstance(owner.node, ast.ClassDef) else []
        names = [module.names.get(ast.unparse(decorator)) for decorator in decorators] if module is not None else []
        return ("pydantic.dataclasses", "dataclass") in names

    def _function_takes(
        self, module: str, functions: list[ast.FunctionDef | ast.AsyncFunctionDef], argument: str
    ) -> bool | None:
        """Whether one of several definitions (overloads) accepts a keyword, or passes it on to a callee that does."""
        answers: list[bool | None] = []
        for function in functions:
            takes = function.args
            if argument in {a.arg for a in (*takes.posonlyargs, *takes.args, *takes.kwonlyargs)}:
                return True
            answers.append(self._passes_on(module, function, argument) if takes.kwarg else False)
        return None if None in answers else any(answers)

    def _passes_on(self, module: str, function: ast.FunctionDef | ast.AsyncFunctionDef, argument: str) -> bool | None:
        """Whether the callee that gets the function's ``**kwargs`` accepts the keyword; None if not exactly one."""
        name = function.args.kwarg.arg if function.args.kwarg else ""
        callees = [
            node.func.id
            for node in ast.walk(function)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and any(k.arg is None and isinstance(k.value, ast.Name) and k.value.id == name for k in node.keywords)
        ]
        found = self._find(module, callees[0]) if len(set(callees)) == 1 else None
        return self._takes(found, "", argument) if found is not None else None


def _parsed(name: str, source: str, is_package: bool) -> _Module | None:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    replaced = "sys.modules[__name__]" in source
    makes_modules = _OTHER_MODULE.search(source) is not None
    module = _Module(name, is_package, {}, {}, [], frozenset(), replaced, makes_modules, tree)
    _collect(tree.body, module)
    if "__getattr__" in module.names:
        texts = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        return module._replace(lazy=frozenset(texts))
    return module


def _collect(body: list[ast.stmt], module: _Module) -> None:
    """Collect the names that the statements of a module, or of a block in it, define."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            module.names[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            module.names.update(dict.fromkeys(_assigned(node), node))
        elif isinstance(node, ast.Import):
            module.names.update({a.asname or a.name.partition(".")[0]: (a.name, "") for a in node.names})
        elif isinstance(node, ast.ImportFrom):
            module.names.update(_imported(node, module))
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for inner in (inner for inner in node.body if isinstance(inner, ast.ImportFrom)):
                module.typing_only.update(_imported(inner, module))
            _collect(node.orelse, module)
        else:
            for block in _blocks(node):
                _collect(block, module)


def _assigned(node: ast.Assign | ast.AnnAssign) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if node.value is not None else []
    for target in targets:
        for name in target.elts if isinstance(target, ast.Tuple) else [target]:
            if isinstance(name, ast.Name):
                yield name.id


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    if isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
        for part in ("body", "orelse", "finalbody"):
            yield getattr(node, part, [])
        for handler in getattr(node, "handlers", []):
            yield handler.body


def _imported(node: ast.ImportFrom, module: _Module) -> Iterator[tuple[str, tuple[str, str]]]:
    base = node.module or ""
    if node.level:
        parts = module.name.split(".")
        parts = parts[: len(parts) - node.level + (1 if module.is_package else 0)]
        base = ".".join([*parts, *([node.module] if node.module else [])])
    for alias in node.names:
        if alias.name == "*":
            module.stars.append(base)
        else:
            yield alias.asname or alias.name, (base, alias.name)


def _fields(node: ast.ClassDef) -> Iterator[str]:
    """The fields of a dataclass."""
    for inner in node.body:
        if isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name):
            yield inner.target.id


def _attributes(node: ast.ClassDef) -> set[str]:
    """Names in a class's body, and those that its methods assign to ``self``."""
    names = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(inner.name)
        elif (
            isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store) and ast.unparse(inner.value) == "self"
        ):
            names.add(inner.attr)
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            names.add(inner.id)
    return names
