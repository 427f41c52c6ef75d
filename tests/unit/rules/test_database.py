"""Rules are read from their files, again when a file changes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from vcompat.foundation.errors import InputError
from vcompat.foundation.shipped import CHECKOUT
from vcompat.rules.database import load_rules

RULE = "vllm/volta-not-built.toml"


def folder_with_a_rule(tmp_path: Path) -> Path:
    shutil.copy(os.path.join(CHECKOUT, "rules", RULE), tmp_path)
    return tmp_path / Path(RULE).name


def test_a_rule_that_changed_is_read_again(tmp_path: Path) -> None:
    file = folder_with_a_rule(tmp_path)
    (before,) = load_rules(str(tmp_path))
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(f'title = "{before.title}"', 'title = "Another title"'), encoding="utf-8")
    (after,) = load_rules(str(tmp_path))
    assert (before.title == "Another title", after.title) == (False, "Another title")


def test_a_rule_that_became_malformed_is_refused(tmp_path: Path) -> None:
    file = folder_with_a_rule(tmp_path)
    assert load_rules(str(tmp_path))
    file.write_text("title = ", encoding="utf-8")
    with pytest.raises(InputError, match="not valid TOML"):
        load_rules(str(tmp_path))


def test_an_unchanged_rule_is_read_once(tmp_path: Path) -> None:
    folder_with_a_rule(tmp_path)
    (first,), (second,) = load_rules(str(tmp_path)), load_rules(str(tmp_path))
    assert first is second
