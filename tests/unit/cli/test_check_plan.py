"""A check of a plan as its user meets it: findings at the line of the setting, the project's settings, the baseline."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

RELEASES = ["--set", "packages.trl=1.9.0", "--set", "packages.vllm=0.24.0"]


def vcompat(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vcompat", *arguments],
        capture_output=True, text=True, timeout=60, cwd=folder, check=False, env={**os.environ, "COLUMNS": "100", **variables},
    )  # fmt: skip


def findings(folder: Path, *arguments: str) -> dict[str, dict[str, Any]]:
    done = vcompat(folder, "check", "--no-probe", "--format", "json", *RELEASES, *arguments)
    assert done.returncode in (0, 1), done.stderr
    return {finding["rule"]: finding for finding in json.loads(done.stdout)["findings"]}


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / ".".join(name.rsplit("_", 1))).write_text(text)


COLOCATED = "use_vllm: true\nvllm_mode: colocate\n"


@pytest.mark.parametrize(
    ("files", "arguments", "rule", "place"),
    [
        (
            {"run_sh": "trl grpo --config grpo.yaml --num_processes 8\n", "grpo_yaml": COLOCATED + "vllm_tensor_parallel_size: 3\n"},
            ["run.sh"],
            "tensor-parallel-size-does-not-divide-world-size",
            ("grpo.yaml", 3),
        ),
        (
            {"grpo_yaml": COLOCATED + "vllm_tensor_parallel_size: 8\n", "config_json": '{"architectures": ["Q"], "num_attention_heads": 28}'},
            ["grpo.yaml", "config.json"],
            "tensor-parallel-size-does-not-divide-heads",
            ("grpo.yaml", 3),
        ),
        (
            {"train_py": "GRPOConfig(use_vllm=True, num_generations=7,\n  per_device_train_batch_size=2)\n", "run_sh": "torchrun --nproc_per_node 2 train.py\n"},
            ["run.sh"],
            "generation-batch-splits-a-prompts-completions",
            ("train.py", 1),
        ),
        (
            {"train_py": "GRPOConfig(use_vllm=True, generation_batch_size=12,\n  per_device_train_batch_size=8)\n", "run_sh": "torchrun --nproc_per_node 2 train.py\n"},
            ["run.sh"],
            "generation-batch-not-divisible-among-processes",
            ("train.py", 1),
        ),
        (
            {"grpo_yaml": COLOCATED + "deepspeed: ds.json\nper_device_train_batch_size: 4\n", "ds_json": '{\n"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 3}}'},
            ["grpo.yaml", "--set", "packages.transformers=5.10.0"],
            "deepspeed-file-contradicts-arguments",
            ("ds.json", 2),
        ),
        (
            {"grpo_yaml": COLOCATED + "model_name_or_path: Qwen/Qwen2.5-7B\nvllm_gpu_memory_utilization: 0.6\n", "run_sh": "torchrun --nproc_per_node 8 train.py --config grpo.yaml\n", "train_py": "c, m = TrlParser((GRPOConfig, ModelConfig)).parse_args_and_config()\nGRPOTrainer(args=c)\n"},
            ["run.sh", "--target", "8xA100-40GB", "--set", "plan.peft=no"],
            "colocation-does-not-fit",
            ("grpo.yaml", 4),
        ),
        (
            {"grpo_yaml": COLOCATED + "model_name_or_path: Qwen/Qwen2.5-32B\nvllm_gpu_memory_utilization: 0.3\n"},
            ["grpo.yaml", "--target", "8xA100-80GB"],
            "weights-exceed-vllms-share",
            ("grpo.yaml", 4),
        ),
        (
            {"grpo_yaml": COLOCATED + "vllm_gpu_memory_utilization: 0.3\nmodel_name_or_path: tiny-7B\n", "config_json": '{"architectures": ["Q"], "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 28, "vocab_size": 152064,\n"max_position_embeddings": 131072}'},
            ["grpo.yaml", "config.json", "--target", "8xA100-80GB", "--set", "packages.trl=1.16.0", "--set", "plan.vllm_max_model_length=none"],
            "longest-sequence-exceeds-cache",
            ("grpo.yaml", 3),
        ),
        (
            {"grpo_yaml": COLOCATED + "vllm_tensor_parallel_size: 16\n", "zero3_yaml": "distributed_type: DEEPSPEED\nnum_processes: 16\nnum_machines: 2\n"},
            ["grpo.yaml", "zero3.yaml"],
            "tensor-parallel-across-machines",
            ("grpo.yaml", 3),
        ),
        (
            {"grpo_yaml": COLOCATED + "vllm_tensor_parallel_size: 4\nmodel_name_or_path: Qwen/Qwen2.5-1.5B\n"},
            ["grpo.yaml"],
            "small-model-over-several-gpus",
            ("grpo.yaml", 3),
        ),
        (
            {"run_sh": "CUDA_VISIBLE_DEVICES=0 trl vllm-serve --model m &\nCUDA_VISIBLE_DEVICES=0,1 trl grpo --use_vllm true --vllm_mode server\n"},
            ["run.sh"],
            "server-and-trainer-on-the-same-devices",
            ("run.sh", 2),
        ),
        (
            {"run_sh": "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\ntrl grpo --config grpo.yaml\n", "grpo_yaml": COLOCATED + "vllm_enable_sleep_mode: true\n"},
            ["run.sh", "--set", "packages.vllm=0.10.2"],
            "sleep-refuses-expandable-segments",
            ("run.sh", 1),
        ),
        (
            {"run_sh": "python train.py\n", "train_py": "GRPOConfig(use_vllm=True, vllm_mode='colocate')\n"},
            ["run.sh", "--set", "packages.trl=0.19.1", "--target", "1xA100"],
            "colocate-without-launcher",
            ("run.sh", 1),
        ),
    ],
)  # fmt: skip
def test_a_rule_over_the_plan_points_at_the_setting(
    tmp_path: Path, files: dict[str, str], arguments: list[str], rule: str, place: tuple[str, int]
) -> None:
    write(tmp_path, **files)
    finding = findings(tmp_path, *arguments)[rule]
    assert finding["certainty"] == "certain"
    assert (finding["place"]["path"], finding["place"]["line"]) == place


def test_a_plan_that_fits_gets_nothing_certain_but_advice(tmp_path: Path) -> None:
    write(
        tmp_path,
        run_sh="torchrun --nproc_per_node 8 train.py\n",
        train_py="GRPOConfig(use_vllm=True, vllm_mode='colocate', num_generations=8)\n"
        "GRPOTrainer(model='Qwen/Qwen2.5-3B')\n",
    )
    arguments = ["run.sh", "--target", "8xH100", "--set", "packages.trl=1.16.0", "--set", "packages.vllm=0.31.0"]
    found = findings(tmp_path, *arguments)
    assert [rule for rule, finding in found.items() if finding["certainty"] == "certain"] == []


def test_what_a_plan_says_can_be_printed(tmp_path: Path) -> None:
    write(tmp_path, train_py="import sys\nGRPOConfig(use_vllm=True, vllm_mode=sys.argv[1])\n")
    done = vcompat(tmp_path, "plan", "train.py")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert any(line.split() == ["plan.use_vllm", "true", "train.py:2:21"] for line in lines)
    assert any(line.startswith("plan.vllm_mode") and "unknown" in line and "train.py:2:37" in line for line in lines)
    empty = tmp_path / "empty.yaml"
    empty.write_text("a: 1\n")
    assert vcompat(tmp_path, "plan", "empty.yaml").returncode == 2


SETTINGS = """
target = "8xH100"
plan = "grpo.yaml"
settings = { "packages.trl" = "1.9.0", "packages.vllm" = "0.24.0" }
only-certain = true
"""


def test_the_project_s_settings_are_taken_unless_the_command_line_says_otherwise(tmp_path: Path) -> None:
    write(tmp_path, grpo_yaml=COLOCATED + "vllm_enable_sleep_mode: true\n", vcompat_toml=SETTINGS)
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "other.yaml").write_text(COLOCATED)
    done = vcompat(tmp_path / "below", "check", "--no-probe")
    assert done.returncode == 1
    assert "8 GPUs: NVIDIA H100" in done.stdout and "../grpo.yaml" not in done.stdout
    assert "grpo.yaml:3:1" in done.stdout
    healthy = vcompat(tmp_path / "below", "check", "--no-probe", "other.yaml", "--target", "2xT4")
    assert "2 GPUs: Tesla T4" in healthy.stdout
    assert healthy.returncode == 0, healthy.stdout
    assert vcompat(tmp_path, "check", "--no-probe", "--set", "packages.trl=1.10.0").returncode == 0
    assert "GPUs unknown" in vcompat(tmp_path, "check", "--no-probe", "--no-config").stdout


def test_only_certain_findings_fail_if_that_is_wanted(tmp_path: Path) -> None:
    arguments = ["check", "--no-probe", "--set", "packages.vllm=0.8.4"]
    assert vcompat(tmp_path, *arguments).returncode == 1
    done = vcompat(tmp_path, *arguments, "--only-certain")
    assert done.returncode == 0 and "possible" in done.stdout


def test_a_baseline_lets_a_project_start_from_where_it_is(tmp_path: Path) -> None:
    write(
        tmp_path,
        grpo_yaml=COLOCATED + "vllm_enable_sleep_mode: true\n",
        vcompat_toml=SETTINGS + 'baseline = "known.json"\n',
    )
    missing = vcompat(tmp_path, "check", "--no-probe")
    assert (missing.returncode, missing.stderr.count("\n")) == (2, 1)
    written = vcompat(tmp_path, "check", "--no-probe", "--write-baseline", "known.json")
    assert written.returncode == 0 and written.stdout.startswith("written: known.json, with ")
    done = vcompat(tmp_path, "check", "--no-probe")
    assert done.returncode == 0
    assert "known from the baseline (sleep-mode-generates-with-first-checkpoint)" in done.stdout
    (tmp_path / "grpo.yaml").write_text(
        (tmp_path / "grpo.yaml").read_text() + "vllm_tensor_parallel_size: 3\nmodel_name_or_path: Qwen/Qwen2.5-1.5B\n"
    )
    again = vcompat(tmp_path, "check", "--no-probe", "--fail-on", "note")
    assert again.returncode == 1 and "A small model is spread over several GPUs" in again.stdout


def test_packages_of_another_environment_are_judged(tmp_path: Path) -> None:
    info = tmp_path / "env" / "lib" / "python3.11" / "site-packages" / "trl-0.14.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Name: trl\nVersion: 0.14.0\n\n")
    (tmp_path / "env" / "bin").mkdir()
    (tmp_path / "env" / "bin" / "python").touch()
    done = vcompat(tmp_path, "check", "--python", "env/bin/python", "--target", "8xH100", "--no-config")
    assert "checked     trl 0.14.0;" in done.stdout
    (tmp_path / "requirements.txt").write_text("# autogenerated by uv\ntrl==0.15.0\n")
    assert "checked     trl 0.15.0;" in vcompat(tmp_path, "check", "requirements.txt", "--target", "8xH100").stdout


def test_a_model_in_the_hub_s_cache_tells_its_heads(tmp_path: Path) -> None:
    snapshot = tmp_path / "hub" / "models--Qwen--Qwen2.5-7B" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text('{"architectures": ["Q"], "num_attention_heads": 28}')
    write(tmp_path, grpo_yaml=COLOCATED + "vllm_tensor_parallel_size: 8\nmodel_name_or_path: Qwen/Qwen2.5-7B\n")
    done = vcompat(tmp_path, "check", "grpo.yaml", "--target", "8xH100", *RELEASES, HF_HUB_CACHE=str(tmp_path / "hub"))
    assert "plan.attention_heads = 28" in done.stdout
