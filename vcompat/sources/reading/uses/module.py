"""What one module of a project uses: of packages, and of the project's other modules and functions."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from vcompat.facts.use import CHAIN, METHOD, OVERRIDE, Use
from vcompat.foundation.syntax.bindings import bound_by, imported
from vcompat.foundation.syntax.blocks import Function, Scope
from vcompat.foundation.syntax.terms import dotted, is_for_typing
from vcompat.sources.reading.uses.found import CONDITION, FUNCTION, PRESUMED, Imported, Within
from vcompat.sources.reading.uses.guards import Guard
from vcompat.sources.reading.uses.holding import nodes_of
from vcompat.sources.reading.uses.package_uses import Reader
from vcompat.sources.reading.uses.run_conditions import is_for_scripts, leaves, may_expect_failure

#: What ends a program, if its text has any of these.
ENDS = re.compile(rb"\b(?:raise|os\._exit|os\.exec\w*|exit|quit|SystemExit)\b")
_ENDING = frozenset({"exit", "quit", "_exit", "SystemExit"})
#: A function that tells whether a package can be imported, such as ``is_vllm_available()``.
_AVAILABLE = re.compile(r"(?:\w+\.)*_?is_(\w+?)_available\(\)")


class Import(NamedTuple):
    """An import of something else than a recorded package."""

    level: int
    module: str
    names: tuple[str, ...]
    """What ``from`` imports; empty for a plain import."""
    line: int
    within: tuple[Within, ...]


class Definition(NamedTuple):
    """A function or a method of the module."""

    owner: str
    """The name of its class; empty for a function."""
    is_overriding: bool
    """Whether a class that the module does not define may call it."""


class ModuleReader(Reader):
    """Reads one module of a project."""

    def __init__(self, tree: ast.Module, packages: frozenset[str], is_main: bool, may_end: bool) -> None:
        """`packages` are names that Python imports. With `may_end`, functions of the project may end the program."""
        super().__init__(packages)
        self.imports: list[Import] = []
        self.named: dict[tuple[Within, ...], set[str]] = {}
        """The names that the code of each function has, and that of the module, ``()``."""
        self.definitions: dict[Within, Definition] = {}
        self.stored: set[str] = set()
        """The names of packages that the module itself assigns, such as ``trl.trainer.utils.pad``."""
        self._is_main, self._may_end = is_main, may_end
        self._postpones = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body)
        self._handled = 0
        """The number of blocks around that handle exceptions."""
        self._classes: list[ast.ClassDef] = []
        self._own: set[str] = {node.name for node in ast.walk(tree) if isinstance(node, Scope)}
        self.find_instances(tree)
        self._leave_out_ambiguous(nodes_of(tree))
        self.visit(tree)

    def _leave_out_ambiguous(self, nodes: Sequence[ast.AST]) -> None:
        """Leave out variables that are also bound otherwise, and names that are imported from several places."""
        bound: Counter[str] = Counter()
        assigned: Counter[str] = Counter()
        origins: dict[str, set[tuple[object, ...]]] = {}
        for node in nodes:
            if isinstance(node, ast.arg | ast.Name):
                bound.update(bound_by(node))
            elif isinstance(node, ast.Assign):
                assigned.update(target.id for target in node.targets if isinstance(target, ast.Name))
            elif isinstance(node, ast.Import | ast.ImportFrom):
                for name in imported(node):
                    origins.setdefault(name.bound, set()).add((*name, getattr(node, "level", 0)))
        self._instances = {n: made for n, made in self._instances.items() if bound[n.split(".")[0]] == assigned[n]}
        several = {name for name, places in origins.items() if len(places) > 1}
        self._rebound = self._rebound | several

    # What is named

    @property
    def _functions(self) -> tuple[Within, ...]:
        return tuple(within for within in self._within if within.kind == FUNCTION)

    def _name(self, name: str) -> None:
        self.named.setdefault(self._functions, set()).add(name)

    def visit_Name(self, node: ast.Name) -> None:
        """Note a name."""
        if isinstance(node.ctx, ast.Load):
            self._name(node.id)

    def _skips(self, node: ast.AST) -> bool:
        return False

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Note a chain of attributes."""
        self._name(node.attr)
        chain = dotted(node)
        if not chain:
            self.visit(node.value)
            self._of_super(node)
            return
        first, _, rest = chain.partition(".")
        self._name(first)
        for part in rest.split("."):
            self._name(part)
        meaning = self._meaning(first)
        if meaning is not None and "__dict__" in rest.split("."):
            self.stored.add(f"{meaning.module}.{meaning.name}".rstrip("."))
        if meaning is None or any(part.startswith("__") for part in rest.split(".")):
            return
        name = f"{meaning.name}.{rest}".lstrip(".")
        if isinstance(node.ctx, ast.Load):
            self._use(node, Use(CHAIN, meaning.module, name), meaning.guards)
        else:
            self.stored.add(f"{meaning.module}.{name}")

    def _of_super(self, node: ast.Attribute) -> None:
        """Note a method that ``super()`` has, in a class with one base."""
        base = self._classes[-1].bases[0] if self._classes and len(self._classes[-1].bases) == 1 else None
        call = node.value
        is_super = isinstance(call, ast.Call) and not call.args and dotted(call.func) == "super"
        meaning = self._meaning(base.id) if is_super and isinstance(base, ast.Name) else None
        if meaning is not None and meaning.name and not node.attr.startswith("__"):
            self._use(node, Use(METHOD, meaning.module, f"{meaning.name}.{node.attr}"), meaning.guards)

    def visit_Call(self, node: ast.Call) -> None:
        """Note the arguments of what a chain of attributes calls, and what ``setattr`` sets."""
        super().visit_Call(node)
        chain = dotted(node.func) if isinstance(node.func, ast.Attribute) else ""
        first, _, rest = chain.partition(".")
        meaning = self._meaning(first) if rest else None
        if meaning is not None:
            self._arguments(node, Imported(meaning.module, f"{meaning.name}.{rest}".lstrip("."), meaning.guards))
        if dotted(node.func) in ("setattr", "vars") and node.args:
            first, _, rest = dotted(node.args[0]).partition(".")
            owner = self._meaning(first)
            name = node.args[1].value if len(node.args) > 1 and isinstance(node.args[1], ast.Constant) else ""
            if owner is not None:
                # Without a name that is known, it may be any.
                self.stored.add(".".join(filter(None, (owner.module, owner.name, rest, str(name)))))

    # What runs

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Visit a class."""
        self._classes.append(node)
        super().visit_ClassDef(node)
        self._classes.pop()

    def _function(self, node: Function) -> None:
        owner = self._classes[-1] if self._classes and node in self._classes[-1].body else None
        bases = [dotted(base) for base in owner.bases] if owner else []
        overrides = any(base not in self._own for base in bases)
        self.definitions[Within(FUNCTION, node.name, node.lineno)] = Definition(owner.name if owner else "", overrides)
        self._overridden(node, owner)
        classes, self._classes = self._classes, self._classes if owner else []
        super()._function(node)
        self._classes = classes

    def _overridden(self, node: Function, owner: ast.ClassDef | None) -> None:
        """Note a method that a class with one base may have from it."""
        base = owner.bases[0] if owner is not None and len(owner.bases) == 1 else None
        meaning = self._meaning(base.id) if isinstance(base, ast.Name) else None
        if meaning is not None and meaning.name and not node.name.startswith("__"):
            self._use(node, Use(OVERRIDE, meaning.module, f"{meaning.name}.{node.name}"), meaning.guards)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Visit a function without a name, which presumably runs."""
        self.visit(node.args)
        self._expression(node.body, Within(PRESUMED, "the lambda runs", node.lineno))

    def visit_Try(self, node: ast.Try) -> None:
        """Visit a block, of which the rest may be left out once something was called."""
        kept = len(self._within)
        if any(map(may_expect_failure, node.handlers)):
            self._within.append(Within(CONDITION, "no handler here expects its error", node.lineno))
        if any(self._may_leave(statement) for statement in node.finalbody):
            # What the last block raises, or ends, replaces the exception.
            self._within.append(Within(PRESUMED, "the last block does not end the program", node.lineno))
        self._handled += bool(node.handlers)
        super().visit_Try(node)
        self._handled -= bool(node.handlers)
        del self._within[kept:]

    def visit_With(self, node: ast.With) -> None:
        """Visit a block whose context may pass over exceptions."""
        names = [dotted(item.context_expr.func) for item in node.items if isinstance(item.context_expr, ast.Call)]
        kept = len(self._within)
        if any(name != "open" and not self._is_of_package(name) for name in names):
            self._within.append(Within(CONDITION, f"{names[0]}() raises what the block raises", node.lineno))
        super().visit_With(node)
        del self._within[kept:]

    def _is_of_package(self, name: str) -> bool:
        return self._meaning(name.partition(".")[0]) is not None

    def visit_Assert(self, node: ast.Assert) -> None:
        """Visit an assertion; its message is only made if it fails."""
        self.visit(node.test)
        if node.msg is not None:
            self._expression(node.msg, Within(CONDITION, "the assertion fails", node.lineno))

    def visit_Compare(self, node: ast.Compare) -> None:
        """Visit a comparison, of which only the first one surely happens."""
        for operand in (node.left, node.comparators[0]):
            self.visit(operand)
        for operand in node.comparators[1:]:
            self._expression(operand, Within(PRESUMED, "the comparison goes on", node.lineno))

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        """Visit a comprehension; only what it first goes through is surely evaluated."""
        first, *others = node.generators
        self.visit(first.iter)
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        inner = [first.target, *first.ifs, *(part for one in others for part in (one.iter, one.target, *one.ifs))]
        for each in (*inner, *results):
            self._expression(each, Within(PRESUMED, "the loop runs", node.lineno))

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _annotation(self, node: ast.expr | None) -> None:
        """Visit an annotation, which Python 3.14 evaluates only when asked, and others not after a future import."""
        if node is not None and not self._postpones:
            self._expression(node, Within(PRESUMED, "the annotation is evaluated", node.lineno))

    def visit_arg(self, node: ast.arg) -> None:
        """Visit a parameter."""
        self._annotation(node.annotation)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Visit an assignment with an annotation."""
        self.visit(node.target)
        self._annotation(node.annotation)
        if node.value is not None:
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        """Visit the branches that run in a script, or in a module that is imported."""
        constant = node.test.value if isinstance(node.test, ast.Constant) else None
        if is_for_typing(node.test):
            self._block(node.orelse, [])
        elif is_for_scripts(node.test) and ast.unparse(node.test) == "__name__ == '__main__'":
            self._block(node.body if self._is_main else node.orelse, [])
        elif constant is not None:
            self._block(node.body if constant else node.orelse, [])
        else:
            super().visit_If(node)

    def _branch(self, test: ast.expr, guards: Sequence[Guard], is_true: bool) -> Sequence[Within]:
        available = _AVAILABLE.fullmatch(ast.unparse(test))
        if available and is_true and available[1] in self._others:
            return (Within(PRESUMED, f"{ast.unparse(test)} is true", test.lineno),)
        return super()._branch(test, guards, is_true)

    def _block(self, body: Sequence[ast.stmt], guards: Sequence[Guard], *within: Within) -> None:
        end = next((number for number, statement in enumerate(body, 1) if _ends(statement)), len(body))
        super()._block(body[:end], guards, *within)

    def _after(self, statement: ast.stmt) -> None:
        known = len(self._guards)
        super()._after(statement)
        if len(self._guards) == known and self._may_leave(statement):
            self._within.append(Within(PRESUMED, "the program goes on", statement.lineno))

    def _may_leave(self, statement: ast.stmt) -> bool:
        """Whether the rest of a block might not run after a statement."""
        if isinstance(statement, ast.ClassDef):
            return any(self._may_leave(inner) for inner in statement.body)
        if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
            # It may bind names again that were imported before.
            return True
        if isinstance(statement, Scope | ast.Import | ast.ImportFrom):
            return False
        for node in ast.walk(statement):
            if isinstance(node, ast.Return | ast.Raise | ast.Break | ast.Continue) or _is_ending(node):
                return True
            if isinstance(node, ast.Call) and (self._handled or (self._may_end and self._is_own(dotted(node.func)))):
                return True
        return False

    def _is_own(self, function: str) -> bool:
        """Whether a function is one of the project: of this module, or imported from another one."""
        first = function.partition(".")[0]
        return first in self._own or any(first in one.names or first == one.module for one in self.imports)

    def visit_Import(self, node: ast.Import) -> None:
        """Note imports of the project's modules, too."""
        super().visit_Import(node)
        for alias in node.names:
            if not self._is_other(alias.name):
                self.imports.append(Import(0, alias.name, (), node.lineno, tuple(self._within)))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Note imports of the project's modules, too."""
        super().visit_ImportFrom(node)
        if node.level or not self._is_other(node.module or ""):
            names = tuple(alias.name for alias in node.names)
            self.imports.append(Import(node.level, node.module or "", names, node.lineno, tuple(self._within)))


def _is_ending(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] in _ENDING


def _ends(statement: ast.stmt) -> bool:
    """Whether nothing after a statement runs."""
    return leaves([statement]) or (isinstance(statement, ast.Expr) and _is_ending(statement.value))
