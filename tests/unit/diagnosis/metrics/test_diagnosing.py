"""From files with metrics to rules: what a signature and the facts known lead to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.diagnosis.metrics.recorded import BFLOAT16, find, printed, state
from tests.unit.rules_for_tests import make_rule
from vcompat.diagnosis.diagnosing import Diagnosis, diagnose_paths, diagnose_text
from vcompat.diagnosis.metrics.metric_names import MEAN
from vcompat.rules.database import load_rules
from vcompat.rules.rule import Rule

STALE = find(variant="not_synchronized", **BFLOAT16)
GOOD = find(**BFLOAT16)
OLD_TRL = {"packages.trl": "<1.10"}


def rule(name: str, *names: str, **changes: object) -> Rule:
    return make_rule(id=name, symptoms=[{"signature": each} for each in names], **changes)


STALE_RULE = rule("stale", "stale-rollouts", when=OLD_TRL)
WRONG_RULE = rule("wrong", "wrong-rollouts", when=OLD_TRL)
RULES = (STALE_RULE, WRONG_RULE)


def diagnose(path: Path, **facts: str) -> Diagnosis:
    return diagnose_paths([str(path)], RULES, {name.replace("__", "."): value for name, value in facts.items()})


def names(diagnosis: Diagnosis) -> list[tuple[str, str]]:
    return [(match.rule.id, match.certainty) for match in diagnosis.matches]


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """A trainer's output folder, with two checkpoints."""
    for step in (5, 14):
        folder = tmp_path / f"checkpoint-{step}"
        folder.mkdir()
        (folder / "trainer_state.json").write_text(state(STALE[:step]))
        (folder / "optimizer.pt").write_bytes(bytes(range(256)) * 99)
    return tmp_path


def test_a_signature_and_the_facts_lead_to_the_rule(output: Path) -> None:
    found = diagnose(output, packages__trl="1.5.0")
    assert names(found) == [("stale", "certain")]
    line = found.matches[0].seen.shown.lines[0]
    assert line.text.startswith(f"{MEAN}: 0.00374 at step 1, 0.451 at step 2")
    rest = (output / "checkpoint-14" / "trainer_state.json").read_text().split("\n")[line.number - 1 :]
    assert json.JSONDecoder().raw_decode("\n".join(rest).strip())[0]["step"] == 2


def test_without_facts_the_rule_is_possible(output: Path) -> None:
    assert names(diagnose(output)) == [("stale", "possible")]


def test_a_fact_rules_the_rule_out_and_the_signature_stays(output: Path) -> None:
    found = diagnose(output, packages__trl="1.12.0")
    assert names(found) == [("stale", "contradicted")]
    assert found.is_cause_found
    assert [each.id for each in found.metrics[0].signatures] == ["stale-rollouts"]


