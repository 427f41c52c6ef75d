"""What a node is beside the facts of a run: its names, clock, shared memory and ports. Fleets are judged by it.

Everything is looked at, nothing is used: no port is bound, nothing is sent but the look-ups of names.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterable, Mapping, Sequence
from threading import Thread
from typing import Any

from vcompat.sources.probe.clock import probe_clock

_MIB = 1024 * 1024
#: How long each look-up of names may take, in seconds: a second one follows for names without an answer.
PATIENCE = (2.0, 4.0)
#: The default port of torchrun's rendezvous.
_TORCHRUN = 29500
#: Variables with ports that a run listens on.
_PORTS = ("MASTER_PORT", "VLLM_PORT")
#: The state LISTEN in /proc/net/tcp.
_LISTEN = "0A"


def probe_node(environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the description of this node as plain JSON. `environment` defaults to that of this process.

    - ``host``: the host name. ``boot``: an id that is the same for all containers of a machine, until it restarts.
      ``kernel``: the release of the kernel. ``pid``: the id of this process.
    - ``time``: seconds since 1970, by this clock. ``clock``: as described in ``probe.clock``.
    - ``shm_free_mib``: what is free in /dev/shm. ``names``: the addresses of this host and of MASTER_ADDR; empty for a
      name that does not resolve, None if there was no answer in time.
    - ``ports_in_use``: of the ports that a run would listen on, those on which somebody listens already; None if the
      system does not tell.

    Values that the system does not provide are None.
    """
    variables = os.environ if environment is None else environment
    host = socket.gethostname()
    return {
        "host": host,
        "boot": _line("/proc/sys/kernel/random/boot_id"),
        "kernel": os.uname().release if hasattr(os, "uname") else None,
        "pid": os.getpid(),
        "shm_free_mib": _free_mib("/dev/shm"),
        "names": resolve(dict.fromkeys(filter(None, (host, variables.get("MASTER_ADDR"))))),
        "ports_in_use": _in_use(variables),
        "clock": probe_clock(),
        "time": time.time(),
    }


def resolve(names: Iterable[str], patience: Sequence[float] = PATIENCE) -> dict[str, list[str] | None]:
    """Return the addresses of each name; empty if it does not resolve, None without an answer in time.

    `patience` has the seconds of each try: on a loaded machine the first one can take too long. A temporary failure is
    no answer. A look-up cannot be interrupted, so each has a thread, which does not keep the program from ending.
    """
    found: dict[str, list[str] | None] = dict.fromkeys(names)
    for seconds in patience:
        threads = [
            Thread(target=_look_up, args=(name, found), daemon=True) for name, answer in found.items() if answer is None
        ]
        for thread in threads:
            thread.start()
        until = time.monotonic() + seconds
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))
    # A copy: a thread that is late must not change the answer.
    return dict(found)


def _look_up(name: str, found: dict[str, list[str] | None]) -> None:
    try:
        answers = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        # With a temporary failure nobody has answered that there is no such name.
        if error.errno != socket.EAI_AGAIN:
            found[name] = []
    except (OSError, UnicodeError):
        found[name] = []
    else:
        found[name] = sorted({str(answer[4][0]) for answer in answers})


def _in_use(variables: Mapping[str, str]) -> list[int] | None:
    named = (variables.get(name, "") for name in _PORTS)
    wanted = {_TORCHRUN, *(int(text) for text in named if text.isascii() and text.isdecimal() and len(text) < 6)}
    listening = _listening()
    return None if listening is None else sorted(wanted & listening)


def _listening() -> set[int] | None:
    """Return the TCP ports on which somebody listens in this network namespace; None if the system does not tell."""
    ports: set[int] | None = None
    for path in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(path, encoding="ascii", errors="replace") as file:
                rows = [line.split() for line in file][1:]
        except OSError:
            continue
        ports = (ports or set()) | {int(row[1].rpartition(":")[2], 16) for row in rows if row[3] == _LISTEN}
    return ports


def _free_mib(folder: str) -> int | None:
    try:
        size = os.statvfs(folder)
    except (AttributeError, OSError):
        return None
    return size.f_bavail * size.f_frsize // _MIB


def _line(path: str) -> str | None:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.readline(200).strip() or None
    except OSError:
        return None
