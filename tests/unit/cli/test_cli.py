"""The command line as its user meets it: real processes, exit codes, one line for input that cannot be used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from vcompat.facts.vocabulary import PACKAGES

#: What `--no-probe` runs are told here: number 5 of the failures that this project began with.
SLEEPING = ["--set", "packages.vllm=0.8.4", "--set", "plan.vllm_sleep_level=2"]


def vcompat(*arguments: str, cwd: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vcompat", *arguments],
        capture_output=True,
        text=True,
        timeout=30,
        cwd=cwd,
        env={**os.environ, **variables},
        check=False,
    )


def findings(*arguments: str) -> list[dict[str, Any]]:
    done = vcompat("check", "--no-probe", "--format", "json", *arguments)
    assert done.stderr == ""
    found: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return found


def test_a_finding_in_json_has_all_that_a_program_needs() -> None:
    (finding,) = [f for f in findings(*SLEEPING) if f["rule"] == "sleep-level-2-loses-buffers"]
    assert finding["certainty"] == "certain"
    assert finding["severity"] == "error"
    assert finding["effect"] == "silent-corruption"
    assert finding["component"] == "vllm"
    assert {"fact": "packages.vllm", "value": "0.8.4", "source": "given by --set", "place": None} in finding["because"]
    assert finding["needs"] == []
    assert {fix["kind"] for fix in finding["fixes"]} >= {"version", "patch"}
    assert all(fix["do"] for fix in finding["fixes"])
    assert finding["references"]


def test_the_text_says_what_why_and_what_to_do() -> None:
    done = vcompat("check", "--no-probe", *SLEEPING)
    assert done.returncode == 1
    for part in (
        "error",
        "trains on wrong data without a word",
        "packages.vllm = 0.8.4",
        'pip install "vllm>=',
        "vcompat.patch()",
    ):
        assert part in done.stdout
    assert "\x1b" not in done.stdout, "no colours where nobody sees them"


def test_an_unknown_fact_makes_a_possible_finding_that_names_it() -> None:
    found = findings("--set", "packages.vllm=0.8.4", "--set", "packages.trl=0.18.0")
    (finding,) = [f for f in found if f["rule"] == "sleep-level-2-loses-buffers"]
    assert finding["certainty"] == "possible"
    assert [need["fact"] for need in finding["needs"]] == ["plan.vllm_sleep_level"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--set", "packages.vllm=none", "--set", "packages.trl=none"], 0),
        (SLEEPING, 1),
        ([*SLEEPING, "--fail-on", "warning"], 1),
        ([*SLEEPING, "--fail-on", "never"], 0),
    ],
)
def test_the_exit_code_follows_the_threshold(arguments: list[str], code: int) -> None:
    everything_else = [f"packages.{name}=none" for name in PACKAGES if name not in ("vllm", "trl")]
    given = [part for fact in everything_else for part in ("--set", fact)]
    assert vcompat("check", "--no-probe", *given, *arguments).returncode == code


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["check", "--no-probe", "--set", "packages.vlm=1"], "unknown fact 'packages.vlm'; expected 'packages.vllm'"),
        (
            ["check", "--no-probe", "--set", "plan.vllm_mod=x"],
            "unknown fact 'plan.vllm_mod'; expected 'plan.vllm_mode'",
        ),
        (["check", "--no-probe", "--set", "packages.vllm=zero"], "'zero' for packages.vllm is not a version"),
        (["check", "--no-probe", "--set", "packages.vllm"], "no '='; expected FACT=VALUE"),
        (["check", "--no-probe", "nowhere.py"], "nowhere.py: No such file"),
        (["check", "--no-probe", "syntax.py"], "syntax.py:1: not valid Python"),
        (["check", "--no-probe", "binary.py"], "binary.py: holds binary data"),
        (["check", "--no-probe", "--facts", "truncated.json"], "truncated.json:1: not valid JSON"),
        (["check", "--no-probe", "--facts", "list.json"], "list.json: not a JSON object"),
        (["check", "--no-probe", "--facts", "binary.py"], "not UTF-8 text"),
        (["check", "--no-probe", "--facts", "unknown.json"], "unknown.json: facts.packages.vlm: unknown fact"),
        (["check", "--no-probe", "--facts", "deep.json"], "deep.json"),
        (["check", "--format", "yaml"], "argument --format: invalid choice: 'yaml'"),
        (["check", "--fail-on", "doom"], "argument --fail-on: invalid choice: 'doom'"),
        (["check", "--what"], "unrecognized arguments: --what"),
        (["explain", "no-such-rule"], "there is no rule 'no-such-rule'"),
        (["chekc"], "no command 'chekc'; expected 'check'"),
        (["--what"], "unrecognized arguments: --what"),
        (["explain"], "the following arguments are required: rule"),
        (["rules", "--component", "nothing"], "no rule speaks of it"),
    ],
)
def test_input_that_cannot_be_used_gets_one_line_and_exit_code_2(
    tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    (tmp_path / "syntax.py").write_text("def f(:\n")
    (tmp_path / "binary.py").write_bytes(b"\x7fELF\0\xff\xfe")
    (tmp_path / "truncated.json").write_text('{"facts": {"packages.vllm": "0.8')
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "unknown.json").write_text('{"facts": {"packages.vlm": "0.8"}}')
    (tmp_path / "deep.json").write_text("[" * 100_000)
    done = vcompat(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("vcompat: ")
    assert done.stdout == ""


def test_what_probe_saves_gives_the_same_findings_elsewhere(tmp_path: Path) -> None:
    saved = tmp_path / "machine.json"
    saved.write_text(vcompat("probe").stdout)
    here = json.loads(vcompat("check", "--format", "json").stdout)
    there = json.loads(vcompat("check", "--no-probe", "--facts", str(saved), "--format", "json").stdout)
    assert [f["rule"] for f in there["findings"]] == [f["rule"] for f in here["findings"]]
    assert there["facts"] == here["facts"]


def test_a_secret_in_the_environment_is_not_printed() -> None:
    report = vcompat("probe", VLLM_API_KEY="hunter2").stdout
    assert "hunter2" not in report
    assert "env.VLLM_API_KEY" in report


@pytest.mark.skipif(find_spec("torch") is None, reason="needs torch, vLLM and TRL installed, to be tempted")
@pytest.mark.parametrize("command", [["check"], ["probe"], ["check", "examples/train_grpo_colocate.py"]])
def test_a_diagnosis_imports_no_patient(command: list[str]) -> None:
    """The stack is installed here, so an import would succeed, and show."""
    program = (
        "import sys; from vcompat.cli.program import main; main(sys.argv[1:]); "
        "print(sorted({'torch', 'vllm', 'trl', 'transformers', 'numpy'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program, *command], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"
    facts = json.loads(vcompat("probe").stdout)["facts"]
    assert facts["packages.torch"]
    assert facts["packages.vllm"]


def test_arming_the_patches_imports_no_patient() -> None:
    program = "import sys, vcompat; vcompat.patch(); print(sorted({'torch', 'vllm', 'trl', 'transformers'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_help_names_every_command_and_option() -> None:
    done = vcompat("--help")
    assert all(command in done.stdout for command in ("check", "probe", "explain", "rules", "patches"))
    done = vcompat("check", "--help")
    assert all(o in done.stdout for o in ("--set", "--facts", "--no-probe", "--format", "--fail-on"))


def test_rules_patches_and_explain_agree() -> None:
    rules = vcompat("rules").stdout
    patches = vcompat("patches").stdout
    assert "sleep-level-2-loses-buffers" in rules
    assert "vllm_restore_sleep_buffers" in patches
    explained = vcompat("explain", "sleep-level-2-loses-buffers").stdout
    assert "measured" in explained
    assert "seen in     vllm 0.7.0 - 0.8.4, of " in explained
    assert "https://github.com/vllm-project/vllm/issues/16564" in explained


def test_a_reader_that_stops_early_gets_no_traceback() -> None:
    done = subprocess.run(
        f"{sys.executable} -m vcompat rules | head -n 1", shell=True, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
