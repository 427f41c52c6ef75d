"""The dates of rules: the record first, then git; without both there is none."""

import subprocess

import pytest

from web import dates


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    (tmp_path / "rules" / "trl").mkdir(parents=True)
    monkeypatch.setattr(dates, "CHECKOUT", str(tmp_path))
    monkeypatch.setattr(dates, "_RECORD", tmp_path / "dates.toml")
    return tmp_path


def _commit(folder, rule, day):
    (folder / "rules" / "trl" / f"{rule}.toml").write_text(rule, encoding="utf-8")
    environment = {"GIT_AUTHOR_DATE": f"{day}T12:00:00Z", "GIT_COMMITTER_DATE": f"{day}T12:00:00Z", "HOME": str(folder)}
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["add", "."], [*who, "commit", "--quiet", "-m", rule]):
        subprocess.run(["git", "-C", str(folder), *words], check=True, env=environment)


def test_a_rule_is_dated_by_its_first_commit_unless_the_record_knows_it(checkout):
    subprocess.run(["git", "init", "--quiet", str(checkout)], check=True)
    _commit(checkout, "old", "2026-01-02")
    _commit(checkout, "new", "2026-03-04")
    (checkout / "dates.toml").write_text('"2025-05-06" = """\nold\n"""\n', encoding="utf-8")
    assert dates.dates() == {"old": "2025-05-06", "new": "2026-03-04"}
    assert dates.main() == 0
    assert dates._recorded() == {"old": "2025-05-06", "new": "2026-03-04"}


def test_without_a_history_only_the_record_dates_rules(checkout):
    (checkout / "dates.toml").write_text('"2025-05-06" = """\nold\n"""\n', encoding="utf-8")
    assert dates.dates() == {"old": "2025-05-06"}
