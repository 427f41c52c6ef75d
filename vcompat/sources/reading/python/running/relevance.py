"""Whether the code of a function can have to do with how a run is configured, without executing it.

Each name and attribute in it counts for every function and class of the project that is called so, whether it is called
or not. So the answer is yes too often, and never no where it matters.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from vcompat.sources.reading.python.known_classes import CONFIGURATIONS, ENGINES
from vcompat.sources.reading.python.values.abstract_run import Run
from vcompat.sources.reading.python.values.values import ClassValue, Frame, Function, Lib, Value

#: Packages whose classes configure a run; ``package`` stands for a module of the project that was not found.
_OF_TRAINING = frozenset(
    "trl transformers vllm peft accelerate deepspeed torch unsloth bitsandbytes swift package".split()
)
#: How the names of classes end that configure a run, or read how it is configured.
_CONFIGURING = ("Config", "Arguments", "Trainer", "Args", "Parser")
#: Other names of what makes something that does.
_MAKING = ("LLM", "instantiate")
#: Names with which code reaches what its text does not name, and the one of this package.
_DYNAMIC = frozenset(
    "vcompat super exec eval globals locals vars setattr delattr getattr __import__ import_module instantiate".split()
)


def configures(run: Run, node: ast.AST, seen: frozenset[ast.AST] = frozenset()) -> bool:
    """Return whether a function contains a call that can make a configuration, a trainer or an engine.

    In the presuming reading also whether a function of the script does that it calls by name.
    """
    if _configures(node):
        return True
    if not run.presuming or node in seen:
        return False
    names = {part.func.id for part in ast.walk(node) if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)}
    called = (run.module.cells[name].value for name in names if name in run.module.cells)
    return any(configures(run, one.node, seen | {node}) for one in called if isinstance(one, Function))


@lru_cache(maxsize=4096)
def _configures(node: ast.AST) -> bool:
    """Return whether a function contains a call that can make a configuration, a trainer or an engine."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            if isinstance(part.func, ast.Attribute | ast.Name):
                name = part.func.attr if isinstance(part.func, ast.Attribute) else part.func.id
                if name.endswith(("Config", "Arguments", "Trainer", "Args", "Parser")) or name in _MAKING:
                    return True
            if any(keyword.arg and keyword.arg.startswith("vllm_") for keyword in part.keywords):
                return True
    return False


def may_configure(run: Run, function: Function) -> bool:
    """Return whether a function may make a configuration, a trainer or an engine, or change a class."""
    index = _index(run)
    nodes: list[ast.AST] = [function.node]
    seen: set[ast.AST] = set()
    for node in nodes:
        if node in seen:
            continue
        seen.add(node)
        if configures(run, node) and not all(_is_of_other_library(index, name) for name in _made(node)):
            return True
        reached = _reached(run, index, node)
        if reached is None:
            return True
        nodes += reached
    return False


def _reached(run: Run, index: dict[str, list[Value]], node: ast.AST) -> list[ast.AST] | None:
    """Return the functions that a function reaches by name; None if it may reach any, or change a class."""
    plain = _named_by_getattr(node)
    nodes: list[ast.AST] = []
    for part in ast.walk(node):
        if isinstance(part, ast.Import | ast.ImportFrom) and not _is_loaded(run, part):
            return None
        names = [plain[part]] if part in plain else [*_named(part)]
        if not _DYNAMIC.isdisjoint(names):
            return None
        values = [value for name in names for value in _found(run, index, name)]
        if _is_stored(part) and any(isinstance(value, ClassValue | Lib | Frame) for value in values):
            return None
        nodes += [function.node for value in values for function in _functions(value)]
    return nodes


def _index(run: Run) -> dict[str, list[Value]]:
    """Return the functions, classes and modules of the project by their names, and methods by theirs."""
    index: dict[str, list[Value]] = {}
    for frame in [run.module, *(frame for frame in run.modules.values() if frame is not None)]:
        for key, held in frame.cells.items():
            if isinstance(key, str) and isinstance(held.value, Function | ClassValue | Lib | Frame):
                index.setdefault(key, []).append(held.value)
            for method in _functions(held.value) if isinstance(held.value, ClassValue) else ():
                index.setdefault(getattr(method.node, "name", ""), []).append(method)
    return index


def _made(node: ast.AST) -> Iterator[str]:
    """Yield the names of what a function calls that may be a class of something that configures a run."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            name = part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
            gets_vllm = any(keyword.arg and keyword.arg.startswith("vllm_") for keyword in part.keywords)
            if gets_vllm or name.endswith(_CONFIGURING) or name in ENGINES:
                yield "" if gets_vllm or isinstance(part.func, ast.Attribute) else name


def _is_of_other_library(index: dict[str, list[Value]], name: str) -> bool:
    """Return whether a name is that of a library's class of something else, such as a rule for LaTeX."""
    found = index.get(name, [])
    is_other = name.endswith("Config") and name not in CONFIGURATIONS
    return is_other and bool(found) and all(isinstance(one, Lib) and one.root not in _OF_TRAINING for one in found)


def _found(run: Run, index: dict[str, list[Value]], name: str) -> list[Value]:
    return [
        *index.get(name, ()),
        *([run.expressions.unbound(name, run.module)] if run.imports.is_unparsed(name) else ()),
    ]


def _named(node: ast.AST) -> Iterator[str]:
    """Yield the names by which a node reaches something: a variable, an attribute, and what it belongs to."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
        if _is_stored(node) and isinstance(node.value, ast.Name | ast.Attribute):
            yield node.value.id if isinstance(node.value, ast.Name) else node.value.attr


def _named_by_getattr(node: ast.AST) -> dict[ast.AST, str]:
    """Return the attributes that calls of ``getattr`` name, by the nodes of ``getattr``."""
    calls = [part for part in ast.walk(node) if isinstance(part, ast.Call) and len(part.args) > 1]
    return {
        call.func: str(name.value)
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "getattr"
        if isinstance(name := call.args[1], ast.Constant) and name.value != ""
    }


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)


def _functions(value: Value) -> list[Function]:
    if isinstance(value, Function):
        return [value]
    if isinstance(value, ClassValue):
        return [held.value for held in value.cells.values() if isinstance(held.value, Function)]
    return []


def _is_loaded(run: Run, node: ast.Import | ast.ImportFrom) -> bool:
    """Return whether what a function imports is read already, or is no module of the project."""
    if isinstance(node, ast.ImportFrom) and node.level:
        return False
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    return not any(run.imports.is_unread(name) for name in names)
