"""The words of the programs that a script starts, and a comparison with those that bash starts.

In the tables, control characters, and a blank at the end of a line, are written with their symbols, such as ``␊`` for a
line end.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests import tables
from vcompat.facts.facts import Place
from vcompat.sources.reading.invocation import Environment, Others
from vcompat.sources.reading.shell.running.shell_statements import Interpreter
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


def read(text: str) -> str:
    """Return text of a table with the characters that its symbols stand for."""
    return text.translate(_SYMBOLS)


def spelled(text: str) -> str:
    """Return text as a table has it."""
    return re.sub(r"[\x00-\x1f]| $", lambda match: chr(0x2400 + ord(match[0])), text)


def contradictions(test: str, name: str, **caller: str) -> list[str]:
    """Run the scripts of the table beside a test with bash, and return those that do not start what it states.

    What the table leaves open may be anything. Cases with programs that may not start are not compared.
    """
    cases = tables.read(Path(test).parent / name)
    pairs = [(read(case.text), read(case.expected)) for case in cases if "? " not in case.expected]
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
