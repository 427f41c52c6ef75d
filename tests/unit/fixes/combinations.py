"""Runs, hardware and constraints at random, to compare what `resolve` chooses with what `check` finds.

`python -m tests.unit.fixes.combinations --examples 5000 --seed 1` tries many and prints those that disagree.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from click import unstyle
from click.testing import CliRunner

from vcompat.cli.resolve import command
from vcompat.evaluation.checking import check
from vcompat.evaluation.config import Config
from vcompat.foundation.errors import InputError
from vcompat.rules.database import load_rules
from vcompat.sources.gather import Sources

ROOT = Path(__file__).resolve().parents[3]
RULES = load_rules(thorough=False)

TARGETS = (
    "V100-16GB 8xV100-32GB T4 4xT4 RTX-2080-Ti A100-40GB 8xA100-80GB A10G 2xRTX-4090 8xL40S H100 8xH100 2x8xH100 4xH200 "
    "8xB200 B300 2xRTX-5090 RTX-PRO-6000 8xGH200-96GB DGX-Spark P100-16GB 8xMI300X"
).split()
DRIVERS = "470.57.02 525.60.13 535.183.01 550.54.15 575.57.08 580.65.06 590.44.01".split()
KEEPS = (
    "trl==0.14.0 trl==0.15.2 trl==0.16.1 trl==0.17.0 trl==0.18.2 trl<0.20 trl==0.23.1 trl<0.26 trl==0.29.1 trl>=1.0 "
    "vllm<0.8 vllm==0.8.5 vllm<0.10 vllm==0.10.2 vllm==0.12.0 vllm<0.20 vllm==0.22.0 vllm>=0.32 "
    "transformers<4.52 transformers==4.52.4 transformers<5 transformers>=5 transformers==5.10.4 "
    "torch==2.6.0 torch<2.8 torch==2.9.1 torch>=2.11 accelerate<1 deepspeed==0.16.4 deepspeed peft==0.17.1 peft<0.18"
).split()
MODELS = ("Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-7B-Instruct", "meta-llama/Llama-3.3-70B-Instruct", "local/folder")
SETTINGS = {
    "use_vllm": (True, True, True, False),
    "vllm_mode": ("'colocate'", "'colocate'", "'server'"),
    "vllm_tensor_parallel_size": (1, 2, 4, 3),
    "vllm_gpu_memory_utilization": (0.2, 0.3, 0.9),
    "vllm_enable_sleep_mode": (True, False),
    "vllm_max_model_length": (512, 4096),
    "max_prompt_length": (256, 8192),
    "max_completion_length": (64, 1024),
    "bf16": (True, False),
    "fp16": (True,),
    "use_cpu": (False, False, True),
    "num_generations": (4, 8),
    "num_iterations": (1, 2),
    "per_device_train_batch_size": (1, 4, 8),
    "gradient_accumulation_steps": (1, 4),
    "steps_per_generation": (1, 8),
    "eval_strategy": ("'steps'",),
    "deepspeed": ("'zero.json'",),
    "vllm_importance_sampling_correction": (True, False),
}
ENVIRONMENT = (
    "VLLM_USE_V1=0",
    "VLLM_USE_V1=1",
    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
    "PYTORCH_ALLOC_CONF=expandable_segments:True",
    "CUDA_VISIBLE_DEVICES=0,1",
    "MASTER_PORT=29500",
)
LAUNCHES = (
    "python {0}",
    "torchrun --nproc_per_node 2 {0}",
    "torchrun --nproc_per_node 8 {0}",
    "accelerate launch --config_file zero3.yaml {0}",
    "accelerate launch --num_processes 4 --multi_gpu {0}",
    "accelerate launch --config_file fsdp.yaml {0}",
)
FILES = {
    "zero.json": '{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto", "bf16": {"enabled": true}}',
    "zero3.yaml": "distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 3\nnum_processes: 8\n",
    "fsdp.yaml": "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\nnum_processes: 8\nmixed_precision: bf16\n",
}


class Combination(NamedTuple):
    """One command line of `resolve`, without the folder of its files."""

    files: tuple[str, ...]
    """Names of run files in the folder."""
    target: str
    keeps: tuple[str, ...]
    settings: tuple[str, ...]
    options: tuple[str, ...]


def write_plans(chance: random.Random, folder: Path, count: int) -> list[tuple[str, ...]]:
    """Write `count` plans of one to three files into `folder`. Return the names of the files to read for each."""
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    plans: list[tuple[str, ...]] = [(), (str(ROOT / "examples" / "train_grpo_colocate.py"),)]
    for number in range(count):
        scripts = [_script(chance, folder / f"train{number}_{each}.py") for each in range(chance.choice((1, 1, 2)))]
        plans.append(
            (scripts[0],) if chance.random() < 0.3 else (_launch(chance, folder / f"run{number}.sh", scripts),)
        )
    return plans


def _script(chance: random.Random, path: Path) -> str:
    chosen = [name for name in SETTINGS if chance.random() < 0.45] + ["use_vllm"]
    settings = {name: chance.choice(SETTINGS[name]) for name in dict.fromkeys(chosen)}
    arguments = "".join(f"    {name}={value},\n" for name, value in settings.items())
    adapter = chance.choice(("", "", "LoraConfig(r=16)", "LoraConfig(modules_to_save=['lm_head'])"))
    path.write_text(
        "import os\n"
        + ("import vcompat\nvcompat.patch()\n" if chance.random() < 0.2 else "")
        + (f"os.environ[{_pair(chance)[0]!r}] = {_pair(chance)[1]!r}\n" if chance.random() < 0.2 else "")
        + "from peft import LoraConfig\nfrom trl import GRPOConfig, GRPOTrainer\n"
        + f"config = GRPOConfig(output_dir='out',\n{arguments})\n"
        + f"trainer = GRPOTrainer({chance.choice(MODELS)!r}, reward_funcs=len, args=config, train_dataset=[],\n"
        + (f"    peft_config={adapter},\n" if adapter else "")
        + ")\ntrainer.train()\n",
        encoding="utf-8",
    )
    return str(path)


def _pair(chance: random.Random) -> tuple[str, str]:
    name, _, value = chance.choice(ENVIRONMENT).partition("=")
    return name, value


def _launch(chance: random.Random, path: Path, scripts: list[str]) -> str:
    lines = [f"export {chance.choice(ENVIRONMENT)}"] if chance.random() < 0.4 else []
    lines += [chance.choice(LAUNCHES).format(Path(script).name) for script in scripts]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def combinations(chance: random.Random, plans: list[tuple[str, ...]]) -> Iterator[Combination]:
    """Yield combinations of the plans with hardware and constraints, without end."""
    while True:
        target = chance.choice(TARGETS)
        settings = [f"gpu.driver={chance.choice(DRIVERS)}"] if chance.random() < 0.3 else []
        options = ["--threshold", "warning"] if chance.random() < 0.1 else []
        options += ["--allow-patched"] if chance.random() < 0.2 else []
        options += ["--python", chance.choice(("3.10", "3.11", "3.12"))]
        kept = {keep.split("=")[0].split("<")[0].split(">")[0]: keep for keep in chance.sample(KEEPS, 2)}
        keeps = list(kept.values())[: chance.choice((0, 0, 1, 1, 2))]
        yield Combination(chance.choice(plans), target, tuple(keeps), tuple(settings), tuple(options))


class Answer(NamedTuple):
    """What `resolve` reports."""

    exit_code: int
    chosen: bool
    left: frozenset[str]
    """The rules whose findings it reports as remaining, of any severity."""
    output: str


def ask(combination: Combination, file: Path) -> Answer:
    """Run `resolve`, which writes its choice to `file`."""
    file.unlink(missing_ok=True)
    words = ["--target", combination.target, *combination.options, "-o", str(file)]
    words += [word for name in combination.files for word in ("--plan", name)]
    words += [word for keep in combination.keeps for word in ("--keep", keep)]
    words += [word for setting in combination.settings for word in ("--set", setting)]
    done = CliRunner().invoke(command, words, standalone_mode=False)
    if isinstance(done.exception, InputError):
        return Answer(2, False, frozenset(), str(done.exception))
    if done.exception is not None:
        raise done.exception
    text = unstyle(done.output)
    left = frozenset(re.findall(r"^  more +vcompat explain (\S+)$", text, re.MULTILINE))
    return Answer(int(done.return_value), file.is_file(), left, text)


def disagreement(combination: Combination, file: Path) -> str:
    """Return how `check` contradicts what `resolve` chose; empty if it does not."""
    answer = ask(combination, file)
    if not answer.chosen:
        return "" if answer.exit_code in (1, 2) else f"exit code {answer.exit_code} without a choice"
    severity = "warning" if "warning" in combination.options else "error"
    settings = dict(setting.split("=", 1) for setting in combination.settings)
    # Without run files, `resolve` assumes this run.
    settings |= {} if combination.files else {"plan.use_vllm": "true", "plan.trainer": "GRPOTrainer"}
    outcome = check(
        Sources(combination.files, settings, target=combination.target, environment=str(file)), Config(), RULES
    )
    # `resolve` takes what is likely for known.
    certain = {finding.rule.id: finding for finding in (*outcome.certain, *outcome.likely)}
    failing = {rule for rule, finding in certain.items() if finding.reaches(severity, on_likely=True)}
    accepted = {
        rule
        for rule in failing
        if "--allow-patched" in combination.options and any(fix.removes_failure for fix in certain[rule].fixes)
    }
    if failing - answer.left:
        return f"check finds {', '.join(sorted(failing - answer.left))}"
    if answer.left - set(certain):
        return f"resolve reports {', '.join(sorted(answer.left - set(certain)))}"
    expected = 1 if failing - accepted else 0
    return "" if answer.exit_code == expected else f"exit code {answer.exit_code}, expected {expected}"


def disagreements(seed: int, count: int, folder: Path) -> Iterator[tuple[Combination, str]]:
    """Try `count` combinations and yield those for which `resolve` and `check` disagree."""
    chance = random.Random(seed)
    plans = write_plans(chance, folder, max(count // 8, 1))
    for _, combination in zip(range(count), combinations(chance, plans), strict=False):
        how = disagreement(combination, folder / "constraints.txt")
        if how:
            yield combination, how


def main() -> None:
    """Try many combinations, and print those that disagree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", help="folder for the run files (default: a temporary one)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(options.keep or scratch)
        folder.mkdir(exist_ok=True)
        found = 0
        for combination, how in disagreements(options.seed, options.examples, folder):
            found += 1
            print(f"{how}\n  {combination}", flush=True)
        print(f"{options.examples} combinations, {found} disagreements")


if __name__ == "__main__":
    main()
