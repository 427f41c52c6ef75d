"""Reports of real probes with the stub of the driver library, judged as a fleet."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.nvml.test_machines import probe
from vcompat.foundation.errors import InputError
from vcompat.sources.nodes.reported_node import Reader


def _fleet(folder: Path, stub: Path, *scenarios: str, **variables: str) -> dict[str, Any]:
    """Return the judgement of one node for each scenario, node1 and so on."""
    for number, scenario in enumerate(scenarios, 1):
        report = probe(stub, scenario, **variables)
        report["node"] |= {"host": f"node{number}", "boot": f"00000000-0000-4000-8000-00000000000{number}", "names": {}}
        (folder / f"{number}.json").write_text(json.dumps(report), encoding="utf-8")
    command = [sys.executable, "-m", "vcompat", "fleet", "--no-config", "--from", str(folder), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.stderr == ""
    table: dict[str, Any] = json.loads(done.stdout)
    assert table["fails"] == (done.returncode == 1)
    return table


def _nodes(table: dict[str, Any]) -> dict[str, list[tuple[str, list[str]]]]:
    """What is found: the subjects of each finding with the nodes of their first group."""
    return {
        one["id"]: [(entry["subject"], entry["groups"][0]["nodes"]) for entry in one["entries"]]
        for one in table["findings"]
    }


def test_equal_machines_have_no_finding(nvml_stub: Path, tmp_path: Path) -> None:
    assert _nodes(_fleet(tmp_path, nvml_stub, "8xH100", "8xH100")) == {}


def test_a_sick_a_smaller_and_a_lost_machine_are_named(nvml_stub: Path, tmp_path: Path) -> None:
    found = _nodes(_fleet(tmp_path, nvml_stub, "8xH100", "8xH100-ill", "7xH100", "gpu-lost", "8xH100"))
    assert found == {
        "gpus-absent": [("NVML", ["node4"])],
        "gpu-errors": [("GPU 3", ["node2"])],
        "gpu-slowed": [("GPU 5", ["node2"])],
        "gpu-used": [("GPU 6", ["node2"])],
        "visible-gpus-differ": [("gpu.count", ["node3"])],
    }


def test_mixed_architectures_are_named(nvml_stub: Path, tmp_path: Path) -> None:
    found = _nodes(_fleet(tmp_path, nvml_stub, "2xA100", "2xA100", "2xT4"))
    assert found["gpus-differ"] == [("gpu.compute_capability", ["node3"])]
    assert {subject for subject, _ in found["gpu-models-differ"]} == {"gpu.name", "gpu.memory_mib", "gpu.peer_access"}


def test_every_machine_of_the_stub_has_a_valid_report(nvml_stub: Path) -> None:
    for scenario in ("8xV100", "1xV100", "2xT4", "H200-mig", "none", "V100+A100", "no-permission", "unknown", "abort"):
        try:
            Reader().read(probe(nvml_stub, scenario), scenario)
        except InputError as error:
            raise AssertionError(scenario) from error


def test_an_instance_of_mig_is_a_visible_gpu(nvml_stub: Path) -> None:
    name = "MIG-b0000001-0000-5000-8000-000000000001"
    assert Reader().read(probe(nvml_stub, "H200-mig", CUDA_VISIBLE_DEVICES=name), "a").visible == (name,)


def test_a_check_reads_the_one_line_of_a_probe(nvml_stub: Path, tmp_path: Path) -> None:
    report = tmp_path / "node.json"
    done = subprocess.run(
        [sys.executable, "-m", "vcompat", "probe", "--format", "json"], capture_output=True, text=True, check=True
    )
    report.write_text(done.stdout, encoding="utf-8")
    check = [sys.executable, "-m", "vcompat", "check", "--no-probe", "--no-config", "--facts", str(report)]
    assert subprocess.run(check, capture_output=True, text=True, check=False).stderr == ""
