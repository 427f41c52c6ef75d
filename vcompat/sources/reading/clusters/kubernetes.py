"""Reads Kubernetes manifests: what the containers of pods and jobs start.

Known are Pod, Job, CronJob, Deployment, StatefulSet, DaemonSet, ReplicaSet, JobSet, LeaderWorkerSet, the jobs of the
Kubeflow training operator, TrainJob, MPIJob, RayJob and RayCluster.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.foundation.reading import read_text
from vcompat.sources.reading.clusters.workload import (
    Command,
    Context,
    Workload,
    behind_entrypoint,
    list_command,
    run_text,
    started,
    whole_number,
    without_templates,
)
from vcompat.sources.reading.document import SIZE_LIMIT, Document, parse_document, read_documents
from vcompat.sources.reading.invocation import Environment, Others
from vcompat.sources.reading.word import UNKNOWN, Gap, Word, concat

_EXPECTED = "a Kubernetes manifest"
_GPU_RESOURCE = re.compile(r"^(?:nvidia\.com/(?:gpu|mig-.*)|amd\.com/gpu)$")
#: Kinds whose pods have no variables besides those of their manifest and of the cluster's services.
_PLAIN = frozenset("Pod Job CronJob Deployment StatefulSet DaemonSet ReplicaSet".split())


class _Template(NamedTuple):
    """A pod's specification inside a resource."""

    keys: tuple[str, ...]
    """Where it stands."""
    name: str
    machines: int | None


def read_kubernetes(path: str) -> list[Workload]:
    """Return one workload per container in the manifests at `path` that starts a program.

    Raises InputError if the file cannot be read, also if it is a template that is not rendered.
    """
    workloads: list[Workload] = []
    for document in _manifests(path):
        kind = document.get("kind")
        if kind == "TrainJob":
            workloads += _train_job(document)
        elif kind == "RayJob":
            workloads += _ray_job(document)
        for template in _templates(document, str(kind)):
            workloads += _containers(document, template, injected=kind not in _PLAIN)
    return workloads


def _manifests(path: str) -> list[Document]:
    try:
        return read_documents(path)
    except InputError:
        if "{{" in read_text(path, SIZE_LIMIT, _EXPECTED):
            raise InputError(path, "a template with {{ }}", "the rendered manifest, from `helm template`") from None
        raise


def _templates(document: Document, kind: str) -> Iterator[_Template]:
    name = document.get("metadata", "name") or kind
    # Where the pod stands, and the key that states how many there are; empty: one; None: not known.
    paths: dict[str, tuple[tuple[str, ...], str | None]] = {
        "Pod": (("spec",), ""),
        "Job": (("spec", "template", "spec"), "parallelism"),
        "CronJob": (("spec", "jobTemplate", "spec", "template", "spec"), ""),
        "Deployment": (("spec", "template", "spec"), "replicas"),
        "StatefulSet": (("spec", "template", "spec"), "replicas"),
        "ReplicaSet": (("spec", "template", "spec"), "replicas"),
        "DaemonSet": (("spec", "template", "spec"), None),
        "LeaderWorkerSet": (("spec", "leaderWorkerTemplate", "workerTemplate", "spec"), None),
        "RayCluster": (("spec", "headGroupSpec", "template", "spec"), None),
    }
    if kind in paths:
        keys, counter = paths[kind]
        count = document.get("spec", counter) if counter else None
        machines = None if counter is None else 1 if count is None else whole_number(count)
        yield _Template(keys, str(name), machines)
    if kind == "LeaderWorkerSet":
        yield _Template(("spec", "leaderWorkerTemplate", "leaderTemplate", "spec"), str(name), None)
    for key, replica, machines in _replicas(document):
        yield _Template((*key, "template", "spec"), f"{name}-{replica}".lower(), machines)
    jobs = document.get("spec", "replicatedJobs")
    for index, job in enumerate(jobs if isinstance(jobs, list) else ()):
        if isinstance(job, dict):
            keys = ("spec", "replicatedJobs", str(index), "template", "spec", "template", "spec")
            yield _Template(keys, f"{name}-{job.get('name')}", None)


def _replicas(document: Document) -> Iterator[tuple[tuple[str, ...], str, int | None]]:
    """Yield the place, name and number of the replicas of a Kubeflow job, such as Master and Worker."""
    spec = document.get("spec")
    for key in spec if isinstance(spec, dict) else ():
        roles = spec[key]
        if key.endswith("ReplicaSpecs") and isinstance(roles, dict):
            total = _sum(whole_number(role.get("replicas", 1)) for role in roles.values() if isinstance(role, dict))
            for role in roles:
                # The launcher of an MPIJob starts the workers; they are not counted as one machine more.
                yield ("spec", key, role), role, None if key.startswith("mpi") else total


def _sum(numbers: Iterable[int | None]) -> int | None:
    """Return the sum of `numbers`; None if one is not known, or there are none."""
    listed = list(numbers)
    known = [number for number in listed if number is not None]
    return sum(known) if known and len(known) == len(listed) else None


def _at(table: Any, keys: tuple[str, ...]) -> Any:
    """Return the value at `keys`; numbers are indexes of lists."""
    for key in keys:
        if isinstance(table, dict):
            table = table.get(key)
        elif isinstance(table, list) and key.isdecimal() and int(key) < len(table):
            table = table[int(key)]
        else:
            return None
    return table


