"""Rules about a vLLM server beside the trainer, on launch scripts that start one."""

from pathlib import Path

import pytest

import vcompat

TRAIN = """from trl import GRPOConfig, GRPOTrainer
config = GRPOConfig(output_dir="out", use_vllm=True, vllm_mode="server", vllm_server_port={port})
GRPOTrainer(model="m", args=config, train_dataset=prompts, reward_funcs=reward).train()
"""
OLD, NEW, SHARED = "vllm-serve-started-for-old-trainer", "vllm-serve-without-weight-transfer", "server-on-trainers-gpu"


def certain(folder: Path, launch: str, trl: str, port: int = 8000, target: str = "8xH100") -> set[str]:
    (folder / "train.py").write_text(TRAIN.format(port=port))
    (folder / "run.sh").write_text(launch)
    facts = {"packages.trl": trl, "packages.vllm": "0.25.0"}
    found = vcompat.check(str(folder / "run.sh"), facts, probe=False, target=target)
    return {finding.rule.id for finding in found if finding.is_certain} & {OLD, NEW, SHARED}


@pytest.mark.parametrize(("trl", "rule"), [("0.22.2", OLD), ("1.12.0", NEW)])
def test_a_server_of_vllm_counts_if_it_has_the_trainers_port(tmp_path: Path, trl: str, rule: str) -> None:
    train = "CUDA_VISIBLE_DEVICES=1 python train.py\n"
    assert certain(tmp_path, f"vllm serve m &\n{train}", trl) == {rule}
    assert certain(tmp_path, f"vllm serve m --port=8001 &\n{train}", trl, port=8001) == {rule}
    # A judge, for example.
    assert certain(tmp_path, f"vllm serve judge --port 8000 &\n{train}", trl, port=8001) == set()
    assert certain(tmp_path, f"vllm serve judge --port $JUDGE &\n{train}", trl) == set()


def test_a_trainer_with_a_gpu_of_its_own_does_not_share_it_with_the_server(tmp_path: Path) -> None:
    server = "CUDA_VISIBLE_DEVICES=0 trl vllm-serve --model m &\n"
    assert certain(tmp_path, f"{server}CUDA_VISIBLE_DEVICES=1 python train.py\n", "0.22.2") == set()
    assert certain(tmp_path, "trl vllm-serve --model m &\npython train.py\n", "0.22.2", target="1xH100") == {SHARED}
