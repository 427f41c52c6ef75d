"""Spells syntax trees on one line, so that tables of tests can state whole trees, and the words of programs.

`Type(Key=value)` is a node, `{Key=value}` one without a type, `<'a' $X>` a word, `'a'` a literal part, `$X` a plain
parameter, `:x` a value alone, `(a + b)` an arithmetic expression, `test(a == b)` one of a condition, and `3:Type(...)` a
statement of the third line with nothing but a command. `Call[...]` is a command with nothing but words.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from tempfile import TemporaryDirectory
from typing import Any

from vcompat.facts.facts import Place
from vcompat.sources.reading.invocation import Environment, Others
from vcompat.sources.reading.shell.running.statements import Interpreter
from vcompat.sources.reading.shell.tree.syntax import parse
from vcompat.sources.reading.shell.words.state import State
from vcompat.sources.reading.word import Gap, Word

_SYMBOLS = {0x2400 + code: code for code in range(0x21)}
_PLACEHOLDERS = {Gap.PART: "<any>", Gap.ONE: "<one>", Gap.WORDS: "<words>"}


def shown(word: Word) -> str:
    """Return a word with names for what is not known in it."""
    parts = (word,) if isinstance(word, str) else word.parts
    return "".join(_PLACEHOLDERS[part] if isinstance(part, Gap) else part for part in parts)


class _Recorder(Interpreter):
    """Records the words of programs before they are given to others than the shell reader."""

    def __init__(self) -> None:
        super().__init__("run.sh", 1, reads=None)
        self.started: list[str] = []

    def invoke(self, words: Sequence[Word], state: State, place: Place, environment: Environment) -> None:
        before = len(self.invocations)
        super().invoke(words, state, place, environment)
        for invocation in self.invocations[before:] if words[0] == "prog" or not isinstance(words[0], str) else ():
            doubt = "? " if invocation.why_uncertain else ""
            self.started.append(doubt + ("|".join(map(shown, words[1:])) if len(words) > 1 else "()"))


def started(
    text: str,
    arguments: tuple[str, ...] | None = ("p", "q r"),
    others: Others = Others.INHERITED,
    folder: str = "/home",
) -> str:
    """Return the arguments of the programs that a script starts, as ``a|b ; c``.

    ``()`` is a program without arguments; a question mark stands before one that may not start.
    """
    machine, state = _Recorder(), State(positional=arguments, folder=folder, others=others)
    state.script = state.source = "/home/run.sh"
    machine.framed("shell", lambda: machine.run_text(text, "run.sh", 1, state))
    return " ; ".join(machine.started) or "nothing"


def lines(table: str) -> list[tuple[str, str]]:
    """Return the pairs of a table with one case in each line: a script, and what `started` returns for it.

    Control characters, and a blank at the end of a line, are written with their symbols, such as ``␊`` for a line end.
    """
    pairs = (line.rpartition(" => ") for line in table.split("\n") if line)
    return [(script.translate(_SYMBOLS), result.translate(_SYMBOLS)) for script, _, result in pairs]


def contradictions(table: str, **caller: str) -> list[str]:
    """Run the scripts of a table with bash, and return those that do not start what the table states.

    What the table leaves open may be anything. Cases with programs that may not start are not compared.
    """
    pairs = [(script, result) for script, result in lines(table) if "? " not in result]
    head = (
        'exec 9>&1 > /dev/null; prog() { (($#)) && printf "%s\\1" "$@" >&9 || printf "()\\1" >&9; printf "\\2" >&9; }\n'
    )
    parts = [f"(set -- p 'q r'; {script}\n) 2> /dev/null < /dev/null\nprintf '\\3' >&9\n" for script, _ in pairs]
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            ["/bin/bash", "-c", head + "".join(parts), "/home/run.sh"],
            env={"PATH": "/usr/bin:/bin", "HOME": "/root", **caller}, cwd=folder, capture_output=True, check=True,
        )  # fmt: skip
    outputs = done.stdout.decode("utf-8", "replace").split("\3")
    assert len(outputs) == len(pairs) + 1
    return [
        f"{script}: {output!r}, not {result}"
        for (script, result), output in zip(pairs, outputs, strict=False)
        if not re.fullmatch(_pattern(result), output, re.DOTALL)
    ]


def _pattern(result: str) -> str:
    programs = [] if result == "nothing" else result.split(" ; ")
    return "".join("".join(map(_of_word, words.split("|"))) + "\2" for words in programs)


def _of_word(word: str) -> str:
    if word == "<words>":
        return "[^\2]*"
    patterns = {"<any>": "[^\1\2]*", "<one>": "[^\1\2]+", "<words>": "[^\2]*"}
    parts = re.split("(<any>|<one>|<words>)", word)
    return "".join(patterns.get(part) or re.escape(part) for part in parts) + "\1"
