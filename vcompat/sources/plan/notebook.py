"""Reads Jupyter notebooks: their Python code, and the programs that their cells start.

Cells run from top to bottom. A notebook runs in its own folder.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from vcompat.facts.facts import Place
from vcompat.sources.plan import ipython
from vcompat.sources.plan.invocation import UNKNOWN, UNKNOWN_WORDS, Environment, Invocation, Others
from vcompat.sources.plan.notebook_environment import Change, changes
from vcompat.sources.plan.notebook_file import Cell, read_cells
from vcompat.sources.plan.shell import run_shell
from vcompat.sources.plan.workload import join_folder


class Notebook(NamedTuple):
    """A notebook."""

    path: str
    source: str
    """Its code as Python. ``__unknown_magic__()`` stands for what cannot be followed."""
    lines: list[tuple[int, int]]
    """Of each line of the source: the cell and the line in it, from 1."""
    file_lines: list[int]
    """Of each line of the source: the line of the file that holds it."""
    invocations: list[Invocation]

    def place(self, line: int, column: int = 0) -> Place:
        """Return the position in the file of a line of the source, counted from 1."""
        # The column is of no use: the code is inside a JSON string.
        known = 0 < line <= len(self.file_lines)
        return Place(self.path, self.file_lines[line - 1] if known else 0)


def read_notebook(path: str) -> Notebook:
    """Read the notebook at `path`.

    Raises InputError if it is not a notebook in Python.
    """
    state = _State(path)
    source: list[str] = []
    lines: list[tuple[int, int]] = []
    file_lines: list[int] = []
    for cell in read_cells(path):
        rewritten = ipython.rewrite(cell.lines)
        state.run(cell, rewritten)
        source += rewritten.lines
        lines += [(cell.number, number) for number in range(1, len(rewritten.lines) + 1)]
        file_lines += [*cell.positions, *[0] * len(rewritten.lines)][: len(rewritten.lines)]
    return Notebook(path, "\n".join(source) + "\n", lines, file_lines, state.invocations)


class _State:
    """Follows the environment, the folder and the files that commands in cells see."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.environment = Environment()
        self.folder = ""
        self.files: dict[str, str | None] = {}
        self.invocations: list[Invocation] = []

    def run(self, cell: Cell, rewritten: ipython.Rewritten) -> None:
        events: list[Change | ipython.Effect] = [*changes(rewritten.lines), *rewritten.effects]
        for event in sorted(events, key=lambda event: event.line):
            if isinstance(event, Change):
                self._change(event, self._place(cell, event.line))
            elif isinstance(event, ipython.Written):
                self.files[join_folder("", event.path)] = event.text
            else:
                self._start(event, self._place(cell, event.line))

    def _start(self, effect: ipython.Shell | ipython.Program, place: Place) -> None:
        if isinstance(effect, ipython.Program):
            found = [Invocation(effect.words, place, self.environment, self.folder)]
        else:
            text = _without_python(effect.text) if effect.substituted else effect.text
            arguments, start = list(effect.arguments), self.environment
            line, folder = place.line or 1, self.folder
            found = list(
                run_shell(text, self.path, line=line, start=start, arguments=arguments, folder=folder).invocations
            )
        why = "the command is in a block of the notebook" if effect.in_block else ""
        background = isinstance(effect, ipython.Shell) and effect.background
        for each in found:
            self.invocations.append(
                each._replace(
                    files={**self.files, **each.files},
                    background=each.background or background,
                    why_uncertain=each.why_uncertain or why,
                )
            )

    def _change(self, change: Change, place: Place) -> None:
        old = self.environment
        if change.folder is not None:
            self.folder = join_folder(self.folder, change.folder)
        elif change.name:
            values = {**old.values, change.name: change.value}
            self.environment = old._replace(values=values, places={**old.places, change.name: place})
        else:
            values = dict.fromkeys(old.values, UNKNOWN) if change.overrides else dict(old.values)
            why = old.why_open or f"{change.what} may set variables"
            self.environment = old._replace(values=values, others=Others.UNKNOWN, why_open=why)

    def _place(self, cell: Cell, index: int) -> Place:
        return Place(self.path, cell.positions[index] if index < len(cell.positions) else 0)


_PYTHON_VALUE = re.compile(r"\{[^{}\s][^{}]*\}|\$\$?[A-Za-z_]\w*")


def _without_python(text: str) -> str:
    """Return a command with what IPython replaces by Python values, ``{x}`` and ``$x``, as unknown words."""
    return _PYTHON_VALUE.sub(lambda match: match[0][1:] if match[0].startswith("$$") else UNKNOWN_WORDS, text)
