"""Pull requests that changed functions in a release, read from small git repositories."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.version import Version

from vcompat.cli.knowledge import rules_pulls
from vcompat.foundation.errors import InputError
from vcompat.index import pulls as recorded
from vcompat.index.pulls import decoded, encoded, pulls_file, pulls_of, recorded_text
from vcompat.index.store import Index
from vcompat.upstream.index import Release
from vcompat.upstream.names.build import build
from vcompat.upstream.names.write import write_index
from vcompat.upstream.pulls.clone import Clone
from vcompat.upstream.pulls.history import History
from vcompat.upstream.pulls.pull_records import survey, write

_GITHUB, _PERSON = "noreply@github.com", "person@example.org"


def functions(**values: int) -> str:
    """The text of a module with a function for each name, which returns a value."""
    return "\n".join(f"def {name}(tree):\n    size = tree.size\n    return size + {v}\n" for name, v in values.items())


class Repository:
    """A repository whose package is trl, with one module."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str, by: str = _GITHUB) -> None:
        who = {
            "GIT_AUTHOR_NAME": "A",
            "GIT_AUTHOR_EMAIL": _PERSON,
            "GIT_COMMITTER_NAME": "C",
            "GIT_COMMITTER_EMAIL": by,
        }
        alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(
            ["git", *words], cwd=self.folder, check=True, capture_output=True, env={**os.environ, **who, **alone}
        )

    def commit(self, subject: str, text: str | None, by: str = _GITHUB, tag: str = "") -> None:
        path = self.folder / "trl" / "loop.py"
        path.parent.mkdir(exist_ok=True)
        path.parent.joinpath("__init__.py").touch()
        if text is None:
            path.unlink()
        else:
            path.write_text(text, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject, by=by)
        if tag:
            self.git("tag", tag)

    def changed(self, before: str = "v1.0", after: str = "v2.0") -> dict[str, tuple[int, ...]]:
        found = History(Clone(self.folder), "trl").changed(before, after, lambda module: True)
        return {f"{one.module}:{one.scope}": one.pulls for one in found}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "clone")


def test_each_squashed_pull_request_that_changed_a_function_is_named_in_order(repository: Repository) -> None:
    repository.commit("Begin (#1)", functions(grow=1, walk=1, rest=1), tag="v1.0")
    repository.commit("Grow more (#12)", functions(grow=2, walk=1, rest=1))
    repository.commit("Docs (#13)", f'"""Text."""\nimport os\n\n# More text.\n{functions(grow=2, walk=1, rest=1)}')
    repository.commit('Revert "Grow more (#12)" and walk (#14)', functions(grow=3, walk=2, rest=1), tag="v2.0")
    assert repository.changed() == {"trl.loop:grow": (12, 14), "trl.loop:walk": (14,)}


def test_what_was_reverted_before_the_release_is_not_a_change(repository: Repository) -> None:
    repository.commit("Begin (#1)", functions(grow=1, walk=1), tag="v1.0")
    repository.commit("Grow (#2)", functions(grow=2, walk=2))
    repository.commit("Revert (#3)", functions(grow=1, walk=1))
    repository.commit("Walk again (#4)", functions(grow=1, walk=3), tag="v2.0")
    assert repository.changed() == {"trl.loop:walk": (4,)}


def test_a_commit_without_a_number_leaves_its_functions_without_any(repository: Repository) -> None:
    repository.commit("Begin (#1)", functions(grow=1, walk=1), tag="v1.0")
    repository.commit("Both (#2)", functions(grow=2, walk=2))
    repository.commit("Quick fix", functions(grow=3, walk=2), tag="v2.0")
    assert repository.changed() == {"trl.loop:walk": (2,)}


@pytest.mark.parametrize("subject", ["Fix (#7)", "Fix #7", "Fix (#2), and more", "(#2) Fix", "Fix (#7) (#2)"])
def test_a_number_that_need_not_be_a_merged_pull_request_does_not_count(repository: Repository, subject: str) -> None:
    repository.commit("Begin (#2)", functions(grow=1), tag="v1.0")
    repository.commit(subject, functions(grow=2), by=_PERSON, tag="v2.0")
    assert repository.changed() == {}


def test_a_release_branch_leaves_out_what_it_had_picked(repository: Repository) -> None:
    repository.commit("Begin (#1)", functions(grow=1, walk=1))
    repository.git("branch", "release")
    repository.commit("Grow (#2)", functions(grow=2, walk=1))
    repository.commit("Both (#3)", functions(grow=3, walk=2), tag="v2.0")
    repository.git("checkout", "-q", "release")
    repository.commit("Grow (#2)", functions(grow=2, walk=1), by=_PERSON, tag="v1.0")
    assert repository.changed() == {"trl.loop:grow": (3,), "trl.loop:walk": (3,)}


def test_a_change_that_only_the_release_branch_has_leaves_its_function_without_a_number(
    repository: Repository,
) -> None:
    repository.commit("Begin (#1)", functions(grow=1, walk=1))
    repository.git("branch", "release")
    repository.commit("Both (#2)", functions(grow=2, walk=2), tag="v2.0")
    repository.git("checkout", "-q", "release")
    repository.commit("Grow otherwise (#3)", functions(grow=9, walk=1), tag="v1.0")
    assert repository.changed() == {"trl.loop:walk": (2,)}


