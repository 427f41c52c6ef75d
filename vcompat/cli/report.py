"""``vcompat report``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from vcompat.cli.options import color_option, path, set_option, split
from vcompat.cli.terminal import say

if TYPE_CHECKING:
    from vcompat.report.issue import Known


@click.command()
@click.argument("logs", nargs=-1, metavar="[LOG]...", type=path)
@click.option(
    "--anonymize",
    "--anonymise",
    "anonymous",
    is_flag=True,
    help="Replace names of users, hosts and private models, keys, addresses and paths.",
)
@set_option
@color_option
def command(logs: Sequence[str], anonymous: bool, settings: Sequence[str]) -> int:
    """Print what to send upstream about a failure, as Markdown.

    That is what failed, the versions, the GPUs and the settings that the logs state, the first traceback without the
    frames that matter to nobody else, and what `vcompat diagnose` states. A LOG is what that command takes. Without
    one, the facts of this machine are printed. Nothing is sent.

    With --anonymize, the same name gets the same placeholder, such as <host1>. Of paths, what is behind site-packages
    stays, and the name of the file. Models of well-known organizations stay, such as Qwen/Qwen2.5-7B. Read the result
    before you send it: names in a message of your own code may remain.
    """
    # Imported here: the help needs none of it.
    from vcompat.report.issue import issue

    stated = dict(map(split, settings))
    known = _names_here() if anonymous else None
    if not logs:
        from vcompat.sources.gather import Sources, collect

        say(issue(collect(Sources(settings=stated)).facts, None, known).rstrip("\n"))
        return 0
    from vcompat.diagnosis.diagnose import diagnose_paths
    from vcompat.rules.database import load_rules

    found = diagnose_paths(logs, load_rules(thorough=False), stated)
    say(issue(found.facts, found, known).rstrip("\n"))
    return 0


def _names_here() -> Known:
    """The names of this machine and its user, which may be in its logs."""
    import getpass
    import os
    import socket

    from vcompat.report.issue import Known

    users = [os.environ.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER")]
    hosts = [socket.gethostname(), os.environ.get("HOSTNAME", "")]
    with suppress(OSError, KeyError):  # a user's number can have no name
        users.append(getpass.getuser())
    return Known(hosts, users)
