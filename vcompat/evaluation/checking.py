"""A whole check: facts gathered, rules evaluated, findings judged; also that of a project, by its own settings."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from vcompat.evaluation.config import Config, find_config, read_config
from vcompat.evaluation.evaluate import evaluate_runs, not_judged
from vcompat.evaluation.finding import Finding
from vcompat.evaluation.judgement import Judgement, judge, read_baseline
from vcompat.evaluation.nearest import with_values
from vcompat.evaluation.outcome import Outcome
from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts
from vcompat.facts.memory.budget import Budget, budget
from vcompat.facts.records.known_releases import newer_than_recorded
from vcompat.foundation.version import __version__
from vcompat.rules.database import load_rules
from vcompat.rules.rule import Rule
from vcompat.sources.gather import NO_ENVIRONMENT, Gathered, Sources, collect
from vcompat.sources.reading.runs import in_common

if TYPE_CHECKING:
    from datetime import date

    from vcompat.evaluation.compiled import Compile, Compiled
    from vcompat.sources.reading.part import Mention


class Assessed(NamedTuple):
    """The facts of a check, and its judgement."""

    gathered: Gathered
    runs: tuple[tuple[str, Facts], ...]
    """The facts of each run, with derived ones, and its name."""
    judgement: Judgement
    compiled: Compiled | None = None


def check(sources: Sources, config: Config, rules: tuple[Rule, ...], compile_: Compile | None = None) -> Outcome:
    """Gather facts, evaluate `rules`, judge by the project's settings in `config`.

    `compile_` compiles the kernels that the runs reach. Raises InputError for input that cannot be used.
    """
    gathered, runs, judgement, compiled = assess(sources, config, rules, compile_=compile_)
    facts = in_common(runs)
    return Outcome(
        judgement,
        facts,
        rules,
        __version__,
        runs=tuple((run.name, run.command) for run in gathered.runs) if len(runs) > 1 else (),
        missing=_missing(gathered.plan.missing),
        files=gathered.plan.files or ((config.path,) if config.path else ()),
        subject=_subject(sources),
        stated_by=gathered.stated_by,
        given_up=gathered.plan.given_up,
        newer=tuple(newer_than_recorded(facts)),
        arguments=command_line(sources),
        command=() if sources.hook or sources.folder else tuple(sources.command),
        threshold=config.fail_on or "error",
        strict=config.strict,
        fail_on_likely=config.fail_on_likely,
        budget=_budget(facts),
        not_judged=not_judged(rules, facts.presumed()),
        compiled=compiled,
    )


def _missing(mentions: Iterable[Mention]) -> tuple[tuple[str, str], ...]:
    if not mentions:
        return ()
    # Imported here: only run files name files.
    from vcompat.sources.reading.word import readable

    return tuple((readable(mention.path), str(mention.place)) for mention in mentions)


def _budget(facts: Facts) -> Budget | None:
    """Return the memory budget. What is likely counts, and is said to be so."""
    certain = budget(facts)
    likely = budget(facts.presumed()) if facts.has_likely else certain
    return likely._replace(is_likely=True) if likely is not None and likely != certain else certain


def assess(
    sources: Sources,
    config: Config,
    rules: tuple[Rule, ...],
    around: Facts | None = None,
    compile_: Compile | None = None,
) -> Assessed:
    """The part of `check` that depends on the run files. `around` is what `surroundings` returned for `sources`.

    Raises InputError for input that cannot be used.
    """
    gathered = collect(sources, around)
    runs = tuple((run.name, derive(run.facts, run.takes_defaults)) for run in gathered.runs)
    accepted = read_baseline(config.baseline) if config.baseline else frozenset()
    compiled = compile_(runs) if compile_ else None
    if compiled:
        _state(compiled, runs)
    findings = with_values(evaluate_runs(rules, runs), rules, gathered.runs)
    if compiled:
        # Imported here, as below: few checks compile.
        from vcompat.evaluation.compiled import combined

        findings = combined(findings, compiled, rules, [name for name, _ in runs])
    return Assessed(gathered, runs, judge(findings, rules, config.suppressions, accepted, today), compiled)


def judged(rules: tuple[Rule, ...], facts: Facts, config: Config) -> Judgement:
    """Evaluate `rules` on the `facts` of one run, with derived ones; judge by the project's settings.

    Raises InputError for a baseline that cannot be read.
    """
    accepted = read_baseline(config.baseline) if config.baseline else frozenset()
    return judge(evaluate_runs(rules, [("", facts)]), rules, config.suppressions, accepted, today)


def _state(compiled: Compiled, runs: Iterable[tuple[str, Facts]]) -> None:
    """State the kernels that fail and that a run reaches for certain."""
    from vcompat.evaluation.compiled import FACT, FAILS

    for name, facts in runs:
        own = [one for one in compiled.attempts if name in one.runs and not one.needs]
        failing = tuple(dict.fromkeys(one.call for one in own if one.outcome == FAILS))
        if failing:
            facts.set(FACT, failing, f"compiled with {compiled.with_what}")


def check_project(folder: str) -> Outcome:
    """The check of the project in `folder`, by its own settings. Raises InputError."""
    config = _config(folder)
    return check(sources(config), config, load_rules(thorough=False))


def certain_findings(folder: str) -> dict[str, Finding | None]:
    """For every rule id, the finding if the rule applies for certain here, by the settings of `folder`."""
    rules = load_rules(thorough=False)
    gathered = collect(sources(_config(folder)))
    findings = evaluate_runs(rules, [(run.name, derive(run.facts, run.takes_defaults)) for run in gathered.runs])
    applied = {finding.rule.id: finding for finding in findings if finding.is_certain}
    return {rule.id: applied.get(rule.id) for rule in rules}


def sources(config: Config) -> Sources:
    """Where facts come from, by the project's settings."""
    return Sources(
        files=[os.path.normpath(path) for path in config.plan],
        settings=config.settings,
        facts_files=config.facts,
        target=config.target,
        environment="" if config.environment == NO_ENVIRONMENT else config.environment,
        project=config.environment != NO_ENVIRONMENT,
        python=config.python,
        command=config.command,
        folder=config.command_folder,
    )


def command_line(sources: Sources) -> tuple[str, ...]:
    """The words of a command line that names the same `sources`, without the command after ``--``."""
    words = list(sources.files)
    words += ["--target", sources.target] if sources.target else []
    environment = sources.environment or ("" if sources.project else NO_ENVIRONMENT)
    words += ["--env", environment] if environment else []
    words += ["--newest"] if sources.newest else []
    words += ["--python", sources.python] if sources.python else []
    for path in sources.facts_files:
        words += ["--facts", path]
    for name, value in sources.settings.items():
        words += ["--set", f"{name}={value}"]
    return (*words, *(() if sources.probe else ("--no-probe",)))


def _subject(sources: Sources) -> str:
    """What is checked, if no run file was read."""
    if sources.command and not sources.hook:
        return "the command"
    named = [name for name in (*sources.files, sources.environment, sources.python, *sources.facts_files) if name]
    if named:
        return ", ".join(named)
    if not sources.probe:
        return "what the command line states"
    return "this environment" if sources.target else "this machine"


def _config(folder: str) -> Config:
    path = find_config(folder)
    return read_config(path) if path else Config()


def today() -> date:
    """Return the day on which suppressions are judged."""
    # Imported here: only suppressions need the date.
    from datetime import date

    return date.today()
