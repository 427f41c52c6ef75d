"""The blocks of the README and of the pages in docs/, run as printed in a folder that has the files that they name.

`python -m tests.e2e.readme` runs every command and writes what it prints into the pages, where they show output. It draws
the pictures of terminals, and writes the list of facts into docs/facts.md and the counts into docs/figures.md.

The commands see the rules that are listed in shown_rules.txt: those that existed when the script ran last. So a new rule
changes no shown output until the next run of the script, and a changed rule does at once.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tests.e2e.figures import figures_page
from tests.e2e.picture import picture
from tests.unit.fleet_reports import fleet
from vcompat.sources.probe.probe_report import one_line

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
#: The pages whose blocks are run.
PAGES = (README, *sorted((ROOT / "docs").glob("*.md")))
#: The pictures of terminals, each with the command whose output it shows.
PICTURES = {ROOT / "docs" / "check.svg": "vcompat check train.py --no-probe --facts examples/machine.json"}
FACTS = ROOT / "docs" / "facts.md"
FIGURES = ROOT / "docs" / "figures.md"
#: The ids of the rules whose findings the documents show.
SHOWN_RULES = Path(__file__).with_name("shown_rules.txt")
#: Logs of a real run, of which one rank computed rewards for ever.
HUNG = ROOT / "tests" / "cases" / "hangs" / "late-with-dumps"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: Files that commands name and the README does not show.
_FILES = {
    "upgrade.py": "from trl import GRPOConfig, GRPOTrainer\n\nargs = GRPOConfig(num_generations=1, max_prompt_length=512)\n"
    "GRPOTrainer(model='Qwen/Qwen2.5-0.5B', args=args)\n",
    "project/grpo.py": "from trl import GRPOConfig, GRPOTrainer\nfrom trl.extras.vllm_client import VLLMClient\n\n"
    "args = GRPOConfig(use_vllm=True, vllm_mode='colocate', max_prompt_length=512)\n"
    "GRPOTrainer(model='Qwen/Qwen3-0.6B', args=args).train()\n",
    "project/requirements.txt": "trl==0.19.0\nvllm==0.9.1\ntransformers==4.53.0\n",
    "project/train.sh": "torchrun --nproc_per_node 8 project/grpo.py\n",
    "old_code.py": "from trl import GRPOConfig, GRPOTrainer\nfrom trl.extras.vllm_client import VLLMClient\n\n\n"
    "def main():\n    args = GRPOConfig(output_dir='out')\n"
    "    GRPOTrainer(model='Qwen/Qwen2.5-0.5B', args=args, tokenizer=None).train()\n\n\nmain()\n",
    "unseen.py": "from team_tools import setup_run\nfrom trl import GRPOConfig, GRPOTrainer\n\n"
    "args = GRPOConfig(use_vllm=True, vllm_mode='colocate', vllm_enable_sleep_mode=True)\nsetup_run(args)\n"
    "GRPOTrainer(model='Qwen/Qwen3-0.6B', args=args).train()\n",
    "run.sh": "torchrun --nproc_per_node 8 train.py\n",
    "train.slurm": '#!/bin/bash\n#SBATCH --gres=gpu:8\ntorchrun --nproc_per_node 8 train.py --model "$2"\n',
    "zero3.yaml": "distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 3\nnum_processes: 8\n",
    "train.log": "trl==0.15.2\nvllm==0.7.2\nGPU 0: Tesla V100-SXM2-32GB (UUID: GPU-1)\n"
    "INFO 02-10 12:00:05 llm_engine.py:234] Initializing a V0 LLM engine (v0.7.2) with config: model='m', "
    "dtype=torch.float16, enable_prefix_caching=True, chunked_prefill_enabled=False\n"
    "python3: /source/llvm-project/mlir/lib/Analysis/SliceAnalysis.cpp:109: Assertion "
    '`!(srcMmaLayout && dstMmaLayout) && "mma -> mma layout conversion is only supported on Ampere"\' failed.\n'
    "[rank0]: Traceback (most recent call last):\n"
    '[rank0]:   File "/opt/env/lib/python3.11/site-packages/trl/trainer/grpo_trainer.py", line 9, in _prepare_inputs\n'
    '[rank0]:   File "/opt/env/lib/python3.11/site-packages/vllm/entrypoints/llm.py", line 469, in generate\n'
    "[rank0]: RuntimeError: Engine process failed to start.\n",
    "failed.log": "vllm==0.11.2\ntorch==2.9.0\nTraceback (most recent call last):\n"
    '  File "/opt/env/lib/python3.12/site-packages/unsloth_zoo/vllm_utils.py", line 1217, in load_vllm\n'
    "    from vllm.config import CompilationConfig, CompilationLevel\n"
    "ImportError: cannot import name 'CompilationLevel' from 'vllm.config' "
    "(/opt/env/lib/python3.12/site-packages/vllm/config/__init__.py)\n",
    "logs/rank_0.log": "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0.\n",
    "output/trainer_state.json": '{"log_history": [{"reward_std": 0.1, "sampling/sampling_logp_difference/mean": 0.002, '
    '"step": 1}, {"reward_std": 0.1, "sampling/sampling_logp_difference/mean": 0.9, "step": 2}]}\n',
}
LOCK = 'version = 1\n[[package]]\nname = "trl"\nversion = "1.9.0"\n[[package]]\nname = "vllm"\nversion = "0.24.0"\n'


class Command(NamedTuple):
    """A line of a console block that begins with ``$``, and the output that the README shows for it."""

    line: str
    shown: str


def blocks(language: str, text: str | None = None) -> list[str]:
    """The contents of all fenced blocks of a language, each once: those of a text, or of all pages."""
    texts = [page.read_text(encoding="utf-8") for page in PAGES] if text is None else [text]
    return list(dict.fromkeys(body for one in texts for name, body in _BLOCK.findall(one) if name == language))


def commands() -> Iterator[Command]:
    """Every command of every console block of all pages, in order. What is shown twice is listed once."""
    found: list[Command] = []
    for body in blocks("console"):
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            line, _, shown = part.partition("\n")
            found.append(Command(line, shown))
    # A command without output runs once, whatever its comment, and not if another page shows its output.
    known = {_words(command) for command in found if command.shown}
    for command in dict.fromkeys(found):
        if command.shown or _words(command) not in known:
            known.add(_words(command))
            yield command


def _words(command: Command) -> tuple[str, ...]:
    """The words of a command, without its comment."""
    return tuple(shlex.split(command.line, comments=True))


def prepare(folder: Path) -> None:
    """Make a folder in which the commands of the pages can run."""
    (script,) = [block for block in blocks("python") if "GRPOConfig" in block]
    (profile,) = [block for block in blocks("toml") if "[gpu]" in block]
    for name, text in {**_FILES, "train.py": script, "cluster.toml": profile}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / "hung").mkdir()
    for log in HUNG.iterdir():
        text = log.read_text(encoding="utf-8").replace("tests/e2e/hanging.py", "train.py")
        (folder / "hung" / log.name).write_text(text, encoding="utf-8")
    reports = folder / "reports"
    reports.mkdir()
    for one in deviating(62):
        (reports / f"{one['node']['host']}.json").write_text(one_line(one), encoding="utf-8")


def deviating(count: int) -> list[dict[str, Any]]:
    """Reports of nodes of which two have another vLLM and one has a GPU with memory errors."""
    found = fleet(count)
    for number in (17, 23):
        found[number - 1]["facts"]["packages.vllm"] = "0.25.1"
    found[39]["nvml"]["devices"][3]["health"]["uncorrected_errors"] = 2
    return found


@cache
def checkout() -> tempfile.TemporaryDirectory[str]:
    """A folder that is this checkout with the rules of `SHOWN_RULES` only. It is removed with the process."""
    folder = tempfile.TemporaryDirectory(prefix="vcompat-checkout-")
    top = Path(folder.name)
    for name in ("vcompat", "evidence", "templates"):
        (top / name).symlink_to(ROOT / name)
    shown = set(SHOWN_RULES.read_text(encoding="utf-8").split())
    for path in (ROOT / "rules").glob("*/*.toml"):
        if path.stem in shown:
            (top / "rules" / path.parent.name).mkdir(parents=True, exist_ok=True)
            (top / "rules" / path.parent.name / path.name).symlink_to(path)
    return folder


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a shell does, at 80 columns, with this checkout's vcompat on the path."""
    # A command that states a release by hand is about a project that states none.
    (folder / "uv.lock").unlink(missing_ok=True)
    if "--set packages." not in line:
        (folder / "uv.lock").write_text(LOCK, encoding="utf-8")
    bin_folder = Path(sys.executable).parent
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("VCOMPAT", "VLLM_", "CUDA_"))}
    environment |= {"COLUMNS": "80", "PYTHONPATH": checkout().name, "PATH": f"{bin_folder}:{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


def update(folder: Path) -> None:
    """Write into each page what its commands print, where it shows output."""
    texts = {page: page.read_text(encoding="utf-8") for page in PAGES}
    for command in commands():
        if command.shown:
            printed = run(command.line, folder).stdout
            for page, text in texts.items():
                texts[page] = text.replace(f"$ {command.line}\n{command.shown}", f"$ {command.line}\n{printed}")
    for page, text in texts.items():
        page.write_text(text, encoding="utf-8")


def drawn(line: str, folder: Path) -> str:
    """The picture of a terminal in which a command has run."""
    return picture(line, run(f"vcompat --color always {line.removeprefix('vcompat ')}", folder).stdout)


def facts_page(folder: Path) -> str:
    """``docs/facts.md`` with the table that `vcompat facts` prints, without its last column, the number of rules."""
    text = FACTS.read_text(encoding="utf-8")
    table = run("vcompat facts --format markdown", folder).stdout
    return text[: text.index("| fact |")] + re.sub(r"\|[^|\n]*\|$", "|", table, flags=re.MULTILINE)


def main() -> None:
    """Write what this checkout prints into the documents."""
    rules = sorted(path.stem for path in (ROOT / "rules").glob("*/*.toml"))
    SHOWN_RULES.write_text("\n".join(rules) + "\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        prepare(Path(name))
        update(Path(name))
        for path, line in PICTURES.items():
            path.write_text(drawn(line, Path(name)), encoding="utf-8")
        FACTS.write_text(facts_page(Path(name)), encoding="utf-8")
    FIGURES.write_text(figures_page(FIGURES.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
