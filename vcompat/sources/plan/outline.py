"""The outline of a script: the bindings of each name with their positions, and the calls that can configure a run.

It is built in one pass over the syntax tree, without recursion, because scripts can be long and deeply nested.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container
from typing import Any, NamedTuple

Arms = tuple[tuple[int, int], ...]
"""The branches around a position, outermost first: the number of a branching statement and the number of its arm."""

#: Arms with this number or above (loop bodies, exception handlers) do not exclude other arms. Lower ones do.
INCLUSIVE = 1000

Position = tuple[int, int]


class Binding(NamedTuple):
    """A binding of a name."""

    value: ast.expr | None
    """The value; None if it is not an expression: a parameter, a loop variable, an import."""
    at: Position
    arms: Arms
    unpacked: bool = False
    """True if the name receives a part of the value, as in ``a, b = f()``."""


class Change(NamedTuple):
    """A modification of the object that a name refers to: ``name[key] = value`` or ``name.method(...)``."""

    key: ast.expr | None
    value: ast.expr | None
    call: ast.Call | None
    at: Position
    arms: Arms


class Scope:
    """A module, class body or function, and the names that are bound in it."""

    def __init__(self, parent: Scope | None, is_class: bool = False) -> None:
        self.parent = parent
        self.is_class = is_class
        self.bindings: dict[str, list[Binding]] = {}
        self.changes: dict[str, list[Change]] = {}
        self.elsewhere: set[str] = set()
        """The names declared global or nonlocal."""

    def owner(self, name: str) -> Scope | None:
        """Return the scope that binds `name` as used here; None if the script does not bind it."""
        scope: Scope | None = self
        while scope is not None:
            visible = not scope.is_class or scope is self
            if visible and name in scope.bindings and name not in scope.elsewhere:
                return scope
            scope = scope.parent
        return None

    def bind(self, name: str, binding: Binding) -> None:
        """Record a binding. A name declared global or nonlocal is bound in the scope that it belongs to."""
        home = self
        if name in self.elsewhere:
            while home.parent is not None and (name not in home.bindings or name in home.elsewhere):
                home = home.parent
        home.bindings.setdefault(name, []).append(binding)


class Site(NamedTuple):
    """A node and its position."""

    node: ast.AST
    scope: Scope
    arms: Arms


class Store(NamedTuple):
    """An assignment to an attribute or an item: ``config.use_vllm = True``, ``os.environ["A"] = "1"``."""

    target: ast.Attribute | ast.Subscript
    value: ast.expr
    scope: Scope
    arms: Arms


class Outline(NamedTuple):
    """The names, calls, assignments, classes and imports of a script."""

    module: Scope
    calls: list[Site]
    """The calls for which `is_wanted` is true, in source order."""
    stores: list[Store]
    classes: list[Site]
    imports: list[ast.Import | ast.ImportFrom]


_METHODS = frozenset("update setdefault pop append extend insert remove clear popitem add".split())
#: Names and name suffixes of calls that can contain settings of the run.
WANTED = frozenset(
    "LLM EngineArgs AsyncEngineArgs patch add_argument set_defaults from_pretrained setdefault update putenv "
    "TrainingArguments GRPOTrainer".split()
)
WANTED_ENDINGS = ("Config", "Trainer", "Parser", "Arguments")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SKIPPED = frozenset(
    {ast.Load, ast.Store, ast.Del, ast.Constant, ast.Pass, ast.Break, ast.Continue}
    | {kind for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.operator | ast.cmpop)}
    | {ast.And, ast.Or, ast.Not, ast.Invert, ast.UAdd, ast.USub}
)


def callee(call: ast.Call) -> str:
    """Return the last part of the called name: ``GRPOConfig`` for ``trl.GRPOConfig(...)``; empty if it has no name."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def is_wanted(name: str, configurations: Container[str] = ()) -> bool:
    """Return whether a call of `name` can contain settings. `configurations` are such classes of the script."""
    return name in WANTED or name.endswith(WANTED_ENDINGS) or name in configurations


def outline(tree: ast.Module) -> Outline:
    """Build the outline of a script."""
    drawer = _Drawer(tree)
    drawer.draw()
    drawer.calls.sort(key=lambda site: _position(site.node))
    drawer.stores.sort(key=lambda store: _position(store.target))
    for scope in drawer.scopes:
        for bindings in scope.bindings.values():
            bindings.sort(key=lambda binding: binding.at)
        for changes in scope.changes.values():
            changes.sort(key=lambda change: change.at)
    return Outline(drawer.module, drawer.calls, drawer.stores, drawer.classes, drawer.imports)


def _position(node: ast.AST) -> Position:
    return (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))


