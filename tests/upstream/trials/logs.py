"""Logs of trials that failed, as a run would print them: the versions, then the traceback.

`python -m tests.upstream.trials --logs FOLDER` writes one for each rule. They are kept in ``tests/cases/logs``, where
`vcompat diagnose` must name their rules. Lines of upstream's source code are left out, and paths are those of an
ordinary environment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from vcompat.rules.trial import Pins

_SITE = "/opt/env/lib/python3.11/site-packages"
_STANDARD = re.compile(r'(?<=File ")[^"]*/python3\.\d+/(?!site-packages)')
_FRAME = re.compile(r'\s*File "[^"]+", line \d+')
#: The line that runs a trial's code, and the frames before it.
_TRIAL = 'File "trial", line'


def log_of(errors: str, places: Sequence[Path], pins: Pins) -> str:
    """Return a log from what a failed trial printed on standard error with the packages in `places`."""
    versions = [f"{package}=={version}" for package, version in sorted(pins.items())]
    lines = _traceback_only(errors.splitlines())
    for place in sorted({*places, *(place.resolve() for place in places)}, key=lambda place: -len(str(place))):
        lines = [line.replace(str(place), _SITE) for line in lines]
    text = "\n".join([*versions, *_without_code(lines)])
    text = text.replace(_TRIAL, 'File "/workspace/train.py", line')
    return _STANDARD.sub("/usr/lib/python3.11/", text) + "\n"


def _traceback_only(lines: Sequence[str]) -> list[str]:
    """Leave out the frame of the program that runs the trial."""
    return [
        line for line in lines if "trials/child.py" not in line and not line.strip().startswith("exec(compile(code")
    ]


def _without_code(lines: Sequence[str]) -> Iterator[str]:
    """Leave out the code below each frame, and the marks below that."""
    in_frame = False
    for line in lines:
        if _FRAME.match(line):
            in_frame = True
        elif in_frame and line.startswith("    "):
            continue
        else:
            in_frame = False
        yield line
