"""Errors as one line and exit code 2, help, and what a command imports."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.unit.cli.command_line import process, vcompat
from vcompat.cli.program import COMMANDS, MODULES

ONE_LINE = [
    (["check", "--no-probe", "--set", "packages.vlm=1"], "unknown fact 'packages.vlm'; expected 'packages.vllm'"),
    (["check", "--no-probe", "--set", "plan.vllm_mod=x"], "unknown fact 'plan.vllm_mod'; expected 'plan.vllm_mode'"),
    (["check", "--no-probe", "--set", "packages.vllm=zero"], "'zero' for packages.vllm is not a version"),
    (["check", "--no-probe", "--set", "packages.vllm"], "no '='; expected FACT=VALUE"),
    (["check", "--no-probe", "--set", "="], "unknown fact ''"),
    (["check", "--no-probe", "nowhere.py"], "nowhere.py: No such file"),
    (["check", "--no-probe", ""], "No such file"),
    (["check", "--no-probe", "--", "--what.py"], "--what.py: No such file"),
    (["check", "--no-probe", "syntax.py"], "syntax.py:1: not valid Python"),
    (["check", "--no-probe", "binary.py"], "binary.py: contains binary data"),
    (["check", "--no-probe", "/dev/zero"], "/dev/zero: not a regular file"),
    (["check", "--no-probe", "--facts", "truncated.json"], "truncated.json:1: not valid JSON"),
    (["check", "--no-probe", "--facts", "list.json"], "list.json: not a JSON object"),
    (["check", "--no-probe", "--facts", "binary.py"], "not UTF-8 text"),
    (["check", "--no-probe", "--facts", "unknown.json"], "unknown.json: facts.packages.vlm: unknown fact"),
    (["check", "--no-probe", "--facts", "deep.json"], "deep.json"),
    (["check", "--no-probe", "--target", "8xX9"], "--target 8xX9: unknown GPU 'X9'"),
    (["check", "--config", "nowhere.toml"], "nowhere.toml: No such file"),
    (["check", "--format", "yaml"], "check: Invalid value for '--format': 'yaml' is not one of 'text', 'json'"),
    (["check", "--fail-on", "doom"], "check: Invalid value for '--fail-on': 'doom' is not one of 'error', 'warning'"),
    (["check", "--color", "blue"], "check: Invalid value for '--color': 'blue' is not one of"),
    (["check", "--set"], "check: Option '--set' requires an argument (see `vcompat check --help`)"),
    (["check", "--strict=yes"], "check: Option '--strict' does not take a value"),
    (["check", "-xyz"], "check: No such option"),
    (["check", "--only-certain"], "check: No such option"),
    (["explain", "no-such-rule"], "there is no rule 'no-such-rule'"),
    (["explain", "sleep-level-2-lose-buffers"], "expected 'sleep-level-2-loses-buffers'"),
    (["explain"], "explain: Missing argument 'RULE'"),
    (["explain", "one", "two"], "explain: Got unexpected extra argument (two)"),
    (["plan"], "plan: Missing argument 'RUN FILES...'"),
    (["facts", "plan.vllm_mod"], "unknown fact 'plan.vllm_mod'; expected 'plan.vllm_mode'"),
    (["facts", "env.lower"], "'env.lower' is not a variable that vcompat looks at"),
    (["support", "numpy"], "'numpy' is not one of 'accelerate', 'bitsandbytes'"),
    (["patches", "--against", "numpy==1"], "no patch changes 'numpy'"),
    (["rules", "--component", "nothing"], "rules: Invalid value for '--component': 'nothing' is not one of 'vllm'"),
    (["rules", "verfy"], "rules: no command 'verfy'; expected 'verify'"),
    (["rules", "verify", "--offline", "--update"], "--sources, --offline and --update exclude each other"),
    (["resolve", "--gpu", "V100"], "--gpu V100: not a compute capability; expected one such as 7.0"),
    (["resolve", "--gpu", ""], "not a compute capability"),
    (["resolve", "--python", "three"], "--python three: not a version"),
    (["chekc"], "no command 'chekc'; expected 'check'"),
    ([""], "no command ''; expected check, fix"),
    (["--what"], "No such option"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "syntax.py").write_text("def f(:\n")
    (tmp_path / "binary.py").write_bytes(b"\x7fELF\0\xff\xfe")
    (tmp_path / "truncated.json").write_text('{"facts": {"packages.vllm": "0.8')
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "unknown.json").write_text('{"facts": {"packages.vlm": "0.8"}}')
    (tmp_path / "deep.json").write_text("[" * 100_000)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("arguments", "complaint"), ONE_LINE)
def test_input_that_cannot_be_used_gets_one_line_and_exit_code_2(
    folder: Path, arguments: list[str], complaint: str
) -> None:
    done = vcompat(*arguments)
    assert (done.code, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("vcompat: ")
    assert not done.stderr.startswith("vcompat: vcompat"), "the program is named once"


@pytest.mark.parametrize(
    "arguments", [["check", "nowhere.py"], ["check", "--what"], ["chekc"], ["check", b"caf\xe9.py"]]
)
def test_a_process_that_gets_unusable_input_exits_with_code_2(tmp_path: Path, arguments: list[str | bytes]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "vcompat", *arguments], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        (["check", "--formt", "json"], "--format"),
        (["check", "--gpu", "8xH100"], "--target"),
        (["check", "--gpus", "8xH100"], "--target"),
        (["resolve", "--allow-patch"], "--allow-patched"),
    ],
)
def test_a_mistyped_option_gets_a_suggestion(arguments: list[str], suggestion: str) -> None:
    done = vcompat(*arguments)
    assert done.code == 2
    assert "Did you mean" in done.stderr and suggestion in done.stderr


def test_an_error_about_a_file_cannot_steer_the_terminal() -> None:
    done = vcompat("check", "--no-probe", "\x1b[31mred\rx.py")
    assert done.code == 2
    assert "\\x1b[31mred x.py: No such file" in done.stderr
    assert "\x1b" not in done.stderr


def test_without_a_command_the_help_is_printed() -> None:
    assert vcompat() == vcompat("--help")
    assert vcompat().code == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_names_every_command_and_each_has_its_own(command: str) -> None:
    assert f"  {command} " in vcompat("--help").stdout
    done = vcompat(command, "--help")
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: vcompat {command} ")
    assert vcompat(command, "-h") == done


def test_the_help_of_check_names_its_options() -> None:
    shown = vcompat("check", "--help").stdout
    options = "--set --facts --no-probe --format --output --fail-on --strict --all --baseline --write-baseline --color"
    assert [option for option in options.split() if option not in shown] == []


def test_the_version_is_printed() -> None:
    from vcompat import __version__

    assert vcompat("--version") == (0, f"vcompat {__version__}\n", "")


def test_a_current_folder_that_was_removed_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert vcompat("check", "--no-probe") == (2, "", "vcompat: the current folder: No such file or directory\n")


def test_an_interrupt_is_one_line_and_exit_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(thorough: bool) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("vcompat.cli.check.load_rules", interrupt)
    done = vcompat("check")
    assert (done.code, done.stdout, done.stderr.strip()) == (130, "", "vcompat: interrupted")


@pytest.mark.parametrize("attribute", ["NoArgsIsHelpError"])
def test_the_command_line_works_with_a_click_that_lacks_newer_errors(attribute: str) -> None:
    program = (
        f"import sys, click; vars(click.exceptions).pop({attribute!r}, None); "
        "from vcompat.cli.program import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "check", "--what"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_a_report_of_probe_gives_the_same_findings_elsewhere(tmp_path: Path) -> None:
    saved = tmp_path / "machine.json"
    saved.write_text(process("probe").stdout)
    here = json.loads(process("check", "--format", "json").stdout)
    there = json.loads(process("check", "--no-probe", "--facts", str(saved), "--format", "json").stdout)
    assert [f["rule"] for f in there["findings"]] == [f["rule"] for f in here["findings"]]
    assert there["facts"] == here["facts"]


def test_a_secret_in_the_environment_is_not_printed() -> None:
    report = process("probe", VLLM_API_KEY="hunter2").stdout
    assert "hunter2" not in report
    assert "env.VLLM_API_KEY" in report


@pytest.mark.skipif(find_spec("torch") is None, reason="without torch, vLLM and TRL every import of them fails")
@pytest.mark.parametrize(
    "command",
    [
        ["check"],
        ["probe"],
        ["check", "examples/train_grpo_colocate.py"],
        ["explain", "sleep-level-2-loses-buffers"],
        ["facts"],
        ["plan", "examples/train_grpo_colocate.py"],
    ],
)
def test_a_diagnosis_imports_no_upstream_package(command: list[str]) -> None:
    program = (
        "import sys; from vcompat.cli.program import main; main(sys.argv[1:]); "
        "print(sorted({'torch', 'vllm', 'trl', 'transformers', 'numpy'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program, *command], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"
    facts = json.loads(process("probe").stdout)["facts"]
    assert facts["packages.torch"]
    assert facts["packages.vllm"]


def test_a_check_imports_only_the_command_and_the_format_that_it_uses() -> None:
    program = (
        "import sys; from vcompat.cli.program import main; main(['check', '--no-probe']); "
        "print(*sorted(name for name in sys.modules if name.startswith(('vcompat.cli.', 'vcompat.report.'))), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert {"vcompat.cli.check", "vcompat.report.checks.text"} <= loaded
    unused = {module for name, module in MODULES.items() if name != "check"}
    unused |= {f"vcompat.report.checks.{name}" for name in ("json", "sarif", "junit", "github", "markdown", "html")}
    assert loaded & unused == set()


def test_patch_imports_no_upstream_package() -> None:
    program = "import sys, vcompat; vcompat.patch(); print(sorted({'torch', 'vllm', 'trl', 'transformers'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_rules_patches_and_explain_agree() -> None:
    rules = vcompat("rules").stdout
    patches = vcompat("patches").stdout
    assert "sleep-level-2-loses-buffers" in rules
    assert "vllm_restore_sleep_buffers" in patches
    explained = vcompat("explain", "sleep-level-2-loses-buffers").stdout
    assert "vllm_restore_sleep_buffers" in explained
