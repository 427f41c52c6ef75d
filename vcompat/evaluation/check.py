"""A whole check: facts gathered, rules held against them, findings judged; and a project's, by its own settings."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from vcompat import __version__
from vcompat.evaluation.config import Config, find_config, read_config
from vcompat.evaluation.evaluate import evaluate, unjudged
from vcompat.evaluation.finding import CERTAIN, Finding
from vcompat.evaluation.judgement import judge, read_baseline
from vcompat.evaluation.outcome import Outcome
from vcompat.facts.derive import derive
from vcompat.rules.database import load_rules
from vcompat.rules.rule import Rule
from vcompat.sources.gather import Sources, collect

if TYPE_CHECKING:
    from datetime import date


def check(
    sources: Sources,
    config: Config,
    rules: tuple[Rule, ...],
    width: int = 100,
) -> Outcome:
    """Gather, evaluate, judge by the project's settings in `config`. `width` is in columns.

    Raises InputError for what cannot be used.
    """
    gathered = collect(sources)
    facts = derive(gathered.facts, gathered.plan.takes_defaults)
    accepted = read_baseline(config.baseline) if config.baseline else frozenset()
    judgement = judge(evaluate(rules, facts), rules, config.suppressions, accepted, _today)
    return Outcome(
        judgement,
        facts,
        rules,
        __version__,
        gathered.plan.files or ((config.path,) if config.path else ()),
        config.fail_on or "error",
        width,
        unjudged(rules, facts),
        config.only_certain,
    )


def check_project(folder: str) -> Outcome:
    """The check of the project in `folder`, by its own settings. Raises InputError."""
    config = _config(folder)
    return check(sources(config), config, load_rules(thorough=False))


def certain_findings(folder: str) -> dict[str, Finding | None]:
    """For every rule, its finding where it strikes for certain in this environment, by the settings of `folder`."""
    rules = load_rules(thorough=False)
    gathered = collect(sources(_config(folder)))
    findings = evaluate(rules, derive(gathered.facts, gathered.plan.takes_defaults))
    struck = {finding.rule.id: finding for finding in findings if finding.certainty == CERTAIN}
    return {rule.id: struck.get(rule.id) for rule in rules}


def sources(config: Config) -> Sources:
    """What the project's settings say of where facts come from."""
    return Sources(
        files=[os.path.normpath(path) for path in config.plan],
        settings=config.settings,
        facts_files=config.facts,
        target=config.target,
        environment=config.environment,
        python=config.python,
    )


def _config(folder: str) -> Config:
    path = find_config(folder)
    return read_config(path) if path else Config()


def _today() -> date:
    # Imported here: only suppressions ask for the day.
    from datetime import date

    return date.today()
