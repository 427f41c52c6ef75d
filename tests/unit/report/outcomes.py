"""Outcomes of real checks, for tests of their reports."""

from __future__ import annotations

from datetime import date

from vcompat.evaluation.check import check
from vcompat.evaluation.config import Config, Suppression
from vcompat.evaluation.outcome import Outcome
from vcompat.rules.database import load_rules
from vcompat.sources.gather import Sources

SCRIPT = """\
from trl import GRPOConfig, GRPOTrainer
# <script>alert("&")</script> | `x` ]]> % :
config = GRPOConfig(use_vllm=True, vllm_mode="colocate",
                    vllm_enable_sleep_mode=True)
GRPOTrainer(model="Qwen/Qwen2.5-7B-Instruct<&|`>", args=config).train()
"""
PATCHED = "import vcompat; vcompat.patch()\n" + SCRIPT
#: A certain error, caused by the last setting of SCRIPT.
RULE = "sleep-mode-generates-with-first-checkpoint"
#: A certain error that no file states: it is about two packages.
UNPLACED = "vllm-removed-transformers-4"
#: A possible error at a setting of SCRIPT, and one that no file mentions.
POSSIBLE, POSSIBLE_UNPLACED = "sleep-overlooks-pytorch-alloc-conf", "torch-has-no-kernels-for-gpu"
#: A certain warning.
SUPPRESSED = "sleep-crashes-at-exit"
_RELEASES = {"packages.trl": "1.9.0", "packages.vllm": "0.24.0", "packages.transformers": "4.57.6"}
_FAR = date(2100, 1, 1)
SUPPRESSIONS = (
    Suppression(SUPPRESSED, "it is | <known>", _FAR, "vcompat.toml: suppress[0]"),
    Suppression("volta-not-built", "was", date(2020, 1, 1), "vcompat.toml: suppress[1]"),
    Suppression("sleep-level-2-loses-buffers", "is not", _FAR, "vcompat.toml: suppress[2]"),
)


def outcome_of(
    *files: str,
    suppressions: tuple[Suppression, ...] = (),
    strict: bool = False,
    target: str = "",
    **settings: str,
) -> Outcome:
    """The outcome for run files; `settings` are facts, with ``__`` for the dot."""
    given = _RELEASES | {name.replace("__", "."): value for name, value in settings.items()}
    config = Config(suppressions=suppressions, strict=strict)
    return check(Sources(list(files), given, probe=False, target=target), config, load_rules())
