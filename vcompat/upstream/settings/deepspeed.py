"""The keys at the top of DeepSpeed's configuration, from the strings in the code that reads it."""

from __future__ import annotations

import ast
import re

from vcompat.facts.settings import IGNORED
from vcompat.upstream.settings.code import Code
from vcompat.upstream.settings.fields import Table

#: The name that the keys are recorded under, and the module that reads them.
NAME, MODULE = "DeepSpeedConfig", "deepspeed.runtime.config"
_READS = re.compile(r"param_dict|ds_config|config_dict|config_params")
_KEY = re.compile(r"[a-z][a-z0-9_]*")


def config_table(code: Code) -> Table:
    """Return what can be a key: every string that looks like one in modules of constants, or that read the dictionary.

    DeepSpeed takes the keys that it knows and ignores others. The strings contain all that it knows, and keys of
    sections: a name that is not among them is certainly ignored.
    """
    keys: set[str] = set()
    for module, text in code.modules():
        if module.endswith("constants") or _READS.search(text):
            keys |= _strings(code.surface.tree(module))
    fields = {key: {"types": ["any"], "computed": True} for key in sorted(keys)}
    return {"module": MODULE, "bases": [], "extra": IGNORED, "fields": fields, "checks": []}


def _strings(tree: ast.Module | None) -> set[str]:
    constants = (node.value for node in ast.walk(tree or ast.Module([], [])) if isinstance(node, ast.Constant))
    return {value for value in constants if isinstance(value, str) and _KEY.fullmatch(value)}
