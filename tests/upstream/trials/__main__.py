"""``python -m tests.upstream.trials [--update] [RULE]...``: run the code of the rules' trials on real packages.

``--newest PACKAGE...`` runs the trials that pin these packages with their newest releases, which are not recorded. This
installs upstream's releases in scratch environments and runs their code.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.upstream.releases import NotAvailable
from tests.upstream.trials.newest import newest
from tests.upstream.trials.running import run
from vcompat.rules.database import load_rules
from vcompat.rules.trial import named
from vcompat.rules.trial_record import Key, Outcome, load_outcomes, save_outcomes


def main() -> int:
    """Run the trials; return 1 if an outcome is not what its rule claims."""
    parser = argparse.ArgumentParser(prog="python -m tests.upstream.trials", description=__doc__)
    parser.add_argument("rules", metavar="RULE", nargs="*", help="rules whose trials are run; all if none is named")
    parser.add_argument("--update", action="store_true", help="record the outcomes in evidence/trials.toml")
    parser.add_argument("--missing", action="store_true", help="run only trials that are not recorded as claimed")
    parser.add_argument(
        "--newest", nargs="+", metavar="PACKAGE", help="run the trials of these packages' newest releases"
    )
    parser.add_argument("--logs", type=Path, metavar="FOLDER", help="write the log of each rule's first failing trial")
    given = parser.parse_args()
    unlike = _write_logs(given.rules, given.logs) if given.logs else 0
    if given.logs and not given.update:
        return unlike
    if given.newest:
        return _try_newest(given.newest)
    recorded, wrong = load_outcomes(), 0
    for claimed, outcome in _outcomes(given.rules, recorded if given.missing else {}):
        wrong += not _told(claimed, outcome)
        if given.update:
            recorded[outcome.key] = outcome
            save_outcomes({key: one for key, one in recorded.items() if key in _claimed()})
    return 1 if wrong or unlike else 0


def _told(claimed: str, outcome: Outcome) -> bool:
    """Print what happened; return whether it is what was claimed."""
    right = claimed == outcome.happened
    print(f"{'as claimed' if right else 'WRONG':<11}{outcome.rule}: {outcome.pins}: {outcome.happened}", flush=True)
    if not right:
        print(f"{'':<11}claimed: {claimed}", flush=True)
    return right


def _try_newest(packages: list[str]) -> int:
    """Run the trials that pin one of `packages` with the newest releases; return 1 if an outcome is not as claimed."""
    wrong = 0
    for rule, trial, pins, claimed in newest(packages):
        try:
            outcome = run(rule.id, trial, pins)
        except NotAvailable as trouble:
            outcome = Outcome(rule.id, trial.code, named(pins), f"not available: {trouble}", ())
        wrong += not _told(claimed, outcome)
    return 1 if wrong else 0


def _write_logs(names: list[str], folder: Path) -> int:
    """Run the first failing trial of each rule and write its log; return 1 if one does not fail as its rule claims."""
    folder.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for rule in load_rules():
        for trial in rule.evidence.trials[:1] if rule.id in names or not names else ():
            try:
                happened = run(rule.id, trial, trial.fails[0], folder / f"{rule.id}.log").happened
            except NotAvailable as trouble:
                happened = f"not available: {trouble}"
            wrong += happened != trial.raises
            print(f"{rule.id}: {happened}", flush=True)
    return 1 if wrong else 0


def _outcomes(names: list[str], known: dict[Key, Outcome]) -> Iterator[tuple[str, Outcome]]:
    """Run each claimed trial; return the claim and what happened."""
    for rule in load_rules():
        for trial in rule.evidence.trials if rule.id in names or not names else ():
            for pins, claimed in trial.runs():
                before = known.get((rule.id, trial.code, named(pins)))
                if before is not None and before.happened == claimed:
                    continue
                try:
                    yield claimed, run(rule.id, trial, pins)
                except NotAvailable as trouble:
                    yield claimed, Outcome(rule.id, trial.code, named(pins), f"not available: {trouble}", ())


def _claimed() -> set[Key]:
    """The keys of all trials that rules state now; the record keeps no others."""
    return {
        (rule.id, trial.code, named(pins))
        for rule in load_rules()
        for trial in rule.evidence.trials
        for pins, _ in trial.runs()
    }


sys.exit(main())
