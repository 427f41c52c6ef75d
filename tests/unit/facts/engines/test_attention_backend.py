"""The attention backend as a fact."""

from __future__ import annotations

import pytest

from tests.unit.facts_for_tests import facts
from vcompat.facts.derive import derive
from vcompat.facts.records.backends import CAPABILITIES, HEADS, VARIABLES, load

#: A colocated run of a plain model on a T4.
RUN = {
    "packages.vllm": "0.9.2",
    "packages.trl": "0.19.0",
    "gpu.compute_capability": "7.5",
    "plan.use_vllm": "true",
    "plan.vllm_mode": "colocate",
    "plan.model_architecture": "Qwen2ForCausalLM",
    "plan.model_quantization": "none",
    "plan.head_size": "64",
    "vllm.dtype": "float16",
    "env.VLLM_USE_V1": "none",
    "env.VLLM_ATTENTION_BACKEND": "none",
    "env.VLLM_BATCH_INVARIANT": "none",
}
B200 = {"gpu__compute_capability": "10.0", "vllm__dtype": "bfloat16"}


def backend(**changes: str | None) -> object:
    """The backend of the run with other facts; None if it is unknown. A fact that is None is unknown."""
    stated = {**RUN, **{name.replace("__", "."): value for name, value in changes.items()}}
    found = facts(**{name.replace(".", "__"): value for name, value in stated.items()})
    return derive(found).value("vllm.attention_backend")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "XFORMERS"),
        ({"gpu__compute_capability": "7.0"}, "XFORMERS"),
        ({"gpu__compute_capability": "8.0", "vllm__dtype": "bfloat16"}, "FLASH_ATTN"),
        ({"packages__vllm": "0.10.2", "packages__trl": "0.23.0"}, "FLEX_ATTENTION"),
        ({"packages__vllm": "0.12.0", "packages__trl": "0.26.0"}, "FLASHINFER"),
        ({"packages__vllm": "0.12.0", "packages__trl": "0.26.0", "gpu__compute_capability": "7.0"}, "TRITON_ATTN"),
        ({"packages__vllm": "0.12.0+cu129", "gpu__compute_capability": "7.0"}, "TRITON_ATTN"),
        ({**B200, "packages__vllm": "0.10.0", "packages__flashinfer": "none"}, "FLASH_ATTN"),
        ({**B200, "packages__vllm": "0.12.0"}, "FLASHINFER"),
    ],
)
def test_the_backend_is_what_the_release_chooses_on_the_card(changes: dict[str, str], expected: str) -> None:
    assert backend(**changes) == expected


def test_the_users_choice_wins_where_the_release_reads_it() -> None:
    assert backend(env__VLLM_ATTENTION_BACKEND="TRITON_ATTN_VLLM_V1") == "TRITON_ATTN"
    newer = {"packages__vllm": "0.15.0", "gpu__compute_capability": "7.0"}
    assert backend(env__VLLM_ATTENTION_BACKEND="FLASHINFER", **newer) == "TRITON_ATTN"


@pytest.mark.parametrize(
    "changes",
    [
        {"env__VLLM_ATTENTION_BACKEND": None},
        {"env__VLLM_USE_V1": None},
        {"gpu__compute_capability": None},
        {"gpu__compute_capability": "7.5,8.0"},
        {"gpu__compute_capability": "8.7"},
        {"plan__model_architecture": None},
        {"plan__model_architecture": "GptOssForCausalLM"},
        {"plan__model_quantization": "fp8"},
        {"plan__head_size": None},
        {"plan__head_size": "80"},
        {"plan__vllm_mode": "server"},
        {"vllm__dtype": "float32"},
        {"packages__vllm": "99.0"},
        {"packages__vllm": "0.9.2+cpu"},
        {"env__VLLM_BATCH_INVARIANT": "1"},
        {**B200, "packages__vllm": "0.10.0"},
        {**B200, "packages__vllm": "0.10.0", "packages__flashinfer": "0.2.11"},
        {**B200, "packages__vllm": "0.12.0", "packages__flashinfer": "none"},
        {"packages__vllm": "0.6.3"},
    ],
)
def test_the_backend_is_unknown_where_the_record_does_not_hold(changes: dict[str, str | None]) -> None:
    assert backend(**changes) is None


def test_gpus_that_differ_but_get_the_same_backend_have_it() -> None:
    assert backend(gpu__compute_capability="7.0,7.5") == "XFORMERS"


def test_the_derived_engine_is_the_one_that_each_release_chooses() -> None:
    compared = 0
    for one in load().variants:
        for variable in VARIABLES:
            for card in CAPABILITIES:
                word = one.engines[variable][card]
                if word not in ("v0", "v1"):
                    continue
                found = facts(packages__vllm=str(one.last), gpu__compute_capability=card, vllm__dtype="float16")
                found.set("env.VLLM_USE_V1", variable or None, "test")
                found.set("env.VLLM_ATTENTION_BACKEND", None, "test")
                assert derive(found).value("vllm.engine") == word, (one.last, card, variable)
                compared += 1
    assert compared > 150


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "v1"),
        ({"env__VLLM_ATTENTION_BACKEND": "XFORMERS"}, None),
        ({"plan__engine_dtype": "float32"}, None),
        ({"plan__engine_dtype": "bfloat16"}, "v1"),
        ({"env__VLLM_ATTENTION_BACKEND": "XFORMERS", "packages__vllm": "0.11.0"}, "v1"),
    ],
)
def test_the_engine_is_open_where_another_setting_can_make_vllm_fall_back(
    changes: dict[str, str], expected: str | None
) -> None:
    stated = {"packages__vllm": "0.8.5", "gpu__compute_capability": "8.0", "env__VLLM_USE_V1": "none", **changes}
    assert derive(facts(**stated)).value("vllm.engine") == expected


def test_every_release_has_a_backend_for_each_card_and_head_size_or_none_is_claimed() -> None:
    for one in load().variants:
        assert set(one.engines) == set(VARIABLES)
        assert {head for _, head in one.backends} == set(HEADS)
