"""A whole check, that of a project, and the command line that repeats it."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.cli.check import command
from vcompat.cli.program import program
from vcompat.cli.shared.options import sources_of
from vcompat.evaluation.checking import certain_findings, check, check_project, command_line, sources
from vcompat.evaluation.config import Config
from vcompat.foundation.errors import InputError
from vcompat.rules.database import load_rules
from vcompat.sources.gather import Sources

RULES = load_rules(thorough=False)
SLEEPING = "GRPOConfig(use_vllm=True, vllm_mode='colocate', vllm_enable_sleep_mode=True)\n"
RULE = "sleep-mode-generates-with-first-checkpoint"
SETTINGS = """
target = "8xH100"
plan = "train.py"
settings = { "packages.trl" = "1.9.0", "packages.vllm" = "0.24.0" }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(SLEEPING)
    return tmp_path


def test_the_outcome_separates_certain_possible_and_fixed_findings(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import vcompat; vcompat.patch()\n" + SLEEPING)
    settings = {"packages.trl": "1.9.0", "packages.vllm": "0.24.0", "packages.transformers": "4.40.0"}
    outcome = check(Sources(["train.py"], settings, probe=False), Config(), RULES)
    parts = (*outcome.certain, *outcome.possible, *outcome.fixed)
    assert outcome.certain and outcome.possible and outcome.fixed
    assert sorted(f.rule.id for f in parts) == sorted(f.rule.id for f in outcome.judgement.findings)
    assert RULE in {finding.rule.id for finding in outcome.fixed}
    assert all(f.is_certain and not f.fixed_by for f in outcome.certain)
    assert not any(f.is_certain or f.fixed_by for f in outcome.possible)


@pytest.mark.parametrize(
    ("config", "fails"),
    [
        (Config(), False),
        (Config(fail_on="note"), False),
        (Config(strict=True), True),
        (Config(strict=True, fail_on="never"), False),
    ],
)
def test_possible_findings_fail_only_if_strict_is_set(config: Config, fails: bool) -> None:
    outcome = check(Sources(settings={"packages.vllm": "0.8.4"}, probe=False), config, RULES)
    assert outcome.possible and not outcome.certain
    assert outcome.fails is fails


def test_the_memory_budget_needs_a_gpu() -> None:
    assert check(Sources(["train.py"], probe=False), Config(), RULES).budget is None
    budget = check(Sources(["train.py"], probe=False, target="8xH100"), Config(), RULES).budget
    assert budget is not None and budget.total == 81920


def test_estimates_that_need_unknown_facts_are_not_judged() -> None:
    outcome = check(Sources(["train.py"], probe=False), Config(), RULES)
    estimates = {rule.id for rule in RULES if rule.only_where_known}
    assert outcome.not_judged and set(outcome.not_judged) <= estimates
    assert not estimates & {finding.rule.id for finding in outcome.possible}
    assert all(
        names and all(outcome.facts.get(name) is None for name in names) for names in outcome.not_judged.values()
    )


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["train.py"],
        ["a b.py", "it's.yaml", "--target", "2x8xH100", "--no-probe"],
        ["--env", "uv.lock", "--set", "packages.trl=1.0", "--set", "plan.model=a=b c"],
        ["--python", "/env/bin/python", "--facts", "a.json", "--facts", "b.json"],
    ],
)
def test_the_command_line_of_an_outcome_names_the_same_sources(words: list[str]) -> None:
    def parsed(arguments: list[str]) -> Sources:
        # Within the program: a command keeps the names of its help option from the first context that it gets.
        with program.make_context("vcompat", ["check"]) as whole:
            return sources_of(command.make_context("check", [*arguments, "--no-config"], parent=whole).params)[1]

    assert parsed(list(command_line(parsed(list(words))))) == parsed(list(words))


def test_the_outcome_remembers_how_it_was_asked_for() -> None:
    sources = Sources(["train.py"], {"packages.trl": "1.9.0"}, probe=False, target="8xH100")
    assert check(sources, Config(), RULES).arguments == (
        "train.py", "--target", "8xH100", "--set", "packages.trl=1.9.0", "--no-probe",
    )  # fmt: skip


def test_a_project_is_checked_by_its_own_settings(tmp_path: Path) -> None:
    (tmp_path / "vcompat.toml").write_text(SETTINGS)
    outcome = check_project(str(tmp_path))
    assert outcome.fails and outcome.files == ("train.py",)
    (tmp_path / "vcompat.toml").write_text(SETTINGS + 'fail-on = "never"\n')
    assert not check_project(str(tmp_path)).fails


def test_every_rule_has_an_entry_among_the_certain_findings_of_a_project(tmp_path: Path) -> None:
    (tmp_path / "vcompat.toml").write_text(SETTINGS)
    found = certain_findings(str(tmp_path))
    assert list(found) == [rule.id for rule in RULES]
    finding = found[RULE]
    assert finding is not None and finding.is_certain
    assert all(finding is None or finding.is_certain for finding in found.values())


def test_input_that_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "vcompat.toml").write_text('plan = "nowhere.py"\n')
    with pytest.raises(InputError, match=r"nowhere\.py: No such file"):
        check_project(str(tmp_path))


def test_every_source_of_a_project_is_in_its_settings() -> None:
    config = Config(
        target="8xH100", plan=("a/../train.py",), environment="uv.lock", python="bin/python", facts=("f.json",),
        settings={"packages.trl": "1.0"},
    )  # fmt: skip
    assert sources(config) == Sources(
        ["train.py"], {"packages.trl": "1.0"}, ("f.json",), target="8xH100", environment="uv.lock", python="bin/python"
    )


def test_the_outcome_names_several_runs_and_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("python train.py --a 1\ntorchrun --nproc_per_node 2 train.py\npython gone.py\n")
    outcome = check(Sources(["run.sh"], probe=False), Config(path="vcompat.toml"), RULES)
    assert [name for name, _ in outcome.runs] == ["run.sh:1:1", "run.sh:2:1"]
    assert outcome.runs[0][1] == "python train.py --a 1"
    assert outcome.missing == (("gone.py", "run.sh:3:1"),)
    assert outcome.subject == "run.sh"
    assert check(Sources(["train.py"], probe=False), Config(), RULES).runs == ()
    assert check(Sources(probe=False), Config(path="vcompat.toml"), RULES).files == ("vcompat.toml",)
    assert check(Sources(probe=False), Config(), RULES).files == ()


@pytest.mark.parametrize(
    ("asked", "subject"),
    [
        (Sources(probe=False), "what the command line states"),
        (Sources(target="8xH100", probe=False), "what the command line states"),
        (Sources(["train.py"], probe=False), "train.py"),
        (Sources(["train.py"], environment="requirements.txt", probe=False), "train.py, requirements.txt"),
    ],
)
def test_the_subject_of_a_check_is_what_was_named(tmp_path: Path, asked: Sources, subject: str) -> None:
    (tmp_path / "requirements.txt").write_text("trl==1.0.0\n")
    assert check(asked, Config(), RULES).subject == subject


def test_a_check_has_the_threshold_of_the_project() -> None:
    outcome = check(Sources(probe=False), Config(), RULES)
    assert (outcome.threshold, outcome.strict) == ("error", False)
    outcome = check(Sources(probe=False), Config(fail_on="note", strict=True), RULES)
    assert (outcome.threshold, outcome.strict) == ("note", True)
