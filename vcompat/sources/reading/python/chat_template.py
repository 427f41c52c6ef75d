"""States whether the script has a chat template applied with what transformers returns by default."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from vcompat.facts.facts import Facts, Place
from vcompat.sources.reading.python.values.abstract_run import Run

FACT = "plan.chat_template_ids"
_NAME = "apply_chat_template"


def chat_templates(facts: Facts, run: Run) -> None:
    """State ``plan.chat_template_ids`` if the script or a module that it imports has such a call."""
    for path, columns in run.sources.items():
        if _NAME.encode() not in columns.source:
            continue
        try:
            # The whole module: the interpreter parses functions only if they are called.
            tree = ast.parse(columns.source)
        except (SyntaxError, ValueError):
            facts.forget(FACT, f"{path} cannot be parsed", Place(path))
            return
        line = next(_returning_the_default(tree), None)
        if line is not None:
            place = run.position(path, line, 1)
            facts.set(FACT, True, str(place), place)
            return


def _returning_the_default(tree: ast.AST) -> Iterator[int]:
    """Yield the lines of calls that ask for token ids and leave it to transformers how they are returned."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == _NAME:
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            tokenize = given.get("tokenize")
            tokenizes = tokenize is None or (isinstance(tokenize, ast.Constant) and tokenize.value is True)
            is_plain = len(node.args) == 1 and not isinstance(node.args[0], ast.Starred)
            if is_plain and tokenizes and None not in given and "return_dict" not in given:
                yield node.lineno
