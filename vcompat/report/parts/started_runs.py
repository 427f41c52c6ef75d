"""The runs that run files start, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

#: Maximum length of a command, and number of values of an option, that are shown.
_LONGEST, _MOST_VALUES = 200, 4


def started(runs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield a label and a text for each command of `runs`, which are positions with their commands.

    Those that start one script with other arguments are one command, with the words in which they differ.
    """
    alike: dict[tuple[str, int], list[list[str]]] = {}
    for name, command in runs:
        words = command.split(" ")
        alike.setdefault((name, len(words)), []).append(words)
    for (name, _), each in alike.items():
        first, place = each[0], f" ({name})" if each[0] != [""] else name
        differing = [index for index, words in enumerate(zip(*each, strict=True)) if len(set(words)) > 1]
        if not differing:
            yield ("A run:" if len(each) == 1 else f"{len(each)} runs:"), _shortened(" ".join(first)) + place
            continue
        common = " ".join("..." if index in differing else word for index, word in enumerate(first))
        told = ", ".join(_told(first, index, [words[index] for words in each]) for index in differing)
        yield f"{len(each)} runs:", f"{_shortened(common)}{place}, with {told}"


def _told(words: Sequence[str], index: int, values: Sequence[str]) -> str:
    """Return the values that runs have in the place of one word, after the option before it."""
    option = f"{words[index - 1]} " if index and words[index - 1].startswith("-") else ""
    listed = list(dict.fromkeys(values))
    more = len(listed) - _MOST_VALUES
    return (
        option + " or ".join(listed[:_MOST_VALUES]) + (f" or {more} other{'s' if more > 1 else ''}" if more > 0 else "")
    )


def _shortened(command: str) -> str:
    return command if len(command) <= _LONGEST else f"{command[:_LONGEST]} ..."
