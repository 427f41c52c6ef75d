"""`vcompat resolve` as a command, and how installers process its constraints."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]


def resolve(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "vcompat", "resolve", "--python", "3.11", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def pins(text: str) -> dict[str, str]:
    lines = [line for line in text.splitlines() if "==" in line and not line.startswith("#")]
    parsed = [Requirement(line.split("#")[0]) for line in lines if not line.startswith(" ")]
    return {requirement.name: str(requirement.specifier) for requirement in parsed}


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["--gpu", "7.0"], id="V100"),
        pytest.param(["--gpu", "7.0", "--keep", "trl==0.18.2"], id="V100 with an older TRL", marks=pytest.mark.slow),
        pytest.param(["--target", "8xT4"], id="T4 by name", marks=pytest.mark.slow),
        pytest.param(["--gpu", "9.0", "--plan", str(ROOT / "examples/train_grpo_colocate.py")], id="H100"),
        pytest.param(
            ["--gpu", "8.0", "--keep", "transformers<5"], id="A100 with transformers 4", marks=pytest.mark.slow
        ),
    ],
)
def test_uv_resolves_an_environment_with_the_constraints(arguments: list[str], tmp_path: Path) -> None:
    if importlib.util.find_spec("uv") is None:
        pytest.skip("uv is not installed")
    done = resolve(*arguments, "-o", str(tmp_path / "constraints.txt"))
    assert (done.returncode, done.stderr) == (0, "")
    (tmp_path / "wanted.in").write_text("trl[vllm]\n")
    platform = ["--python-version", "3.11", "--python-platform", "x86_64-manylinux_2_28"]
    command = [sys.executable, "-m", "uv", "pip", "compile", "-q", "-c", "constraints.txt", "wanted.in", *platform]
    compiled = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert compiled.returncode == 0, compiled.stderr
    asked, found = pins((tmp_path / "constraints.txt").read_text()), pins(compiled.stdout)
    assert len(asked) == 5
    assert {name: found[name] for name in asked} == asked


def test_pip_reads_the_constraints(tmp_path: Path) -> None:
    resolve("--gpu", "8.0", "-o", str(tmp_path / "constraints.txt"))
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "-q", "-c", "constraints.txt", "packaging"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


def test_an_unsupported_gpu_has_no_solution() -> None:
    done = resolve("--gpu", "6.1")
    assert done.returncode == 1
    assert done.stdout.startswith("No set of releases works for this.")
    assert "not-built-for-pascal" in done.stdout


def test_an_error_that_no_release_avoids_is_listed_and_fails_the_command(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "from trl import GRPOConfig, GRPOTrainer\n"
        "config = GRPOConfig(use_vllm=True, vllm_mode='colocate', num_generations=8, per_device_train_batch_size=3)\n"
        "GRPOTrainer('Qwen/Qwen2.5-0.5B', reward_funcs=len, args=config, train_dataset=[])\n"
    )
    done = resolve("--target", "H100", "--plan", str(tmp_path / "train.py"), "--set", "plan.world_size=1")
    assert done.returncode == 1
    assert done.stdout.startswith("trl==")
    assert "vcompat explain generation-batch-splits-a-prompts-completions" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--target", "8xMI300X"], "built for NVIDIA GPUs"),
        (["--set", "vllm.backend=tpu"], "vllm.backend = tpu"),
        (["--gpu", "new"], "--gpu new: not a compute capability"),
        (["--set", "packages.vllm=0.8"], "releases are what resolve chooses; expected --keep vllm==0.8"),
        (["--set", "gpu.count"], "no '='"),
        (["--plan", "/no/such/plan.py"], "/no/such/plan.py"),
        (["--python", "new"], "--python new: not a version"),
        (["--gpu", "9.0", "-o", "/no/such/folder/c.txt"], "cannot be written"),
    ],
)
def test_bad_input_is_reported_in_one_line(arguments: list[str], complaint: str) -> None:
    done = resolve(*arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1
