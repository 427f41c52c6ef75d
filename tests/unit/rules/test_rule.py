from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.rules_for_tests import make_rule, rule_table
from vcompat.foundation.errors import InputError
from vcompat.rules.database import find_rule, load_rules, read_rule
from vcompat.rules.rule import parse_rule


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"tittle": "x"}, "a-rule.toml: tittle: unknown key; expected 'title'"),
        ({"title": None}, "a-rule.toml: title: missing; expected a string"),
        ({"title": 3}, "a-rule.toml: title: 3; expected a string"),
        ({"title": "two\nlines"}, "expected one line"),
        ({"severity": "fatal"}, "a-rule.toml: severity: 'fatal'; expected one of error, warning, note"),
        ({"id": "another"}, "a-rule.toml: id: 'another' is not the file's name; expected 'a-rule'"),
        ({"references": ["see the wiki"]}, "a-rule.toml: references[0]"),
        ({"when": {"packages.vlm": "<1"}}, "a-rule.toml: when.packages.vlm: unknown fact"),
        ({"symptoms": [{"pattern": "x", "frames": [""]}]}, "a-rule.toml: symptoms[0]: frames: ('',)"),
        ({"symptoms": [{"pattern": "("}]}, "a-rule.toml: symptoms[0]: pattern: not a regular expression"),
        (
            {"symptoms": [{"pattern": "x", "unless": "(?=y)"}]},
            "a-rule.toml: symptoms[0]: unless: a lookaround or a reference to a group; expected a regular expression that RE2 takes",
        ),
        ({"symptoms": [{"pattern": r"(a)\1"}]}, "symptoms[0]: pattern: a lookaround or a reference to a group"),
        ({"symptoms": [{"pattern": "(?<!a)b"}]}, "symptoms[0]: pattern: a lookaround or a reference to a group"),
        ({"only_where_known": ["plan.pefd"]}, "a-rule.toml: only_where_known[0]: unknown fact 'plan.pefd'"),
        (
            {"symptoms": [{"pattern": "x"}], "no_symptoms": "it hangs"},
            "a-rule.toml: no_symptoms: the rule has symptoms",
        ),
        ({"fixes": [{"kind": "prayer"}]}, "a-rule.toml: fixes[0]: kind: 'prayer'; expected one of patch"),
        ({"fixes": [{"kind": "patch"}]}, "a-rule.toml: fixes[0]: patch: missing"),
        (
            {"fixes": [{"kind": "patch", "patch": "x", "rnage": "y"}]},
            "a-rule.toml: fixes[0]: rnage: unknown key",
        ),
        (
            {"evidence": {}},
            "a-rule.toml: evidence: empty; expected fingerprints, requirements, settings, names, models, wheels, weight_names, or unmeasured",
        ),
        (
            {"evidence": {"fingerprints": [{"package": "vllm", "module": "a.py"}]}},
            "a-rule.toml: evidence.fingerprints[0]: neither has nor lacks",
        ),
    ],
)
def test_a_malformed_rule_is_refused_with_file_key_and_what_is_expected(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_rule(rule_table(**change), "a-rule", "a-rule.toml")
    assert complaint in str(caught.value)


def test_a_rule_names_the_patches_that_settle_it() -> None:
    rule = make_rule(fixes=[{"kind": "patch", "patch": "vllm_restore_sleep_buffers", "note": "at once"}])
    assert [fix.details["patch"] for fix in rule.fixes if fix.removes_failure] == ["vllm_restore_sleep_buffers"]
    assert rule.fixes[0].note == "at once"


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("content", "complaint"),
    [("id = ", "not valid TOML"), (b"\xff\xfe\x00binary", "not UTF-8 text"), ("", "id: missing")],
)
def test_a_file_that_is_no_rule_is_refused(tmp_path: Path, content: str | bytes, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        read_rule(str(write(tmp_path, "a-rule.toml", content)))
    assert complaint in str(caught.value)
    assert "a-rule.toml" in str(caught.value)


def test_a_folder_without_rules_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no rules found"):
        load_rules(str(tmp_path))
    with pytest.raises(InputError, match="No such file"):
        load_rules(str(tmp_path / "nowhere"))


def test_an_unknown_rule_name_gets_the_nearest_one() -> None:
    with pytest.raises(InputError, match="there is no rule 'a-ruel'; expected 'a-rule'"):
        find_rule((make_rule(),), "a-ruel")
