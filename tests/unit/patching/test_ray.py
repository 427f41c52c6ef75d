"""Actors of a real Ray cluster get the patches, whoever started the cluster; or it is known that they do not."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.unit.patching.launched import CALL, PATCH, Place, started
from tests.unit.patching.ray_cluster import cluster
from vcompat.patching.launching import HOOK, environment_of_run

pytest.importorskip("ray")

DRIVER = f"""
import json, sys
import ray

@ray.remote(num_cpus=1)
class Trainer:
    def train(self):
        {CALL}

ray.init(**json.loads(sys.argv[1]), log_to_driver=False)
trainer = Trainer.remote()
ray.get(trainer.train.remote())
print("the actor is patched")
"""
#: Not an earlier cluster of this machine, which Ray would connect to.
SMALL = {"address": "local", "num_cpus": 1, "include_dashboard": False, "object_store_memory": 100_000_000}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    (tmp_path / "driver.py").write_text(DRIVER)
    return place


def environment(place: Place) -> dict[str, str]:
    return place.environment(RAY_USAGE_STATS_ENABLED="0", RAY_AUTH_MODE="disabled")


def of_run(place: Place) -> dict[str, str]:
    return environment_of_run(environment(place), [PATCH], str(place.runs))


def driven(place: Place, options: Mapping[str, object]) -> str:
    """Run the driver as a process of a run; return what it prints."""
    done = started([sys.executable, "driver.py", json.dumps(options)], of_run(place), place.folder)
    return done.stdout + done.stderr


def test_actors_of_a_cluster_that_the_run_starts_get_the_patches(place: Place) -> None:
    assert "the actor is patched" in driven(place, SMALL)


def test_actors_of_an_earlier_cluster_get_them_only_by_the_runtime_environment(place: Place) -> None:
    """Its workers have the environment in which `ray start` was called, and what `runtime_env` adds."""
    with cluster(place.folder, environment(place)) as address:
        assert "TypeError" in driven(place, {"address": address}), "the actor is not patched"
        variables = {"PYTHONPATH": f"{HOOK}:${{PYTHONPATH}}", "VCOMPAT_PATCH": PATCH}
        printed = driven(place, {"address": address, "runtime_env": {"env_vars": variables}})
        assert "the actor is patched" in printed


def test_actors_of_a_cluster_that_was_started_by_vcompat_run_get_the_patches(place: Place) -> None:
    with cluster(place.folder, of_run(place)) as address:
        assert "the actor is patched" in driven(place, {"address": address})
