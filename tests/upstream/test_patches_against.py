"""`vcompat patches --against` as a command, on real releases."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.upstream.releases import cache_directory, release


def against(*targets: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "vcompat", "patches", *(a for target in targets for a in ("--against", target))]
    return subprocess.run(
        command,
        env={**os.environ, "NO_COLOR": "1", "VCOMPAT_CACHE": str(cache_directory()), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def words(text: str) -> dict[str, str]:
    """Map each patch in the output to what it would do."""
    return {line[14:].split()[0]: line[:12].strip() for line in text.splitlines()[1:]}


def test_it_prints_what_each_patch_would_do_to_a_release_and_why() -> None:
    release("vllm", "0.7.2")
    done = against("vllm==0.7.2", PIP_INDEX_URL="http://127.0.0.1:9/simple/")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "vllm 0.7.2"
    assert words(done.stdout) == {
        "vllm_attention_before_ampere": "applies",
        "vllm_cascade_attention": "applies",
        "vllm_cpu_amx_permission": "not needed",
        "vllm_batched_tokens_below_length": "not needed",
        "vllm_cpu_weight_sync": "not needed",
        "vllm_experts_in_checkpoint_layout": "not needed",
        "vllm_external_launcher_seed": "not needed",
        "vllm_fused_experts": "not needed",
        "vllm_in_process_device": "applies",
        "vllm_keep_buffers_on_partial_wake": "not needed",
        "vllm_keep_references_to_none": "applies",
        "vllm_moe_weight_sync": "not needed",
        "vllm_own_random_state": "applies",
        "vllm_real_pynvml": "applies",
        "vllm_release_memory_pools_at_exit": "applies",
        "vllm_restore_sleep_buffers": "applies",
        "vllm_trained_names": "applies",
    }
    assert "this release has no vllm.model_executor.layers.utils" in done.stdout


def test_it_prints_the_recorded_releases_that_each_patch_applies_to() -> None:
    done = against("vllm", "deepspeed", VCOMPAT_CACHE=os.devnull)
    assert (done.returncode, done.stderr) == (0, "")
    assert "vllm_restore_sleep_buffers         applies to 0.7.0 - 0.8.4; would refuse no release" in done.stdout
    assert "deepspeed_modules_to_save  applies to 0.16.5 - 0.19.2; would refuse no release" in done.stdout


@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        ("numpy", "no patch changes 'numpy'"),
        ("vlm", "'vllm'"),
        ("vllm==new", "'new' is not a version"),
        ("vllm>=0.8", "not a release"),
        ("vllm==99.0", "there is no such release; expected one up to"),
    ],
)
def test_bad_input_is_reported_in_one_line(target: str, complaint: str) -> None:
    done = against(target)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1
