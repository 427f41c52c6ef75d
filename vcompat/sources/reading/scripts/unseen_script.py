"""What the options of a command mean whose script is not found: those that only GRPO's configuration has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TypeGuard

from vcompat.facts.facts import Facts, Place
from vcompat.facts.presumption import OPTIONS, Presumption
from vcompat.facts.records.recorded_settings import all_names
from vcompat.sources.reading.part import Part
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.scripts.script import read_source
from vcompat.sources.reading.word import Word, has_words, readable

#: A script that takes the options as TRL's own scripts do, and leaves others alone.
_SCRIPT = b"""\
from trl import GRPOConfig, GRPOTrainer, ModelConfig, TrlParser
parser = TrlParser((GRPOConfig, ModelConfig))
training_args, model_args, _ = parser.parse_args_and_config(return_remaining_strings=True, fail_with_unknown_args=False)
GRPOTrainer(model=model_args.model_name_or_path, args=training_args)
"""
#: Options that no other configuration than that of a trainer that generates has.
_TELLING = re.compile(r"--(use_vllm|vllm_\w+|num_generations|max_completion_length|steps_per_generation|reward_funcs)")


def read_options(words: Sequence[Word], named: Word, start: Start, place: Place) -> Part | None:
    """Return the settings that the options `words` of the script `named` state; None if none is of GRPO.

    What they leave out is not known, since the script may set it. Only the presuming reading uses this.
    """
    telling = next(filter(_tells, (word.partition("=")[0] for word in words)), "")
    if not telling:
        return None
    lines = [place.line] * (_SCRIPT.count(b"\n") + 1)
    known = tuple(_of_trl(words))
    part = read_source(place.path, _SCRIPT, start._replace(words=known, lines=lines, is_command=True))
    facts = Facts()
    for name, fact in part.facts.all_known():
        # A default, and what the script above does, is not what a reader sees.
        if fact.place is not None and (fact.place.path != place.path or f" in {start.place}" in fact.source):
            facts.set(name, fact.value, fact.source, fact.place)
    facts.set("plan.configuration", "GRPOConfig", f"{telling} in {place}", place)
    facts.set("plan.trainer", "GRPOTrainer", f"{telling} in {place}", place)
    text = f"{readable(named) or 'the script'} takes {telling} and alike as TRL's scripts do"
    presumes = (Presumption(OPTIONS, text, place), *part.presumes)
    return Part(facts, why_open="the script was not found", presumes=presumes)


def _tells(option: Word) -> TypeGuard[str]:
    return isinstance(option, str) and _TELLING.fullmatch(option.replace("-", "_").replace("__", "--", 1)) is not None


def _of_trl(words: Sequence[Word]) -> Iterator[Word]:
    """Yield the words without the script's own options and values, which TRL's parser may take for short forms."""
    is_own = False
    for word in words:
        if word.startswith("--"):
            name = word[2:].partition("=")[0].replace("-", "_")
            is_own = name.removeprefix("no_") not in _names()
        if not is_own or has_words(word):
            yield word


@cache
def _names() -> frozenset[str]:
    """Return the names of the options that the script above takes."""
    return frozenset({"config"} | all_names("trl", "GRPOConfig") | all_names("trl", "ModelConfig"))
