"""The keys at the top of DeepSpeed's configuration, from the strings in the code that reads it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from vcompat.facts.records.recorded_settings import IGNORED
from vcompat.foundation.syntax.terms import dotted, text_of, texts_in
from vcompat.upstream.settings.code import Code
from vcompat.upstream.settings.fields import Table, empty_table

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
            keys |= set(filter(_KEY.fullmatch, texts_in(code.definitions.tree(module) or ast.Module([], []))))
    refuses = sorted(_refused(code.definitions.tree(MODULE) or ast.Module([], [])))
    fields = {key: {"types": ["any"], "computed": True} for key in sorted(keys.difference(refuses))}
    return empty_table(MODULE, extra=IGNORED, fields=fields, **({"refuses": refuses} if refuses else {}))


def _refused(tree: ast.Module) -> Iterator[str]:
    """Yield the keys at the top that the module raises for, in a loop over a table of them."""
    assigned = (node for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict))
    tables = {dotted(target): node.value for node in assigned for target in node.targets}
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For) and any(map(_raises_for_key, loop.body)):
            table = tables.get(ast.unparse(loop.iter).removesuffix(".items()"))
            yield from filter(None, map(text_of, table.keys if isinstance(table, ast.Dict) else ()))


def _raises_for_key(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.If) or not isinstance(statement.body[0], ast.Raise):
        return False
    return ast.unparse(statement.test) == "key in param_dict"
