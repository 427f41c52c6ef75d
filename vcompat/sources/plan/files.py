"""All files of a plan together: each read by its kind, those that they name followed, and what they say put in order.

A launch script comes first, since it tells with which options a script is started. Where two files speak of one
setting, the one nearer to the run wins: a model's file, accelerate's, DeepSpeed's, the script, TRL's, the command line.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from vcompat.facts.facts import Facts, Place
from vcompat.facts.trl_defaults import GRPO_DEFAULTS
from vcompat.foundation.errors import InputError
from vcompat.sources.plan import recognise as kinds
from vcompat.sources.plan.document import Document, read_document
from vcompat.sources.plan.launch import read_launch, state_options
from vcompat.sources.plan.model_config import read_model_config, state_name
from vcompat.sources.plan.part import CommandLine, Mention, Part, Plan
from vcompat.sources.plan.recognise import Recognised, recognise
from vcompat.sources.plan.script import read_script

#: Files that one plan may lead to.
MOST_FILES = 50
#: Folders above a file in which those that it names are looked for.
DEEPEST = 20


class _Read(NamedTuple):
    kind: str
    part: Part


class _Collector:
    """Reads files and what they lead to, each once."""

    def __init__(self) -> None:
        self.read: list[_Read] = []
        self.missing: list[Mention] = []
        self.seen: dict[str, str] = {}
        self.command_line: CommandLine | None = None

    def add(self, file: Recognised) -> None:
        real = os.path.realpath(file.path)
        if real in self.seen:
            return
        if len(self.seen) >= MOST_FILES:
            raise InputError(file.path, f"more than {MOST_FILES} files lead to each other", "fewer")
        self.seen[real] = file.path
        part = self._part(file)
        self.read.append(_Read(file.kind, part))
        self.command_line = part.command_line or self.command_line
        for mention in part.mentions:
            self._follow(mention)

    def _part(self, file: Recognised) -> Part:
        if file.kind == kinds.SCRIPT:
            return read_script(file.path, self._for(file.path))
        if file.kind == kinds.LAUNCH:
            return read_launch(file.path)
        return _read_document(file.kind, file.document or read_document(file.path))

    def _for(self, script: str) -> CommandLine | None:
        """The command line that starts `script`, if a launch script was read that does."""
        started = self.command_line
        same = started is not None and os.path.basename(started.script) == os.path.basename(script)
        return started if same else None

    def _follow(self, mention: Mention) -> None:
        for folder in _folders(mention.place.path):
            path = os.path.normpath(os.path.join(folder, mention.path))
            if os.path.exists(path):
                self.add(recognise(path, mention.kind))
                return
        self.missing.append(mention)


def _folders(path: str) -> list[str]:
    """From where a file may name others: its folder, the current one, and those above it in the same repository."""
    folder = os.path.dirname(path)
    folders = [folder, ""]
    while not os.path.exists(os.path.join(folder, ".git")) and len(folders) < DEEPEST:
        above = os.path.dirname(os.path.abspath(folder))
        if above == os.path.abspath(folder):
            # No repository: what lies above is none of the plan's.
            return folders[:2]
        folder = above
        folders.append(os.path.relpath(folder))
    return folders


def _read_document(kind: str, document: Document) -> Part:
    """Each reader is imported for the file that needs it."""
    if kind == kinds.ACCELERATE:
        from vcompat.sources.plan.accelerate_config import read_accelerate_config as read
    elif kind == kinds.DEEPSPEED:
        from vcompat.sources.plan.deepspeed_config import read_deepspeed_config as read
    elif kind == kinds.ADAPTER:
        from vcompat.sources.plan.adapter_config import read_adapter_config as read
    elif kind == kinds.MODEL:
        read = read_model_config
    else:
        from vcompat.sources.plan.trl_config import read_trl_config as read
    return read(document)


def read_plan(files: Iterable[Recognised], hub: str = "") -> Plan:
    """Read the `files` of a plan and those that they name. Raises InputError for one that cannot be used.

    `hub` is the folder where models from the hub are cached; empty if it is not to be looked at.
    """
    collector = _Collector()
    # Launch scripts first: they say how a script is started.
    for file in sorted(files, key=lambda file: file.kind != kinds.LAUNCH):
        collector.add(file)
    facts = _merged(collector)
    _say_what_is_missing(facts, collector.missing)
    _read_model(facts, collector, hub)
    takes_defaults = _takes_defaults(collector)
    if collector.read and not takes_defaults:
        _say_what_is_open(facts, collector)
    made = tuple(read.part.configuration for read in collector.read if read.part.configuration is not None)
    return Plan(facts, takes_defaults, made, tuple(collector.seen.values()))


_ORDER = (kinds.MODEL, kinds.ADAPTER, kinds.ACCELERATE, kinds.DEEPSPEED, kinds.SCRIPT, kinds.SETTINGS)


def _merged(collector: _Collector) -> Facts:
    facts = Facts()
    scripts = [read.part for read in collector.read if read.kind == kinds.SCRIPT]
    reads_options = any(part.reads_command_line for part in scripts)
    from_outside = not scripts or reads_options
    for kind in _ORDER:
        for read in collector.read:
            if read.kind == kind and (kind != kinds.SETTINGS or from_outside):
                facts.update(read.part.facts)
            elif read.kind == kind:
                _fill_in(facts, read.part.facts)
    overridable = {name for part in scripts for name in part.overridable}
    for read in collector.read:
        if read.kind == kinds.LAUNCH:
            _launched(facts, read.part.facts, overridable)
    line = collector.command_line
    # `trl grpo` and its like name no script, and take the trainer's settings as options too.
    if line is not None and (reads_options or not line.script):
        state_options(facts, line.options, line.place)
    return facts


def _launched(facts: Facts, launched: Facts, overridable: set[str]) -> None:
    """What a launch script says; a variable that the script sets itself is the script's, unless it yields."""
    kept = launched.copy()
    for name in [*launched.known, *launched.reasons]:
        if name.startswith("env.") and name not in overridable and (name in facts.known or name in facts.reasons):
            kept.known.pop(name, None)
            kept.reasons.pop(name, None)
    facts.update(kept)


