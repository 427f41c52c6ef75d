"""What one package's source uses of others: names it imports, arguments it passes, methods and attributes of objects.

Only uses that certainly run are listed. Code in a ``try`` that expects an error is left out. A use behind a comparison
with the other package's version has that comparison as its guard.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from vcompat.facts.use import ARGUMENT, ATTRIBUTE, IMPORT, METHOD, REPLACED, Use
from vcompat.foundation.syntax.bindings import imported
from vcompat.foundation.syntax.blocks import Function, Scope, parsed
from vcompat.foundation.syntax.terms import called, dotted, is_for_typing, is_none, text_of
from vcompat.sources.reading.uses.found import CONDITION, FUNCTION, PRESUMED, Found, Imported, Key, Within
from vcompat.sources.reading.uses.guards import Guard, guards_in, otherwise
from vcompat.sources.reading.uses.holding import (
    Holding,
    held_by_class,
    held_by_function,
    holding_lines,
    nodes_of,
    rebound_names,
)
from vcompat.sources.reading.uses.run_conditions import (
    asks_what_is_there,
    expects_failure,
    is_for_scripts,
    leaves,
    names_expected,
)


def uses_in(source: str, others: str | Collection[str]) -> Iterator[tuple[Use, int]]:
    """Yield the uses of the packages `others` in a module's source, with their lines; none if it does not parse."""
    others = frozenset([others] if isinstance(others, str) else others)
    lines = _import_lines(others).findall(source)
    if not lines and not any(f"patch({quote}{other}." in source for other in others for quote in "\"'"):
        return
    if lines and "patch(" not in source and all(_PLAIN.fullmatch(line) for line in lines):
        yield from ((Use(IMPORT, "torch", ""), source[: found.start()].count("\n") + 1) for found in _first(source))
        return
    tree = parsed(source)
    if tree is not None:
        reader = Reader(others)
        reader.find_instances(tree)
        reader.visit(tree)
        yield from ((found.use, found.line) for found in reader.found)


@cache
def _import_lines(others: frozenset[str]) -> re.Pattern[str]:
    names = "|".join(sorted(others))
    return re.compile(rf"(?:^|;)[ \t]*((?:from|import)[ \t]+(?:[\w., ]*,[ \t]*)?(?:{names})\b[^\n]*)", re.MULTILINE)


#: Imports that every release of torch supports, and of which nothing else follows: most modules have no other ones.
_PLAIN = re.compile(
    r"(?:import torch(?:\.nn|\.nn\.functional|\.utils\.checkpoint|\.distributed)?(?: as \w+)?"
    r"|from torch import (?:nn|Tensor|nn, Tensor|Tensor, nn))\s*(?:#.*)?"
)


def _first(source: str) -> Iterator[re.Match[str]]:
    """The first import of torch."""
    found = re.search(r"^[ \t]*(?:from|import)[ \t]+torch\b", source, re.MULTILINE)
    if found:
        yield found


#: Nodes without anything of interest in them.
_LEAVES = (ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.cmpop, ast.arg)


