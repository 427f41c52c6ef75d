"""A check of run files: findings at the line of the setting, the project's settings, the baseline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.command_line import process, vcompat

RELEASES = ["--set", "packages.trl=1.9.0", "--set", "packages.vllm=0.24.0"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def findings(*arguments: str) -> dict[str, dict[str, Any]]:
    done = vcompat("check", "--no-probe", "--format", "json", *RELEASES, *arguments)
    assert done.code in (0, 1), done.stderr
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
            {"grpo_yaml": COLOCATED + "vllm_gpu_memory_utilization: 0.3\nmodel_name_or_path: tiny-7B\n", "config_json": '{"architectures": ["Q"], "model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 28, "vocab_size": 152064,\n"max_position_embeddings": 131072}'},
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
            {"run_sh": "CUDA_VISIBLE_DEVICES=0 trl vllm-serve --model m &\nCUDA_VISIBLE_DEVICES=0,1 trl grpo --accelerate_config multi_gpu --use_vllm true --vllm_mode server\n"},
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
def test_a_rule_about_settings_points_at_the_setting(
    tmp_path: Path, files: dict[str, str], arguments: list[str], rule: str, place: tuple[str, int]
) -> None:
    write(tmp_path, **files)
    finding = findings(*arguments)[rule]
    assert finding["certainty"] == "certain"
    assert (finding["place"]["path"], finding["place"]["line"]) == place


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("accelerate launch --num_proceses 8 train.py", ["setting-does-not-exist"]),
        ("accelerate launch --num-processes 8 --mixed_precision bf17 train.py", ["setting-value-is-refused"]),
        ("accelerate launch --num-processes 8 train.py --odd 1", []),
        ("accelerate launch $MORE --odd --mixed_precision bf17 train.py", []),
        ("test -f x && accelerate launch --num_proceses 8 train.py", []),
        ("torchrun --nproc_pernode 8 train.py", ["setting-does-not-exist"]),
        ("torchrun --nproc_per_no 8 train.py", []),
    ],
)
def test_options_that_a_launcher_refuses_are_reported_if_the_command_certainly_runs(
    tmp_path: Path, command: str, expected: list[str]
) -> None:
    write(tmp_path, run_sh=f"{command}\n", train_py="print()\n")
    found = findings("run.sh", "--set", "packages.accelerate=1.15.0", "--set", "packages.torch=2.13.0")
    assert [name for name in found if name.startswith("setting-")] == expected


def test_a_run_that_fits_gets_no_certain_finding(tmp_path: Path) -> None:
    write(
        tmp_path,
        run_sh="torchrun --nproc_per_node 8 train.py\n",
        train_py="GRPOConfig(use_vllm=True, vllm_mode='colocate', num_generations=8)\n"
        "GRPOTrainer(model='Qwen/Qwen2.5-1.5B')\n",
    )
    arguments = ["run.sh", "--target", "8xH100", "--set", "packages.trl=1.16.0", "--set", "packages.vllm=0.31.0"]
    found = findings(*arguments)
    assert [rule for rule, finding in found.items() if finding["certainty"] == "certain"] == []


def test_plan_lists_what_run_files_state_and_what_they_leave_open(tmp_path: Path) -> None:
    write(tmp_path, train_py="import sys\nGRPOConfig(use_vllm=True, vllm_mode=sys.argv[1])\n")
    done = vcompat("plan", "train.py")
    assert (done.code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert any(line.split() == ["plan.use_vllm", "true", "train.py:2:21"] for line in lines)
    assert any(line.startswith("unknown") and "plan.vllm_mode: train.py:2:37" in line for line in lines)
    assert lines[-1] == "Settings not listed have their defaults."


def test_plan_folds_unknown_settings_that_share_a_reason(tmp_path: Path) -> None:
    write(tmp_path, train_py="import sys\nGRPOConfig(**settings_from(sys.argv))\n")
    folded, full = vcompat("plan", "train.py"), vcompat("plan", "train.py", "--all")
    assert folded.code == full.code == 0
    assert "more: " in folded.stdout and "more: " not in full.stdout
    assert folded.stdout.count("plan.") < full.stdout.count("plan.")


def test_plan_refuses_a_file_that_states_nothing(tmp_path: Path) -> None:
    write(tmp_path, empty_yaml="a: 1\n")
    done = vcompat("plan", "empty.yaml")
    assert (done.code, done.stdout, done.stderr.count("\n")) == (2, "", 1)


SETTINGS = """
target = "8xH100"
plan = "grpo.yaml"
settings = { "packages.trl" = "1.9.0", "packages.vllm" = "0.24.0" }
"""


def test_the_project_s_settings_apply_unless_the_command_line_overrides_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, grpo_yaml=COLOCATED + "vllm_enable_sleep_mode: true\n", vcompat_toml=SETTINGS)
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "other.yaml").write_text(COLOCATED)
    monkeypatch.chdir(tmp_path / "below")
    done = vcompat("check", "--no-probe")
    assert done.code == 1
    assert done.stdout.startswith("Checked ../grpo.yaml, with trl 1.9.0, vllm 0.24.0, on 8 GPUs (NVIDIA H100")
    assert "  at ../grpo.yaml:3:1\n" in done.stdout
    healthy = vcompat("check", "--no-probe", "other.yaml", "--target", "2xT4")
    assert "on 2 GPUs (Tesla T4, compute capability 7.5)." in " ".join(healthy.stdout.split())
    assert healthy.code == 0, healthy.stdout
    monkeypatch.chdir(tmp_path)
    assert vcompat("check", "--no-probe", "--set", "packages.trl=1.10.0").code == 0
    assert "on unknown GPUs." in " ".join(vcompat("check", "--no-probe", "--no-config").stdout.split())


def test_the_settings_may_be_in_a_file_that_the_command_line_names(tmp_path: Path) -> None:
    write(tmp_path, grpo_yaml=COLOCATED + "vllm_enable_sleep_mode: true\n", other_toml=SETTINGS)
    assert vcompat("check", "--no-probe").code == 0
    assert vcompat("check", "--no-probe", "--config", "other.toml").code == 1


@pytest.mark.parametrize("settings", ["strict = true\n", "fail-on = 'note'\nstrict = true\n"])
def test_strict_in_the_settings_makes_possible_findings_fail(tmp_path: Path, settings: str) -> None:
    arguments = ["check", "--no-probe", "--set", "packages.vllm=0.8.4"]
    assert vcompat(*arguments).code == 0
    write(tmp_path, vcompat_toml=settings)
    assert vcompat(*arguments).code == 1
    assert vcompat(*arguments, "--fail-on", "never").code == 0


def test_an_expired_suppression_fails_the_check_whatever_the_threshold(tmp_path: Path) -> None:
    suppression = '[[suppress]]\nrule = "sleep-level-2-loses-buffers"\nreason = "we know"\nexpires = 2020-01-01\n'
    write(tmp_path, vcompat_toml=suppression)
    done = vcompat("check", "--no-probe", "--fail-on", "never")
    assert done.code == 1
    assert "expired    vcompat.toml: suppress[0]: the suppression of sleep-level-2-loses-buffers expired" in done.stdout
    write(tmp_path, vcompat_toml=suppression.replace("2020", "2120"))
    done = vcompat("check", "--no-probe", "--set", "packages.vllm=0.9.0")
    assert done.code == 0
    assert "unused     vcompat.toml: suppress[0]: sleep-level-2-loses-buffers has no finding to suppress" in done.stdout


def test_a_baseline_accepts_today_s_findings_and_no_new_ones(tmp_path: Path) -> None:
    write(
        tmp_path,
        grpo_yaml=COLOCATED + "vllm_enable_sleep_mode: true\n",
        vcompat_toml=SETTINGS + 'baseline = "known.json"\n',
    )
    missing = vcompat("check", "--no-probe")
    assert (missing.code, missing.stdout, missing.stderr.count("\n")) == (2, "", 1)
    written = vcompat("check", "--no-probe", "--write-baseline", "known.json")
    assert written.code == 0 and written.stdout.startswith("Wrote known.json with ")
    done = vcompat("check", "--no-probe")
    assert done.code == 0
    assert "(sleep-mode-generates-with-first-checkpoint): in the baseline" in " ".join(done.stdout.split())
    (tmp_path / "grpo.yaml").write_text(
        (tmp_path / "grpo.yaml").read_text() + "vllm_tensor_parallel_size: 3\nmodel_name_or_path: Qwen/Qwen2.5-1.5B\n"
    )
    again = vcompat("check", "--no-probe", "--fail-on", "note")
    assert again.code == 1 and "grpo.yaml:4:1" in again.stdout
    assert "in the baseline" in again.stdout


def test_packages_of_another_environment_are_judged(tmp_path: Path) -> None:
    info = tmp_path / "env" / "lib" / "python3.11" / "site-packages" / "trl-0.14.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Name: trl\nVersion: 0.14.0\n\n")
    (tmp_path / "env" / "bin").mkdir()
    (tmp_path / "env" / "bin" / "python").touch()
    done = vcompat("check", "--no-probe", "--python", "env/bin/python", "--target", "8xH100")
    assert "Checked env/bin/python, with trl 0.14.0, on 8 GPUs" in " ".join(done.stdout.split())
    (tmp_path / "requirements.txt").write_text("# autogenerated by uv\ntrl==0.15.0\n")
    done = vcompat("check", "--no-probe", "requirements.txt", "--target", "8xH100")
    assert done.stdout.startswith("Checked requirements.txt, with trl 0.15.0, on ")


def test_the_heads_of_a_model_are_read_from_the_hub_s_cache(tmp_path: Path) -> None:
    snapshot = tmp_path / "hub" / "models--Qwen--Qwen2.5-7B" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text('{"architectures": ["Q"], "num_attention_heads": 28}')
    write(tmp_path, grpo_yaml=COLOCATED + "vllm_tensor_parallel_size: 8\nmodel_name_or_path: Qwen/Qwen2.5-7B\n")
    arguments = ["check", "grpo.yaml", "--target", "8xH100", *RELEASES]
    done = process(*arguments, folder=tmp_path, HF_HUB_CACHE=str(tmp_path / "hub"))
    assert "plan.attention_heads = 28" in " ".join(done.stdout.split())


@pytest.mark.parametrize("server", ["trl vllm-serve", "python -m trl.scripts.vllm_serve"])
def test_a_server_that_a_launch_script_starts_is_not_a_training_command_and_its_options_are_judged(
    tmp_path: Path, server: str
) -> None:
    train = "from trl import GRPOConfig\nGRPOConfig(use_vllm=True, vllm_mode='colocate')\n"
    write(tmp_path, run_sh=f"{server} --modle m &\naccelerate launch train.py\n", train_py=train)
    found = findings("run.sh", "--set", "packages.trl=1.0.0")
    assert found["setting-does-not-exist"]["place"]["line"] == 1
    assert "setting-does-not-exist" not in findings("run.sh", "--set", "packages.trl=1.16.0")
    assert "plan.server_started" in vcompat("plan", "run.sh").stdout


def test_plan_shows_what_a_framework_makes_of_a_setting(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "from unsloth import FastLanguageModel\nfrom trl import GRPOConfig, GRPOTrainer\n"
        "model, tokenizer = FastLanguageModel.from_pretrained('a/b')\n"
        "args = GRPOConfig(per_device_train_batch_size=2, gradient_accumulation_steps=4, num_generations=6)\n"
        "GRPOTrainer(model=model, args=args, reward_funcs=len)\n"
    )
    shown = vcompat("plan", "--", "python", "train.py").stdout
    assert "plan.per_device_train_batch_size 6 train.py:4:47: unsloth replaces 2 by" in " ".join(shown.split())


def test_plan_lists_a_model_that_a_condition_of_the_launch_script_decides(tmp_path: Path) -> None:
    write(
        tmp_path,
        run_sh='M=/data/m\nif [ ! -d "$M" ]; then M=a/b; fi\npython train.py --model "$M"\n',
        train_py="import argparse\nfrom trl import GRPOConfig, GRPOTrainer\np = argparse.ArgumentParser()\n"
        "p.add_argument('--model')\nGRPOTrainer(model=p.parse_args().model, args=GRPOConfig(), reward_funcs=len)\n",
    )
    assert "plan.model: train.py:5:19: taken from the command line" in vcompat("plan", "run.sh").stdout
