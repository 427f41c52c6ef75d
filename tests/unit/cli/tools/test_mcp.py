"""`vcompat mcp`, as a real process that the SDK's own client starts."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from vcompat.cli.tools.confined import OUTSIDE
from vcompat.cli.tools.tool_call import LONGEST, bounded
from vcompat.foundation.errors import InputError

mcp = pytest.importorskip("mcp", reason="needs the extra 'mcp'")

ROOT = Path(__file__).resolve().parents[4]
SCRIPT = (
    "from trl import GRPOConfig, GRPOTrainer\n"
    "args = GRPOConfig(use_vllm=True, vllm_mode='colocate', vllm_enable_sleep_mode=True)\n"
    "GRPOTrainer(model='Qwen/Qwen2.5-0.5B', args=args).train()\n"
)
#: The settings are in a file beside the folder of the server.
ELSEWHERE = (
    "import yaml\nfrom trl import GRPOConfig, GRPOTrainer\n"
    "args = GRPOConfig(**yaml.safe_load(open('../outside/settings.yaml')))\nGRPOTrainer(args=args).train()\n"
)
LOG = "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0.\n"


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """The folder of the server, beside one that it must not read, below one that has a list of packages."""
    folder, outside = tmp_path / "given", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (tmp_path / "requirements.txt").write_text("trl==1.9.0\n")
    for name, text in {"settings.yaml": "num_generations: 7\n", "secret.py": SCRIPT, "secret.log": LOG}.items():
        (outside / name).write_text(text)
    for name, text in {"train.py": SCRIPT, "elsewhere.py": ELSEWHERE, "train.log": LOG}.items():
        (folder / name).write_text(text)
    (folder / "link.py").symlink_to(outside / "secret.py")
    return folder


def environment() -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("VCOMPAT", "VLLM_", "CUDA_"))}
    return kept | {"PYTHONPATH": str(ROOT), "COLUMNS": "100", "PYTHONUTF8": "1"}


def ask(folders: list[Path], *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """Start the server, list its tools, and call some; return the list and the results."""

    async def talk() -> list[Any]:
        words = ["-m", "vcompat", "mcp", *map(str, folders)]
        server = mcp.StdioServerParameters(command=sys.executable, args=words, env=environment())
        async with mcp.Client(server, read_timeout_seconds=120) as client:
            tools = (await client.list_tools()).tools
            return [tools, *[await client.call_tool(name, arguments) for name, arguments in calls]]

    return asyncio.run(talk())


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vcompat", *words],
        cwd=folder, env=environment(), capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


def test_each_tool_answers_what_its_command_prints(given: Path) -> None:
    (given.parent / "requirements.txt").unlink()
    files = {"files": ["train.py"]}
    pairs: list[tuple[str, dict[str, Any], list[str]]] = [
        (
            "check",
            files | {"target": "8xH100", "settings": {"packages.trl": "1.9.0"}},
            ["train.py", "--no-probe", "--target", "8xH100", "--set", "packages.trl=1.9.0"],
        ),
        (
            "plan",
            {"command": "torchrun --nproc_per_node 2 train.py"},
            "-- torchrun --nproc_per_node 2 train.py".split(),
        ),
        ("diagnose", {"logs": ["train.log"], "format": "json"}, ["train.log", "--format", "json"]),
        ("explain", {"rule": "sleep-crashes-at-exit"}, ["sleep-crashes-at-exit"]),
        ("resolve", {"gpu": "9.0", "files": ["train.py"]}, ["--gpu", "9.0", "--plan", "train.py"]),
        (
            "upgrade",
            files | {"to": ["trl==1.16.0"], "present": ["trl==1.0.0"]},
            ["train.py", "--no-probe", "--to", "trl==1.16.0", "--from", "trl==1.0.0"],
        ),
    ]
    tools, *results = ask([given], *[(name, arguments) for name, arguments, _ in pairs])
    assert [tool.name for tool in tools] == [name for name, *_ in pairs]
    for tool, (name, _, words), result in zip(tools, pairs, results, strict=True):
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert tool.description and tool.annotations.read_only_hint
        answer = result.structured_content
        jsonschema.validate(answer, tool.output_schema)
        shown = command(given, name, *words)
        assert (answer["exit_code"], answer["report"]) == (shown.returncode, shown.stdout), name
        assert answer["lines_left_out"] == 0


def test_a_log_can_be_handed_over_as_text(given: Path) -> None:
    _, result = ask([given], ("diagnose", {"text": LOG, "settings": {"gpu.compute_capability": "7.0"}}))
    assert "cause: vLLM refuses bfloat16" in result.structured_content["report"]


def test_files_outside_of_the_folders_are_not_read(given: Path) -> None:
    outside = given.parent / "outside"
    named: list[tuple[str, dict[str, Any]]] = [
        ("check", {"files": [str(outside / "secret.py")]}),
        ("check", {"files": ["../outside/secret.py"]}),
        ("plan", {"files": ["link.py"]}),
        ("check", {"files": ["train.py"], "target": str(outside / "settings.yaml")}),
        ("check", {"env": "../requirements.txt"}),
        ("check", {"facts": ["../outside/settings.yaml"]}),
        ("diagnose", {"logs": [str(outside)]}),
        ("resolve", {"target": "8xH100", "files": ["link.py"]}),
        ("upgrade", {"to": ["trl==1.16.0"], "env": "../requirements.txt"}),
    ]
    for (name, arguments), result in zip(named, ask([given], *named)[1:], strict=True):
        assert result.is_error, (name, arguments)
        (content,) = result.content
        assert OUTSIDE in content.text and "\n" not in content.text, (name, arguments)


def test_what_a_run_file_names_outside_of_the_folders_is_not_read_either(given: Path) -> None:
    calls = [
        ("plan", {"files": ["elsewhere.py"]}),
        ("plan", {"command": "sh -c '. ../outside/secret.py; python train.py'"}),
        ("check", {"files": ["train.py"]}),
    ]
    _, plan, sourced, check = ask([given], *calls)
    assert plan.is_error and f"vcompat plan: ../outside/settings.yaml: {OUTSIDE}; expected" in plan.content[0].text
    # The command is followed as if the sourced file were not there.
    assert not sourced.is_error and "train.py" in sourced.structured_content["report"]
    assert "trl 1.9.0" not in check.structured_content["report"]
    # With the folder above, all of it is read.
    calls = [("plan", {"files": ["given/elsewhere.py"]}), ("check", {"files": ["given/train.py"]})]
    _, plan, check = ask([given.parent], *calls)
    assert re.search(r"^plan.num_generations +7 ", plan.structured_content["report"], re.MULTILINE)
    assert "trl 1.9.0" in check.structured_content["report"]


def test_bad_input_is_an_error_of_one_line(given: Path) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("check", {"files": ["absent.py"]}),
        ("check", {"settings": {"no.such": "1"}}),
        ("check", {"files": "train.py"}),
        ("check", {"files": ["--write-baseline"]}),
        ("diagnose", {}),
        ("explain", {"rule": "--help"}),
        ("resolve", {}),
        ("upgrade", {"to": []}),
        ("plan", {}),
    ]
    for (name, arguments), result in zip(calls, ask([given], *calls)[1:], strict=True):
        assert result.is_error, (name, arguments, result)
        (content,) = result.content
        assert content.text and "\n" not in content.text and "Traceback" not in content.text
    assert not list(given.glob("*baseline*"))


def test_an_answer_is_bounded() -> None:
    report = "a line of a report\n" * 5000
    answer = bounded(1, report, is_whole=False)
    assert len(answer["report"]) <= LONGEST and report.startswith(answer["report"])
    assert answer["report"].count("\n") + answer["lines_left_out"] == 5000
    with pytest.raises(InputError, match="characters; expected text, or at most"):
        bounded(0, report, is_whole=True)
    assert bounded(0, "short\n", is_whole=True)["report"] == "short\n"


TRIES = """
import os, socket, subprocess, sys
from vcompat.cli.tools.tool_call import prepare
prepare(sys.argv[1:]).begin()
def tried(what, do):
    try:
        do()
    except PermissionError as error:
        print(what, 'refused:', error.strerror)
    else:
        print(what, 'done')
