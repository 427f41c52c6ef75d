"""A real Ray cluster of this machine, with an environment of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.conftest import free_port

#: Seconds in which a cluster starts on a busy machine.
PATIENCE = 120


@contextmanager
def cluster(folder: Path, variables: Mapping[str, str], resources: str = "{}") -> Iterator[str]:
    """Start a cluster with `variables` as its environment; yield its address. `folder` gets its log."""
    log, port = folder / "cluster.log", free_port()
    words = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", "--port", str(port)]
    words += ["--num-cpus", "2", "--include-dashboard", "false", "--object-store-memory", "100000000"]
    with log.open("wb") as file:
        process = subprocess.Popen(
            [*words, "--resources", resources], env=dict(variables), stdout=file, stderr=file, start_new_session=True
        )
    try:
        until = time.monotonic() + PATIENCE
        while "Ray runtime started" not in log.read_text():
            assert process.poll() is None and time.monotonic() < until, log.read_text()
            time.sleep(0.2)
        yield f"127.0.0.1:{port}"
    finally:
        # Not `ray stop`, which ends every Ray process of the machine.
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=PATIENCE)
