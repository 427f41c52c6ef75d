"""All ordered pairs of small packages: what one uses and another lacks, and what explains it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import tomli
from packaging.version import Version

from tests.unit.upstream.distributions import wheel
from vcompat.facts.use import IMPORT, Use
from vcompat.foundation.errors import InputError
from vcompat.report.rules import pairs
from vcompat.rules.rule import Rule, parse_rule
from vcompat.upstream.archive import pack
from vcompat.upstream.index import Release
from vcompat.upstream.scanning.covered import Known
from vcompat.upstream.scanning.reasons import Reason, load_reasons
from vcompat.upstream.scanning.scan import Scan, scan_all
from vcompat.upstream.scanning.scan_cache import kept_folder

USER = """
from lower import Thing, gone, moved
def f(thing: Thing):
    return thing.size
"""
FILES = {
    "upper-1.0": {"upper/a.py": USER, "upper-1.0.dist-info/METADATA": "Requires-Dist: lower>=2\n"},
    "lower-1.0": {"lower/__init__.py": "class Thing:\n    size = 1\ngone = moved = 1\n"},
    "lower-2.0": {"lower/__init__.py": "import upper\nclass Thing:\n    length = 1\nmoved = 1\n"},
    "lower-3.0": {"lower/__init__.py": "class Thing:\n    size = 1\ngone = 1\n"},
}


def stored(folder: Path, files: Mapping[str, Mapping[str, str]]) -> dict[str, list[Release]]:
    """Store small releases; return them by package."""
    found: dict[str, list[Release]] = {}
    (folder / "releases").mkdir(exist_ok=True)
    for name, texts in files.items():
        package, _, version = name.partition("-")
        (folder / "made.whl").write_bytes(wheel(texts))
        pack(folder / "made.whl", folder / "releases" / f"{name}.zip")
        found.setdefault(package, []).append(Release(package, Version(version), "", "", "", False))
    return found


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], Scan]:
    monkeypatch.setenv("VCOMPAT_CACHE", str(tmp_path))
    no_rules: list[Rule] = []
    return {(one.user, one.other): one for one in scan_all(stored(tmp_path, FILES), no_rules, lambda name: None)}


def test_each_direction_is_a_pair_of_its_own(found: dict[tuple[str, str], Scan]) -> None:
    assert sorted(found) == [("lower", "upper"), ("upper", "lower")]
    assert found["lower", "upper"].misfits == ()
    missing = {str(one.use): [str(version) for version in one.lacking] for one in found["upper", "lower"].misfits}
    assert missing == {
        "imports lower.gone": ["2.0"],
        "imports lower.moved": ["3.0"],
        "reads lower.Thing.size": ["2.0"],
    }
    assert all(one.inside and one.files == ("upper/a.py",) for one in found["upper", "lower"].misfits)


def test_what_was_read_is_read_again_only_if_a_release_has_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VCOMPAT_CACHE", str(tmp_path))

    def missing() -> list[str]:
        (one,) = [one for one in scan_all(stored(tmp_path, FILES), [], lambda name: None) if one.user == "upper"]
        return [str(misfit.use) for misfit in one.misfits]

    before = missing()
    kept = {path: path.stat().st_mtime_ns for path in kept_folder().rglob("*.gz")}
    assert missing() == before
    assert {path: path.stat().st_mtime_ns for path in kept_folder().rglob("*.gz")} == kept
    assert len(kept) == 2 * 4
    monkeypatch.setitem(FILES, "lower-2.0", {"lower/__init__.py": "class Thing:\n    size = 1\ngone = 1\nmoved = 1\n"})
    assert missing() == ["imports lower.moved"]


def reasons_in(folder: Path, text: str) -> tuple[Reason, ...]:
    (folder / "misfits.toml").write_text(text)
    return load_reasons(folder)


def test_a_reason_explains_the_uses_that_it_names_in_the_files_that_it_names(
    found: dict[tuple[str, str], Scan], tmp_path: Path
) -> None:
    reasons = reasons_in(
        tmp_path,
        """
[[reason]]
user = "upper"
other = "lower"
uses = ["imports lower.*"]
files = ["upper/[ab].py"]
because = "guarded by upper.check"
[[reason]]
user = "upper"
other = "lower"
uses = ["reads lower.*"]
files = ["upper/b.py"]
because = "another file"
""",
    )
    judged = pairs.judged(found["upper", "lower"], reasons)
    assert [str(misfit.use) for misfit, _ in judged.by_reason] == ["imports lower.gone", "imports lower.moved"]
    assert [str(misfit.use) for misfit in judged.unexplained] == ["reads lower.Thing.size"]
    (line,) = pairs.unused([judged], reasons)
    assert "upper/b.py" in line
    rows = list(pairs.table([judged]))
    assert [row.split() for row in rows[1:]] == [["upper", "lower", "4", "0", "3", "0", "2", "1"]]


def test_a_reason_with_ranges_explains_only_releases_in_them(
    found: dict[tuple[str, str], Scan], tmp_path: Path
) -> None:
    text = """
