"""Run functions of real upstream releases without installing them.

`load` takes the named functions from a release's file, bodies and decorators unchanged, and executes them in a module
with the file's import name and path, so that the patch engine sees the same as in a real process. The test provides the
names that the functions use: the real library if it is installed (torch), a stand-in only for hardware.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any


def load(
    tree: Path, name: str, objects: tuple[str, ...], namespace: dict[str, Any], source_root: str = ""
) -> ModuleType:
    """Execute `objects` (such as ``Worker.sleep``) of module `name` of a release; return the module, put into sys.modules.

    Of a class, only the named methods are kept and its bases are dropped; a name without a dot is kept whole.
    The caller removes the module from sys.modules (use monkeypatch.delitem or the `upstream_module` fixture).
    """
    path = _file(tree / source_root, name)
    parsed = ast.parse(path.read_text(encoding="utf-8"))
    kept = [node for node in (_keep(statement, objects) for statement in parsed.body) if node is not None]
    missing = [o for o in objects if o.partition(".")[0] not in {getattr(n, "name", None) for n in kept}]
    if missing:
        raise LookupError(f"{path} defines no {', '.join(missing)}")
    future = ast.parse("from __future__ import annotations").body
    module = ModuleType(name)
    module.__spec__ = importlib.util.spec_from_file_location(name, path)
    module.__file__ = str(path)
    module.__dict__.update(namespace)
    sys.modules[name] = module
    exec(compile(ast.fix_missing_locations(ast.Module(future + kept, [])), str(path), "exec"), module.__dict__)
    return module


def _file(root: Path, name: str) -> Path:
    stem = root.joinpath(*name.split("."))
    return stem.with_suffix(".py") if stem.with_suffix(".py").is_file() else stem / "__init__.py"


def _keep(statement: ast.stmt, objects: tuple[str, ...]) -> ast.stmt | None:
    if not isinstance(statement, ast.ClassDef | ast.FunctionDef):
        return None
    if statement.name in objects:
        return statement
    methods = {o.partition(".")[2] for o in objects if o.startswith(f"{statement.name}.")}
    if not methods or not isinstance(statement, ast.ClassDef):
        return None
    statement.bases, statement.keywords, statement.decorator_list = [], [], []
    statement.body = [n for n in statement.body if isinstance(n, ast.FunctionDef) and n.name in methods] or [ast.Pass()]
    return statement
