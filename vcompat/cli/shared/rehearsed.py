"""The folder that a rehearsal has left, as input of other commands."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

#: The names of what is in the folder.
LOG, VERDICT, FACTS, LEDGERS = "output.log", "verdict.json", "facts.json", "ledgers"


class Expanded(NamedTuple):
    """What to read instead of folders of rehearsals."""

    logs: tuple[str, ...]
    files: tuple[str, ...]
    """The files that state facts."""
    verdicts: tuple[str, ...]


def expanded(logs: Sequence[str], files: Sequence[str]) -> Expanded:
    """Return `logs` with the output of a rehearsal instead of its folder, and its facts beside `files`."""
    paths, facts, verdicts = [], list(files), []
    for path in logs:
        verdict, log = os.path.join(path, VERDICT), os.path.join(path, LOG)
        if not (os.path.isfile(verdict) and os.path.isfile(log)):
            paths.append(path)
            continue
        paths.append(log)
        verdicts.append(verdict)
        if os.path.isfile(os.path.join(path, FACTS)):
            facts.append(os.path.join(path, FACTS))
    return Expanded(tuple(paths), tuple(facts), tuple(verdicts))