def _is_guard(test: ast.expr) -> bool:
    """Return whether `test` is ``__name__ == "__main__"``."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and isinstance(test.ops[0], ast.Eq)
    )


class _Drawer:
    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope(None)
        self.scopes = [self.module]
        self.calls: list[Site] = []
        self.stores: list[Store] = []
        self.classes: list[Site] = []
        self.imports: list[ast.Import | ast.ImportFrom] = []
        self.own_names: dict[str, str] = {}
        """Imported names, by their alias in the script."""
        self.own_configurations: set[str] = set()
        """Classes of the script with a base class for which `is_wanted` is true."""
        self.branches = 0
        self.stack: list[tuple[ast.AST, Scope, Arms]] = [(tree, self.module, ())]
        self.visitors: dict[type[ast.AST], Callable[[Any, Scope, Arms], None]] = {
            ast.Assign: self._assign,
            ast.AnnAssign: self._annotated,
            ast.AugAssign: self._augmented,
            ast.NamedExpr: self._named,
            ast.Name: self._name,
            ast.Call: self._call,
            ast.FunctionDef: self._function,
            ast.AsyncFunctionDef: self._function,
            ast.Lambda: self._lambda,
            ast.ClassDef: self._class,
            ast.Import: self._import,
            ast.ImportFrom: self._import,
            ast.Global: self._elsewhere,
            ast.Nonlocal: self._elsewhere,
            ast.If: self._if,
            ast.For: self._loop,
            ast.AsyncFor: self._loop,
            ast.While: self._loop,
            ast.Try: self._try,
            ast.Match: self._match,
            ast.ExceptHandler: self._handler,
            ast.Delete: self._delete,
        }
        if hasattr(ast, "TryStar"):
            self.visitors[ast.TryStar] = self._try

    def draw(self) -> None:
        stack, visitors = self.stack, self.visitors
        while stack:
            node, scope, arms = stack.pop()
            visit = visitors.get(type(node))
            if visit is None:
                self._push(node, scope, arms)
            else:
                visit(node, scope, arms)

    def _push(self, node: ast.AST, scope: Scope, arms: Arms) -> None:
        for field in node._fields:
            child = getattr(node, field, None)
            if type(child) is list:
                self._push_all(child, scope, arms)
            elif isinstance(child, ast.AST) and type(child) not in _SKIPPED:
                self.stack.append((child, scope, arms))

    def _push_all(self, nodes: list[ast.AST] | list[ast.stmt] | list[ast.expr], scope: Scope, arms: Arms) -> None:
        for node in reversed(nodes):
            if isinstance(node, ast.AST) and type(node) not in _SKIPPED:
                self.stack.append((node, scope, arms))

    def _assign(self, node: ast.Assign, scope: Scope, arms: Arms) -> None:
        for target in node.targets:
            self._target(target, node.value, scope, arms)
        self.stack.append((node.value, scope, arms))

    def _annotated(self, node: ast.AnnAssign, scope: Scope, arms: Arms) -> None:
        if node.value is not None:
            self._target(node.target, node.value, scope, arms)
            self.stack.append((node.value, scope, arms))

    def _augmented(self, node: ast.AugAssign, scope: Scope, arms: Arms) -> None:
        if isinstance(node.target, ast.Name):
            scope.bind(node.target.id, Binding(None, _position(node), arms))
        self._push(node, scope, arms)

    def _named(self, node: ast.NamedExpr, scope: Scope, arms: Arms) -> None:
        self._target(node.target, node.value, scope, arms)
        self.stack.append((node.value, scope, arms))

    def _target(self, target: ast.expr, value: ast.expr, scope: Scope, arms: Arms) -> None:
        if isinstance(target, ast.Name):
            scope.bind(target.id, Binding(value, _position(target), arms))
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, value, scope, arms)
        elif isinstance(target, ast.Attribute | ast.Subscript):
            self.stores.append(Store(target, value, scope, arms))
            if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                change = Change(target.slice, value, None, _position(target), arms)
                scope.changes.setdefault(target.value.id, []).append(change)
        elif isinstance(target, ast.Starred):
            self._push(target, scope, arms)

    def _unpack(self, target: ast.Tuple | ast.List, value: ast.expr, scope: Scope, arms: Arms) -> None:
        parts = value.elts if isinstance(value, ast.Tuple | ast.List) else None
        fits = parts is not None and len(parts) == len(target.elts)
        fits = fits and not any(isinstance(item, ast.Starred) for item in [*target.elts, *(parts or [])])
        for index, item in enumerate(target.elts):
            if fits and parts is not None:
                self._target(item, parts[index], scope, arms)
            elif isinstance(item, ast.Name):
                scope.bind(item.id, Binding(value, _position(item), arms, unpacked=True))
            else:
                self.stack.append((item, scope, arms))

    def _name(self, node: ast.Name, scope: Scope, arms: Arms) -> None:
        if not isinstance(node.ctx, ast.Load):
            scope.bind(node.id, Binding(None, _position(node), arms))

    def _delete(self, node: ast.Delete, scope: Scope, arms: Arms) -> None:
        for target in node.targets:
            if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                change = Change(target.slice, None, None, _position(target), arms)
                scope.changes.setdefault(target.value.id, []).append(change)
        self._push(node, scope, arms)

    def _call(self, node: ast.Call, scope: Scope, arms: Arms) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in self.own_names:
            # Replace the alias with the original name. No other code uses this tree.
            node.func.id = self.own_names[node.func.id]
        name = callee(node)
        if is_wanted(name, self.own_configurations) or any(
            keyword.arg and keyword.arg.startswith("vllm_") for keyword in node.keywords
        ):
            self.calls.append(Site(node, scope, arms))
        function = node.func
        if name in _METHODS and isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            change = Change(None, None, node, _position(node), arms)
            scope.changes.setdefault(function.value.id, []).append(change)
        self._push(node, scope, arms)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope, arms: Arms) -> None:
        scope.bind(node.name, Binding(None, _position(node), arms))
        self._push_all(node.decorator_list, scope, arms)
        self._body(node.args, node.body, scope, arms)

    def _lambda(self, node: ast.Lambda, scope: Scope, arms: Arms) -> None:
        self._body(node.args, [node.body], scope, arms)

    def _body(self, arguments: ast.arguments, body: list[ast.stmt] | list[ast.expr], scope: Scope, arms: Arms) -> None:
        inner = Scope(scope)
        self.scopes.append(inner)
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            inner.bind(argument.arg, Binding(None, _position(argument), ()))
        for argument in filter(None, (arguments.vararg, arguments.kwarg)):
            inner.bind(argument.arg, Binding(None, _position(argument), ()))
        self._push_all([*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)], scope, arms)
        self._push_all(body, inner, ())

    def _class(self, node: ast.ClassDef, scope: Scope, arms: Arms) -> None:
        scope.bind(node.name, Binding(None, _position(node), arms))
        if any(is_wanted(ast.unparse(base).rpartition(".")[2], self.own_configurations) for base in node.bases):
            self.own_configurations.add(node.name)
        inner = Scope(scope, is_class=True)
        self.scopes.append(inner)
        self.classes.append(Site(node, inner, arms))
        self._push_all([*node.decorator_list, *node.bases], scope, arms)
        self._push_all(node.body, inner, ())

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope, arms: Arms) -> None:
        self.imports.append(node)
        for alias in node.names:
            if isinstance(node, ast.ImportFrom) and alias.asname:
                self.own_names[alias.asname] = alias.name
            scope.bind((alias.asname or alias.name).partition(".")[0], Binding(None, _position(node), arms))

    def _elsewhere(self, node: ast.Global | ast.Nonlocal, scope: Scope, arms: Arms) -> None:
        scope.elsewhere.update(node.names)

    def _if(self, node: ast.If, scope: Scope, arms: Arms) -> None:
        number = self._branch()
        # The body of `if __name__ == "__main__"` runs unconditionally when the script is started.
        inside = arms if _is_guard(node.test) else (*arms, (number, 0))
        self._push_all(node.orelse, scope, (*arms, (number, 1)))
        self._push_all(node.body, scope, inside)
        self.stack.append((node.test, scope, arms))

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, scope: Scope, arms: Arms) -> None:
        inside = (*arms, (self._branch(), INCLUSIVE))
        self._push_all(node.orelse, scope, inside)
        self._push_all(node.body, scope, inside)
        if not isinstance(node, ast.While):
            self.stack += [(node.iter, scope, arms), (node.target, scope, inside)]
        else:
            self.stack.append((node.test, scope, arms))

    def _try(self, node: ast.Try, scope: Scope, arms: Arms) -> None:
        number = self._branch()
        self._push_all(node.finalbody, scope, arms)
        for index, handler in enumerate(node.handlers):
            self.stack.append((handler, scope, (*arms, (number, INCLUSIVE + 1 + index))))
        self._push_all([*node.body, *node.orelse], scope, arms)

    def _match(self, node: ast.Match, scope: Scope, arms: Arms) -> None:
        number = self._branch()
        for index, case in enumerate(node.cases):
            inside = (*arms, (number, min(index, INCLUSIVE - 1)))
            for part in ast.walk(case.pattern):
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(name, str):
                    scope.bind(name, Binding(None, _position(part), inside))
            self._push_all(case.body, scope, inside)
        self.stack.append((node.subject, scope, arms))

    def _handler(self, node: ast.ExceptHandler, scope: Scope, arms: Arms) -> None:
        if node.name:
            scope.bind(node.name, Binding(None, _position(node), arms))
        self._push_all(node.body, scope, arms)

    def _branch(self) -> int:
        self.branches += 1
        return self.branches
