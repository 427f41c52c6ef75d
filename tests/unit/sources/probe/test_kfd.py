from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.sources.probe.kfd import has_amd_gpu


@pytest.mark.parametrize(
    ("nodes", "has"),
    [
        (("cpu_cores_count 64\nsimd_count 0\n", "cpu_cores_count 0\nsimd_count 1216\n"), True),
        (("cpu_cores_count 64\nsimd_count 0\n",), False),
        (("cpu_cores_count 16\nsimd_count 24\n",), False),
        ((), False),
    ],
)
def test_a_node_with_processing_units_and_without_cores_is_an_amd_gpu(
    tmp_path: Path, nodes: tuple[str, ...], has: bool
) -> None:
    for index, properties in enumerate(nodes):
        (tmp_path / str(index)).mkdir()
        (tmp_path / str(index) / "properties").write_text(properties)
    assert has_amd_gpu(str(tmp_path)) is has


def test_a_machine_without_the_driver_has_none(tmp_path: Path) -> None:
    assert not has_amd_gpu(str(tmp_path / "nodes"))
