"""Whether a script calls `vcompat.patch()`, and for which patches."""

from __future__ import annotations

import ast
from typing import NamedTuple

from vcompat.patches import patch_ids
from vcompat.plan.constants import Constants


class PatchCall(NamedTuple):
    """The call of `vcompat.patch()` in a script."""

    ids: tuple[str, ...]
    """The patches that it arms; empty where its arguments are not constant."""
    line: int


def read_patch_call(tree: ast.Module, constants: Constants) -> PatchCall | None:
    """Find the first call of `vcompat.patch()` in `tree`, under whatever name it was imported."""
    names = _names_of_patch(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _dotted(node.func) in names:
            return PatchCall(_chosen(node, constants), node.lineno)
    return None


def _names_of_patch(tree: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {f"{alias.asname or alias.name}.patch" for alias in node.names if alias.name == "vcompat"}
        elif isinstance(node, ast.ImportFrom) and node.module == "vcompat":
            names |= {alias.asname or alias.name for alias in node.names if alias.name == "patch"}
    return names


def _dotted(node: ast.expr) -> str:
    """``vcompat.patch`` for that expression, ``patch`` for a plain name, empty for anything else."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _chosen(call: ast.Call, constants: Constants) -> tuple[str, ...]:
    arguments = dict(zip(("only", "skip", "strict"), call.args, strict=False))
    for name, node in constants.keywords(call):
        if name is None:
            return ()
        arguments[name] = node
    only = constants.value(arguments["only"]) if "only" in arguments else None
    skip = constants.value(arguments["skip"]) if "skip" in arguments else ()
    if not isinstance(only, list | tuple | set | str | None) or not isinstance(skip, list | tuple | set | str):
        return ()
    wanted = [only] if isinstance(only, str) else patch_ids() if only is None else list(only)
    skipped = [skip] if isinstance(skip, str) else list(skip)
    return tuple(patch_id for patch_id in wanted if patch_id not in skipped)
