"""Tables of scripts with what the abstract execution knows after them, written like a session of the interpreter.

Lines that begin with ``>>>`` are one script. The lines after it are its outcome: the value of the last expression, then
what the script bound, then the rest of what happened. A line that begins with ``$`` before it is the command that starts
it: variables of the environment, and words, in which ``{?}`` is a part that is not known, and ``{*}`` are any number of words.
Variables: ``NAME=``, ``NAME={unset}``; a command that begins with ``-i`` has no others.

Values are shown as in Python, and ``<why>`` if they are not known, with their candidates; ``@1:5`` is the place that sets
a value, ``~name`` a name that nothing binds, ``..<why>`` that there may be more, ``maybe`` that it may not be set.
"""

from __future__ import annotations

import ast
import shlex
from collections.abc import Mapping
from pathlib import Path

from tests.unit.sources.reading.marked_words import word
from vcompat.facts.facts import Place
from vcompat.facts.stated import Stated
from vcompat.sources.reading.invocation import Environment, Others
from vcompat.sources.reading.python.interpreter import Interpreter
from vcompat.sources.reading.python.parsers.argparse_builder import KIND
from vcompat.sources.reading.python.values.core import Event, Jump, Start
from vcompat.sources.reading.python.values.values import (
    ITEMS,
    OPEN,
    UNSET,
    Bound,
    ClassValue,
    Const,
    Either,
    Environ,
    Frame,
    Function,
    Held,
    Items,
    Lib,
    Method,
    Mutable,
    Native,
    Obj,
    Partial,
    Seq,
    Super,
    Table,
    Unknown,
    Value,
)

_DEEPEST = 12


class Session:
    """Executes the scripts of tables, each on its own, after the same imports."""

    def __init__(self, folder: Path, imports: str = "") -> None:
        self.folder = folder
        self.imports = imports
        self.start = Start()
        """How scripts are started; commands of the tables set the words and variables."""

    def checked(self, text: str) -> str:
        """Return the outcome of a script of a table, whose first line may be the command after ``$``."""
        first, _, rest = text.partition("\n")
        return "\n".join(self.outcome(rest, first[2:]) if first.startswith("$ ") else self.outcome(text))

    def filled(self, table: str) -> str:
        """Return `table` with the outcomes that its scripts have."""
        lines: list[str] = [""]
        command, script = "", []
        for line in [*table.strip("\n").splitlines(), ""]:
            if line.startswith(">>>"):
                script.append(line[4:])
                continue
            if script:
                lines += [f"$ {command}"] if command else []
                lines += [f">>> {part}".rstrip() for part in script]
                lines += [*self.outcome("\n".join(script), command), ""]
                command, script = "", []
            if line.startswith("$ "):
                command = line[2:]
            elif line.startswith("#"):
                lines.append(line)
        return "\n".join(lines)

    def outcome(self, script: str, command: str = "") -> list[str]:
        """Return what is known after `script`."""
        run = self.executed(script, command)
        return run.outcome()

    def executed(self, script: str, command: str = "") -> Run:
        """Execute `script`, started by `command`."""
        run = Run(str(self.folder / "train.py"), script, _started(self.start, command, self.folder))
        run.prepare(self.imports)
        run.execute(script)
        return run