tried('read', lambda: open('train.py').read())
tried('list', lambda: os.listdir('.'))
tried('import', lambda: __import__('colorsys'))
tried('read outside', lambda: open('../outside/secret.py').read())
tried('read a link', lambda: open('link.py').read())
tried('read with os', lambda: os.open('../outside/secret.py', os.O_RDONLY))
tried('list outside', lambda: os.listdir('../outside'))
tried('scan outside', lambda: list(os.scandir('..')))
tried('write', lambda: open('new', 'w'))
tried('write with os', lambda: os.open('train.py', os.O_RDWR))
tried('remove', lambda: os.remove('train.py'))
tried('start', lambda: subprocess.run(['true']))
tried('fork', os.fork)
tried('connect', lambda: socket.create_connection(('127.0.0.1', 9), 1))
"""


def test_the_process_reads_below_its_folders_and_does_nothing_else(given: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TRIES, str(given)], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:3] == ["read done", "list done", "import done"]
    assert len(lines) == 14 and all(" refused: " in line for line in lines[3:]), lines
    assert not (given / "new").exists() and (given / "train.py").exists()


def test_a_folder_that_is_missing_and_an_sdk_that_is_not_installed_are_one_line(given: Path) -> None:
    done = command(given, "mcp", "absent")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "vcompat: absent: not a folder; expected a folder with run files or logs\n"
    code = "import sys; sys.modules['mcp'] = None; from vcompat.cli.program import main; sys.exit(main(['mcp', '.']))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=given, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "is not installed; expected pip install 'vcompat[mcp]'" in done.stderr
