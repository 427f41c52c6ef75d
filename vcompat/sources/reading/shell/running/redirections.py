"""Redirections: what a command reads, and the files that it writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from vcompat.sources.reading.shell.running.execution import Machine, key_of
from vcompat.sources.reading.shell.tree.nodes import Literal, Part, Redirection, SingleQuoted, Statement
from vcompat.sources.reading.shell.words.expansion import Expander
from vcompat.sources.reading.shell.words.shell_values import bounded, matchable
from vcompat.sources.reading.shell.words.state import State
from vcompat.sources.reading.word import UNKNOWN, Word, concat, mapped

#: The text of a file while a command with a redirection to it runs.
BEING_WRITTEN = UNKNOWN

_HERE_DOCUMENTS = frozenset(("<<", "<<-"))
_READING = frozenset(("<<", "<<-", "<<<", "<", "<>"))


class Stream(NamedTuple):
    """A file that a command writes."""

    is_stdout: bool
    appends: bool


class Streams(NamedTuple):
    """The redirections of one command."""

    reads: bool
    """Whether its standard input is redirected."""
    stdin: Word | None
    """The text that it reads; None if it is not known."""
    stdout: Word | None
    """The file that gets its output; None if the output is not redirected, empty if it is dropped."""
    files: dict[Word, Stream]


def streams(redirects: Sequence[Redirection], expander: Expander, machine: Machine) -> Streams:
    """Return what the redirections of a command mean."""
    reads = False
    stdin: Word | None = None
    stdout: Word | None = None
    files: dict[Word, Stream] = {}
    for redirect in redirects:
        operator, number = redirect.operator, redirect.number
        text = _here_document(redirect, expander) if operator in _HERE_DOCUMENTS else expander.text(redirect.word)
        if operator in _READING:
            if number in ("", "0"):
                reads, stdin = True, _read(operator, text, expander, machine)
            continue
        duplicates = operator in (">&", "<&") and re.fullmatch(r"\d+-?|-", matchable(text)) is not None
        is_stdout = operator != "<&" and number in ("", "1") and not (duplicates and text == "1")
        if is_stdout:
            # What gets the output after all is the last one.
            files = {key: stream._replace(is_stdout=False) for key, stream in files.items()}
        key = "" if duplicates else _key(text, expander.state)
        stdout = key if is_stdout else stdout
        if key:
            files[key] = Stream(is_stdout, operator in (">>", "&>>"))
    return Streams(reads, stdin, stdout, files)


def _key(text: Word, state: State) -> Word:
    return "" if text.startswith("/dev/") else key_of(text, state)


def _read(operator: str, text: Word, expander: Expander, machine: Machine) -> Word | None:
    if operator in _HERE_DOCUMENTS:
        return text
    if operator == "<<<":
        return text + "\n"
    if text == "/dev/null":
        return ""
    found = machine.find(text, expander.state, beside=False)
    return None if found is None else found.text


def _here_document(redirect: Redirection, expander: Expander) -> Word:
    parts: Sequence[Part] = redirect.body or ()
    if redirect.operator == "<<-":
        parts = _without_tabs(parts)
    if isinstance(redirect.word.parts[0], SingleQuoted):
        # The delimiter has quotes: the text stays as it is.
        return bounded(concat(part.text for part in parts if isinstance(part, Literal)))
    return expander.here_document(parts)


def _without_tabs(parts: Sequence[Part]) -> list[Part]:
    """Return a here-document without the tabs at the starts of its lines."""
    result: list[Part] = []
    at_start = True
    for part in parts:
        text = part.text if isinstance(part, Literal) else ""
        tabs = re.compile(r"(?:^|(?<=\n))\t+" if at_start else r"(?<=\n)\t+")
        result.append(Literal(concat(mapped(text, tabs.split))) if text else part)
        at_start = text.endswith("\n")
    return result


def write(state: State, key: Word, text: Word | None, appends: bool) -> None:
    """Record that a file was written. Text None: its content is not known."""
    if text is None or text == BEING_WRITTEN or not isinstance(key, str):
        if isinstance(key, str):
            state.files[key] = None
        else:
            # Any of the files may be the one.
            state.files = dict.fromkeys(state.files)
        return
    if appends:
        before = state.files.get(key)
        state.files[key] = None if before is None else bounded(before + text)
    else:
        state.files[key] = bounded(text)


def of_read(statements: Sequence[Statement], expander: Expander, machine: Machine) -> Word | None:
    """Return the text of ``$(< file)``; None if the statements are something else."""
    first = statements[0]
    redirects = first.redirections
    if len(statements) != 1 or first.command or len(redirects) != 1 or redirects[0].operator != "<":
        return None
    found = machine.find(expander.text(redirects[0].word), expander.state, beside=False)
    return UNKNOWN if found is None else found.text
