"""Reads Jupyter notebooks: their Python code, and the programs that their cells start.

Cells run from top to bottom. A notebook runs in its own folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from vcompat.facts.facts import Place
from vcompat.sources.reading.containers.container_commands import Context, join_folder, run_text
from vcompat.sources.reading.invocation import Environment, Invocation, Others
from vcompat.sources.reading.notebooks import ipython
from vcompat.sources.reading.notebooks.notebook_environment import Change, changes
from vcompat.sources.reading.notebooks.notebook_file import Cell, read_cells
from vcompat.sources.reading.notebooks.notebook_values import Names, names_of, substitute
from vcompat.sources.reading.word import UNKNOWN, Word


class Notebook(NamedTuple):
    """A notebook."""

    source: str
    """Its code as Python. ``__unknown_magic__()`` stands for what cannot be followed."""
    file_lines: list[int]
    """Of each line of the source: the line of the file that holds it."""
    invocations: list[Invocation]


def read_notebook(path: str, values: Mapping[str, str] | None = None) -> Notebook:
    """Read the notebook at `path`. `values` are presumed for variables in commands.

    Raises InputError if it is not a notebook in Python.
    """
    cells = [(cell, ipython.rewrite(cell.lines)) for cell in read_cells(path)]
    names = names_of(rewritten.lines for _, rewritten in cells)._replace(presumed=values or {})
    state = _State(path, names)
    source: list[str] = []
    file_lines: list[int] = []
    for cell, rewritten in cells:
        state.run(cell, rewritten)
        source += rewritten.lines
        file_lines += cell.positions
    return Notebook("\n".join(source) + "\n", file_lines, state.invocations)


class _State:
    """Follows the environment, the folder and the files that commands in cells see."""

    def __init__(self, path: str, names: Names) -> None:
        self.path, self.names = path, names
        self.assigned: frozenset[str] = frozenset()
        """The constants of the cells before."""
        self.environment = Environment()
        self.folder: Word = ""
        self.files: dict[Word, str | None] = {}
        self.invocations: list[Invocation] = []

    def run(self, cell: Cell, rewritten: ipython.Rewritten) -> None:
        events: list[Change | ipython.Effect] = [*changes(rewritten.lines), *rewritten.effects]
        for event in sorted(events, key=lambda event: event.line):
            if isinstance(event, Change):
                self._change(event, self._place(cell, event.line))
            elif isinstance(event, ipython.Written):
                self.files[join_folder(self.folder if isinstance(self.folder, str) else "", event.path)] = event.text
            else:
                self._start(event, self._place(cell, event.line))
        self.assigned |= names_of([rewritten.lines]).bound

    def _start(self, effect: ipython.Shell | ipython.Program, place: Place) -> None:
        if isinstance(effect, ipython.Program):
            found = [Invocation(effect.words, place, self.environment, self.folder)]
        else:
            text = substitute(effect.text, self.names, self.assigned) if effect.substituted else effect.text
            context = Context(self.environment, self.folder, self.files)
            found = run_text(text, place, context, effect.arguments)
        why = "the command is in a block of the notebook, or in a cell that is not Python" if effect.in_block else ""
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
            values: dict[str, Word | None] = {**old.values, change.name: change.value}
            self.environment = old._replace(values=values, places={**old.places, change.name: place})
        else:
            values = dict.fromkeys(old.values, UNKNOWN) if change.overrides else dict(old.values)
            why = old.why_open or f"{change.what} may set variables"
            self.environment = old._replace(values=values, others=Others.UNKNOWN, why_open=why)

    def _place(self, cell: Cell, index: int) -> Place:
        return Place(self.path, cell.positions[index])
