"""The table of what releases declare of each other."""

from __future__ import annotations

from click import unstyle
from packaging.version import Version

from vcompat.report.upstream.requirement_table import table
from vcompat.rules.record import Record


def test_releases_that_declare_the_same_share_a_line_newest_first() -> None:
    one, two, three = map(Version, ["1.0", "1.1", "2.0"])
    declares = {"torch": {one: "", two: "", three: "==2.5.1"}, "python": {three: ">=3.10"}}
    lines = [unstyle(line) for line in table(Record("vllm", (one, two, three), {}, declares))]
    assert lines == ["vllm       python  torch", "2.0        >=3.10  ==2.5.1", "1.0 - 1.1  -       any"]


def test_libraries_that_only_rules_compare_have_no_column() -> None:
    one = Version("4.57.0")
    declares = {"torch": {one: ">=2.2"}, "tokenizers": {one: ">=0.22"}}
    lines = [unstyle(line) for line in table(Record("transformers", (one,), {}, declares))]
    assert lines == ["transformers  torch", "4.57.0        >=2.2"]
