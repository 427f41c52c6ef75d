"""Imports: a module of the project is run, as an import does; any other one is a library."""

from __future__ import annotations

import ast
import os

from vcompat.foundation.bounded_reading import read_bytes
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.columns import Columns
from vcompat.sources.reading.python.libraries import library
from vcompat.sources.reading.python.libraries.unsloth_models import standby
from vcompat.sources.reading.python.parsing import check_compiles, parse
from vcompat.sources.reading.python.running.harmless import STANDARD, WATCHED
from vcompat.sources.reading.python.search_path import SearchPath, module_in
from vcompat.sources.reading.python.skim import Functions
from vcompat.sources.reading.python.values.abstract_run import Run
from vcompat.sources.reading.python.values.core import Jump, Stopped
from vcompat.sources.reading.python.values.interpreter_part import Part
from vcompat.sources.reading.python.values.values import Const, Frame, Function, Held, Lib, Seq, Table, Unknown, Value

#: Maximum size in bytes of a module that a script imports, and maximum number of them.
LARGEST_MODULE, MOST_MODULES = 300_000, 300


def deferred_imports(tree: ast.Module) -> dict[str, ast.ImportFrom]:
    """Return what a lazy module of transformers' kind imports for type checkers, by the name that each import binds."""
    imports = {}
    checked = [node for node in tree.body if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)]
    for node in (inner for outer in checked for part in outer.body for inner in ast.walk(part)):
        for alias in node.names if isinstance(node, ast.ImportFrom) else ():
            binding = ast.ImportFrom(node.module, [alias], node.level)  # type: ignore[attr-defined]
            imports[alias.asname or alias.name] = ast.copy_location(binding, node)
    return imports


