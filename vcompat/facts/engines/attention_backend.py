"""Which attention backend vLLM uses: the user's choice, or what the release chooses on these GPUs.

What releases choose is recorded in ``evidence/backends.toml``, for plain decoder models and a cache in 16 bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.version import Version

from vcompat.facts.facts import Facts

if TYPE_CHECKING:
    from vcompat.facts.records.backends import BackendRecord

FACT = "vllm.attention_backend"
#: Classes of vLLM whose attention has neither sinks nor ALiBi nor capped logits, in all recorded releases.
PLAIN = (
    "LlamaForCausalLM",
    "Qwen2ForCausalLM",
    "Qwen2MoeForCausalLM",
    "Qwen3ForCausalLM",
    "Qwen3MoeForCausalLM",
)
#: The first release that does not read VLLM_ATTENTION_BACKEND.
VARIABLE_IGNORED_FROM = Version("0.15.0")
#: The first release that requires FlashInfer.
_REQUIRES_FLASHINFER = Version("0.11.1")
FLASHINFER = "FLASHINFER"
_VARIABLE = "env.VLLM_ATTENTION_BACKEND"
#: Settings that take part in a choice, with the values for which the record holds. Unset variables have the default.
_AS_RECORDED = {
    "vllm.backend": ("cuda",),
    "vllm.dtype": ("float16", "bfloat16"),
    "plan.model_architecture": PLAIN,
    "plan.model_quantization": (None,),
    "plan.kv_cache_dtype": (None, "auto"),
    "plan.speculative_config": (False, None),
    "env.VLLM_BATCH_INVARIANT": (None, "0"),
}
#: The executor of TRL's own engine. An engine that a script creates can get a backend, which is not a fact.
_TRLS_OWN = "external_launcher"
#: Older releases choose by sliding windows, too.
_SINCE = Version("0.6.4")


def set_attention_backend(facts: Facts) -> None:
    """Derive ``vllm.attention_backend``; unknown where the record does not hold, or the GPUs differ in it."""
    vllm = facts.value("packages.vllm")
    if not isinstance(vllm, Version) or facts.value("plan.use_vllm") is not True:
        return
    chosen = facts.get(_VARIABLE)
    if vllm < VARIABLE_IGNORED_FROM and (chosen is None or chosen.value is not None):
        if chosen is not None:
            facts.offer(FACT, str(chosen.value).removesuffix("_VLLM_V1"), _VARIABLE, chosen.place)
        return
    if facts.value("plan.distributed_executor_backend") != _TRLS_OWN or vllm < _SINCE or not _as_recorded(facts):
        return
    # Imported here: few runs get to the record.
    from vcompat.facts.records.backends import load

    names = _names(load(), facts, vllm)
    if len(names) == 1 and (name := names.pop()) and not _by_flashinfer(facts, vllm, name):
        facts.offer(FACT, name, f"default of vLLM {vllm} on these GPUs")


def _as_recorded(facts: Facts) -> bool:
    for name, values in _AS_RECORDED.items():
        known = facts.get(name)
        if known is None or known.value not in values:
            return False
    return True


def _by_flashinfer(facts: Facts, vllm: Version, name: str) -> bool:
    """Whether an installation with other packages than required can choose otherwise.

    Older releases use FlashInfer on compute capability 10.x if it is installed.
    """
    installed, cards = facts.get("packages.flashinfer"), facts.value("gpu.compute_capability")
    if vllm >= _REQUIRES_FLASHINFER:
        return name == FLASHINFER and installed is not None and installed.value is None
    newest = isinstance(cards, tuple) and any(isinstance(card, Version) and card.major == 10 for card in cards)
    return newest and (installed is None or installed.value is not None)


def _names(record: BackendRecord, facts: Facts, vllm: Version) -> set[str | None]:
    """The backends on the GPUs at hand, for the head size of the model; None among them if one is not known."""
    from vcompat.facts.records.backends import HEADS

    cards, engine = facts.value("gpu.compute_capability"), facts.value("vllm.engine")
    head = facts.value("plan.head_size")
    if not isinstance(cards, tuple) or not isinstance(engine, str) or head not in HEADS:
        return {None}
    return {record.backend(Version(vllm.public), str(card), engine, int(str(head))) for card in cards}
