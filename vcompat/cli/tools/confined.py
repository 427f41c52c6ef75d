"""Confine this process: it reads below some folders, writes nothing, starts nothing and connects to nothing.

The interpreter reports what it is about to do to a hook (PEP 578). So this holds for each file that a run file names,
whichever module opens it. It does not hold for code that is not Python; vcompat reads with none.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from typing import Any

from vcompat.foundation.shipped import CHECKOUT, PACKAGE, evidence_folder

OUTSIDE = "outside of the folders that this server reads"
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
#: Files of Python packages that an import and a look at installed packages need, wherever packages are.
_OF_PACKAGES = (".py", ".pyc", ".so", ".pth", "METADATA", "PKG-INFO", "entry_points.txt", "RECORD")
#: Events, and the beginnings of events, of what no tool does.
_REFUSED = (
    "os.chmod", "os.chown", "os.exec", "os.fork", "os.link", "os.mkdir", "os.posix_spawn", "os.putenv", "os.remove",
    "os.rename", "os.rmdir", "os.setxattr", "os.spawn", "os.startfile", "os.symlink", "os.system", "os.truncate",
    "os.utime", "pty.", "shutil.", "socket.bind", "socket.connect", "socket.getaddrinfo", "socket.send", "subprocess.",
    "urllib.",
)  # fmt: skip


class Confinement:
    """What the process may read: `folders`, and what vcompat and its packages consist of."""

    def __init__(self, folders: Sequence[str]) -> None:
        self.folders = tuple(os.path.realpath(folder) for folder in folders)
        own = (PACKAGE, evidence_folder(), os.path.join(CHECKOUT, "rules"), os.path.join(CHECKOUT, "templates"))
        self._own = tuple(map(os.path.realpath, own))
        self._packages = tuple(os.path.realpath(folder) for folder in (*filter(os.path.isabs, sys.path), sys.prefix))

    def allows(self, path: str) -> bool:
        """Return whether `path` leads to a place below the folders."""
        return _is_below(os.path.realpath(path), self.folders)

    def begin(self) -> None:
        """Install the hook. It stays for the life of the process."""
        # Imports would write their compiled modules.
        sys.dont_write_bytecode = True
        sys.addaudithook(self._judge)

    def _judge(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Raise PermissionError for what is not allowed."""
        if event == "open":
            path, _, flags = arguments
            self._opening(path, flags if isinstance(flags, int) else 0)
        elif event in ("os.listdir", "os.scandir"):
            self._reading(arguments[0] if arguments[0] is not None else ".", is_folder=True)
        elif event.startswith(_REFUSED):
            raise PermissionError(errno.EPERM, f"{event} is not allowed in this server")

    def _opening(self, path: Any, flags: int) -> None:
        if flags & _WRITING and path != os.devnull and not isinstance(path, int):
            raise PermissionError(errno.EROFS, "this server writes nothing", os.fsdecode(path))
        self._reading(path, is_folder=False)

    def _reading(self, path: Any, is_folder: bool) -> None:
        # A descriptor was opened before.
        if isinstance(path, int):
            return
        name = os.fsdecode(path)
        real = os.path.realpath(name)
        if _is_below(real, self.folders) or _is_below(real, self._own) or real in ("/dev/null", "/dev/urandom"):
            return
        if (is_folder or real.endswith(_OF_PACKAGES)) and _is_below(real, self._packages):
            return
        raise PermissionError(errno.EACCES, OUTSIDE, name)


def _is_below(real: str, folders: Sequence[str]) -> bool:
    return any(real == folder or real.startswith(folder.rstrip("/") + "/") for folder in folders)
