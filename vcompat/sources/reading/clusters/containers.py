"""Reads files that hold the command of a container or a rented machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vcompat.sources.reading.clusters.compose import read_compose
from vcompat.sources.reading.clusters.container_kinds import COMPOSE, DOCKERFILE, DSTACK, KUBERNETES, SKYPILOT
from vcompat.sources.reading.clusters.dockerfile import read_dockerfile
from vcompat.sources.reading.clusters.kubernetes import read_kubernetes
from vcompat.sources.reading.clusters.skypilot import read_dstack, read_skypilot
from vcompat.sources.reading.clusters.workload import Workload

#: The readers, by kind. Each raises InputError if the file cannot be read.
READERS: Mapping[str, Callable[[str], list[Workload]]] = {
    DOCKERFILE: read_dockerfile,
    COMPOSE: read_compose,
    KUBERNETES: read_kubernetes,
    SKYPILOT: read_skypilot,
    DSTACK: read_dstack,
}