def _containers(document: Document, template: _Template, injected: bool) -> Iterator[Workload]:
    containers = _at(document.table, (*template.keys, "containers"))
    for index, container in enumerate(containers if isinstance(containers, list) else ()):
        if not isinstance(container, dict):
            continue
        keys = (*template.keys, "containers", str(index))
        variables = _Variables(document, container, keys, injected)
        command = _command(document, container, keys, variables)
        if command is None:
            continue
        folder = container.get("workingDir")
        inside = without_templates(folder) if isinstance(folder, str) else UNKNOWN
        invocations = started(command, Context(variables.environment(), inside))
        names = f"{template.name}/{container.get('name')}" if len(containers) > 1 else template.name
        yield Workload(names, invocations, command.place, _gpus(container.get("resources")), template.machines)


def _command(
    document: Document, container: Mapping[str, Any], keys: tuple[str, ...], variables: _Variables
) -> Command | None:
    command = list_command(document, container.get("command"), *keys, "command")
    arguments = list_command(document, container.get("args"), *keys, "args")
    whole = command.followed_by(arguments, command.place) if command and arguments else command or arguments
    if whole is None or not whole.words:
        # Only the image tells what it starts.
        return None
    expanded = whole._replace(words=tuple(map(variables.expand, whole.words)))
    return expanded if command else behind_entrypoint(expanded)


_REFERENCE = re.compile(r"\$(\$|\(([^)]*)\))")
#: Variables that Kubernetes sets, most of them for each service of a namespace.
_SERVICE = re.compile(r"_SERVICE_(?:HOST|PORT)|_PORT(?:_|$)|^JOB_COMPLETION_INDEX$")


class _Variables:
    """The variables of a container, and the substitution of ``$(NAME)``."""

    def __init__(self, document: Document, container: Mapping[str, Any], keys: tuple[str, ...], injected: bool) -> None:
        self.values: dict[str, Word] = {}
        self.places: dict[str, Place] = {}
        self.image = container.get("image")
        self.open_names = injected or bool(container.get("envFrom"))
        """Variables that the manifest does not list may be known to Kubernetes."""
        items = container.get("env")
        for index, item in enumerate(items if isinstance(items, list) else ()):
            name = item.get("name") if isinstance(item, dict) else None
            if not isinstance(name, str):
                continue
            value = item.get("value", "" if "valueFrom" not in item else None)
            self.places[name] = document.place(*keys, "env", str(index), "name")
            if isinstance(value, str):
                text = self.expand(without_templates(value))
                # A variable that names itself sees the value from before.
                self.values[name] = text
            else:
                self.values[name] = UNKNOWN

    def expand(self, text: Word) -> Word:
        """Substitute ``$(NAME)`` as Kubernetes does: names that it does not know stay as written."""
        if not isinstance(text, str):
            return concat(UNKNOWN if isinstance(part, Gap) else self.expand(part) for part in text.parts)
        pieces: list[Word] = []
        position = 0
        for match in _REFERENCE.finditer(text):
            pieces += [text[position : match.start()], self._replacement(match)]
            position = match.end()
        return concat((*pieces, text[position:]))

    def _replacement(self, match: re.Match[str]) -> Word:
        if match[1] == "$":
            return "$"
        name = match[2]
        if name in self.values:
            return self.values[name]
        is_name = re.fullmatch(r"[A-Za-z_.-][A-Za-z0-9_.-]*", name) is not None
        if is_name and (_SERVICE.search(name) or (self.open_names and name == name.upper())):
            return UNKNOWN
        return match[0]

    def environment(self) -> Environment:
        image = f"the image {self.image[:80]}" if isinstance(self.image, str) else "the image"
        why = f"{image} and the cluster may set variables"
        return Environment(self.values, Others.UNKNOWN, self.places, why)


def _gpus(resources: Any) -> int | None:
    limits = resources.get("limits") or resources.get("requests") if isinstance(resources, dict) else None
    if not isinstance(limits, dict):
        return None
    return _sum(whole_number(value) for name, value in limits.items() if _GPU_RESOURCE.match(name))


def _train_job(document: Document) -> Iterator[Workload]:
    keys, trainer = ("spec", "trainer"), document.get("spec", "trainer")
    if not isinstance(trainer, dict):
        return
    variables = _Variables(document, trainer, keys, injected=True)
    command = _command(document, trainer, keys, variables)
    if command is None:
        return
    gpus = _gpus(trainer.get("resourcesPerNode"))
    machines = whole_number(trainer.get("numNodes"))
    name = str(document.get("metadata", "name") or "TrainJob")
    invocations = started(command, Context(variables.environment(), UNKNOWN))
    yield Workload(name, invocations, command.place, gpus, machines)


def _ray_job(document: Document) -> Iterator[Workload]:
    entrypoint = document.get("spec", "entrypoint")
    if not isinstance(entrypoint, str):
        return
    values = _runtime_variables(document.get("spec", "runtimeEnvYAML"))
    place = document.place("spec", "runtimeEnvYAML")
    why = "the image and the cluster may set variables"
    environment = Environment(values, Others.UNKNOWN, dict.fromkeys(values, place), why)
    where = document.place("spec", "entrypoint")
    text_place = where._replace(line=document.text_line("spec", "entrypoint"))
    found = run_text(without_templates(entrypoint), text_place, Context(environment, UNKNOWN))
    name = str(document.get("metadata", "name") or "RayJob")
    yield Workload(name, found, where)


def _runtime_variables(text: Any) -> dict[str, Word]:
    """Return the variables in the text of a Ray runtime environment."""
    if not isinstance(text, str):
        return {}
    try:
        variables = parse_document(_EXPECTED, text, "yaml").get("env_vars")
    except InputError:
        return {}
    if not isinstance(variables, dict):
        return {}
    return {name: without_templates(v) if isinstance(v, str) else UNKNOWN for name, v in variables.items()}
