"""The keys at the top of DeepSpeed's configuration, from the strings in the code that reads it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from vcompat.facts.records.recorded_settings import IGNORED
from vcompat.upstream.settings.code import Code
from vcompat.upstream.settings.fields import Table

#: The name that the keys are recorded under, and the module that reads them.
NAME, MODULE = "DeepSpeedConfig", "deepspeed.runtime.config"
_READS = re.compile(r"param_dict|ds_config|config_dict|config_params")
_KEY = re.compile(r"[a-z][a-z0-9_]*")


def config_table(code: Code) -> Table:
    """Return what can be a key: every string that looks like one in modules of constants, or that read the dictionary.

    DeepSpeed takes the keys that it knows and ignores others. The strings contain all that it knows, and keys of
    sections: a name that is not among them is certainly ignored. Removed keys it refuses.
    """
    keys: set[str] = set()
    for module, text in code.modules():
        if module.endswith("constants") or _READS.search(text):
            keys |= _strings(code.definitions.tree(module))
    refuses = sorted(_refused(code.definitions.tree(MODULE) or ast.Module([], [])))
    fields = {key: {"types": ["any"], "computed": True} for key in sorted(keys.difference(refuses))}
    table: Table = {"module": MODULE, "bases": [], "extra": IGNORED, "fields": fields, "checks": []}
    return {**table, "refuses": refuses} if refuses else table


def _refused(tree: ast.Module) -> Iterator[str]:
    """Yield the keys at the top that the module raises for, in a loop over a table of them."""
    tables: dict[str, ast.Dict] = {
        ast.unparse(target): node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
        for target in node.targets
    }
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For):
            table = tables.get(ast.unparse(loop.iter).removesuffix(".items()"))
            raises = (ast.unparse(one.test) for one in loop.body if isinstance(one, ast.If) and _raises(one))
            if table is not None and "key in param_dict" in raises:
                names = (key.value for key in table.keys if isinstance(key, ast.Constant))
                yield from (name for name in names if isinstance(name, str))


def _raises(condition: ast.If) -> bool:
    return isinstance(condition.body[0], ast.Raise)


def _strings(tree: ast.Module | None) -> set[str]:
    constants = (node.value for node in ast.walk(tree or ast.Module([], [])) if isinstance(node, ast.Constant))
    return {value for value in constants if isinstance(value, str) and _KEY.fullmatch(value)}
