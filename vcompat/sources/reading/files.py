"""Reads all run files of a plan and the files that they name: one run for each training command.

A command decides how its script is started: the script is followed with its words, variables and files. Without a
command, the command line is the caller's. If two files set the same fact of a run, the later one in this order wins:
model, adapter, launcher with accelerate's configuration, DeepSpeed's configuration, script.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from vcompat.facts.defaults import SETTINGS
from vcompat.facts.facts import Facts, Place
from vcompat.facts.presumption import CALLER, Presumption
from vcompat.facts.use import Used
from vcompat.foundation.errors import InputError
from vcompat.sources.reading import recognize as kinds
from vcompat.sources.reading.commands.started import PROGRAMS, adds_rank
from vcompat.sources.reading.commands.trl_commands import source_of_subcommand
from vcompat.sources.reading.configurations.model_config import read_model_config, state_name
from vcompat.sources.reading.document import Document, parse_document, read_document
from vcompat.sources.reading.frameworks.counts import state_processes
from vcompat.sources.reading.frameworks.framework_program import Files
from vcompat.sources.reading.frameworks.read import (
    framework_of,
    read_document_alone,
    read_framework,
    read_wrapped,
)
from vcompat.sources.reading.handed_on import deepspeed_file, keys_of, launcher_yields, options_of
from vcompat.sources.reading.invocation import COMMAND, Environment, written
from vcompat.sources.reading.launchers.hook_reach import why_not_reached
from vcompat.sources.reading.launchers.launch_facts import config_file, environment_facts, launch_facts
from vcompat.sources.reading.locate import Locator
from vcompat.sources.reading.part import Configuration, Mention, Part
from vcompat.sources.reading.presuming import leaves_open, with_likely
from vcompat.sources.reading.python.values.core import Gpus
from vcompat.sources.reading.python.values.core import Start as ScriptStart
from vcompat.sources.reading.recognize import Recognized
from vcompat.sources.reading.runs import in_common
from vcompat.sources.reading.scripts.script import read_script, read_source, source_of
from vcompat.sources.reading.starts import Start, Starts, of_command, of_invocations, read_starts, why_nothing_starts
from vcompat.sources.reading.whole import Plan, Run
from vcompat.sources.reading.word import UNKNOWN, readable

#: Launchers of scripts that may do anything, not only train.
_PLAIN = ("python", "modal", "")
#: Maximum number of runs in one plan.
MOST_RUNS = 40
_DOCUMENTS = (kinds.MODEL, kinds.ADAPTER, kinds.ACCELERATE, kinds.DEEPSPEED, kinds.SETTINGS)
_OPENED_BY = {
    kinds.DEEPSPEED: (
        "plan.deepspeed_stage",
        "plan.optimizer_offload",
        "plan.parameter_offload",
        "plan.deepspeed_bf16_optimizer_states",
    ),
    kinds.SCRIPT: tuple(f"plan.{setting}" for setting in SETTINGS),
}


#: Roles of scripts. What a launcher of training starts may train in a way that is not followed; what Python starts,
#: rather not; what no command starts, such as a module that others import, is no run.
_TRAINS, _GENERATES, _LAUNCHED, _UNCLEAR, _HELPS = "trains", "generates", "launched", "unclear", "helps"


class _Script(NamedTuple):
    """A script as one run starts it."""

    run: Run
    trains: bool
    """Whether it makes a configuration or a trainer, or is started as only training is and was not found."""
    configuration: Configuration | None
    generates_only: bool = False
    launcher: str | None = None
    """The launcher of the command; None without a command."""
    in_background: Place | None = None
    """Where a command in the background starts it."""

    @property
    def role(self) -> str:
        """TRAINS, GENERATES, or what else it may be."""
        if self.trains or self.generates_only:
            return _TRAINS if self.trains else _GENERATES
        if self.launcher is None:
            return _HELPS
        return _UNCLEAR if self.launcher in _PLAIN else _LAUNCHED


class Home(NamedTuple):
    """The folders of the user on the machine that runs the training."""

    hub: str = ""
    """The folder of the Hugging Face cache; empty to ignore it."""
    accelerate: str | None = None
    """The path of accelerate's default configuration; None if the machine is not known."""
    gpus: Gpus = Gpus()


