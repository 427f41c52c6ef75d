"""Rewrites IPython's syntax as Python, line by line: ``!command``, ``%magic``, ``%%cell_magic``, ``?help``.

What cannot be rewritten becomes a call of ``__unknown_magic__()``, which can have changed anything. The output of a
command becomes ``__unknown_output__()``.
"""

from __future__ import annotations

import ast
import re
import shlex
from typing import NamedTuple

#: The name of the function that stands for what cannot be followed.
UNKNOWN_MAGIC = "__unknown_magic__"
#: The name of the function that stands for a value that is not known: it changes nothing.
UNKNOWN_OUTPUT = "__unknown_output__"


class Shell(NamedTuple):
    """A shell command, or a script in a cell."""

    line: int
    """The index of its first line in the cell."""
    text: str
    arguments: tuple[str, ...]
    background: bool
    in_block: bool = False
    """It is under an ``if``, in a loop or in a function, or in a cell that is not Python."""
    substituted: bool = True
    """IPython replaces ``{x}`` and ``$x`` by Python values."""


class Program(NamedTuple):
    """A script that ``%run`` runs in the process of the notebook."""

    line: int
    words: tuple[str, ...]
    in_block: bool


class Written(NamedTuple):
    """A file that ``%%writefile`` writes; None if its text is not known."""

    line: int
    path: str
    text: str | None


Effect = Shell | Program | Written


class Rewritten(NamedTuple):
    """A cell as Python, with as many lines as it had."""

    lines: list[str]
    effects: list[Effect]
    """What it does besides running Python, by line."""


def rewrite(lines: list[str]) -> Rewritten:
    """Rewrite a cell.

    A magic of the whole cell may follow comments, as Colab has it after ``#@title``. Elsewhere such a cell is refused.
    """
    first = next((index for index, line in enumerate(lines) if line.strip() and not line.startswith("#")), None)
    if first is not None and lines[first].startswith("%%"):
        return _cell_magic(lines, first)
    return _rewrite_lines(lines)


_SCRIPT_MAGICS = frozenset("bash sh script".split())
_NO_EFFECT_CELLS = frozenset("html HTML javascript js markdown latex svg SVG python python3 perl ruby".split())


def _cell_magic(lines: list[str], first: int) -> Rewritten:
    name, _, rest = lines[first][2:].strip().partition(" ")
    body, blank = lines[first + 1 :], [""] * (first + 1)
    if name == "capture" or (name == "time" and not rest):
        inner = rewrite(body)
        # `%%capture x` defines x.
        defined = [f"{word} = {UNKNOWN_OUTPUT}()" for word in rest.split() if word.isidentifier()]
        blank[first:] = defined[:1] or [""]
        return Rewritten([*blank, *inner.lines], _shifted(inner.effects, first + 1))
    empty = [*blank, *[""] * len(body)]
    if name in _SCRIPT_MAGICS:
        script = _script(name, rest, body, first + 1)
        return Rewritten(empty, [script]) if script else _unknown_cell(body, first)
    if name in ("writefile", "file"):
        return Rewritten(empty, [_written(first, rest.split(), body)])
    return Rewritten(empty, []) if name in _NO_EFFECT_CELLS else _unknown_cell(body, first)


def _written(line: int, words: list[str], body: list[str]) -> Written:
    """Return the file that a cell writes; its text is not known if it is appended, or the path is computed."""
    path = words[-1].strip("\"'") if words else ""
    is_open = {"-a", "--append"} & set(words[:-1]) or "{" in path or "$" in path
    return Written(line, path, None if is_open else "\n".join(body) + "\n")


def _script(name: str, rest: str, body: list[str], line: int) -> Shell | None:
    """Return the shell script of a cell; None if it is another program's, or depends on Python values."""
    try:
        words = shlex.split(rest)
    except ValueError:
        return None
    if name == "script":
        if not words or words[0].rpartition("/")[2] not in ("bash", "sh", "zsh"):
            return None
        words = words[1:]
    if "$" in rest or "{" in rest:
        return None
    arguments = words[words.index("-s") + 1 :] if "-s" in words else []
    return Shell(line, "\n".join(body) + "\n", tuple(arguments), "--bg" in words, substituted=False)


def _shifted(effects: list[Effect], by: int) -> list[Effect]:
    return [effect._replace(line=effect.line + by) for effect in effects]


def _unknown_cell(body: list[str], first: int) -> Rewritten:
    """Return a cell whose body may run as Python, or not at all."""
    inner = rewrite(body)
    # Indenting changes a text of several lines, but then its value is only possible anyway.
    indented = [f"    {line}" if line.strip() else "" for line in inner.lines]
    guarded = [*[""] * first, f"if {UNKNOWN_MAGIC}():", *indented]
    if _parses("\n".join(guarded) + "\n"):
        return Rewritten(guarded, [])
    return Rewritten([*[""] * first, f"{UNKNOWN_MAGIC}()", *[""] * len(body)], [])


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


_ASSIGNED = re.compile(r"^(\s*)([A-Za-z_][\w.,\s\[\]\"']*?)\s*=\s*([!%])(.+)$")
_HELP = re.compile(r"^\s*\?{1,2}[\w.*%]|[\w.*)\]]\?{1,2}\s*$")


