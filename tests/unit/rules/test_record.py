"""Records: written so that a person can read them, read back as they were, refused when they are not whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.version import Version

from vcompat.foundation.errors import InputError
from vcompat.rules.fingerprint import Seen
from vcompat.rules.record import Record, Row, load_record, save_record

RELEASES = tuple(map(Version, ["1.0", "1.1", "1.2", "2.0"]))


def record() -> Record:
    verdicts = ["absent", "present", "present", "fixed"]
    digests = ["", "aaaaaaaaaaaa", "aaaaaaaaaaaa", "bbbbbbbbbbbb"]
    seen = {version: Seen(v, digest=d) for version, v, d in zip(RELEASES, verdicts, digests, strict=True)}
    declares = {"torch": {RELEASES[1]: ">=2", RELEASES[2]: ">=2", RELEASES[3]: ""}}
    return Record(
        "pkg", RELEASES, {("rules", "a-rule", 0): Row("cccccccccccc", seen)}, declares, RELEASES[:1], "1.0", "the first"
    )


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    save_record(record(), tmp_path)
    assert load_record("pkg", tmp_path) == record()


def test_a_run_of_releases_that_show_the_same_is_one_line(tmp_path: Path) -> None:
    path = save_record(record(), tmp_path)
    assert path is not None
    assert "1.1           1.2           present    aaaaaaaaaaaa\n" in path.read_text()
    assert "1.1           1.2           >=2\n" in path.read_text()


def test_nothing_is_written_where_nothing_changed(tmp_path: Path) -> None:
    assert save_record(record(), tmp_path) is not None
    assert save_record(record(), tmp_path) is None


def test_of_a_package_without_a_record_nothing_is_known(tmp_path: Path) -> None:
    assert load_record("pkg", tmp_path) == Record("pkg", (), {})


@pytest.mark.parametrize(
    "text",
    [
        "releases = ",
        'since = "1"',
        'releases = "one two"',
        "releases = 3",
        'releases = "1.0"\n[[rules.a]]\nterms = "x"\nseen = "1.0"',
        'releases = "1.0"\n[[rules.a]]\nterms = "x"\nseen = "1.0 3.0 present x"',
        'releases = "1.0"\nrules = 3',
    ],
)
def test_a_malformed_record_is_one_line_that_names_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "pkg.toml").write_text(text)
    with pytest.raises(InputError, match=r"pkg\.toml"):
        load_record("pkg", tmp_path)


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        save_record(record(), tmp_path / "file")
