"""The training commands in launch scripts, notebooks and Dockerfiles."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from vcompat.facts.facts import Facts, Place
from vcompat.facts.presumption import CALLER, Presumption
from vcompat.foundation.errors import InputError
from vcompat.sources.reading import recognize as kinds
from vcompat.sources.reading.commands.server import (
    is_of_trl,
    is_of_vllm,
    logprobs_mode_of,
    options_of_server,
    port_of,
    serves,
    takes_weights,
)
from vcompat.sources.reading.commands.started import PROGRAMS, Started, read_started
from vcompat.sources.reading.commands.wrappers import KEEPS_VARIABLES, Changes, keeps_variables
from vcompat.sources.reading.invocation import COMMAND, Environment, Invocation, Others
from vcompat.sources.reading.part import Mention
from vcompat.sources.reading.recognize import Recognized
from vcompat.sources.reading.settings import state
from vcompat.sources.reading.word import Word, as_one, base_name, concat, readable

if TYPE_CHECKING:
    from vcompat.sources.reading.launch_script import LaunchRuns


class Start(NamedTuple):
    """One training command."""

    started: Started
    invocation: Invocation
    facts: Facts
    """What the file says beside the command: that it starts a server."""
    directives: Mapping[str, Word] = {}
    """The options of the batch job, by long name."""

    @property
    def command(self) -> str:
        """The command as one line, with ``...`` for what is not known."""
        return " ".join(map(readable, self.invocation.words))[:_LONGEST]


class Starts(NamedTuple):
    """The training commands of one file."""

    each: Sequence[Start]
    missing: Sequence[Mention] = ()
    """Files that a launch script runs and that were not found."""
    environment: Environment = Environment()
    """The environment that a launch script leaves."""
    presumes: tuple[Presumption, ...] = ()
    """What the presuming reading presumed; empty in the certain reading."""
    files: Sequence[str] = ()
    """The paths of the files that were read to follow a command."""


#: Maximum length of a command in characters.
_LONGEST = 2000
_COMMANDS = "accelerate launch, torchrun, srun, trl or python, with a script that no option takes as its value"


def read_starts(file: Recognized, presuming: bool = False) -> Starts:
    """Return the training commands in a launch script or a Dockerfile. Raises InputError if there are none."""
    if file.kind == kinds.LAUNCH:
        return _of_launch_script(file.path, presuming)
    from vcompat.sources.reading.containers.dockerfile import read_dockerfile

    return Starts(of_invocations(read_dockerfile(file.path)))


def of_command(
    words: Sequence[str], environment: Environment, folder: str = "", jobs: bool = True, presuming: bool = False
) -> Starts:
    """Return the training commands of a command line, which a shell starts in `environment` and in `folder`.

    With `jobs`, scripts that it submits to a batch system are followed. There are none if nothing trains.
    """
    from vcompat.sources.reading.launch_script import runs_of
    from vcompat.sources.reading.shell import run_shell

    text = " ".join(map(_quoted, words))
    ran = run_shell(text, COMMAND, start=environment, arguments=(), folder=folder, jobs=jobs, presuming=presuming)
    return _of_runs(runs_of(ran), presuming)._replace(files=ran.read)


def _quoted(word: str) -> str:
    """Return a word for a shell, which takes it for an assignment only if its name is not quoted."""
    match = re.match(r"[A-Za-z_]\w*=", word)
    return match[0] + shlex.quote(word[match.end() :]) if match else shlex.quote(word)


def why_nothing_starts(words: Sequence[str], starts: Starts) -> InputError:
    """Return the error of a command line that starts no training."""
    if starts.missing:
        missing = starts.missing[0]
        return InputError(readable(missing.path), f"named in {missing.place}, was not found", "a script that is there")
    return InputError(f"{COMMAND} {shlex.join(words)[:60]}", "no training command found", _COMMANDS)


def _of_launch_script(path: str, presuming: bool) -> Starts:
    from vcompat.sources.reading.launch_script import read_launch_runs

    launched = read_launch_runs(path, presuming)
    found = _of_runs(launched, presuming)
    if not found.each and not launched.runs and not launched.missing and not launched.environment.values:
        end = f" before {launched.why_incomplete}" if launched.why_incomplete else ""
        raise InputError(path, f"no training command found{end}", _COMMANDS)
    return found


def _of_runs(launched: LaunchRuns, presuming: bool) -> Starts:
    runs = launched.runs
    presumed: list[Presumption] | None = list(launched.presumes) if presuming else None
    if launched.why_incomplete:
        runs = [(started, each._replace(why_uncertain=launched.why_incomplete)) for started, each in runs]
    each = [
        start._replace(directives=launched.directives if start.invocation.job is None else start.invocation.job)
        for start in _of_started(runs, Facts(), launched.unseen, presumed)
    ]
    presumes = tuple(presumed or launched.presumes)
    if launched.others:
        # One of the other programs may be what starts the training, with an environment of its own.
        return Starts(each, launched.missing, presumes=presumes)
    return Starts(each, launched.missing, launched.environment, presumes)


def of_invocations(invocations: Sequence[Invocation]) -> list[Start]:
    """Return the training commands among `invocations`."""
    from vcompat.sources.reading.launch_script import starts_unseen

    commands = ((read_started(each.words), each) for each in invocations)
    unseen = next((each.place for each in invocations if starts_unseen(each.words)), None)
    return _of_started([(started, each) for started, each in commands if started is not None], Facts(), unseen)


#: Programs that start the command on another machine or in a container, with an environment of its own.
_ELSEWHERE = frozenset({"docker", "podman", "nerdctl", "ssh", "pdsh", "kubectl", *KEEPS_VARIABLES, "sky"})


def _of_container(words: Sequence[Word], environment: Environment, place: Place) -> Environment:
    """Return the environment in a container: what ``-e`` passes, and what the image sets, which is not known."""
    values: dict[str, Word | None] = {}
    for index, word in enumerate(words):
        option, _, text = word.partition("=")
        if word in ("-e", "--env"):
            text = concat(words[index + 1 : index + 2])
        elif option != "--env":
            continue
        name, given, value = text.partition("=")
        if not isinstance(name, str):
            continue
        if given:
            values[name] = value
        elif name in environment.values:
            values[name] = environment.values[name]
    why = f"{place}: another environment, which is not known"
    return _with_values(Environment(others=Others.UNKNOWN, why_open=why), values, place)


def with_wrappers(started: Started, invocation: Invocation, presumed: list[Presumption] | None = None) -> Invocation:
    """Return the invocation with what the programs around the launcher change: its variables and its folder.

    `presumed` gets what the presuming reading presumes; it is None in the certain one.
    """
    inner = _with_launching(started.wrapped_by, invocation, presumed)
    if started.launcher == "modal":
        why = f"{invocation.place}: the environment of the container is not known"
        inner = inner._replace(environment=Environment(others=Others.UNKNOWN, why_open=why))
    for changes in started.changes:
        inner = _changed(inner, changes)
    return inner


def _changed(invocation: Invocation, changes: Changes) -> Invocation:
    """Return the invocation behind `env` or `sudo`."""
    environment, place = invocation.environment, invocation.place
    if changes.replaced or changes.opened:
        environment = Environment(others=Others.UNKNOWN, why_open=f"{place}: the environment of sudo or env is unknown")
    elif changes.cleared:
        environment = Environment(others=Others.UNSET)
    unset = (name for name in changes.unset if isinstance(name, str))
    environment = _with_values(environment, {**dict.fromkeys(unset), **changes.values}, place)
    if not changes.folder:
        return invocation._replace(environment=environment)
    from vcompat.sources.reading.containers.container_commands import join_folder

    return invocation._replace(environment=environment, folder=join_folder(invocation.folder, changes.folder))


def _with_values(environment: Environment, values: Mapping[str, Word | None], place: Place) -> Environment:
    """Return an environment in which `values` are set, or not set if None, at `place`."""
    known = {name: value and as_one(value) for name, value in values.items()}
    return environment._replace(
        values={**environment.values, **known}, places={**environment.places, **dict.fromkeys(values, place)}
    )


def _with_launching(words: Sequence[Word], invocation: Invocation, presumed: list[Presumption] | None) -> Invocation:
    """Return the invocation with the variables that mpirun and srun set for the programs that they start."""
    environment, place = invocation.environment, invocation.place
    elsewhere = set(map(base_name, words)) & _ELSEWHERE
    if elsewhere and elsewhere <= KEEPS_VARIABLES and presumed is not None and keeps_variables(words):
        presumed.append(Presumption(CALLER, "the image changes no variable that is set outside", place))
    elif elsewhere:
        return invocation._replace(environment=_of_container(words, environment, place))
    values: dict[str, Word | None] = {}
    for index, word in enumerate(words):
        after, following = (*words[index + 1 : index + 3], "", "")[:2]
        if word == "-x" and "=" in after:
            values.update(_assignments([after]))
        elif word in ("-env", "-genv"):
            values.update({after: following} if isinstance(after, str) else {})
        elif word.startswith("--export"):
            parts = (word.partition("=")[2] if "=" in word else after).split(",")
            if "ALL" not in parts:
                values = {}
                environment = Environment(
                    others=Others.UNKNOWN, why_open=f"{place}: srun passes on some variables only"
                )
            values.update(_assignments(parts))
    return invocation._replace(environment=_with_values(environment, values, place))


def _assignments(words: Sequence[Word]) -> Mapping[str, Word]:
    """Return the names and values of the words such as ``NAME=value``."""
    parts = (word.partition("=") for word in words)
    return {name: value for name, equals, value in parts if equals and isinstance(name, str)}


def _of_started(
    commands: Sequence[tuple[Started, Invocation]],
    facts: Facts,
    unseen: Place | None = None,
    presumed: list[Presumption] | None = None,
) -> list[Start]:
    """Return the training commands. A server that is started beside them is a fact of each.

    `unseen` is the position of a command that may start a server, too. `presumed` gets what the presuming reading
    presumes.
    """
    servers = [(started, each) for started, each in commands if serves(started)]
    training = [(started, each) for started, each in commands if _trains(started)]
    if training:
        place = servers[0][1].place if servers else training[0][1].place._replace(line=0, column=0)
        state(facts, "plan.server_started", bool(servers), place)
        if unseen is not None and not servers:
            facts.forget("plan.server_started", f"{unseen}: what the command starts is not followed", unseen)
        _state_servers(servers, facts, place)
    return [Start(started, with_wrappers(started, each, presumed), facts) for started, each in training]


def _state_servers(servers: Sequence[tuple[Started, Invocation]], facts: Facts, place: Place) -> None:
    if servers and servers[0][1].why_uncertain:
        facts.forget("plan.server_started", servers[0][1].why_uncertain, place)
    _state_devices([invocation for _, invocation in servers], facts, place)
    facts.stated += tuple(stated for server in servers for stated in options_of_server(*server))
    if len(servers) == 1:
        _state_server(*servers[0], facts, place)


def _state_devices(servers: Sequence[Invocation], facts: Facts, place: Place) -> None:
    devices = {each.environment.values.get("CUDA_VISIBLE_DEVICES") for each in servers}
    if len(devices) > 1:
        # Which of the servers the trainer asks is not known.
        facts.forget("plan.server_devices", f"{place}: several servers are started on different devices", place)
    elif devices and isinstance(listed := devices.pop(), str) and listed:
        state(facts, "plan.server_devices", listed.split(","), place)


def _state_server(server: Started, invocation: Invocation, facts: Facts, place: Place) -> None:
    """State what the words of the only server's command decide."""
    if is_of_trl(server):
        _state_data_parallel_size(server.arguments, facts, place)
    if not is_of_vllm(server) or invocation.why_uncertain:
        return
    takes = takes_weights(server.arguments)
    if takes is None:
        facts.forget("plan.server_weight_transfer", f"{place}: words of its command are not known", place)
    else:
        state(facts, "plan.server_weight_transfer", takes, place)
    port = port_of(server.arguments)
    if port is not None:
        state(facts, "plan.server_port", port, place)
    mode = logprobs_mode_of(server.arguments)
    if mode is not None:
        state(facts, "plan.server_logprobs_mode", mode, place)


def _state_data_parallel_size(words: Sequence[Word], facts: Facts, place: Place) -> None:
    """State the data parallel size of TRL's vLLM server; nothing if words of its command are not known."""
    known = [word for word in words if isinstance(word, str)]
    if len(known) < len(words) or any(word.startswith("--config") for word in known):
        return
    size = "1"
    for word, after in pairwise([*known, ""]):
        name, equals, value = word.replace("-", "_").partition("=")
        # argparse takes an option also by the first letters of its name.
        if name.startswith("__da") and "__data_parallel_size".startswith(name):
            size = value if equals else after
    is_number = size.isascii() and size.isdigit()
    state(facts, "plan.server_data_parallel_size", int(size) if is_number else size, place)


def _trains(started: Started) -> bool:
    """Return whether a command may start training. Of a plain Python script, its contents tell."""
    if started.launcher == "vllm" or serves(started):
        return False
    if started.launcher in PROGRAMS:
        return started.script in PROGRAMS[started.launcher]
    if started.launcher == "trl":
        return started.script not in ("env", "chat", "skills", "")
    return bool(started.script or started.module)
