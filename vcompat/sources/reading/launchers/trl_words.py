"""What the words of a `trl` command state for accelerate, among the settings of the trainer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from vcompat.facts.vocabulary import FLAG, VOCABULARY
from vcompat.sources.reading.commands.launchers import launcher_of, outweighed, record_option
from vcompat.sources.reading.python.libraries.option_names import option_names
from vcompat.sources.reading.word import Word, begins_with_gap, readable

_OWN = frozenset({"config", "accelerate_config"})
_NAMED = re.compile(r"--([A-Za-z][\w-]*)")


def options_of_accelerate(words: Sequence[Word]) -> Mapping[str, Word | bool]:
    """Return the options of `accelerate launch` among `words`; UNKNOWN for those that words after them may set."""
    options: dict[str, Word | bool] = {}
    for index, word in enumerate(words):
        if _may_be_options(words, index):
            outweighed(options)
        elif re.match(r"--\w", readable(word)):
            record_option(launcher_of("accelerate"), words, index, options)
    return options


def has_unknown_options(words: Sequence[Word]) -> bool:
    """Return whether words that are not known may be options."""
    return any(_may_be_options(words, index) for index in range(len(words)))


def _may_be_options(words: Sequence[Word], index: int) -> bool:
    """Return whether the word at `index` may be options. After an option that needs a value, it is this value."""
    if not begins_with_gap(words[index]):
        return False
    before = words[index - 1] if index else ""
    named = _NAMED.fullmatch(before) if isinstance(before, str) else None
    return named is None or not _needs_value(named[1].replace("-", "_"))


def _needs_value(option: str) -> bool:
    fact = VOCABULARY.get(f"plan.{option}")
    of_accelerate = option in launcher_of("accelerate").valued
    return (
        of_accelerate
        or option in option_names().valued | _OWN
        or (fact is not None and fact.kind != FLAG and not fact.many)
    )
