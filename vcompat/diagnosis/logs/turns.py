"""Where a log shows that a run has ended well, or that another run begins with other packages.

What crashed before is no cause: a program has coped with it, or it was another run, whose log was appended to. A run
that ends well can have gone wrong silently, though.
"""

from __future__ import annotations

import re

from vcompat.diagnosis.logs.prefixes import Line

#: Patterns over bytes: lines that may show it.
CUES = (r"train_runtime", r"Successfully installed ")
#: What transformers' trainer prints after the last step.
_COMPLETED = re.compile(r"\{['\"]train_runtime['\"]: |\s{0,4}train_runtime\s{1,40}=")
_INSTALLED = re.compile(r"\s{0,4}Successfully installed .*\b(?:vllm|trl|torch|transformers)-\d")


class Turns:
    """The last lines of a log that show either."""

    def __init__(self) -> None:
        self._completed = 0
        self._installed = 0

    @property
    def is_completed(self) -> bool:
        """Whether a training has run to its last step."""
        return self._completed > 0

    def take(self, line: Line) -> None:
        """Read the next line."""
        if "train_runtime" in line.text and _COMPLETED.match(line.text):
            self._completed = line.number
        elif "Successfully installed" in line.text and _INSTALLED.match(line.text):
            self._installed = line.number

    def start(self, last: int, is_silent: bool = False) -> int:
        """Return the line after which failures, or silent ones, count if the last one is in line `last`."""
        installed = self._installed if self._installed < last else 0
        return installed if is_silent else max(self._completed, installed)
