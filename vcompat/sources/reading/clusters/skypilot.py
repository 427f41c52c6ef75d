"""Reads the tasks of SkyPilot and dstack: commands that run on rented machines.

A file is taken as started without options: ``sky launch task.yaml`` uses the values of ``envs`` as written.
"""

from __future__ import annotations

import math
from typing import Any

from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.clusters.workload import (
    Context,
    Workload,
    join_folder,
    run_text,
    whole_number,
    without_templates,
)
from vcompat.sources.reading.document import Document, read_documents
from vcompat.sources.reading.invocation import Environment, Others
from vcompat.sources.reading.word import UNKNOWN, Word

_EXPECTED = "a SkyPilot or dstack task"


def read_skypilot(path: str) -> list[Workload]:
    """Return one workload per task of the SkyPilot file at `path` that runs something.

    Raises InputError if it cannot be read.
    """
    return [workload for document in read_documents(path) for workload in _task(document)]


def read_dstack(path: str) -> list[Workload]:
    """Return one workload per task or service of the dstack file at `path` that runs something.

    Raises InputError if it cannot be read.
    """
    return [workload for document in read_documents(path) for workload in _dstack(document)]


def _task(document: Document) -> list[Workload]:
    run = document.table.get("run")
    if run is None:
        return []
    if not isinstance(run, str):
        raise InputError(f"{document.path}:{document.place('run').line}", "run is not a text", _EXPECTED)
    gpus, machines = _gpus(document.table.get("resources")), whole_number(document.table.get("num_nodes", 1))
    listed, places = _values(document, "envs")
    secrets, secret_places = _values(document, "secrets")
    values: dict[str, Word] = {
        "SKYPILOT_NUM_GPUS_PER_NODE": UNKNOWN if gpus is None else str(gpus),
        "SKYPILOT_NUM_NODES": UNKNOWN if machines is None else str(machines),
        "SKYPILOT_NODE_RANK": UNKNOWN,
        "SKYPILOT_NODE_IPS": UNKNOWN,
        "SKYPILOT_TASK_ID": UNKNOWN,
        **listed,
        **dict.fromkeys(secrets, UNKNOWN),
    }
    why = "the machine's image may set variables"
    environment = Environment(values, Others.UNKNOWN, {**places, **secret_places}, why)
    # Without a workdir, the commands run in the home directory of the machine.
    workdir = document.table.get("workdir")
    local = isinstance(workdir, str) and not workdir.startswith(("~", "/")) and "://" not in workdir
    folder: Word = join_folder("", without_templates(str(workdir))) if local else UNKNOWN
    found = run_text(without_templates(run), _first_line(document, "run"), Context(environment, folder))
    name = str(document.table.get("name") or "task")
    return [Workload(name, found, document.place("run"), gpus, machines)]


def _first_line(document: Document, *keys: str) -> Place:
    """Return the position of the first line of the text at `keys`."""
    return Place(document.path, document.text_line(*keys))


def _values(document: Document, key: str) -> tuple[dict[str, Word], dict[str, Place]]:
    """Return the variables of a map of names and values, or of a list of ``NAME=value``, and their positions."""
    table = document.table.get(key)
    values: dict[str, Word] = {}
    places: dict[str, Place] = {}
    if isinstance(table, dict):
        for name, value in table.items():
            places[name] = document.place(key, name)
            known = isinstance(value, (str, int, float)) and value != ""
            values[name] = without_templates(str(value)) if known else UNKNOWN
    elif isinstance(table, list):
        for index, item in enumerate(table):
            name, equals, value = str(item).partition("=")
            places[name] = document.value_place(key, str(index))
            values[name] = without_templates(value) if equals else UNKNOWN
    return values, places


