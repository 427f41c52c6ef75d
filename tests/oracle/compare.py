"""Compares what the readers state with what happened."""

from __future__ import annotations

import os
import re
import traceback
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.oracle.example import Example
from tests.oracle.facts import Possible, trainings
from tests.oracle.truth import Sandbox
from vcompat.facts.facts import Facts
from vcompat.facts.vocabulary import ENVIRONMENT
from vcompat.foundation.errors import InputError
from vcompat.patches import patch_ids
from vcompat.sources.gather import Sources, collect


class Falsehood(NamedTuple):
    """A stated fact that was not what happened."""

    fact: str
    stated: object
    source: str
    actual: object
    caller: int
    """The first state of the caller in which it was false."""

    def __str__(self) -> str:
        return f"{self.fact} = {self.stated!r} ({self.source}), but was {self.actual!r} with caller {self.caller}"


class Verdict(NamedTuple):
    """The comparison of one example."""

    trained: bool
    """Whether a trainer or an engine was reached in any execution; there is nothing to compare otherwise."""
    stated: int = 0
    """How many stated facts could be compared."""
    false: tuple[Falsehood, ...] = ()
    knowable: int = 0
    """How many facts that the files mention were the same in all executions."""
    known: int = 0
    """How many of these were stated."""
    refused: str = ""
    """The readers' complaint about the input; the first line of the traceback's end for a crash."""
    output: str = ""
    """What the first execution printed."""
    unknown: tuple[str, ...] = ()
    """The knowable facts that were not stated."""
    likely: Mapping[str, int] = {}
    """How many likely facts could be compared with the plain execution, by kind of presumption."""
    wrong: tuple[tuple[Falsehood, tuple[str, ...]], ...] = ()
    """The likely facts that were not what happened in the plain execution, with the kinds of their presumptions."""
    likely_of_knowable: int = 0
    """How many of the knowable facts were likely."""


def judge(example: Example, sandbox: Sandbox) -> Verdict:
    """Read and run the example, and compare."""
    sandbox.fresh(example, example.callers[0])
    facts, refused, crash = _read(example, sandbox)
    executions = [sandbox.execute(example, caller) for caller in example.callers]
    results = [trainings(execution.events) for execution in executions]
    trained = any(results)
    false, stated = [], 0
    if crash:
        false.append(Falsehood("crash", crash, "", None, 0))
    elif trained:
        false, stated = _check(facts, results)
    likely, wrong = _check_likely(facts, results[0]) if results and results[0] else (Counter(), ())
    knowable = _knowable(example, results)
    known = [name for name in knowable if facts.get(name) is not None]
    unknown = tuple(name for name in knowable if name not in known)
    return Verdict(
        trained, stated, tuple(false), len(knowable), len(known), refused or crash, executions[0].output, unknown,
        likely, wrong, sum(facts.likely(name) is not None for name in knowable),
    )  # fmt: skip


def _read(example: Example, sandbox: Sandbox) -> tuple[Facts, str, str]:
    before = os.getcwd()
    os.chdir(sandbox.work)
    try:
        return collect(Sources(files=list(example.given), probe=False)).facts, "", ""
    except InputError as complaint:
        return Facts(), str(complaint), ""
    except Exception:
        return Facts(), "", traceback.format_exc()[-1500:]
    finally:
        os.chdir(before)


def _check(facts: Facts, results: list[list[Possible]]) -> tuple[list[Falsehood], int]:
    """Return the false facts, and how many could be compared."""
    false, compared = [], 0
    names = set(facts.known)
    if "env" in facts.closed:
        names |= {f"env.{name}" for result in results for possible in result for env in possible["env"] for name in env}
    for name in sorted(names):
        known = facts.get(name)
        if known is None:
            continue
        answers = [(caller, actual) for caller, result in enumerate(results) for actual in _values(name, result)]
        compared += bool(answers)
        wrong = [(caller, actual) for caller, actual in answers if not _holds(name, known.value, actual)]
        if wrong:
            caller, actual = wrong[0]
            false.append(Falsehood(name, known.value, f"{known.source} {known.place or ''}".strip(), actual, caller))
    return false, compared


