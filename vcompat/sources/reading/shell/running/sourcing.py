"""Files that a script runs in its own shell (`source`) or in another one (`bash file`).

Activating an environment (`source venv/bin/activate`, `conda activate`, `module load`) changes PATH and, for modules,
the paths of libraries. No other variable counts as changed by it. Every other file that cannot be read makes all
variables unknown. The caller's own files, such as ``~/.bashrc``, are not missing: they are no part of the project.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from vcompat.facts.facts import Place
from vcompat.facts.presumption import CALL, Presumption
from vcompat.sources.reading.shell.running.execution import DEEPEST, Machine
from vcompat.sources.reading.shell.tree.spelling import is_of_the_caller
from vcompat.sources.reading.shell.words.shell_values import matchable
from vcompat.sources.reading.shell.words.state import EXPECTED, State
from vcompat.sources.reading.word import UNKNOWN, Word

#: Files that change PATH and define functions only.
_ACTIVATES = re.compile(
    r".*(^|/)(bin/activate|activate|activate\.sh|(conda|mamba|micromamba)\.sh|(modules|lmod|z00_lmod)\.sh"
    r"|(lmod|modules|Modules)/.*init/\w+|profile\.d/\w*(modules|lmod|conda)\w*\.sh|nvm\.sh|\.?cargo/env)"
)


def source(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State | None:
    """Run `source file arguments`."""
    names = [word for word in words[1:] if word != "--"]
    if not names:
        return state
    name = names[0]
    if _ACTIVATES.fullmatch(matchable(name)) or name.endswith("/bin/activate"):
        state.set("PATH", UNKNOWN, place)
        state.status, state.success = None, EXPECTED
        return state
    file = machine.find(name, state) or machine.presumed_file(name, state, place)
    if file is None:
        spelling = machine.spelling(name)
        if not is_of_the_caller(spelling):
            machine.mention(name, "launch", place)
        spelling = spelling if spelling.strip("./") else "a file"
        state.status, state.success = None, EXPECTED
        if state.presumed is not None:
            state.presumed.append(Presumption(CALL, f"{spelling} changes no setting of the run", place))
            return state
        state.open_all(f"{place} runs {spelling}, which is not known")
        state.output += UNKNOWN
        state.success = EXPECTED
        if not isinstance(name, str):
            state.folder = UNKNOWN
        return state
    if sum(frame.kind == "source" for frame in machine.frames) >= DEEPEST:
        # It runs itself again and again.
        return state
    return _inside(machine, file.path, file.text, names[1:], state)


def _inside(machine: Machine, path: str, text: Word, arguments: Sequence[Word], state: State) -> State | None:
    positional, before = state.positional, state.source
    if arguments:
        state.positional = tuple(arguments)
    state.source = path
    result = machine.framed("source", lambda: machine.run_text(text, path, 1, state))
    if result is not None:
        # What the file sets with `set` stays. What is left of its arguments does not.
        if arguments and result.positional in [tuple(arguments[start:]) for start in range(len(arguments) + 1)]:
            result.positional = positional
        result.source = before
        result.success = EXPECTED
    return result