def _gpus(resources: Any) -> int | None:
    """Return the number of accelerators per machine; None if it depends on the offer that is chosen."""
    if resources is None:
        return 0
    if not isinstance(resources, dict):
        return None
    others = [resources.get(key) for key in ("any_of", "ordered")]
    offers = [resources, *(offer for group in others if isinstance(group, list) for offer in group)]
    counts: set[int | None] = set()
    for offer in offers:
        value = _of(offer)
        if value is not None:
            counts |= _counts(value)
    if counts and resources.get("accelerators") is None and None in (_of(offer) for offer in offers[1:]):
        return None
    if not counts:
        # A type of machine determines its GPUs.
        return None if "instance_type" in resources or len(offers) > 1 else 0
    return counts.pop() if len(counts) == 1 else None


def _of(offer: Any) -> Any:
    return offer.get("accelerators") if isinstance(offer, dict) else None


def _counts(accelerators: Any) -> set[int | None]:
    if isinstance(accelerators, str):
        name, colon, count = without_templates(accelerators).partition(":")
        if not colon:
            return {1} if isinstance(name, str) else {None}
        return {_count(count)}
    if isinstance(accelerators, dict):
        return {_count(count) if count is not None else 1 for count in accelerators.values()}
    if isinstance(accelerators, list):
        return {count for item in accelerators for count in _counts(item)}
    return {None}


def _count(text: Any) -> int | None:
    try:
        count = float(text)
    except (TypeError, ValueError):
        return None
    return math.ceil(count) if 0 < count < 1000 else None


def _dstack(document: Document) -> list[Workload]:
    commands = document.table.get("commands")
    if commands is None:
        return []
    if not isinstance(commands, list) or not all(isinstance(command, str) for command in commands):
        raise InputError(f"{document.path}:{document.place('commands').line}", "commands is not a list", _EXPECTED)
    machines = whole_number(document.table.get("nodes", 1))
    gpus = _dstack_gpus(document.table.get("resources"))
    listed, places = _values(document, "env")
    total = None if gpus is None or machines is None else gpus * machines
    values: dict[str, Word] = {
        "DSTACK_GPUS_PER_NODE": UNKNOWN if gpus is None else str(gpus),
        "DSTACK_GPUS_NUM": UNKNOWN if total is None else str(total),
        "DSTACK_NODES_NUM": UNKNOWN if machines is None else str(machines),
        "DSTACK_NODE_RANK": UNKNOWN,
        "DSTACK_MASTER_NODE_IP": UNKNOWN,
        **listed,
    }
    environment = Environment(values, Others.UNKNOWN, places, "the image may set variables")
    given = document.table.get("working_dir")
    folder: Word = without_templates(given) if isinstance(given, str) else UNKNOWN
    found = run_text(_joined(document, commands), _first_line(document, "commands", "0"), Context(environment, folder))
    name = str(document.table.get("name") or "task")
    return [Workload(name, found, document.place("commands"), gpus, machines)]


def _joined(document: Document, commands: list[str]) -> Word:
    """Return the command line of `commands`: each runs only if the one before it succeeded.

    Each is on its line of the file, as far as possible.
    """
    text: Word = ""
    first = document.text_line("commands", "0")
    for index, command in enumerate(without_templates(command).strip() for command in commands):
        if text:
            missing = document.text_line("commands", str(index)) - first - (len(text.split("\n")) - 1)
            # A comment ends at the end of the line, so only here a line break changes something.
            text += " && " if "#" in text.rpartition("\n")[2] else " &&" + ("\n" * missing or " ")
        text += "{ " + command + " }" if command.endswith("&") else command
    return text


def _dstack_gpus(resources: Any) -> int | None:
    gpu = resources.get("gpu") if isinstance(resources, dict) else None
    if isinstance(gpu, dict):
        return whole_number(gpu.get("count", 1))
    if not isinstance(gpu, (str, int)) or "{{" in str(gpu):
        return None
    parts = str(gpu).split(":")
    counts = [count for count in map(whole_number, parts) if count is not None]
    ranges = any(".." in part and "GB" not in part.upper() for part in parts)
    return None if ranges else counts[0] if counts else 1
