"""`vcompat init`: the files that it writes are valid for the systems that read them, and no existing file is changed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import tomli
import yaml

from tests.unit.report.schemas import stored

ORIGIN = "https://example.org/somebody/vcompat@v0.1.0"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text("from trl import GRPOConfig\nGRPOConfig(use_vllm=True)\n")
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "run.sh").write_text("torchrun --nproc_per_node 8 ../train.py\n")
    (tmp_path / "other.py").write_text("print('nothing of TRL')\n")
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "copy.py").write_text("from trl import GRPOConfig\n")
    (tmp_path / "uv.lock").write_text("version = 1\n")
    return tmp_path


def vcompat(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vcompat", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def files(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_the_files_are_shown_first_and_written_when_asked_for(project: Path) -> None:
    before = files(project)
    shown = vcompat(project, "init", "--target", "8xH100")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "To write vcompat.toml, add --write." in shown.stdout
    assert files(project) == before
    written = vcompat(project, "init", "--target", "8xH100", "--write")
    assert (written.returncode, written.stderr) == (0, "")
    settings = tomli.loads((project / "vcompat.toml").read_text())
    assert settings == {"target": "8xH100", "plan": ["scripts/run.sh", "train.py"], "env": "uv.lock"}
    assert "Next: vcompat check" in written.stdout
    assert vcompat(project, "check", "--no-probe").returncode in (0, 1)


def test_the_settings_of_an_empty_folder_are_comments_that_can_be_uncommented(tmp_path: Path) -> None:
    assert vcompat(tmp_path, "init", "--write").returncode == 0
    text = (tmp_path / "vcompat.toml").read_text()
    assert tomli.loads(text) == {}
    uncommented = "\n".join(line.removeprefix("# ") for line in text.splitlines()[1:])
    assert {"target", "plan", "env", "fail-on", "strict", "suppress"} == set(tomli.loads(uncommented))
    (tmp_path / "vcompat.toml").write_text(uncommented)
    done = vcompat(tmp_path, "check", "--no-probe")
    assert done.returncode == 2 and "uv.lock: No such file" in done.stderr


SYSTEMS: dict[str, tuple[str, str]] = {
    "github": (".github/workflows/vcompat.yml", "https://json.schemastore.org/github-workflow.json"),
    "pre-commit": (".pre-commit-config.yaml", "https://json.schemastore.org/pre-commit-config.json"),
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_ci_file_is_valid_and_installs_from_the_named_repository_and_revision(project: Path, system: str) -> None:
    path, address = SYSTEMS[system]
    done = vcompat(project, "init", "--ci", system, "--from", ORIGIN, "--write")
    assert (done.returncode, done.stderr) == (0, "")
    text = (project / path).read_text()
    schema = stored(address)
    table: Any = yaml.safe_load(text)
    jsonschema.validators.validator_for(schema)(schema).validate(
        {("on" if k is True else k): v for k, v in table.items()}
    )
    assert "somebody/vcompat" in text and "v0.1.0" in text
    assert "REPOSITORY" not in text and "REVISION" not in text
    everything = "\n".join(files(project).values())
    assert "pip install vcompat" not in everything and "install --quiet vcompat" not in everything


@pytest.mark.parametrize("system", SYSTEMS)
def test_an_existing_file_is_never_changed(project: Path, system: str) -> None:
    path = project / SYSTEMS[system][0]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("# ours\n")
    (project / "vcompat.toml").write_text('target = "2xT4"\n')
    done = vcompat(project, "init", "--target", "8xH100", "--ci", system, "--from", ORIGIN, "--write")
    assert done.returncode == 0
    assert path.read_text() == "# ours\n"
    assert (project / "vcompat.toml").read_text() == 'target = "2xT4"\n'
    assert f"{SYSTEMS[system][0]} exists and is not changed; add this to it:" in done.stdout
    assert done.stdout.splitlines()[-1] == "Nothing to write."


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--ci", "github", "--from", "vcompat"], "--from vcompat: not a repository and a revision"),
        (["--ci", "github", "--from", "https://example.org/vcompat"], "not a repository and a revision"),
        (["--ci", "jenkins"], "'jenkins' is not one of 'github', 'pre-commit'"),
        (["nowhere.py"], "nowhere.py: No such file"),
        (["--env", "nowhere.lock"], "nowhere.lock: No such file"),
    ],
)
def test_input_that_cannot_be_used_gets_one_line(project: Path, arguments: list[str], complaint: str) -> None:
    before = files(project)
    done = vcompat(project, "init", "--write", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr and done.stderr.count("\n") == 1
    assert files(project) == before


@pytest.mark.parametrize(
    ("record", "found"),
    [
        ({"url": "https://example.org/o/vcompat.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}}, ("abc",)),
        (
            {
                "url": "https://example.org/o/vcompat",
                "vcs_info": {"vcs": "git", "commit_id": "abc", "requested_revision": "v1"},
            },
            ("v1",),
        ),
        ({"url": "file:///somewhere", "dir_info": {}}, None),
        (None, None),
    ],
    ids=["a commit", "a tag", "a folder", "an index"],
)
def test_ci_installs_from_where_vcompat_was_installed_from(
    project: Path, tmp_path_factory: pytest.TempPathFactory, record: dict[str, Any] | None, found: tuple[str] | None
) -> None:
    """pip records it beside the metadata (PEP 610)."""
    site = tmp_path_factory.mktemp("site") / "vcompat-0.1.0.dist-info"
    site.mkdir()
    (site / "METADATA").write_text("Metadata-Version: 2.1\nName: vcompat\nVersion: 0.1.0\n")
    if record is not None:
        (site / "direct_url.json").write_text(json.dumps(record))
    program = "from vcompat.fixes.new_project import installed_from; print(installed_from())"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(site.parent)!r}); {program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    expected = f"Origin(url='https://example.org/o/vcompat', revision='{found[0]}')" if found else "None"
    assert done.stdout.strip() == expected


def test_a_name_that_is_not_utf_8_is_refused_or_left_out(project: Path) -> None:
    name = b"caf\xe9.py".decode(errors="surrogateescape")
    (project / name).write_text("from trl import GRPOConfig\n")
    done = vcompat(project, "init", name)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.count("\n") == 1
    assert vcompat(project, "init", "--write").returncode == 0
    assert "train.py" in tomli.loads((project / "vcompat.toml").read_text())["plan"]


def test_a_file_in_place_of_a_folder_is_named_in_one_line(project: Path) -> None:
    (project / ".github").write_text("a file\n")
    done = vcompat(project, "init", "--ci", "github", "--from", ORIGIN, "--write")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert ".github/workflows" in done.stderr
