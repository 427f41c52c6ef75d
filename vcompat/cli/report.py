"""``vcompat report``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from vcompat.cli.shared.options import around_options, color_option, path, set_option, split
from vcompat.cli.shared.outputs import Report, write
from vcompat.cli.shared.rehearsed import expanded

if TYPE_CHECKING:
    from vcompat.report.diagnoses.issue import Known


@click.command()
@click.argument("logs", nargs=-1, metavar="[LOG]...", type=path)
@click.option(
    "--anonymize",
    "--anonymise",
    "anonymous",
    is_flag=True,
    help="Replace names of users, hosts and private models, keys, addresses and paths.",
)
@around_options
@click.option("-o", "--output", "file", metavar="FILE", type=path, help="Write the report to a file.")
@set_option
@color_option
def command(
    logs: Sequence[str], anonymous: bool, files: tuple[str, ...], here: bool, file: str | None, settings: Sequence[str]
) -> int:
    """Print what to send upstream about a failure, as Markdown.

    That is what failed, the versions, the GPUs and the settings that the logs state, the first traceback without the
    frames that matter to nobody else, and what `vcompat diagnose` states. A LOG is what that command takes, or the
    folder that `vcompat rehearse` kept, with what it has seen. Without one, the facts of this machine are printed.
    --with and --here add what the logs do not state. Nothing is sent.

    With --anonymize, the same name gets the same placeholder, such as <host1>. Of paths, what is behind site-packages
    stays, and the name of the file. Models of well-known organizations stay, such as Qwen/Qwen2.5-7B. Read the result
    before you send it: names in a message of your own code may remain.
    """
    # Imported here: the help needs none of it.
    from vcompat.report.diagnoses.issue import issue

    stated = dict(map(split, settings))
    known = _names_here() if anonymous else None
    if logs:
        from vcompat.diagnosis.diagnosing import diagnose_paths
        from vcompat.diagnosis.stated.around import facts_around
        from vcompat.report.rehearsals.rehearsal_issue import read_verdict
        from vcompat.rules.database import load_rules

        logs, files, verdicts = expanded(logs, files)
        around = facts_around(files, here) if files or here else None
        found = diagnose_paths(logs, load_rules(thorough=False), stated, around)
        text = issue(found.facts, found, known, around.facts.known if around else (), list(map(read_verdict, verdicts)))
    else:
        from vcompat.sources.gather import Sources, collect

        text = issue(collect(Sources(files, settings=stated)).facts, None, known)
    write([Report("markdown", file or "")], lambda form: text)
    return 0


def _names_here() -> Known:
    """The names of this machine and its user, which may be in its logs."""
    import getpass
    import os
    import socket

    from vcompat.report.diagnoses.issue import Known

    users = [os.environ.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER")]
    hosts = [socket.gethostname(), os.environ.get("HOSTNAME", "")]
    with suppress(OSError, KeyError):  # a user's number can have no name
        users.append(getpass.getuser())
    return Known(hosts, users)
