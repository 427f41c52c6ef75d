"""``vcompat report``: what it prints with and without a log, and its exit codes."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

from tests.unit.cli.command_line import bash, process, vcompat
from tests.unit.diagnosis.metrics.recorded import BFLOAT16, find, state

ERROR = "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla T4 GPU has compute capability 7.5."
LOG = f"""\
vllm==0.7.2
[rank0]: Traceback (most recent call last):
[rank0]:   File "/home/zqalice/acme/main.py", line 1, in <module>
[rank0]:     main()
[rank0]:   File "/home/zqalice/acme/train.py", line 3, in main
[rank0]:     GRPOTrainer(model="acme/secret")
[rank0]:   File "/home/zqalice/.venv/lib/python3.12/site-packages/vllm/worker/worker.py", line 470, in check
[rank0]:     raise ValueError(
[rank0]: {ERROR}
"""


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("train.log").write_text(LOG)
    return "train.log"


def test_the_report_has_the_error_the_facts_the_traceback_and_the_diagnosis(log: str) -> None:
    answer = vcompat("report", log)
    assert (answer.code, answer.stderr) == (0, "")
    lines = answer.stdout.splitlines()
    assert lines[0] == f"## {ERROR}"
    assert "| vllm | 0.7.2 |" in lines
    assert "| gpu.compute_capability | 7.5 |" in lines
    assert "### The first failure (rank0)" in lines
    assert "  [... 1 frame left out]" in lines
    assert '  File "/home/zqalice/acme/train.py", line 3, in main' in lines
    assert any(line.startswith("- possible: vLLM refuses bfloat16") for line in lines)


@pytest.mark.parametrize("option", ["--anonymize", "--anonymise"])
def test_an_anonymous_report_has_no_names_and_the_same_failure(log: str, option: str) -> None:
    shown = vcompat("report", log, option).stdout
    assert "zqalice" not in shown
    assert "acme" not in shown
    assert '  File "<path>/train.py", line 3, in main' in shown
    assert '  File "<path>/site-packages/vllm/worker/worker.py", line 470, in check' in shown
    assert '    GRPOTrainer(model="<model1>")' in shown
    assert ERROR in shown


def test_a_fact_that_is_set_is_in_the_report(log: str) -> None:
    shown = vcompat(
        "report", log, "--anonymize", "--set", "plan.model=/data/acme/x", "--set", "packages.trl=10.0.1.2"
    ).stdout
    assert "| plan.model | &lt;model1> |" in shown
    assert "| trl | 10.0.1.2 |" in shown


def test_facts_that_name_hosts_are_replaced(log: str) -> None:
    stated = [
        "plan.vllm_server_host=titan",
        "plan.vllm_server_base_url=http://titan:8000/v1",
        "env.VLLM_HOST_IP=10.1.2.3",
    ]
    shown = vcompat("report", log, "--anonymize", *(word for one in stated for word in ("--set", one))).stdout
    host = re.findall(r"\| plan.vllm_server_host \| (&lt;host\d>) \|", shown)
    assert f"| plan.vllm_server_base_url | http://{host[0]}:8000/&lt;path> |" in shown
    assert "| env.VLLM_HOST_IP | &lt;ip1> |" in shown


def test_facts_of_the_runs_files_and_of_this_machine_are_added(log: str) -> None:
    Path("requirements.txt").write_text("trl==0.16.1\n")
    alone = vcompat("report", log).stdout
    assert "| trl | 0.16.1 |" not in alone and "| torch |" not in alone
    assert "| trl | 0.16.1 |" in vcompat("report", log, "--with", "requirements.txt").stdout
    shown = vcompat("report", log, "--here").stdout
    assert "| torch |" in shown and "| vllm | 0.7.2 |" in shown


def test_the_report_goes_to_a_file(log: str) -> None:
    answer = vcompat("report", log, "-o", "issue.md")
    assert (answer.code, answer.stdout) == (0, "")
    assert Path("issue.md").read_text() == vcompat("report", log).stdout
    failed = vcompat("report", log, "-o", "absent/issue.md")
    assert failed.code == 2 and len(failed.stderr.splitlines()) == 1


def test_without_a_log_the_facts_of_this_machine_are_printed() -> None:
    answer = vcompat("report", "--set", "packages.vllm=0.8.5")
    assert answer.code == 0
    assert answer.stdout.startswith("## Environment\n")
    assert "| vllm | 0.8.5 |" in answer.stdout
    assert "| torch |" in answer.stdout


def test_the_names_of_this_machine_and_its_user_are_replaced(log: str) -> None:
    name = socket.gethostname()
    Path(log).write_text(f"{LOG}[rank0]: of zqbob on {name}\n")
    shown = vcompat("report", log, "--anonymize", USER="zqbob").stdout
    assert "of <user" in shown
    assert f"on {name}" not in shown


def test_an_account_that_the_log_names_far_before_the_failure_is_replaced(log: str) -> None:
    login = "wandb: Currently logged in as: zqjane (zq-research). Use `wandb login --relogin` to force relogin\n"
    Path(log).write_text(
        login
        + "step\n" * 5000
        + LOG.replace("train.py", "zqjane.py").replace('secret")', 'secret")  # of zqjane in zq-research')
    )
    shown = vcompat("report", log, "--anonymize").stdout
    assert re.search(r"of <user\d> in <user\d>", shown)
    assert "zqjane" not in shown


@pytest.mark.parametrize("command", [("report",), ("diagnose", "--format", "markdown")])
def test_nothing_of_a_log_notifies_links_or_reverses_the_text(log: str, command: tuple[str, ...]) -> None:
    Path(log).write_text(
        'Traceback (most recent call last):\n  File "a.py", line 1, in b\n'
        "ValueError: @octocat of #1 [x](javascript:a) \u202eabc\u2066 \x07\x9b\n"
    )
    shown = vcompat(*command, log).stdout
    outside = re.sub(r"(?s)```.*?```", "", shown)
    assert not re.search(r"@\w|(?<!&)#\d|(?<!\\)\]\(", outside), outside
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x07\x80-\x9f]", shown)


def test_values_of_variables_with_keys_are_never_printed(log: str) -> None:
    shown = vcompat("report", log, "--set", "env.VLLM_API_KEY=abc123").stdout
    assert "abc123" not in shown
    assert "| env.VLLM_API_KEY | (hidden) |" in shown


def test_a_log_without_a_failure_is_reported_as_one(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("vllm==0.7.2\nstep 1\n")
    answer = vcompat("report", str(tmp_path / "log"))
    assert answer.code == 0
    assert answer.stdout.startswith("## No failure in the log\n")
    assert "Nothing known matches" in answer.stdout


def test_a_failure_that_only_metrics_show_is_what_the_report_is_about(tmp_path: Path) -> None:
    (tmp_path / "trainer_state.json").write_text(state(find(variant="not_synchronized", **BFLOAT16)))
    lines = vcompat("report", str(tmp_path), "--anonymize").stdout.splitlines()
    assert lines[0].startswith("## vLLM's log-probabilities start as the trainer's and move away")
    assert any(line.startswith("- metrics, certain: ") for line in lines)
    assert not any(line.startswith("Nothing known matches") for line in lines)


def test_the_report_names_the_package_with_the_last_frame_and_its_issues(log: str) -> None:
    line = "The last frame of an upstream package is in vllm: https://github.com/vllm-project/vllm/issues"
    assert line in vcompat("report", log).stdout.splitlines()


def test_other_processes_that_failed_are_counted(log: str) -> None:
    Path(log).write_text(LOG + LOG.replace("rank0", "rank1") + LOG.replace("rank0", "rank2"))
    shown = vcompat("report", log, "--anonymize").stdout
    assert "2 other processes failed, too." in shown


def test_a_failure_that_only_follows_is_reported_as_one(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(
        f'{LOG.splitlines()[1][9:]}\n  File "a.py", line 1\nRuntimeError: Engine core initialization failed.\n'
    )
    assert "The failure only follows from one in another process." in vcompat("report", str(tmp_path / "log")).stdout


def test_what_cannot_be_read_has_exit_code_2_and_one_line(tmp_path: Path) -> None:
    answer = process("report", "none.log", folder=tmp_path)
    assert (answer.code, answer.stdout) == (2, "")
    assert answer.stderr == "vcompat: none.log: No such file or directory; expected a log\n"


def test_standard_input_is_a_log(log: str) -> None:
    answer = bash(f"vcompat report - --anonymize < {log}", folder=Path.cwd())
    assert answer.code == 0
    assert answer.stdout.startswith(f"## {ERROR}\n")


def test_a_diagnosis_that_finds_nothing_names_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a log").write_text("Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'a'\n")
    monkeypatch.chdir(tmp_path)
    assert "To report it upstream: vcompat report 'a log' --anonymize" in vcompat("diagnose", "a log").stdout


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe\x00" * 10,
        bytes(range(256)) * 9,
        b"ValueError: \x00\x1b[31m\xff\n",
        b"Traceback (most recent call last):\n",
    ],
)
def test_the_command_is_over_without_a_traceback_whatever_the_bytes(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "log").write_bytes(data)
    answer = vcompat("report", str(tmp_path / "log"), "--anonymize")
    assert answer.code in (0, 2)
    assert "\x1b" not in answer.stdout
