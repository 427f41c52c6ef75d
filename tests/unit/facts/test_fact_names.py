"""The check of fact names in the code."""

from __future__ import annotations

import pytest

from tests.fact_names import main, misspelled


@pytest.mark.parametrize("text", ["plan.use_cpuu", "packages.vlm", "gpu.cout", "host.pyhton"])
def test_a_misspelled_name_is_found_wherever_it_stands(text: str) -> None:
    assert list(misspelled(f"x = [\n    ('{text}', 1),\n]\n")) == [(2, text)]


@pytest.mark.parametrize("text", ["plan.use_cpu", "packages.vllm", "plan.vllm_", "plan", "plan.Use", "myplan.use"])
def test_names_prefixes_and_other_texts_are_left_alone(text: str) -> None:
    assert list(misspelled(f"x = '{text}'\n")) == []


@pytest.mark.long
def test_all_names_in_the_code_are_facts() -> None:
    assert main() == 0
