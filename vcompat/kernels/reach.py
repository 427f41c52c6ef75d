"""Which of vLLM's kernels a run reaches, as far as facts tell: what `vcompat check --compile` compiles.

The conditions are those of the releases' own choice of an attention backend. Where only the engine decides, or a
setting that no fact states, a kernel is compiled, and a failure of it is possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from packaging.version import Version

from vcompat.evaluation.finding import Need, Reason, reasons
from vcompat.facts.facts import Facts
from vcompat.kernels.grid import KERNELS, Kernel
from vcompat.kernels.standin import SHARED_MEMORY
from vcompat.rules.condition import Condition, parse_condition

#: Head sizes that most models have, if the model's is not known.
_HEAD_SIZES = (64, 128)
_BACKEND = "env.VLLM_ATTENTION_BACKEND"
#: The kernels are called with a cache in the model's own type.
_OWN_CACHE: Mapping[str, Any] = {"not": {"plan.kv_cache_dtype": {"matches": "^(fp8|int8|nvfp4|turboquant)"}}}
_Ways = Sequence[tuple[Mapping[str, Any], str]]
#: How a run gets V1's Triton backend. 0.9.0 - 0.10.2 have another kernel in it, too, which a variable can choose.
_TRITON_BACKEND: _Ways = [
    (
        {
            **_OWN_CACHE,
            "vllm.engine": "v1",
            "vllm.attention_backend": "TRITON_ATTN",
            "any": [
                {"packages.vllm": ">=0.9.1,<0.11.0", "env.VLLM_V1_USE_PREFILL_DECODE_ATTENTION": {"set": False}},
                {"packages.vllm": ">=0.11.0"},
            ],
        },
        "",
    ),
    (
        {**_OWN_CACHE, "vllm.engine": "v1", "vllm.attention_backend": "TRITON_ATTN"},
        "vLLM takes this kernel for attention (its Triton backend)",
    ),
]
#: For each kernel, conditions with which a run reaches it, each with what must be true besides. Kernels that are not
#: listed are left out.
_REACHED: Mapping[str, _Ways] = {
    # The V0 engine's XFormers backend, the one below compute capability 8.0, calls it for prompts with a cached part.
    "prefix-prefill": [
        (
            {
                **_OWN_CACHE,
                "vllm.engine": "v0",
                "gpu.compute_capability": "<8.0",
                "any": [{_BACKEND: {"set": False}}, {_BACKEND: "XFORMERS"}],
                "all": [
                    {
                        "any": [
                            {"plan.enable_prefix_caching": True},
                            {"plan.enable_chunked_prefill": True},
                            {"plan.enable_chunked_prefill": {"set": False}, "plan.max_model_len": ">32768"},
                        ]
                    }
                ],
            },
            "",
        )
    ],
    "unified-attention": _TRITON_BACKEND,
    "write-to-cache": _TRITON_BACKEND,
    # `UnquantizedFusedMoEMethod` has no other kernel for CUDA before 0.11.0.
    "fused-experts": [
        (
            {
                "packages.vllm": "<0.11.0",
                "gpu.compute_capability": "<8.0",
                "plan.model_is_moe": True,
                "plan.model_quantization": {"set": False},
                "plan.quantization": {"set": False},
            },
            "",
        ),
        ({"plan.model_is_moe": True}, "vLLM computes the experts with its Triton kernel"),
    ],
    # TRL merges an adapter into the weights that it sends, so vLLM has none unless the script passes enable_lora.
    "adapter-shrink": [({"plan.peft": True}, "the engine is created with enable_lora")],
    "adapter-expand": [({"plan.peft": True}, "the engine is created with enable_lora")],
}
#: Kernels that are left out unless their conditions are known to hold.
_ONLY_WHERE_KNOWN = ("adapter-shrink", "adapter-expand")
#: Kernels whose size is a fact of the run, and the one of those with attention heads.
_SIZE_FACTS = {"heads of": "plan.head_size", "rank": "plan.lora_rank"}
_TYPES = ("float16", "bfloat16", "float32")


class Wanted(NamedTuple):
    """One call of a kernel's wrapper that is to be compiled."""

    kernel: Kernel
    call: str
    capability: str
    dtype: str
    size: int
    runs: tuple[str, ...]
    """The runs that reach it, or might."""
    because: tuple[Reason, ...]
    """The facts with which they reach it."""
    needs: tuple[Need, ...]
    """What is not known of whether they do; empty if they reach it for certain."""


class _Reached(NamedTuple):
    because: tuple[Reason, ...]
    needs: tuple[Need, ...]


