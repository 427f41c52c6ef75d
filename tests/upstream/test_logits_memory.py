"""The predicted memory of the logits, compared with what real GRPOTrainers take on the CPU.

Each release of TRL runs in a process of its own, with releases of transformers that were current then: `logits_memory`.
Releases whose loss is a Triton kernel on a GPU (1.14 and later) do otherwise on the CPU, so they are not compared.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from packaging.version import Version

from tests.upstream.installed import installed, python_path
from tests.upstream.logits_memory import RESULT, LogitsCase, LogitsMeasured
from vcompat.facts.memory.logits import Batch, logits_bytes, way_of

pytest.importorskip("transformers")
pytest.importorskip("accelerate")

#: What older releases of TRL run with; the others run with this environment.
_OLDER = (
    "transformers==4.51.3", "tokenizers==0.21.4", "huggingface-hub==0.36.0", "accelerate==1.7.0", "datasets==4.4.1"
)  # fmt: skip
_OLD = (
    "transformers==4.57.6",
    "tokenizers==0.22.1",
    "huggingface-hub==0.36.0",
    "accelerate==1.12.0",
    "datasets==4.4.1",
)
#: A release of each way to compute log-probabilities.
RELEASES = ("0.15.2", "0.18.0", "0.20.0", "0.28.0", "1.9.0", "1.13.0")
CASES = {
    "float32": LogitsCase(),
    "bf16": LogitsCase(mixed=True),
    "bfloat16 weights": LogitsCase(dtype="bfloat16"),
    "2 completions": LogitsCase(batch=2),
}

slow = pytest.mark.skipif(not os.environ.get("VCOMPAT_SLOW_TESTS"), reason="takes minutes; set VCOMPAT_SLOW_TESTS=1")


def measured(trl: str, cases: list[LogitsCase]) -> list[LogitsMeasured]:
    """Run the cases with a release of TRL."""
    release = Version(trl)
    others = _OLDER if release < Version("0.19") else _OLD if release < Version("0.29") else ()
    folders = installed(f"trl=={trl}", *others)
    done = subprocess.run(
        [sys.executable, "-m", "tests.upstream.logits_memory", json.dumps([case._asdict() for case in cases])],
        env=os.environ | {"PYTHONPATH": python_path(*folders), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line.partition(RESULT)[2] for line in done.stdout.splitlines() if RESULT in line]
    assert len(lines) == len(cases), done.stderr[-4000:]
    return [LogitsMeasured(**json.loads(line)) for line in lines]


def predicted(trl: str, case: LogitsCase) -> float:
    """Return the bytes that the logits of a case take by the estimate."""
    way = way_of(Version(trl))
    assert way is not None
    width = 2 if case.dtype == "bfloat16" and not case.mixed else 4
    return logits_bytes(way, Batch(case.batch, case.length, case.vocabulary, width))


@slow
@pytest.mark.parametrize("trl", RELEASES)
def test_the_logits_of_a_loss_take_what_is_predicted(trl: str) -> None:
    for case, found in zip(CASES.values(), measured(trl, list(CASES.values())), strict=True):
        # The rest is the small model's: activations, and gradients of its weights.
        assert 0.93 <= predicted(trl, case) / found.with_gradients <= 1, (trl, case, found)
