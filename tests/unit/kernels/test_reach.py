"""Which kernels a run reaches."""

from __future__ import annotations

import pytest

from vcompat.facts.facts import Facts
from vcompat.kernels.grid import KERNELS
from vcompat.kernels.reach import Wanted, capabilities, wanted
from vcompat.sources.gather import Sources, gather

V0 = {
    "vllm.engine": "v0",
    "gpu.compute_capability": "7.0",
    "env.VLLM_ATTENTION_BACKEND": "none",
    "plan.enable_prefix_caching": "true",
    "plan.kv_cache_dtype": "none",
    "vllm.dtype": "float16",
    "plan.head_size": "128",
    "plan.model_is_moe": "false",
    "plan.peft": "false",
    "plan.use_vllm": "true",
}
V1 = V0 | {"packages.vllm": "0.11.0", "vllm.engine": "v1", "env.VLLM_ATTENTION_BACKEND": "TRITON_ATTN"}


def facts(known: dict[str, str], **changes: str) -> Facts:
    changed = {name.replace("__", "."): value for name, value in changes.items()}
    return gather(Sources(settings=known | changed, probe=False))


def reached(known: dict[str, str], **changes: str) -> dict[str, list[Wanted]]:
    found: dict[str, list[Wanted]] = {}
    for one in wanted([("", facts(known, **changes))]):
        found.setdefault(one.kernel.name, []).append(one)
    return found


def needs(known: dict[str, str], kernel: str, **changes: str) -> list[str]:
    (found,) = {one.needs for one in reached(known, **changes)[kernel]}
    return [need.fact or need.reason for need in found]


def test_v0_reaches_prefix_prefill_with_prefix_caching_below_ampere() -> None:
    found = reached(V0)
    assert list(found) == ["prefix-prefill"]
    (one,) = found["prefix-prefill"]
    assert (one.call, one.capability, one.dtype, one.size, one.needs) == ("prefix-prefill", "7.0", "float16", 128, ())
    assert "plan.enable_prefix_caching" in [reason.fact for reason in one.because]


@pytest.mark.parametrize(
    "changes",
    [
        {"gpu__compute_capability": "8.0"},
        {"plan__enable_prefix_caching": "false", "plan__enable_chunked_prefill": "false"},
        {"plan__use_vllm": "false"},
        {"plan__kv_cache_dtype": "fp8_e5m2"},
        {"env__VLLM_ATTENTION_BACKEND": "FLASHINFER"},
        {"plan__patched": "vllm_attention_before_ampere"},
        {"gpu__compute_capability": "6.1"},
    ],
)
def test_what_a_run_does_not_reach_is_not_compiled(changes: dict[str, str]) -> None:
    assert reached(V0, **changes) == {}


def test_chunked_prefill_reaches_it_too_and_so_do_long_models_by_default() -> None:
    off = {"plan__enable_prefix_caching": "false"}
    assert needs(V0, "prefix-prefill", plan__enable_chunked_prefill="true", **off) == []
    assert needs(V0, "prefix-prefill", plan__enable_chunked_prefill="none", plan__max_model_len="40000", **off) == []
    assert reached(V0, plan__enable_chunked_prefill="none", plan__max_model_len="32768", **off) == {}


@pytest.mark.parametrize(
    ("fact", "kernel"),
    [
        ("vllm.engine", "prefix-prefill"),
        ("plan.enable_prefix_caching", "prefix-prefill"),
        ("env.VLLM_ATTENTION_BACKEND", "prefix-prefill"),
        ("vllm.dtype", "prefix-prefill"),
        ("plan.kv_cache_dtype", "prefix-prefill"),
        ("plan.head_size", "prefix-prefill"),
    ],
)
def test_an_unknown_fact_is_what_a_failure_depends_on(fact: str, kernel: str) -> None:
    assert fact in needs(V0 | {fact: "unknown"}, kernel)


def test_heads_of_an_unknown_size_are_compiled_in_two_sizes() -> None:
    assert [one.size for one in reached(V0, plan__head_size="unknown")["prefix-prefill"]] == [64, 128]


UNKNOWN_CHOICE = ["whether vLLM takes this kernel for attention (its Triton backend)"]
UNKNOWN_BACKEND = ["vllm.attention_backend"]


@pytest.mark.parametrize(
    ("vllm", "backend", "expected"),
    [
        ("0.9.1", "TRITON_ATTN_VLLM_V1", []),
        ("0.10.2", "TRITON_ATTN_VLLM_V1", []),
        ("0.11.0", "TRITON_ATTN", []),
        ("0.14.1", "TRITON_ATTN", []),
        ("0.9.0", "TRITON_ATTN_VLLM_V1", UNKNOWN_CHOICE),
        ("0.15.0", "TRITON_ATTN", UNKNOWN_BACKEND),
        ("0.15.0", "FLASH_ATTN", UNKNOWN_BACKEND),
        ("0.11.0", "none", UNKNOWN_BACKEND),
    ],
)
def test_v1_reaches_unified_attention_for_certain_if_a_variable_that_it_reads_selects_it(
    vllm: str, backend: str, expected: list[str]
) -> None:
    chosen = {"packages__vllm": vllm, "env__VLLM_ATTENTION_BACKEND": backend}
    chosen["env__VLLM_V1_USE_PREFILL_DECODE_ATTENTION"] = "none"
    assert needs(V1, "unified-attention", **chosen) == expected


