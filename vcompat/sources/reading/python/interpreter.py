"""The abstract execution of a script: definitions, classes, imports and library calls on top of `statements`."""

from __future__ import annotations

import ast
import os
import sys
import warnings
from collections.abc import Callable
from functools import lru_cache

from vcompat.facts.presumption import CALL, CALLER
from vcompat.foundation.errors import InputError
from vcompat.foundation.reading import read_bytes
from vcompat.sources.reading.columns import Columns
from vcompat.sources.reading.python import f_strings, modal_apps
from vcompat.sources.reading.python.classes import classes, configurations
from vcompat.sources.reading.python.libraries import dataclass_parser, library, methods, steady
from vcompat.sources.reading.python.parsers import function_options
from vcompat.sources.reading.python.running.calls import FROM_COMMAND_LINE
from vcompat.sources.reading.python.running.flow import Done
from vcompat.sources.reading.python.running.harmless import STANDARD, WATCHED
from vcompat.sources.reading.python.running.statements import Execution
from vcompat.sources.reading.python.search_path import SearchPath, module_in
from vcompat.sources.reading.python.skim import Functions
from vcompat.sources.reading.python.values.core import (
    MOST_STEPS,
    MOST_UNCALLED_STEPS,
    TOO_COMPLEX,
    Jump,
    Site,
    Start,
    Stopped,
    TooComplexError,
)
from vcompat.sources.reading.python.values.values import (
    CLASS_DEFAULT,
    ITEMS,
    OPEN,
    Bound,
    ClassValue,
    Const,
    Frame,
    Function,
    Held,
    Items,
    Lib,
    Method,
    Obj,
    Seq,
    Table,
    Unknown,
    Value,
)

#: Maximum size in bytes of a module that a script imports, and maximum number of them.
LARGEST_MODULE, MOST_MODULES = 300_000, 300


def deferred_imports(tree: ast.Module) -> dict[str, ast.ImportFrom]:
    """Return what a lazy module of transformers' kind imports for type checkers, by the name that each import binds."""
    found = {}
    checked = [node for node in tree.body if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)]
    for node in (inner for outer in checked for part in outer.body for inner in ast.walk(part)):
        for alias in node.names if isinstance(node, ast.ImportFrom) else ():
            one = ast.ImportFrom(node.module, [alias], node.level)  # type: ignore[attr-defined]
            found[alias.asname or alias.name] = ast.copy_location(one, node)
    return found


