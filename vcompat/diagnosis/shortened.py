"""Tracebacks cut down to the frames that matter: upstream's, and the last one of the user before them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

#: Of the upstream frames of a traceback, how many of the first and of the last ones are kept.
_FIRST, _LAST = 3, 9
#: The most lines of a text between frames that are kept, and of the whole.
_MESSAGE, _MOST = 20, 150

_FRAME = re.compile(r'(?P<indent>\s+)File "(?P<path>[^"]+)", line \d+')
_UPSTREAM = re.compile(
    r"/(?:site|dist)-packages/|/lib/python3\.\d+/|^<frozen "
    r"|(?:^|/)(?:vllm|trl|torch|transformers|accelerate|deepspeed)/"
)


def shortened(lines: Iterable[str]) -> list[str]:
    """Return the lines of tracebacks and their messages without the frames and lines in the middle."""
    parts = _parts(list(lines))
    kept: list[str] = []
    for is_frame, group in groupby(parts, key=lambda part: _FRAME.match(part[0]) is not None):
        found = list(group)
        kept += _frames(found) if is_frame else _cut([line for part in found for line in part], _MESSAGE)
    return _cut(kept, _MOST)


def _parts(lines: Sequence[str]) -> list[list[str]]:
    """The frames, each with its lines of code, and the other lines, each alone."""
    parts: list[list[str]] = []
    indent = -1
    for line in lines:
        frame = _FRAME.match(line)
        columns = len(line) - len(line.lstrip())
        if frame:
            indent = columns
        elif indent >= 0 and line.strip() and columns >= indent:
            parts[-1].append(line)
            continue
        else:
            indent = -1
        parts.append([line])
    return parts


def _frames(frames: list[list[str]]) -> list[str]:
    """The frames of one traceback that matter."""
    ours = [number for number, frame in enumerate(frames) if not _is_upstream(frame)]
    theirs = [number for number, frame in enumerate(frames) if _is_upstream(frame)]
    if len(theirs) > _FIRST + _LAST:
        theirs = [*theirs[:_FIRST], *theirs[-_LAST:]]
    kept: list[str] = []
    last = -1
    for number in sorted({*ours[-1:], *theirs}):
        kept += [_left_out(number - last - 1, "frame")] if number > last + 1 else []
        kept += frames[number]
        last = number
    left = len(frames) - last - 1
    return [*kept, *([_left_out(left, "frame")] if left else [])]


def _is_upstream(frame: list[str]) -> bool:
    found = _FRAME.match(frame[0])
    return found is not None and _UPSTREAM.search(found["path"].replace("\\", "/")) is not None


def _cut(lines: list[str], most: int) -> list[str]:
    if len(lines) <= most:
        return lines
    return [*lines[: most // 2], _left_out(len(lines) - most // 2 * 2, "line"), *lines[-(most // 2) :]]


def _left_out(count: int, what: str) -> str:
    return f"  [... {count} {what}{'s' if count != 1 else ''} left out]"
