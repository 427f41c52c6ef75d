"""``vcompat mcp``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from vcompat.cli.shared.options import color_option, path
from vcompat.cli.tools.tool_call import prepare
from vcompat.foundation.errors import InputError


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER...", type=path)
@color_option
def command(folders: Sequence[str]) -> int:
    """Serve check, plan, diagnose, explain, resolve and upgrade to an assistant, over standard input and output.

    The protocol is the Model Context Protocol. Files are read below each FOLDER only, also where a run file names
    others; relative paths begin at the first one. Nothing is run, written or sent, and this machine is not judged. An
    answer has at most 40,000 characters. Needs the extra 'mcp'.
    """
    confinement = prepare(folders)
    try:
        from vcompat.cli.tools.mcp_server import server
    except ImportError as error:
        raise InputError("vcompat mcp", f"{error.name} is not installed", "pip install 'vcompat[mcp]'") from None
    made = server(confinement)
    confinement.begin()
    made.run()
    return 0
