"""A traceback that was cut off before its error shows the rules whose failure is raised where it stops."""

from __future__ import annotations

import pytest

from tests.cases.test_cases import RULES
from vcompat.diagnosis.diagnosing import diagnose_text
from vcompat.diagnosis.ranking import POSSIBLE

EMBEDDING = """[rank0]: Traceback (most recent call last):
[rank0]:   File "/srv/train.py", line 9, in <module>
[rank0]:     trainer.train()
[rank0]:   File "/env/lib/python3.11/site-packages/vllm/model_executor/layers/vocab_parallel_embedding.py", line 57, in embedding
[rank0]:     return F.embedding(input_, layer.weight)
[rank0]:   File "/env/lib/python3.11/site-packages/torch/nn/functional.py", line 2292, in embedding
[rank0]:     return torch.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)
"""
CHAT = """  File "/env/lib/python3.12/site-packages/trl/trainer/grpo_trainer.py", line 1228, in _generate_single_turn
    all_outputs = self.llm.chat(all_prompts, sampling_params=sampling_params, use_tqdm=False)
                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/env/lib/python3.12/site-packages/vllm/entrypoints/llm.py", line 893, in chat
"""
IMPORT = """Traceback (most recent call last):
  File "/srv/train.py", line 1, in <module>
    from peft import LoraConfig
  File "/env/lib/python3.11/site-packages/peft/peft_model.py", line 37, in <module>
    from transformers import Cache, DynamicCache, EncoderDecoderCache, HybridCache, PreTrainedModel
"""


@pytest.mark.parametrize(
    "text, rule",
    [
        (EMBEDDING, "in-process-engine-on-wrong-gpu"),
        (CHAT, "prompts-are-not-truncated"),
        (IMPORT, "peft-imports-hybrid-cache"),
    ],
)
def test_the_place_where_it_stops_names_a_possible_cause(text: str, rule: str) -> None:
    found = diagnose_text(text, RULES)
    assert (found.causes[0].rule.id, found.causes[0].certainty) == (rule, POSSIBLE)
    assert "whether the error that was cut off is this one" in [need.text for need in found.causes[0].needs]


@pytest.mark.parametrize("text", [EMBEDDING, CHAT, IMPORT])
def test_with_another_error_at_its_end_it_does_not(text: str) -> None:
    prefix = "[rank0]: " if text is EMBEDDING else ""
    assert diagnose_text(f"{text}{prefix}OSError: disk quota exceeded\n", RULES).causes == ()


def test_a_traceback_that_goes_on_elsewhere_does_not() -> None:
    more = '  File "/env/lib/python3.12/site-packages/vllm/v1/engine/core_client.py", line 1, in get_output\n'
    assert diagnose_text(CHAT + more, RULES).causes == ()


def test_an_import_of_other_names_does_not() -> None:
    assert diagnose_text(IMPORT.replace("HybridCache, ", "HybridCaches, "), RULES).causes == ()


def test_facts_that_contradict_it_count() -> None:
    found = diagnose_text(EMBEDDING, RULES, {"packages.vllm": "0.8.5"})
    assert found.causes == ()
    assert "in-process-engine-on-wrong-gpu" in [match.rule.id for match in found.matches]


def test_paths_that_begin_with_the_package_are_of_it() -> None:
    found = diagnose_text(CHAT.replace("/env/lib/python3.12/site-packages/", ""), RULES)
    assert found.causes[0].rule.id == "prompts-are-not-truncated"
