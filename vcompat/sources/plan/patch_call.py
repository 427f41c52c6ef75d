"""Finds the call of `vcompat.patch()` in a script, and the patches that it applies."""

from __future__ import annotations

import ast
from typing import NamedTuple

from vcompat.patches import patch_ids
from vcompat.sources.plan.arguments import use_of
from vcompat.sources.plan.evaluator import Evaluator
from vcompat.sources.plan.outline import Outline, Site


class PatchCall(NamedTuple):
    """The call of `vcompat.patch()` in a script."""

    ids: tuple[str, ...]
    """The patches that it applies; empty if its arguments are not constant."""
    line: int


def read_patch_call(outline: Outline, evaluator: Evaluator) -> PatchCall | None:
    """Find the first call of `vcompat.patch()`, also if it is imported under another name."""
    names = _names_of_patch(outline)
    for site in outline.calls:
        if isinstance(site.node, ast.Call) and _dotted(site.node.func) in names:
            return PatchCall(_chosen(site, site.node, evaluator), site.node.lineno)
    return None


def _names_of_patch(outline: Outline) -> set[str]:
    names = set()
    for node in outline.imports:
        if isinstance(node, ast.Import):
            names |= {f"{alias.asname or alias.name}.patch" for alias in node.names if alias.name == "vcompat"}
        elif node.module == "vcompat":
            names |= {alias.name for alias in node.names if alias.name == "patch"}
    return names


def _dotted(node: ast.expr) -> str:
    """Return the dotted name of an attribute or the name of a variable; empty for any other expression."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _chosen(site: Site, call: ast.Call, evaluator: Evaluator) -> tuple[str, ...]:
    use = use_of(site)
    arguments = {name: evaluator.value(node, use) for name, node in zip(("only", "skip"), call.args, strict=False)}
    for entry in evaluator.entries(call, use):
        if entry.name is None:
            return ()
        arguments[entry.name] = evaluator.value(entry.node, entry.use)
    if not all(arguments[name].is_constant for name in ("only", "skip") if name in arguments):
        return ()
    only = arguments["only"].candidates[0] if "only" in arguments else None
    skip = arguments["skip"].candidates[0] if "skip" in arguments else ()
    if not isinstance(only, list | tuple | str | None) or not isinstance(skip, list | tuple | str):
        return ()
    wanted = [only] if isinstance(only, str) else patch_ids() if only is None else list(only)
    skipped = [skip] if isinstance(skip, str) else list(skip)
    return tuple(patch_id for patch_id in wanted if patch_id not in skipped)
