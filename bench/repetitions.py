"""Rehearse healthy runs again and again: how often does a rehearsal fail that should not?

Usage: python bench/repetitions.py [--rounds 20] [--peft FOLDER]   (in an environment with torch, vLLM and TRL; an hour)

Each round rehearses the example once for each kind: bfloat16 and float32; one rank, two ranks, a tensor-parallel group
of two; and an adapter, if PEFT is installed, or in FOLDER. The seed of the training is another in each round. Prints a
line for each failure, and in the end for each kind how many passed, the largest share (see `vcompat.rehearsal.weights`)
and the median of the seconds.
"""

from __future__ import annotations

import argparse
import fcntl
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from canary import EXAMPLE, ROOT, free_port

from vcompat.rehearsal.protocol import CANARY, read_folder
from vcompat.rehearsal.weights import share

_ADAPTER = 'callbacks=[PrintSteps()],\n        peft_config=__import__("peft").LoraConfig(r=8, lora_alpha=16),'


class Kind(NamedTuple):
    """One kind of run."""

    dtype: str
    ranks: int = 1
    tensor_parallel: int = 1
    adapter: bool = False

    def __str__(self) -> str:
        ranks = f"{self.ranks} rank{'s' * (self.ranks > 1)}"
        group = f", tensor parallel {self.tensor_parallel}" if self.tensor_parallel > 1 else ""
        return f"{self.dtype}, {ranks}{group}{', an adapter' if self.adapter else ''}"


class Result(NamedTuple):
    """How one rehearsal ended."""

    status: str
    seconds: float
    largest: float
    """The largest share of its generations."""
    why: str


def script(kind: Kind, seed: int) -> str:
    """Return the example with the types, the adapter and the seed."""
    text: str = EXAMPLE.read_text().replace('dtype="float32"', f'dtype="{kind.dtype}"')
    text = text.replace("use_cpu=True,", f'use_cpu=True, model_init_kwargs={{"dtype": "{kind.dtype}"}}, seed={seed},')
    return text.replace("callbacks=[PrintSteps()],", _ADAPTER) if kind.adapter else text


def rehearsed(folder: Path, kind: Kind, seed: int, path: str) -> Result:
    """Rehearse one kind. `path` comes first on PYTHONPATH."""
    train = folder / "train.py"
    train.write_text(script(kind, seed))
    launcher = ["-m", "torch.distributed.run", f"--nproc-per-node={kind.ranks}", f"--master-port={free_port()}"]
    words = [sys.executable, *(launcher if kind.ranks > 1 else []), str(train), "--model", str(folder / "model")]
    words += ["--tensor-parallel-size", str(kind.tensor_parallel)]
    with tempfile.TemporaryDirectory() as kept:
        command = [sys.executable, "-m", "vcompat", "rehearse", "--no-check", "--keep", kept, "--format", "json", "--"]
        places = os.pathsep.join(filter(None, [path, str(ROOT)]))
        variables = {"PYTHONPATH": places, "VLLM_CPU_KVCACHE_SPACE": "1", "MASTER_PORT": str(free_port())}
        began = time.time()
        done = subprocess.run(
            [*command, *words], cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, check=False
        )
        seconds = time.time() - began
        table: dict[str, Any] = json.loads(done.stdout or '{"status": "no verdict", "checks": []}')
        failed = [f"{one['name']}: {one['text']}" for one in table["checks"] if one["status"] == "failed"]
        shares = [share(event.values) for told in read_folder(kept) for event in told.of(CANARY)]
        failed += [table["failure"]] if table.get("failure") else []
        why = "; ".join(failed) or (done.stderr[-500:] if table["status"] != "passed" else "")
        return Result(table["status"], seconds, max(shares, default=0.0), why)


@contextmanager
def _alone(kind: Kind) -> Iterator[None]:
    """Wait until no test of this machine has a tensor-parallel group: on the CPU, two groups at once collide."""
    with open(Path(tempfile.gettempdir()) / f"vcompat-tests-{os.getuid()}.lock", "w") as file:
        if kind.tensor_parallel > 1:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--peft", default="", metavar="FOLDER", help="a folder that PEFT was installed into")
    options = parser.parse_args()
    kinds = [Kind(dtype, *shape) for dtype in ("float32", "bfloat16") for shape in ((1, 1), (2, 1), (2, 2))]
    if options.peft or importlib.util.find_spec("peft"):
        kinds += [Kind(dtype, adapter=True) for dtype in ("float32", "bfloat16")]
    results: dict[Kind, list[Result]] = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        maker = ROOT / "examples" / "make_tiny_model.py"
        subprocess.run([sys.executable, str(maker), str(folder / "model")], check=True, capture_output=True)
        for number in range(options.rounds):
            for kind in kinds:
                with _alone(kind):
                    result = rehearsed(folder, kind, number, options.peft if kind.adapter else "")
                results[kind].append(result)
                if result.status != "passed":
                    print(f"round {number + 1}: {kind}: {result.status}: {result.why}", flush=True)
            print(f"round {number + 1} of {options.rounds}", flush=True)
    for kind, found in results.items():
        passed = sum(one.status == "passed" for one in found)
        largest, median = max(one.largest for one in found), statistics.median(one.seconds for one in found)
        print(f"{kind}: {passed} of {len(found)} passed, share at most {largest:.2g}, {median:.0f} s")


if __name__ == "__main__":
    main()
