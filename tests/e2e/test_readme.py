"""Every block of the README and of the pages in docs/ runs as printed, and prints what it shows."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import tomli

from tests.e2e.figures import figures, scored
from tests.e2e.readme import (
    FACTS,
    FIGURES,
    PAGES,
    PICTURES,
    README,
    ROOT,
    Command,
    blocks,
    commands,
    drawn,
    facts_page,
    prepare,
    run,
)
from vcompat.cli.program import COMMANDS
from vcompat.evaluation.config import read_config
from vcompat.report.parts.formats import FORMATS
from vcompat.rules.database import load_rules
from vcompat.rules.rule import parse_rule
from vcompat.sources.targets.target import read_target

DOCS = ROOT / "docs"
#: What describes the project, besides the changelog.
DESCRIBING = [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]
EVERY = list(commands())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    prepare(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", EVERY, ids=[command.line for command in EVERY])
def test_a_command_runs_as_printed_and_prints_what_is_shown(command: Command, folder: Path) -> None:
    words = shlex.split(command.line, comments=True)
    if words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
        return
    if words[0] == "pip":
        # What it installs is tested with the wheel; here, that the clone has what the command names.
        assert words[1:] == ["install", "."] and (ROOT / "pyproject.toml").is_file()
        return
    if words[1:2] == ["fix"] or "--write-baseline" in words or words[-1] == "github":
        project(folder)
    done = run(command.line, folder)
    assert done.stderr == ""
    assert done.returncode in (0, 1)
    if command.shown:
        assert done.stdout == command.shown


def project(folder: Path) -> None:
    """The folder with the settings of docs/ci.md, whose baseline is written first."""
    (settings,) = [block for block in blocks("toml") if "[tool.vcompat]" in block]
    (folder / "pyproject.toml").write_text(settings)
    assert run("vcompat check --write-baseline", folder).returncode == 0


def test_the_settings_run_as_printed(folder: Path) -> None:
    project(folder)
    done = run("vcompat check", folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "in the baseline" in done.stdout
    config = read_config(str(folder / "pyproject.toml"))
    assert config.suppressions[0].rule in {rule.id for rule in load_rules()}


def test_a_python_block_runs_as_printed(folder: Path) -> None:
    for block in blocks("python"):
        if "import vcompat" in block:
            done = subprocess.run(
                [sys.executable, "-c", block], cwd=folder, capture_output=True, text=True, check=False
            )
            assert (done.returncode, done.stderr) == (0, "")


def test_with_the_patch_the_same_check_lists_everything_as_fixed(folder: Path) -> None:
    script = folder / "train.py"
    script.write_text("import vcompat\n\nvcompat.patch()\n" + script.read_text())
    done = run("vcompat check train.py --no-probe --facts examples/machine.json", folder)
    assert done.returncode == 0
    assert "2 fixed by patches" in done.stdout


def test_the_profile_is_a_target(folder: Path) -> None:
    facts = read_target(str(folder / "cluster.toml"))
    assert (facts.value("plan.num_machines"), facts.value("gpu.count")) == (4, 8)


def test_the_change_is_the_one_that_fix_makes(folder: Path) -> None:
    (shown,) = blocks("diff")
    old = "".join(line[1:] for line in shown.splitlines(keepends=True) if line[0] != "+")
    (folder / "train.py").write_text(old)
    releases = "--set packages.trl=1.9.0 --set packages.vllm=0.24.0"
    assert shown in run(f"vcompat fix train.py --target 8xH100 --no-probe {releases}", folder).stdout


def test_the_formats_and_commands_are_those_that_exist() -> None:
    assert set(re.findall(r"^\| `(\w+)` \| ", (DOCS / "ci.md").read_text(encoding="utf-8"), re.MULTILINE)) == set(
        FORMATS
    )
    named = {line.split()[1] for line in (command.line for command in EVERY) if line.startswith("vcompat ")}
    assert named <= set(COMMANDS)
    assert {"check", "fix", "plan", "explain", "rules", "facts", "resolve", "init"} <= named


def test_the_figures_are_those_that_are_counted() -> None:
    shown = re.findall(r"^\| (.+) \| ([\d.]+(?: MB)?) \|$", FIGURES.read_text(encoding="utf-8"), re.MULTILINE)
    # The numbers may be older than the newest rule.
    assert [name for name, _ in shown] == list(figures())


def test_no_lead_of_a_reported_traceback_is_wrong() -> None:
    assert scored()["wrong"] == 0


def test_no_prose_counts_rules() -> None:
    counted = re.compile(r"\b\d+ (?:of the \d+ )?(?:rules|known failures)\b|\b\d+ patches\b")
    # The measured times are of a number of rules.
    for page in [page for page in (*DESCRIBING, ROOT / "CHANGELOG.md") if page != FIGURES]:
        prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        assert counted.findall(prose) == [], page.name


def test_the_list_of_facts_is_the_one_that_is_printed(folder: Path) -> None:
    assert FACTS.read_text(encoding="utf-8") == facts_page(folder)


def test_the_rule_in_the_contributors_guide_is_a_rule() -> None:
    (text,) = [block for block in blocks("toml", (ROOT / "CONTRIBUTING.md").read_text()) if block.startswith("id =")]
    table = tomli.loads(text)
    assert parse_rule(table, table["id"], "CONTRIBUTING.md").fixes


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_a_picture_shows_what_its_command_prints(path: Path, folder: Path) -> None:
    assert path.read_text(encoding="utf-8") == drawn(PICTURES[path], folder)
    assert f"]({path.relative_to(ROOT)})" in README.read_text(encoding="utf-8")


def test_the_readme_is_short_and_leads_to_every_page() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 200
    linked = set(re.findall(r"\]\((docs/[\w-]+\.md)", text))
    # How data flows inside is for contributors: ARCHITECTURE.md links to it.
    assert {f"docs/{page.name}" for page in PAGES if page != README} - linked == {"docs/internals.md"}


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", DESCRIBING, ids=lambda page: page.name)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    broken = []
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)", text):
        path, _, anchor = link.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            broken.append(link)
    assert broken == []
