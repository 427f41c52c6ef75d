"""What a release and an issue are made of: forms, fragments of the changelog, the workflow that publishes."""

from __future__ import annotations

import copy
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import tomli
import yaml

from tests.e2e.readme import prepare, run
from tests.unit.report.schemas import stored
from vcompat.foundation.version import __version__

ROOT = Path(__file__).resolve().parents[2]
FORMS = sorted(path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")
REPORT = re.compile(r"^vcompat report .*--anonymize.*$", re.MULTILINE)


def definition(name: str) -> Any:
    # YAML 1.1, which PyYAML reads, takes the key `on` for true.
    found = yaml.safe_load((ROOT / ".github" / name).read_text(encoding="utf-8"))
    return {"on" if key is True else key: value for key, value in found.items()}


def keeps_to(schema: str, found: Any) -> None:
    described = stored(f"https://json.schemastore.org/{schema}.json")
    jsonschema.validators.validator_for(described)(described).validate(found)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
def test_an_issue_form_keeps_to_its_schema_and_asks_for_the_anonymous_report(form: Path) -> None:
    found = definition(f"ISSUE_TEMPLATE/{form.name}")
    keeps_to("github-issue-forms", found)
    asked = [part["attributes"]["label"] for part in found["body"] if "id" in part]
    assert "Output of `vcompat report --anonymize`" in asked
    ids = [part["id"] for part in found["body"] if "id" in part]
    assert len(ids) == len(set(ids))


def test_the_chooser_of_issues_keeps_to_its_schema() -> None:
    keeps_to("github-issue-config", definition("ISSUE_TEMPLATE/config.yml"))


def test_the_reports_that_forms_ask_for_are_printed_as_they_say(tmp_path: Path) -> None:
    prepare(tmp_path)
    lines = [line.strip() for form in FORMS for line in REPORT.findall(form.read_text().replace("        ", ""))]
    assert len(lines) == 2
    for line in lines:
        done = run(line, tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        # "The last line has the version of vcompat."
        assert (tmp_path / "report.md").read_text().splitlines()[-1] == f"vcompat {__version__}"


def test_the_release_workflow_keeps_to_its_schema_and_only_its_own_jobs_get_tokens() -> None:
    found = definition("workflows/release.yml")
    # The stored schema is older than this permission.
    known = copy.deepcopy(found)
    assert known["jobs"]["build"]["permissions"].pop("attestations") == "write"
    keeps_to("github-workflow", known)
    assert found["permissions"] == {"contents": "read"}
    rights = {name: job.get("permissions", {}) for name, job in found["jobs"].items()}
    # Trusted publishing and attestations need a token of the identity provider; no password is stored.
    assert rights["pypi"] == {"id-token": "write"} and found["jobs"]["pypi"]["environment"]["name"] == "pypi"
    assert rights["build"] == {"contents": "read", "id-token": "write", "attestations": "write"}
    used = [step["uses"] for job in found["jobs"].values() for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+|pypa/gh-action-pypi-publish@release/v1", name) for name in used)
    secrets = re.findall(r"secrets\.\w+", (ROOT / ".github/workflows/release.yml").read_text())
    assert set(secrets) == {"secrets.GITHUB_TOKEN"}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What the first step of the release reads, without the fragments of changes since the last release."""
    (tmp_path / "vcompat" / "foundation").mkdir(parents=True)
    shutil.copy(ROOT / "vcompat" / "foundation" / "version.py", tmp_path / "vcompat" / "foundation")
    for name in ("CHANGELOG.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "changes").mkdir()
    shutil.copy(ROOT / "changes" / "README.md", tmp_path / "changes")
    return tmp_path


def first_step(checkout: Path, tag: str) -> subprocess.CompletedProcess[str]:
    (step,) = [
        step for step in definition("workflows/release.yml")["jobs"]["build"]["steps"] if "tag" in step.get("name", "")
    ]
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
        cwd=checkout, env={**os.environ, "GITHUB_REF_NAME": tag}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_release_has_the_notes_of_its_version(checkout: Path) -> None:
    done = first_step(checkout, f"v{__version__}")
    assert (done.returncode, done.stderr) == (0, "")
    notes = (checkout / "notes" / "notes.md").read_text()
    section = (checkout / "CHANGELOG.md").read_text().partition(f"\n## {__version__} - ")[2].partition("\n## ")[0]
    assert notes.strip() == section.partition("\n")[2].strip() != ""


def test_a_release_without_its_section_or_with_fragments_or_another_tag_is_refused(checkout: Path) -> None:
    assert "the tag v9.9.9 is not " in first_step(checkout, "v9.9.9").stderr
    (checkout / "changes" / "+one.rule.md").write_text("A rule.\n")
    assert "changes/ has fragments" in first_step(checkout, f"v{__version__}").stderr
    (checkout / "changes" / "+one.rule.md").unlink()
    log = checkout / "CHANGELOG.md"
    log.write_text(log.read_text().replace(f"## {__version__} - ", "## 0.0.9 - "))
    done = first_step(checkout, f"v{__version__}")
    assert done.returncode == 1 and "CHANGELOG.md has no section" in done.stderr


def test_fragments_become_a_section_above_the_last_one(checkout: Path) -> None:
    (checkout / "changes" / "+one.rule.md").write_text("A rule about `x`.\n")
    (checkout / "changes" / "+two.fixed.md").write_text("An error\nof two lines.\n")
    old = (checkout / "CHANGELOG.md").read_text()
    command = [sys.executable, "-m", "towncrier", "build", "--yes", "--version", "9.0.0", "--date", "2031-02-03"]
    subprocess.run(command, cwd=checkout, check=True, capture_output=True)
    head, mark, rest = old.partition("<!-- changes -->\n")
    new = (checkout / "CHANGELOG.md").read_text()
    assert mark and new.startswith(head + mark) and new.endswith(rest.lstrip())
    added = new.removeprefix(head + mark).removesuffix(rest.lstrip()).split()
    assert " ".join(added) == ("## 9.0.0 - 2031-02-03 ### Rules - A rule about `x`. ### Fixed - An error of two lines.")
    assert sorted(path.name for path in (checkout / "changes").iterdir()) == ["README.md"]


def test_each_fragment_has_a_type_that_the_page_explains() -> None:
    table = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]
    types = {kind["directory"] for kind in table["type"]}
    text = (ROOT / "changes" / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == types
    names = [path.name for path in (ROOT / "changes").iterdir() if path.name != "README.md"]
    assert [name for name in names if not re.fullmatch(rf"\+[\w-]+\.(?:{'|'.join(types)})\.md", name)] == []
