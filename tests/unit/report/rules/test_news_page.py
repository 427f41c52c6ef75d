"""The page of `vcompat rules update`: as Markdown for a pull request, and for a terminal."""

from __future__ import annotations

from click import unstyle
from packaging.version import Version

from vcompat.facts.use import IMPORT, Use
from vcompat.report.rules.news_page import render, text, title
from vcompat.rules.record import PATCH, RULE
from vcompat.upstream.changes import DOUBTFUL, ENDS, Turn
from vcompat.upstream.news import News, Unexplained
from vcompat.upstream.scanning.scan import Misfit
from vcompat.upstream.settings.verify_settings import Difference
from vcompat.upstream.verdicts import Remark

NEW = Version("5.24.0")
NOTHING = News({}, {}, (), (), (), {}, ())


def remark(name: str, words: str, kind: str = RULE) -> Remark:
    return Remark(kind, name, "transformers", NEW, words, "src/a_file.py:3")


def found() -> News:
    ended, doubted = remark("a-rule", "not affected; 5.23.0: affected"), remark("a_patch", "refuses", PATCH)
    wrong = remark("a-rule", "in the declared range, but fixed")
    use = Use(IMPORT, "transformers", "Gone", "", ())
    pairs = ((Version("1.15.0"), NEW), (Version("1.16.0"), NEW))
    misfit = Misfit(
        use, (pairs[0][0], pairs[1][0]), (NEW,), pairs, (), "trl/a.py:7 in 1.16.0", ("trl/a.py",), (), pairs
    )
    return NOTHING._replace(
        new={"transformers": [NEW]},
        subjects={("transformers", NEW): 45},
        turns=(Turn(ENDS, ended), Turn(DOUBTFUL, doubted)),
        contradictions=(wrong,),
        settings=(Difference("transformers", NEW, "TrainingArguments", "new: a_setting"),),
        misfits=(Unexplained("trl", "transformers", misfit),),
        troubles=tuple(f"vllm 0.{n}.0: cannot be fetched: no route" for n in range(5)),
        files=3,
    )


def test_the_page_names_what_is_new_and_what_to_do() -> None:
    page = render(found())
    assert page.startswith(
        "## Upstream releases: transformers 5.24.0\n\n"
        "3 entries need a person; 3 files of the records written; 5 could not be read.\n"
    )
    expected = """
- `transformers 5.24.0`: 43 of 45 rules and patches find the same code as in the release before
- `a-rule`: transformers 5.24.0: not affected; 5.23.0: affected; its range must end before 5.24.0 (`src/a_file.py:3`)
- `patch a_patch`: transformers 5.24.0: refuses (`src/a_file.py:3`)
- `a-rule`: transformers 5.24.0: in the declared range, but fixed (`src/a_file.py:3 in 5.24.0`)
- `transformers 5.24.0 TrainingArguments`: new: a_setting
- `trl 1.15.0 - 1.16.0 imports transformers.Gone`: transformers 5.24.0 does not define it; 2 pairs without a rule or a reason
- vllm 0.0.0, vllm 0.1.0, vllm 0.2.0 and 2 more: cannot be fetched: no route
"""
    for line in expected.strip().splitlines():
        assert line in page


def test_a_page_without_news_is_short() -> None:
    assert title(NOTHING) == "Upstream releases: none is new"
    lines = [unstyle(line) for line in text(NOTHING, 80)]
    assert lines[:2] == ["Upstream releases: none is new", "Nothing needs a person."]
    assert len(lines) < 25


def test_no_line_on_a_terminal_is_longer_than_80_columns() -> None:
    long = Difference("trl", NEW, "GRPOConfig", f"new check: {'x' * 200} {'a check of two settings; ' * 40}")
    many = {"transformers": [Version(f"5.{n}.10") for n in range(20, 24)]}
    lines = [unstyle(line) for line in text(found()._replace(settings=(long,), new=many), 80)]
    assert max(map(len, lines)) <= 80
    assert any("see the diff of the records" in line for line in lines)


def test_a_page_fits_into_the_text_of_a_pull_request() -> None:
    news = found()
    many = [Turn(DOUBTFUL, remark(f"rule-{n}", "affected, but the code changed: review it")) for n in range(2000)]
    settings = [Difference("trl", NEW, "GRPOConfig", "new: " + "setting, " * 200)] * 300
    page = render(news._replace(turns=(*news.turns, *many), settings=tuple(settings), misfits=news.misfits * 500))
    assert len(page) < 65536
    assert "more: see the diff of the records" in page


def test_text_of_upstream_makes_no_markup_and_notifies_nobody() -> None:
    bad = Difference("trl", NEW, "A`b", "check: <img src=x> @somebody `code` #12")
    page = render(NOTHING._replace(settings=(bad,)))
    assert "- `trl 5.24.0 A'b`: check: &lt;img src=x> @&#8203;somebody \\`code\\` #&#8203;12" in page


def test_the_title_names_few_releases() -> None:
    news = NOTHING._replace(new={"trl": [Version(f"1.{n}.0") for n in range(6)]})
    assert title(news) == "Upstream releases: trl 1.0.0, trl 1.1.0, trl 1.2.0, trl 1.3.0 and 2 more"


def test_what_was_not_searched_for_is_not_called_none() -> None:
    news = found()._replace(misfits=None)
    assert "- not searched for; vcompat rules scan --all does" in render(news)