def test_a_possible_signature_makes_no_rule_certain(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("trl==1.5.0\n" + printed(find(variant="garbage", **BFLOAT16), True))
    found = diagnose(tmp_path / "train.log")
    assert sorted(names(found)) == [("stale", "possible"), ("wrong", "possible")]


def test_a_text_of_a_failure_comes_before_what_metrics_show() -> None:
    crash = make_rule(id="crash", symptoms=[{"pattern": "it broke"}], when=OLD_TRL)
    log = (
        printed(STALE, True)
        + 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nValueError: it broke\n'
    )
    found = diagnose_text(log, [*RULES, crash])
    assert names(found)[0] == ("crash", "possible")
    assert "stale" in dict(names(found))


def test_the_runs_of_a_folder_are_told_apart_and_checkpoints_of_one_are_not(output: Path) -> None:
    (output / "second").mkdir()
    (output / "second" / "trainer_state.json").write_text(state(GOOD))
    found = diagnose(output)
    assert [(Path(each.run.path).parent.name, each.state) for each in found.metrics] == [
        ("checkpoint-14", "failing"),
        ("second", "healthy"),
    ]
    assert found.notes == ()


def test_metrics_about_vllm_state_that_it_is_used(output: Path) -> None:
    facts = diagnose(output).facts
    assert facts.value("plan.use_vllm") is True
    assert facts.value("plan.vllm_importance_sampling_correction") is True


def test_a_healthy_run_has_no_cause(tmp_path: Path) -> None:
    (tmp_path / "trainer_state.json").write_text(state(GOOD))
    found = diagnose(tmp_path)
    assert (found.matches, found.is_cause_found, found.metrics[0].state) == ((), False, "healthy")


def test_a_release_without_the_metrics_leaves_it_open(tmp_path: Path) -> None:
    kept = ("step", "reward", "reward_std", "loss")
    (tmp_path / "trainer_state.json").write_text(state([{name: entry[name] for name in kept} for entry in STALE]))
    found = diagnose(tmp_path)
    assert (found.is_cause_found, found.metrics[0].state) == (False, "silent")
    assert found.facts.get("plan.use_vllm") is None


def test_a_truncated_state_is_read_as_far_as_it_goes_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "trainer_state.json").write_text(state(STALE)[:3000])
    found = diagnose(tmp_path)
    assert [note.rpartition(": ")[2] for note in found.notes] == ["truncated JSON; what is complete was read"]
    assert found.metrics[0].run.has(MEAN)


def test_a_table_is_read_from_a_folder_beside_logs(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("trl==1.5.0\n")
    rows = "".join(f"{entry['step']},{entry[MEAN]}\n" for entry in STALE)
    (tmp_path / "metrics.csv").write_text(f"step,{MEAN}\n{rows}")
    found = diagnose(tmp_path)
    assert names(found) == [("stale", "certain")]
    assert found.matches[0].seen.place.line == 3


def test_tables_and_json_of_something_else_are_logs_without_a_failure(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("step,loss\n1,nan\n2,nan\n")
    (tmp_path / "b.json").write_text(json.dumps({"model_type": "qwen2", "loss": {"reward": 3}}))
    found = diagnose(tmp_path)
    assert (found.matches, found.metrics, found.notes, found.is_cause_found) == ((), (), (), False)


def test_each_signature_that_tells_about_weights_is_named_by_a_rule() -> None:
    named = {symptom.signature for rule in load_rules() for symptom in rule.symptoms} - {""}
    assert {"stale-rollouts", "wrong-rollouts", "broken-rollouts", "stale-evaluation"} <= named


def test_the_rule_of_sleep_mode_is_the_cause_where_its_facts_hold(output: Path) -> None:
    settings = {
        "packages.trl": "1.5.0",
        "plan.vllm_mode": "colocate",
        "plan.vllm_enable_sleep_mode": "true",
    }
    first = diagnose_paths([str(output)], load_rules(), settings).matches[0]
    assert (first.rule.id, first.certainty) == ("sleep-mode-generates-with-first-checkpoint", "certain")


@pytest.mark.parametrize(("facts", "count"), [({}, 0), ({"plan__peft": "true"}, 0), ({"plan__fsdp": "full_shard"}, 1)])
def test_a_rule_with_a_common_signature_needs_the_facts_that_it_lists(
    tmp_path: Path, facts: dict[str, str], count: int
) -> None:
    log = tmp_path / "train.log"
    log.write_text(
        "".join(
            f"{{'loss': nan, 'sampling/sampling_logp_difference/mean': 0.001, 'epoch': {step}}}\n" for step in range(30)
        )
    )
    symptoms = [{"signature": "not-a-number", "only_where_known": ["plan.fsdp"]}]
    one = make_rule(id="common", symptoms=symptoms, when={"plan.fsdp": {"matches": "."}, "plan.peft": True})
    found = diagnose_paths([str(log)], [one], {name.replace("__", "."): value for name, value in facts.items()})
    assert [each.id for judged in found.metrics for each in judged.signatures] == ["not-a-number"]
    assert len(found.causes) == count and found.is_cause_found
