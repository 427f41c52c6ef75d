"""A long-lived process that has imported the heavy libraries, and forks one child per program that a run starts.

A stand-in program on PATH writes its process id and a file descriptor to a pipe, and waits. The worker reads the words,
the environment, the folder and the standard streams of that process from ``/proc``, runs the program in a child, and
writes the exit status to the descriptor.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import sys
from pathlib import Path
from typing import Any

from tests.oracle.standins import modules, programs, recorder

#: The time after which a program counts as hanging [s].
LIMIT_S = 10


class Worker:
    """The loop: requests come from a pipe, exits of children as signals."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clients: dict[int, tuple[str, str]] = {}
        self.requests = os.open(folder / "requests", os.O_RDWR)
        self.wakeup, wakeup_writer = os.pipe()
        os.set_blocking(wakeup_writer, False)
        signal.set_wakeup_fd(wakeup_writer)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.names = modules.contents()
        programs.prepare()
        gc.collect()
        gc.freeze()

    def run(self) -> None:
        """Serve until the pipe's other users are gone and the parent process ends."""
        (self.folder / "ready").touch()
        parent = os.getppid()
        while os.getppid() == parent:
            ready, _, _ = select.select([self.requests, self.wakeup], [], [], 5)
            if self.wakeup in ready:
                os.read(self.wakeup, 4096)
                self._reap()
            if self.requests in ready:
                for line in os.read(self.requests, 65536).decode().splitlines():
                    self._serve(line)

    def _serve(self, line: str) -> None:
        client, _, descriptor = line.partition(" ")
        if client.isdecimal() and descriptor.isdecimal():
            self._start(client, descriptor)
        else:
            print(f"not a request: {line!r}", flush=True)

    def _reap(self) -> None:
        while self.clients:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            client, descriptor = self.clients.pop(pid, ("", ""))
            with contextlib.suppress(OSError):
                Path(f"/proc/{client}/fd/{descriptor}").write_text(f"{os.waitstatus_to_exitcode(status) & 255}\n")

    def _start(self, client: str, descriptor: str) -> None:
        sys.stdout.flush()
        pid = os.fork()
        if pid:
            self.clients[pid] = (client, descriptor)
            return
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.alarm(LIMIT_S)
        code = 1
        try:
            code = self._become(client)
        finally:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _become(self, client: str) -> int:
        """Take over words, environment, folder and streams of the client, and run its program."""
        process = Path("/proc", client)
        words = [word.decode() for word in (process / "cmdline").read_bytes().split(b"\0")[1:-1]]
        variables = [item.partition(b"=") for item in (process / "environ").read_bytes().split(b"\0") if item]
        os.chdir(process / "cwd")
        for number, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY | os.O_APPEND), (2, os.O_WRONLY | os.O_APPEND)):
            with contextlib.suppress(OSError):
                # Opening a pipe that nobody writes to any more would wait for a writer.
                stream = os.open(process / "fd" / str(number), flags | os.O_NONBLOCK)
                os.set_blocking(stream, True)
                os.dup2(stream, number)
        os.environ.clear()
        os.environ.update({name.decode(): value.decode() for name, _, value in variables})
        recorder.FILE = str(self.folder / "record.jsonl")
        return programs.run_program(Path(words[0]).name, words[1:], self.names)


def main() -> Any:
    """Serve in the folder that the command line names."""
    Worker(Path(sys.argv[1])).run()


if __name__ == "__main__":
    main()
