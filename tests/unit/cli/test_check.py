"""The options of ``vcompat check``: what fails it, its reports, its baseline."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.unit.cli.command_line import SLEEPING, process, vcompat
from vcompat.facts.vocabulary import PACKAGES
from vcompat.report.parts.formats import FORMATS

CHECK = ["check", "--no-probe", "--no-config", *SLEEPING]
RULE = "sleep-level-2-loses-buffers"
#: Makes sleep-level-2-loses-buffers possible, and no finding certain.
POSSIBLE = ["check", "--no-probe", "--no-config", "--set", "packages.vllm=0.8.4", "--set", "packages.trl=0.18.0"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def findings(*arguments: str) -> dict[str, dict[str, Any]]:
    done = vcompat(*arguments, "--format", "json")
    assert done.stderr == ""
    return {finding["rule"]: finding for finding in json.loads(done.stdout)["findings"]}


def test_a_finding_in_json_has_all_that_a_program_needs() -> None:
    finding = findings(*CHECK)[RULE]
    assert finding["certainty"] == "certain"
    assert finding["severity"] == "error"
    assert finding["effect"] == "silent-corruption"
    assert finding["component"] == "vllm"
    assert {"fact": "packages.vllm", "value": "0.8.4", "source": "--set", "place": None} in finding["because"]
    assert finding["needs"] == []
    assert finding["fixed_by"] is None
    assert {fix["kind"] for fix in finding["fixes"]} >= {"version", "patch"}
    assert all(fix["do"] for fix in finding["fixes"])
    assert finding["references"]


def test_the_text_tells_what_happens_why_and_what_to_do() -> None:
    done = vcompat(*CHECK)
    assert (done.code, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "Checked what the command line states, with vllm 0.8.4, on unknown GPUs."
    assert lines[2].startswith("error: Level-2 sleep loses the model's buffers")
    labels = [line[:11].strip() for line in lines if line.startswith("  ") and line[2:11].strip() in
              ("effect", "because", "fix", "or", "more")]  # fmt: skip
    assert labels == ["effect", "because", "fix", "or", "or", "more"]
    for part in ("silently trains on wrong data", "packages.vllm = 0.8.4", 'pip install "vllm>=', "vcompat.patch()"):
        assert part in done.stdout
    assert lines[-1].startswith("1 error, ") and lines[-1].endswith(f" rules). Next: vcompat explain {RULE}")


def test_an_unknown_fact_makes_a_possible_finding_that_names_it() -> None:
    finding = findings(*POSSIBLE)[RULE]
    assert finding["certainty"] == "possible"
    assert [need["fact"] for need in finding["needs"]] == ["plan.vllm_sleep_level"]


def test_possible_findings_are_one_line_per_input_and_in_full_on_request() -> None:
    short, full = vcompat(*POSSIBLE), vcompat(*POSSIBLE, "--all")
    assert short.code == full.code == 0
    count = len(findings(*POSSIBLE))
    assert f"possible: {count} rules might apply, depending on what is not known" in short.stdout
    lines = [
        line for line in short.stdout.splitlines() if line[:2] == "  " and re.match(r"\d+ rules? depend", line[2:])
    ]
    assert sum(int(line.split()[0]) for line in lines) == count
    assert f"vcompat explain {RULE}" not in short.stdout
    assert f"vcompat explain {RULE}" in full.stdout
    assert full.stdout.count("possible: ") == count
    assert "not judged" in full.stdout and "not judged" not in short.stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--set", "packages.vllm=none", "--set", "packages.trl=none"], 0),
        (["--set", "packages.vllm=none", "--set", "packages.trl=none", "--strict", "--fail-on", "note"], 0),
        (SLEEPING, 1),
        ([*SLEEPING, "--fail-on", "warning"], 1),
        ([*SLEEPING, "--fail-on", "note"], 1),
        ([*SLEEPING, "--fail-on", "never"], 0),
        ([*SLEEPING, "--strict"], 1),
        ([*SLEEPING, "--strict", "--fail-on", "never"], 0),
    ],
)
def test_the_exit_code_follows_the_threshold(arguments: list[str], code: int) -> None:
    everything_else = [f"packages.{name}=none" for name in PACKAGES if name not in ("vllm", "trl")]
    given = [part for fact in everything_else for part in ("--set", fact)]
    assert vcompat("check", "--no-probe", "--no-config", *given, *arguments).code == code


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 0),
        (["--fail-on", "note"], 0),
        (["--strict"], 1),
        (["--strict", "--fail-on", "note"], 1),
        (["--strict", "--fail-on", "never"], 0),
        (["--all"], 0),
    ],
)
def test_possible_findings_fail_the_check_only_with_strict(arguments: list[str], code: int) -> None:
    assert vcompat(*POSSIBLE, *arguments).code == code


def test_the_exit_code_of_the_process_is_that_of_the_check() -> None:
    assert process(*CHECK).code == 1
    assert process(*CHECK, "--fail-on", "never").code == 0
    assert process(*POSSIBLE).code == 0
    assert process(*POSSIBLE, "--strict").code == 1


def test_several_reports_at_once(tmp_path: Path) -> None:
    done = vcompat(
        *CHECK, "--format", "sarif", "-o", "a.sarif", "-o", "b.xml", "--format", "github", "--format", "text",
        "--format", "json", "--output", "c.txt",
    )  # fmt: skip
    assert (done.code, done.stderr) == (1, "")
    assert done.stdout.startswith("::") and "Checked what the command line states" in done.stdout
    assert json.loads((tmp_path / "a.sarif").read_text())["version"] == "2.1.0"
    assert ElementTree.parse(tmp_path / "b.xml").getroot().tag == "testsuites"
    assert json.loads((tmp_path / "c.txt").read_text())
    assert "\x1b" not in (tmp_path / "a.sarif").read_text()


@pytest.mark.parametrize(("name", "ending"), [(name, ending) for name, ending in FORMATS.items() if ending])
def test_the_ending_of_a_file_selects_its_format(tmp_path: Path, name: str, ending: str) -> None:
    done = vcompat(*CHECK, "-o", f"report{ending}", "-o", f"loud{ending.upper()}")
    assert (done.code, done.stdout) == (1, ""), "only what was asked for is printed"
    printed = vcompat(*CHECK, "--format", name).stdout
    assert (tmp_path / f"report{ending}").read_text() == printed
    assert (tmp_path / f"loud{ending.upper()}").read_text() == printed


STRUCTURED = [name for name in FORMATS if name not in ("text", "github")]


@pytest.mark.parametrize("name", STRUCTURED)
@pytest.mark.parametrize("other", ["text", "github", "json"])
def test_a_structured_format_does_not_share_standard_output(name: str, other: str) -> None:
    done = vcompat(*CHECK, "--format", name, "--format", other)
    assert (done.code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"--format {name} and --format {other} would share standard output" in done.stderr


@pytest.mark.parametrize("name", STRUCTURED)
def test_a_structured_format_may_be_printed_beside_written_ones(tmp_path: Path, name: str) -> None:
    alone = vcompat(*CHECK, "--format", name)
    assert alone.code == 1
    done = vcompat(*CHECK, "--format", "text", "-o", "a.txt", "--format", name, "--format", "github", "-o", "b.txt")
    assert done == alone


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ["-o", "report.docx"],
            "-o report.docx: the file's ending selects no format; expected --format before it: text, json",
        ),
        (["-o", ""], "the file's ending selects no format"),
        (["-o", "nowhere/report.json"], "nowhere/report.json: cannot be written: No such file or directory"),
        (["--format", "json", "-o", "."], "cannot be written"),
        (["-o"], "check: Option '-o' requires an argument"),
        (["--format", "yaml"], "check: Invalid value for '--format': 'yaml' is not one of"),
        (["--write-baseline", "nowhere/known.json"], "nowhere/known.json: cannot be written"),
        (["--baseline", "nowhere.json"], "nowhere.json: No such file"),
    ],
)
def test_a_report_that_cannot_be_written_is_refused(arguments: list[str], complaint: str) -> None:
    done = vcompat(*CHECK, *arguments)
    assert (done.code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert complaint in done.stderr


def test_a_baseline_without_a_file_is_that_of_the_project_or_the_usual_one(tmp_path: Path) -> None:
    done = vcompat(*CHECK, "--write-baseline")
    assert done.code == 0 and done.stdout.startswith("Wrote vcompat-baseline.json with ")
    assert vcompat(*CHECK, "--baseline", "vcompat-baseline.json").code == 0
    assert vcompat(*CHECK).code == 1
    (tmp_path / "vcompat.toml").write_text('baseline = "ours.json"\n')
    configured = [word for word in CHECK if word != "--no-config"]
    assert vcompat(*configured, "--write-baseline").stdout.startswith("Wrote ours.json with ")
    assert vcompat(*configured).code == 0
    assert vcompat(*configured, "--write-baseline", "--format", "json").stdout.startswith("Wrote ours.json with ")


def test_a_run_file_behind_write_baseline_is_not_overwritten(tmp_path: Path) -> None:
    script = "GRPOConfig(use_vllm=True)\n"
    (tmp_path / "train.py").write_text(script)
    done = vcompat(*CHECK, "--write-baseline", "train.py")
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr == (
        "vcompat: --write-baseline train.py: exists and is not a baseline; expected a new file, or a baseline to replace\n"
    )
    assert (tmp_path / "train.py").read_text() == script
    assert vcompat(*CHECK, "train.py", "--write-baseline").code == 0


def test_an_empty_name_writes_no_baseline() -> None:
    assert vcompat(*CHECK, "--write-baseline", "").code == 2


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_name_that_is_not_text_is_in_every_report(tmp_path: Path, name: str) -> None:
    script = b"caf\xe9 \xff.py".decode("utf-8", "surrogateescape")
    Path(script).write_text("GRPOConfig(use_vllm=True, vllm_mode='colocate', vllm_enable_sleep_mode=True)\n")
    done = process(
        "check", "--no-probe", "--set", "packages.trl=1.9.0", script, "--format", name, "-o", "report",
        "--format", name, folder=tmp_path,
    )  # fmt: skip
    assert (done.code, done.stderr) == (1, "")
    shown = "caf%E9%20%FF.py" if name == "sarif" else "caf"
    assert shown in (tmp_path / "report").read_text(encoding="utf-8")
    assert shown in done.stdout
