"""The options of launchers, from the calls that build their parsers."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from vcompat.foundation.syntax.terms import called, keywords, text_of
from vcompat.upstream.settings.code import Code, Unknown
from vcompat.upstream.settings.fields import Table, empty_table

#: For each package: the name that its launcher is recorded under, and the module and function that build its parser.
LAUNCHERS: Mapping[str, tuple[str, str, str]] = {
    "accelerate": ("launch", "accelerate.commands.launch", "launch_command_parser"),
    "deepspeed": ("runner", "deepspeed.launcher.runner", "parse_args"),
    "torch": ("torchrun", "torch.distributed.run", "get_args_parser"),
}
_TYPES = {"int": "int", "float": "float", "str": "str"}
#: The actions of options without a value, and the defaults of these; torchrun has an action of its own.
_FLAGS = {"store_true": False, "store_false": True, "check_env": False}


def launch_table(code: Code) -> Table:
    """Return what is recorded of the package's launcher; empty if its parser is not found."""
    _, module, function = LAUNCHERS[code.package]
    builder = code.definitions.find(module, function)
    if builder is None or not isinstance(builder.node, ast.FunctionDef):
        return {}
    fields: dict[str, Table] = {}
    for node in ast.walk(builder.node):
        if isinstance(node, ast.Call) and called(node) == "add_argument":
            names = [name for name in filter(None, map(text_of, node.args)) if name.startswith("--")]
            fields |= dict.fromkeys((name[2:].replace("-", "_") for name in names), _option(code, builder.module, node))
    return empty_table(builder.module, fields=fields)


def _option(code: Code, module: str, node: ast.Call) -> Table:
    given = keywords(node)
    action = _action(code, module, given.get("action"))
    if str(action) in _FLAGS:
        table: Table = {"types": ["bool"]}
    else:
        kind = ast.unparse(given["type"]) if "type" in given else "str"
        table = {"types": [_TYPES.get(kind, "any")]}
    choices = _constant(code, module, given.get("choices"))
    if isinstance(choices, list):
        table |= {"choices": choices, "enforced": True}
    if "default" not in given:
        table["default"] = _FLAGS.get(str(action))
    else:
        default = _constant(code, module, given["default"])
        table |= {"computed": True} if default is Unknown else {"default": default}
    if table.get("default", "") is None:
        table["types"] = [*table["types"], "none"]
    return table


def _action(code: Code, module: str, node: ast.expr | None) -> Any:
    """Return the name of an action: a string, or a class."""
    return node.id if isinstance(node, ast.Name) else _constant(code, module, node)


def _constant(code: Code, module: str, node: ast.expr | None) -> Any:
    """A constant; None without a node, the class Unknown if it is not known."""
    if node is None:
        return None
    try:
        return code.constant(module, node)
    except Unknown:
        return Unknown
