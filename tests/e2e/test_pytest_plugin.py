"""The plugin for pytest, in real runs of pytest over a small project."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from vcompat.facts.facts import BY_HAND

SETTINGS = '[tool.vcompat]\ntarget = "8xH100"\nplan = "train.py"\nsettings = { "packages.trl" = "1.9.0", "packages.vllm" = "0.24.0", "packages.torch" = "2.11.0+cu130", "packages.transformers" = "5.10.0" }\n'
SLEEPING = "GRPOConfig(use_vllm=True, vllm_mode='colocate', vllm_enable_sleep_mode=True)\n"
TESTS = """
import pytest

@pytest.mark.vcompat("sleep-mode-generates-with-first-checkpoint", "volta-not-built")
def test_skipped():
    assert False

@pytest.mark.vcompat("sleep-mode-generates-with-first-checkpoint", action="xfail")
def test_expected_to_fail():
    assert False

@pytest.mark.vcompat("volta-not-built")
def test_not_affected():
    pass
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(SETTINGS)
    (tmp_path / "train.py").write_text(SLEEPING)
    (tmp_path / "test_it.py").write_text(TESTS)
    return tmp_path


def run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rsx", "--strict-markers", "-p", "no:cacheprovider", *arguments],
        capture_output=True, text=True, cwd=project, check=False, timeout=120,
    )  # fmt: skip


def test_the_check_is_one_more_test(project: Path) -> None:
    done = run(project, "--vcompat")
    assert done.returncode == 1
    assert "1 failed, 1 passed, 1 skipped, 1 xfailed" in done.stdout
    assert f"  because  packages.trl = 1.9.0 ({BY_HAND})" in done.stdout
    assert "Next: vcompat fix train.py --target 8xH100" in done.stdout
    (project / "train.py").write_text(SLEEPING.replace("mode=True", "mode=False"))
    healthy = run(project, "--vcompat", "test_it.py::test_not_affected")
    assert healthy.returncode == 0, healthy.stdout
    assert "2 passed" in healthy.stdout


def test_possible_findings_fail_the_check_only_if_the_project_is_strict(project: Path) -> None:
    (project / "train.py").write_text(SLEEPING.replace("mode=True", "mode=False"))
    (project / "test_it.py").write_text("def test_it(): pass\n")
    assert "2 passed" in run(project, "--vcompat").stdout
    (project / "pyproject.toml").write_text(SETTINGS + "strict = true\n")
    done = run(project, "--vcompat")
    assert "1 failed, 1 passed" in done.stdout
    assert "might apply, depending on what is not known" in done.stdout


def test_a_marked_test_is_skipped_or_expected_to_fail_with_the_rule_as_the_reason(project: Path) -> None:
    done = run(project)
    assert done.returncode == 0
    assert "1 passed, 1 skipped, 1 xfailed" in done.stdout
    reason = "Sleep mode keeps generating with the initial weights (sleep-mode-generates-with-first-checkpoint)"
    assert done.stdout.count(reason) == 2


def test_a_marked_test_runs_if_the_failure_does_not_apply(project: Path) -> None:
    (project / "train.py").write_text(SLEEPING.replace("mode=True", "mode=False"))
    done = run(project)
    assert "2 failed, 1 passed" in done.stdout


@pytest.mark.parametrize(
    ("marker", "complaint"),
    [
        ('"sleep"', "there is no rule 'sleep'"),
        ("", "takes ids of rules"),
        ('"volta-not-built", action="fail"', "takes ids of rules"),
    ],
)
def test_a_marker_that_names_no_rule_is_refused(project: Path, marker: str, complaint: str) -> None:
    (project / "test_it.py").write_text(f"import pytest\n@pytest.mark.vcompat({marker})\ndef test_it(): pass\n")
    done = run(project)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert complaint in done.stdout + done.stderr


def test_input_that_cannot_be_used_fails_the_check_in_one_line(project: Path) -> None:
    (project / "train.py").write_text("def f(:\n")
    (project / "test_it.py").write_text("def test_it(): pass\n")
    done = run(project, "--vcompat")
    assert "1 failed, 1 passed" in done.stdout
    assert "train.py:1: not valid Python" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_run_of_pytest_without_the_option_imports_nothing_else_of_vcompat(project: Path) -> None:
    (project / "test_it.py").write_text(
        "import sys\ndef test_it():\n    assert {n for n in sys.modules if n.startswith('vcompat')} == "
        "{'vcompat', 'vcompat.cli', 'vcompat.cli.pytest_plugin', 'vcompat.foundation', 'vcompat.foundation.version'}\n"
    )
    assert run(project).returncode == 0
