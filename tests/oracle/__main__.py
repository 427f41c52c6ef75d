"""``python -m tests.oracle``: run many generated examples, and report what the readers state falsely."""

from __future__ import annotations

import argparse
import contextlib
import time
from collections import Counter
from pathlib import Path

from hypothesis import given, seed, settings

from tests.oracle.compare import Falsehood, Verdict, judge
from tests.oracle.example import Example, save
from tests.oracle.generate import GENERATION, examples
from tests.oracle.shrink import shrink
from tests.oracle.truth import Sandbox


class Tally:
    """The counts over all examples, and the failing ones."""

    def __init__(self) -> None:
        self.examples = self.trained = self.refused = self.stated = self.knowable = self.known = self.slow = 0
        self.false: list[tuple[Example, Falsehood]] = []
        self.seen: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.only_callers: Counter[str] = Counter()
        self.untrained: Counter[str] = Counter()
        self.unknown: Counter[str] = Counter()
        self.likely: Counter[str] = Counter()
        self.wrong: Counter[str] = Counter()
        self.likely_of_knowable = 0
        self.misjudged: list[tuple[Example, Falsehood]] = []

    def add(self, example: Example, verdict: Verdict) -> None:
        """Count one example."""
        self.examples += 1
        self.trained += verdict.trained
        self.refused += bool(verdict.refused)
        self.stated += verdict.stated
        self.knowable += verdict.knowable
        self.known += verdict.known
        self.false += [(example, falsehood) for falsehood in verdict.false]
        names = set(example.spellings)
        self.seen.update(names)
        self.unknown.update(verdict.unknown)
        self.likely.update(verdict.likely)
        self.likely_of_knowable += verdict.likely_of_knowable
        for falsehood, kinds in verdict.wrong:
            self.wrong.update(("all", *kinds))
            self.misjudged.append((example, falsehood))
        if verdict.false:
            plain = any(falsehood.caller == 0 for falsehood in verdict.false)
            (self.failed if plain else self.only_callers).update(names)
        if not verdict.trained:
            self.untrained.update(names)

    def lines(self) -> list[str]:
        """Return the report."""
        share = self.known / max(self.knowable, 1)
        plain = sum(falsehood.caller == 0 for _, falsehood in self.false)
        return [
            f"examples            {self.examples}, of which {self.trained} reach a trainer, {self.refused} are refused",
            f"facts compared      {self.stated}",
            f"false               {len(self.false)}: {plain} in the plain execution, {len(self.false) - plain} with another caller only",
            f"known               {share:.1%} of {self.knowable} facts that all executions agree on",
            f"likely              {self.likely_of_knowable / max(self.knowable, 1):.1%} more of these",
            "likely but false    " + "; ".join(self._share(kind) for kind in self.likely),
            "most often unknown  " + _top(self.unknown, 12),
            "most often false    " + _rates(self.failed, self.seen),
            "... other callers   " + _rates(self.only_callers, self.seen),
            "most often without a trainer  " + _rates(self.untrained, self.seen),
        ]

    def _share(self, kind: str) -> str:
        return f"{kind} {self.wrong[kind]} of {self.likely[kind]} ({self.wrong[kind] / self.likely[kind]:.1%})"


def _top(counts: Counter[str], number: int) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common(number))


def _rates(counts: Counter[str], of: Counter[str]) -> str:
    rates = sorted(((counts[name] / of[name], name) for name in counts if of[name] > 4), reverse=True)
    return "".join(f"\n    {rate:4.0%} of {of[name]:4}  {name}" for rate, name in rates[:25])


def main() -> int:
    """Run, report, and write the shrunken failing examples."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("--examples", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=3, help="how many false examples to shrink and print")
    parser.add_argument("--save", type=Path, help="folder for the shrunken examples, as tests/oracle/cases holds them")
    parser.add_argument("--only", default="", help="shrink only facts whose name starts so")
    parser.add_argument("--likely", action="store_true", help="print the likely facts that are false, unshrunken")
    parser.add_argument("--plain", action="store_true", help="shrink only what is false in the plain execution")
    args = parser.parse_args()
    tally = Tally()
    with contextlib.closing(Sandbox()) as sandbox:
        sandbox.wait_until_ready()
        start = time.monotonic()

        @seed(args.seed)
        @settings(GENERATION, max_examples=args.examples)
        @given(examples())
        def count(example: Example) -> None:
            tally.add(example, judge(example, sandbox))

        count()
        seconds = time.monotonic() - start
        _show(tally, args, sandbox)
        for example, falsehood in tally.misjudged[: args.show] if args.likely else ():
            print("=" * 100, falsehood, f"{' '.join(example.command)}", example.callers[0], sep="\n")
            for name, text in example.files.items():
                print(f"--- {name}", text.strip(), sep="\n")
        print((sandbox.folder / "worker.log").read_text()[-1000:], end="")
    print(f"time                {seconds:.0f} s")
    print("\n".join(tally.lines()))
    return bool(tally.false)


def _show(tally: Tally, args: argparse.Namespace, sandbox: Sandbox) -> None:
    """Shrink and print false examples, one per fact and spellings."""
    shown: set[str] = set()
    for example, falsehood in tally.false:
        kind = f"{falsehood.fact} {falsehood.stated}"
        if kind in shown or len(shown) >= args.show or (args.plain and falsehood.caller):
            continue
        if not falsehood.fact.startswith(args.only):
            continue
        shown.add(kind)

        def fails(smaller: Example, same: Falsehood = falsehood) -> bool:
            return any(found[:2] == same[:2] for found in judge(smaller, sandbox).false)

        small = shrink(example, fails)
        note = "\n".join(str(found) for found in judge(small, sandbox).false)
        print("=" * 100, note, f"{' '.join(small.command)}", *small.callers, sep="\n")
        for name, text in small.files.items():
            print(f"--- {name}", text.strip(), sep="\n")
        if args.save:
            save(small, args.save / f"generated-{len(shown)}", note)


if __name__ == "__main__":
    raise SystemExit(main())
