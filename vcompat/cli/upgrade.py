"""``vcompat upgrade``."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click
from packaging.version import Version

from vcompat.cli.shared.command_words import COMMAND_HELP, TakesCommand
from vcompat.cli.shared.options import FILES_HELP, source_options, sources_of
from vcompat.cli.shared.outputs import WithReports, report_options, reports, write
from vcompat.cli.shared.terminal import width
from vcompat.evaluation.checking import command_line
from vcompat.fixes.releases import Pin, parse_kept
from vcompat.fixes.upgrade_effects import PACKAGES, upgrade
from vcompat.foundation.errors import InputError
from vcompat.report.parts.formats import relative
from vcompat.report.parts.wording import of_run
from vcompat.report.upgrades.upgrade_wording import Subject
from vcompat.rules.database import load_rules
from vcompat.sources.gather import Gathered, Sources, collect

#: The formats, with the file ending that selects each.
_FORMATS = {"text": ".txt", "markdown": ".md", "json": ".json"}
_RENDERERS = {"text": "upgrade_text", "markdown": "upgrade_markdown", "json": "upgrade_json"}


class _Upgrade(TakesCommand, WithReports):
    """A command with reports that takes the command of a run."""


@click.command(cls=_Upgrade, epilog=f"{FILES_HELP} {COMMAND_HELP}")
@click.option(
    "--to",
    "to",
    multiple=True,
    required=True,
    metavar="RANGE",
    help="The new release, such as trl==1.16.0; of a range such as 'trl>=1' or trl, the newest that works with the "
    "others. May be repeated.",
)
@click.option(
    "--from",
    "before",
    multiple=True,
    metavar="RELEASE",
    help="A release that the project has now, such as trl==0.19.0, if no file states it. May be repeated.",
)
@source_options
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Print changed defaults that no rule is about, and the failures that stay.",
)
@report_options(_FORMATS)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    to: Sequence[str],
    before: Sequence[str],
    everything: bool,
    formats: Sequence[str],
    outputs: Sequence[str],
    **where: Any,
) -> int:
    """Report what breaks in a run with newer releases, and what to change with them.

    The present releases are those that a check has: of --env, of this machine or of the files of the project. The
    report has what stops working, settings that do not exist any more, failures that begin and end, releases that must
    change, too, and settings whose default changes and that the run does not set.

    Exit code: 0; 1 if something stops working, an error begins, or no releases work together; 2 for input that cannot
    be used.
    """
    wanted = reports(ctx, formats, outputs, _FORMATS)
    asked = parse_kept(to, "--to", PACKAGES)
    config, sources = sources_of(where)
    gathered = collect(sources)
    stated = list(map(_release, before))
    upgraded = upgrade(gathered, config, load_rules(thorough=False), asked, stated)
    subject = _subject(gathered, sources, stated)._replace(fails=upgraded.breaks(config))

    def render(form: str) -> str:
        module = import_module(f"vcompat.report.upgrades.{_RENDERERS[form]}")
        return str(module.render(upgraded, subject, width(), everything))

    write(wanted, render)
    return 1 if subject.fails else 0


def _release(text: str) -> Pin:
    """Return a release as ``--from`` states it. Raises InputError."""
    ((package, allowed),) = parse_kept([text], "--from", PACKAGES).items()
    parts = list(allowed)
    if len(parts) != 1 or parts[0].operator not in ("==", "===") or parts[0].version.endswith("*"):
        raise InputError(f"--from {text}", "not one release", f"one such as {package}==0.19.0")
    return Pin(package, Version(parts[0].version))


def _subject(gathered: Gathered, sources: Sources, stated: Sequence[Pin]) -> Subject:
    """Return what is upgraded, in words. `stated` are the present releases of ``--from``."""
    files = gathered.plan.files or tuple(filter(None, (*sources.files, sources.environment, sources.python)))
    settings = {name: text for name, text in sources.settings.items() if not name.startswith("packages.")}
    releases = [f"{name}={text}" for name, text in sources.settings.items() if name not in settings]
    present = [("--set", text) for text in releases] + [("--from", f"{one.package}=={one.version}") for one in stated]
    return Subject(
        tuple(map(relative, files)),
        tuple(map(relative, gathered.stated_by)),
        of_run(gathered.facts),
        command_line(sources._replace(settings=settings)),
        tuple(word for words in present for word in words),
        () if sources.folder else tuple(sources.command),
        fails=False,
    )
