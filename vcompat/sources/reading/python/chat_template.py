"""States whether the script has a chat template applied with what transformers returns by default."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from vcompat.facts.facts import Facts, Place
from vcompat.facts.presumption import REACHED, Presumption
from vcompat.sources.reading.python.interpreter import Interpreter
from vcompat.sources.reading.python.running.expressions import TEMPLATE
from vcompat.sources.reading.python.values.values import ClassValue, Function

FACT = "plan.chat_template_ids"
_Code = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
_Line = tuple[str, int]


def chat_templates(facts: Facts, run: Interpreter) -> None:
    """State ``plan.chat_template_ids`` if the script or a module that it imports has such a call, and reaches it."""
    perhaps: list[Place] = []
    for path, columns in run.sources.items():
        if TEMPLATE.encode() not in columns.source:
            continue
        try:
            # The whole module: the interpreter parses functions only if they are called.
            tree = ast.parse(columns.source)
        except (SyntaxError, ValueError):
            facts.forget(FACT, f"{path} cannot be parsed", Place(path))
            return
        for line, above in _returning_the_default(tree):
            place = run.position(path, line, 1)
            made = [e for e in run.events if e.kind == "template" and e.place[:2] == place[:2]]
            if any(not event.uncertain for event in made):
                facts.set(FACT, True, str(place), place)
                return
            if made or run.given_up or run.failed or _may_run(run, path, above):
                perhaps.append(place)
    if perhaps and run.presuming:
        presumes = (Presumption(REACHED, f"{TEMPLATE}() is called", perhaps[0]),)
        facts.set(FACT, True, str(perhaps[0]), perhaps[0], presumes)
    elif perhaps:
        facts.forget(FACT, f"{perhaps[0]} may not run", perhaps[0])


def _may_run(run: Interpreter, path: str, above: tuple[_Code, ...]) -> bool:
    """Return whether code may run that did not: something unknown may call the innermost of the functions around it."""
    called = {(run.named.get(node, ""), getattr(node, "lineno", 0)) for node in run.called}
    reached, outer = _reached(run), "called"
    for code in above:
        line = (path, code.lineno)
        if outer == "called" and not isinstance(code, ast.Lambda) and line not in reached:
            return False
        outer = "called" if line in called and not isinstance(code, ast.ClassDef) else "reached"
    return outer == "reached"


def _reached(run: Interpreter) -> set[_Line]:
    """Return the lines of the functions and classes that code names which runs, or may run."""
    by_name: dict[str, list[tuple[ast.AST, str]]] = {}
    for frame in (run.module, *filter(None, run.modules.values())):
        for name, held in frame.cells.items():
            if isinstance(held.value, Function | ClassValue):
                by_name.setdefault(str(name), []).append((held.value.node, held.value.frame.path))
    reached = dict(run.named)
    pending = [node for node in reached if node not in run.called]
    for node in pending:
        for name in _identifiers(node):
            for other, path in by_name.pop(name, ()):
                if other not in reached:
                    reached[other] = path
                    pending.append(other)
    return {(path, getattr(node, "lineno", 0)) for node, path in reached.items()}


def _identifiers(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name | ast.Attribute):
            yield part.id if isinstance(part, ast.Name) else part.attr


def _returning_the_default(tree: ast.AST) -> Iterator[tuple[int, tuple[_Code, ...]]]:
    """Yield the calls that ask for token ids and leave it to transformers how they are returned.

    Each by its line, with the functions and classes around it, the outermost one first.
    """
    pending: list[tuple[ast.AST, tuple[_Code, ...]]] = [(tree, ())]
    while pending:
        node, above = pending.pop()
        if isinstance(node, ast.Call) and _is_default(node):
            yield node.lineno, above
        inside = (*above, node) if isinstance(node, _Code) else above
        pending += [(part, inside) for part in reversed(list(ast.iter_child_nodes(node)))]


def _is_default(node: ast.Call) -> bool:
    if not isinstance(node.func, ast.Attribute) or node.func.attr != TEMPLATE:
        return False
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    tokenize = given.get("tokenize")
    tokenizes = tokenize is None or (isinstance(tokenize, ast.Constant) and tokenize.value is True)
    is_plain = len(node.args) == 1 and not isinstance(node.args[0], ast.Starred)
    return is_plain and tokenizes and None not in given and "return_dict" not in given
