"""How well a check answers reported failures: the share whose cause it names early, and how much it prints.

A case counts as answered if its rule is among the certain findings or the first five. Cases state only the facts that
their reports give, so that a possible finding is often the best answer. Run it with ``python -m bench.cases``.
"""

from __future__ import annotations

from statistics import mean

from tests.cases.test_cases import FILE, RULES, findings
from vcompat.evaluation.finding import CERTAIN

_FIRST = 5


def main() -> None:
    """Print the share, the numbers of findings, and the shares of rules by their evidence."""
    answered, shown, certain = 0, [], []
    for case in FILE["case"]:
        found = findings(case["facts"])
        place = next((place for place, one in enumerate(found) if one.rule.id == case["rule"]), None)
        answered += place is not None and (place < _FIRST or found[place].certainty == CERTAIN)
        shown.append(len(found))
        certain.append(sum(one.certainty == CERTAIN for one in found))
    total = len(FILE["case"])
    print(f"cases: {answered} of {total} ({answered / total:.0%}) have their rule among the certain or first five")
    print(f"findings per case: {mean(certain):.1f} certain, {mean(shown) - mean(certain):.1f} possible")
    evidence = [rule.evidence for rule in RULES]
    measured = sum(bool(one.fingerprints or one.requirements or one.in_records) for one in evidence)
    tried = sum(bool(one.trials) for one in evidence)
    print(f"rules: {len(RULES)}, {measured} ({measured / len(RULES):.0%}) measured, {tried} tried")


if __name__ == "__main__":
    main()
