"""What somebody tells of a failure in other words than upstream prints names the rules that are nearest."""

from __future__ import annotations

import json

import pytest

from tests.cases.test_cases import RULES
from vcompat.diagnosis.diagnosing import diagnose_text
from vcompat.diagnosis.ranking import POSSIBLE
from vcompat.report.diagnoses import diagnosis, diagnosis_html, diagnosis_json, diagnosis_markdown

#: What several lines tell, as people write them in a thread, and the rule.
TOLD = {
    "zero2-loses-accumulated-gradients": """
We moved from DeepSpeed 0.17.5 to 0.18.1 and the gradient norms of our ZeRO-2 runs are far too small.
- torch 2.8, 8x H100, gradient_accumulation_steps 8
grad_norm 0.31 where ZeRO-3 prints 2.4
The loss is the same for the first steps, then it hardly falls.
With ZeRO stage 3 all is well.
""",
    "tool-mask-longer-than-completion": """
With tools the mask has sometimes one entry more than completion_ids, and the product in _compute_loss raises.
It happens for calls that the chat template writes in another way than the model did: tokens of the earlier turn change
after the result of the tool was added.
- `trl` 0.28.0
- 4 processes
""",
    "partial-wake-up-resumes-scheduling": """
We wake only the weights first, `wake_up(tags=["weights"])`, to load new ones, and the KV cache afterwards.
Between the two calls a rank that is idle computes a dummy batch and we get an illegal memory access.
""",
}
#: What the form of a thread adds: a script with many settings, releases, and what was done before.
FORM = """
### Reproduction

```python
from trl import GRPOConfig, GRPOTrainer
args = GRPOConfig(
    output_dir="out", use_vllm=True, vllm_mode="colocate", vllm_gpu_memory_utilization=0.3, bf16=True, beta=0.04,
    per_device_train_batch_size=8, num_generations=8, gradient_checkpointing=True, max_completion_length=1024,
    vllm_tensor_parallel_size=2, loss_type="dapo", mask_truncated_completions=True, learning_rate=1e-6,
)
trainer = GRPOTrainer(model="Qwen/Qwen3-4B", reward_funcs=reward, args=args, train_dataset=dataset)
trainer.train()
```

### System Info

- Platform: Linux-6.8.0-x86_64-with-glibc2.39
- PyTorch version: 2.8.0
- Transformers version: 4.57.1
- Liger-Kernel version: 0.6.2
- PEFT version: 0.17.0

### Checklist

- [x] Any code provided is minimal, complete, and reproducible
- [x] Any traceback provided is complete
"""
#: A failure that no rule is about, with words that many have.
FOREIGN = """
Our dataset server is behind a proxy that drops connections after a minute, so the run fails with a timeout.
The vLLM server is on the same node, TRL reads the prompts in a streaming dataset.
"""
#: An error of the user's own code, in a function whose words a rule has.
OWN_ERROR = """
Traceback (most recent call last):
  File "/work/train.py", line 12, in <module>
    main()
  File "/work/rewards/zero2.py", line 7, in accumulated_gradients
    raise ValueError("gradient accumulation of my own reward model has lost its last micro-step")
ValueError: gradient accumulation of my own reward model has lost its last micro-step
"""


@pytest.mark.parametrize("rule", TOLD)
def test_what_several_lines_tell_names_its_rule(rule: str) -> None:
    found = diagnose_text(TOLD[rule], RULES)
    named = [cause.rule.id for cause in found.causes] or [one.id for one in found.near]
    # Not the first one: a later rule may be as near.
    assert rule in named
    assert all(cause.certainty == POSSIBLE for cause in found.causes)


def test_a_long_text_names_them_too() -> None:
    more = "It is the same on both of our machines, with all three of the models that we have tried. " * 60
    found = diagnose_text(TOLD["zero2-loses-accumulated-gradients"] + more, RULES)
    assert "zero2-loses-accumulated-gradients" in {rule.id for rule in found.near}


def test_what_the_form_of_a_thread_adds_does_not_count_as_what_is_told() -> None:
    found = diagnose_text(TOLD["zero2-loses-accumulated-gradients"] + FORM, RULES)
    assert "zero2-loses-accumulated-gradients" in {rule.id for rule in found.near}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("put the engine to sleep while requests are running", "sleep-while-generating"),
        ("names of the adapter's parameters reach load_weights of vLLM", "adapter-names-reach-vllm"),
        (
            "reload_weights restores the initial checkpoint; fixed in TRL 1.10.0",
            "sleep-mode-generates-with-first-checkpoint",
        ),
    ],
)
def test_a_part_of_a_sentence_names_its_rule(text: str, rule: str) -> None:
    found = diagnose_text(text, RULES)
    assert rule in {*(one.id for one in found.near), *(cause.rule.id for cause in found.causes)}


def test_releases_that_the_text_states_exclude_rules() -> None:
    text = TOLD["zero2-loses-accumulated-gradients"].replace("0.17.5 to 0.18.1", "0.18.9")
    with_release = {rule.id for rule in diagnose_text(f"deepspeed==0.18.9\n{text}", RULES).near}
    assert with_release and "zero2-loses-accumulated-gradients" not in with_release


def test_nothing_near_is_called_a_cause() -> None:
    assert diagnose_text(FOREIGN, RULES).causes == ()
    assert diagnose_text(OWN_ERROR, RULES).causes == ()


def test_a_text_that_tells_of_no_failure_names_none() -> None:
    assert (
        diagnose_text("We have two machines in the basement, and train small models at weekends.\n", RULES).near == ()
    )


def test_a_run_that_hangs_is_not_explained_by_a_crash() -> None:
    text = """
GRPO with the vLLM server on Intel GPUs (XPU) hangs in init_communicator, torch was not compiled with CUDA.
The trainer connects and both sides wait in the first collective.
"""
    found = diagnose_text(text, RULES)
    assert found.causes == ()
    assert found.near[0].effect == "crash"
    crashes = diagnose_text(text.replace("hangs", "raises an error"), RULES)
    assert [cause.rule.id for cause in crashes.causes] == [found.near[0].id]


def test_a_cause_leaves_no_room_for_what_is_near() -> None:
    assert diagnose_text(TOLD["partial-wake-up-resumes-scheduling"], RULES).near == ()


def test_each_format_says_that_no_text_shows_them() -> None:
    found = diagnose_text(TOLD["zero2-loses-accumulated-gradients"], RULES)
    first = found.near[0]
    text = diagnosis.render(found, 80)
    assert all(len(line) <= 80 for line in text.splitlines())
    assert f"vcompat explain {first.id}" in text
    for page in (text, diagnosis_markdown.render(found), diagnosis_html.render(found)):
        assert "no text in the log shows them" in page
        assert first.id in page
    table = json.loads(diagnosis_json.render(found))
    assert [one["rule"] for one in table["near"]] == [rule.id for rule in found.near]
    assert table["near"][0]["fixes"] and table["matches"] == []
