"""What `vcompat diagnose` says about failures that no rule knows, from the recorded names and lines of releases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vcompat.diagnosis.diagnosing import Diagnosis, diagnose_text
from vcompat.diagnosis.leads.lead import Lead
from vcompat.diagnosis.leads.python_errors import Missing, missing_in
from vcompat.fixes.lead_changes import with_commands
from vcompat.foundation.shipped import evidence_folder
from vcompat.index import store
from vcompat.index.store import open_index
from vcompat.report.diagnoses import diagnosis, diagnosis_html, diagnosis_json, diagnosis_markdown
from vcompat.rules.database import load_rules

_SITE = "/venv/lib/python3.11/site-packages"
#: The second line stands in few releases of TRL.
_SYNC = (
    "Traceback (most recent call last):",
    f'  File "{_SITE}/trl/trainer/grpo_trainer.py", line 1022, in _generate_and_score_completions',
    "    self._move_model_to_vllm()",
    f'  File "{_SITE}/trl/trainer/grpo_trainer.py", line 934, in _move_model_to_vllm',
    "    self._sync_fsdp_params_to_vllm(self.model)",
    "RuntimeError: something that no rule knows",
)


def diagnosed(*lines: str) -> Diagnosis:
    return diagnose_text("\n".join(lines), load_rules())


def only_lead(*lines: str) -> Lead:
    (lead,) = diagnosed(*lines).leads
    return lead


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ImportError: cannot import name 'a' from 'b.c' (/x/b/c.py)", Missing("name", "b.c", "a")),
        ("AttributeError: module 'b.c' has no attribute 'a'", Missing("name", "b.c", "a")),
        ("ModuleNotFoundError: No module named 'a.b.c'", Missing("module", "", "a.b.c")),
        ("AttributeError: 'LLM' object has no attribute 'a'", Missing("attribute", "LLM", "a")),
        ("AttributeError: type object 'LLM' has no attribute 'a'", Missing("attribute", "LLM", "a")),
        ("TypeError: LLM.__init__() got an unexpected keyword argument 'a'", Missing("keyword", "LLM.__init__", "a")),
        ("TypeError: f() missing 1 required positional argument: 'a'", Missing("required", "f", "a")),
        ("TypeError: f() takes from 1 to 2 positional arguments but 3 were given", Missing("positional", "f", "3")),
        ("KeyError: 'qwen9'", Missing("key", "", "qwen9")),
    ],
)
def test_what_an_error_says_is_missing(text: str, expected: Missing) -> None:
    assert next(missing_in(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "ImportError: cannot import name 'a' from partially initialized module 'b' (most likely due to a circular import)",
        "ModuleNotFoundError: No module named 'a'",
        "ModuleNotFoundError: No module named 'trl.trainer'; 'trl' is not a package",
        "ImportError: cannot import name 'a' from 'b' (unknown location)",
        "ImportError: cannot import name 'a' from 'b' (/home/me/b.py)",
        "ImportError: cannot import name 'a' from 'b.c' (/home/me/c.py)",
        "ValueError: nothing is missing",
    ],
)
def test_errors_that_name_nothing_that_releases_decide(text: str) -> None:
    assert not list(missing_in(text))


def test_a_name_that_a_later_release_removed() -> None:
    lead = only_lead("ImportError: cannot import name 'AutoModelForCausalLMWithValueHead' from 'trl'", "trl 0.29.0")
    assert lead.title == "trl 0.29.0 has no trl.AutoModelForCausalLMWithValueHead (0.2.0 - 0.28.0 have it)"
    assert [(change.package, change.ranges) for change in lead.changes] == [("trl", ">=0.2.0,<0.29.0")]


def test_a_name_that_a_later_release_adds() -> None:
    lead = only_lead(
        "ModuleNotFoundError: No module named 'vllm.model_executor.model_loader.bitsandbytes_loader'", "vllm 0.8.5"
    )
    assert lead.changes[0].package == "vllm"
    assert lead.changes[0].ranges.startswith(">=0.9.0")


def test_a_method_that_passes_a_keyword_on_to_one_that_takes_it_can_have_it() -> None:
    text = "TypeError: Worker.reload_weights() got an unexpected keyword argument 'weights_iterator'"
    lead = only_lead(text, "vllm 0.12.0")
    assert lead.changes[0].ranges.startswith(">=0.16.0")
    assert "pass it on" in lead.title and "have it" not in lead.title
    unknown = only_lead(text)
    assert unknown.title.startswith("argument 'weights_iterator' of Worker.reload_weights can be in vllm 0.16.0 - ")


def test_a_method_that_passes_keywords_on_to_none_that_takes_them_gives_no_lead() -> None:
    text = "TypeError: ContinuousBatchingManager.add_request() got an unexpected keyword argument 'attention_mask'"
    assert not diagnosed(text, "transformers 4.57.0").leads


def test_a_prerelease_is_like_one_of_its_neighbors() -> None:
    text = "TypeError: SFTTrainer.__init__() got an unexpected keyword argument 'dataset_text_field'"
    lead = only_lead(text, "trl 0.13.0.dev0")
    assert lead.changes[0].ranges == ">=0.4.2,<0.13.0"


@pytest.mark.parametrize(
    "text",
    [
        "ModuleNotFoundError: No module named 'vllm._C'",
        "ModuleNotFoundError: No module named 'vllm.third_party.pynvml'",
        "ImportError: cannot import name 'nvml' from 'vllm.third_party.pynvml'",
        "AttributeError: 'Tensor' object has no attribute 'foo'",
        "AttributeError: 'ScriptArguments' object has no attribute 'dataset_name'",
        "TypeError: main() missing 1 required positional argument: 'training_args'",
        "TypeError: forward() got an unexpected keyword argument 'logits_to_keep'",
    ],
)
def test_what_the_index_cannot_know_or_a_user_can_have_gives_no_lead(text: str) -> None:
    assert not diagnosed(
        "Traceback (most recent call last):", '  File "/home/me/train.py", line 3, in main', text
    ).leads


def test_a_change_that_was_not_checked_is_not_said_to_work_or_to_fail() -> None:
    found = diagnosed("ImportError: cannot import name 'AutoModelForCausalLMWithValueHead' from 'trl'", "trl 0.29.0")
    assert found.leads[0].changes[0].install is None
    assert "no set of recorded releases" not in diagnosis.render(found, 80)
    assert json.loads(diagnosis_json.render(found))["leads"][0]["changes"][0]["install"] is None


def test_a_release_that_has_the_name_gives_no_lead() -> None:
    assert not diagnosed("ImportError: cannot import name 'GRPOConfig' from 'trl'", "trl 0.20.0").leads


def test_a_line_that_quotes_an_error_gives_no_lead() -> None:
    text = "a1b2c3d Fix ImportError: cannot import name 'GuidedDecodingParams' from 'vllm.sampling_params' (#1234)"
    assert not diagnosed(text).leads


def test_the_frame_says_who_uses_it_and_the_caller_is_changed_if_a_later_release_does_not() -> None:
    lead = only_lead(
        "Traceback (most recent call last):",
        f'  File "{_SITE}/unsloth/models/rl.py", line 1, in <module>',
        "    from trl.trainer.utils import ConstantLengthDataset",
        "ImportError: cannot import name 'ConstantLengthDataset' from 'trl.trainer.utils'",
        "trl 0.20.0",
    )
    assert lead.changes[-1].ranges == ">=0.4.2,<0.20.0"


def test_an_attribute_argument_and_positional_argument() -> None:
    found = only_lead("TypeError: _unsloth_get_batch_samples() takes 3 positional arguments but 4 were given")
    assert [(one.package, one.ranges) for one in found.changes] == [("unsloth-zoo", ">=2025.3.16")]
    found = only_lead("AttributeError: 'LoRAConfig' object has no attribute 'lora_extra_vocab_size'", "vllm 0.12.0")
    assert [(one.package, one.ranges) for one in found.changes] == [("vllm", ">=0.3.0,<0.12.0")]


def test_code_that_a_later_release_changed_is_a_lead_with_the_comparison() -> None:
    lead, releases = diagnosed(*_SYNC).leads
    assert lead.kind == "changed"
    changed = "GRPOTrainer._move_model_to_vllm (pull requests 3738, 3687)"
    assert lead.title.endswith(f"stands in trl 0.18.0 - 0.19.1; 0.20.0 changed {changed}")
    assert lead.compare == "https://github.com/huggingface/trl/compare/v0.19.1...v0.20.0"
    assert not lead.changes
    assert releases.title == "the traceback is of trl 0.18.0 - 0.19.1"


def test_all_formats_link_the_pull_requests_that_changed_the_line() -> None:
    found = diagnosed(*_SYNC)
    links = [f"https://github.com/huggingface/trl/pull/{number}" for number in (3738, 3687)]
    texts = [diagnosis.render(found, 80), diagnosis_markdown.render(found), diagnosis_html.render(found)]
    assert all(link in text for link in links for text in texts)
    assert json.loads(diagnosis_json.render(found))["leads"][0]["pulls"] == links


def test_a_release_that_the_log_states_wrongly_is_contradicted() -> None:
    titles = [lead.title for lead in diagnosed(*_SYNC, "trl 0.27.0").leads]
    assert (
        titles[-1]
        == "the traceback is of trl 0.18.0 - 0.19.1, not of 0.27.0: another one, or a changed copy, is installed"
    )
    assert not any("is installed" in lead.title for lead in diagnosed(*_SYNC, "trl 0.18.2").leads)


def test_a_traceback_that_no_release_can_have_printed_gives_no_lead() -> None:
    found = diagnosed(
        "Traceback (most recent call last):",
        f'  File "{_SITE}/trl/trainer/no_such_file.py", line 7, in train',
        "    fail()",
        "RuntimeError: something that no rule knows",
    )
    assert not found.leads


@pytest.mark.long
def test_the_change_keeps_the_other_releases_or_says_which_must_change() -> None:
    found = diagnosed(
        "ImportError: cannot import name 'process_weights_after_loading' from 'vllm.model_executor.model_loader.utils'",
        "vllm 0.8.4",
        "torch 2.6.0",
    )
    (lead,) = with_commands(found.leads, found.facts, load_rules())
    (change,) = lead.changes
    assert [text.partition("=")[0] for text in change.install] == ["vllm", "torch"]
    assert [text.partition(" ")[0] for text in change.others] == ["torch"]


def test_all_formats_show_the_lead() -> None:
    found = diagnosed("ImportError: cannot import name 'AutoModelForCausalLMWithValueHead' from 'trl'", "trl 0.29.0")
    found = found._replace(leads=with_commands(found.leads, found.facts, load_rules()))
    texts = [diagnosis.render(found, 80), diagnosis_markdown.render(found), diagnosis_html.render(found)]
    assert all("AutoModelForCausalLMWithValueHead" in text and "pip install" in text for text in texts)
    assert "Nothing known matches" not in texts[0]
    assert json.loads(diagnosis_json.render(found))["leads"][0]["changes"][0]["install"] == ["trl>=0.2.0,<0.29.0"]


def test_a_damaged_index_is_a_note_and_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "index").mkdir()
    data = bytearray((Path(evidence_folder()) / "index" / "trl.zip").read_bytes())
    for at in range(data.find(b"names/trl") + 200, data.find(b"PK\x01\x02"), 50):
        data[at] ^= 255
    (tmp_path / "index" / "trl.zip").write_bytes(data)
    monkeypatch.setattr(store, "evidence_folder", lambda: str(tmp_path))
    open_index.cache_clear()
    try:
        found = diagnosed(
            "ImportError: cannot import name 'AutoModelForCausalLMWithValueHead' from 'trl'", "trl 0.29.0"
        )
    finally:
        open_index.cache_clear()
    assert not found.leads
    assert found.notes == (
        f"{tmp_path}/index/trl.zip: damaged; expected the file of this release of vcompat; install it again",
    )


def test_a_traceback_narrows_a_release_that_nothing_states() -> None:
    facts = diagnosed(*_SYNC).facts
    assert facts.why_unknown("packages.trl").startswith("the traceback is of ")
    assert {str(version) for version in facts.candidates("packages.trl")} < set(map(str, open_index("trl").releases))
    stated = diagnosed("trl==0.18.0", *_SYNC).facts
    assert str(stated.value("packages.trl")) == "0.18.0"


def test_a_traceback_of_a_notebook_that_was_cut_before_its_error_leads_to_a_later_change() -> None:
    lead, _ = diagnosed(
        "IndexError                                Traceback (most recent call last)",
        "/tmp/ipython-input-1.py in <cell line: 0>()",
        "----> 1 from unsloth import FastLanguageModel",
        "/usr/local/lib/python3.12/dist-packages/unsloth/models/rl.py in patch_functions(RLTrainer, trainer_file)",
        "    853             last_line = sampling_params.split('\\n')[-1]",
        '--> 854             last_prev_line = sampling_params.split("\\n")[-2]',
    ).leads
    assert lead.later is not None
    assert lead.later[0] == "unsloth"


def test_typographic_quotes_are_quotes() -> None:
    text = "cannot import name ‘gone’ from ‘trl.trainer’"  # noqa: RUF001 - as issues show it
    assert next(missing_in(text)) == Missing("name", "trl.trainer", "gone")