def _rewrite_lines(lines: list[str]) -> Rewritten:
    result: list[str] = []
    effects: list[Shell | Program] = []
    scanner, index = _Scanner(), 0
    while index < len(lines):
        line, taken = lines[index], 1
        if not scanner.inside and not scanner.continued:
            while line.endswith("\\") and line.lstrip()[:1] in ("!", "%") and index + taken < len(lines):
                line, taken = f"{line}\n{lines[index + taken]}", taken + 1
            python, found = _rewrite_line(line, index)
            effects += found
        else:
            python = line
        scanner.read(python)
        result += [python, *[""] * (taken - 1)]
        index += taken
    if not _parses("\n".join(result) + "\n"):
        # The cell stops with a syntax error, or uses syntax that is not known here.
        perhaps = [effect._replace(in_block=True) for effect in effects]
        return Rewritten([f"{UNKNOWN_MAGIC}()", *[""] * (len(lines) - 1)], [*perhaps])
    return Rewritten(result, [*effects])


def _rewrite_line(line: str, index: int, in_block: bool = False) -> tuple[str, list[Shell | Program]]:
    """Return a line that begins a statement as Python, and what else it does."""
    indent, text = line[: len(line) - len(line.lstrip())], line.strip()
    in_block = in_block or indent != ""
    if text.startswith("!"):
        return f"{indent}pass", [_command(text.lstrip("!"), index, in_block)]
    if text.startswith("%") and not text.startswith("%%"):
        python, effects = _line_magic(text[1:], index, in_block)
        return indent + python, effects
    assigned = _ASSIGNED.match(line)
    if assigned:
        if assigned[3] == "%":
            return f"{assigned[1]}{assigned[2]} = {UNKNOWN_MAGIC}()", []
        command = _command(assigned[4], index, in_block)
        return f"{assigned[1]}{assigned[2]} = {UNKNOWN_OUTPUT}()", [command]
    if text and not text.startswith("#") and _HELP.search(text) and "=" not in text:
        return f"{indent}pass", []
    return line, []


def _command(text: str, index: int, in_block: bool) -> Shell:
    return Shell(index, text, (), text.rstrip().endswith("&"), in_block)


_HARMLESS = frozenset(
    """conda mamba load_ext reload_ext unload_ext matplotlib autoreload config precision pwd ls ll who
    lsmagic pinfo pinfo2 psource pdoc pfile history hist notebook colors xmode tb doctest_mode pprint cat man more less
    mkdir rm cp mv rmdir tensorboard logstart logstop pylab""".split()
)


def _line_magic(text: str, index: int, in_block: bool) -> tuple[str, list[Shell | Program]]:
    name, _, rest = text.partition(" ")
    rest = rest.strip()
    if name in ("env", "set_env"):
        return _env(rest), []
    if name == "cd":
        return _cd(rest), []
    if name == "time":
        return _rewrite_line(rest, index, in_block) if rest else ("pass", [])
    if name in ("pip", "uv"):
        return "pass", [_command(text, index, in_block)]
    if name in ("sx", "system", "sc"):
        return "pass", [_command(rest, index, in_block)]
    if name == "run":
        return f"{UNKNOWN_MAGIC}()", _run(rest, index, in_block)
    return "pass" if name in _HARMLESS else f"{UNKNOWN_MAGIC}()", []


def _env(rest: str) -> str:
    name, equals, value = rest.partition("=")
    if not equals:
        name, _, value = rest.partition(" ")
    name, value = name.strip(), value.strip()
    if not name or (not equals and not value):
        # It only shows variables.
        return "pass"
    if any(character.isspace() for character in name):
        return f"{UNKNOWN_MAGIC}()"
    if "{" in rest or "$" in rest:
        # IPython substitutes variables of the notebook.
        return f"import os; os.environ[{name!r}] = {UNKNOWN_OUTPUT}()"
    return f"import os; os.environ[{name!r}] = {value!r}"


def _cd(rest: str) -> str:
    path = rest.removeprefix("-q ").strip().strip("\"'")
    if not path or path.startswith("-") or "$" in path or "{" in path or "~" in path:
        return f"import os; os.chdir({UNKNOWN_OUTPUT}())"
    return f"import os; os.chdir({path!r})"


def _run(rest: str, index: int, in_block: bool) -> list[Shell | Program]:
    try:
        words = shlex.split(rest)
    except ValueError:
        return []
    while words and words[0] in ("-i", "-n", "-e", "-G"):
        words = words[1:]
    if not words or "$" in rest or "{" in rest or not words[0].endswith(".py"):
        return []
    return [Program(index, ("python", *words), in_block)]


class _Scanner:
    """Follows quotes and brackets across lines: a line inside them is not the begin of a statement."""

    _TOKEN = re.compile(r"\"\"\"|'''|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|#|[()\[\]{}]|\\.")

    def __init__(self) -> None:
        self.quote, self.depth = "", 0
        self.continued = False

    @property
    def inside(self) -> bool:
        """Whether the next line continues a text or an expression in brackets."""
        return bool(self.quote) or self.depth > 0

    def read(self, line: str) -> None:
        position, comment = 0, False
        while position < len(line):
            if self.quote:
                position = self._end_of_text(line, position)
                continue
            match = self._TOKEN.search(line, position)
            if match is None:
                break
            position, token = match.end(), match[0]
            if token == "#":
                comment = True
                break
            if token in ('"""', "'''"):
                self.quote = token
            elif token in "([{":
                self.depth += 1
            elif token in ")]}":
                self.depth = max(0, self.depth - 1)
        self.continued = not comment and not self.quote and line.endswith("\\")

    def _end_of_text(self, line: str, position: int) -> int:
        while position < len(line):
            if line[position] == "\\":
                position += 2
            elif line.startswith(self.quote, position):
                position += len(self.quote)
                self.quote = ""
                return position
            else:
                position += 1
        return position
