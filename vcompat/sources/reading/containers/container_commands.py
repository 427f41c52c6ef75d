"""What the command of a container starts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vcompat.facts.facts import Place
from vcompat.sources.reading.invocation import Environment, Invocation
from vcompat.sources.reading.shell import run_shell
from vcompat.sources.reading.word import (
    UNKNOWN,
    UNKNOWN_WORDS,
    Word,
    base_name,
    begins_with_gap,
    has_words,
    joined,
    mapped,
    readable,
)


class Command(NamedTuple):
    """A command's words, or parts of them."""

    words: tuple[Word, ...]
    place: Place


class Context(NamedTuple):
    """Where a script runs."""

    environment: Environment
    folder: Word = ""
    files: Mapping[Word, str | None] = {}
    """Files that were written before."""


_SHELLS = frozenset("sh bash dash zsh ash".split())
_PROGRAM = re.compile(
    r"(?:^|/)(?:python[\d.]*|torchrun|accelerate|deepspeed|trl|vllm|uv|poetry|conda|mpirun|mpiexec|srun|env|exec|nohup|"
    r"nsys|bash|sh|dash|zsh|tini|dumb-init|timeout|ray|axolotl|llamafactory-cli|swift|pixi|micromamba)$"
)


def started(command: Command, context: Context) -> list[Invocation]:
    """Return the programs that `command` starts. Shell scripts, also those behind ``bash -c``, are followed.

    `context` is the container's: the files are those that it is known to hold.
    """
    words = command.words[_after_init(command.words) :]
    text = _shell_text(words)
    if text is not None:
        at, arguments = text
        return run_text(words[at], command.place, context, arguments)
    if _has_script(words) and not any(map(has_words, words)):
        # Also one that a launcher such as mpirun starts.
        return run_text(joined(" ", map(_quoted, words)), command.place, context)
    return [Invocation(words, command.place, context.environment, context.folder)] if words else []


def _quoted(word: Word) -> Word:
    return mapped(word, lambda text: (shlex.quote(text),))[0]


def _has_script(words: Sequence[Word]) -> bool:
    is_shell = any(base_name(word) in _SHELLS for word in words[:-1])
    return bool(words) and (is_shell or words[0].endswith((".sh", ".bash")))


#: A variable that stands for text that is not known in a shell script.
_UNKNOWN_TEXT = "__unknown_text__"
_EXPANSION = f"${{{_UNKNOWN_TEXT}}}"
#: Scripts of a container, which are not those of this machine.
_OUTSIDE = re.compile(
    r"(?:^|[\s;&|(])(?:source|\.|bash|sh|zsh)[ \t]+(?:-\S+[ \t]+)*[\"']?[/~$]"
    r"|(?:^|[\s;&|(\"'])[/~][\w./-]*\.(?:sh|bash)\b"
)


def run_text(text: Word, place: Place, context: Context, arguments: Sequence[Word] = ()) -> list[Invocation]:
    """Return the programs that a shell script starts. Parts of `text` that are not known can be several words.

    `place` is the position of its first line.
    """
    environment, folder, files = context
    # A variable, since without quotes the unknown text can be any number of words.
    known = readable(text, _EXPANSION)
    if not isinstance(text, str):
        environment = environment._replace(values={**environment.values, _UNKNOWN_TEXT: UNKNOWN})
    ran = run_shell(
        known,
        place.path,
        line=place.line or 1,
        start=environment,
        arguments=tuple(arguments),
        folder=folder,
        files=files,
        reads=not folder.startswith("/") and not begins_with_gap(folder) and not _OUTSIDE.search(known),
    )
    return list(ran.invocations) if isinstance(text, str) else list(map(_without_variable, ran.invocations))


def _without_variable(invocation: Invocation) -> Invocation:
    """Remove the variable that stands for unknown text. In single quotes it was not expanded."""
    old = invocation.environment
    values = {name: value and _opened(value) for name, value in old.values.items() if name != _UNKNOWN_TEXT}
    files = {name: None if text is not None and _EXPANSION in text else text for name, text in invocation.files.items()}
    return invocation._replace(
        words=tuple(map(_opened, invocation.words)),
        environment=old._replace(values=values),
        files=files,
    )


def _opened(word: Word) -> Word:
    return joined(UNKNOWN, word.split(_EXPANSION))


def _after_init(words: Sequence[Word]) -> int:
    """Return the index of the program that an init process, such as ``tini -g --``, starts."""
    if not words or base_name(words[0]) not in ("tini", "dumb-init", "docker-init", "catatonit"):
        return 0
    index = 1
    while index < len(words) and words[index].startswith("-") and words[index] != "--":
        index += 2 if words[index] in ("-p", "-e", "-r", "--rewrite") else 1
    return index + 1 if index < len(words) and words[index] == "--" else index


def _shell_text(words: Sequence[Word]) -> tuple[int, list[Word]] | None:
    """Return the index of the script text of ``bash -c text name arguments``, and the arguments."""
    if not words or base_name(words[0]) not in _SHELLS:
        return None
    index, text_follows = 1, False
    while index < len(words) and words[index].startswith(("-", "+")) and len(words[index]) > 1:
        option = words[index]
        if not option.startswith("--"):
            text_follows = text_follows or "c" in option
            index += option.endswith(("o", "O"))
        index += 1
    if not text_follows or index >= len(words) or any(map(has_words, words[: index + 1])):
        return None
    return index, list(words[index + 2 :])


def behind_entrypoint(command: Command) -> Command:
    """Return what starts if an image's entrypoint, which is not known, receives the words of `command`.

    Entrypoints of base images prepare something and then run the words that they receive. One that does something else,
    such as ``python`` or ``vllm serve``, is only possible before words that are not a program.
    """
    if not command.words or _PROGRAM.search(readable(command.words[0])):
        return command
    return Command((UNKNOWN, UNKNOWN_WORDS, *command.words), command.place)


def join_folder(folder: Word, inner: Word) -> Word:
    """Return the folder that ``cd inner`` leads to from `folder`; UNKNOWN if that is not known."""
    if not isinstance(inner, str):
        return UNKNOWN
    if inner.startswith("/"):
        return _normal(inner)
    if not isinstance(folder, str):
        return UNKNOWN
    # Two slashes in front would be kept.
    return _normal(f"{folder.rstrip('/')}/{inner}" if folder else inner)


def _normal(path: str) -> str:
    import posixpath

    normal = posixpath.normpath(path)
    return "" if normal == "." else normal
