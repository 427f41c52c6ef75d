from __future__ import annotations

import json
import os
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import pytest
from packaging.version import Version

from tests.unit.rules_for_tests import make_rule
from vcompat.evaluation.config import Config, Suppression, find_config, read_config
from vcompat.evaluation.evaluate import evaluate
from vcompat.evaluation.finding import Finding
from vcompat.evaluation.judgement import Judgement, judge, read_baseline, write_baseline
from vcompat.facts.facts import Facts, Place
from vcompat.foundation.errors import InputError

TODAY = date(2026, 11, 21)
RULES = [make_rule(id="one"), make_rule(id="two"), make_rule(id="three", when={"packages.vllm": "<0.1"})]


def found() -> list[Finding]:
    facts = Facts()
    facts.set("packages.vllm", Version("0.8.0"), "installed")
    return evaluate(RULES, facts)


def judged(suppressions: Iterable[Suppression] = (), accepted: Iterable[tuple[str, str, str]] = ()) -> Judgement:
    return judge(found(), RULES, list(suppressions), frozenset(accepted), lambda: TODAY)


def suppression(rule: str, expires: date) -> Suppression:
    return Suppression(rule, "we know", expires, "vcompat.toml: suppress[0]")


def test_a_suppression_suppresses_its_rule_until_its_day() -> None:
    judgement = judged([suppression("one", TODAY)])
    assert [finding.rule.id for finding in judgement.findings] == ["two"]
    assert judgement.suppressed[0].reason == "suppressed until 2026-11-21: we know"
    assert judgement.expired == ()


def test_an_expired_suppression_suppresses_nothing_and_fails_whatever_the_threshold() -> None:
    judgement = judged([suppression("one", date(2026, 11, 20))])
    assert {finding.rule.id for finding in judgement.findings} == {"one", "two"}
    assert judgement.expired == (
        "vcompat.toml: suppress[0]: the suppression of one expired on 2026-11-20 (reason: we know)",
    )
    assert judgement.fails("never")


def test_a_suppression_of_a_rule_that_does_not_apply_is_reported_as_unused() -> None:
    judgement = judged([suppression("three", TODAY)])
    assert judgement.unused == ("vcompat.toml: suppress[0]: three has no finding to suppress",)
    assert not judgement.fails("never")


def test_a_suppression_of_a_rule_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match=r"suppress\[0\].rule: there is no rule 'ones'; expected 'one'"):
        judged([suppression("ones", TODAY)])


def test_a_finding_in_the_baseline_does_not_count_until_it_becomes_certain(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    assert write_baseline(str(path), found(), "1.0") == 2
    assert judged(accepted=read_baseline(str(path))).findings == ()
    table = json.loads(path.read_text())
    table["findings"][0]["certainty"] = "possible"
    path.write_text(json.dumps(table))
    assert len(judged(accepted=read_baseline(str(path))).findings) == 1


@pytest.mark.parametrize("text", ["[]", "{}", '{"findings": [1]}', "{", "[" * 100_000])
def test_a_file_that_is_not_a_baseline_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "baseline.json").write_text(text)
    with pytest.raises(InputError, match=r"baseline\.json"):
        read_baseline(str(tmp_path / "baseline.json"))


WHOLE = """
target = "8xH100"
plan = ["train.py", "ds.json"]
env = "uv.lock"
fail-on = "warning"
strict = true
baseline = "baseline.json"
settings = { "packages.vllm" = "0.10.2", "gpu.count" = 8, "plan.peft" = true }

[[suppress]]
rule = "one"
reason = "we know"
expires = 2027-01-31
"""


def test_paths_in_a_project_s_settings_are_relative_to_their_file(tmp_path: Path) -> None:
    (tmp_path / "vcompat.toml").write_text(WHOLE)
    config = read_config(str(tmp_path / "vcompat.toml"))
    assert config == Config(
        path=str(tmp_path / "vcompat.toml"),
        target="8xH100",
        plan=(str(tmp_path / "train.py"), str(tmp_path / "ds.json")),
        environment=str(tmp_path / "uv.lock"),
        settings={"packages.vllm": "0.10.2", "gpu.count": "8", "plan.peft": "true"},
        fail_on="warning",
        strict=True,
        baseline=str(tmp_path / "baseline.json"),
        suppressions=(Suppression("one", "we know", date(2027, 1, 31), f"{tmp_path / 'vcompat.toml'}: suppress[0]"),),
    )
    table = WHOLE.replace("[[suppress]]", "[[tool.vcompat.suppress]]")
    (tmp_path / "pyproject.toml").write_text(f"[project]\nname = 'x'\n[tool.vcompat]{table}")
    assert read_config(str(tmp_path / "pyproject.toml")).plan == config.plan


