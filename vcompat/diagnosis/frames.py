"""Whose code a traceback passes: many errors have the same text wherever they are raised."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: A frame as Python prints it, and as IPython does.
_FRAME = re.compile(r'\bFile "([^"\n]+)"|^[ \t]*File (\S+?\.py):\d+', re.MULTILINE)
#: Code of torch, of the standard library, and code without a file. Each traceback may pass it.
_ANYONES = re.compile(r"(?:^|/)torch/|/python3[\d.]*/(?!(?:site|dist)-packages/)|^<")


def is_anyones(path: str) -> bool:
    """Whether a file is code of torch, of the standard library, or no file."""
    return _ANYONES.search(path) is not None


def passes(text: str, places: Iterable[str]) -> bool:
    """Whether a traceback in `text` has a frame in one of `places`, parts of paths; True if it does not tell.

    It does not tell where there are no frames, or only those of torch and of the standard library: the text was cut.
    """
    telling = _telling(text)
    return not telling or any(place in path for path in telling for place in places)


def ends_in(text: str, places: Iterable[str]) -> bool:
    """Whether the last frame of a traceback in `text` that tells is in one of `places`; True if there is none."""
    telling = _telling(text)
    return not telling or any(place in telling[-1] for place in places)


def _telling(text: str) -> list[str]:
    paths = [(quoted or plain).replace("\\", "/") for quoted, plain in _FRAME.findall(text)]
    return [path for path in paths if not is_anyones(path)]