class Run(Interpreter):
    """One execution, which can tell its outcome."""

    def __init__(self, path: str, script: str, start: Start) -> None:
        super().__init__(path, script.encode(), start)
        self.folder = str(Path(path).parent)
        self.ends = ""

    def prepare(self, imports: str) -> None:
        """Execute what all scripts have in common."""
        self.module.cells["__name__"] = Held(Const("__main__"))
        self.flow.block(ast.parse(imports).body, self.module)
        self.events.clear()
        self.before = dict(self.module.cells)
        self.environment = dict(self.environ.cells)

    def execute(self, script: str) -> None:
        """Execute a script; its last line, if it is an expression, is assigned to ``_``."""
        body = ast.parse(script).body
        last = body[-1]
        if isinstance(last, ast.Expr):
            target = ast.copy_location(ast.Name("_", ast.Store()), last)
            body[-1] = ast.copy_location(ast.Assign([target], last.value), last)
        done = self.flow.caught(lambda: self.flow.block(body, self.module))
        self.ends = done.kind if isinstance(done, Jump) else " or ".join(done) if done else ""

    def outcome(self) -> list[str]:
        """Return the lines of the outcome."""
        lines = [self.value(self.module.cells["_"].value)] if "_" in self.module.cells else []
        for name, held in self.module.cells.items():
            if name is OPEN:
                lines.append(f"..{self.value(held.value)}")
            elif name != "_" and self.before.get(name) != held and not _is_definition(name, held.value):
                lines.append(f"{name} = {self.held(held)}")
        lines += [f"del {name}" for name in self.before if name not in self.module.cells]
        lines += self._environment()
        lines += [f"changes {name}: {why}" for name, why in self.tampered.items()]
        lines += [f"writes {self._short(path)}" for path in sorted(self.overwritten)]
        lines += [self._event(event) for event in self.events]
        lines += [self._stated(stated) for stated in self.stated]
        return [*lines, f"ends: {self.ends}"] if self.ends else lines

    def _environment(self) -> list[str]:
        lines = []
        for name in {**self.environment, **self.environ.cells}:
            held = self.environ.cells.get(name)
            if held != self.environment.get(name):
                shown = self.held(held) if held else "-"
                lines.append(f"environ {name if name is not OPEN else '..'} = {shown}")
        return lines

    def _event(self, event: Event) -> str:
        settings = self._named(event.settings)
        text = f"{event.kind} {self._short(event.name)}{self._at(event.place)}({settings})"
        if event.subject is not None:
            now = self.value(event.subject)
            text += "" if settings == f"self={now}" else f" now {now}"
        text += f" perhaps: {event.uncertain}" if event.uncertain else ""
        return text + (f" ..<{event.why_open}>" if event.why_open else "")

    def _stated(self, stated: Stated) -> str:
        settings = [f"{s.way} {s.name}={s.value!r}{self._at(s.place)}" for s in stated.settings]
        text = f"stated {' '.join(stated.classes)}{self._at(stated.place)}"
        text += f": {', '.join(settings)}" if settings else ""
        text += f" own {' '.join(sorted(stated.own))}" if stated.own else ""
        flags = ("is_complete", "has_others", "is_command", "abbreviates")
        return text + "".join(f" {name}" for name in flags if getattr(stated, name))

    def _named(self, settings: Mapping[str, Held]) -> str:
        return ", ".join(f"{name}={self.held(held)}" for name, held in settings.items())

    def _short(self, text: str) -> str:
        return text.replace(self.folder + "/", "").replace(self.folder, ".")

    def _at(self, place: Place | None) -> str:
        if place is None:
            return ""
        numbers = ":".join(str(number) for number in (place.line, place.column) if number)
        if place.path == self.path:
            return f"@{numbers or 'script'}"
        return f"@{self._short(place.path)}" + (f":{numbers}" if numbers else "")

    def held(self, held: Held, depth: int = 0) -> str:
        """Show what a cell holds."""
        return self.value(held.value, depth) + self._at(held.place) + (" maybe" if held.optional else "")

    def value(self, value: Value, depth: int = 0) -> str:
        """Show a value."""
        if depth > _DEEPEST:
            return "..."
        if isinstance(value, Const):
            return repr(value.value) + (f" ({self._short(value.remark)})" if value.remark else "")
        if isinstance(value, Unknown):
            listed = " or ".join(map(repr, value.candidates))
            text = f"{self._short(value.why)}: {listed}" if listed else self._short(value.why)
            return "<UNSET>" if value is UNSET else f"<{text}{' unless set' if value.unless_set else ''}>"
        if isinstance(value, Lib):
            return value.path if value.imported else f"~{value.path}"
        if isinstance(value, Mutable):
            return self._mutable(value, depth + 1)
        return self._callable(value, depth + 1)

    def _mutable(self, value: Mutable, depth: int) -> str:
        if isinstance(value, Environ):
            return "environ"
        if isinstance(value, Frame):
            return "this module" if value is self.module else f"frame of {self._short(value.path)}"
        if isinstance(value, ClassValue):
            return f"class {value.name}"
        cells = {key: held for key, held in value.cells.items() if key not in (ITEMS, OPEN)}
        more = [f"..<{self._short(value.why_open)}>"] if value.why_open else []
        if isinstance(value, Seq):
            begin, end = {"list": "[]", "tuple": "()"}.get(value.kind, (f"{value.kind}(", ")"))
            items = value.cells[ITEMS].value
            parts = [self.held(h, depth) for h in items.held] if isinstance(items, Items) else [self.value(items)]
            return begin + ", ".join(parts + more) + end
        if isinstance(value, Table):
            parts = [f"{key!r}: {self.held(held, depth)}" for key, held in cells.items()]
            return "{" + ", ".join(parts + more) + "}"
        assert isinstance(value, Obj)
        steps = value.cells.get(ITEMS)
        if steps is not None and value.kind == Lib(KIND):
            count = len(steps.value.held) if isinstance(steps.value, Items) else self.value(steps.value)
            more.insert(0, f"{count} steps")
        parts = [f"{key}={self.held(held, depth)}" for key, held in cells.items()]
        return f"{self.value(value.kind)}{self._at(value.place)}(" + ", ".join(parts + more) + ")"

    def _callable(self, value: Value, depth: int) -> str:
        if isinstance(value, Function):
            return f"function {getattr(value.node, 'name', 'lambda')}"
        if isinstance(value, Bound):
            return f"{self.value(value.function, depth)} of {self.value(value.receiver, depth)}"
        if isinstance(value, Method):
            return f"method {value.name} of {self.value(value.receiver, depth)}"
        if isinstance(value, Partial):
            parts = [self.held(held, depth) for held in value.arguments]
            parts = [self.value(value.function, depth), *parts, self._named(value.keywords)]
            return f"partial({', '.join(part for part in parts if part)})"
        if isinstance(value, Super):
            return f"super({self.value(value.owner)}, {self.value(value.receiver, depth)})"
        if isinstance(value, Either):
            return " | ".join(self.value(part, depth) for part in value.values)
        assert isinstance(value, Native)
        return f"native {value.name}"


def _is_definition(name: object, value: Value) -> bool:
    """Return whether a name is that of a function, a class or an import, which outcomes leave out."""
    if isinstance(value, Function):
        return getattr(value.node, "name", "") == name
    return isinstance(value, ClassValue | Lib) and value.name == name


def _started(start: Start, command: str, folder: Path) -> Start:
    if not command:
        return start
    words = [word(each, "{?}", "{*}") for each in shlex.split(command)]
    others = Others.INHERITED
    if words[:1] == ["-i"]:
        others, words = Others.UNSET, words[1:]
    values: dict[str, str | None] = {}
    while words and "=" in words[0] and words[0].partition("=")[0].isupper():
        name, _, text = words.pop(0).partition("=")
        values[name] = None if text == "{unset}" else text
    place = Place(str(folder / "run.sh"), 3, 1)
    environment = Environment(values, others, dict.fromkeys(values, place))
    return start._replace(words=tuple(words[1:]) if words else start.words, place=place, environment=environment)
