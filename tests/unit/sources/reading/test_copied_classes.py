"""Projects with copies of TRL's classes, and what is read of scripts that take too many steps after the training."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.facts.facts import Facts
from vcompat.sources.gather import Sources, collect

COPIED = """
from dataclasses import dataclass
from transformers import HfArgumentParser, Trainer, TrainingArguments

@dataclass
class GRPOConfig(TrainingArguments):
    num_generations: int = 6
    use_vllm: bool = False

class TrlParser(HfArgumentParser):
    def parse(self):
        return tuple(make(kind) for kind in self.kinds)
"""
LAZY = """
from typing import TYPE_CHECKING
from .lazy import _LazyModule

if TYPE_CHECKING:
    from .copied import GRPOConfig, TrlParser as Parser
    try:
        from .other import Other
    except ImportError:
        pass
else:
    import sys
    sys.modules[__name__] = _LazyModule(__name__)
"""
SCRIPT = """
from trl import GRPOTrainer
from mine import GRPOConfig, Parser
args, = Parser((GRPOConfig,)).parse_args_and_config()
GRPOTrainer('a/b', args=args).train()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def facts_of(files: dict[str, str], *words: str) -> Facts:
    for name, text in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    return collect(Sources(command=["python", "train.py", *words], probe=False)).facts


def test_a_lazy_module_has_the_names_that_it_shows_type_checkers() -> None:
    files = {"train.py": SCRIPT, "mine/__init__.py": LAZY, "mine/copied.py": COPIED}
    facts = facts_of(files, "--use_vllm", "True")
    found = {name: facts.likely(f"plan.{name}") for name in ("use_vllm", "num_generations", "configuration")}
    assert {name: one and one.value for name, one in found.items()} == {
        "use_vllm": True,
        "num_generations": 6,
        "configuration": "GRPOConfig",
    }
    texts = {presumption.text for one in found.values() if one for presumption in one.presumes}
    assert texts >= {f"the {name} of the project is a copy of TRL's" for name in ("GRPOConfig", "TrlParser")}


def test_a_copied_configuration_has_the_settings_that_it_states_only() -> None:
    script = COPIED + "from trl import GRPOTrainer\nGRPOTrainer('a/b', args=GRPOConfig(num_generations=4)).train()\n"
    facts = facts_of({"train.py": script})
    assert facts.value("plan.num_generations") == 4 and facts.value("plan.use_vllm") is False
    assert facts.get("plan.configuration") is None and facts.get("plan.temperature") is None
    assert "is not TRL's; it may be 'GRPOConfig'" in facts.why_unknown("plan.configuration")


ITEMS = list(range(30))
LOOPS = f"x = {ITEMS}\nfor a in x:\n    for b in x:\n        for c in x:\n            for d in x:\n                y = a + b\n"
TRAINING = "from trl import GRPOConfig, GRPOTrainer\nGRPOTrainer('a/b', args=GRPOConfig(num_generations=4)).train()\n"


@pytest.mark.parametrize("script", [TRAINING + LOOPS, LOOPS + TRAINING])
def test_what_takes_too_many_steps_beside_the_training_leaves_it_likely(script: str) -> None:
    facts = facts_of({"train.py": script})
    likely = facts.likely("plan.num_generations")
    assert facts.get("plan.num_generations") is None and likely is not None and likely.value == 4
    assert [one.text for one in likely.presumes] == ["what takes too many steps changes no setting"]


def test_another_training_that_takes_too_many_steps_leaves_the_first_likely() -> None:
    facts = facts_of({"train.py": TRAINING + LOOPS.replace("y = a + b", "GRPOConfig(beta=a + b)")})
    likely = facts.likely("plan.num_generations")
    assert facts.get("plan.num_generations") is None and likely is not None and likely.value == 4
    assert [one.text for one in likely.presumes] == ["what follows the training changes no setting of it"]
