"""How well a check answers reported failures: the share whose cause it names early, how much it prints, and the rules.

A case counts as answered if its rule is among the certain findings or the first five. Cases state only the facts that
their reports give, so that a possible finding is often the best answer. Run it with ``python -m bench.cases``.
"""

from __future__ import annotations

import subprocess
import sys
from statistics import mean

from tests.cases.test_cases import FILE, RULES
from vcompat.evaluation.evaluate import evaluate
from vcompat.evaluation.finding import CERTAIN, POSSIBLE
from vcompat.evaluation.grouping import grouped
from vcompat.patches import patch_ids
from vcompat.sources.gather import Sources, gather

_FIRST = 5
_VERIFY = [sys.executable, "-m", "vcompat", "rules", "verify", "--offline"]


def main() -> None:
    """Print the figures."""
    _cases()
    _rules()


def _cases() -> None:
    answered, certain, possible, lines, missed = 0, [], [], [], []
    for case in FILE["case"]:
        facts = gather(Sources(settings=case["facts"], probe=False))
        found = evaluate(RULES, facts)
        place = next((place for place, one in enumerate(found) if one.rule.id == case["rule"]), None)
        if place is not None and (place < _FIRST or found[place].certainty == CERTAIN):
            answered += 1
        else:
            missed.append(f"{case['rule']} ({'not found' if place is None else f'number {place + 1}'})")
        unsure = [one for one in found if one.certainty == POSSIBLE]
        certain.append(len(found) - len(unsure))
        possible.append(len(unsure))
        lines.append(len(grouped(unsure, facts)))
    total = len(FILE["case"])
    print(f"cases: {answered} of {total} ({answered / total:.0%}) have their rule among the certain or first five")
    print(f"others: {', '.join(missed) or 'none'}")
    print(f"findings per case: {mean(certain):.1f} certain; {mean(possible):.1f} possible, in {mean(lines):.1f} lines")


def _rules() -> None:
    evidence = [rule.evidence for rule in RULES]
    measured = sum(one.is_measured for one in evidence)
    tried = sum(bool(one.trials) for one in evidence)
    share = f"{measured} ({measured / len(RULES):.0%}) measured, {tried} tried with real releases"
    print(f"rules: {len(RULES)}, {share}; patches: {len(patch_ids())}")
    done = subprocess.run(_VERIFY, capture_output=True, text=True, check=False)
    print(f"rules verify --offline: {done.stdout.splitlines()[-1]}")


if __name__ == "__main__":
    main()