def capabilities(runs: Iterable[tuple[str, Facts]]) -> list[str]:
    """Return the distinct compute capabilities of the GPUs of all runs, the oldest first."""
    known_capabilities = set()
    for _, facts in runs:
        known = facts.value("gpu.compute_capability")
        known_capabilities |= {one for one in known if isinstance(one, Version)} if isinstance(known, tuple) else set()
    return [f"{one.major}.{one.minor}" for one in sorted(known_capabilities)]


def wanted(runs: Sequence[tuple[str, Facts]]) -> list[Wanted]:
    """Return what the runs reach on their GPUs: what they reach for certain first, the oldest GPUs first."""
    calls: dict[tuple[object, ...], Wanted] = {}
    for name, facts in runs:
        if facts.value("plan.use_vllm") is False:
            continue
        for capability in capabilities([(name, facts)]):
            if capability in SHARED_MEMORY:
                for call in _of_run(name, facts, capability):
                    key = call[:5]
                    calls[key] = _either(calls[key], call) if key in calls else call
    # The sort is stable: kernels stay in the order of `_REACHED`.
    return sorted(calls.values(), key=lambda call: (bool(call.needs), Version(call.capability)))


def _either(call: Wanted, other: Wanted) -> Wanted:
    """The same call in two runs."""
    if bool(call.needs) != bool(other.needs):
        return other if call.needs else call
    return call._replace(runs=(*call.runs, *other.runs))


def _of_run(name: str, facts: Facts, capability: str) -> Iterator[Wanted]:
    alone = facts.copy()
    known = facts.get("gpu.compute_capability")
    alone.set("gpu.compute_capability", (Version(capability),), known.source if known else "")
    dtype, dtype_needs = _dtype(facts, capability)
    for kernel in KERNELS:
        reached = None if _is_switched_off(kernel.name, facts) else _reached(kernel.name, alone)
        if reached is None or Version(capability) < Version(kernel.from_card):
            continue
        sizes, size_needs = _sizes(kernel, facts)
        needs = tuple(dict.fromkeys((*reached.needs, *dtype_needs, *size_needs)))
        for call in kernel.calls:
            for size in sizes:
                yield Wanted(kernel, call, capability, dtype, size, (name,), reached.because, needs)


def _is_switched_off(kernel: str, facts: Facts) -> bool:
    """Whether a patch that the script applies keeps vLLM from using a kernel on older GPUs."""
    patched = facts.value("plan.patched")
    return kernel == "prefix-prefill" and isinstance(patched, tuple) and "vllm_attention_before_ampere" in patched


def _reached(kernel: str, facts: Facts) -> _Reached | None:
    """Return why a run reaches a kernel, and what is not known of that; None if it does not reach it."""
    open_: _Reached | None = None
    for condition, only_if in _conditions(kernel):
        truth = condition.truth(facts)
        if truth is False or (truth is None and kernel in _ONLY_WHERE_KNOWN):
            continue
        deciders = list(dict.fromkeys(condition.deciders(facts)))
        needs = tuple(_need(fact, facts) for fact in deciders if facts.get(fact) is None)
        needs += (Need("", f"whether {only_if}"),) if only_if else ()
        reached = _Reached(reasons(deciders, facts), needs)
        if truth and not only_if:
            return reached._replace(needs=())
        open_ = open_ or reached
    return open_


@cache
def _conditions(kernel: str) -> tuple[tuple[Condition, str], ...]:
    return tuple((parse_condition(when, kernel), only_if) for when, only_if in _REACHED.get(kernel, ()))


def _need(fact: str, facts: Facts) -> Need:
    return Need(fact, facts.why_unknown(fact), facts.open_at(fact))


def _dtype(facts: Facts, capability: str) -> tuple[str, tuple[Need, ...]]:
    """Return the data type that vLLM computes in; if it is not known, the 16-bit one of most models."""
    known = facts.value("vllm.dtype")
    older = Version(capability) < Version("8.0")
    half = "float16" if older else "bfloat16"
    if known not in _TYPES:
        return half, (_need("vllm.dtype", facts),)
    # vLLM refuses bfloat16 on older GPUs; other rules report that.
    return half if older and known == "bfloat16" else str(known), ()


def is_sized_by_run(kernel: Kernel) -> bool:
    """Whether the sizes that are compiled are those of the run, as far as its facts tell."""
    return kernel.of in _SIZE_FACTS


def _sizes(kernel: Kernel, facts: Facts) -> tuple[tuple[int, ...], tuple[Need, ...]]:
    """Return the sizes to compile: the run's own, else those of most models."""
    fact = _SIZE_FACTS.get(kernel.of)
    if fact is None:
        return kernel.sizes, ()
    known = facts.value(fact)
    if isinstance(known, int) and known > 0:
        return (known,), ()
    return _HEAD_SIZES if fact == "plan.head_size" else kernel.sizes, (_need(fact, facts),)
