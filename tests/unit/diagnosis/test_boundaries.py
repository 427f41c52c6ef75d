"""Releases of which a text states that they fail or work, and the rules that end between them."""

from __future__ import annotations

import pytest

from tests.unit.rules_for_tests import make_rule
from vcompat.diagnosis.boundaries import boundaries, ending_between
from vcompat.diagnosis.diagnosing import diagnose_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GRPO with vLLM hangs. Downgrading from 0.9.2 to 0.9.1 fixed it", [("vllm", ["0.9.2"], ["0.9.1"])]),
        ("TRL 0.17.0 with vLLM 0.8.5 crashes. Upgrading to TRL 0.18.1 solved it", [("trl", ["0.17.0"], ["0.18.1"])]),
        ("vllm==0.9.0 hangs, works with vllm 0.8.5.post1 and CUDA 12.4", [("vllm", ["0.9.0"], ["0.8.5.post1"])]),
        (
            "transformers 4.52.1 fails; I pinned transformers==4.51.3 and it works",
            [("transformers", ["4.52.1"], ["4.51.3"])],
        ),
        ("Llama 3.1 with vLLM fails; downgrading to vllm 0.8.1 fixed it", []),
        ("Upgrading TRL from 0.17.0 to 0.18.1 did not help", []),
        ("vLLM 0.8.5 fails on every GPU", []),
        ("downgrading from 0.9.2 to 0.9.1 fixed it", []),
    ],
)
def test_a_text_states_releases_that_fail_and_those_that_work(
    text: str, expected: list[tuple[str, list[str], list[str]]]
) -> None:
    found = [(one.package, list(map(str, one.fails)), list(map(str, one.works))) for one in boundaries(text)]
    assert found == expected


def test_only_rules_that_apply_to_what_fails_and_to_nothing_that_works_end_between() -> None:
    rules = [
        make_rule(id="between", when={"packages.vllm": ">=0.9.2"}),
        make_rule(id="both", when={"packages.vllm": ">=0.8.0"}),
        make_rule(id="neither", when={"packages.vllm": "<0.9.0"}),
        make_rule(id="other", when={"packages.trl": ">=0.9.2"}),
    ]
    text = "vLLM does not start; downgrading from 0.9.2 to 0.9.1 fixed it"
    assert [rule.id for rule in ending_between(text, rules)] == ["between"]


def test_a_rule_that_ends_between_the_releases_of_a_description_comes_before_those_with_more_words() -> None:
    words = "vllm-serve loads checkpoints shards quickly"
    rules = [
        make_rule(id="between", title="vllm-serve never loads checkpoints", when={"packages.vllm": ">=0.9.2"}),
        make_rule(id="both", title=f"{words} never", when={"packages.vllm": ">=0.8.0"}),
        *(
            make_rule(id=f"more-{number}", title=f"other failure {number}", when={"packages.vllm": ">=0.8"})
            for number in range(400)
        ),
    ]
    text = f"{words} never\nwith vllm 0.9.2 it fails, and downgrading to vllm 0.9.1 fixed it\n"
    assert [match.rule.id for match in diagnose_text(text, rules).causes] == ["between"]
