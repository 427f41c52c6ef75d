"""Trials: their tables in rule files, and the record of their outcomes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vcompat.foundation.errors import InputError
from vcompat.rules.trial import WORKS, parse_trial
from vcompat.rules.trial_record import Outcome, load_outcomes, save_outcomes

TABLE: dict[str, Any] = {
    "code": "import trl\n",
    "raises": "ImportError: cannot import name",
    "fails": [{"trl": "0.18.2", "vllm": "0.12.0"}],
    "works": [{"vllm": "0.11.2", "trl": "0.18.2"}],
}


def test_a_trial_claims_an_outcome_for_each_set_of_releases() -> None:
    trial = parse_trial(TABLE, "here")
    assert list(trial.runs()) == [
        ({"trl": "0.18.2", "vllm": "0.12.0"}, "ImportError: cannot import name"),
        ({"vllm": "0.11.2", "trl": "0.18.2"}, WORKS),
    ]
    assert (trial.exception, trial.code, trial.until) == ("ImportError", "import trl", "")


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"codes": ""}, "a table with code"),
        ({"code": " "}, "texts under code and raises"),
        ({"raises": "ImportError"}, "raises"),
        ({"fails": []}, "fails"),
        ({"fails": [{}]}, "fails"),
        ({"works": "0.11.2"}, "works"),
        ({"works": [{"trl": 1}]}, "releases as texts"),
    ],
)
def test_a_malformed_trial_is_refused(changed: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        parse_trial({**TABLE, **changed}, "here")


def test_the_record_returns_what_was_saved(tmp_path: Path) -> None:
    outcomes = [
        Outcome("some-rule", 'print("a\\n")\nimport trl', "trl 0.18.2", "ImportError: no 'x' in \"y\"", ("vllm._C",)),
        Outcome("some-rule", 'print("a\\n")\nimport trl', "trl 0.19.0", WORKS, ("vllm._C",)),
        Outcome("some-rule", "import vllm", "vllm 0.12.0", WORKS, ()),
        Outcome("other-rule", "import vllm", "vllm 0.12.0", WORKS, ()),
    ]
    save_outcomes({outcome.key: outcome for outcome in outcomes}, tmp_path)
    assert load_outcomes(tmp_path) == {outcome.key: outcome for outcome in outcomes}


def test_without_a_record_nothing_was_tried(tmp_path: Path) -> None:
    assert load_outcomes(tmp_path) == {}


def test_a_damaged_record_is_reported(tmp_path: Path) -> None:
    (tmp_path / "trials.toml").write_text("[[some-rule]]\noutcomes = 1\n")
    with pytest.raises(InputError, match="malformed"):
        load_outcomes(tmp_path)
