"""Truth by execution: runs an example in a sandbox and returns what the trainers got."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from tests.oracle.example import Caller, Example

#: The time one execution may take [s].
LIMIT_S = 20
ROOT = Path(__file__).resolve().parents[2]

#: Programs that the worker runs.
_SERVED = (
    "python python3 python3.11 torchrun accelerate accelerate-launch deepspeed trl srun sbatch mpirun mpiexec uv conda mamba "
    "poetry numactl nsys apptainer singularity docker jupyter papermill ipython"
).split()
#: Programs that do nothing.
_IDLE = (
    "sleep pip pip3 git wandb huggingface-cli hf module nvcc curl wget nc ray apt-get rsync scp aws gsutil tmux killall pkill clear ulimit"
).split()

#: Let the worker's memory lie in huge pages. Most of the time of a run goes into forking the worker, page by page.
_HUGE_PAGES = {"PYTHONMALLOC": "malloc", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}

_CLIENT = """#!/bin/bash
exec {{pipe}}<> <(:)
echo "$$ $pipe" > '{requests}'
read -r -u "$pipe" code
exit "$code"
"""
_GPUS = """#!/bin/bash
for ((i = 0; i < $(cat '{gpus}'); i++)); do echo "GPU $i: NVIDIA A100-SXM4-80GB (UUID: GPU-$i)"; done
"""
_FIRST_HOST = '#!/bin/bash\ncase "$*" in *hostnames*) echo node1; echo node2;; esac\n'


class Execution(NamedTuple):
    """What happened in one execution."""

    events: list[dict[str, Any]]
    status: int
    output: str


class Sandbox:
    """A folder with stand-in programs, a home and a working folder, and the worker that runs the programs."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="oracle-"))
        self.work = self.folder / "work"
        self.home = self.folder / "home"
        (self.folder / "bin").mkdir()
        os.mkfifo(self.folder / "requests")
        self._write_programs()
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", "HOME": str(self.folder)}
        environment |= _HUGE_PAGES
        for name in ("WORLD_SIZE", "RANK", "LOCAL_RANK", "ACCELERATE_USE_CPU"):
            environment.pop(name, None)
        self.log = (self.folder / "worker.log").open("wb")
        self.worker = subprocess.Popen(
            [sys.executable, "-m", "tests.oracle.standins.worker", str(self.folder)],
            env=environment, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
        )  # fmt: skip

    def wait_until_ready(self) -> None:
        """Wait until the worker has imported the libraries."""
        for _ in range(1200):
            if self.worker.poll() is not None:
                raise RuntimeError((self.folder / "worker.log").read_text()[-2000:])
            if (self.folder / "ready").exists():
                return
            time.sleep(0.05)
        raise TimeoutError("the worker of the oracle did not start")

    def close(self) -> None:
        """End the worker and remove the folder."""
        self.worker.kill()
        self.worker.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def fresh(self, example: Example, caller: Caller) -> None:
        """Write the files of the example and of the caller's home, and nothing else."""
        for folder in (self.work, self.home):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        example.write(self.work)
        for name, text in caller.home.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.folder / "record.jsonl").write_text("")
        ranks = any(re.search("rank|main_process|process_index|PROCID", text, re.I) for text in example.files.values())
        state = {
            "ranks": ranks,
            "gpus": caller.gpus,
            "host": caller.host,
            "capability": [8, 0],
            "gpu": "NVIDIA A100-SXM4-80GB",
        }
        (self.folder / "machine.json").write_text(json.dumps(state))
        (self.folder / "gpus").write_text(str(caller.gpus))

    def execute(self, example: Example, caller: Caller) -> Execution:
        """Run the example's command in a fresh working folder."""
        self.wait_until_ready()
        self.fresh(example, caller)
        environment = {
            "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin",
            "HOME": str(self.home),
            "USER": "user",
            "LANG": "C.UTF-8",
            "HOSTNAME": caller.host,
            **caller.environment,
        }
        watched, inherited = os.pipe()
        with (self.folder / "output").open("w+b") as output:
            process = subprocess.Popen(
                [*(caller.launch or example.command[:1]), *example.command[1:], *caller.words], cwd=self.work, env=environment, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, start_new_session=True, pass_fds=(inherited,),
            )  # fmt: skip
            os.close(inherited)
            status = _wait(process, watched)
            os.close(watched)
            output.seek(0)
            text = output.read().decode(errors="replace")
        lines = (self.folder / "record.jsonl").read_text().splitlines()
        return Execution([json.loads(line) for line in lines], status, text)

    def _write_programs(self) -> None:
        files = {name: _CLIENT.format(requests=self.folder / "requests") for name in _SERVED}
        files |= dict.fromkeys(_IDLE, "#!/bin/sh\nexit 0\n")
        files |= {"nvidia-smi": _GPUS.format(gpus=self.folder / "gpus"), "scontrol": _FIRST_HOST}
        for name, text in files.items():
            path = self.folder / "bin" / name
            path.write_text(text)
            path.chmod(0o755)


def _wait(process: subprocess.Popen[bytes], watched: int) -> int:
    """Wait for the command and for what it left in the background. Return the exit status, -1 for too long a run."""
    ready, _, _ = select.select([watched], [], [], LIMIT_S)
    if not ready:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return -1
    return process.wait()
