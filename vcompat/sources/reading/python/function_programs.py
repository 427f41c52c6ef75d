"""Functions that are programs: of click, typer, fire and alike, which get their arguments from the command line."""

from __future__ import annotations

import ast

from vcompat.facts.presumption import CALLER
from vcompat.sources.reading.python.parsers import function_options
from vcompat.sources.reading.python.running.calls import FROM_COMMAND_LINE
from vcompat.sources.reading.python.values.abstract_run import Run
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.interpreter_part import Part
from vcompat.sources.reading.python.values.values import Function, Value


class Commands(Part):
    """Calls functions that may be programs."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.programs: dict[str, dict[str, Function]] = {}
        """The commands of a program of click or typer, by the name of its variable, and by their names."""

    def register(self, function: Function, node: ast.expr) -> None:
        """Note a command of a program of click or typer: ``@app.command()``."""
        inner = node.func if isinstance(node, ast.Call) else node
        if not isinstance(inner, ast.Attribute) or inner.attr != "command" or not isinstance(inner.value, ast.Name):
            return
        if inner.value.id not in ("click", "typer"):
            named = [one.value for one in getattr(node, "keywords", ()) if one.arg == "name"]
            stated = [*getattr(node, "args", ())[:1], *named]
            name = str(getattr(function.node, "name", "")).replace("_", "-")
            if stated:
                name = str(stated[0].value) if isinstance(stated[0], ast.Constant) else "?"
            self.programs.setdefault(inner.value.id, {})[name] = function

    def call_function(self, function: Function, site: Site) -> Value:
        """Run a function of the script. One that is a program gets its arguments from the command line."""
        self.run.called.add(function.node)
        if not self._is_command(function):
            return self.run.calls.follow(function, site)
        name = getattr(function.node, "name", "")
        if site.arguments:
            site = site._replace(why_open="taken from the command line")
        elif site.node is not function.node:
            chosen = self._command(name, site)
            if chosen is not None:
                self.run.calls.follow(function, function_options.started(self.run, function, (), site))
                return self.run.calls.follow(*chosen)
            site = function_options.started(self.run, function, self.run.words, site)
        elif self.run.presuming:
            # Words that no program was seen to get may be meant for it.
            alone = site._replace(arguments=(), keywords={}, why_open="")
            self.run.presume(CALLER, f"{name}() is called without options", site.place)
            site = function_options.started(self.run, function, () if not self.run.words else None, alone)
        return self.run.calls.follow(function, site)

    def _is_command(self, function: Function) -> bool:
        """Return whether a function gets its arguments from the command line."""
        registered = (one.node for named in self.programs.values() for one in named.values())
        return bool(set(function.decorated) & FROM_COMMAND_LINE) or function.node in registered

    def chosen_by(self, site: Site) -> tuple[Function, Site] | None:
        """Return the command that a call of a program of typer runs, and its call; None if it is none or not known."""
        if not self.programs or not isinstance(site.node, ast.Call) or not isinstance(site.node.func, ast.Name):
            return None
        chosen = self._command(site.node.func.id, site)
        if chosen is not None:
            self.run.called.add(chosen[0].node)
        return chosen

    def _command(self, program: str, site: Site) -> tuple[Function, Site] | None:
        """Return the command of a program of click or typer that the words choose, and its call; None if not known."""
        named, words = self.programs.get(program), self.run.words if program in self.programs else None
        chosen = function_options.command_of(named, words) if named and words is not None else None
        if chosen is None:
            return None
        function, rest = chosen
        return function, function_options.started(self.run, function, rest, site)
