"""States whether the script has a chat template applied with what transformers returns by default."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from vcompat.facts.facts import Facts, Place

FACT = "plan.chat_template_ids"
_NAME = "apply_chat_template"


def chat_templates(facts: Facts, sources: Mapping[str, bytes]) -> None:
    """State ``plan.chat_template_ids`` if the script or a module that it imports, by path, has such a call."""
    for path, source in sources.items():
        if _NAME.encode() not in source:
            continue
        try:
            # The whole module: the interpreter parses functions only if they are called.
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            facts.forget(FACT, f"{path} cannot be parsed", Place(path))
            return
        place = next(_returning_the_default(path, tree), None)
        if place is not None:
            facts.set(FACT, True, str(place), place)
            return


def _returning_the_default(path: str, tree: ast.AST) -> Iterator[Place]:
    """Yield the places of calls that ask for token ids and leave it to transformers how they are returned."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == _NAME:
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            tokenize = given.get("tokenize")
            tokenizes = tokenize is None or (isinstance(tokenize, ast.Constant) and tokenize.value is True)
            is_plain = len(node.args) == 1 and not isinstance(node.args[0], ast.Starred)
            if is_plain and tokenizes and None not in given and "return_dict" not in given:
                yield Place(path, node.lineno, 1)