class Interpreter(Execution):
    """Runs a script abstractly."""

    def __init__(self, path: str, source: bytes, start: Start) -> None:
        super().__init__(path, source, start)
        self.singletons: dict[str, Value] = {}
        self.called: set[ast.AST] = set()
        self.lazy: Functions = {}
        """Functions of a long script that are parsed when they are called."""
        self.alone_in: list[Function] = []
        """For each of the last events: the function, which nothing in the script calls, that made it."""
        self.search = SearchPath(path, start)
        self.commands: dict[str, dict[str, Function]] = {}
        """The commands of a program of click or typer, by the name of its variable, and by their names."""
        self.deferred: dict[int, dict[str, ast.ImportFrom]] = {}
        """For modules that import a name when it is first asked for, by identity: the import of each name."""
        self.failed = ""
        """Why the execution was given up; empty if it ran to its end."""

    def run(self, tree: ast.Module) -> None:
        """Run the module, unless the certain reading of it has taken too many steps in another run."""
        whole = (self.path, 0, "")
        if whole in self.heavy and not self.presuming:
            self.failed = TOO_COMPLEX
            return
        name = "__main__" if self.start.entry is None else os.path.basename(self.path).removesuffix(".py")
        self.module.cells["__name__"] = Held(Const(name))
        if self.presuming:
            self.outer |= {*tree.body}
        try:
            self.stopped = isinstance(self._caught(lambda: self._module(tree)), Jump)
        except (TooComplexError, RecursionError):
            trained = next((event for event in self.events if event.kind == "trained"), None)
            if trained is None or not self.presuming:
                self.failed = TOO_COMPLEX
                self.heavy.add(whole)
                return
            self.given_up.append(f"what follows the training ({trained.place}), which takes too many steps")
            self.presume(CALL, "what follows the training changes no setting of it", trained.place)

    def _module(self, tree: ast.Module) -> Done:
        """Run the statements of the module, then the function that `modal run` starts."""
        done = self.block(tree.body, self.module)
        if done is None and self.start.entry is not None:
            modal_apps.start(self, self.module, self.start.entry)
        return done

    def once(self, name: str, make: object) -> Value:
        """Return the one object of a name, made when it is first asked for."""
        if name not in self.singletons:
            self.singletons[name] = make()  # type: ignore[operator]
        return self.singletons[name]

    def unbound(self, name: str, frame: Frame) -> Value:
        """Return the value of a name that nothing has bound: a function that is not parsed yet, or a builtin."""
        if name in self.lazy and frame.module is self.module:
            line, text = self.lazy.pop(name)
            (node,) = parse(self.path, b"\n" * (line - 1) + text).body
            if isinstance(node, ast.FunctionDef):
                function = Function(node, self.module, self.defaults(node.args, self.module))
                # Not through the state: it was there from the start, whichever branch asks for it first.
                self.module.cells[name] = Held(function)
                return function
        return super().unbound(name, frame)

    # Definitions

    def decorated(self, function: Function, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> Value:
        """Return what the decorators of a function make of it."""
        value: Value = function
        for decorator in reversed(node.decorator_list):
            value = self._decorated(value, self.evaluate_decorator(decorator, frame), decorator, frame)
        return value

    def _decorated(self, value: Value, decorator: Value, node: ast.expr, frame: Frame) -> Value:
        if isinstance(decorator, Lib | Method) and isinstance(value, Function):
            name = modal_apps.decorator_of(decorator) or decorator.name
            if name == "main" and isinstance(decorator, Lib) and decorator.root == "hydra":
                return library.hydra_main(self, value, node, frame)
            made = Function(value.node, value.frame, value.defaults, value.owner, (*value.decorated, name))
            self._register(made, node)
            return made
        if isinstance(decorator, Function | ClassValue):
            return self.call(decorator, self.implicit(Held(value)))
        if isinstance(value, Function):
            made = Function(value.node, value.frame, value.defaults, value.owner, (*value.decorated, "unknown"))
            self._register(made, node)
            return made
        return Unknown()

    def _register(self, function: Function, node: ast.expr) -> None:
        """Note a command of a program of click or typer: ``@app.command()``."""
        inner = node.func if isinstance(node, ast.Call) else node
        if not isinstance(inner, ast.Attribute) or inner.attr != "command" or not isinstance(inner.value, ast.Name):
            return
        if inner.value.id not in ("click", "typer"):
            named = [one.value for one in getattr(node, "keywords", ()) if one.arg == "name"]
            stated = [*getattr(node, "args", ())[:1], *named]
            name = str(getattr(function.node, "name", "")).replace("_", "-")
            if stated:
                name = str(stated[0].value) if isinstance(stated[0], ast.Constant) else "?"
            self.commands.setdefault(inner.value.id, {})[name] = function

    def define(self, node: ast.ClassDef, frame: Frame) -> Value:
        """Return the class that a statement defines."""
        return classes.define(self, node, frame)

    def instantiate(self, kind: ClassValue, site: Site) -> Value:
        """Create an instance of a class of the script. Presumably, a parser of TRL's name is a copy of TRL's."""
        bases = {base.name for base in classes.library_bases(self, kind)} if self.presuming else set()
        if kind.name in dataclass_parser.PARSERS and "HfArgumentParser" in bases:
            self.presume(CALL, f"the {kind.name} of the project is a copy of TRL's", site.place)
            return dataclass_parser.make(self, Lib(f"trl.{kind.name}"), site)
        return classes.instantiate(self, kind, site)

    def attribute(self, value: Value, name: str) -> Value:
        """Return an attribute."""
        if isinstance(value, Function | Bound) and (remote := modal_apps.attribute(self, value, name)) is not None:
            return remote
        return super().attribute(value, name)

    def unset_attribute(self, value: Obj, name: str) -> Value:
        """Return an attribute that the script did not set: a default of the library, or a method."""
        if name.startswith("__") or name in methods.OF_CONFIGURATIONS:
            return Method(value, name)
        if isinstance(value.kind, Lib) and not value.why_open and name in steady.defaults_of(value.kind):
            return Const(steady.defaults_of(value.kind)[name], "default")
        if configurations.is_configuration(self, value):
            return Unknown(value.why_open or CLASS_DEFAULT)
        return super().unset_attribute(value, name)

    def entered(self, value: Value) -> Value:
        """Return what ``with value as name`` binds."""
        if isinstance(value, Obj) and isinstance(value.kind, ClassValue):
            enter = self._inherited(value.kind, "__enter__", value, own=True)
            if enter is not None:
                return self.call(enter, self.implicit())
        return value

    def call_function(self, function: Function, site: Site) -> Value:
        """Run a function of the script."""
        self.called.add(function.node)
        if not self._is_command(function):
            return super().call_function(function, site)
        name = getattr(function.node, "name", "")
        if site.arguments:
            site = site._replace(why_open="taken from the command line")
        elif site.node is not function.node:
            chosen = self._command(name, site)
            if chosen is not None:
                super().call_function(function, function_options.started(self, function, (), site))
                return super().call_function(*chosen)
            site = function_options.started(self, function, self.words, site)
        elif self.presuming:
            # Words that no program was seen to get may be meant for it.
            alone = site._replace(arguments=(), keywords={}, why_open="")
            self.presume(CALLER, f"{name}() is called without options", site.place)
            site = function_options.started(self, function, () if not self.words else None, alone)
        return super().call_function(function, site)

    def _is_command(self, function: Function) -> bool:
        """Return whether a function gets its arguments from the command line."""
        registered = (one.node for named in self.commands.values() for one in named.values())
        return bool(set(function.decorated) & FROM_COMMAND_LINE) or function.node in registered

    def unknown_call(self, site: Site, why: str, callee: Value | None = None) -> Value:
        """Call something unknown; a program of typer runs the command that the words choose."""
        if self.commands and isinstance(site.node, ast.Call) and isinstance(site.node.func, ast.Name):
            chosen = self._command(site.node.func.id, site)
            if chosen is not None:
                self.called.add(chosen[0].node)
                return super().call_function(*chosen)
        return super().unknown_call(site, why, callee)

    def _command(self, program: str, site: Site) -> tuple[Function, Site] | None:
        """Return the command of a program of click or typer that the words choose, and its call; None if not known."""
        named, words = self.commands.get(program), self.words if program in self.commands else None
        chosen = function_options.command_of(named, words) if named and words is not None else None
        if chosen is None:
            return None
        function, rest = chosen
        return function, function_options.started(self, function, rest, site)

    def extend(self, sequence: Seq, held: tuple[Held, ...] | None) -> None:
        """Append items to a list; None: unknown ones."""
        items = sequence.items
        if items is None or held is None or len(items) + len(held) > 10_000:
            self.state.write(sequence, ITEMS, Held(Unknown("unknown items are added")))
        else:
            self.state.write(sequence, ITEMS, Held(Items((*items, *held))))

    # Library

    def call_library(self, callee: Lib, site: Site) -> Value:
        """Call something of a library."""
        return library.call(self, callee, site)

    def call_method(self, callee: Method, site: Site) -> Value:
        """Call a method of an object whose class the script does not define."""
        return methods.call(self, callee, site)

    # Imports

    def import_names(self, node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
        """Bind imported names. A module beside the script is run, as an import does."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                module = self.imported(alias.name, node, frame)
                name = alias.asname or alias.name.partition(".")[0]
                top = module if alias.asname or "." not in alias.name else self.imported(name, node, frame)
                self.state.write(self.home(name, frame), name, Held(top))
            return
        module = self.imported("." * node.level + (node.module or ""), node, frame)
        for alias in node.names:
            self._import_one(module, alias, node, frame)

    def _import_one(self, module: Value, alias: ast.alias, node: ast.ImportFrom, frame: Frame) -> None:
        if alias.name == "*":
            if isinstance(module, Frame):
                for key, held in module.cells.items():
                    if isinstance(key, str) and not key.startswith("_"):
                        self.state.write(frame, key, held)
            return
        name = alias.asname or alias.name
        if isinstance(module, Frame) and alias.name not in module.cells:
            later = self.deferred.get(id(module), {}).pop(alias.name, None)
            if later is not None:
                self.import_names(later, module)
        value = self.attribute(module, alias.name)
        if alias.name not in module.cells if isinstance(module, Frame) else node.level:
            # A module of the package, rather than a name in it.
            above = "." * node.level + f"{node.module}." * bool(node.module)
            value = self.imported(above + alias.name, node, frame)
        self.state.write(self.home(name, frame), name, Held(value))

    def imported(self, name: str, node: ast.AST, frame: Frame) -> Value:
        """Return the module `name`: one beside the script is run; any other is a library."""
        root = name.partition(".")[0]
        if root not in STANDARD and not self.presuming:
            self.raises()
        self.presumed_not_to_raise |= root not in STANDARD
        if root in WATCHED:
            self.record("import", name, self.place(node, frame))
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
        return self.search.find(parts, self.presume if self.presuming else None)

    def is_unparsed(self, name: str) -> bool:
        """Return whether a function of the script is parsed when it is first called."""
        return name in self.lazy

    def is_unread(self, name: str) -> bool:
        """Return whether a module is one of the project that nothing has imported so far."""
        root = name.partition(".")[0]
        if root in library.KNOWN_ROOTS and not self.search.is_own(root):
            return False
        path = self.search.find(name.split("."), None)
        return path is not None and self.modules.get(path) is None

    def _has_another_vcompat(self) -> bool:
        """Return whether a module beside the script is called vcompat and is no checkout of it. Packages come first."""
        here = os.path.dirname(self.path)
        if os.path.isfile(os.path.join(here, "vcompat", "__init__.py")):
            return not os.path.isdir(os.path.join(here, "vcompat", "patching"))
        return os.path.isfile(os.path.join(here, "vcompat.py"))

    def _run_module(self, path: str) -> Frame | None:
        if path in self.modules:
            return self.modules[path]
        if os.path.abspath(path) == os.path.abspath(self.path):
            return None
        self.modules[path] = None
        try:
            source = read_bytes(path, LARGEST_MODULE, "a Python module")
            tree = parse(path, source) if len(self.modules) <= MOST_MODULES else None
        except InputError:
            tree = None
        if tree is None:
            self._open_registries(f"{path} is not read")
            return None
        frame = Frame(None, path)
        if b"_LazyModule" in source:
            self.deferred[id(frame)] = deferred_imports(tree)
        frame.cells["__name__"] = Held(Const(os.path.basename(path).removesuffix(".py")))
        self.sources[path] = Columns(source)
        self.modules[path] = frame
        done = self._caught(lambda: self.block(tree.body, frame))
        if isinstance(done, Jump):
            raise Stopped(done)
        return frame

    def run_text(self, text: str, path: str, frame: Frame, line: int = 1) -> None:
        """Run Python source in `frame`."""
        try:
            tree = parse(path, text.encode())
        except InputError:
            self.raises()
            return
        ast.increment_lineno(tree, line - 1)
        done = self.block(tree.body, frame)
        if isinstance(done, Jump):
            raise Stopped(done)

    def _open_registries(self, why: str) -> None:
        """Make the collections of modules unknown, to which one that is not read may add."""
        for frame in filter(None, self.modules.values()):
            for held in list(frame.cells.values()):
                if isinstance(held.value, Table | Seq):
                    self.open(held.value, why)

    def open_all(self, why: str, of_main: bool = True) -> None:
        """Make everything unknown that the script has set so far; without `of_main`, what its modules have set."""
        frames = [self.module] * of_main + [frame for frame in self.modules.values() if frame]
        for frame in frames:
            for held in list(frame.cells.values()):
                if not isinstance(held.value, Function | ClassValue):
                    self.open(held.value, why)
            for key, held in list(frame.cells.items()):
                if not isinstance(held.value, Function | ClassValue | Lib) and key is not OPEN:
                    self.state.write(frame, key, Held(Unknown(why)))
        self.open(self.environ, why)

    def run_uncalled(self, thorough: bool = False) -> None:
        """Run the functions that the script does not call, for what they would set if something called them.

        If `thorough`, each of them has the limit of steps that all share otherwise.
        """
        pending: list[tuple[Function, Value | None]] = []
        for held in list(self.module.cells.values()):
            value = held.value
            if isinstance(value, Function):
                pending.append((value, None))
            elif isinstance(value, ClassValue):
                methods_of = [h.value for h in value.cells.values() if isinstance(h.value, Function)]
                instance = Obj(value)
                pending += [(method, instance) for method in methods_of]
        self.steps = MOST_STEPS - MOST_UNCALLED_STEPS
        for function, receiver in pending:
            if function.node not in self.called and self.configures(function.node):
                try:
                    self._run_alone(function, receiver)
                except (TooComplexError, RecursionError):
                    if not thorough:
                        return
                if thorough:
                    self.steps = MOST_STEPS - MOST_UNCALLED_STEPS

    def _run_alone(self, function: Function, receiver: Value | None) -> None:
        site = self.alone(function, *([Held(receiver)] if receiver is not None else []))
        if self.presuming:
            site = site._replace(why_open="called by something unknown")
        count = len(self.events)
        self.uncertain.append("in a function that the script does not call")
        self._caught(_discarding(lambda: self.call(function, site)))
        self.uncertain.pop()
        self.alone_in += [function] * (len(self.events) - count)

    def may_configure(self, function: Function) -> bool:
        """Return whether the code of a function can have to do with how a run is configured."""
        from vcompat.sources.reading.python.running.reach import may_configure

        return may_configure(self, function)

    def configures(self, node: ast.AST, seen: frozenset[ast.AST] = frozenset()) -> bool:
        """Return whether a function contains a call that can make a configuration, a trainer or an engine.

        In the presuming reading also whether a function of the script does that it calls by name.
        """
        if _configures(node):
            return True
        if not self.presuming or node in seen:
            return False
        names = {
            part.func.id for part in ast.walk(node) if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)
        }
        called = (self.module.cells[name].value for name in names if name in self.module.cells)
        return any(self.configures(one.node, seen | {node}) for one in called if isinstance(one, Function))


@lru_cache(maxsize=4096)
def _configures(node: ast.AST) -> bool:
    """Return whether a function contains a call that can make a configuration, a trainer or an engine."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            if isinstance(part.func, ast.Attribute | ast.Name):
                name = part.func.attr if isinstance(part.func, ast.Attribute) else part.func.id
                if name.endswith(("Config", "Arguments", "Trainer", "Args", "Parser")) or name == "LLM":
                    return True
            if any(keyword.arg and keyword.arg.startswith("vllm_") for keyword in part.keywords):
                return True
    return False


def _discarding(run: Callable[[], Value]) -> Callable[[], Jump | None]:
    def runs() -> Jump | None:
        run()
        return None

    return runs


def parse(path: str, source: bytes) -> ast.Module:
    """Parse Python source. Raises InputError, with file and line, if it is not valid."""
    try:
        if b"\0" in source:
            raise InputError(path, "contains binary data", "a Python script")
        with warnings.catch_warnings():
            # Do not print Python's warnings about the user's code, such as invalid escapes.
            warnings.simplefilter("ignore")
            try:
                return ast.parse(source)
            except SyntaxError as error:
                # With releases before 3.12, the f-strings of 3.12 may be all that is not valid.
                if (tree := f_strings.parsed(source)) is None:
                    raise error from None
                return tree
    except SyntaxError as error:
        where = f"{path}:{error.lineno}" if error.lineno else path
        # Python 3.12 allows in f-strings what the releases before it refuse.
        is_newer = sys.version_info < (3, 12) and "f-string" in str(error.msg)
        expected = "a Python script" + "; if it needs Python 3.12, install vcompat in that" * is_newer
        raise InputError(where, f"not valid Python: {error.msg}", expected) from None
    except (RecursionError, MemoryError):
        raise InputError(path, "nested too deeply to be read", "a training script") from None
    except ValueError as error:
        raise InputError(path, f"not Python text: {error}", "a Python script") from None
