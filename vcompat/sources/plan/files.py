"""Reads all run files of a plan and the files that they name, and merges their settings.

Launch scripts are read first, because they determine the options of a script. If two files set the same fact, the later
one in this order wins: model, adapter, accelerate, DeepSpeed, script, TRL configuration, launch script, command line.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from vcompat.facts.facts import Facts, Place
from vcompat.facts.trl_defaults import GRPO_DEFAULTS
from vcompat.foundation.errors import InputError
from vcompat.sources.plan import recognize as kinds
from vcompat.sources.plan.document import Document, read_document
from vcompat.sources.plan.launch import read_launch, state_options
from vcompat.sources.plan.model_config import read_model_config, state_name
from vcompat.sources.plan.part import CommandLine, Mention, Part, Plan
from vcompat.sources.plan.recognize import Recognized, recognize
from vcompat.sources.plan.script import read_script

#: Maximum number of files in one plan.
MOST_FILES = 50
#: Maximum number of folders that are searched for a file that another file names.
DEEPEST = 20


class _Read(NamedTuple):
    kind: str
    part: Part


class _Collector:
    """Reads each file and the files that it names once."""

    def __init__(self) -> None:
        self.read: list[_Read] = []
        self.missing: list[Mention] = []
        self.seen: dict[str, str] = {}
        self.command_line: CommandLine | None = None

    def add(self, file: Recognized) -> None:
        real = os.path.realpath(file.path)
        if real in self.seen:
            return
        if len(self.seen) >= MOST_FILES:
            raise InputError(file.path, f"more than {MOST_FILES} run files", f"at most {MOST_FILES}")
        self.seen[real] = file.path
        part = self._part(file)
        self.read.append(_Read(file.kind, part))
        self.command_line = part.command_line or self.command_line
        for mention in part.mentions:
            self._follow(mention)

    def _part(self, file: Recognized) -> Part:
        if file.kind == kinds.SCRIPT:
            return read_script(file.path, self._for(file.path))
        if file.kind == kinds.LAUNCH:
            return read_launch(file.path)
        return _read_document(file.kind, file.document or read_document(file.path))

    def _for(self, script: str) -> CommandLine | None:
        """Return the command line that starts `script`, if a launch script contains one."""
        started = self.command_line
        same = started is not None and os.path.basename(started.script) == os.path.basename(script)
        return started if same else None

    def _follow(self, mention: Mention) -> None:
        for folder in _folders(mention.place.path):
            path = os.path.normpath(os.path.join(folder, mention.path))
            if os.path.exists(path):
                self.add(recognize(path, mention.kind))
                return
        self.missing.append(mention)


def _folders(path: str) -> list[str]:
    """Return the folders to search for files that `path` names: its own, the current one, parents in the repository."""
    folder = os.path.dirname(path)
    folders = [folder, ""]
    while not os.path.exists(os.path.join(folder, ".git")) and len(folders) < DEEPEST:
        above = os.path.dirname(os.path.abspath(folder))
        if above == os.path.abspath(folder):
            # Without a repository, parent folders are not part of the plan.
            return folders[:2]
        folder = above
        folders.append(os.path.relpath(folder))
    return folders


def _read_document(kind: str, document: Document) -> Part:
    """Read a configuration file. Each reader is imported only for its kind, which saves start-up time."""
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


def read_plan(files: Iterable[Recognized], hub: str = "") -> Plan:
    """Read the run files `files` and the files that they name. Raises InputError for a file that cannot be read.

    `hub` is the folder of the Hugging Face cache; empty to ignore it.
    """
    collector = _Collector()
    # Launch scripts first, because they contain the command line of a script.
    for file in sorted(files, key=lambda file: file.kind != kinds.LAUNCH):
        collector.add(file)
    facts = _merged(collector)
    _record_missing_files(facts, collector.missing)
    _read_model(facts, collector, hub)
    takes_defaults = _takes_defaults(collector)
    if collector.read and not takes_defaults:
        _record_open_settings(facts, collector)
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
    # `trl grpo` and similar subcommands name no script, and accept the trainer's settings as options.
    if line is not None and (reads_options or not line.script):
        state_options(facts, line.options, line.place)
    return facts


def _launched(facts: Facts, launched: Facts, overridable: set[str]) -> None:
    """Merge the facts of a launch script. A variable that the training script sets overrides the launch script's.

    Variables in `overridable` are set by the training script only if they are not set yet.
    """
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


def _record_missing_files(facts: Facts, missing: list[Mention]) -> None:
    for mention in missing:
        for fact in _OPENED_BY.get(mention.kind, ()):
            if fact not in facts.known and fact not in facts.reasons:
                facts.forget(fact, f"{mention.place} names {mention.path}, which was not found", mention.place)


def _read_model(facts: Facts, collector: _Collector, hub: str) -> None:
    """Read the model's config.json from its folder or the Hugging Face cache; else infer its size from its name."""
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
        facts.reasons.setdefault(fact, f"config.json of {known.value} was not found; pass its path as a run file")


def _model_file(model: str, place: Place | None, hub: str) -> str:
    """Return the path of the config.json of `model`; empty if it was not found."""
    beside = os.path.join(os.path.dirname(place.path), model) if place else model
    folders = [beside, model]
    cached = os.path.join(hub, f"models--{model.replace('/', '--')}", "snapshots")
    if hub and os.path.isdir(cached):
        folders += [os.path.join(cached, name) for name in sorted(os.listdir(cached))]
    files = (os.path.join(folder, "config.json") for folder in folders)
    return next((file for file in files if os.path.isfile(file)), "")


def _record_open_settings(facts: Facts, collector: _Collector) -> None:
    """Record why settings are unknown that come from an unknown command line or are computed by the script."""
    script = next((read for read in collector.read if read.kind == kinds.SCRIPT), None)
    if script is None:
        return
    name = os.path.basename(next(iter(collector.seen.values())))
    why = (
        f"{name} reads it from its command line, which is not known"
        if script.part.reads_command_line
        else f"cannot be determined without running {name}"
    )
    for setting in GRPO_DEFAULTS:
        fact = f"plan.{setting}"
        if fact not in facts.known and fact not in facts.reasons:
            facts.forget(fact, why)
