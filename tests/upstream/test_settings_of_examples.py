"""The scripts that TRL ships for a release use settings that the release has."""

from __future__ import annotations

import pytest
from packaging.version import Version

from tests.upstream.releases import release
from vcompat.rules.unfit import unfit
from vcompat.sources.reading.scripts.script import read_source

#: A release of transformers that each release of TRL works with.
RELEASES = [("0.18.0", "4.53.3"), ("0.28.0", "4.57.6"), ("1.16.0", "5.17.0")]


@pytest.mark.parametrize(("trl", "transformers"), RELEASES)
def test_nothing_is_claimed_about_the_scripts_of_the_release_itself(trl: str, transformers: str) -> None:
    claims, seen = [], 0
    for path in sorted((release("trl", trl) / "trl").glob("scripts/*.py")) + sorted(
        (release("trl", trl) / "examples").glob("scripts/**/*.py")
    ):
        facts = read_source(path.name, path.read_bytes()).facts
        facts.set("packages.trl", Version(trl), "test")
        facts.set("packages.transformers", Version(transformers), "test")
        facts.set("packages.peft", Version("0.18.0"), "test")
        seen += len(facts.stated)
        claims += [(path.name, one.title) for one in unfit(facts)]
    assert claims == []
    assert seen >= 3