[[reason]]
user = "*"
other = "lower"
uses = ["*"]
users = "{users}"
others = "{others}"
because = "nobody has these"
"""

    def explained(users: str, others: str) -> list[str]:
        reasons = reasons_in(tmp_path, text.format(users=users, others=others))
        judged = pairs.judged(found["upper", "lower"], reasons)
        return [str(misfit.use) for misfit, _ in judged.by_reason]

    assert explained("", "<3") == ["imports lower.gone", "reads lower.Thing.size"]
    assert explained("", ">=3") == ["imports lower.moved"]
    assert explained("<1", "") == []


def test_reasons_share_a_misfit_if_each_pair_of_releases_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VCOMPAT_CACHE", str(tmp_path))
    lacking = {"lower-3.0": {"lower/__init__.py": "class Thing:\n    size = 1\nmoved = 1\n"}}
    scans = {(one.user, one.other): one for one in scan_all(stored(tmp_path, FILES | lacking), [], lambda name: None)}
    text = """
[[reason]]
user = "upper"
other = "lower"
uses = ["imports lower.gone"]
others = "<3"
because = "one release"
"""
    alone = pairs.judged(scans["upper", "lower"], reasons_in(tmp_path, text))
    assert [str(misfit.use) for misfit, _ in alone.by_reason] == []
    reasons = reasons_in(tmp_path, text + text.replace("<3", ">=3"))
    shared = pairs.judged(scans["upper", "lower"], reasons)
    assert [(str(misfit.use), named) for misfit, named in shared.by_reason] == [("imports lower.gone", reasons)]
    assert list(pairs.unused([shared], reasons)) == []


RULE = """
id = "gone-in-three"
title = "gone is gone"
component = "vllm"
effect = "crash"
severity = "error"
summary = "It is gone."
no_symptoms = "It has no text."
references = []
[when]
"packages.vllm" = ">=3"
[[fixes]]
kind = "advice"
advice = "Install another release."
[evidence]
unmeasured = "It is made up."
"""


def test_a_reason_is_needed_only_for_the_releases_that_no_rule_covers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VCOMPAT_CACHE", str(tmp_path))
    files = {
        "trl-1.0": {"trl/a.py": "from vllm import gone", "trl-1.0.dist-info/METADATA": "Requires-Dist: vllm\n"},
        "vllm-1.0": {"vllm/__init__.py": "gone = 1\n"},
        "vllm-2.0": {"vllm/__init__.py": ""},
        "vllm-3.0": {"vllm/__init__.py": "new = 1\n"},
    }
    rules = [parse_rule(tomli.loads(RULE), "gone-in-three", "here")]
    (found,) = scan_all(stored(tmp_path, files), rules, lambda name: None)
    (gone,) = found.misfits
    assert gone.known == ()
    assert gone.left == ((Version("1.0"), Version("2.0")),)
    text = "[[reason]]\nuser = 'trl'\nother = 'vllm'\nuses = ['*']\nothers = '==2.0'\nbecause = 'withdrawn'\n"
    assert pairs.judged(found, reasons_in(tmp_path, text)).unexplained == ()


@pytest.mark.parametrize(("package", "covered"), [("trl", True), ("peft", False)])
def test_a_rule_that_names_the_use_covers_it_only_if_it_is_about_the_using_package(package: str, covered: bool) -> None:
    text = RULE.replace('"packages.vllm"', f'"plan.model" = "a"\n"packages.{package}" = ">=4"\n"packages.vllm"')
    text = text.replace('unmeasured = "It is made up."', "")
    text += f'[[evidence.fingerprints]]\npackage = "{package}"\nmodule = "a.py"\nhas = ["import gone"]\n'
    known = Known(("trl", "vllm"), [parse_rule(tomli.loads(text), "gone-in-three", "here")])
    rules, left = known.covering(Use(IMPORT, "vllm", "gone"), [(Version("4.0"), Version("3.0"))])
    assert (rules, left == ()) == ((("gone-in-three",), True) if covered else ((), False))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[reason]]\nuser = 'a'\n", "must be texts"),
        ("[[reason]]\nuser = 'a'\nother = 'b'\nbecause = 'c'\nuses = []\n", "names no use"),
        ("[[reason]]\nuser = 'a'\nother = 'b'\nbecause = 'c'\nuses = 'd'\n", "must be lists"),
        ("[[reason]]\nwhy = 'a'\n", "unknown keys"),
        ("[[reason]]\nuser='a'\nother='b'\nbecause='c'\nuses=['d']\nothers='new'\n", "must be ranges"),
        ("[[reason]]\nuser='a'\nother='b'\nbecause='c'\nuses=['d']\nusers=2\n", "must be ranges"),
        ("[reasons]\n", "other than"),
        ("[[reason\n", "not valid TOML"),
    ],
)
def test_a_malformed_reason_is_reported(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=complaint):
        reasons_in(tmp_path, text)


def test_the_shipped_reasons_are_read() -> None:
    assert all(reason.because for reason in load_reasons())
