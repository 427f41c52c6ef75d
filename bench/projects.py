"""How much of what a careful reader of public projects knows a check knows: the runs and the facts of projects.toml.

Usage: python -m bench.projects FOLDER [--table FILE] [--only TEXT] [--missing] [--limit SECONDS]

FOLDER has checkouts of the repositories as OWNER+NAME or OWNER/NAME, at the commits of projects.toml. They are read and
never run. A fact that a check states as known or likely is right or false; any other is missing. The exit code is 1 if
a known fact is false. Times are ratios to a check without run files.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from textwrap import wrap
from typing import Any, NamedTuple

import tomli

ROOT = Path(__file__).resolve().parents[1]
FILE = Path(__file__).with_suffix(".toml")
#: The program of this checkout. No module of the project that is checked can replace one of its modules.
_PROGRAM = "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); runpy.run_module('vcompat', run_name='__main__')"
_CHECK = [sys.executable, "-I", "-c", _PROGRAM, str(ROOT), "check", "--no-probe", "--format", "json"]
_KEYS = {"repository", "commit", "folder", "command", "files", "facts"}
_NONE = "none"
KNOWN, LIKELY, FALSE, LIKELY_FALSE, MISSING = "known", "likely", "false", "likely false", "missing"
VERDICTS = (KNOWN, LIKELY, FALSE, LIKELY_FALSE, MISSING)
#: The columns of a run's name, and of a line.
_NAME, _LINE = 48, 100
#: What differs between two reasons that are the same: positions, and whatever is quoted or called.
_DIFFERS = (
    (re.compile(r"^\S+(?: cell \d+)?(?::\d+)+:? "), ""),
    (re.compile(r"\S+(?: cell \d+)?(?::\d+)+"), "PLACE"),
    (re.compile(r"'[^']*'"), "'...'"),
    (re.compile(r"\S+\(\)"), "NAME()"),
    (re.compile(r"; expected .*"), ""),
    (re.compile(r"; it may be .*"), "; it may be ..."),
    (re.compile(r"\S+\.(?:py|sh|slurm|ipynb|ya?ml|json|toml|txt)\b"), "FILE"),
    (re.compile(r"\$\{?\w+\}?"), "$NAME"),
)


class Run(NamedTuple):
    """One run of a project: how it is started, and what a careful reader knows about it then."""

    name: str
    """The repository, with a number if it has several runs."""
    repository: str
    commit: str
    folder: str
    """The folder of the repository in which the check is started; empty for its top."""
    arguments: tuple[str, ...]
    """What the check gets: run files, or ``--`` and a command."""
    facts: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The run in one line, as one would type it."""
        return " ".join(word for word in self.arguments if word != "--")


class Verdict(NamedTuple):
    """What a check says about one fact that a reader knows."""

    fact: str
    expected: Any
    verdict: str
    stated: Any
    """The value that the check states; None if the fact is missing."""
    why: str
    """Its source; the reason why it is unknown if it is missing."""


class Score(NamedTuple):
    """The verdicts on one run, and the time of its check in seconds."""

    run: Run
    verdicts: tuple[Verdict, ...]
    seconds: float

    def count(self, verdict: str) -> int:
        """Return how many facts have this verdict."""
        return sum(one.verdict == verdict for one in self.verdicts)


