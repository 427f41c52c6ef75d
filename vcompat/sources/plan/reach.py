"""Whether what `vcompat run` sets in the environment reaches the Python of a training command."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from vcompat.sources.plan.invocation import Environment, Others
from vcompat.sources.plan.started import PYTHON
from vcompat.sources.plan.starts import Start

#: Options of Python, alone or together, with which it ignores PYTHONPATH or does not import sitecustomize.
_ALONE = re.compile(r"-[A-Za-z]*[EIS]")
#: Options whose value is the next word.
_WITH_VALUE = frozenset({"-W", "-X", "--check-hash-based-pycs"})


def why_not_reached(start: Start, hook: str) -> str:
    """Return why the Python of a command does not get the patches, by the folder `hook` on PYTHONPATH; else empty."""
    option = _isolating(start.invocation.words)
    if option:
        return f"python {option} does not import sitecustomize"
    return _lost(start.invocation.environment, hook)


def _lost(environment: Environment, hook: str) -> str:
    if environment.others is not Others.INHERITED:
        return environment.why_open or "the command starts with another environment"
    path = environment.values.get("PYTHONPATH")
    if not path or hook not in path.split(os.pathsep):
        place = environment.places.get("PYTHONPATH")
        return f"PYTHONPATH is set without its former value{f' at {place}' if place else ''}"
    return ""


def _isolating(words: Sequence[str]) -> str:
    """Return the option of the first Python in `words` that keeps sitecustomize away; empty if there is none."""
    for index, word in enumerate(words):
        if PYTHON.fullmatch(os.path.basename(word)):
            return _option_of(words[index + 1 :])
    return ""


def _option_of(words: Sequence[str]) -> str:
    skip = False
    for word in words:
        if skip:
            skip = False
        elif not word.startswith("-") or re.match(r"-[A-Za-z]*[cm]", word) or word in ("-", "--"):
            return ""
        elif word in _WITH_VALUE:
            skip = True
        elif not word.startswith(("--", "-W", "-X")) and _ALONE.match(word):
            return word
    return ""
