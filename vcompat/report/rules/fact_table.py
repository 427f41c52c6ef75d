"""The vocabulary of facts as a table, as JSON, or fact by fact with the rules that use it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from click import style

from vcompat.facts.vocabulary import Spec
from vcompat.report.parts.layout import field
from vcompat.rules.rule import Rule


def table(specs: Sequence[Spec], rules: Iterable[Rule], format_: str, width: int) -> str:
    """All facts in `format_`: text, json or markdown."""
    uses = _uses(rules)
    if format_ == "json":
        return json.dumps([{**spec._asdict(), "rules": uses.get(spec.name, [])} for spec in specs], indent=2)
    if format_ == "markdown":
        lines = ["| fact | kind | meaning | from | rules |", "| --- | --- | --- | --- | --- |"]
        return "\n".join([*lines, *(_row(spec, uses) for spec in specs)])
    lines = []
    family = ""
    for spec in specs:
        if spec.name.partition(".")[0] != family:
            family = spec.name.partition(".")[0]
            lines += ["", style(family, bold=True)]
        count = len(uses.get(spec.name, []))
        used = f"; {count} rule{'s' if count != 1 else ''}" if count else ""
        lines.append(f"  {style(spec.name.partition('.')[2], bold=True)}")
        lines += field("", f"{_meaning(spec)}; from {spec.source}{used}", width, margin=6)
    environment = "env.NAME is the value of an environment variable, such as env.VLLM_USE_V1; none if it is not set."
    return "\n".join([*lines[1:], "", environment, "vcompat facts FACT lists the rules that use a fact."])


def details(specs: Iterable[Spec], rules: Iterable[Rule], width: int) -> str:
    """Each fact with its source and the rules that use it."""
    uses = _uses(rules)
    blocks = []
    for spec in specs:
        kind = f"{spec.kind}, one per GPU or a list" if spec.many else spec.kind
        lines = [style(spec.name, bold=True), *field("meaning", _meaning(spec), width), *field("kind", kind, width)]
        lines += field("from", spec.source, width)
        lines += field("rules", ", ".join(uses.get(spec.name, [])) or "none", width)
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _uses(rules: Iterable[Rule]) -> dict[str, list[str]]:
    """For each fact, the ids of the rules whose conditions name it."""
    uses: dict[str, list[str]] = {}
    for rule in rules:
        for name in dict.fromkeys(rule.when.names()):
            uses.setdefault(name, []).append(rule.id)
    return uses


def _meaning(spec: Spec) -> str:
    return f"{spec.meaning} [{spec.unit}]" if spec.unit else spec.meaning


def _row(spec: Spec, uses: dict[str, list[str]]) -> str:
    count = len(uses.get(spec.name, []))
    return f"| `{spec.name}` | {spec.kind} | {_meaning(spec)} | {spec.source} | {count or ''} |"