def test_a_merge_commit_counts_as_what_it_merges(repository: Repository) -> None:
    repository.commit("Begin (#1)", functions(grow=1), tag="v1.0")
    repository.git("checkout", "-q", "-b", "work")
    repository.commit("first try", functions(grow=2), by=_PERSON)
    repository.commit("second try", functions(grow=3), by=_PERSON)
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "Merge pull request #5 from person/work", "work")
    repository.git("tag", "v2.0")
    assert repository.changed() == {"trl.loop:grow": (5,)}


def test_a_module_that_is_removed_or_cannot_be_read_on_the_way(repository: Repository) -> None:
    repository.commit("Begin (#1)", functions(grow=1), tag="v1.0")
    repository.commit("Remove (#2)", None, tag="v2.0")
    repository.commit("Back (#3)", functions(grow=1), tag="v3.0")
    repository.commit("Typo (#4)", "def grow(:\n")
    repository.commit("Fix (#5)", functions(grow=2), tag="v4.0")
    assert repository.changed() == {"trl.loop:grow": (2,)}
    assert repository.changed("v3.0", "v4.0") == {}


def test_a_folder_without_the_whole_history_is_refused(repository: Repository, tmp_path: Path) -> None:
    repository.commit("Begin (#1)", functions(grow=1))
    repository.commit("Grow (#2)", functions(grow=2))
    repository.git("clone", "-q", "--depth", "1", f"file://{repository.folder}", str(tmp_path / "shallow"))
    with pytest.raises(InputError, match="shallow"):
        Clone(tmp_path / "shallow")
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError):
        Clone(tmp_path / "none")


@pytest.fixture
def index(repository: Repository, tmp_path: Path) -> Index:
    """The index of two releases, the second of which has another `walk` than its tag."""
    for version, text, published in [
        ("1.0", functions(grow=1, walk=1), functions(grow=1, walk=1)),
        ("2.0", functions(grow=2, walk=2), functions(grow=2, walk=1)),
    ]:
        repository.commit(f"To {version} (#{version[0]})", text, tag=f"v{version}")
        tree = tmp_path / version
        shutil.copytree(repository.folder / "trl", tree / "trl")
        (tree / "trl" / "loop.py").write_text(published, encoding="utf-8")
    versions = [*map(Version, ("1.0", "2.0"))]
    releases = [Release("trl", one, "", "", "", False, str(tmp_path / str(one))) for one in versions]
    path = tmp_path / "evidence" / "index" / "trl.zip"
    write_index(path, build("trl", releases, lambda _: None, None))
    return Index(str(path))


@pytest.fixture
def evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(recorded, "evidence_folder", lambda: str(tmp_path / "evidence"))
    recorded_text.cache_clear()
    yield tmp_path / "evidence"
    recorded_text.cache_clear()


def test_only_changes_that_the_published_releases_have_are_recorded(repository: Repository, index: Index) -> None:
    found = survey(index, Clone(repository.folder), lambda _: None)
    assert found.pulls == {"trl.loop": {"grow": {Version("2.0"): (2,)}}}
    assert (found.found, found.every, found.untagged) == (1, 1, ())


def test_a_record_is_read_as_it_was_written(evidence: Path) -> None:
    one, two = Version("1.0"), Version("1.0.1")
    pulls: dict[str, dict[str, dict[Version, tuple[int, ...]]]] = {
        "trl.a": {"e": {one: (5,)}, "f": {one: (12, 3), two: (4,)}, "f.g": {two: (8,)}},
        "trl.a.b": {"f": {one: (6,)}},
    }
    assert decoded(encoded(pulls)) == pulls
    assert write("trl", pulls) == Path(pulls_file("trl"))
    data = Path(pulls_file("trl")).read_bytes()
    assert write("trl", {module: dict(reversed(list(pulls[module].items()))) for module in reversed(pulls)}) is None
    assert Path(pulls_file("trl")).read_bytes() == data
    for module, scopes in pulls.items():
        for scope, releases in scopes.items():
            for release in (one, two, Version("1.0.2")):
                assert pulls_of("trl", module, scope, release) == releases.get(release, ())
    assert pulls_of("trl", "trl", "f", one) == pulls_of("trl", "trl.a", "g", one) == ()
    assert pulls_of("peft", "peft", "f", one) == ()


def test_a_damaged_record_is_reported(evidence: Path) -> None:
    (evidence / "pulls").mkdir(parents=True)
    (evidence / "pulls" / "trl.zip").write_bytes(b"no archive")
    with pytest.raises(InputError, match="damaged"):
        pulls_of("trl", "trl.a", "f", Version("1.0"))


def test_the_command_writes_the_record_and_compares_it(
    repository: Repository,
    index: Index,
    evidence: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(rules_pulls, "open_index", lambda package: index)

    def run(*words: str) -> tuple[int, str]:
        recorded_text.cache_clear()
        code = rules_pulls.command.main(["trl", str(repository.folder), *words], standalone_mode=False)
        return code, capsys.readouterr().out

    total = "trl: the pull requests of 1 of 1 changes of functions are known\n"
    differs = "trl: the record of pull requests differs; `--update` writes it\n"
    assert run() == (1, total + differs)
    assert run("--update") == (0, f"{total}Wrote {evidence}/pulls/trl.zip.\n")
    assert run("--update") == (0, f"{total}The record is up to date.\n")
    assert run() == (0, total)