def _fill_in(facts: Facts, other: Facts) -> None:
    for name, known in other.known.items():
        if name not in facts.known:
            facts.set(name, *known)


def _takes_defaults(collector: _Collector) -> bool:
    scripts = [read.part for read in collector.read if read.kind == kinds.SCRIPT]
    stated = any(read.kind == kinds.SETTINGS for read in collector.read) or collector.command_line is not None
    missing = any(mention.kind == kinds.SETTINGS for mention in collector.missing)
    if scripts:
        return any(part.takes_defaults or (part.reads_command_line and stated and not missing) for part in scripts)
    return not missing and any(read.part.takes_defaults for read in collector.read)


_OPENED_BY = {
    kinds.DEEPSPEED: ("plan.deepspeed_stage", "plan.optimizer_offload", "plan.parameter_offload"),
    kinds.ACCELERATE: ("plan.world_size", "plan.num_machines", "plan.deepspeed_stage", "plan.distributed_type"),
    kinds.SETTINGS: tuple(f"plan.{setting}" for setting in GRPO_DEFAULTS),
}


def _say_what_is_missing(facts: Facts, missing: list[Mention]) -> None:
    for mention in missing:
        for fact in _OPENED_BY.get(mention.kind, ()):
            if fact not in facts.known and fact not in facts.reasons:
                facts.forget(fact, f"{mention.place} names {mention.path}, which is not here", mention.place)


def _read_model(facts: Facts, collector: _Collector, hub: str) -> None:
    """The model's own file, from a folder that the plan names or from the hub's cache; else what its name tells."""
    known = facts.known.get("plan.model")
    if known is None or not isinstance(known.value, str) or any(read.kind == kinds.MODEL for read in collector.read):
        return
    file = _model_file(known.value, known.place, hub)
    if file:
        collector.seen[os.path.realpath(file)] = file
        _fill_in(facts, read_model_config(read_document(file)).facts)
        return
    state_name(facts, known.value, known.place, known.source)
    for fact in ("plan.model_architecture", "plan.model_dtype", "plan.attention_heads", "plan.key_value_heads"):
        facts.reasons.setdefault(fact, f"the config.json of {known.value} is not here; name it among the files")


def _model_file(model: str, place: Place | None, hub: str) -> str:
    """The config.json of `model`; empty if this machine has none."""
    beside = os.path.join(os.path.dirname(place.path), model) if place else model
    folders = [beside, model]
    cached = os.path.join(hub, f"models--{model.replace('/', '--')}", "snapshots")
    if hub and os.path.isdir(cached):
        folders += [os.path.join(cached, name) for name in sorted(os.listdir(cached))]
    files = (os.path.join(folder, "config.json") for folder in folders)
    return next((file for file in files if os.path.isfile(file)), "")


def _say_what_is_open(facts: Facts, collector: _Collector) -> None:
    """Of every setting that is left to a command line nobody showed, or to what a script computes, say so."""
    script = next((read for read in collector.read if read.kind == kinds.SCRIPT), None)
    if script is None:
        return
    name = os.path.basename(next(iter(collector.seen.values())))
    why = (
        "takes it from its command line" if script.part.reads_command_line else "may set it where only running it tells"
    )
    for setting in GRPO_DEFAULTS:
        fact = f"plan.{setting}"
        if fact not in facts.known and fact not in facts.reasons:
            facts.forget(fact, f"{name} {why}")
