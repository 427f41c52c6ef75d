"""``search.json``: what the search in the browser needs of each page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from vcompat.diagnosis.rule_words import words_in, words_of
from vcompat.rules.rule import SEVERITIES, Rule
from vcompat.rules.symptom import Symptom
from web import knowledge
from web.output.patterns import for_javascript
from web.page import UNLISTED, Page

FILE = "search.json"


def write(folder: Path, pages: Sequence[Page]) -> None:
    """Write the file into the folder of the site."""
    table = {"pages": list(entries(pages))}
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    (folder / FILE).write_text(text, encoding="utf-8")


def entries(pages: Sequence[Page]) -> Iterator[dict[str, Any]]:
    """Yield an entry for each page: its address below the base, its words, and for a rule its symptoms."""
    rules = {knowledge.name_of(rule): rule for rule in knowledge.rules()}
    for page in pages:
        if page.name in UNLISTED:
            continue
        entry: dict[str, Any] = {"path": f"{page.name}/", "title": page.title, "text": page.description}
        rule = rules.get(page.name)
        if rule is None:
            named, words = words_in(f"{page.title} {page.name}"), words_in(page.description)
            length = len(named) + len(words)
            yield {**entry, "head": sorted(named), "words": sorted(named | words), "length": length}
        else:
            yield {**entry, **_of_rule(rule)}


def _of_rule(rule: Rule) -> dict[str, Any]:
    words = words_of(rule)
    return {
        "id": rule.id,
        "head": sorted(words.named),
        "words": sorted(words.all),
        "length": words.length,
        "severity": SEVERITIES.index(rule.severity),
        "ends": rule.effect in ("crash", "hang"),
        "references": [address for address in rule.references if "github.com" in address],
        "symptoms": [_symptom(one) for one in rule.symptoms if one.pattern or one.stops_in],
    }


def _symptom(symptom: Symptom) -> dict[str, Any]:
    source, flags = for_javascript(symptom.pattern)
    unless = for_javascript(symptom.unless)
    given: dict[str, Any] = {
        "pattern": source,
        "flags": flags,
        "unless": list(unless) if symptom.unless else None,
        "frames": symptom.frames,
        "raised": symptom.raised_in,
        "stops": symptom.stops_in,
        "common": symptom.is_common,
        "anyLevel": symptom.any_level,
    }
    return {name: value for name, value in given.items() if value}
