"""Which files hold the command of a container or a rented machine."""

from __future__ import annotations

from typing import Any

import pytest

from vcompat.sources.reading.clusters.compose import read_compose
from vcompat.sources.reading.clusters.container_kinds import container_kind, kind_by_name
from vcompat.sources.reading.clusters.containers import READERS
from vcompat.sources.reading.clusters.dockerfile import read_dockerfile
from vcompat.sources.reading.clusters.kubernetes import read_kubernetes
from vcompat.sources.reading.clusters.skypilot import read_dstack, read_skypilot

#: A kind, and names of files that tell it.
NAMES = {
    "dockerfile": """Dockerfile dockerfile DOCKERFILE Dockerfile.gpu Dockerfile-gpu dockerfile.x.y Containerfile Containerfile.gpu containerfile-x
        a.dockerfile a.b.Dockerfile a.containerfile .dockerfile Dockerfile.python Dockerfile.yaml""",
    "compose": """compose.yaml compose.yml docker-compose.yaml docker-compose.yml Docker-Compose.YML COMPOSE.yaml compose.dev.yml compose-dev.yaml
        docker-compose.override.yml docker-compose-gpu.yaml compose.a.b.yaml""",
    "dstack": ".dstack.yml .dstack.yaml a.dstack.yml a.dstack.yaml",
    "": """Dockerfile.dockerignore dockerfile.py Dockerfile.sh dockerfile.md Dockerfile.MD Dockerfile. dockerfiles dockerfile_x mydockerfile xDockerfile
        my.dockerfile.txt compose.json compose.yaml.j2 composer.yaml my-compose.yaml compose compose.yamlx xdocker-compose.yml docker_compose.yml
        compose..yaml.bak dstack.yml a.dstack.YML a.dstack.ymlx Containerfiles docker-compose compose.xyml""",
}

SERVICES = [{"image": "a"}, {"build": "."}, {"command": "c"}, {"entrypoint": "e"}, {"extends": "x"}]
#: A table, the kind of file that it is, and the name of the file.
TABLES: list[tuple[Any, str, str]] = [
    ({"apiVersion": "v1", "kind": "Pod"}, "kubernetes", "a.yaml"),
    ({"apiVersion": "v1", "kind": "Pod"}, "compose", "dir/compose.yaml"),
    ({"apiVersion": "v1", "kind": 1}, "", "a.yaml"),
    ({"apiVersion": 1, "kind": "Pod"}, "", "a.yaml"),
    ({"apiVersion": "v1"}, "", "a.yaml"),
    ({"kind": "Pod"}, "", "a.yaml"),
    *(({"services": {"a": service}}, "compose", "a.yaml") for service in SERVICES),
    ({"services": {"a": {"ports": 1}, "b": {"image": "x"}}}, "compose", "a.yaml"),
    ({"services": {"a": {"ports": 1}}}, "", "a.yaml"),
    ({"services": {"a": "image"}}, "", "a.yaml"),
    ({"services": ["image"]}, "", "a.yaml"),
    ({"services": {}}, "", "a.yaml"),
    ({"type": "task", "commands": []}, "dstack", "a.yaml"),
    ({"type": "service", "commands": []}, "dstack", "a.yaml"),
    ({"type": "dev-environment", "commands": []}, "dstack", "a.yaml"),
    ({"type": "fleet", "commands": []}, "", "a.yaml"),
    ({"type": "task"}, "", "a.yaml"),
    ({"commands": []}, "", "a.yaml"),
    *(
        ({"run": "x", key: 1}, "skypilot", "a.yaml")
        for key in "resources num_nodes workdir file_mounts setup envs secrets service".split()
    ),
    ({"run": "x", "learning_rate": 1}, "", "a.yaml"),
    ({"run": ["x"], "resources": 1}, "", "a.yaml"),
    ({"resources": 1}, "", "a.yaml"),
    ({}, "", "a.yaml"),
    ({}, "dockerfile", "a/Dockerfile"),
]


@pytest.mark.parametrize(("kind", "names"), NAMES.items())
def test_a_name_tells_the_kind(kind: str, names: str) -> None:
    assert {name: kind_by_name(f"some/compose.yaml/{name}") for name in names.split()} == dict.fromkeys(
        names.split(), kind
    )


def test_contents_tell_the_kind_where_the_name_does_not() -> None:
    assert [container_kind(table, name) for table, _, name in TABLES] == [kind for _, kind, _ in TABLES]


def test_each_kind_has_its_reader() -> None:
    assert {
        "dockerfile": read_dockerfile,
        "compose": read_compose,
        "kubernetes": read_kubernetes,
        "skypilot": read_skypilot,
        "dstack": read_dstack,
    } == READERS