def _check_likely(
    facts: Facts, plain: list[Possible]
) -> tuple[Counter[str], tuple[tuple[Falsehood, tuple[str, ...]], ...]]:
    """Return how many likely facts could be compared by kind of presumption, and those that were not what happened.

    Each kind counts once for a fact, and all facts count as ``all``. The plain execution is the one that the
    presumptions about the caller describe.
    """
    counts: Counter[str] = Counter()
    wrong = []
    for name, likely in sorted(facts.all_likely()):
        answers = _values(name, plain)
        if not answers:
            continue
        kinds = tuple(dict.fromkeys(one.kind for one in likely.presumes))
        counts.update(("all", *kinds))
        if not all(_holds(name, likely.value, actual) for actual in answers):
            source = f"{likely.source}, presumes {'; '.join(map(str, likely.presumes))}"
            wrong.append((Falsehood(name, likely.value, source, answers[0], 0), kinds))
    return counts, tuple(wrong)


def _values(name: str, result: list[Possible]) -> list[list[Any]]:
    """Return the possible values of a fact, for each training."""
    if name.startswith("env."):
        return [[env.get(name[4:]) for env in possible["env"]] for possible in result]
    return [possible[name] for possible in result if possible.get(name)]


def _holds(name: str, stated: object, actual: list[Any]) -> bool:
    if name == "plan.patched":
        return any(_patched(stated, calls) for calls in actual)
    if name in _ENGINE_NAMES and len(actual) > 1:
        return all(_same(stated, value) for value in actual)
    return any(_same(stated, value) for value in actual)


_ENGINE_NAMES = ("plan.tensor_parallel_size", "plan.llm_seed", "plan.max_model_len", "plan.enable_prefix_caching")


def _patched(stated: object, calls: list[dict[str, Any]]) -> bool:
    early: set[str] = set()
    for call in calls:
        if call["early"]:
            only, skip = call["only"], call["skip"]
            chosen = set(only if isinstance(only, list) else [only] if only else _PATCHES)
            early |= chosen - set([skip] if isinstance(skip, str) else skip)
    return set(stated if isinstance(stated, tuple) else ()) == early


_PATCHES = set(patch_ids())


def _same(stated: object, actual: object) -> bool:
    if isinstance(stated, tuple):
        return (
            list(map(str, stated)) == list(map(str, actual)) if isinstance(actual, list) else not stated and not actual
        )
    if isinstance(stated, bool) or isinstance(actual, bool):
        return isinstance(stated, bool) and isinstance(actual, bool) and stated == actual
    if isinstance(stated, int | float) and isinstance(actual, int | float):
        return abs(stated - actual) < 1e-9
    if isinstance(actual, list):
        return isinstance(stated, str) and stated.replace(",", " ").split() == [str(item) for item in actual]
    return stated == actual


#: Facts that are wanted whenever they are the same in all executions, whether the files mention them or not.
_ALWAYS = ("plan.trainer", "plan.configuration", "plan.launcher", "plan.world_size")


def _knowable(example: Example, results: list[list[Possible]]) -> list[str]:
    """Return the facts that the files mention, and that were the same in all trainings of all executions."""
    every = [possible for result in results for possible in result]
    if not every:
        return []
    # A configuration of accelerate or DeepSpeed has options with the names of settings.
    texts = [text for text in example.files.values() if not re.search("compute_environment|zero_optimization", text)]
    words = set(re.findall(r"\w+", " ".join(texts)))
    always = _ALWAYS[: 2 if all(path.endswith(".py") for path in example.given) else None]
    names = [
        name for name in every[0] if name in always or (name.partition(".")[2] in words and name != "plan.patched")
    ]
    names += [f"env.{word}" for word in sorted(words) if ENVIRONMENT.fullmatch(word)]
    return [name for name in names if _constant(name, every)]


def _constant(name: str, every: list[Possible]) -> bool:
    values = [value for possible in _values(name, every) for value in possible]
    return bool(values) and all(value == values[0] for value in values) and not isinstance(values[0], dict)
