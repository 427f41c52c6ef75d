"""Run files of the largest realistic size for the benchmark: a long script, configurations, a lock file."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path

SCRIPT_LINES, LOCKED_PACKAGES = 5_000, 2_000

_REWARD = '''
def reward_{0}(completions, answers, scale={0}, **kwargs):
    """Reward number {0}, for completions that are right."""
    rewards = []
    for index, (completion, answer) in enumerate(zip(completions, answers)):
        text = completion[0]["content"].strip().lower()
        match = re.search(r"<answer>(.*?)</answer>", text)
        if match is None or len(text) > {0} * 10:
            rewards.append(0.0)
            continue
        value = match.group(1).strip()
        table = {{"index": index, "value": value, "scale": scale * 2 + {0}}}
        score = sum(float(part == other) for part, other in zip(value.split(), answer.split()))
        rewards.append(score / max(1, len(answer.split())) if table["scale"] else -1.0)
    return rewards

'''
_MAIN = """
parser = argparse.ArgumentParser()
parser.add_argument("--tp", type=int, default=2)
args = parser.parse_args()


def main():
    settings = {"use_vllm": True, "vllm_mode": "colocate"}
    settings["vllm_tensor_parallel_size"] = args.tp
    config = GRPOConfig(output_dir="out", num_generations=8, **settings)
    GRPOTrainer(model="Qwen/Qwen2.5-7B-Instruct", args=config, reward_funcs=reward_1, train_dataset=None).train()


main()
"""
_KNOWN = "torch vllm trl transformers accelerate deepspeed peft triton numpy nvidia-ml-py nvidia-nccl-cu12 ray".split()


def write_plan(folder: Path) -> list[str]:
    """Write a script of SCRIPT_LINES lines and four configurations; return their paths."""
    body = "import argparse\nimport re\n\nfrom trl import GRPOConfig, GRPOTrainer\n\n"
    number = 0
    while body.count("\n") + _MAIN.count("\n") < SCRIPT_LINES:
        number += 1
        body += _REWARD.format(number)
    files = {
        "train.py": body + _MAIN,
        "zero3.yaml": "distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 3\nnum_processes: 8\n",
        "ds.json": json.dumps({"zero_optimization": {"stage": 3}, "bf16": {"enabled": "auto"}}, indent=2),
        "grpo.yaml": "use_vllm: true\nvllm_mode: colocate\nlearning_rate: 1.0e-6\nnum_generations: 8\n",
        "adapter_config.json": json.dumps({"peft_type": "LORA", "r": 8, "modules_to_save": None}),
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [str(folder / name) for name in files]


def write_lock(folder: Path) -> str:
    """Write a uv.lock of LOCKED_PACKAGES packages with twenty wheels each; return its path."""
    chance = random.Random(2)
    names = [f"package-{number}" for number in range(LOCKED_PACKAGES - len(_KNOWN))] + _KNOWN
    chance.shuffle(names)
    lines = ["version = 1", "revision = 3", 'requires-python = ">=3.11"', ""]
    for name in names:
        lines += ["[[package]]", f'name = "{name}"', 'version = "2.9.0"', "wheels = ["]
        for wheel in range(20):
            digest = hashlib.sha256(f"{name}{wheel}".encode()).hexdigest()
            url = f"https://example.org/{name}-2.9.0-cp3{wheel}.whl"
            lines.append(f'    {{ url = "{url}", hash = "sha256:{digest}", size = 1 }},')
        lines += ["]", ""]
    path = folder / "uv.lock"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)