class Imports(Part):
    """Binds imported names, and runs the modules of the project."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.lazy: Functions = {}
        """Functions of a long script that are parsed when they are called."""
        self.search = SearchPath(run.path, run.start)
        self.deferred: dict[int, dict[str, ast.ImportFrom]] = {}
        """For modules that import a name when it is first asked for, by identity: the import of each name."""

    def unparsed(self, name: str, frame: Frame) -> Value | None:
        """Return a function of a long script that is parsed when something asks for its name; None if it is none."""
        if name in self.lazy and frame.module is self.run.module:
            line, text = self.lazy.pop(name)
            (node,) = parse(self.run.path, b"\n" * (line - 1) + text).body
            if isinstance(node, ast.FunctionDef):
                function = Function(node, self.run.module, self.run.expressions.defaults(node.args, self.run.module))
                # Not through the state: it was there from the start, whichever branch asks for it first.
                self.run.module.cells[name] = Held(function)
                return function
        return None

    def import_names(self, node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
        """Bind imported names. A module beside the script is run, as an import does."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                module = self.imported(alias.name, node, frame)
                name = alias.asname or alias.name.partition(".")[0]
                top = module if alias.asname or "." not in alias.name else self.imported(name, node, frame)
                self.run.state.write(self.run.expressions.home(name, frame), name, Held(top))
            return
        module = self.imported("." * node.level + (node.module or ""), node, frame)
        for alias in node.names:
            self._import_one(module, alias, node, frame)

    def _import_one(self, module: Value, alias: ast.alias, node: ast.ImportFrom, frame: Frame) -> None:
        if alias.name == "*":
            if isinstance(module, Frame):
                for key, held in module.cells.items():
                    if isinstance(key, str) and not key.startswith("_"):
                        self.run.state.write(frame, key, held)
            return
        name = alias.asname or alias.name
        if isinstance(module, Frame) and alias.name not in module.cells:
            later = self.deferred.get(id(module), {}).pop(alias.name, None)
            if later is not None:
                self.import_names(later, module)
        value = self.run.objects.attribute(module, alias.name)
        if alias.name not in module.cells if isinstance(module, Frame) else node.level:
            # A module of the package, rather than a name in it.
            above = "." * node.level + f"{node.module}." * bool(node.module)
            value = self.imported(above + alias.name, node, frame)
        self.run.state.write(self.run.expressions.home(name, frame), name, Held(value))

    def imported(self, name: str, node: ast.AST, frame: Frame) -> Value:
        """Return the module `name`: one beside the script is run; any other is a library."""
        root = name.partition(".")[0]
        if root not in STANDARD and not self.run.presuming:
            self.run.raises()
        self.run.presumed_not_to_raise |= root not in STANDARD
        if root in WATCHED:
            settings = standby(self.run) if root == "unsloth" else {}
            self.run.record("import", name, self.run.place(node, frame), settings)
        is_another = root == "vcompat" and self._has_another_vcompat()
        if root in library.KNOWN_ROOTS and not is_another and not self.search.is_own(root):
            return Lib(name)
        path = self._beside(name, frame)
        module = self._run_module(path) if path is not None else None
        if module is None and is_another:
            return Unknown(f"a module of the project, not {root}")
        # ``.trl`` is a module of the project, also if its file is not there.
        relative = name.lstrip(".")
        return module or Lib(name if relative == name else f"package.{relative}".rstrip("."))

    def _beside(self, name: str, frame: Frame) -> str | None:
        """Return the path of a module of the project; None if it is not beside the script."""
        level = len(name) - len(name.lstrip("."))
        parts = name.lstrip(".").split(".")
        if not all(part.isidentifier() for part in parts):
            return None
        if level:
            folder = os.path.join(os.path.dirname(frame.path), *[os.pardir] * (level - 1))
            return module_in(folder, parts)
        return self.search.find(parts, self.run.presume if self.run.presuming else None)

    def is_unparsed(self, name: str) -> bool:
        """Return whether a function of the script is parsed when it is first called."""
        return name in self.lazy

    def is_unread(self, name: str) -> bool:
        """Return whether a module is one of the project that nothing has imported so far."""
        root = name.partition(".")[0]
        if root in library.KNOWN_ROOTS and not self.search.is_own(root):
            return False
        path = self.search.find(name.split("."), None)
        return path is not None and self.run.modules.get(path) is None

    def _has_another_vcompat(self) -> bool:
        """Return whether a module beside the script is called vcompat and is no checkout of it. Packages come first."""
        here = os.path.dirname(self.run.path)
        if os.path.isfile(os.path.join(here, "vcompat", "__init__.py")):
            return not os.path.isdir(os.path.join(here, "vcompat", "patching"))
        return os.path.isfile(os.path.join(here, "vcompat.py"))

    def _run_module(self, path: str) -> Frame | None:
        if path in self.run.modules:
            return self.run.modules[path]
        if os.path.abspath(path) == os.path.abspath(self.run.path):
            return None
        self.run.modules[path] = None
        try:
            source = read_bytes(path, LARGEST_MODULE, "a Python module")
            tree = parse(path, source) if len(self.run.modules) <= MOST_MODULES else None
        except InputError:
            tree = None
        if tree is None:
            self._open_registries(f"{path} is not read")
            return None
        if not (self.run.presuming or self.run.uncertain) and self.search.is_beside(path):
            check_compiles(path, source, f"a module that {self.run.path} can import")
        frame = Frame(None, path)
        if b"_LazyModule" in source:
            self.deferred[id(frame)] = deferred_imports(tree)
        frame.cells["__name__"] = Held(Const(os.path.basename(path).removesuffix(".py")))
        self.run.sources[path] = Columns(source)
        self.run.modules[path] = frame
        done = self.run.flow.caught(lambda: self.run.flow.block(tree.body, frame))
        if isinstance(done, Jump):
            raise Stopped(done)
        return frame

    def run_text(self, text: str, path: str, frame: Frame, line: int = 1) -> None:
        """Run Python source in `frame`."""
        try:
            tree = parse(path, text.encode())
        except InputError:
            self.run.raises()
            return
        ast.increment_lineno(tree, line - 1)
        done = self.run.flow.block(tree.body, frame)
        if isinstance(done, Jump):
            raise Stopped(done)

    def _open_registries(self, why: str) -> None:
        """Make the collections of modules unknown, to which one that is not read may add."""
        for frame in filter(None, self.run.modules.values()):
            for held in list(frame.cells.values()):
                if isinstance(held.value, Table | Seq):
                    self.run.open(held.value, why)
