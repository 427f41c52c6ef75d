"""Rules as tests need them: a valid one, to be changed in one place."""

from __future__ import annotations

from typing import Any

from vcompat.rules.rule import Rule, parse_rule


def rule_table(**changes: Any) -> dict[str, Any]:
    table: dict[str, Any] = {
        "id": "a-rule",
        "title": "Something breaks",
        "component": "vllm",
        "effect": "crash",
        "severity": "error",
        "summary": "It breaks.",
        "references": ["https://example.org/thread"],
        "when": {"packages.vllm": ">=0.7.0,<0.8.5"},
        "fixes": [{"kind": "version", "package": "vllm", "range": ">=0.8.5"}],
        "evidence": {"unmeasured": "made for a test"},
    }
    table.update(changes)
    return {key: value for key, value in table.items() if value is not None}


def make_rule(**changes: Any) -> Rule:
    table = rule_table(**changes)
    return parse_rule(table, table["id"], f"{table['id']}.toml")
