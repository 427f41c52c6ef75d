"""Upgrades of scripts as tests need them: with real rules and real records."""

from __future__ import annotations

from pathlib import Path

from vcompat.evaluation.config import Config
from vcompat.fixes.releases import parse_kept
from vcompat.fixes.upgrade_effects import PACKAGES, Upgrade, upgrade
from vcompat.rules.database import load_rules
from vcompat.sources.gather import Sources, collect

#: A project whose releases work together.
REQUIREMENTS = "trl==0.19.0\nvllm==0.9.1\ntransformers==4.53.0\n"


def project(folder: Path, settings: str = "", before: str = "", requirements: str = REQUIREMENTS) -> str:
    """Write a project with a script; return the path of the script. `before` is code, `settings` are keywords."""
    folder.mkdir(exist_ok=True)
    (folder / "requirements.txt").write_text(requirements)
    script = folder / "train.py"
    script.write_text(
        f"from trl import GRPOConfig, GRPOTrainer\n{before}\n"
        f"args = GRPOConfig('out', use_vllm=True, vllm_mode='colocate', bf16=True, {settings})\n"
        "GRPOTrainer('Qwen/Qwen3-0.6B', reward_funcs=len, args=args, train_dataset=[]).train()\n"
    )
    return str(script)


def upgraded(script: str, *to: str, target: str = "8xH100", config: Config | None = None) -> Upgrade:
    """Return what an upgrade of a script changes."""
    # Which releases can be installed depends on the interpreter: a run has one of its own.
    gathered = collect(Sources([script], {"host.python": "3.11"}, target=target, probe=False))
    return upgrade(gathered, config or Config(), load_rules(thorough=False), parse_kept(to, "--to", PACKAGES))
