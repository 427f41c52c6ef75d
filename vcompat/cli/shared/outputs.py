"""The options ``--format`` and ``-o`` of commands with several formats, and where each report goes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import click

from vcompat.cli.shared.terminal import say
from vcompat.foundation.errors import InputError

F = TypeVar("F", bound=Callable[..., Any])

#: Formats that are lines of a log; of the others, standard output holds one.
_LINES = ("text", "github")
_ORDER = "vcompat.options"


class Report(NamedTuple):
    """A report that a user asks for."""

    form: str
    """The name of its format."""
    file: str
    """Where it goes; empty for standard output."""


class WithReports(click.Command):
    """Remembers in which order options were given: ``-o`` belongs to the ``--format`` before it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_ORDER] = [param.name for param in self.make_parser(ctx).parse_args(list(args))[2]]
        return super().parse_args(ctx, args)


def report_options(formats: Mapping[str, str]) -> Callable[[F], F]:
    """Return what adds the options to a command; `formats` are the names of formats and the file endings of each."""
    several = "May be repeated, with -o after each, for several reports at once."
    where = "Without one, the file's ending selects the format."

    def add(command: F) -> F:
        command = click.option(
            "-o",
            "--output",
            "outputs",
            multiple=True,
            metavar="FILE",
            type=click.Path(),
            help=f"Write the report of the --format before it to a file. {where}",
        )(command)
        return click.option(
            "--format",
            "formats",
            multiple=True,
            type=click.Choice(list(formats)),
            help=f"The format of a report (default: text). {several}",
        )(command)

    return add


def reports(
    ctx: click.Context, formats: Sequence[str], outputs: Sequence[str], endings: Mapping[str, str]
) -> list[Report]:
    """Return the reports that a command line asks for: at least one. Raises InputError."""
    left, files = list(formats), list(outputs)
    wanted: list[Report] = []
    for name in ctx.meta[_ORDER]:
        if name == "formats":
            wanted.append(Report(left.pop(0), ""))
        elif name == "outputs" and wanted and not wanted[-1].file:
            wanted[-1] = wanted[-1]._replace(file=files.pop(0))
        elif name == "outputs":
            file = files.pop(0)
            wanted.append(Report(_format_of(file, endings), file))
    printed = [report.form for report in wanted if not report.file]
    if len(printed) > 1 and not set(printed) <= set(_LINES):
        both = " and ".join(f"--format {name}" for name in printed)
        raise InputError(ctx.command_path, f"{both} would share standard output", "-o FILE for all but one")
    return wanted or [Report("text", "")]


def check_files(reports: Sequence[Report]) -> None:
    """Raise InputError if a report has a file that cannot be written, before work is done for it."""
    for _, file in reports:
        folder = os.path.dirname(file) or "."
        if file and (os.path.isdir(file) or not os.access(file if os.path.exists(file) else folder, os.W_OK)):
            what = "a folder" if os.path.isdir(file) else "cannot be written"
            raise InputError(file, what, "a file to write the report to")


def write(reports: Sequence[Report], render: Callable[[str], str]) -> None:
    """Print or write each report; `render` returns the text of a format. Raises InputError."""
    for form, file in reports:
        text = render(form)
        if file:
            # Imported here: most commands write no file.
            from pathlib import Path

            from vcompat.foundation.writing import write_whole

            write_whole(Path(file), click.unstyle(text).rstrip("\n") + "\n", "a file to write the report to")
        elif text:
            say(text.rstrip("\n"))


def _format_of(file: str, endings: Mapping[str, str]) -> str:
    ending = os.path.splitext(file)[1].lower()
    form = next((name for name, usual in endings.items() if usual and usual == ending), "")
    if not form:
        raise InputError(
            f"-o {file}", "the file's ending selects no format", "--format before it: " + ", ".join(endings)
        )
    return form
