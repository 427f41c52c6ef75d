"""What the trials of a rule showed, in one line each."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from vcompat.rules.rule import Rule
from vcompat.rules.trial import WORKS, Pins, Trial, named
from vcompat.rules.trial_record import load_outcomes

#: How upstream spells its names, in the order in which a sentence mentions them; other packages come last, by name.
_SPELLED = {
    "trl": "TRL",
    "vllm": "vLLM",
    "deepspeed": "DeepSpeed",
    "peft": "PEFT",
    "transformers": "transformers",
    "accelerate": "accelerate",
}

_outcomes = cache(load_outcomes)


def tried(rule: Rule, trial: Trial) -> str:
    """Return the first failing and the first working releases; empty if no claimed failure is recorded."""

    def confirmed(sets: Iterable[Pins], outcome: str) -> str:
        recorded = (_outcomes().get((rule.id, trial.code, named(pins))) for pins in sets)
        return next((_in_words(one.pins, rule) for one in recorded if one and one.happened == outcome), "")

    fails, works = confirmed(trial.fails, trial.raises), confirmed(trial.works, WORKS)
    if not fails:
        return ""
    return f"{fails} raises {trial.exception}" + (f"; {works} does not" if works else "")


def _in_words(pins: str, rule: Rule) -> str:
    """Releases as ``TRL 0.18.2 with vLLM 0.12.0``, without packages that the rule does not depend on."""
    names = set(rule.when.names())
    parts = [part.split() for part in pins.split(", ")]
    relevant = [part for part in parts if f"packages.{part[0]}" in names] or parts
    known = list(_SPELLED)
    order = sorted(relevant, key=lambda part: (known.index(part[0]) if part[0] in known else len(known), part[0]))
    return " with ".join(f"{_SPELLED.get(package, package)} {version}" for package, version in order)
