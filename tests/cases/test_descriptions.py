"""A failure that is described in one line, without an error text, is found by the words of the rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomli

from tests.cases.test_cases import RULES
from vcompat.diagnosis.diagnosing import diagnose_text
from vcompat.diagnosis.ranking import POSSIBLE

TABLE = tomli.loads((Path(__file__).parent / "descriptions.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", TABLE["described"], ids=lambda case: case["text"])
def test_a_description_names_its_rule_first_as_possible(case: dict[str, Any]) -> None:
    first = diagnose_text(case["text"], RULES).causes[0]
    assert first.rule.id in case["rules"]
    assert first.certainty == POSSIBLE
    assert any("quotes no error" in need.text for need in first.needs)


@pytest.mark.parametrize("case", TABLE["near"], ids=lambda case: case["text"])
def test_fewer_words_name_their_rule_among_the_nearest(case: dict[str, Any]) -> None:
    found = diagnose_text(case["text"], RULES)
    assert found.causes == ()
    assert set(case["rules"]) & {rule.id for rule in found.near}


@pytest.mark.parametrize("text", TABLE["unknown"])
def test_what_no_rule_is_about_is_not_known(text: str) -> None:
    assert diagnose_text(text, RULES).causes == ()


@pytest.mark.parametrize("case", TABLE["described"][:3], ids=lambda case: case["text"])
def test_a_log_of_several_lines_is_no_description(case: dict[str, Any]) -> None:
    assert diagnose_text(f"step 1 loss 0.1\n{case['text']}\nstep 2 loss 0.1\n", RULES).causes == ()


_SLEEPS = "colocate with sleep mode: reload_weights loads the initial checkpoint after the sync"


def test_releases_and_further_sentences_are_no_other_description() -> None:
    text = f"trl==0.28.0\nvllm==0.12.0\n\n{_SLEEPS}.\nSo the rollouts are stale, and never change.\n"
    causes = diagnose_text(text, RULES).causes
    assert [cause.rule.id for cause in causes][:1] == ["sleep-mode-generates-with-first-checkpoint"]


def test_a_rule_of_other_releases_than_the_named_ones_is_not_meant() -> None:
    text = "GRPO with unsloth on TRL {} ignores the LoRA adapter, all rollouts come from the base model"
    first = [diagnose_text(text.format(release), RULES).causes[0].rule.id for release in ("0.15.0", "1.10.0")]
    assert first == ["adapter-unmerged-before-sync", "unsloth-adapter-never-reaches-vllm"]
    both = diagnose_text(text.format("0.15.0, but not on TRL 1.9.0,"), RULES).causes
    assert both[0].rule.id == "adapter-unmerged-before-sync"


def test_a_title_describes_it_where_the_text_below_has_many_other_words() -> None:
    more = "We run it on a cluster of the university, on machines with much memory, and each job has a day. " * 3
    settings = "num_machines: 2, fsdp_config: {fsdp_offload_params: true, fsdp_version: 2}, mixed_precision: bf16"
    text = f"AsyncGRPO hangs in a weight transfer when the vLLM server ran out of memory\n{more}\n{more}\n{settings}\n"
    assert diagnose_text(text, RULES).causes[0].rule.id == "async-grpo-sync-hides-server-error"


def test_a_line_of_releases_and_models_in_words_is_no_part_of_the_description() -> None:
    text = f"Qwen3, TRL 0.28.0, vLLM 0.12.x\n{_SLEEPS}, so rollouts are stale.\n"
    causes = diagnose_text(text, RULES).causes
    assert [cause.rule.id for cause in causes][:1] == ["sleep-mode-generates-with-first-checkpoint"]
    assert not diagnose_text(f"step 1, loss 0.1\n{_SLEEPS}, so rollouts are stale.\n", RULES).causes


@pytest.mark.parametrize(
    "text",
    [
        "We see what vllm issue 22103 describes, on two nodes.",
        "Same as https://github.com/vllm-project/vllm/issues/22103 here.",
        "Probably vllm#22103",
    ],
)
def test_a_thread_that_is_named_is_about_the_rules_that_cite_it(text: str) -> None:
    causes = diagnose_text(text, RULES).causes
    assert causes and all("vllm/issues/22103" in " ".join(cause.rule.references) for cause in causes)


@pytest.mark.parametrize(
    "text",
    [
        "We see issue 22103 in our own tracker",
        "trl#22103 is open",
        "with vllm 22103 requests are waiting",
        "colocate with trl 2600 steps are done",
        "ran 22103 steps of vllm",
    ],
)
def test_a_number_of_another_thread_names_no_rule(text: str) -> None:
    assert diagnose_text(text, RULES).causes == ()