def read_runs(text: str) -> list[Run]:
    """Return the runs of a file such as projects.toml. Raises ValueError, naming the run, for one that is malformed."""
    runs: list[Run] = []
    tables = tomli.loads(text).get("runs", [])
    several = Counter(table.get("repository") for table in tables)
    for number, table in enumerate(tables, start=1):
        where = f"run {number} ({table.get('repository', 'no repository')})"
        if unknown := set(table) - _KEYS:
            raise ValueError(f"{where}: unknown keys: {', '.join(sorted(unknown))}")
        if missing := _KEYS - {"command", "files", "folder"} - set(table):
            raise ValueError(f"{where}: missing keys: {', '.join(sorted(missing))}")
        if not re.fullmatch(r"[0-9a-f]{40}", table["commit"]):
            raise ValueError(f"{where}: the commit is not 40 hexadecimal digits")
        if ("command" in table) == ("files" in table):
            raise ValueError(f"{where}: needs either command or files")
        arguments = ("--", *shlex.split(table["command"])) if "command" in table else tuple(table["files"])
        facts = _flat(table["facts"])
        if not facts:
            raise ValueError(f"{where}: has no facts")
        name = repository = table["repository"]
        if several[repository] > 1:
            name += f" [{1 + sum(run.repository == repository for run in runs)}]"
        runs.append(Run(name, repository, table["commit"], table.get("folder", ""), arguments, facts))
    return runs


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the facts of a table, whose keys may be quoted (``"plan.model"``) or dotted (``plan.model``)."""
    facts: dict[str, Any] = {}
    for name, value in table.items():
        facts |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value}
    return facts


def compare(expected: Mapping[str, Any], report: Mapping[str, Any]) -> tuple[Verdict, ...]:
    """Compare the facts that a reader knows with those of the JSON report of a check."""
    known, likely = report.get("facts", {}), report.get("likely", {})
    verdicts = []
    for fact, value in expected.items():
        if fact in known:
            source = report.get("sources", {}).get(fact, "")
            verdicts.append(Verdict(fact, value, KNOWN if same(value, known[fact]) else FALSE, known[fact], source))
        elif fact in likely:
            one = likely[fact]
            verdict = LIKELY if same(value, one["value"]) else LIKELY_FALSE
            verdicts.append(Verdict(fact, value, verdict, one["value"], one.get("source", "")))
        else:
            verdicts.append(Verdict(fact, value, MISSING, None, report.get("unknown", {}).get(fact, "no reason given")))
    return tuple(verdicts)


def same(expected: Any, stated: Any) -> bool:
    """Return whether a value in the file is the value in a report; "none" also stands for null, 1 is not true."""
    if isinstance(expected, bool) or isinstance(stated, bool):
        return expected is stated
    if isinstance(expected, list) and isinstance(stated, list):
        # A fact of several values is no sequence: modules, or one equal value per GPU.
        return len(expected) == len(stated) and all(any(same(one, other) for other in stated) for one in expected)
    if expected == _NONE:
        # Of some facts, "none" is a value: a device to which nothing is offloaded.
        return stated is None or bool(stated == _NONE)
    return bool(expected == stated)


def reason(text: str) -> str:
    """Return the reason of a missing fact without what differs from one file to the next, to count it."""
    for pattern, replacement in _DIFFERS:
        text = pattern.sub(replacement, text)
    return text


def checkout(folder: Path, repository: str) -> Path | None:
    """Return the checkout of a repository, OWNER/NAME, in `folder`; None if there is none."""
    found = (folder / repository.replace("/", "+"), folder / repository)
    return next((path for path in found if path.is_dir()), None)


def _commit(path: Path) -> str:
    """Return the commit of a checkout; empty if git cannot tell."""
    command = ["git", "-C", str(path), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def checked(folder: Path, arguments: Iterable[str], limit: float) -> tuple[dict[str, Any], float]:
    """Check in `folder`; return the report, with an `error` in place of facts if there is none, and the seconds."""
    # Variables of this machine's user decide nothing about a run, and configure nothing of vcompat.
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    began = time.perf_counter()
    try:
        done = subprocess.run(
            [*_CHECK, *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=limit,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"not finished after {limit:g} seconds"}, limit
    seconds = time.perf_counter() - began
    try:
        report: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip() or "no output").splitlines()[-1]
        return {"error": f"the check ends with exit code {done.returncode}: {last}"}, seconds
    return report, seconds


def score(run: Run, folder: Path, limit: float) -> Score:
    """Check a run in the checkout at `folder`."""
    report, seconds = checked(folder / run.folder, run.arguments, limit)
    if error := report.get("error"):
        return Score(
            run, tuple(Verdict(fact, value, MISSING, None, error) for fact, value in run.facts.items()), seconds
        )
    return Score(run, compare(run.facts, report), seconds)


def table(scores: Iterable[Score], bare: float) -> Iterable[str]:
    """Yield the lines of the table: a line per run, and one for all."""
    scores = list(scores)
    yield f"{'run':{_NAME}} known likely false  likely missing  of   time"
    yield f"{'':{_NAME}} right  right         false"
    width = dict(zip(VERDICTS, (5, 6, 5, 7, 7), strict=True))
    for name, some, seconds in [
        *((one.run.name, [one], one.seconds) for one in scores),
        (f"{len(scores)} runs of {len({one.run.repository for one in scores})} repositories", scores, 0.0),
    ]:
        counts = " ".join(f"{sum(one.count(verdict) for one in some):{width[verdict]}}" for verdict in VERDICTS)
        total = sum(len(one.verdicts) for one in some)
        slow = f"{seconds / bare:5.1f}x" if seconds else ""
        yield f"{name:{_NAME}} {counts} {total:3} {slow}".rstrip()


def _summary(scores: list[Score]) -> Iterable[str]:
    """Yield the shares that are the goal: right, false, and likely but false."""
    counts = Counter(one.verdict for every in scores for one in every.verdicts)
    total, likely = sum(counts.values()), counts[LIKELY] + counts[LIKELY_FALSE]
    right = counts[KNOWN] + counts[LIKELY]
    yield f"right: {right} of {total} facts ({right / max(1, total):.0%}); false: {counts[FALSE]}"
    share = counts[LIKELY_FALSE] / max(1, likely)
    yield f"likely and false: {counts[LIKELY_FALSE]} of {likely} likely facts ({share:.0%})"


def _times(scores: list[Score], folder: Path, bare: float) -> Iterable[str]:
    """Yield how much longer checks take than one without run files: of the largest launch scripts, and at most."""
    sizes = {index: _launch_size(one.run, folder) for index, one in enumerate(scores)}
    largest = sorted((index for index in sizes if sizes[index]), key=lambda index: -sizes[index])[:5]
    if largest:
        times = ", ".join(f"{scores[index].seconds / bare:.1f}x ({sizes[index] / 1000:.1f} KB)" for index in largest)
        yield f"the five largest launch scripts: {times}; the goal is at most 20x"
    slowest = max(scores, key=lambda one: one.seconds, default=None)
    if slowest is not None:
        yield f"the slowest run: {slowest.seconds / bare:.1f}x ({slowest.run.name}); the goal is at most 50x"


def _launch_size(run: Run, folder: Path) -> int:
    """Return the bytes of the launch script of a run; 0 if it has none."""
    here = (checkout(folder, run.repository) or folder) / run.folder
    paths = [here / word for word in run.arguments if word.endswith((".sh", ".slurm", ".sbatch"))]
    return max((path.stat().st_size for path in paths if path.is_file()), default=0)


def _details(scores: list[Score], everything: bool) -> Iterable[str]:
    """Yield false facts, the reasons of missing ones, and, with `everything`, each missing fact."""
    for every in scores:
        for one in every.verdicts:
            if one.verdict in (FALSE, LIKELY_FALSE):
                source = f" ({one.why})" if one.why else ""
                yield f"{one.verdict}: {one.fact} is {one.expected!r}, stated as {one.stated!r}{source}"
                yield f"    {_title(every.run)}"
    missing = [one for every in scores for one in every.verdicts if one.verdict == MISSING]
    names = Counter(one.fact for one in missing).most_common(12)
    if names:
        yield from wrap(f"missing most often: {', '.join(f'{name} ({count})' for name, count in names)}", _LINE)
    reasons = Counter(reason(one.why) for one in missing)
    if reasons:
        yield "reasons of missing facts:"
    yield from (f"{count:5}  {text}"[:_LINE] for text, count in reasons.most_common(None if everything else 15))
    for every in scores if everything else ():
        absent = [one for one in every.verdicts if one.verdict == MISSING]
        if absent:
            yield _title(every.run)
        yield from (f"    {one.fact} = {one.expected!r}: {one.why}" for one in absent)


def _title(run: Run) -> str:
    """Return a run's name, folder and command."""
    return f"{run.name}: {f'cd {run.folder}; ' if run.folder else ''}{run.text}"


