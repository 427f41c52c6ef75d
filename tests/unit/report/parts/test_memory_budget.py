"""The memory budget in words: what is known, what is missing, what is left."""

from __future__ import annotations

from typing import Any

import pytest
from click import unstyle

from vcompat.facts.memory.budget import Budget
from vcompat.report.parts.memory_budget import gib, memory_lines, parts, summary

GIB = 1024


def budget(**changes: Any) -> Budget:
    """A GPU of 80 GiB with a trainer of 40 and vLLM of 24."""
    whole = Budget(
        total=80 * GIB, weights=10 * GIB, gradients=10 * GIB, optimizer=20 * GIB, vllm_weights=10 * GIB,
        vllm_cache=14 * GIB, vllm_share=24 * GIB, peak=64 * GIB,
    )  # fmt: skip
    return whole._replace(**changes)


def test_what_is_left_is_stated_after_the_parts() -> None:
    assert summary(budget()) == (
        "80.0 GiB per GPU: weights 10.0, gradients 10.0, optimizer 20.0, vLLM weights 10.0, vLLM cache 14.0; "
        "at most 16.0 left for activations"
    )


def test_what_is_missing_is_stated_where_the_run_does_not_fit() -> None:
    assert summary(budget(peak=90.5 * GIB)).endswith("; at least 10.5 missing")
    assert summary(budget(peak=80 * GIB)).endswith("; at most 0.0 left for activations")


def test_taking_turns_is_stated() -> None:
    assert summary(budget(takes_turns=True)).endswith("left for activations (trainer and vLLM take turns)")
    assert summary(budget(takes_turns=True, peak=81 * GIB)).endswith(
        "at least 1.0 missing (trainer and vLLM take turns)"
    )


def test_facts_that_are_not_known_are_named_in_words() -> None:
    unknown = budget(
        weights=None, gradients=None, optimizer=None, peak=None, missing=("plan.model", "plan.deepspeed_stage")
    )
    assert summary(unknown) == (
        "80.0 GiB per GPU: vLLM weights 10.0, vLLM cache 14.0; not known: the model's size, ZeRO stage"
    )


def test_a_budget_without_parts_has_only_the_total() -> None:
    assert summary(Budget(80 * GIB, missing=("plan.use_vllm",))) == "80.0 GiB per GPU; not known: use_vllm"


def test_a_sum_that_is_open_for_no_single_fact_has_a_reason_all_the_same() -> None:
    assert summary(Budget(80 * GIB)) == "80.0 GiB per GPU; not known: how the trainer spreads the model"


def test_every_fact_that_may_be_missing_has_words() -> None:
    from vcompat.facts.vocabulary import VOCABULARY
    from vcompat.report.parts.memory_budget import _WORDS

    assert set(_WORDS) <= set(VOCABULARY)
    assert not [words for words in _WORDS.values() if words.startswith("plan.")]


def test_a_gpu_of_unknown_memory_asks_for_a_target() -> None:
    assert summary(budget(total=None)) == "not known per GPU (pass --target, such as --target 8xH100)"


def test_vllm_s_share_stands_for_its_parts_if_its_weights_are_not_known() -> None:
    assert [name for _, name, _ in parts(budget())][-2:] == ["vLLM weights", "vLLM cache"]
    assert parts(budget(vllm_weights=None, vllm_cache=None))[-1] == ("vllm_share", "vLLM", 24 * GIB)


def test_what_the_longest_completions_leave_is_stated() -> None:
    fits = summary(budget(logits=9.3 * GIB, in_loss=73.3 * GIB))
    assert fits.endswith(
        "; at most 16.0 left for activations; logits of completions of full length 9.3: at most 6.7 left"
    )
    over = summary(budget(logits=24 * GIB, in_loss=84 * GIB))
    assert over.endswith("; logits of completions of full length 24.0: at least 4.0 missing")
    # Without long completions, it does not fit either; or what is there with them is not known.
    assert "logits" not in summary(budget(peak=81 * GIB, logits=GIB, in_loss=82 * GIB))
    assert "logits" not in summary(budget(logits=GIB))
    # Another moment, with the gradients of the weights, needs more.
    assert "logits" not in summary(budget(logits=GIB, in_loss=60 * GIB))


@pytest.mark.parametrize(("mib", "text"), [(81920, "80.0"), (0, "0.0"), (100, "0.1"), (-512, "-0.5")])
def test_memory_is_printed_in_gib_with_one_decimal(mib: float, text: str) -> None:
    assert gib(mib) == text


def test_the_line_of_a_text_report_is_red_if_the_run_does_not_fit() -> None:
    assert memory_lines(None, 80) == []
    first, *more = memory_lines(budget(), 80)
    assert first.startswith("memory     80.0 GiB per GPU") and all(line.startswith(" " * 11) for line in more)
    (red, *_) = memory_lines(budget(peak=81 * GIB), 80)
    assert "\x1b[31m" in red and unstyle(red).startswith("memory     80.0 GiB per GPU")
    (uncertain, *_) = memory_lines(budget(peak=None, missing=("plan.peft",)), 80)
    assert "\x1b" not in uncertain


def test_a_gpu_of_two_sizes_is_named_as_the_reason() -> None:
    why = "V100 has 16 or 32 GB; give V100-16GB or V100-32GB"
    assert summary(Budget(None, why_no_total=why)) == f"not known per GPU ({why})"


def test_a_divided_model_is_named() -> None:
    text = summary(Budget(80 * GIB, weights=GIB, gpus_of_model=8, is_divided=True, missing=("plan.peft",)))
    assert "weights 1.0 (one process divides the model among 8 GPUs); not known" in text
    text = summary(Budget(80 * GIB, weights=GIB, optimizer=GIB, vllm_weights=GIB, gpus_of_model=8, is_divided=True))
    assert "weights 1.0, optimizer 1.0 (one process divides the model among 8 GPUs), vLLM weights 1.0" in text
    assert "may divide the model among 8 GPUs" in summary(Budget(80 * GIB, weights=GIB, gpus_of_model=8))
