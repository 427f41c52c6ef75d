"""New releases: which the records lack, which are inspected again, what they mean, and which misfits they bring."""

from __future__ import annotations

import pytest
from packaging.version import Version

from vcompat.facts.use import IMPORT, Use
from vcompat.rules.fingerprint import Seen
from vcompat.rules.record import PATCH, RULE, Record, Row
from vcompat.upstream import news
from vcompat.upstream.changes import BEGINS, DOUBTFUL, ENDS, compared, turns
from vcompat.upstream.index import Release
from vcompat.upstream.scanning.reasons import Reason
from vcompat.upstream.scanning.scan import Misfit, Scan
from vcompat.upstream.subjects import Subject
from vcompat.upstream.verify_claims import View

OLD, NEW, NEWER = Version("1.0"), Version("1.1"), Version("1.2")


def release(package: str, version: Version, yanked: bool = False) -> Release:
    return Release(package, version, "", "", "", yanked)


def record(package: str = "pkg", **rows: list[Seen]) -> Record:
    """A record of one release; `rows` has what was seen of each rule's fingerprints."""
    keys = {(RULE, name, number): one for name, seen in rows.items() for number, one in enumerate(seen)}
    return Record(package, (OLD,), {key: Row("terms", {OLD: one}) for key, one in keys.items()})


def subject(terms: str) -> Subject:
    return Subject(RULE, "rule", 0, "pkg", terms, lambda read: Seen("present"))


def word(was: list[Seen], *now: list[Seen], kind: str = RULE) -> list[tuple[str, str]]:
    rows = {(kind, "rule", number): Row("terms", {OLD: one}) for number, one in enumerate(was)}
    versions = (NEW, NEWER)[: len(now)]
    sightings = {
        (kind, "rule", number): dict(zip(versions, (seen[number] for seen in now), strict=True))
        for number in range(len(was))
    }
    found = turns(compared(versions, sightings, Record("pkg", (OLD,), rows)))
    return [(turn.word, str(turn.remark.version)) for turn in found]


HERE, THERE, FIXED = Seen("present", digest="aa"), Seen("present", digest="bb"), Seen("fixed", digest="cc")


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ([HERE], [HERE], []),
        ([HERE], [THERE], [(DOUBTFUL, "1.1")]),
        ([HERE], [FIXED], [(ENDS, "1.1")]),
        ([FIXED], [HERE], [(BEGINS, "1.1")]),
        # A rule with two fingerprints is about a release as long as one of them is there.
        ([HERE, HERE], [FIXED, HERE], [(DOUBTFUL, "1.1")]),
        ([HERE, FIXED], [FIXED, HERE], [(DOUBTFUL, "1.1")]),
        ([HERE, HERE], [FIXED, Seen("absent")], [(ENDS, "1.1")]),
    ],
)
def test_a_rule_ends_with_its_last_fingerprint(
    was: list[Seen], now: list[Seen], expected: list[tuple[str, str]]
) -> None:
    assert word(was, now) == expected


def test_a_patch_that_refuses_is_doubtful_and_one_that_is_not_needed_ends() -> None:
    applies, refuses, unneeded = (Seen(verdict, digest=verdict) for verdict in ("apply", "refuse", "not-needed"))
    assert word([applies, applies], [refuses, unneeded], kind=PATCH) == [(DOUBTFUL, "1.1")]
    assert word([applies, applies], [unneeded, unneeded], kind=PATCH) == [(ENDS, "1.1")]


def test_the_second_of_two_new_releases_is_compared_with_the_first() -> None:
    assert word([HERE], [FIXED], [FIXED]) == [(ENDS, "1.1")]
    assert word([HERE], [HERE], [FIXED]) == [(ENDS, "1.2")]


def test_the_records_lack_a_release_and_one_whose_settings_are_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    older = Version("0.9")
    known = {"pkg": Record("pkg", (older, OLD, NEW), {})}
    releases = [release("pkg", version) for version in (older, OLD, NEW, NEWER)]
    assert [str(one.version) for one in news.lacking(releases, known)] == ["1.2"]
    monkeypatch.setattr(news, "recorded_tables", lambda package: {OLD: {}})
    assert [str(one.version) for one in news.lacking(releases, known)] == ["1.1", "1.2"]


def test_only_new_releases_are_inspected_unless_a_rule_was_changed() -> None:
    known = {"pkg": record(rule=[HERE])}
    releases = [release("pkg", version) for version in (OLD, NEW)]
    assert news.to_inspect(releases, releases[1:], [subject("terms")], known) == releases[1:]
    assert news.to_inspect(releases, releases[1:], [subject("others")], known) == releases
    assert news.to_inspect(releases, [], [subject("terms")], known) == []


def test_classes_that_extend_those_of_a_new_transformers_release_are_inspected_again() -> None:
    known = {name: Record(name, (OLD,), {}) for name in ("transformers", "trl", "vllm")}
    releases = [release(name, OLD) for name in known] + [release("transformers", NEW)]
    chosen = news.to_inspect(releases, releases[-1:], [], known)
    assert [(one.package, str(one.version)) for one in chosen] == [("trl", "1.0"), ("transformers", "1.1")]


def test_a_release_that_was_yanked_after_it_was_recorded_is_reported_and_recorded() -> None:
    known = {"pkg": record(rule=[HERE]), "other": Record("other", (OLD,), {}, yanked=(OLD,))}
    releases = [release("pkg", OLD, yanked=True), release("other", OLD, yanked=True)]
    view = news.inspected(releases, [], known, lambda looked: pytest.fail("nothing is new"))
    assert (view.yanked, view.releases) == ({"pkg": [OLD]}, {"pkg": []})
    assert news.judged(view, known, [], []).yanked == {"pkg": [OLD]}


def test_what_is_recorded_and_what_was_found_is_one_view() -> None:
    key = (RULE, "rule", 0)
    recorded = View({"pkg": [OLD]}, {"pkg": {key: {OLD: HERE}}}, {"pkg": {}}, {}, [])
    joined = news.joined(recorded, View({"pkg": [NEW]}, {"pkg": {key: {NEW: FIXED}}}, {}, {}, []))
    assert joined.releases == {"pkg": [OLD, NEW]}
    assert joined.sightings == {"pkg": {key: {OLD: HERE, NEW: FIXED}}}
    assert joined.declares == {"pkg": {}}


def misfit(*left: tuple[Version, Version]) -> Misfit:
    use = Use(IMPORT, "lower", "gone", "", ())
    return Misfit(use, (OLD, NEW), (OLD, NEW), left, (), "a.py:1 in 1.1", ("a.py",), (), left)


def test_only_pairs_with_a_new_release_need_a_rule() -> None:
    scan = Scan("upper", "lower", (misfit((OLD, OLD), (OLD, NEW), (NEW, OLD)),), 1, 0, ())
    (found,) = news.unexplained([scan], {"upper": [NEW]}, [])
    assert found.misfit.left == ((NEW, OLD),)
    (found,) = news.unexplained([scan], {"lower": [NEW]}, [])
    assert found.misfit.left == ((OLD, NEW),)
    assert list(news.unexplained([scan], {"other": [NEW]}, [])) == []


def test_a_reason_for_the_new_pairs_is_enough() -> None:
    scan = Scan("upper", "lower", (misfit((OLD, OLD), (NEW, OLD)),), 1, 0, ())
    reason = Reason("upper", "lower", ("imports lower.gone",), (), ">=1.1", "", "no run gets there")
    assert list(news.unexplained([scan], {"upper": [NEW]}, [reason])) == []
    assert len(list(news.unexplained([scan], {"upper": [OLD]}, [reason]))) == 1