class Reader(ast.NodeVisitor):
    """Visits a module in source order."""

    def __init__(self, others: frozenset[str]) -> None:
        self.found: list[Found] = []
        self._within: list[Within] = []
        self._others = others
        self._imported: dict[str, Imported] = {}
        self._instances: dict[str, str] = {}
        self._rebound: frozenset[str] = frozenset()
        self._flags: dict[str, list[Guard]] = {}
        self._guards: list[Guard] = []
        self._keys: dict[str, list[Key]] = {}
        self._held: list[dict[str, Holding]] = []
        self._holding_lines: list[int] = []
        self._called: set[int] = set()
        self._is_deep = True
        """Whether something is used in expressions."""

    def find_instances(self, tree: ast.Module) -> None:
        """Find variables that are only ever assigned the result of calling one name, anywhere in the module."""
        nodes = nodes_of(tree)
        self._rebound = rebound_names(nodes, self._others)
        from_imports = (node for node in nodes if isinstance(node, ast.ImportFrom) and self._is_from_other(node))
        names = {name.bound for node in from_imports for name in imported(node)} - self._rebound
        self._instances = _made_by(nodes, names)
        self._holding_lines = holding_lines(nodes, names)
        calls = (called(node) for node in nodes if isinstance(node, ast.Call))
        self._is_deep = bool(self._holding_lines) or not {"patch", *names}.isdisjoint(calls)

    def generic_visit(self, node: ast.AST) -> None:
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                self._block(value, [])
                continue
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, ast.AST) and not self._skips(item):
                    self.visit(item)

    def _skips(self, node: ast.AST) -> bool:
        """Whether nothing of interest is in a node."""
        return isinstance(node, _LEAVES if self._is_deep else ast.expr)

    def _block(self, body: Sequence[ast.stmt], guards: Sequence[Guard], *within: Within) -> None:
        """Visit statements that run where `guards` hold. After ``if ...: return``, the opposite holds."""
        kept = len(self._guards), len(self._within)
        self._guards.extend(guards)
        self._within.extend(within)
        for statement in body:
            self.visit(statement)
            self._after(statement)
        del self._guards[kept[0] :], self._within[kept[1] :]

    def _after(self, statement: ast.stmt) -> None:
        """Note what holds for the rest of a block."""
        if isinstance(statement, ast.If) and not statement.orelse and leaves(statement.body):
            self._guards.extend(otherwise(statement.test, self._others, self._flags))

    def _expression(self, node: ast.expr, *within: Within) -> None:
        """Visit an expression that runs in something."""
        kept = len(self._within)
        self._within.extend(within)
        self.visit(node)
        del self._within[kept:]

    def _unlisted(self, body: Sequence[ast.stmt], line: int) -> None:
        """Visit statements for the names imported there, which other code may use; drop the uses inside."""
        kept = len(self.found)
        self._block(body, [], Within(CONDITION, "it can be imported", line))
        del self.found[kept:]

    def _branch(self, test: ast.expr, guards: Sequence[Guard], is_true: bool) -> Sequence[Within]:
        """What a branch is in that runs where `guards` hold, which is all that is known of the condition `test`."""
        plain = test.operand if isinstance(test, ast.UnaryOp) else test
        if guards and not isinstance(plain, ast.BoolOp):
            return ()
        text = ast.unparse(test)
        return (Within(CONDITION, text if is_true else f"not ({text})", test.lineno),)

    def _use(self, node: ast.AST, use: Use, guards: Sequence[Guard] = ()) -> None:
        package = use.module.partition(".")[0]
        ranges = dict.fromkeys(guard.range for guard in (*self._guards, *guards) if guard.package == package)
        where = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        self.found.append(Found(use._replace(guards=tuple(ranges)), *where, tuple(self._within)))

    def _is_other(self, module: str) -> bool:
        return module.partition(".")[0] in self._others

    def _is_from_other(self, node: ast.ImportFrom) -> bool:
        return not node.level and self._is_other(node.module or "")

    def visit_Import(self, node: ast.Import) -> None:
        for alias, name in zip(node.names, imported(node), strict=True):
            if self._is_other(name.module):
                self._imported[name.bound] = Imported(name.module, "", ())
                self._use(node, Use(IMPORT, alias.name, ""))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for bound, module, name in imported(node) if self._is_from_other(node) else ():
            if name != "*":
                self._imported[bound] = Imported(module, name, tuple(self._guards))
                self._use(node, Use(IMPORT, module, name))

    def visit_Try(self, node: ast.Try) -> None:
        if any(expects_failure(handler) for handler in node.handlers):
            self._unlisted(node.body, node.lineno)
        else:
            self._block(node.body, [])
        for handler in node.handlers:
            self._block(handler.body, [], Within(CONDITION, "an exception is raised", handler.lineno))
        self._block(node.orelse, [], *self._presumed("no exception is raised", node)[: len(node.handlers)])
        self._block(node.finalbody, [])

    def visit_TryStar(self, node: ast.Try) -> None:
        self.visit_Try(node)

    def visit_With(self, node: ast.With) -> None:
        entered = [item.context_expr for item in node.items]
        for context in entered:
            self.visit(context)
        texts = [ast.unparse(context) for context in entered if isinstance(context, ast.Call)]
        expected = any(text.partition("(")[0].endswith("suppress") and names_expected(text) for text in texts)
        self._unlisted(node.body, node.lineno) if expected else self._block(node.body, [])

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        if is_for_typing(node.test) or is_for_scripts(node.test):
            pass
        elif asks_what_is_there(node.test):
            self._unlisted(node.body, node.lineno)
        else:
            guards = guards_in(node.test, self._others, self._flags)
            self._block(node.body, guards, *self._branch(node.test, guards, True))
        guards = otherwise(node.test, self._others, self._flags)
        self._block(node.orelse, guards, *self._branch(node.test, guards, False))

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.visit(node.test)
        kept, before = len(self._guards), len(self.found)
        guards = guards_in(node.test, self._others, self._flags)
        self._guards.extend(guards)
        self._expression(node.body, *self._branch(node.test, guards, True))
        del self._guards[kept:]
        if asks_what_is_there(node.test):
            del self.found[before:]
        guards = otherwise(node.test, self._others, self._flags)
        self._guards.extend(guards)
        self._expression(node.orelse, *self._branch(node.test, guards, False))
        del self._guards[kept:]

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        first, *others = node.values
        self.visit(first)
        for other in others:
            self._expression(other, *self._branch(first, (), isinstance(node.op, ast.And)))

    def visit_Match(self, node: ast.Match) -> None:
        self.visit(node.subject)
        for case in node.cases:
            self._block(case.body, [], Within(CONDITION, f"it is {ast.unparse(case.pattern)}", case.pattern.lineno))

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        self.visit(node.test if isinstance(node, ast.While) else node.iter)
        self._block(node.body, [], *self._presumed("the loop runs", node))
        self._block(node.orelse, [], *self._presumed("the loop ends", node))

    visit_For = visit_AsyncFor = visit_While = _loop

    @staticmethod
    def _presumed(text: str, node: ast.stmt) -> Sequence[Within]:
        return (Within(PRESUMED, text, node.lineno),)

    def _function(self, node: Function) -> None:
        for each in (*node.decorator_list, node.args):
            self.visit(each)
        self._annotation(node.returns)
        self._held.append(held_by_function(node, self._names()) if self._begins_holding(node) else {})
        self._block(node.body, [], Within(FUNCTION, node.name, node.lineno))
        self._held.pop()

    def _annotation(self, node: ast.expr | None) -> None:
        if node is not None:
            self.visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._held.append(held_by_class(node, self._names()) if self._begins_holding(node) else {})
        self.generic_visit(node)
        self._held.pop()

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        guards = tuple(self._guards)
        implied = guards_in(node.value, self._others, self._flags)
        within = tuple(self._within)
        for target in node.targets:
            if isinstance(target, ast.Name) and implied:
                self._flags[target.id] = implied
            elif isinstance(target, ast.Name) and isinstance(node.value, ast.Dict):
                keys = filter(None, map(text_of, node.value.keys))
                self._keys[target.id] = [Key(key, guards, within) for key in keys]
            elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                key = text_of(target.slice)
                if key:
                    self._keys.setdefault(target.value.id, []).append(Key(key, guards, within))

    def visit_Call(self, node: ast.Call) -> None:
        callee = node.func
        made_by = self._instances.get(dotted(callee.value), "") if isinstance(callee, ast.Attribute) else ""
        if self._meaning(made_by):
            self._called.add(id(callee))
        self.generic_visit(node)
        function = self._meaning(callee.id) if isinstance(callee, ast.Name) else None
        owner = self._meaning(made_by)
        if function:
            self._arguments(node, function)
        elif isinstance(callee, ast.Attribute) and owner:
            method = owner._replace(name=f"{owner.name}.{callee.attr}")
            self._use(node, Use(METHOD, method.module, method.name), method.guards)
            self._arguments(node, method)
        self._replaced(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and id(node) not in self._called and any(self._held):
            variable = dotted(node.value)
            held = next((names[variable] for names in reversed(self._held) if variable in names), None)
            owner = self._imported[held.name] if held else None
            if held and owner and owner.name and not node.attr.startswith("__") and node.attr not in held.asked:
                self._use(node, Use(ATTRIBUTE, owner.module, f"{owner.name}{held.path}.{node.attr}"), owner.guards)

    def _begins_holding(self, node: Scope) -> bool:
        end = node.end_lineno or node.lineno
        return any(node.lineno <= line <= end for line in self._holding_lines)

    def _names(self) -> frozenset[str]:
        return frozenset(name for name, found in self._imported.items() if found.name and name not in self._rebound)

    def _meaning(self, name: str) -> Imported | None:
        """What a name with only one meaning in the module was imported as."""
        return self._imported.get(name) if name not in self._rebound else None

    def _arguments(self, node: ast.Call, called: Imported) -> None:
        """Add the keywords of a call. The guards of the import hold for the call too."""
        for keyword in node.keywords:
            if keyword.arg:
                self._use(keyword.value, Use(ARGUMENT, called.module, called.name, keyword.arg), called.guards)
            elif isinstance(keyword.value, ast.Name):
                for key in self._keys.get(keyword.value.id, []):
                    use = Use(ARGUMENT, called.module, called.name, key.text)
                    kept = len(self._within)
                    self._within.extend(one for one in key.within if one not in self._within)
                    self._use(keyword.value, use, called.guards + key.guards)
                    del self._within[kept:]

    def _replaced(self, node: ast.Call) -> None:
        """Add a mock: ``patch("vllm.worker.worker.Worker.method")`` looks up the whole path."""
        path = text_of(node.args[0]) if node.args else None
        if path and self._is_other(path) and called(node) == "patch":
            self._use(node, Use(REPLACED, *_split_at_class(path)))


def _made_by(nodes: Sequence[ast.AST], names: Collection[str]) -> dict[str, str]:
    """The variables that are assigned what one call returns, or None; with what is called if it is one of `names`."""
    makers: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and not is_none(node.value):
            maker = dotted(node.value.func) if isinstance(node.value, ast.Call) else ""
            for target in map(dotted, node.targets):
                makers.setdefault(target, set()).add(maker if maker in names else "")
    return {name: made.pop() for name, made in makers.items() if name and len(made) == 1}


def _split_at_class(path: str) -> tuple[str, str]:
    """Split a dotted path into module and name; the name begins at the first capitalized part."""
    parts = path.split(".")
    end = next((index for index, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
    return ".".join(parts[:end]), ".".join(parts[end:])
