"""What is printed below the traceback of an exception that ends this process: once, by the rank that failed first.

What ends a process without an exception, such as an abort of a compiler, is not seen; `diagnose.py` reads its log.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from types import TracebackType

from vcompat.patching.launching import RUN_FOLDER, WATCH
from vcompat.patching.run_folder import make_private

#: Seconds after which a diagnosis is given up: a process that has failed must end, also where a driver hangs.
_PATIENCE = 30
#: Seconds after which the mark of a run that failed is removed.
_OLD = 7 * 24 * 3600

_Hook = Callable[[type[BaseException], BaseException, "TracebackType | None"], object]


class Watch:
    """Stands before the hook that prints the traceback of an exception that nothing has caught."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        """`answer` returns what is printed below a traceback."""
        self._answer = answer
        self._before: _Hook | None = None
        self._is_on = False

    def begin(self) -> None:
        """Begin to watch this process. Does nothing if it is watched."""
        self._is_on = True
        if self._before is None:
            self._before, sys.excepthook = sys.excepthook, self._failed

    def end(self) -> None:
        """Stop. A hook that another library has installed since stays."""
        self._is_on = False
        if self._before is not None and sys.excepthook == self._failed:
            sys.excepthook, self._before = self._before, None

    def _failed(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        is_wanted = self._is_on and issubclass(kind, Exception) and _is_first()
        assert self._before is not None
        self._before(kind, error, trace)
        if is_wanted:
            _within(_PATIENCE, lambda: self._print(kind, error, trace))

    def _print(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        text = "".join(traceback.format_exception(kind, error, trace))
        print(f"\n{self._answer(text)}", file=sys.stderr, flush=True)


def _within(seconds: float, act: Callable[[], None]) -> None:
    """Run `act` and return when it is done, but not later. Its errors are not the user's."""

    def attempt() -> None:
        try:
            act()
        except Exception as error:
            print(f"vcompat: no diagnosis: {type(error).__name__}: {error}", file=sys.stderr)

    thread = threading.Thread(target=attempt, name="vcompat-diagnosis", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        print(f"vcompat: no diagnosis within {seconds:g} s", file=sys.stderr)


def _is_first() -> bool:
    """Whether no other process of this run has failed before, as far as that can be told.

    In a run of `vcompat run`, that is any process: a launcher fails after its rank. Else it is a rank on this machine.
    """
    name, folder = os.environ.get(WATCH), os.environ.get(RUN_FOLDER)
    if name and folder:
        return _is_first_of_run(name, folder)
    if os.environ.get("WORLD_SIZE", "1") == "1":
        return True
    try:
        folder = os.path.join(tempfile.gettempdir(), f"vcompat-{os.getuid()}")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        owner = os.lstat(folder)
        if not stat.S_ISDIR(owner.st_mode) or owner.st_uid != os.getuid():
            return True
        _remove_old(folder)
        os.close(os.open(os.path.join(folder, _run()), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    except Exception:
        # Rather one diagnosis too many than a traceback that is not printed.
        return True
    return True


def _is_first_of_run(name: str, folder: str) -> bool:
    restart = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    mark = ".failed-" + re.sub(r"[^A-Za-z0-9._-]", "_", f"{name}-{restart}")[:200]
    try:
        os.close(os.open(os.path.join(make_private(folder), mark), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    except Exception:
        # Rather one diagnosis too many than a traceback that is not printed.
        return True
    return True


def _run() -> str:
    """The name of this run: its ranks have one launcher as their parent; after a restart they are another run."""
    parent = os.getppid()
    try:
        with open(f"/proc/{parent}/stat", encoding="utf-8", errors="replace") as file:
            # The fields behind the program's name, which may contain spaces; the 22nd is when it started.
            began = file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        began = ""
    variables = ("MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "SLURM_STEP_ID")
    parts = [str(parent), began, *(os.environ.get(name, "") for name in variables)]
    return "failed-" + hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _remove_old(folder: str) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("failed-") and time.time() - entry.stat(follow_symlinks=False).st_mtime > _OLD:
                # Another rank may have removed it.
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(entry.path)
