"""What `hydra.utils.instantiate` makes of a configuration, against the real one with stand-ins for TRL's classes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("hydra")

from vcompat.facts.facts import Facts
from vcompat.sources.gather import Sources, gather

CONFIG = """
model: a/b
use_vllm: true
arguments:
  _target_: trl.GRPOConfig
  output_dir: o
  use_vllm: ${use_vllm}
  vllm_mode: colocate
partial:
  _target_: trl.GRPOConfig
  _partial_: true
  num_generations: 4
listed:
  - _target_: trl.GRPOConfig
    beta: 0.5
trainer:
  _target_: trl.GRPOTrainer
  model: ${model}
  args:
    _target_: trl.GRPOConfig
    max_completion_length: 64
shallow:
  _target_: trl.GRPOTrainer
  _recursive_: false
  args:
    _target_: trl.GRPOConfig
    max_completion_length: 64
named:
  _target_: settings.make
  use_vllm: true
plain:
  vllm_mode: server
"""
#: Stand-in for TRL: the configuration writes what the trainer gets.
STANDIN = """
import json, sys
class GRPOConfig:
    def __init__(self, **settings):
        self.settings = settings
class GRPOTrainer:
    def __init__(self, model=None, args=None, **others):
        print(json.dumps(getattr(args, "settings", None)))
    def train(self): pass
"""
SCRIPT = """
import hydra
from hydra.utils import get_class, instantiate
from trl import GRPOConfig, GRPOTrainer

@hydra.main(config_path="conf", config_name="grpo", version_base=None)
def main(cfg):
    {body}

main()
"""
#: Runs the scripts with Hydra, and prints what each trainer gets.
RUN = """
import runpy, sys
from hydra.core.global_hydra import GlobalHydra
sys.path[:0] = ["standin", "."]
for script in sys.argv[1:]:
    sys.argv = [script]
    GlobalHydra.instance().clear()
    runpy.run_path(script, run_name="__main__")
"""
MADE = "GRPOTrainer(model=cfg.model, args={}).train()"


BODIES = (
    MADE.format("instantiate(cfg.arguments)"),
    MADE.format("hydra.utils.instantiate(cfg.arguments, use_vllm=False, beta=0.1)"),
    MADE.format("hydra.utils.instantiate(config=cfg.arguments)"),
    MADE.format("instantiate(cfg.partial)(beta=0.25)"),
    MADE.format("instantiate(cfg.arguments, _partial_=True)(max_prompt_length=8)"),
    MADE.format("instantiate(cfg.listed)[0]"),
    MADE.format("instantiate(cfg.named)"),
    MADE.format("instantiate({'_target_': 'trl.GRPOConfig', 'num_generations': 2})"),
    MADE.format("GRPOConfig(**instantiate(cfg.plain))"),
    MADE.format("get_class('trl.GRPOConfig')(num_generations=16)"),
    "instantiate(cfg.trainer).train()",
    "instantiate(cfg.trainer, args=GRPOConfig(max_completion_length=32)).train()",
    "instantiate(cfg.shallow, args=instantiate(cfg.arguments)).train()",
)


def write(**scripts: str) -> None:
    Path("conf").mkdir()
    Path("standin").mkdir()
    Path("conf/grpo.yaml").write_text(CONFIG)
    Path("settings.py").write_text("from trl import GRPOConfig\ndef make(**given):\n    return GRPOConfig(**given)\n")
    Path("standin/trl.py").write_text(STANDIN)
    for name, body in scripts.items():
        Path(f"{name}.py").write_text(SCRIPT.format(body=body))


def read(script: str) -> Facts:
    return gather(Sources(command=("python", script), probe=False))


def test_a_configuration_is_called_as_hydra_calls_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scripts = {f"train{number}": body for number, body in enumerate(BODIES)}
    write(**scripts)
    words = [sys.executable, "-c", RUN, *(f"{name}.py" for name in scripts)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    truths = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = {}
    for (name, body), truth in zip(scripts.items(), truths, strict=True):
        facts = read(f"{name}.py")
        known = {setting: facts.value(f"plan.{setting}", "unknown") for setting in truth}
        if (
            facts.value("plan.trainer") != "GRPOTrainer"
            or not truth
            or {**known, "output_dir": "o"} != {**truth, "output_dir": "o"}
        ):
            wrong[body] = (known, truth)
    assert not wrong


def test_a_target_that_is_not_known_leaves_the_configuration_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(train=MADE.format("instantiate(cfg.arguments)"))
    Path("conf/grpo.yaml").write_text("model: a/b\narguments:\n  _target_: ???\n  use_vllm: true\n")
    assert read("train.py").value("plan.use_vllm", "unknown") == "unknown"


@pytest.mark.parametrize(
    ("command", "model"),
    [
        ("true", "a/b"),
        ("sed -i 's|^model: .*|model: c/d|' conf/grpo.yaml", "c/d"),
        ('sed -i "s|^model: .*|model: $(pick_model)|" conf/grpo.yaml', "unknown"),
    ],
)
def test_what_a_launch_script_writes_into_a_configuration_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, model: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(train=MADE.format("instantiate(cfg.arguments)"))
    Path("run.sh").write_text(f"{command}\npython train.py\n")
    facts = gather(Sources(command=("bash", "run.sh"), probe=False)).presumed()
    assert facts.value("plan.model", "unknown") == model
