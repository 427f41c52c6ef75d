"""Outcomes of real checks, for tests of their reports."""

from __future__ import annotations

from datetime import date

from vcompat.evaluation.checking import check
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
#: The rules of these checks. A set of its own, so that a new rule changes no expected report.
_RULES = frozenset(
    "aimv2-registered-twice batched-tokens-fixed-at-4096 bfloat16-before-ampere bfloat16-by-default-before-ampere "
    "cascade-attention-with-flash-attention-2 chunked-prefill-before-ampere colocate-fixed-port colocate-without-launcher "
    "colocation-does-not-fit colocation-is-tight driver-too-old-for-torch flash-attention-before-ampere kernel-does-not-compile "
    "larger-model-on-one-gpu model-not-served nccl-older-than-torch-needs no-driver not-built-for-pascal "
    "nvml-does-not-work prefix-caching-before-ampere sleep-crashes-at-exit "
    "sleep-level-2-loses-buffers sleep-mode-generates-with-first-checkpoint sleep-overlooks-pytorch-alloc-conf "
    "structured-outputs-params-missing torch-differs-from-vllm-build torch-has-no-kernels-for-gpu "
    "eight-bit-base-refused eight-bit-base-sent-as-numbers four-bit-sync-keeps-old-scales fsdp-with-adapter-and-colocate "
    "partial-wake-up-loses-buffers server-data-parallel-refused sleep-mode-for-one-engine sleep-resets-fp8-kv-scales "
    "wake-up-maps-memory-twice wake-up-zeroes-fp8-cache-of-hybrid-model zero3-breaks-modules-to-save "
    "transformers-older-than-vllm-needs vllm-outside-trl-range vllm-removed-transformers-4 volta-not-built".split()
)
RULES = tuple(rule for rule in load_rules() if rule.id in _RULES)


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
    return check(Sources(list(files), given, probe=False, target=target), config, RULES)