def test_the_nearest_settings_count_up_to_the_repository_s_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = tmp_path / "repo" / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / "vcompat.toml").write_text("")
    (tmp_path / "repo" / ".git").mkdir()
    monkeypatch.chdir(below)
    assert find_config() == ""
    (tmp_path / "repo" / "pyproject.toml").write_text("[project]\n")
    assert find_config() == ""
    (tmp_path / "repo" / "pyproject.toml").write_text("[tool.vcompat]\n")
    assert find_config() == "../../pyproject.toml"
    (below / "vcompat.toml").write_text("")
    assert find_config() == "vcompat.toml"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("targets = 1", "targets: unknown key; expected 'target'"),
        ("target = 1", "target: 1; expected a text"),
        ("plan = [1]", "plan: .*a list of files"),
        ("fail-on = 'all'", "fail-on: 'all'"),
        ("strict = 1", "strict: 1; expected true or false"),
        ("only-certain = true", "only-certain: unknown key; expected target"),
        ("settings = 1", "settings: 1"),
        ("suppress = 1", "suppress: 1"),
        ("[[suppress]]\nrule = 'a'\nexpires = 2027-01-01", r"suppress\[0\].reason: missing"),
        ("[[suppress]]\nrule = 'a'\nreason = 'b'", r"suppress\[0\].expires: missing; expected a day"),
        ("[[suppress]]\nrule = 'a'\nreason = 'b'\nexpires = 'soon'", r"expires: 'soon'; expected a day"),
        ("[[suppress]]\nrule = 'a'\nreason = ' '\nexpires = 2027-01-01", r"suppress\[0\].reason: missing"),
        ("[[suppress]]\nrules = 'a'", r"suppress\[0\].rules: unknown key"),
        ("a =", "not valid TOML"),
    ],
)
def test_malformed_settings_are_refused_with_the_key(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "vcompat.toml").write_text(text)
    with pytest.raises(InputError, match=complaint):
        read_config(str(tmp_path / "vcompat.toml"))


def at(finding: Finding, path: str) -> Finding:
    """The finding with a place in a file."""
    return finding._replace(because=(finding.because[0]._replace(place=Place(path, 3, 1)),))


def test_a_baseline_names_the_rule_the_certainty_and_the_file_without_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    two, one = found()[1], found()[0]
    fixed = two._replace(rule=RULES[2], fixed_by="a_patch")
    assert write_baseline(str(path), [two, at(one, "a/train.py"), at(one, "b/train.py"), fixed], "1.2") == 2
    assert (
        path.read_text()
        == json.dumps(
            {
                "vcompat": "1.2",
                "findings": [
                    {"rule": "one", "certainty": "certain", "file": "train.py"},
                    {"rule": "two", "certainty": "certain", "file": ""},
                ],
            },
            indent=2,
        )
        + "\n"
    )
    assert read_baseline(str(path)) == {("one", "certain", "train.py"), ("two", "certain", "")}


def test_a_finding_in_another_file_is_not_in_the_baseline() -> None:
    findings = [at(finding, "work/train.py") for finding in found()]
    accepted = frozenset({("one", "certain", "train.py"), ("two", "certain", "eval.py")})
    judgement = judge(findings, RULES, [], accepted, lambda: TODAY)
    assert [finding.rule.id for finding in judgement.findings] == ["two"]
    assert [(each.finding.rule.id, each.reason) for each in judgement.suppressed] == [("one", "in the baseline")]
    assert {finding.rule.id for finding in judgement.all_findings} == {"one", "two"}


def test_without_suppressions_the_date_is_not_asked_for() -> None:
    judgement = judge(iter(found()), RULES, [], frozenset(), lambda: pytest.fail("asked for the date"))
    assert [finding.rule.id for finding in judgement.findings] == ["one", "two"]
    assert judgement == Judgement(tuple(found()))


def test_a_suppression_is_preferred_to_the_baseline_as_the_reason() -> None:
    judgement = judge(found(), RULES, [suppression("one", TODAY)], frozenset({("one", "certain", "")}), lambda: TODAY)
    assert [each.reason for each in judgement.suppressed] == ["suppressed until 2026-11-21: we know"]


def test_an_expired_suppression_is_not_reported_as_unused() -> None:
    judgement = judged([suppression("three", date(2026, 1, 1)), suppression("one", TODAY)])
    assert judgement.unused == ()
    assert [finding.rule.id for finding in judgement.findings] == ["two"]
    assert len(judgement.expired) == 1


def test_a_judgement_fails_by_its_findings_that_count() -> None:
    assert judged().fails("error") and not judged().fails("never")
    assert not judged([suppression("one", TODAY), suppression("two", TODAY)]).fails("error")
    possible = tuple(finding._replace(certainty="possible") for finding in found())
    assert not Judgement(possible).fails("error") and Judgement(possible).fails("error", strict=True)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{\n1", r"baseline\.json:2: not valid JSON: .*; expected a baseline"),
        ("[]", r"baseline\.json: not a baseline; expected a baseline; `vcompat check --write-baseline` writes one"),
    ],
)
def test_the_complaint_about_a_baseline_names_the_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "baseline.json").write_text(text)
    with pytest.raises(InputError, match=complaint):
        read_baseline(str(tmp_path / "baseline.json"))


