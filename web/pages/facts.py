"""The page of the vocabulary: every fact that can be known about a run, with the rules that use it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from vcompat.facts.vocabulary import VOCABULARY
from vcompat.rules.rule import Rule
from web import knowledge
from web.page import Page


def pages() -> Iterator[Page]:
    """Yield the page."""
    uses: dict[str, list[Rule]] = {}
    for rule in knowledge.rules():
        for name in dict.fromkeys(rule.when.names()):
            uses.setdefault(name, []).append(rule)
    families = groupby(VOCABULARY.values(), key=lambda spec: spec.name.partition(".")[0])
    yield Page(
        "facts",
        "facts.html",
        "Facts about a run",
        "Every fact that vcompat can know about a run: its meaning, where it comes from, and the rules that use it.",
        {"families": [(family, list(specs)) for family, specs in families], "uses": uses, "name_of": knowledge.name_of},
    )
