"""The rules on cascade attention depend on the GPU, the attention heads of each GPU, the batch and the backend."""

from __future__ import annotations

import pytest
from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.rules.database import find_rule, load_rules

GROUPED = "cascade-attention-with-flash-attention-2"
ONE_HEAD = "cascade-attention-with-one-key-value-head"
RUN = {
    "packages.vllm": Version("0.10.2"),
    "vllm.engine": "v1",
    "vllm.dtype": "bfloat16",
    "gpu.compute_capability": (Version("8.0"),),
    "plan.use_vllm": True,
    "plan.generation_batch_size": 64,
    "plan.attention_heads": 28,
    "plan.key_value_heads": 4,
    "plan.tensor_parallel_size": 1,
    "env.VLLM_ATTENTION_BACKEND": None,
}
NEWER = {"packages.vllm": Version("0.17.1"), "plan.tensor_parallel_size": 4}


def truth(rule: str, known: dict[str, object]) -> bool | None:
    facts = Facts()
    for name, value in {**RUN, **known}.items():
        facts.set(name, value, "the test")  # type: ignore[arg-type]
    return find_rule(load_rules(), rule).when.truth(facts)


@pytest.mark.parametrize(
    ("known", "applies"),
    [
        ({}, True),
        ({"env.VLLM_ATTENTION_BACKEND": "FLASH_ATTN_VLLM_V1"}, True),
        ({"packages.vllm": Version("0.11.0")}, True),
        ({"packages.vllm": Version("0.11.1")}, False),
        ({"vllm.engine": "v0"}, False),
        ({"gpu.compute_capability": (Version("9.0"),)}, False),
        ({"gpu.compute_capability": (Version("7.5"),)}, False),
        ({"plan.key_value_heads": 28}, False),
        ({"plan.generation_batch_size": 4}, False),
        ({"env.VLLM_ATTENTION_BACKEND": "FLASHINFER"}, False),
        ({"vllm.dtype": "float32"}, False),
    ],
)
def test_up_to_0_11_0_it_applies_to_models_with_grouped_query_attention(
    known: dict[str, object], applies: bool
) -> None:
    assert truth(GROUPED, known) is applies


@pytest.mark.parametrize(
    ("known", "applies"),
    [
        (NEWER, True),
        ({**NEWER, "plan.tensor_parallel_size": 8}, True),
        ({**NEWER, "plan.tensor_parallel_size": 2}, False),
        ({**NEWER, "plan.attention_heads": 4}, False),
        ({**NEWER, "packages.vllm": Version("0.18.0")}, False),
        ({**NEWER, "packages.vllm": Version("0.11.0")}, False),
    ],
)
def test_from_0_11_1_on_it_applies_where_each_gpu_has_one_key_value_head(
    known: dict[str, object], applies: bool
) -> None:
    assert truth(ONE_HEAD, known) is applies
