"""``vcompat rehearse``."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from vcompat.cli.run import checked, inherited, may_start, say_to_user, sources_of
from vcompat.cli.shared.options import color_option
from vcompat.cli.shared.outputs import WithReports, check_files, report_options, reports, write
from vcompat.cli.shared.patch_options import chosen, patch_options
from vcompat.cli.shared.rehearsed import FACTS, LEDGERS, LOG, VERDICT
from vcompat.cli.shared.terminal import status, width
from vcompat.foundation.errors import InputError
from vcompat.foundation.version import __version__
from vcompat.foundation.writing import write_whole
from vcompat.patching.launching import environment_of_run
from vcompat.patching.run_folder import make_private
from vcompat.report.parts.layout import printable

if TYPE_CHECKING:
    from vcompat.evaluation.config import Config
    from vcompat.evaluation.finding import Finding
    from vcompat.facts.facts import Facts
    from vcompat.rehearsal.protocol import Told
    from vcompat.rehearsal.verdict import Check, Estimate, Rehearsal
    from vcompat.rules.rule import Rule

FORMATS: Mapping[str, str] = {"text": ".txt", "json": ".json", "html": ".html", "trace": ".trace"}
_CODES = {"passed": 0, "failed": 1, "not exercised": 2}


@click.command(cls=WithReports, context_settings={"ignore_unknown_options": False, "allow_interspersed_args": False})
@patch_options
@click.option("--steps", type=click.IntRange(2, 100), default=3, show_default=True, help="Generations to rehearse.")
@click.option(
    "--stuck-after",
    type=click.FloatRange(1),
    default=300,
    show_default=True,
    metavar="SECONDS",
    help="End a run in which no rank makes progress for this long.",
)
@click.option("--tiny", is_flag=True, help="Replace the model by a random one of two layers.")
@click.option("--keep", default="", metavar="DIR", type=click.Path(), help="Keep the output and all events there.")
@click.option("--no-check", is_flag=True, help="Start the command without a check.")
@click.option("--force", is_flag=True, help="Start the command also if the check fails.")
@report_options(FORMATS)
@color_option
@click.argument("words", nargs=-1, required=True, metavar="-- COMMAND...", type=click.UNPROCESSED)
@click.pass_context
def command(
    ctx: click.Context, /, formats: Sequence[str], outputs: Sequence[str], words: Sequence[str], **options: Any
) -> int:
    """Run COMMAND for a few steps, and report which hazardous transitions of the run held.

    COMMAND is checked and gets the patches as by `vcompat run`. TRL's GRPOTrainer makes a few steps with the first few
    samples. It saves, reports and pushes nothing; where its train() returns, the process ends, so that nothing after it
    is run. The output folder and the caches of vLLM and Triton are temporary.

    Before each generation, the trained weights are moved, and restored to the same bits after it. vLLM's probabilities
    must then be those that the trainer computes with the moved weights, and each parameter in vLLM must have changed.

    Exit code: 0 passed, 1 failed or the check fails, 2 if the weights were not exercised, or for input that cannot be
    used.
    """
    wanted = reports(ctx, formats, outputs, FORMATS)
    check_files(wanted)
    patches = chosen(options["only"], options["skip"])
    if not options["no_check"] and not may_start(words, patches, options["force"]):
        refusal = _refused(words, patches)
        # The findings are printed already, as `vcompat run` does.
        write([one for one in wanted if one.file or one.form != "text"], lambda form: _rendered(form, refusal))
        return _CODES[refusal.status]
    folder = make_private(options["keep"]) if options["keep"] else tempfile.mkdtemp(prefix="vcompat-rehearsal-")
    kept = folder if options["keep"] else ""
    if os.listdir(folder):
        raise InputError(folder, "not empty", "a new folder")
    try:
        outcome = _rehearsed(words, patches, folder, options)
        kept = folder if outcome.status == "failed" else kept
        outcome = outcome._replace(folder=kept, width=width())
        if kept:
            write_whole(Path(folder, VERDICT), _rendered("json", outcome))
    finally:
        if folder != kept:
            shutil.rmtree(folder, ignore_errors=True)
    write(wanted, lambda form: _rendered(form, outcome))
    if all(one.file for one in wanted):
        _say_shortly(outcome)
    return _CODES[outcome.status]


def _say_shortly(outcome: Rehearsal) -> None:
    """Print the first line of the verdict, and what failed: the reports are in files."""
    from vcompat.report.rehearsals.rehearsal_text import headline

    say_to_user(f"vcompat: rehearsal {outcome.status}: {headline(outcome)}")
    for check in outcome.checks:
        if check.status == "failed":
            say_to_user(f"vcompat: {check.name}: {printable(check.text)}")
    if outcome.folder:
        say_to_user(f"vcompat: kept {printable(outcome.folder)}")


def _rendered(form: str, outcome: Rehearsal) -> str:
    return str(import_module(f"vcompat.report.rehearsals.rehearsal_{form}").render(outcome))


def _refused(words: Sequence[str], patches: Sequence[str]) -> Rehearsal:
    """The outcome for a command whose check fails."""
    from vcompat.rehearsal.rehearsal_outcome import refused
    from vcompat.rehearsal.verdict import Cause

    findings = [one for one in checked(words, patches).judgement.findings if not one.fixed_by]
    certain = [one for one in findings if one.is_certain]
    causes = [Cause(one.rule.id, one.rule.title, one.certainty) for one in certain or findings]
    return refused(printable(os.path.basename(words[0])), causes)._replace(version=__version__, width=width())


def _rehearsed(words: Sequence[str], patches: Sequence[str], folder: str, options: Mapping[str, Any]) -> Rehearsal:
    # Imported here: a command that fails the check needs none of it.
    from vcompat.rehearsal.command import carry_out
    from vcompat.rehearsal.explained import explained
    from vcompat.rehearsal.protocol import read_folder
    from vcompat.rehearsal.rehearsal_outcome import outcome_of
    from vcompat.rules.database import load_rules

    log = os.path.join(folder, LOG)
    environment = _environment(patches, folder, options)
    program = printable(os.path.basename(words[0]))
    say_to_user(f"vcompat: rehearsing {program}; its output is in {log}")
    try:
        with status() as show:
            ended = carry_out(words, environment, log, options["stuck_after"], lambda text: show(f"vcompat: {text}"))
    except (OSError, ValueError) as error:
        what = getattr(error, "strerror", None) or str(error)
        raise InputError(words[0], what, "a command that can be started") from None
    told = read_folder(folder)
    rules = load_rules(thorough=False)
    known = _known(words, patches, told, log, rules)
    outcome = outcome_of(program, told, ended, _estimate(known, told, options["tiny"]))
    outcome = outcome._replace(version=__version__, patches=_applied(environment))
    if any(one.trainer for one in told):
        off = "--no-check" if options["no_check"] else "--force" if options["force"] else ""
        outcome = outcome._replace(checks=(*outcome.checks, _known_failures(known, off)))
    if outcome.status == "failed":
        causes, failure = explained(outcome, log, known.facts, known.findings, rules)
        outcome = outcome._replace(causes=causes, failure=failure)
    return outcome


class _Known(NamedTuple):
    """What is known of the run, with the settings that its trainer had."""

    facts: Facts
    config: Config
    findings: Sequence[Finding]
    problem: str
    """Why nothing is known; empty if something is."""


def _known(
    words: Sequence[str], patches: Sequence[str], told: Sequence[Told], log: str, rules: Sequence[Rule]
) -> _Known:
    """Gather the facts of the run, judge them by the rules, and write them beside the log."""
    from vcompat.evaluation.checking import judged
    from vcompat.evaluation.config import Config
    from vcompat.facts.facts import Facts
    from vcompat.rehearsal.known import facts_of, stated_facts
    from vcompat.sources.gather import collect
    from vcompat.sources.probe.probe_report import of_facts

    try:
        sources, config = sources_of(words, patches)
        gathered = collect(sources)
        facts = facts_of(told, gathered)
        findings = judged(tuple(rules), facts, config).findings
    except InputError as error:
        # The rehearsal has its verdict nevertheless.
        return _Known(Facts(), Config(), (), printable(str(error)))
    table = of_facts(stated_facts(told, gathered), __version__)
    write_whole(Path(log).with_name(FACTS), json.dumps(table, indent=2))
    return _Known(facts, config, findings, "")


def _known_failures(known: _Known, off: str) -> Check:
    """The check of known failures. `off` is the option that has switched the check off, if one has."""
    from vcompat.rehearsal.known import known_failures, not_checked

    if off or known.problem:
        return not_checked(off or known.problem)
    return known_failures(known.findings, known.config.fail_on or "error", known.config.strict)


def _estimate(known: _Known, told: Sequence[Told], is_tiny: bool) -> Estimate:
    """What a check of the run estimates of the memory on a GPU."""
    from vcompat.facts.memory.budget import budget
    from vcompat.rehearsal.memory import estimate_of
    from vcompat.rehearsal.verdict import NO_ESTIMATE, Estimate

    if not any(one.memory.gpus for one in told):
        return NO_ESTIMATE
    if is_tiny or known.problem:
        return Estimate(why="the model is a tiny one" if is_tiny else known.problem)
    return estimate_of(budget(known.facts), told)


def _environment(patches: Sequence[str], folder: str, options: Mapping[str, Any]) -> dict[str, str]:
    from vcompat.rehearsal.surroundings import copy_compiled, copy_known_models, surroundings

    environment = environment_of_run(inherited(), patches, os.path.join(folder, LEDGERS), "")
    result = {**environment, **surroundings(folder, options["steps"], options["stuck_after"], options["tiny"])}
    copy_known_models(environment, result)
    copy_compiled(environment, result)
    return result


def _applied(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The patches that a process of the command applied, by their ledgers."""
    from vcompat.patching.launching import RUN_FOLDER
    from vcompat.patching.process_reports import read_process
    from vcompat.patching.run_folder import files_of

    folder = environment[RUN_FOLDER]
    if not os.path.isdir(folder):
        return ()
    ledgers = (read_process(path).patches for path in files_of(folder))
    return tuple(sorted({name for one in ledgers for name, entry in one.items() if entry.status == "applied"}))
