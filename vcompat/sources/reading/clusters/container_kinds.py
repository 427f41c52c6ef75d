"""Detects files that hold the command of a container or a rented machine, by name and top-level keys."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

DOCKERFILE, COMPOSE, KUBERNETES = "dockerfile", "compose", "kubernetes"
SKYPILOT, DSTACK = "skypilot", "dstack"

_DOCKERFILE = re.compile(r"^(?:dockerfile|containerfile)(?:[.-].+)?$|\.(?:dockerfile|containerfile)$", re.IGNORECASE)
_COMPOSE = re.compile(r"^(?:docker-)?compose(?:[.-].+)?\.ya?ml$", re.IGNORECASE)
_SKYPILOT_KEYS = frozenset("resources num_nodes workdir file_mounts setup envs secrets service".split())
_DSTACK_TYPES = frozenset(("task", "service", "dev-environment"))


def kind_by_name(path: str) -> str:
    """Return the kind of the file at `path` if its name tells; empty if not."""
    name = os.path.basename(path)
    if _DOCKERFILE.search(name) and not name.lower().endswith((".dockerignore", ".py", ".sh", ".md")):
        return DOCKERFILE
    if _COMPOSE.match(name):
        return COMPOSE
    return DSTACK if name.endswith((".dstack.yml", ".dstack.yaml")) else ""


def container_kind(table: Mapping[str, Any], path: str) -> str:
    """Return the kind of a YAML or JSON document, by its name and its top-level `table`; empty if it is none."""
    by_name = kind_by_name(path)
    if by_name:
        return by_name
    if isinstance(table.get("apiVersion"), str) and isinstance(table.get("kind"), str):
        return KUBERNETES
    services = table.get("services")
    if isinstance(services, Mapping) and _are_services(services):
        return COMPOSE
    if table.get("type") in _DSTACK_TYPES and "commands" in table:
        return DSTACK
    if isinstance(table.get("run"), str) and _SKYPILOT_KEYS & table.keys():
        return SKYPILOT
    return ""


def _are_services(services: Mapping[str, Any]) -> bool:
    keys = ("image", "build", "command", "entrypoint", "extends")
    return any(isinstance(service, Mapping) and any(key in service for key in keys) for service in services.values())
