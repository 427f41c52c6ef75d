"""What the shell completes: commands, options, facts, rules and GPUs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.command_line import process, vcompat
from vcompat.cli.program import COMMANDS
from vcompat.facts.vocabulary import VOCABULARY
from vcompat.rules.database import load_rules


def completed(*words: str) -> list[tuple[str, str]]:
    """The kind and the text of each completion of the last word, as bash gets them."""
    line = " ".join(["vcompat", *words])
    done = vcompat(_VCOMPAT_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(words)))
    assert (done.code, done.stderr) == (0, "")
    pairs = [item.partition(",") for item in done.stdout.splitlines() if item]
    return [(kind, text) for kind, _, text in pairs]


def texts(*words: str) -> list[str]:
    found = completed(*words)
    assert {kind for kind, _ in found} <= {"plain"}
    return [text for _, text in found]


def test_commands_are_completed() -> None:
    assert texts("ch") == ["check"]
    assert texts("rules", "ve") == ["verify"]
    assert texts("re") == [name for name in COMMANDS if name.startswith("re")]
    assert texts("nothing") == []


def test_options_and_their_values_are_completed() -> None:
    assert texts("check", "--form") == ["--format"]
    assert texts("check", "--format", "j") == ["json", "junit"]
    assert texts("check", "--color", "a") == ["auto", "always"]
    assert texts("check", "--fail-on", "n") == ["note", "never"]


def test_facts_are_completed_after_set() -> None:
    assert texts("check", "--set", "plan.vllm_m") == [
        f"{name}=" for name in VOCABULARY if name.startswith("plan.vllm_m")
    ]
    assert texts("fix", "--set", "packages.tran") == ["packages.transformers="]
    assert texts("resolve", "--set", "gpu.cou") == ["gpu.count="]
    assert texts("check", "--set", "nothing") == []


def test_values_are_completed_after_a_fact() -> None:
    assert texts("check", "--set", "plan.peft=") == [
        f"plan.peft={value}" for value in ("true", "false", "none", "unknown")
    ]
    assert texts("check", "--set", "plan.peft=t") == ["plan.peft=true"]
    assert texts("check", "--set", "packages.trl=") == ["packages.trl=none", "packages.trl=unknown"]


def test_rules_are_completed_for_explain_and_verify() -> None:
    sleeping = [rule.id for rule in load_rules(thorough=False) if rule.id.startswith("sleep-l")]
    assert len(sleeping) > 1
    assert texts("explain", "sleep-l") == sleeping
    assert texts("rules", "verify", "sleep-l") == sleeping


def test_facts_are_completed_for_facts() -> None:
    assert texts("facts", "gpu.") == [name for name in VOCABULARY if name.startswith("gpu.")]


@pytest.mark.parametrize(
    ("typed", "expected"), [("8xh1", "8xH100"), ("V100-3", "V100-32GB"), ("2x8xA100-4", "2x8xA100-40GB")]
)
def test_gpus_are_completed_after_target_with_their_number(typed: str, expected: str) -> None:
    assert expected in texts("check", "--target", typed)
    assert all(text.lower().startswith(typed.lower()) for text in texts("check", "--target", typed))


def test_a_target_that_is_no_gpu_is_completed_as_a_file() -> None:
    assert completed("check", "--target", "profiles/") == [("file", "profiles/")]


@pytest.mark.parametrize("words", [["check", ""], ["check", "--env", ""], ["plan", ""], ["check", "-o", ""]])
def test_files_are_completed_where_files_are_expected(words: list[str]) -> None:
    assert completed(*words[:-1], "tra") == [("file", "tra")]


def test_completion_goes_on_behind_a_mistake() -> None:
    assert texts("check", "--what", "--form") == ["--format"]
    assert texts("check", "--format", "yaml", "--str") == ["--strict"]


def test_zsh_and_fish_get_the_same_words() -> None:
    sleeping = texts("explain", "sleep-l")
    zsh = process(_VCOMPAT_COMPLETE="zsh_complete", COMP_WORDS="vcompat explain sleep-l", COMP_CWORD="2")
    assert zsh.stdout.splitlines() == [line for rule in sleeping for line in ("plain", rule, "_")]
    fish = process(_VCOMPAT_COMPLETE="fish_complete", COMP_WORDS="vcompat explain sleep-l", COMP_CWORD="sleep-l")
    assert [line for line in fish.stdout.splitlines() if line.startswith("plain,")] == [
        f"plain,{rule}" for rule in sleeping
    ]
    assert (zsh.code, zsh.stderr, fish.code, fish.stderr) == (0, "", 0, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script_to_source(shell: str) -> None:
    done = process(_VCOMPAT_COMPLETE=f"{shell}_source")
    assert (done.code, done.stderr) == (0, "")
    assert "_VCOMPAT_COMPLETE" in done.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes_with_the_script_that_it_sources(tmp_path: Path) -> None:
    program = tmp_path / "vcompat"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m vcompat "$@"\n')
    program.chmod(0o755)
    script = (
        f'PATH="{tmp_path}:$PATH"; eval "$(_VCOMPAT_COMPLETE=bash_source vcompat)"; '
        "COMP_WORDS=(vcompat check --format gi); COMP_CWORD=3; _vcompat_completion vcompat; echo ${COMPREPLY[@]}"
    )
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("github\n", "")
