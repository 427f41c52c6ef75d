"""``vcompat run``."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from vcompat.cli.shared.options import color_option
from vcompat.cli.shared.patch_options import chosen, patch_options
from vcompat.cli.shared.terminal import width
from vcompat.patching.launching import HOOK, RUN_FOLDER, environment_of_run
from vcompat.patching.run_folder import NoFolderError, make_private, new_folder, new_name
from vcompat.report.parts.layout import printable
from vcompat.sources.probe import nvml

if TYPE_CHECKING:
    from vcompat.evaluation.config import Config
    from vcompat.evaluation.outcome import Outcome
    from vcompat.sources.gather import Sources

#: Exit codes of a shell for a program that cannot be executed, and for one that does not exist.
_NOT_EXECUTABLE, _NOT_FOUND = 126, 127


@click.command(context_settings={"ignore_unknown_options": False, "allow_interspersed_args": False})
@patch_options
@click.option(
    "--watch/--no-watch",
    default=True,
    help="Print a diagnosis below the traceback that ends the training (default: on).",
)
@click.option("--no-check", is_flag=True, help="Start the command without a check.")
@click.option("--force", is_flag=True, help="Start the command also if the check fails.")
@color_option
@click.argument("words", nargs=-1, required=True, metavar="-- COMMAND...", type=click.UNPROCESSED)
def command(
    only: Sequence[str], skip: Sequence[str], watch: bool, no_check: bool, force: bool, words: Sequence[str]
) -> int:
    """Check COMMAND, then start it with the patches in each Python process that it starts.

    The check is that of `vcompat check`, with COMMAND as the launch and by the project's settings. It prints to
    standard error. If it fails, the findings are printed, and COMMAND is not started, unless --force is given.

    COMMAND replaces this process: it has the same process ID, standard streams and signals, and its exit code. No file
    of the user is changed. A process gets the patches when it imports a package that they change. Each such process
    writes which patches it applied to a folder that `vcompat status` reads: VCOMPAT_RUN_DIR, or a new one. If
    an exception ends the training, the process that failed first prints what is known about it below the traceback.

    The patches come by PYTHONPATH. They do not reach a Python started with -I, -E or -S, one whose environment or
    PYTHONPATH is replaced, one in a container or on another machine that does not get this environment, actors of a Ray
    cluster that was started before, and a Python older than 3.10.

    Exit code: that of COMMAND; 1 if the check fails, 2 for input that cannot be used, 126 and 127 as a shell has them.
    """
    patches = chosen(only, skip)
    if not no_check and not may_start(words, patches, force):
        return 1
    folder = _folder()
    # Not its arguments, which may be secrets, and this line may get into a log.
    program = printable(os.path.basename(words[0]))
    see = f"; see `vcompat status --run {printable(folder)}`" if folder else ""
    say_to_user(f"vcompat: starting {program} with {len(patches)} {'patch' if len(patches) == 1 else 'patches'}{see}")
    name = new_name(os.environ) if watch else ""
    return _become(words, environment_of_run(inherited(), patches, folder, name))


def _folder() -> str:
    """Return the folder of the run; empty if the user named none and none can be made. Raises InputError."""
    named = os.environ.get(RUN_FOLDER)
    try:
        return make_private(named) if named else new_folder(os.environ)
    except NoFolderError as error:
        if named:
            raise
        say_to_user(f"vcompat: no process can write what it applied: {printable(str(error))}")
        return ""


def say_to_user(text: str) -> None:
    """Print to standard error: standard output belongs to the command. What cannot be printed stops nothing."""
    with suppress(OSError):
        click.echo(text, err=True)


def may_start(words: Sequence[str], patches: Sequence[str], force: bool) -> bool:
    """Check the command; print the report if it fails, else what was not checked, and the count. Raises InputError."""
    # Imported here: --no-check needs none of it.
    from vcompat.foundation.errors import InputError
    from vcompat.report.parts.formats import renderer
    from vcompat.report.parts.wording import total

    try:
        outcome = checked(words, patches)
    except InputError as error:
        if not force:
            raise InputError(error.where, error.what, f"{error.expected}, or --no-check") from None
        say_to_user(f"vcompat: {printable(str(error))}")
        return True
    why = outcome.facts.why_unknown("host.patched")
    if why:
        say_to_user(f"vcompat: the patches do not reach the training: {printable(why)}")
    if not outcome.fails:
        for path, _ in outcome.missing:
            say_to_user(f"vcompat: not checked, since it was not found: {printable(path)}")
        say_to_user(f"vcompat: {total(outcome)}.")
        return True
    say_to_user(renderer("text")(outcome).rstrip("\n"))
    if not force:
        say_to_user("vcompat: not started, since the check fails; --force starts it anyway")
    return force


def checked(words: Sequence[str], patches: Sequence[str]) -> Outcome:
    """Check the command with the packages of its Python, by the project's settings. Raises InputError."""
    from vcompat.evaluation.checking import check
    from vcompat.report.parts.formats import relative
    from vcompat.rules.database import load_rules

    sources, config = sources_of(words, patches)
    outcome = check(sources, config, load_rules(thorough=False))
    # The next command names the files, since no option of another command takes a command line.
    return outcome._replace(width=width(), arguments=tuple(map(relative, outcome.files)))


def sources_of(words: Sequence[str], patches: Sequence[str]) -> tuple[Sources, Config]:
    """Return where the facts about the command come from, and the project's settings. Raises InputError."""
    from vcompat.cli.shared.interpreters import python_of
    from vcompat.evaluation.checking import sources as of_project
    from vcompat.evaluation.config import Config, find_config, read_config

    found = find_config()
    config = read_config(found) if found else Config()
    project = of_project(config)
    python = python_of(words)
    sources = project._replace(
        # The project's files describe the run that the command starts; the machine is this one.
        files=(),
        target="",
        environment="",
        python=project.python if python is None else python,
        command=words,
        folder="",
        patched=patches,
        hook=HOOK,
    )
    return sources, config


def inherited() -> dict[str, str]:
    """Return the environment as it was when this process started, without what Python itself has set in it."""
    environment = dict(os.environ)
    try:
        with open("/proc/self/environ", "rb") as file:
            is_ours = b"\0LC_CTYPE=" not in b"\0" + file.read()
    except OSError:
        is_ours = False
    if is_ours:
        # Python sets it where the locale is C.
        environment.pop("LC_CTYPE", None)
    return environment


def _become(words: Sequence[str], environment: dict[str, str]) -> int:
    """Replace this process by the command. Returns an exit code if that fails."""
    for stream in (sys.stdout, sys.stderr):
        # Python has None for a stream that was closed when it started.
        if stream is not None:
            with suppress(OSError):
                stream.flush()
    nvml.drop_early()
    # Python ignores these signals; a program that is started directly does not.
    for name in ("SIGPIPE", "SIGXFSZ"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        os.execvpe(words[0], list(words), environment)
    except (OSError, ValueError) as error:
        say_to_user(f"vcompat: {words[0]}: {getattr(error, 'strerror', None) or error}")
        return _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_EXECUTABLE
