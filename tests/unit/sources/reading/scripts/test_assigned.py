"""A setting assigned under its former name after the configuration is made: the release decides whether it counts."""

from __future__ import annotations

import pytest

from vcompat.facts.facts import Facts
from vcompat.facts.renamed import OLDER
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.scripts.script import read_source

FACT = "plan.gradient_checkpointing"
MADE = {
    "by its constructor": "args = GRPOConfig()",
    "with the other value": "args = GRPOConfig(gradient_checkpointing=True)",
    "by a parser": "(args,) = TrlParser((GRPOConfig,)).parse_args_and_config()",
}


def _facts(code: str, presuming: bool = False, trainer: str = "GRPOTrainer('m', args=args)") -> Facts:
    source = f"from trl import GRPOConfig, GRPOTrainer, TrlParser\n{code}\n{trainer}\n"
    return read_source("x.py", source.encode(), Start((), presuming=presuming)).facts


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("trainer", ["GRPOTrainer('m', args=args)", "print(args)"])
def test_what_is_assigned_later_is_unknown_and_presumably_counts(made: str, trainer: str) -> None:
    code = f"{MADE[made]}\nargs.gradient_checkpointing = False"
    certain = _facts(code, trainer=trainer)
    assert certain.is_open(FACT)
    assert certain.why_unknown(FACT).endswith("which transformers 5.23 and later ignore; it may be False")
    likely = _facts(code, presuming=True, trainer=trainer).recorded(FACT)
    assert likely is not None
    assert likely.value is False
    assert [str(one) for one in likely.presumes] == [f"{OLDER} (x.py:3:31)"]


@pytest.mark.parametrize(
    "code",
    [
        "args = GRPOConfig(gradient_checkpointing=False)",
        "args = GRPOConfig(gradient_checkpointing=False)\nargs.gradient_checkpointing = False",
        "args = GRPOConfig()\nargs.activation_checkpointing = False",
    ],
)
@pytest.mark.parametrize("presuming", [False, True])
def test_what_the_constructor_gets_and_the_new_name_are_known(code: str, presuming: bool) -> None:
    known = _facts(code, presuming).recorded(FACT)
    assert known is not None
    assert known.value is False
    assert known.presumes == ()


def test_what_is_not_constant_stays_unknown_in_both_readings() -> None:
    code = "args = GRPOConfig()\nargs.gradient_checkpointing = chosen()"
    assert all(_facts(code, presuming).is_open(FACT) for presuming in (False, True))
