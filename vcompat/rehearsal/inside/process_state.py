"""What the wrappers of one training process share."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any, NoReturn

from vcompat.rehearsal.inside.events import Events
from vcompat.rehearsal.inside.kept_over_sleep import Kept
from vcompat.rehearsal.protocol import END, PROBLEM


class Session:
    """The state of the rehearsal in one process."""

    def __init__(self, folder: str, steps: int, stuck_after: float) -> None:
        self.folder = folder
        self.steps = steps
        self.is_tiny = False
        """Whether the model is replaced by a tiny one."""
        self.events = Events(folder, stuck_after)
        self.trainer: Any = None
        """The trainer, while it generates with moved weights."""
        self.digests: dict[str, Any] | None = None
        """The checksums of vLLM's weights when it last generated, or was started."""
        self.first_digests: dict[str, Any] | None = None
        """Those when it was started."""
        self.digested_step = -1
        self.start: Kept | None = None
        """What vLLM's model had when it was started, if it can sleep."""
        self.before_sleep: Kept | None = None
        """What it had before it slept, if it has not generated since."""
        self.is_awake = True
        """Whether the memory of vLLM's weights is mapped."""
        self.dtype = ""
        """The type in which vLLM computes, once it has generated."""

        self.endings = 0
        """How often the process was to end. A script can catch that, and train again."""

    def end(self) -> NoReturn:
        """End the process; at once if the script did not let it end before."""
        self.endings += 1
        if self.endings > 1:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError, AttributeError):
                    stream.flush()
            self.events.finish(END)
            os._exit(0)
        raise SystemExit(0)

    def problem(self, text: str) -> None:
        """Report what could not be judged."""
        self.events.add(PROBLEM, text=text[:2000])
