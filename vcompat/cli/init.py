"""``vcompat init``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from vcompat.cli.shared.options import color_option, path, target_option
from vcompat.cli.shared.terminal import say
from vcompat.evaluation.config import FILES, find_config
from vcompat.fixes.new_project import CI, Origin, Planned, ci_files, installed_from, run_files, settings_file
from vcompat.foundation.errors import InputError
from vcompat.foundation.writing import write_whole

_TEMPLATES = Path(__file__).resolve().parent / "templates"
_CHECKOUT = Path(__file__).resolve().parents[2] / "templates"


@click.command()
@click.argument("files", nargs=-1, metavar="[RUN FILES]...", type=path)
@target_option
@click.option("--env", "environment", default="", metavar="PATH", type=path, help="The lock file of the run.")
@click.option("--ci", type=click.Choice(CI), help="Write the CI file of this system, too.")
@click.option(
    "--from",
    "origin",
    metavar="URL@REVISION",
    help="The repository and revision of vcompat that CI installs (default: those that vcompat was installed from).",
)
@click.option("--write", is_flag=True, help="Write the files.")
@color_option
def command(
    files: Sequence[str], target: str, environment: str, ci: str | None, origin: str | None, write: bool
) -> int:
    """Write vcompat.toml, which describes the run of this project, and with --ci a file for its CI.

    Without RUN FILES, the scripts of this folder that use TRL are taken. The files are shown; --write writes them. A
    file that exists is never changed: then its new text is only shown.
    """
    planned = [] if (known := find_config()) else [_settings(files, target, environment)]
    if known:
        say(f"{known} has the settings of this project already.\n")
    if ci is not None:
        planned += ci_files(ci, _origin(origin, ci), _template)
    new = [file.path for file in planned if not os.path.exists(file.path)]
    for file in planned:
        exists = file.path not in new
        say(click.style(f"{file.path}{' exists and is not changed; add this to it:' if exists else ''}", bold=True))
        say("\n".join(f"  {line}".rstrip() for line in file.text.splitlines()) + "\n")
        if write and not exists:
            _write(file)
    say(_summary(new, write))
    return 0


def _write(file: Planned) -> None:
    path = Path(file.path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(str(path.parent), error.strerror or str(error), "a folder") from None
    write_whole(path, file.text, "a file to write")


def _settings(files: Sequence[str], target: str, environment: str) -> Planned:
    for name in (*files, *([environment] if environment else [])):
        if not os.path.exists(name):
            raise InputError(name, "No such file or directory", "a file of the run")
        if not name.isprintable():
            raise InputError(repr(name), "a name that the settings cannot express", "a name in UTF-8")
    found = run_files(".")
    return settings_file(FILES[0], files or found.plan, target, environment or found.environment)


def _origin(text: str | None, system: str) -> Origin:
    if text is None:
        origin = installed_from()
        if origin is None:
            reason = "the repository that vcompat was installed from is not known"
            raise InputError(f"--ci {system}", reason, "--from URL@REVISION")
        return origin
    url, at, revision = text.rpartition("@")
    if not at or not url.startswith("https://") or not revision:
        raise InputError(
            f"--from {text}", "not a repository and a revision", "such as https://HOST/OWNER/vcompat@v0.1.0"
        )
    return Origin(url.removesuffix(".git"), revision)


def _template(name: str) -> str:
    folder = _TEMPLATES if _TEMPLATES.is_dir() else _CHECKOUT
    return (folder / name).read_text(encoding="utf-8")


def _summary(new: Sequence[str], write: bool) -> str:
    if not new:
        return "Nothing to write."
    names = ", ".join(new)
    return f"Wrote {names}.\nNext: vcompat check" if write else f"To write {names}, add --write."
