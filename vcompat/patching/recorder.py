"""Writes the ledger of this process to the folder of its run: when a patch changes state, and at the end."""

from __future__ import annotations

import atexit
import os
import sys
import time
from collections.abc import Callable

from vcompat.foundation.errors import InputError
from vcompat.foundation.version import __version__
from vcompat.patching.ledger import Ledger
from vcompat.patching.process_reports import RANKS, Process, to_json
from vcompat.patching.run_folder import file_name, make_private, write_atomically

#: The packages whose versions are stated.
_PACKAGES = ("deepspeed", "peft", "torch", "transformers", "trl", "vllm")


class Recorder:
    """Writes one file per process. A process that was forked writes its own as soon as a patch changes state there."""

    def __init__(self, folder: str, log: Callable[[str, bool], None], status: Callable[[], Ledger]) -> None:
        """`log` gets one line if no ledger can be written; the training goes on. `status` returns the last ledger."""
        self._folder = folder
        self._log = log
        self._status = status
        self._is_given_up = False
        self._pid = 0
        self._began = 0.0
        self._ledger = Ledger({})
        atexit.register(self._end)

    def changed(self, ledger: Ledger) -> None:
        """Write `ledger`. Never raises."""
        self._ledger = ledger
        self._write(ended=False)

    def _end(self) -> None:
        # A process that was forked and has changed nothing is not one that patches were applied in anew.
        if self._pid == os.getpid():
            self._ledger = self._status()
            self._write(ended=True)

    def _write(self, ended: bool) -> None:
        if self._is_given_up:
            return
        try:
            if self._pid != os.getpid():
                self._folder = make_private(self._folder)
                self._pid, self._began = os.getpid(), time.time()
            process = _this_process(self._ledger, self._began, ended)
            write_atomically(self._folder, file_name(process.host, self._pid, self._began), to_json(process))
        except (InputError, OSError, ValueError) as error:
            self._is_given_up = True
            self._log(f"no ledger in the folder of the run: {error}", True)


def _this_process(ledger: Ledger, began: float, ended: bool) -> Process:
    return Process(
        pid=os.getpid(),
        parent=os.getppid(),
        host=os.uname().nodename,
        program=sys.argv[0] if getattr(sys, "argv", None) else "",
        python=".".join(map(str, sys.version_info[:3])),
        vcompat=__version__,
        began=began,
        ended=ended,
        variables={name: os.environ[name] for name in RANKS if name in os.environ},
        versions={name: _version(name) for name in _PACKAGES if name in sys.modules},
        patches=ledger,
    )


def _version(name: str) -> str:
    """Return the version that an imported package states; empty if it states none, or is still being imported."""
    try:
        # A package that imports its parts on use has no such variable, but returns the attribute.
        return str(getattr(sys.modules[name], "__version__", ""))[:100]
    except Exception:
        return ""
