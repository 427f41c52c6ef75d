"""How often the diagnosis of a reported log names its cause first: ``python -m bench.diagnose [--throughput]``.

The logs are those of ``tests/cases``. It also times a log of 1 MB. `--throughput` compares the time for a log of 1 GB
with that of grep.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import tomli

from bench.tracebacks import score
from vcompat.diagnosis.diagnosing import diagnose_paths, diagnose_text
from vcompat.diagnosis.symptoms import sought
from vcompat.rules.database import load_rules
from vcompat.rules.rule import Rule

CASES = Path(__file__).resolve().parents[1] / "tests" / "cases" / "cases.toml"
MB = 1_000_000
_WORDS = (
    "loss reward grad_norm kl entropy completions/mean_length sampling/importance_sampling_ratio/mean step_time "
    "tokens/s throughput Processed prompts device config model rank completion WARNING INFO [loggers.py:123] Engine:"
).split()


def main() -> int:
    """Print the figures; return 1 if a log is diagnosed wrongly."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--throughput", action="store_true", help="also measure the throughput, on 1 GB")
    options = parser.parse_args()
    rules = load_rules()
    table = tomli.loads(CASES.read_text(encoding="utf-8"))
    missed = [*_missed(table, rules, with_facts=False), *_missed(table, rules, with_facts=True)]
    others = [case for case in table["log"] if not _is_first(case["log"], case["rules"], rules)]
    print(f"{len(table['log']) - len(others)} of {len(table['log'])} logs in other words have one of their rules first")
    missed += [f"missed: {' or '.join(case['rules'])}: {case['log'].strip()[:60]}" for case in others]
    false = [case["name"] for case in table["unrelated"] if diagnose_text(case["log"], rules).causes]
    unrelated = len(table["unrelated"])
    print(f"{unrelated - len(false)} of {unrelated} logs of other causes match nothing known")
    for line in (*missed, *(f"false: {name}" for name in false)):
        print(f"  {line}")
    _leads(rules)
    _descriptions(rules)
    _first_answer()
    if options.throughput:
        _throughput(rules)
    return 1 if missed or false else 0


def _leads(rules: tuple[Rule, ...]) -> None:
    """Print how often the code of the releases leads to a fix where no rule names the cause."""
    found = score(rules)
    without = sum(found.values()) - found["rule"]
    share, wrong = found["right"] / without, found["wrong"] / without
    print(
        f"{found['right']} of {without} reported tracebacks without a rule lead to a release with the fix "
        f"({share:.0%}; the goal is 60%), {found['wrong']} to another one ({wrong:.0%}; the goal is under 5%)"
    )


def _descriptions(rules: tuple[Rule, ...]) -> None:
    """Print how often a line in words finds its rule, and how often one that is about nothing known finds none."""
    table = tomli.loads(CASES.with_name("descriptions.toml").read_text(encoding="utf-8"))
    first = sum(_is_first(case["text"], case["rules"], rules) for case in table["described"])
    nothing = sum(not diagnose_text(text, rules).causes for text in table["unknown"])
    print(f"{first} of {len(table['described'])} descriptions in one line find their rule first, by its words")
    near = sum(
        bool(set(case["rules"]) & {rule.id for rule in diagnose_text(case["text"], rules).near})
        for case in table["near"]
    )
    print(f"{near} of {len(table['near'])} with fewer words have it among the nearest")
    print(f"{nothing} of {len(table['unknown'])} lines about something else find none")


def _is_first(log: str, accepted: list[str], rules: tuple[Rule, ...]) -> bool:
    found = diagnose_text(log, rules).causes
    return bool(found) and found[0].rule.id in accepted


def _missed(table: dict[str, Any], rules: tuple[Rule, ...], with_facts: bool) -> list[str]:
    """Diagnose each reported log, alone or with the facts reported beside it; return what is not named first."""
    cases = [case for case in table["case"] if "log" in case]
    missed = []
    for case in cases:
        same = {case["rule"]}.union(
            *(group["rules"] for group in table["same_error"] if case["rule"] in group["rules"])
        )
        found = diagnose_text(case["log"], rules, case["facts"] if with_facts else {}).causes
        # Rules with the same error can only be distinguished with facts.
        accepted = {case["rule"]} if with_facts else same
        if not found or found[0].rule.id not in accepted:
            names = ", ".join(match.rule.id for match in found[:3]) or "nothing"
            missed.append(f"missed{' with facts' if with_facts else ''}: {case['rule']}: found {names}")
    how = "with the facts reported" if with_facts else "by the log alone"
    print(f"{len(cases) - len(missed)} of {len(cases)} reported logs have their rule first, {how}")
    return missed


def _first_answer() -> None:
    """Time a whole process that diagnoses 1 MB, beside one that does nothing; the fastest of several of each."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        _write_log(log, MB)
        with open(log, "a", encoding="utf-8") as file:
            file.write("AttributeError: 'Parameter' object has no attribute 'weight_loader'\n")
        ours, nothing = [], []
        for _ in range(7):
            nothing.append(_seconds([sys.executable, "-c", "pass"]))
            ours.append(_seconds([sys.executable, "-m", "vcompat", "diagnose", log]))
    print(f"1 MB: {1000 * min(ours):.0f} ms, {min(ours) / min(nothing):.1f} times `python -c pass`")


def _seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def _throughput(rules: tuple[Rule, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        log, patterns = os.path.join(folder, "log"), os.path.join(folder, "patterns")
        _write_log(log, 1000 * MB)
        texts = {text for each in sought(rules) for text in each.literals}
        Path(patterns).write_text("\n".join(sorted(texts)) + "\n", encoding="utf-8")
        started = time.perf_counter()
        subprocess.run(["grep", "-c", "-F", "-f", patterns, log], check=False, stdout=subprocess.DEVNULL)
        grep = time.perf_counter() - started
        started = time.perf_counter()
        diagnose_paths([log], rules)
        ours = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"1 GB: {1000 / ours:.0f} MB/s, grep -F -f with {len(texts)} texts {1000 / grep:.0f} MB/s; peak {peak:.0f} MiB"
    )


def _write_log(path: str, size: int) -> None:
    """Write a log of a run without failures."""
    pick = random.Random(1)
    lines = []
    for _ in range(20_000):
        words = (f"{pick.choice(_WORDS)} {pick.random():.6f}" for _ in range(pick.randrange(3, 14)))
        lines.append(f"[rank{pick.randrange(8)}]: {' '.join(words)}\n")
    block = "".join(lines).encode()
    with open(path, "wb") as file:
        for _ in range(size // len(block) + 1):
            file.write(block)


if __name__ == "__main__":
    sys.exit(main())
