"""The rule on weight synchronization on the CPU depends on the processor and on the data type that vLLM computes in."""

from __future__ import annotations

import pytest
from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.rules.database import find_rule, load_rules

RUN = {
    "vllm.backend": "cpu",
    "packages.vllm": Version("0.31.0"),
    "plan.use_vllm": True,
    "plan.vllm_mode": "colocate",
    "host.machine": "x86_64",
}


@pytest.mark.parametrize(
    ("known", "applies"),
    [
        ({"host.avx512": True, "plan.model_dtype": "bfloat16"}, True),
        ({"host.avx512": False, "vllm.dtype": "float32"}, True),
        ({"host.avx512": True, "plan.model_dtype": "float16", "vllm.dtype": "float16"}, False),
        ({"host.avx512": False, "plan.model_dtype": "bfloat16", "vllm.dtype": "float16"}, False),
        ({"host.avx512": False, "plan.model_dtype": "bfloat16"}, None),
        ({"host.avx512": True}, None),
        ({"host.machine": "aarch64", "vllm.dtype": "float32"}, None),
    ],
)
def test_it_applies_only_where_weights_are_packed(known: dict[str, object], applies: bool | None) -> None:
    facts = Facts()
    for name, value in {**RUN, **known}.items():
        facts.set(name, value, "the test")  # type: ignore[arg-type]
    rule = find_rule(load_rules(), "cpu-weight-sync-loses-weight-loader")
    assert rule.when.truth(facts) is applies