def test_a_baseline_of_more_than_20_megabytes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    path.write_bytes(b'{"findings": []}')
    os.truncate(path, 20 * 10**6 + 1)
    with pytest.raises(InputError, match="20 MB"):
        read_baseline(str(path))


def test_a_target_is_a_file_only_by_its_suffix(tmp_path: Path) -> None:
    path = tmp_path / "vcompat.toml"
    for text, target in (("8xH100", "8xH100"), ("a.toml", f"{tmp_path}/a.toml"), ("b.json", f"{tmp_path}/b.json")):
        path.write_text(f'target = "{text}"\npython = "bin/python"\nfacts = "f.json"\n')
        config = read_config(str(path))
        assert (config.target, config.python, config.facts) == (
            target,
            f"{tmp_path}/bin/python",
            (f"{tmp_path}/f.json",),
        )


def test_an_empty_file_has_no_settings(tmp_path: Path) -> None:
    (tmp_path / "vcompat.toml").write_text("")
    assert read_config(str(tmp_path / "vcompat.toml")) == Config(path=str(tmp_path / "vcompat.toml"))
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    with pytest.raises(InputError, match=r"pyproject\.toml: no table \[tool\.vcompat\]; expected settings"):
        read_config(str(tmp_path / "pyproject.toml"))
    (tmp_path / "pyproject.toml").write_text("[tool]\nvcompat = 1\n")
    with pytest.raises(InputError, match=r"pyproject\.toml: tool\.vcompat: 1; expected a table"):
        read_config(str(tmp_path / "pyproject.toml"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a = ]", "vcompat.toml: not valid TOML: "),
        ("plan = 1", "vcompat.toml: plan: 1; expected a list of files"),
        ("fail-on = 'all'", "vcompat.toml: fail-on: 'all'; expected one of never, error, warning, note"),
        ("settings = { a = [1] }", "vcompat.toml: settings: {'a': [1]}; expected "),
        ("settings = { a = { b = 1 } }", "vcompat.toml: settings: {'a': {'b': 1}}; expected "),
        ("suppress = 1", "vcompat.toml: suppress: 1; expected [[suppress]]"),
        ("suppress = [1]", "vcompat.toml: suppress[0]: 1; expected a table"),
        ("[[suppress]]\nrule = 1", "vcompat.toml: suppress[0].rule: missing; expected a text"),
        ("[[suppress]]\nrules = 1", "vcompat.toml: suppress[0].rules: unknown key; expected rule, reason"),
        ("[[suppress]]\nrule='a'\nreason='b'\nexpires=1", "suppress[0].expires: 1; expected a day such as"),
        (
            "[[suppress]]\nrule='a'\nreason='b'\nexpires=2027-01-01T00:00:00",
            "suppress[0].expires: datetime.datetime(2027, 1, 1, 0, 0); expected a day",
        ),
        (
            "[[suppress]]\nrule='a'\nreason='b'\nexpires=2027-01-01\n[[suppress]]\nrule='a'",
            "suppress[1].reason: missing",
        ),
        (f"target = {'[' * 40}{']' * 40}", f"vcompat.toml: target: {'[' * 40}{']' * 20}; expected a text"),
        (f"strict = {'[' * 40}{']' * 40}", f"vcompat.toml: strict: {'[' * 40}{']' * 20}; expected true or false"),
        (f"plan = {'[' * 40}{']' * 40}", f"vcompat.toml: plan: {'[' * 40}{']' * 20}; expected a list"),
        ("a = " + "[" * 5000, "vcompat.toml: "),
        ("a = 1", "vcompat.toml: a: unknown key; expected target, plan, command, env, python, facts, settings"),
    ],
)
def test_a_complaint_about_settings_is_short_and_begins_with_the_file(
    tmp_path: Path, text: str, complaint: str
) -> None:
    (tmp_path / "vcompat.toml").write_text(text)
    with pytest.raises(InputError) as caught:
        read_config(str(tmp_path / "vcompat.toml"))
    assert complaint in str(caught.value)


def test_a_day_can_be_a_text(tmp_path: Path) -> None:
    (tmp_path / "vcompat.toml").write_text("[[suppress]]\nrule='a'\nreason=' b '\nexpires='2027-01-31'\n")
    (found,) = read_config(str(tmp_path / "vcompat.toml")).suppressions
    assert found == ("a", "b", date(2027, 1, 31), f"{tmp_path}/vcompat.toml: suppress[0]")


def test_settings_are_kept_as_text(tmp_path: Path) -> None:
    (tmp_path / "vcompat.toml").write_text('settings = { a = 1.5, b = false, c = "X" }\nplan = "train.py"\n')
    config = read_config(str(tmp_path / "vcompat.toml"))
    assert config.settings == {"a": "1.5", "b": "false", "c": "X"}
    assert config.plan == (f"{tmp_path}/train.py",)


def test_a_baseline_that_is_missing_is_an_error_that_says_how_to_write_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"baseline\.json: .*expected a baseline; `vcompat check --write-baseline`"):
        read_baseline(str(tmp_path / "baseline.json"))
