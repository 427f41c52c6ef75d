"""The commands that one place of a script starts many times, such as in nested loops, put together as one.

A word, a variable or a file in which they differ is not known of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import takewhile

from vcompat.sources.reading.commands.server import serves
from vcompat.sources.reading.commands.started import Started
from vcompat.sources.reading.invocation import Environment, Invocation
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS, Gap, Word, concat, has_words

#: Maximum number of commands that are read one by one. Each takes some tenths of a second.
MOST_SEPARATE = 12

Command = tuple[Started, Invocation]


def put_together(commands: Sequence[Command]) -> list[Command]:
    """Return `commands`; if they are many, with one for those of the same place that have the same options."""
    if len(commands) <= MOST_SEPARATE:
        return list(commands)
    groups: dict[Hashable, list[Command]] = {}
    for command in commands:
        # Which of several servers a trainer asks depends on each of them.
        groups.setdefault(object() if serves(command[0]) else _shape(*command), []).append(command)
    return [group[0] if len(group) == 1 else _one(group) for group in groups.values()]


def _shape(started: Started, invocation: Invocation) -> Hashable:
    """Return what commands have in common that can be put together."""
    options = tuple(_option(word) for word in started.arguments)
    kept = (started.launcher, started.script, started.module, started.code, tuple(started.launcher_options))
    around = (len(started.wrapped_by), started.changes, invocation.job, invocation.environment.others)
    return (invocation.place, len(invocation.words), kept, options, repr(around))


def _option(word: Word) -> Word | None:
    """Return the name of an option; None for a word that is not one."""
    return word.partition("=")[0] if word.startswith("-") else None


def _one(commands: Sequence[Command]) -> Command:
    first, invocation = commands[0]
    options = {
        name: _value([started.launcher_options[name] for started, _ in commands]) for name in first.launcher_options
    }
    started = first._replace(
        launcher_options=options,
        arguments=_words([started.arguments for started, _ in commands]),
        wrapped_by=_words([started.wrapped_by for started, _ in commands]),
    )
    each = [one for _, one in commands]
    uncertain = [one.why_uncertain for one in each]
    return started, invocation._replace(
        words=_words([one.words for one in each]),
        environment=_environment([one.environment for one in each]),
        folder=_word([one.folder for one in each]),
        files=_files([one.files for one in each]),
        # One of them certainly runs.
        why_uncertain="" if not all(uncertain) else uncertain[0],
        background=any(one.background for one in each),
    )


def _words(each: Sequence[Sequence[Word]]) -> tuple[Word, ...]:
    return tuple(_word(words) for words in zip(*each, strict=True))


def _value(values: Sequence[Word | bool]) -> Word | bool:
    return _word([value for value in values if not isinstance(value, bool)]) if True not in values else True


def _word(words: Sequence[Word]) -> Word:
    """Return the one word that `words` are, with a gap where they differ."""
    if all(word == words[0] for word in words):
        return words[0]
    texts = [word for word in words if isinstance(word, str)]
    if len(texts) < len(words):
        return UNKNOWN_WORDS if any(map(has_words, words)) else UNKNOWN
    start = _common_start(texts)
    return concat((start, Gap.PART, _common_start([text[len(start) :][::-1] for text in texts])[::-1]))


def _common_start(texts: Sequence[str]) -> str:
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return "".join(letters[0] for letters in same)


def _environment(each: Sequence[Environment]) -> Environment:
    values: dict[str, Word | None] = {}
    places = {name: place for environment in each for name, place in environment.places.items()}
    for name in dict.fromkeys(name for environment in each for name in environment.values):
        found = [environment.values.get(name) for environment in each]
        known = [value for value in found if value is not None]
        values[name] = _word(known) if len(known) == len(found) else UNKNOWN if known else None
    return each[0]._replace(values=values, places=places)


def _files(each: Sequence[Mapping[Word, str | None]]) -> dict[Word, str | None]:
    files: dict[Word, str | None] = {}
    for path in dict.fromkeys(path for one in each for path in one):
        texts = {one.get(path) for one in each}
        files[path] = texts.pop() if len(texts) == 1 else None
    return files