def _bare(limit: float) -> float:
    """Return the seconds of a check without run files: the median of five."""
    return median(checked(ROOT / "examples", (), limit)[1] for _ in range(5))


def main() -> int:
    """Print the score; return 1 if a known fact is false."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="checkouts of the repositories, as OWNER+NAME or OWNER/NAME")
    parser.add_argument("--only", default="", metavar="TEXT", help="only runs with this text in name or command")
    parser.add_argument("--table", type=Path, default=FILE, metavar="FILE", help="other runs (default: projects.toml)")
    parser.add_argument("--missing", action="store_true", help="list every missing fact, with the reason")
    parser.add_argument("--limit", type=float, default=120, metavar="SECONDS", help="limit of a check (default: 120)")
    options = parser.parse_args()
    runs = [run for run in read_runs(options.table.read_text("utf-8")) if options.only in _title(run)]
    absent: Counter[str] = Counter()
    other, scores, bare = {}, [], _bare(options.limit)
    for run in runs:
        path = checkout(options.folder, run.repository)
        if path is None:
            absent[run.repository] += 1
            continue
        if (commit := _commit(path)) != run.commit:
            other[run.repository] = f"{run.repository} is at {commit[:12] or 'no commit'}, not at {run.commit[:12]}"
        scores.append(score(run, path, options.limit))
    times = _times(scores, options.folder, bare)
    lines = [*table(scores, bare), "", *_summary(scores), *times, *_details(scores, options.missing)]
    print("\n".join(lines))
    for line in other.values():
        print(f"another commit: {line}")
    if absent:
        print(f"no checkout for {absent.total()} runs: {', '.join(absent)}")
    return int(any(one.count(FALSE) for one in scores))


if __name__ == "__main__":
    sys.exit(main())
