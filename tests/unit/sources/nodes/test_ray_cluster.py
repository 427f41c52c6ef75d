from __future__ import annotations

import sys
import time

import pytest

from vcompat.foundation.errors import InputError
from vcompat.sources.nodes import ray_cluster


def test_without_ray_the_reason_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match="--ray auto: Ray is not installed here"):
        ray_cluster.ask_nodes("auto", 5)


def test_nodes_with_the_same_host_name_are_told_apart_by_the_ids_of_ray() -> None:
    tables = {
        "a" * 56: {"NodeManagerHostname": "gpu1"},
        "b" * 56: {"NodeManagerHostname": "gpu2"},
        "c" * 56: {"NodeManagerHostname": "gpu2"},
        "d" * 56: {"NodeManagerHostname": "", "NodeManagerAddress": "10.0.0.4"},
    }
    assert list(ray_cluster._names(tables).values()) == [
        "gpu1", "gpu2 (node bbbbbbbb)", "gpu2 (node cccccccc)", "10.0.0.4",
    ]  # fmt: skip


def test_the_error_of_a_task_is_its_last_line() -> None:
    text = 'ray::probe() (pid=1)\nTraceback (most recent call last):\n  File "a.py", line 1\nImportError: no click\n'
    assert ray_cluster._line(RuntimeError(text)) == "ImportError: no click"
    assert ray_cluster._line(RuntimeError("first\nsecond")) == "first"
    assert ray_cluster._line(SystemExit()) == "SystemExit"


def test_a_call_that_blocks_or_ends_the_program_is_one_line() -> None:
    with pytest.raises(InputError, match="does not connect within"):
        ray_cluster._within(0.001, lambda: time.sleep(5), "--ray auto")
    with pytest.raises(InputError, match="--ray auto: SystemExit"):
        ray_cluster._within(5, sys.exit, "--ray auto")


def test_what_the_probe_needs_is_brought_to_the_nodes() -> None:
    shipped = list(ray_cluster._shipped())
    assert shipped[0].endswith("vcompat")
    assert all(path.endswith("pynvml.py") for path in shipped[1:])
