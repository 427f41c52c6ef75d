"""The tools and their schemas, for the SDK of the Model Context Protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from vcompat.cli.tools.confined import Confinement
from vcompat.cli.tools.tool_call import Answer, called, path_of
from vcompat.foundation.errors import InputError
from vcompat.foundation.version import __version__

_INSTRUCTIONS = (
    "vcompat knows what goes wrong when language models are trained with GRPO in TRL with vLLM. Paths are relative to "
    "the first folder that the server was given. Nothing is run, written or sent. This machine is not judged: name the "
    "GPUs (target) and the packages (env, or settings such as packages.trl)."
)
_MANY = 100
_LONGEST_ERROR = 1000
Path = Annotated[str, Field(min_length=1, max_length=4096)]
Word = Annotated[str, Field(min_length=1, max_length=1000)]
Files = Annotated[
    list[Path],
    Field(max_length=_MANY, description="Run files: scripts, launch scripts, configurations, lock files."),
]
Command = Annotated[
    str,
    Field(
        max_length=10_000,
        description="The command of the run as it is typed, such as 'sbatch train.slurm --model M', from the first "
        "folder. It is followed, not run.",
    ),
]
Target = Annotated[
    str, Field(max_length=1000, description="GPUs: 8xH100, 2x8xH100 (machines x GPUs), V100-32GB, or a profile's path.")
]
Environment = Annotated[
    str,
    Field(max_length=4096, description="The packages of the run: a lock file, requirements.txt or pyproject.toml."),
]
Settings = Annotated[
    dict[Word, str],
    Field(max_length=_MANY, description='Stated facts, such as {"packages.trl": "1.9.0", "plan.use_vllm": "true"}.'),
]
FactsFiles = Annotated[list[Path], Field(max_length=_MANY, description="Files that `vcompat probe` wrote.")]
All = Annotated[bool, Field(description="Print everything in full.")]
Form = Annotated[Literal["text", "json"], Field(description="text for people, json with a stable schema.")]
Ranges = Annotated[list[Word], Field(max_length=_MANY)]


class Tools:
    """The tools of a server that reads below the folders of `confinement`."""

    def __init__(self, confinement: Confinement) -> None:
        self._confinement = confinement

    def check(
        self,
        files: Files = [],  # noqa: B006 - the schema shows it, and nothing changes it
        command: Command = "",
        target: Target = "",
        env: Environment = "",
        settings: Settings = {},  # noqa: B006
        facts: FactsFiles = [],  # noqa: B006
        everything: All = False,
        format: Form = "text",
    ) -> Answer:
        """Report what will go wrong in a run, why, and what to change. Exit code 1: an error is certain."""
        words = self._sources(files, target, env, settings, facts)
        return self._call(["check", *words, *(["--all"] if everything else []), f"--format={format}"], command)

    def plan(self, files: Files = [], command: Command = "", everything: All = False) -> Answer:  # noqa: B006
        """Show each setting that run files state, with its place, and what they leave open, with the reason."""
        return self._call(["plan", *self._paths(files), *(["--all"] if everything else [])], command)

    def diagnose(
        self,
        logs: Annotated[
            list[Path], Field(max_length=_MANY, description="Logs, or folders with a log per process.")
        ] = [],  # noqa: B006
        text: Annotated[str, Field(max_length=2_000_000, description="The text of a log, instead of files.")] = "",
        files: Annotated[list[Path], Field(max_length=_MANY, description="Files of the run: script, lock file.")] = [],  # noqa: B006
        settings: Settings = {},  # noqa: B006
        everything: All = False,
        format: Form = "text",
    ) -> Answer:
        """Name the cause of a failed or hanging run from its logs, and the fix. Exit code 1: no cause is known."""
        if bool(logs) == bool(text):
            raise ToolError("diagnose: logs and text are both given or both missing; expected one of them")
        options = [f"--with={path}" for path in self._paths(files)] + _set(settings)
        options += ["--all"] if everything else []
        return self._call(["diagnose", *(self._paths(logs) or ["-"]), *options, f"--format={format}"], text=text)

    def explain(self, rule: Annotated[Word, Field(description="The id of a rule, or words of an error.")]) -> Answer:
        """Print everything that is known about one failure: releases, fixes, wrong advice, symptoms."""
        return self._call(["explain", "--", rule])

    def resolve(
        self,
        target: Target = "",
        gpu: Annotated[str, Field(max_length=100, description="Compute capability instead of a target: 7.0, 9.0")] = "",
        files: Files = [],  # noqa: B006
        command: Command = "",
        keep: Annotated[Ranges, Field(description="Packages that stay, such as trl==0.18.2 or vllm<0.12.")] = [],  # noqa: B006
        settings: Settings = {},  # noqa: B006
        python: Annotated[str, Field(max_length=20, description="The version of Python.")] = "",
        allow_patched: Annotated[bool, Field(description="Accept what vcompat.patch() fixes.")] = False,
    ) -> Answer:
        """Choose releases of TRL, vLLM, torch and others that work together. Exit code 1: an error remains."""
        if not target and not gpu:
            raise ToolError("resolve: no hardware is named; expected target, such as 8xH100, or gpu, such as 9.0")
        words = [*self._hardware(target), *([f"--gpu={gpu}"] if gpu else []), *_set(settings)]
        words += [f"--plan={path}" for path in self._paths(files)] + [f"--keep={one}" for one in keep]
        words += [f"--python={python}"] if python else []
        return self._call(["resolve", *words, *(["--allow-patched"] if allow_patched else [])], command)

    def upgrade(
        self,
        to: Annotated[Ranges, Field(min_length=1, description="The new releases: trl==1.16.0, or trl for the newest.")],
        files: Files = [],  # noqa: B006
        command: Command = "",
        present: Annotated[
            Ranges, Field(description="Present releases that no file states, such as trl==0.19.0.")
        ] = [],  # noqa: B006
        target: Target = "",
        env: Environment = "",
        settings: Settings = {},  # noqa: B006
        everything: All = False,
        format: Form = "text",
    ) -> Answer:
        """Report what breaks in a run with other releases, and which packages change with them."""
        words = [f"--to={one}" for one in to] + [f"--from={one}" for one in present]
        words += self._sources(files, target, env, settings, [])
        return self._call(["upgrade", *words, *(["--all"] if everything else []), f"--format={format}"], command)

    def _call(self, words: Sequence[str], command: str = "", text: str = "") -> Answer:
        try:
            return called([*words, *(["--", command] if command else [])], text)
        except InputError as error:
            raise ToolError(str(error)) from None

    def _sources(
        self, files: Sequence[str], target: str, env: str, settings: Mapping[str, str], facts: Sequence[str]
    ) -> list[str]:
        """Return the words that say where facts come from. A project's settings are not read."""
        words = ["--no-probe", "--no-config", *self._paths(files), *self._hardware(target), *_set(settings)]
        words += [f"--env={path}" for path in self._paths([env] if env else [])]
        return [*words, *(f"--facts={path}" for path in self._paths(facts))]

    def _hardware(self, target: str) -> list[str]:
        # A profile's path is judged when it is opened.
        return [f"--target={target}"] if target else []

    def _paths(self, names: Sequence[str]) -> list[str]:
        try:
            return [path_of(name, self._confinement) for name in names]
        except InputError as error:
            raise ToolError(str(error)) from None


def _set(settings: Mapping[str, str]) -> list[str]:
    return [f"--set={name}={value}" for name, value in settings.items()]


class Server(MCPServer[Any]):
    """The SDK's server, whose refusals of arguments are one line, too."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool. Raises ToolError with one line."""
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError:
            raise
        except ToolError as error:
            raise ToolError(" ".join(str(error).split())[:_LONGEST_ERROR]) from None


def server(confinement: Confinement) -> Server:
    """Return the server with all tools."""
    made = Server("vcompat", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING")
    tools = Tools(confinement)
    hints = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
    for tool in (tools.check, tools.plan, tools.diagnose, tools.explain, tools.resolve, tools.upgrade):
        made.add_tool(tool, annotations=hints)
    return made
