"""The manifests in examples/kubernetes: against the published schemas, and against the programs that they start."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from vcompat.cli import fleet as fleet_command
from vcompat.cli import probe as probe_command
from vcompat.cli.program import program

FOLDER = Path(__file__).parents[2] / "examples" / "kubernetes"
MANIFESTS = sorted(FOLDER.glob("*.yaml"))


def documents(path: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


def job(name: str) -> dict[str, Any]:
    return next(one for one in documents(FOLDER / name) if one["kind"] == "Job")


@pytest.mark.parametrize("version", ["1.28", "1.37"])
@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_a_manifest_fits_the_strict_schemas_of_kubernetes(path: Path, version: str) -> None:
    schemas = pytest.importorskip("kubernetes_validate")
    for document in documents(path):
        schemas.validate(document, version, strict=True)


def test_the_schemas_notice_a_key_that_is_none() -> None:
    schemas = pytest.importorskip("kubernetes_validate")
    wrong = job("gated-training.yaml")
    wrong["spec"]["template"]["spec"]["initContainer"] = []
    with pytest.raises(schemas.ValidationError):
        schemas.validate(wrong, "1.37", strict=True)


def parsed(command: click.Command, words: list[str]) -> dict[str, Any]:
    # click keeps the names of the help option when a command is first parsed, so it has its program here, too.
    with program.make_context("vcompat", ["probe"]) as whole:
        return command.make_context("test", words, parent=whole).params


def test_the_command_of_the_probe_is_one_of_vcompat() -> None:
    (container,) = job("probe-nodes.yaml")["spec"]["template"]["spec"]["containers"]
    assert container["command"][:2] == ["vcompat", "probe"]
    assert parsed(probe_command.command, container["command"][2:])["form"] == "json"


def test_the_comments_name_options_that_exist() -> None:
    line = next(line for line in (FOLDER / "probe-nodes.yaml").read_text().splitlines() if "| vcompat fleet" in line)
    words = line.partition("| vcompat fleet ")[2].split()
    found = parsed(fleet_command.command, words)
    assert (found["origins"], found["expect"], found["files"]) == (("-",), 4, ("train.py",))
    assert job("probe-nodes.yaml")["spec"]["completions"] == 4


def test_the_gate_is_started_like_the_training_and_pods_have_names_while_it_runs() -> None:
    pytest.importorskip("torch")
    rank = import_module("vcompat.fleet.__main__")
    spec = job("gated-training.yaml")["spec"]
    pod = spec["template"]["spec"]
    (gate,), (training,) = pod["initContainers"], pod["containers"]
    at = gate["command"].index("-m")
    launch, words = gate["command"][:at], gate["command"][at + 2 :]
    assert gate["command"][at + 1] == "vcompat.fleet"
    assert [word for word in launch if "rdzv-id" not in word] == [
        word for word in training["command"][:-1] if "rdzv-id" not in word
    ]
    found = parsed(rank.command, words)
    assert (found["exercise"], found["expect"], list(found["files"])) == (
        True,
        spec["completions"],
        training["command"][-1:],
    )
    (service,) = [one for one in documents(FOLDER / "gated-training.yaml") if one["kind"] == "Service"]
    assert service["spec"]["publishNotReadyAddresses"]
    assert service["metadata"]["name"] == pod["subdomain"]
    name = f"{job('gated-training.yaml')['metadata']['name']}-0.{pod['subdomain']}"
    assert f"--rdzv-endpoint={name}:29400" in launch
    assert (spec["backoffLimit"], pod["restartPolicy"]) == (0, "Never")
