"""At which place a check has the rule of a failure if it knows only what the report of the failure states.

The samples are reports (stated.toml), the reported tracebacks with nothing but their releases, and the cases that the
tests keep, as they are and with one of their facts left out. Run it with ``python -m bench.stated``; with ``--each``
it prints each report of stated.toml.

Facts decide a failure if one of them, beside what every run has, is in the condition of its rule. Only reports that
state such a fact count.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import tomli

from bench.tracebacks import FILE as TRACEBACKS
from bench.tracebacks import read_reports
from tests.cases.test_cases import FILE, RULES
from vcompat.diagnosis.diagnosing import diagnose_text
from vcompat.evaluation.evaluate import evaluate
from vcompat.evaluation.finding import CERTAIN, LIKELY
from vcompat.evaluation.selection import EVERY_RUN
from vcompat.facts.vocabulary import VOCABULARY
from vcompat.rules.rule import Rule
from vcompat.sources.gather import Sources, gather

REPORTS = Path(__file__).with_suffix(".toml")
FIRST, DOWN, ABSENT = "first five", "further down", "absent"
PLACES = (CERTAIN, LIKELY, FIRST, DOWN, ABSENT)
_FIRST = 5
#: Families of facts that follow from releases or GPUs.
_DERIVED = {"vllm": ("packages.vllm", "gpu"), "torch": ("packages.torch", "gpu")}


class Stated(NamedTuple):
    """One failure: what is stated of the run, and the rules of which each is right."""

    name: str
    facts: Mapping[str, str]
    rules: tuple[str, ...]


class Place(NamedTuple):
    """Where a check has the right rule."""

    number: int
    """From 1 on; 0 if the rule is absent."""
    certainty: str
    """Empty if the rule is absent."""
    findings: int
    """How many findings the check has."""

    @property
    def word(self) -> str:
        """One of PLACES."""
        if self.certainty in (CERTAIN, LIKELY, ""):
            return self.certainty or ABSENT
        return FIRST if self.number <= _FIRST else DOWN


def place_of(stated: Stated, rules: Sequence[Rule] = RULES) -> Place:
    """Return where a check that knows nothing else has the first right rule."""
    found = evaluate(rules, gather(Sources(settings=stated.facts, probe=False)))
    here = ((number, one) for number, one in enumerate(found, start=1) if one.rule.id in stated.rules)
    number, finding = next(here, (0, None))
    return Place(number, finding.certainty if finding else "", len(found))


def decides(stated: Stated, rules: Sequence[Rule] = RULES) -> bool:
    """Return whether a fact that is stated, and that not every run has, is in the condition of a right rule."""
    telling = [name for name in stated.facts if name not in EVERY_RUN]
    names = {name for rule in rules if rule.id in stated.rules for name in rule.when.names()}
    from_ = {one for name in names for one in _DERIVED.get(name.partition(".")[0], ())}
    return any(name in names or name in from_ or name.partition(".")[0] in from_ for name in telling)


def reports(file: Path = REPORTS) -> Iterator[Stated]:
    """Yield the reports of a file such as stated.toml."""
    for table in tomli.loads(file.read_text(encoding="utf-8"))["report"]:
        yield Stated(table["url"], table["facts"], tuple(table["rules"]))


def and_how(stated: Stated, rules: Sequence[Rule] = RULES) -> Stated:
    """Return what is stated and how the run fails, as the first right rule says: a report says that, too."""
    effect = next(rule.effect for rule in rules if rule.id in stated.rules)
    return stated._replace(facts={**stated.facts, "run.fails": effect})


def cases() -> Iterator[Stated]:
    """Yield the cases of the tests."""
    for table in FILE["case"]:
        yield Stated(table.get("url") or table["name"], table["facts"], (table["rule"],))


def _one_left_out() -> Iterator[Stated]:
    """Yield each case once for each of its facts, without that fact, if it has more than two."""
    for case in cases():
        for name in case.facts if len(case.facts) > 2 else ():
            yield case._replace(facts={key: text for key, text in case.facts.items() if key != name})


def _releases_of_tracebacks() -> Iterator[Stated]:
    """Yield what reported tracebacks state of releases, with the rules whose symptoms their logs show."""
    for report in read_reports(TRACEBACKS.read_text(encoding="utf-8")):
        named = {f"packages.{package}": str(version) for package, version in report.versions.items()}
        facts = {name: text for name, text in named.items() if name in VOCABULARY}
        causes = tuple(cause.rule.id for cause in diagnose_text(report.log, RULES, facts).causes)
        if facts and causes:
            yield Stated(report.url, facts, causes)


def line(name: str, sample: Iterable[Stated]) -> str:
    """Return the shares of a sample in one line."""
    places = [place_of(one) for one in sample]
    counts = {word: sum(place.word == word for place in places) for word in PLACES}
    named = len(places) - counts[DOWN] - counts[ABSENT]
    shares = ", ".join(f"{count} {word}" for word, count in counts.items())
    possible = sum(place.findings for place in places) / len(places)
    share = f"{named} of {len(places)} ({named / len(places):.0%})"
    return f"{name}: {share} certain, likely or among the first five ({shares}); {possible:.0f} findings each"


def main() -> None:
    """Print the shares of each sample."""
    every = list(reports())
    deciding = [one for one in every if decides(one)]
    if "--each" in sys.argv:
        for one in every:
            place = place_of(one)
            note = "" if one in deciding else " (not decided)"
            print(f"{place.word:12} {place.number or '-':>3}  {one.rules[0]}  {one.name}{note}")
    print(line(f"reports whose facts decide ({len(deciding)} of {len(every)})", deciding))
    print(line("the same, with how they fail", map(and_how, deciding)))
    print(line("releases of reported tracebacks", _releases_of_tracebacks()))
    print(line("cases of the tests", cases()))
    print(line("cases without one of their facts", _one_left_out()))


if __name__ == "__main__":
    main()
