"""How a run presumably starts of which only the script is given."""

from __future__ import annotations

import pytest

from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts
from vcompat.facts.value import FactValue


@pytest.mark.parametrize(
    ("stated", "presumes"),
    [
        ({"plan.configuration": "GRPOConfig", "gpu.count": 1}, "is started with python"),
        ({"plan.configuration": "GRPOConfig", "plan.notebook": True, "gpu.count": 8}, "in the kernel of the notebook"),
        # On several GPUs, one expects a launcher. Who names one says it.
        ({"plan.configuration": "GRPOConfig", "gpu.count": 8}, ""),
        ({"plan.configuration": "GRPOConfig"}, ""),
        ({"plan.configuration": "GRPOConfig", "plan.launcher": "torchrun", "gpu.count": 1}, ""),
        ({"plan.configuration": "GRPOConfig", "plan.world_size": 1, "gpu.count": 1}, ""),
        ({"gpu.count": 1}, ""),
    ],
)
def test_one_gpu_and_a_notebook_need_no_launcher(stated: dict[str, FactValue], presumes: str) -> None:
    facts = Facts()
    for name, value in stated.items():
        facts.set(name, value, "test")
    derived = derive(facts)
    launcher, processes = derived.likely("plan.launcher"), derived.likely("plan.world_size")
    if not presumes:
        assert launcher is None and processes is None
        return
    assert launcher is not None and launcher.value == "python" and presumes in str(launcher.presumes[0])
    assert processes is not None and processes.value == 1 and processes.presumes == launcher.presumes


def test_what_is_recorded_as_unknown_is_not_presumed() -> None:
    facts = Facts()
    facts.set("plan.configuration", "GRPOConfig", "test")
    facts.set("gpu.count", 1, "test")
    facts.forget("plan.launcher", "the launch script decides")
    assert derive(facts).likely("plan.world_size") is None
