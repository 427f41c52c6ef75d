"""Phrases that several formats share: the hardware, the run, the count, the next command."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.unit.report.outcomes import RULE, outcome_of
from vcompat.evaluation.grouping import Group, Question
from vcompat.facts.facts import Facts, Likely, Place
from vcompat.facts.value import parse_value
from vcompat.facts.vocabulary import spec_of
from vcompat.report.parts.wording import (
    EFFECTS,
    checked,
    depends,
    groups,
    hardware,
    intention,
    next_command,
    of_run,
    total,
)
from vcompat.rules import rule as rules


def facts(**stated: str) -> Facts:
    found = Facts()
    for name, text in stated.items():
        fact = name.replace("__", ".")
        found.set(fact, parse_value(spec_of(fact, "test"), text, "test"), "test")
    return found


def certain_intention(path: str) -> str:
    outcome = outcome_of(path)
    return intention(outcome._replace(facts=outcome.facts.certain()))


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({}, "unknown GPUs"),
        ({"gpu__count": "0"}, "no GPU"),
        ({"gpu__count": "0", "gpu__name": "none", "gpu__compute_capability": "none"}, "no GPU"),
        ({"gpu__count": "1", "gpu__compute_capability": "7.0"}, "1 GPU (compute capability 7.0)"),
        (
            {"gpu__count": "8", "gpu__name": "H100,H100", "gpu__compute_capability": "9.0,9.0"},
            "8 GPUs (H100, compute capability 9.0)",
        ),
        (
            {"gpu__count": "2", "gpu__name": "H100,T4", "gpu__compute_capability": "9.0,7.5"},
            "2 GPUs (H100, T4, compute capability 9.0, 7.5)",
        ),
        ({"gpu__count": "8"}, "8 GPUs"),
    ],
)
def test_the_hardware_in_words(known: dict[str, str], words: str) -> None:
    assert hardware(facts(**known)) == words


def test_the_number_of_gpus_can_be_likely_or_only_bounded() -> None:
    open_ = facts(gpu__name="H100,H100", gpu__compute_capability="9.0,9.0")
    open_.forget("gpu.count", "computed", None, (0, 1, 2))
    assert hardware(open_) == "up to 2 GPUs (H100, compute capability 9.0)"
    open_.set_likely("gpu.count", Likely(1, "run.sh:1", None, (), ""))
    assert hardware(open_) == "1 GPU (likely) (H100, compute capability 9.0)"


def test_what_was_checked_names_three_files_and_counts_the_others(tmp_path: Path) -> None:
    names = [f"{letter}.yaml" for letter in "abcde"]
    for name in names:
        (tmp_path / name).write_text("use_vllm: true\n")
    assert checked(outcome_of("a.yaml")).startswith("Checked a.yaml, with trl 1.9.0, ")
    assert checked(outcome_of(*names)).startswith("Checked a.yaml, b.yaml, c.yaml and 2 more files, with trl ")
    assert checked(outcome_of()).startswith("Checked what the command line states, with trl 1.9.0, ")


def test_a_check_without_packages_says_how_to_name_them() -> None:
    nothing = {f"packages__{name}": "none" for name in ("trl", "vllm", "transformers")}
    assert "with no torch, vLLM or TRL (--env names an environment that has them)," in checked(outcome_of(**nothing))


def test_a_check_says_that_no_release_is_known() -> None:
    unknown = {f"packages__{name}": "unknown" for name in ("trl", "vllm", "torch", "transformers")}
    assert "with unknown releases of torch, vLLM and TRL (--env names their environment)," in checked(
        outcome_of(**unknown)
    )


def test_a_check_names_the_files_that_leave_all_releases_open() -> None:
    nothing = {f"packages__{name}": "none" for name in ("trl", "vllm", "transformers")}
    outcome = outcome_of(**nothing)._replace(stated_by=("setup.py",))
    assert "with no release of torch, vLLM or TRL, which setup.py leaves open," in checked(outcome)


def test_the_run_in_words() -> None:
    assert intention(outcome_of()) == ""
    said = intention(outcome_of("train it.py", plan__world_size="16", plan__num_machines="2", plan__peft="true"))
    assert said.startswith("GRPOConfig, Qwen/Qwen2.5-7B-Instruct<&|`>, an adapter, 2 machines, 16 processes, ")
    assert "vLLM in colocate mode" in said


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("GRPOConfig(use_vllm=False)\n", "no vLLM"),
        ("GRPOConfig(use_vllm=f())\n", "use_vllm is not known"),
        ("GRPOConfig(use_vllm=True, vllm_mode='server')\n", "vLLM in server mode"),
    ],
)
def test_the_run_tells_how_vllm_is_used(tmp_path: Path, script: str, words: str) -> None:
    (tmp_path / "train.py").write_text(script)
    assert words in intention(outcome_of("train.py")).split(", ")


@pytest.mark.parametrize(
    ("name", "text", "is_said"),
    [
        ("train.py", "print(1)\n", True),
        ("run.sh", "python -m pkg.serve\n", False),
        ("run.sh", "vllm serve a/b &\n", True),
        ("train.py", "from trl import GRPOConfig\nGRPOConfig()\n", False),
        ("config.yaml", "use_vllm: true\n", False),
    ],
)
def test_files_in_which_nothing_is_trained_are_named_as_such(
    tmp_path: Path, name: str, text: str, is_said: bool
) -> None:
    (tmp_path / name).write_text(text)
    assert (intention(outcome_of(name)) == "no trainer was found in these files") is is_said


@pytest.mark.parametrize(
    ("known", "likely", "words"),
    [
        ("model use_vllm", "", "a/b, vLLM"),
        ("model use_vllm", "vllm_mode", "a/b; likely: vLLM in colocate mode"),
        ("model", "use_vllm vllm_mode peft", "a/b; likely: an adapter, vLLM in colocate mode"),
        ("use_vllm vllm_mode", "model", "vLLM in colocate mode; likely: a/b"),
        ("", "model use_vllm", "likely: a/b, vLLM"),
    ],
)
def test_the_run_tells_what_of_it_is_only_likely(known: str, likely: str, words: str) -> None:
    values = {"model": "a/b", "use_vllm": True, "vllm_mode": "colocate", "peft": True}
    found, place = Facts(), Place("train.py", 1)
    for name in known.split():
        found.set(f"plan.{name}", values[name], "train.py:1", place)
    for name in likely.split():
        found.set_likely(f"plan.{name}", Likely(values[name], "train.py:1", place, ()))
    assert of_run(found) == words


def test_the_run_names_another_frameworks_trainer_its_bits_and_the_share_of_its_engine(tmp_path: Path) -> None:
    lines = ["from unsloth import FastModel", "from trl import GRPOConfig, GRPOTrainer"]
    lines += ["model, _ = FastModel.from_pretrained('a/b', fast_inference=True, gpu_memory_utilization=0.6)"]
    lines += ["GRPOTrainer(model=model, args=GRPOConfig(vllm_sampling_params=1))"]
    (tmp_path / "train.py").write_text("\n".join(lines))
    outcome = outcome_of("train.py")
    said = "unsloth, GRPOConfig, a/b, 4 bits per weight, vLLM in colocate mode, gpu_memory_utilization=0.6"
    assert intention(outcome) == said
    # unsloth's class of that name has a setting that TRL's has not.
    assert not any("vllm_sampling_params" in finding.failure for finding in (*outcome.certain, *outcome.possible))


def test_a_setting_that_the_trainer_passes_to_the_engine_is_named_once(tmp_path: Path) -> None:
    words = "--use_vllm true --vllm_mode colocate --vllm_gpu_memory_utilization 0.4 --model a/b"
    (tmp_path / "run.sh").write_text(f"NPROC_PER_NODE=2 swift rlhf --rlhf_type grpo --tuner_type full {words}\n")
    said = certain_intention("run.sh")
    assert said == "ms-swift, a/b, 2 processes, vLLM in colocate mode, vllm_gpu_memory_utilization=0.4"


def test_the_parallel_size_of_an_engine_of_its_own_is_named(tmp_path: Path) -> None:
    rollout = "actor_rollout_ref.rollout"
    words = f"{rollout}.name=vllm {rollout}.tensor_model_parallel_size=2"
    (tmp_path / "run.sh").write_text(f"python -m verl.trainer.main_ppo {words}\n")
    assert certain_intention("run.sh") == "verl, vLLM, tensor_parallel_size=2"


def test_every_effect_has_words() -> None:
    assert set(EFFECTS) == set(rules.EFFECTS)


def group(count: int, question: Question) -> Group:
    return Group(question, tuple(outcome_of().possible[:count]))


def test_a_group_is_one_line_with_the_way_to_state_its_input() -> None:
    version = Question("the TRL version", "--set packages.trl=...", "--env")
    assert depends(group(2, version)) == ("2 rules depend on the TRL version: pass --env or --set packages.trl=...")
    assert depends(group(1, version)) == "1 rule depends on the TRL version: pass --env or --set packages.trl=..."
    assert depends(group(2, version), 60) == "2 rules depend on the TRL version: pass --env"
    gpus = Question("the GPUs", "--target, such as --target 8xH100")
    assert depends(group(2, gpus), 20) == "2 rules depend on the GPUs: pass --target, such as --target 8xH100"


def test_the_groups_have_every_possible_finding_once() -> None:
    for outcome in (outcome_of(), outcome_of("train it.py"), outcome_of("train it.py", target="8xH100")):
        found = [finding.rule.id for group in groups(outcome) for finding in group.findings]
        assert sorted(found) == sorted(finding.rule.id for finding in outcome.possible)


def test_the_total_counts_each_kind() -> None:
    outcome = outcome_of("train it.py")
    errors = sum(finding.rule.severity == "error" for finding in outcome.certain)
    warnings = sum(finding.rule.severity == "warning" for finding in outcome.certain)
    possible = len(outcome.possible)
    assert total(outcome) == (f"{errors} errors, {warnings} warnings, {possible} possible ({len(outcome.rules)} rules)")
    nothing = outcome._replace(judgement=outcome.judgement._replace(findings=()))
    assert total(nothing) == f"No known failure applies ({len(outcome.rules)} rules)"
    expired = nothing._replace(judgement=nothing.judgement._replace(expired=("one", "two")))
    assert total(expired) == f"2 expired suppressions ({len(outcome.rules)} rules)"
    patched = outcome_of("patched.py")
    assert f", {len(patched.fixed)} fixed by patches (" in total(patched)


def test_after_a_finding_at_a_setting_fix_is_next() -> None:
    words = shlex.split(next_command(outcome_of("train it.py", target="8xH100")))
    assert words[:5] == ["vcompat", "fix", "train it.py", "--target", "8xH100"]
    assert "--no-probe" in words and "packages.trl=1.9.0" in words


def test_after_a_finding_that_no_file_states_explain_is_next() -> None:
    outcome = outcome_of(packages__vllm="0.8.4", plan__vllm_sleep_level="2")
    assert next_command(outcome) == f"vcompat explain {outcome.certain[0].rule.id}"


def test_after_possible_findings_the_input_that_decides_most_is_next(tmp_path: Path) -> None:
    known = {"packages__transformers": "5.10.0"}
    assert next_command(outcome_of(**known)).endswith(" --no-probe <script>")
    (tmp_path / "fine.yaml").write_text("use_vllm: true\nvllm_mode: colocate\n")
    without_gpus = outcome_of("fine.yaml", **known)
    assert not without_gpus.certain
    assert next_command(without_gpus).endswith(" --no-probe --target <GPUs>")
    known = {"packages__trl": "0.23.0", "packages__vllm": "0.10.2", "packages__transformers": "4.57.1"}
    known |= {"packages__torch": "2.8.0", "torch__cuda": "12.8", "torch__has_kernels": "true"}
    known |= {"gpu__driver": "580.65.06", "plan__peft": "false"}
    without_launch = outcome_of("fine.yaml", target="8xH100", **known)
    assert groups(without_launch)[0].question.subject == "how the run is launched"
    assert next_command(without_launch).startswith("vcompat check fine.yaml --target 8xH100 ")
    assert next_command(without_launch).endswith(" <launch script>")


def test_without_findings_nothing_is_next() -> None:
    outcome = outcome_of()
    assert next_command(outcome._replace(judgement=outcome.judgement._replace(findings=()))) == ""


def test_the_next_command_is_one_that_can_be_run(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.unit.cli.command_line import vcompat

    monkeypatch.setenv("COLUMNS", "100")
    _, *words = shlex.split(next_command(outcome_of("train it.py")))
    done = vcompat(*words)
    assert (done.code, done.stderr) == (1, "")
    assert "vllm_enable_sleep_mode=False" in done.stdout
    assert f"skipped:   {RULE}" not in done.stdout
