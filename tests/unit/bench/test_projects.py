"""The score of public projects: what is compared, how, and whether the file of runs is sound."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench import projects
from bench.projects import FALSE, FILE, KNOWN, LIKELY, LIKELY_FALSE, MISSING, ROOT
from vcompat.facts.value import parse_stated, to_json
from vcompat.facts.vocabulary import FLAG, NUMBER, spec_of

_COMMIT = "0123456789abcdef0123456789abcdef01234567"
_RUN = f"""
[[runs]]
repository = "someone/something"
commit = "{_COMMIT}"
command = 'bash train.sh "two words"'
[runs.facts]
plan.use_vllm = true
"packages.trl" = "0.18.0"
"""


def test_a_run_is_a_command_as_typed_and_its_facts():
    (run,) = projects.read_runs(_RUN)
    assert (run.repository, run.commit, run.folder) == ("someone/something", _COMMIT, "")
    assert run.arguments == ("--", "bash", "train.sh", "two words")
    assert run.facts == {"plan.use_vllm": True, "packages.trl": "0.18.0"}


def test_several_runs_of_a_repository_are_numbered_and_one_is_not():
    other = _RUN.replace("someone/something", "someone/else")
    names = [run.name for run in projects.read_runs(_RUN + other + _RUN)]
    assert names == ["someone/something [1]", "someone/else", "someone/something [2]"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("commit =", "revision =", "unknown keys: revision"),
        (_COMMIT, "main", "40 hexadecimal digits"),
        ("command = 'bash train.sh \"two words\"'", "", "either command or files"),
        ("[runs.facts]", "files = ['a.sh']\n[runs.facts]", "either command or files"),
        ('plan.use_vllm = true\n"packages.trl" = "0.18.0"', "", "has no facts"),
    ],
)
def test_a_malformed_run_is_refused_and_named(old, new, problem):
    with pytest.raises(ValueError, match="someone/something") as raised:
        projects.read_runs(_RUN.replace(old, new))
    assert problem in str(raised.value)


def test_each_fact_gets_the_verdict_of_what_the_report_states():
    report = {
        "facts": {"plan.use_vllm": True, "plan.vllm_mode": "server"},
        "sources": {"plan.vllm_mode": "train.py:3"},
        "likely": {
            "plan.model": {"value": "a/b", "source": "train.py:4", "presumes": []},
            "plan.num_generations": {"value": 4, "source": "train.py:5", "presumes": []},
        },
        "unknown": {"plan.bf16": "train.py:6: computed at run time"},
    }
    expected = {
        "plan.use_vllm": True,
        "plan.vllm_mode": "colocate",
        "plan.model": "a/b",
        "plan.num_generations": 8,
        "plan.bf16": True,
        "plan.peft": False,
    }
    verdicts = {one.fact: one for one in projects.compare(expected, report)}
    assert {fact: one.verdict for fact, one in verdicts.items()} == {
        "plan.use_vllm": KNOWN,
        "plan.vllm_mode": FALSE,
        "plan.model": LIKELY,
        "plan.num_generations": LIKELY_FALSE,
        "plan.bf16": MISSING,
        "plan.peft": MISSING,
    }
    assert verdicts["plan.vllm_mode"].stated == "server"
    assert verdicts["plan.bf16"].why == "train.py:6: computed at run time"
    assert verdicts["plan.peft"].why == "no reason given"


def test_a_report_without_likely_facts_is_compared_by_its_known_facts():
    (verdict,) = projects.compare({"plan.beta": 0.0}, {"facts": {"plan.beta": 0}, "sources": {}, "unknown": {}})
    assert verdict.verdict == KNOWN


@pytest.mark.parametrize(
    ("expected", "stated", "equal"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (0, False, False),
        ("none", None, True),
        ("none", "none", True),
        ("none", "cpu", False),
        ("none", False, False),
        (0, None, False),
        (["0", "1"], ["1", "0"], True),
        (["0"], ["0", "1"], False),
        ("0.18.0", "0.18.0", True),
    ],
)
def test_values_are_equal_if_they_mean_the_same(expected, stated, equal):
    assert projects.same(expected, stated) is equal


def test_reasons_that_differ_only_in_place_and_name_are_one_reason():
    first = projects.reason("train.py:79:5: init_wandb() may change it; it may be 4")
    second = projects.reason("src/grpo.py:8:1: set_up() may change it; it may be 'a' or 'b'")
    assert first == second != projects.reason("train.py:79:5: computed at run time")


def test_a_checkout_is_found_under_both_names(tmp_path: Path):
    (tmp_path / "a+b").mkdir()
    (tmp_path / "c" / "d").mkdir(parents=True)
    assert projects.checkout(tmp_path, "a/b") == tmp_path / "a+b"
    assert projects.checkout(tmp_path, "c/d") == tmp_path / "c" / "d"
    assert projects.checkout(tmp_path, "e/f") is None


def test_a_real_check_is_scored(tmp_path: Path):
    (tmp_path / "train.py").write_text(
        "from trl import GRPOConfig, GRPOTrainer\n"
        "args = GRPOConfig(output_dir='out', use_vllm=True, num_generations=4)\n"
        "GRPOTrainer(model='a/b', args=args, reward_funcs=len, train_dataset=None).train()\n"
    )
    # A module of the project with the name of one that the program needs.
    (tmp_path / "json.py").write_text("raise SystemExit('the project was run')\n")
    facts = {"plan.use_vllm": True, "plan.num_generations": 8, "plan.learning_rate": 1e-6}
    run = projects.Run("a", "a", _COMMIT, "", ("train.py",), facts)
    score = projects.score(run, tmp_path, limit=60)
    assert [score.count(verdict) for verdict in projects.VERDICTS] == [1, 0, 1, 0, 1]
    lines = [line for line in projects.table([score], bare=1.0) if line]
    assert lines[-1].split()[-6:] == ["1", "0", "1", "0", "1", "3"]
    assert max(map(len, lines)) <= 100


def test_a_check_that_fails_says_why_each_fact_is_missing(tmp_path: Path):
    run = projects.Run("a", "a", _COMMIT, "", ("absent.sh",), {"plan.use_vllm": True})
    (verdict,) = projects.score(run, tmp_path, limit=60).verdicts
    assert verdict.verdict == MISSING
    assert "absent.sh" in verdict.why and "exit code 2" in verdict.why


def test_a_check_over_its_time_limit_is_missing(tmp_path: Path):
    run = projects.Run("a", "a", _COMMIT, "", ("train.sh",), {"plan.use_vllm": True})
    score = projects.score(run, tmp_path, limit=0.001)
    assert (score.verdicts[0].verdict, score.verdicts[0].why) == (MISSING, "not finished after 0.001 seconds")


def test_repositories_that_are_not_there_are_named_and_no_error(tmp_path: Path):
    command = [sys.executable, "-m", "bench.projects", str(tmp_path), "--only", "open-r1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "no checkout" in done.stdout and "huggingface/open-r1" in done.stdout


def test_the_facts_of_the_file_are_facts_with_values_of_their_kind():
    for run in projects.read_runs(FILE.read_text("utf-8")):
        for fact, value in run.facts.items():
            where = f"{run.name}, {fact}"
            spec = spec_of(fact, where)
            text = ",".join(value) if isinstance(value, list) else json.dumps(value).strip('"')
            if not spec.many:
                assert projects.same(value, to_json(parse_stated(spec, text, where))), where
            assert spec.many == isinstance(value, list), where
            assert (spec.kind == FLAG) == isinstance(value, bool), where
            assert spec.kind != NUMBER or value == "none" or isinstance(value, (int, float)), where