#: A machine of which nothing is known.
ELSEWHERE = Home()


class Command(NamedTuple):
    """A command line that starts the run."""

    words: Sequence[str]
    hook: str = ""
    """The folder that PYTHONPATH begins with, so that each Python process applies patches; empty if the command is
    only followed."""
    folder: str = ""
    """The folder in which it is started, relative to the current one."""


def read_plan(files: Iterable[Recognized], home: Home = ELSEWHERE, command: Command | None = None) -> Plan:
    """Read the run files `files`, those that `command` starts, and the files that they name.

    If the certain reading leaves settings open, the presuming one follows, whose facts are likely. Raises InputError
    for a file that cannot be read.
    """
    files = list(files)
    reader = _Reader(files, home, command)
    certain = reader.plan()
    if not leaves_open(certain) and reader.nothing is None:
        return certain
    try:
        presuming = _Reader(files, home, command, presuming=True)
        presuming.uses = reader.uses
        both = with_likely(certain, presuming.plan())
    except InputError:
        # A file that only a presumption led to cannot be read.
        if reader.nothing is not None:
            raise reader.nothing from None
        return certain
    if reader.nothing is not None and presuming.nothing is not None:
        raise reader.nothing
    return both


class _Reader:
    """Reads the files of one plan."""

    def __init__(
        self, files: list[Recognized], home: Home, command: Command | None = None, presuming: bool = False
    ) -> None:
        self.presuming = presuming
        self.heavy: set[tuple[str, int, str]] = set()
        self.uses: dict[tuple[str, bytes], tuple[Used, ...]] = {}
        self.presumed: list[Presumption] = []
        """What the presuming reading has presumed of the run that is being read."""
        self.files = files
        self.home = home
        self.command = command
        self.locator = Locator(self.presumed if presuming else None)
        self.missing: list[Mention] = []
        self.given_up: list[str] = []
        self.scripts: list[_Script] = []
        self.doubtful: list[tuple[Start, tuple[Presumption, ...]]] = []
        """The commands whose script may train in a way that is not followed, and what was presumed for them."""
        self.given = {kind: [file for file in files if file.kind == kind] for kind in _DOCUMENTS}
        self.environment = Environment()
        """What a launch script without a training command sets."""
        self.nothing: InputError | None = None
        """The error of a command that is only followed, if it starts no training."""
        self.used: set[str] = set()
        """Real paths of the scripts and settings that a command names."""

    def plan(self) -> Plan:
        """Return the plan."""
        for file in self.files:
            self.locator.add(file.path)
        for file in self.files:
            self._starts(file)
        if self.command is not None:
            self._command(self.command)
        for file in self.files:
            if file.kind == kinds.SCRIPT and os.path.realpath(file.path) not in self.used:
                self._script(file.path)
            elif file.kind == kinds.NOTEBOOK:
                self._notebook(file.path)
        servers = [script.in_background for script in self._having(_GENERATES) if script.in_background]
        self.scripts = self._that_count()
        if servers:
            self._may_serve(servers[0])
        if not self.scripts:
            self.scripts.append(_Script(self._of_documents(), True, self._settings_place()))
        return self._together()

    def _having(self, *roles: str) -> list[_Script]:
        return [script for script in self.scripts if script.role in roles]

    def _that_count(self) -> list[_Script]:
        """Return the runs that count. A helper module, or a script that prepares data, is no run of its own."""
        if self._having(_TRAINS):
            return self._having(_TRAINS, _GENERATES)
        generating, unclear = self._having(_GENERATES), self._having(_LAUNCHED, _UNCLEAR)
        launched = self._having(_LAUNCHED) if self.presuming else []
        if not generating:
            return launched or unclear or self.scripts[:1]
        # A script that only generates may serve, or evaluate, what a script trains that is not followed.
        if launched or (self.presuming and not all(script.in_background for script in generating)):
            return launched or generating
        started = (self._of_start(start, presumes, is_run=True) for start, presumes in self.doubtful[:MOST_RUNS])
        others = [*unclear, *filter(None, started)]
        return (others or generating) if self.presuming else [*generating, *others]

    def _may_serve(self, place: Place) -> None:
        """Leave open whether a server is started, if what generates in the background may be one of the project."""
        for script in self.scripts:
            if not script.generates_only and script.run.facts.value("plan.server_started") is False:
                script.run.facts.forget("plan.server_started", f"{place} may start a server", place)

    def _together(self) -> Plan:
        runs = tuple(script.run for script in self.scripts)
        names = [(run.name or "the run files", run.facts) for run in runs]
        places = dict.fromkeys(script.configuration for script in self.scripts if script.configuration is not None)
        return Plan(
            in_common(names),
            all(run.takes_defaults for run in runs),
            tuple(places),
            self.locator.files,
            runs,
            tuple(dict.fromkeys(self.missing)),
            tuple(dict.fromkeys(self.given_up)),
        )

    # Commands

    def _starts(self, file: Recognized) -> None:
        """Add a run for each training command in a file."""
        if file.kind in (kinds.LAUNCH, kinds.DOCKERFILE):
            starts = read_starts(file, self.presuming)
            if self.presuming and not starts.each:
                # Nobody starts a script without the arguments without which it does nothing.
                starts = read_starts(file)
        elif file.kind == kinds.NOTEBOOK:
            from vcompat.sources.reading.notebooks.notebook import read_notebook

            starts = Starts(of_invocations(read_notebook(file.path).invocations))
        else:
            return
        self._add(starts, file.path)

    def _command(self, command: Command) -> None:
        """Add the runs of a command line."""
        if command.hook:
            # A job of a batch system runs on another machine than the one that `vcompat run` describes.
            path = {"PYTHONPATH": command.hook}
            starts = of_command(command.words, Environment(path), command.folder, jobs=False, presuming=self.presuming)
        else:
            starts = of_command(command.words, Environment(), command.folder, presuming=self.presuming)
            if not starts.each:
                self.nothing = why_nothing_starts(command.words, starts)
        for path_ in starts.files:
            self.locator.add(path_)
        self.locator.starts_here = True
        self._add(starts, COMMAND)
        self.locator.starts_here = False

    def _add(self, starts: Starts, path: str) -> None:
        self.missing += starts.missing
        if not starts.each:
            # A file that only sets variables, which another file needs.
            self.environment = starts.environment
        for start in starts.each:
            if len(self.scripts) >= MOST_RUNS:
                self.given_up.append(
                    f"the training commands after the first {MOST_RUNS}, from {start.invocation.place} on"
                )
                break
            is_asked_for = path == COMMAND and len(starts.each) == 1
            script = self._of_start(start, starts.presumes, is_asked_for)
            if script is not None:
                self.scripts.append(script)

    def _of_start(
        self, start: Start, presumes: tuple[Presumption, ...], is_asked_for: bool = False, is_run: bool = False
    ) -> _Script | None:
        """Return the run of a training command; None if its script does not train, and is not what was asked for.

        With `is_run`, it is one whatever its script does.
        """
        invocation, is_plain = start.invocation, start.started.launcher in _PLAIN
        self.presumed[:] = presumes
        launched = self._launched(start)
        part = self._part(start)
        if part is None:
            # A Python script that is not there may be any step of a longer script.
            part = self._unseen(start)._replace(trains=not is_plain, generates_only=False)
        else:
            # Presumably, what the user asks about is a run, unless another program trains that it starts.
            is_asked_for = is_asked_for and self.presuming and not part.may_start
            if is_plain and not (is_run or is_asked_for or part.trains):
                self.doubtful += [(start, presumes)] if part.may_train else []
                return None
            part = self._with_named_model(start, part) if self.presuming else part
        facts = self._assembled(launched, part)
        name = f"{invocation.place}" if invocation.place.line else invocation.place.path
        run = Run(name, start.command, facts, part.takes_defaults, part.overridable)
        launcher, behind = start.started.launcher or "python", invocation.place if invocation.background else None
        return self._script_of(run, part)._replace(launcher=launcher, in_background=behind)

    def _script_of(self, run: Run, part: Part) -> _Script:
        presumes = tuple(dict.fromkeys((*self.presumed, *part.presumes)))
        run = run._replace(presumes=presumes, presumes_of_variables=part.presumes_of_variables)
        trains = part.trains and not part.generates_only
        return _Script(run, trains, part.configuration, part.generates_only)

    def _launched(self, start: Start) -> Facts:
        """Return the facts of a training command without its script."""
        started, invocation = start.started, start.invocation
        accelerate = self._accelerate(start)
        launched = launch_facts(
            started,
            invocation,
            accelerate=accelerate,
            directives=start.directives,
            defaults_known=self._knows_defaults(start, accelerate),
        )
        if self.presuming and started.launcher in PROGRAMS:
            state_processes(launched, started.launcher, invocation.environment, invocation.place, self.presumed)
        launched.update(start.facts)
        self._reach(launched, start)
        if accelerate is not None:
            launched.stated += (keys_of(accelerate),)
        launched.stated += tuple(options_of(start))
        self._follow(launched, deepspeed_file(start, accelerate, launched))
        return launched

    def _unseen(self, start: Start) -> Part:
        """Return what is known of a command whose script is not there."""
        part = self._without_script(start)
        return (self._of_options(start, part) or part) if self.presuming else part

    def _knows_defaults(self, start: Start, accelerate: Document | None) -> bool:
        """Return whether accelerate's default configuration file is known; presumably there is none."""
        if self.home.accelerate is not None or not self.presuming:
            return self.home.accelerate is not None
        if start.started.launcher in ("accelerate", "trl") and accelerate is None:
            text = "the user has no configuration file of accelerate"
            self.presumed.append(Presumption(CALLER, text, start.invocation.place))
        return True

    def _reach(self, facts: Facts, start: Start) -> None:
        """Leave open which patches a command gets, if PYTHONPATH does not reach its Python."""
        if self.command is not None and self.command.hook:
            machines = facts.value("plan.num_machines") if facts.recorded("plan.num_machines") is not None else None
            why = why_not_reached(start, machines if isinstance(machines, int) else None, self.command.hook)
            if why:
                facts.forget("host.patched", why, start.invocation.place)

    def _part(self, start: Start) -> Part | None:
        """Read the script of a command; None if it is not known or not there."""
        started, invocation, how = start.started, start.invocation, self._how(start)
        framework = read_framework(started, invocation, self.locator, self.presuming)
        if framework is not None:
            return framework
        subcommand = started.script if started.launcher == "trl" else started.module.removeprefix("trl.scripts.")
        if started.launcher == "trl" or started.module.startswith("trl.scripts."):
            source = source_of_subcommand(readable(subcommand))
            lines = [invocation.place.line] * (source.count(b"\n") + 1)
            how = how._replace(lines=lines, is_command=True)
            return read_source(invocation.place.path, source, how) if source else None
        if started.code:
            lines = [invocation.place.line] * (started.code.count("\n") + 1)
            return read_source(invocation.place.path, started.code.encode(), how._replace(lines=lines))
        is_written, text = written(invocation.files, invocation.folder, started.script)
        if is_written and text is None:
            return None
        if text is not None:
            lines = [invocation.place.line] * (text.count("\n") + 1)
            return read_source(invocation.place.path, text.encode(), how._replace(lines=lines))
        path = self.locator.script(started, invocation)
        if not path:
            return None
        self.used.add(os.path.realpath(path))
        self.locator.add(path)
        source, files = source_of(path), Files(self.locator, invocation)
        wrapped = read_wrapped(source, started.arguments, invocation, files, not self.presuming)
        return wrapped or read_source(path, source, how)

    def _how(self, start: Start) -> ScriptStart:
        """Return how a command starts its script."""
        invocation, settings = start.invocation, self.given[kinds.SETTINGS]
        own = self.locator.words(start.started.arguments, invocation)
        return ScriptStart(
            ("--local_rank=" + UNKNOWN, *own) if adds_rank(start.started) else own,
            invocation.place,
            invocation.environment,
            invocation.folder,
            invocation.files,
            settings=settings[0].path if len(settings) == 1 else "",
            presuming=self.presuming,
            gpus=self.home.gpus,
            uses=self.uses,
            heavy=self.heavy,
            starts_here=self.locator.starts_here,
            entry=_entry(start),
            by_end=self.locator.by_end if self.presuming else None,
        )

    def _without_script(self, start: Start) -> Part:
        """Return what is known of a command whose script is not: nothing of its settings."""
        started, place = start.started, start.invocation.place
        named = started.script or started.module
        facts = Facts()
        why = f"{place}: the script is not known"
        if isinstance(named, str) and named and named != "-":
            why = f"{place} starts {named}, which was not found"
            if started.launcher != "trl":
                self.missing.append(Mention(named, kinds.SCRIPT, place))
        for fact in (*_OPENED_BY[kinds.SCRIPT], "plan.patched", "plan.model", "plan.peft", "plan.deepspeed"):
            facts.forget(fact, why, place)
        return Part(facts, why_open=why)

    def _of_options(self, start: Start, without: Part) -> Part | None:
        """Return what the options state for TRL, though the script is not there; None if they state nothing."""
        from vcompat.sources.reading.scripts.unseen_script import read_options

        started = start.started
        how = self._how(start)
        part = read_options(how.words or (), started.script or started.module, how, start.invocation.place)
        if part is None:
            return None
        facts = without.facts.copy()
        facts.update(part.facts)
        return part._replace(facts=facts)

    def _with_named_model(self, start: Start, part: Part) -> Part:
        """Add the model that the options name, if the script that gets them loads it in a way that is not followed."""
        if part.facts.recorded("plan.model") is not None or not part.trains:
            return part
        options = self._of_options(start, Part(Facts()))
        named = options.facts.recorded("plan.model") if options is not None else None
        if options is None or named is None:
            return part
        part.facts.set("plan.model", *named, presumes=options.presumes)
        return part

    def _accelerate(self, start: Start) -> Document | None:
        """Return accelerate's configuration of a command: the file that it names, or the one that is handed over."""
        named = config_file(start.started)
        place = start.invocation.place
        known = isinstance(named, str)
        if named is not None and (known or self.presuming):
            is_written, text = written(start.invocation.files, start.invocation.folder, named)
            if is_written:
                return parse_document(readable(named), text) if text is not None else None
            path = self.locator.find(named, place.path, start.invocation.folder, place)
            if path:
                self.locator.add(path)
                return read_document(path)
            if known:
                self.missing.append(Mention(named, kinds.ACCELERATE, place))
            return None
        given = self.given[kinds.ACCELERATE]
        if named is not None or len(given) > 1:
            return None
        if given:
            return self._document(given[0])
        default = self.home.accelerate
        return read_document(default) if default and os.path.isfile(default) else None

    # Scripts without a command

    def _script(self, path: str) -> None:
        self.presumed.clear()
        self._alone(path, read_script(path, self._unknown_start()))

    def _notebook(self, path: str) -> None:
        from vcompat.sources.reading.notebooks.notebook import read_notebook

        self.presumed.clear()
        notebook = read_notebook(path)
        start = self._unknown_start()._replace(words=(), lines=notebook.file_lines)
        part = read_source(path, notebook.source.encode(), start)
        part.facts.set("plan.notebook", True, "the kind of file", Place(path))
        if part.trains or not self.scripts:
            self._alone(path, part)

    def _unknown_start(self) -> ScriptStart:
        settings = self.given[kinds.SETTINGS]
        path = settings[0].path if len(settings) == 1 else ""
        by_end = self.locator.by_end if self.presuming else None
        return ScriptStart(
            settings=path, by_end=by_end, environment=self.environment, presuming=self.presuming, gpus=self.home.gpus
        )

    def _alone(self, path: str, part: Part) -> None:
        facts = self._assembled(self._from_accelerate(), part)
        run = Run(path, "", facts, part.takes_defaults, part.overridable)
        self.scripts.append(self._script_of(run, part))

    def _from_accelerate(self) -> Facts:
        """Return the facts of an accelerate configuration that is handed over without a command."""
        from vcompat.sources.reading.launchers.accelerate_config import read_accelerate_config

        facts = Facts()
        environment_facts(facts, self.environment)
        for file in self.given[kinds.ACCELERATE]:
            part = read_accelerate_config(self._document(file))
            facts.update(part.facts)
            facts.stated += (keys_of(self._document(file)),)
            self._follow(facts, part.mentions)
        return facts

    # Documents

    def _of_documents(self) -> Run:
        """Return the run of configuration files that are handed over without script and command."""
        from vcompat.sources.reading.configurations.trl_config import read_trl_config

        settings = Facts()
        mentions: list[Mention] = []
        presumes: tuple[Presumption, ...] = ()
        takes_defaults = bool(self.given[kinds.SETTINGS])
        for file in self.given[kinds.SETTINGS]:
            document = self._document(file)
            part = read_document_alone(document, self.locator, self.presuming) or read_trl_config(document)
            takes_defaults = takes_defaults and part.takes_defaults
            settings.update(part.facts)
            mentions += part.mentions
            presumes += part.presumes
        facts = self._assembled(self._from_accelerate(), Part(settings, takes_defaults, mentions=tuple(mentions)))
        return Run("", "", facts, takes_defaults, presumes=presumes)

    def _settings_place(self) -> Configuration | None:
        given = self.given[kinds.SETTINGS]
        if len(given) != 1:
            return None
        document = self._document(given[0])
        return None if framework_of(document) else Configuration(document.kind, Place(document.path), "")

    @staticmethod
    def _document(file: Recognized) -> Document:
        return file.document or read_document(file.path)

    def _assembled(self, launched: Facts, part: Part) -> Facts:
        """Return the facts of one run. What the script sets outweighs the launch script's variables."""
        from vcompat.sources.reading.configurations.adapter_config import read_adapter_config
        from vcompat.sources.reading.configurations.deepspeed_config import read_deepspeed_config

        facts = Facts()
        for file in self.given[kinds.MODEL]:
            facts.update(read_model_config(self._document(file)).facts)
        for file in self.given[kinds.ADAPTER]:
            facts.update(read_adapter_config(self._document(file)).facts)
        facts.update(launched)
        for file in self.given[kinds.DEEPSPEED]:
            facts.update(read_deepspeed_config(self._document(file)).facts)
        launcher_yields(facts, part)
        facts.update(part.facts)
        self._follow(facts, part.mentions)
        self.given_up += part.given_up
        for mention in part.missing:
            self._miss(facts, mention)
        for path in part.files:
            self.locator.add(path)
        self._read_model(facts)
        return facts

    def _follow(self, facts: Facts, mentions: Iterable[Mention]) -> None:
        """Read DeepSpeed's configurations that other files name."""
        from vcompat.sources.reading.configurations.deepspeed_config import read_deepspeed_config

        for mention in mentions:
            path = self.locator.find(mention.path, mention.place.path, "", mention.place)
            if path:
                self.locator.add(path)
                facts.update(read_deepspeed_config(read_document(path)).facts)
            elif not self.given[kinds.DEEPSPEED]:
                self._miss(facts, mention)

    def _miss(self, facts: Facts, mention: Mention) -> None:
        self.missing.append(mention)
        for fact in _OPENED_BY.get(mention.kind, ()):
            if facts.recorded(fact) is None and not facts.is_open(fact):
                facts.forget(
                    fact, f"{mention.place} names {readable(mention.path)}, which was not found", mention.place
                )

    # The model

    def _read_model(self, facts: Facts) -> None:
        """Read the model's config.json from its folder or the Hugging Face cache; else infer its size from its name."""
        known = facts.recorded("plan.model")
        if known is None or not isinstance(known.value, str) or self.given[kinds.MODEL]:
            return
        file = self.locator.model(known.value, known.place, self.home.hub)
        if file:
            self.locator.add(file)
            _fill_in(facts, read_model_config(read_document(file)).facts.known)
            return
        state_name(facts, known.value, known.place, known.source)
        for fact in ("plan.model_architecture", "plan.model_dtype", "plan.attention_heads", "plan.key_value_heads"):
            facts.excuse(fact, f"config.json of {known.value} was not found; pass its path as a run file")


def _entry(start: Start) -> str | None:
    """Return the function that `modal run` starts; empty for the only one; None for another launcher.

    A name that is not known is that of no function.
    """
    if start.started.launcher != "modal":
        return None
    entry = start.started.launcher_options.get("entry", "")
    return entry if isinstance(entry, str) else "?"


def _fill_in(facts: Facts, known: Mapping[str, object]) -> None:
    for name, stated in known.items():
        if facts.recorded(name) is None:
            facts.set(name, *stated)  # type: ignore[misc]
