"""Many releases and many errors in few words."""

from __future__ import annotations

import pytest
from packaging.version import Version

from vcompat.report.parts.release_ranges import runs
from vcompat.report.rules.verification import troubles

RELEASES = [Version(text) for text in ("1.0", "1.1", "1.2", "2.0")]


@pytest.mark.parametrize(
    ("chosen", "text"),
    [
        ([], "no release"),
        (["1.1"], "1.1"),
        (["1.0", "1.1", "1.2"], "1.0 - 1.2"),
        (["1.0", "1.2", "2.0"], "1.0, 1.2 - 2.0"),
    ],
)
def test_releases_that_follow_each_other_are_one_run(chosen: list[str], text: str) -> None:
    assert runs([Version(version) for version in chosen], RELEASES) == text


def test_releases_with_the_same_trouble_share_a_line() -> None:
    lines = [*(f"vllm 0.{n}: cannot be kept: full" for n in range(5)), "trl 1.0: x is damaged: cut"]
    assert list(troubles(lines)) == [
        "vllm 0.0, vllm 0.1, vllm 0.2 and 2 more: cannot be kept: full",
        "trl 1.0: x is damaged: cut",
    ]
