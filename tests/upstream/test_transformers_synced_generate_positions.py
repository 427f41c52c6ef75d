"""Two real ranks that generate with `synced_gpus`, in real transformers releases."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import free_port
from tests.upstream.installed import installed, python_path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("synced_generation.py")
TOO_LONG = "The size of tensor a (5) must match the size of tensor b (6)"
OLD = ("numpy==1.26.4", "huggingface-hub==0.36.0")
RELEASES = {
    "4.46.3": ("transformers==4.46.3", "tokenizers==0.20.3", *OLD),
    "4.57.6": ("transformers==4.57.6", "tokenizers==0.22.1", *OLD),
    "installed version": (),
    "5.23.0": ("transformers==5.23.0",),
    "5.24.0": ("transformers==5.24.0",),
}


@pytest.mark.parametrize(
    ("release", "why"),
    [
        pytest.param("4.46.3", "gradient checkpointing", marks=pytest.mark.slow),
        pytest.param("4.57.6", "use_cache=False", marks=pytest.mark.slow),
        ("installed version", "use_cache=False"),
        pytest.param("5.23.0", "use_cache=False", marks=pytest.mark.slow),
        pytest.param("5.24.0", "use_cache=False", marks=pytest.mark.slow),
    ],
)
def test_a_rank_that_finishes_early_keeps_generating_only_with_the_patch(release: str, why: str) -> None:
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2"]
    done = subprocess.run(
        [*command, "--master_port", str(free_port()), str(PROGRAM), why],
        env={**os.environ, "PYTHONPATH": python_path(*installed(*RELEASES[release]), ROOT)},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    endings = dict(re.findall(r"^rank (\d): (.*)$", done.stdout, re.MULTILINE))
    assert set(endings) == {"0", "1"}, done.stdout + done.stderr
    status, patched, undone = endings["0"].split("; ", 2)
    assert (status, patched) == ("applied", "5 tokens")
    assert endings["1"].startswith("applied; 9 tokens; ")
    assert undone.startswith(TOO_LONG)
