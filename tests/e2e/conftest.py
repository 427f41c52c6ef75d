"""Runs of the real example: real torch, vLLM and TRL, in processes of their own.

They need the environment that `make test` sets up, in which these tests run themselves.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import vcompat

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "examples" / "train_grpo_colocate.py"
#: Seconds after which a run is stuck rather than slow.
PATIENCE = 300


class Run(NamedTuple):
    """How one run ended."""

    code: int
    output: str
    history: list[dict[str, Any]]
    """The trainer's log, as the example writes it; empty if it did not get that far."""

    def differences(self) -> list[float]:
        """`sampling/sampling_logp_difference/max` of each step: how far the rollouts' weights are from the trainer's."""
        name = "sampling/sampling_logp_difference/max"
        return [entry[name] for entry in self.history if name in entry]


class Stack:
    """Starts scripts with the tiny model, each with a port of its own.

    They share what vLLM found out about the model's class: a process that imports vLLM once more, and nothing else.
    """

    def __init__(self, folder: Path, model: Path, cache: Path) -> None:
        self.folder = folder
        self.model = model
        self.cache = cache

    def patched(self, before: str = "", after: str = "") -> Path:
        """A copy of the example that begins with vcompat's two words, and with `after` before anything else."""
        path = self.folder / "train.py"
        path.write_text(f"{before}import vcompat; vcompat.patch()\n{after}{SCRIPT.read_text()}")
        return path

    def train(self, script: Path, *arguments: str, launcher: Sequence[str] = (), **variables: str) -> Run:
        history = self.folder / "history.json"
        options = ["--model", str(self.model), "--log-history", str(history), *arguments]
        code, output = self.run([*launcher, str(script), *options], **variables)
        return Run(code, output, json.loads(history.read_text()) if history.exists() else [])

    def run(self, command: Sequence[str], **variables: str) -> tuple[int, str]:
        """Run Python with `command`; return the exit code and all that was printed. The whole process group ends with it."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("VLLM_", "VCOMPAT_", "CUDA_"))}
        environment = {
            **inherited,
            "VLLM_CPU_KVCACHE_SPACE": "1",
            "VLLM_CACHE_ROOT": str(self.cache),
            "HF_HUB_OFFLINE": "1",
            # The model is too small to gain from threads, and those of two tests at once wait for each other.
            "OMP_NUM_THREADS": "1",
            "MASTER_PORT": str(free_port()),
            **variables,
        }
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=PATIENCE)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        if process.returncode == 0:
            found = vcompat.diagnose(output + "\n")
            assert (found.causes, found.failure) == ((), None), "false alarm for the log of a run that ended well"
        return process.returncode, output


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def one_group() -> Iterator[None]:
    """Wait until no other test has a tensor-parallel group of vLLM.

    On the CPU, vLLM names the shared memory of a group by the ranks in it (`CpuCommunicator`), so the groups of two runs
    at once have the same name, and the later one fails: "create shm in SHMManager failed". A group that was killed leaves
    its memory, with which every later one fails.
    """
    with open(Path(tempfile.gettempdir()) / f"vcompat-tests-{os.getuid()}.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        used = _mapped()
        for left in Path("/dev/shm").glob("-tp:*-cpushm_*"):
            if str(left) not in used:
                left.unlink(missing_ok=True)
        yield


def _mapped() -> str:
    """What the processes of this machine have mapped into their memory."""
    texts = []
    for maps in Path("/proc").glob("[0-9]*/maps"):
        with suppress(OSError):
            texts.append(maps.read_text())
    return "".join(texts)


@pytest.fixture(scope="session")
def vllm_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("vllm-cache")


@pytest.fixture
def stack(tmp_path: Path, tiny_model: Path, vllm_cache: Path) -> Stack:
    return Stack(tmp_path, tiny_model, vllm_cache)