#: TRL's own engine for a model that the record of choices covers.
RECORDED = {
    "env__VLLM_ATTENTION_BACKEND": "none",
    "env__VLLM_BATCH_INVARIANT": "none",
    "packages__trl": "0.26.0",
    "plan__vllm_mode": "colocate",
    "plan__model_architecture": "Qwen2ForCausalLM",
    "plan__model_quantization": "none",
    "plan__distributed_executor_backend": "external_launcher",
    "plan__speculative_config": "none",
}


@pytest.mark.parametrize(("vllm", "capability"), [("0.12.0", "7.0"), ("0.24.0", "7.5")])
def test_v1_reaches_unified_attention_for_certain_where_the_release_chooses_it(vllm: str, capability: str) -> None:
    chosen = {"packages__vllm": vllm, "gpu__compute_capability": capability}
    assert needs(V1, "unified-attention", **RECORDED, **chosen) == []
    assert needs(V1, "write-to-cache", **RECORDED, **chosen) == []


@pytest.mark.parametrize(("vllm", "capability"), [("0.10.2", "7.5"), ("0.12.0", "7.5"), ("0.24.0", "8.0")])
def test_v1_does_not_reach_it_where_the_release_chooses_another_backend(vllm: str, capability: str) -> None:
    chosen = {"packages__vllm": vllm, "gpu__compute_capability": capability}
    assert "unified-attention" not in reached(V1, **RECORDED, **chosen)


def test_another_backend_or_another_kernel_in_it_is_not_compiled_or_is_not_certain() -> None:
    assert "unified-attention" not in reached(V1, env__VLLM_ATTENTION_BACKEND="FLASH_ATTN")
    other = {"packages__vllm": "0.10.0", "env__VLLM_ATTENTION_BACKEND": "TRITON_ATTN_VLLM_V1"}
    assert needs(V1, "unified-attention", env__VLLM_V1_USE_PREFILL_DECODE_ATTENTION="1", **other) == UNKNOWN_CHOICE


def test_experts_and_adapters_are_compiled_only_for_models_that_may_have_them() -> None:
    assert "fused-experts" not in reached(V1) and "adapter-shrink" not in reached(V1)
    found = reached(V1, plan__model_is_moe="true", plan__peft="true", plan__lora_rank="32")
    assert {one.size for one in found["adapter-shrink"]} == {32}
    assert all(one.needs for name in ("fused-experts", "adapter-shrink", "adapter-expand") for one in found[name])
    unknown = reached(V1, plan__model_is_moe="unknown", plan__peft="unknown")
    assert "fused-experts" in unknown and "adapter-shrink" not in unknown


def test_v0_and_v1_compute_experts_that_are_not_quantized_with_the_triton_kernel_before_0_11() -> None:
    plain = {"plan__model_is_moe": "true", "plan__model_quantization": "none", "plan__quantization": "none"}
    assert needs(V1, "fused-experts", packages__vllm="0.10.2", **plain) == []
    (why,) = needs(V1, "fused-experts", packages__vllm="0.11.0", **plain)
    assert why == "whether vLLM computes the experts with its Triton kernel"
    assert needs(V1, "fused-experts", packages__vllm="0.10.2", **plain | {"plan__quantization": "fp8"}) == [why]
    assert needs(V1, "fused-experts", packages__vllm="0.10.2", gpu__compute_capability="8.0", **plain) == [why]


@pytest.mark.parametrize(
    ("dtype", "capability", "expected"),
    [
        ("bfloat16", "8.0", "bfloat16"),
        ("float16", "8.0", "float16"),
        ("float32", "7.5", "float32"),
        ("bfloat16", "7.5", "float16"),
    ],
)
def test_the_data_type_is_that_of_the_run(dtype: str, capability: str, expected: str) -> None:
    found = reached(V1, vllm__dtype=dtype, gpu__compute_capability=capability)
    assert {one.dtype for one in found["unified-attention"]} == {expected}


def test_a_type_that_is_not_known_is_the_16_bit_one_of_the_gpu() -> None:
    found = reached(V1, vllm__dtype="unknown", gpu__compute_capability="7.5,9.0")["unified-attention"]
    assert {(one.capability, one.dtype) for one in found} == {("7.5", "float16"), ("9.0", "bfloat16")}


def test_each_distinct_capability_is_compiled_once_and_certain_kernels_first() -> None:
    runs = [("a", facts(V1, gpu__compute_capability="9.0,7.5,9.0", plan__peft="true"))]
    assert capabilities(runs) == ["7.5", "9.0"]
    found = wanted(runs)
    assert len({one[:5] for one in found}) == len(found)
    assert [bool(one.needs) for one in found] == sorted(bool(one.needs) for one in found)


def test_what_one_run_reaches_for_certain_is_certain_for_that_run() -> None:
    certain, possible = facts(V0), facts(V0, vllm__dtype="unknown")
    (one,) = wanted([("a", possible), ("b", certain)])
    assert (one.runs, one.needs) == (("b",), ())
    (both,) = wanted([("a", certain), ("b", certain)])
    assert both.runs == ("a", "b")


def test_every_kernel_that_is_reached_is_one_of_the_grid() -> None:
    from vcompat.kernels.reach import _REACHED

    assert set(_REACHED) <= {kernel.name for kernel in KERNELS}
