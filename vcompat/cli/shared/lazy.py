"""Groups of commands that import a command's module when the command is used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean


class LazyGroup(click.Group):
    """A group that knows the names of its commands and their first lines of help, and imports the rest on use."""

    def __init__(self, *arguments: Any, modules: Mapping[str, str], lines: Mapping[str, str], **options: Any) -> None:
        """`modules` has the module of each command, which defines ``command``; `lines` its first line of help."""
        super().__init__(*arguments, **options)
        self._modules = modules
        self._lines = lines

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._modules:
            return None
        command: click.Command = import_module(self._modules[cmd_name]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and name not in self._modules and not ctx.resilient_parsing:
            expected = did_you_mean(name, self._modules) or ", ".join(self._modules)
            raise InputError(ctx.command_path, f"no command '{name}'", expected)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self._lines.items()))
