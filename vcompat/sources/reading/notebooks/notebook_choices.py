"""Texts that a notebook chooses between by one condition, such as the release of vLLM that fits the GPU at hand.

For its commands, as ``pip install {_vllm}``, each side of the condition is a notebook of its own.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from vcompat.foundation.syntax.blocks import parsed
from vcompat.sources.reading.notebooks import ipython
from vcompat.sources.reading.notebooks.notebook_file import read_cells
from vcompat.sources.reading.notebooks.notebook_values import bound_by


class Choice(NamedTuple):
    """A condition, and what variables are if it holds, and if not."""

    condition: str
    """As the code writes it."""
    searched: str
    """The text that it searches in what ``nvidia-smi`` prints; empty if it asks something else."""
    then: Mapping[str, str]
    otherwise: Mapping[str, str]

    def holds(self, gpus: tuple[str, ...]) -> bool | None:
        """Return whether the condition holds on `gpus`, by their names; None if that is not known."""
        return any(self.searched in name for name in gpus) if self.searched and gpus else None


def choice_of(path: str) -> Choice | None:
    """Return the condition on which the notebook at `path` chooses texts; None if there is none.

    Of several it is the one that asks for the GPU; the variables of others stay unknown, as those that are bound more
    than once. Raises InputError if the file is not a notebook in Python.
    """
    trees = (parsed("\n".join(ipython.rewrite(cell.lines).lines)) for cell in read_cells(path))
    nodes = list(chain.from_iterable(map(ast.walk, filter(None, trees))))
    counts = Counter(chain.from_iterable(map(bound_by, nodes)))
    chosen = [each for each in chain.from_iterable(map(_chosen, nodes)) if counts[each.name] == 1]
    searched = {each.condition: _searched(each.condition, nodes) for each in chosen}
    condition = max(searched, key=lambda each: bool(searched[each]), default="")
    if not condition:
        return None
    ours = [each for each in chosen if each.condition == condition]
    return Choice(
        condition,
        searched[condition],
        {each.name: each.then for each in ours},
        {each.name: each.otherwise for each in ours},
    )


class _Chosen(NamedTuple):
    name: str
    condition: str
    then: str
    otherwise: str


def _chosen(node: ast.AST) -> Iterator[_Chosen]:
    """Yield what ``X = "a" if C else "b"`` and ``X, Y = ("a", "b") if C else ("c", "d")`` choose."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.value, ast.IfExp):
        return
    target, value = node.targets[0], node.value
    sides = [_elements(each) for each in (target, value.body, value.orelse)]
    if len({len(side) for side in sides}) != 1:
        return
    for name, then, otherwise in zip(*sides, strict=True):
        if isinstance(name, ast.Name) and isinstance(then, ast.Constant) and isinstance(otherwise, ast.Constant):
            yield _Chosen(name.id, ast.unparse(value.test), str(then.value), str(otherwise.value))


def _elements(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _searched(condition: str, nodes: list[ast.AST]) -> str:
    """Return the text that a condition, or the variable that it is, searches in the output of ``nvidia-smi``.

    A variable may also be False: where ``nvidia-smi`` fails there is no GPU.
    """
    values = [ast.parse(condition, mode="eval").body]
    if isinstance(values[0], ast.Name):
        values = [node.value for node in nodes if isinstance(node, ast.Assign) and condition in _names(node)]
        if len(values) != sum(condition in bound_by(node) for node in nodes):
            return ""
    texts = {_text_in_output(value) for value in values if not _is_false(value)}
    return texts.pop() if len(texts) == 1 else ""


def _names(node: ast.Assign) -> list[str]:
    return [target.id for target in node.targets if isinstance(target, ast.Name)]


def _is_false(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is False


def _text_in_output(value: ast.expr) -> str:
    """Return ``text`` of ``"text" in ...(["nvidia-smi"])``; empty for another expression."""
    if not isinstance(value, ast.Compare) or not isinstance(value.ops[0], ast.In) or len(value.ops) != 1:
        return ""
    asked = [node.value for node in ast.walk(value.comparators[0]) if isinstance(node, ast.Constant)]
    text = value.left.value if isinstance(value.left, ast.Constant) else None
    # With options, it prints other things than the names of GPUs.
    return text if isinstance(text, str) and asked == ["nvidia-smi"] else ""
