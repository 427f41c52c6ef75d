"""Whether a driver runs torch's CUDA version: by its own answer, else by NVIDIA's table."""

from __future__ import annotations

import pytest
from packaging.version import Version

from vcompat.evaluation.evaluate import evaluate
from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts
from vcompat.facts.value import FactValue
from vcompat.rules.database import find_rule, load_rules

FACT = "torch.runs_on_driver"
RULE = find_rule(load_rules(thorough=False), "driver-too-old-for-torch")
GEFORCE, A100 = "NVIDIA GeForce RTX 4090", "NVIDIA A100-SXM4-80GB"


def facts(cuda: str = "", driver: str = "", driver_cuda: str = "", name: str = "") -> Facts:
    stated: dict[str, FactValue] = {"packages.torch": Version("2.13.0")}
    versions = {"torch.cuda": cuda, "gpu.driver": driver, "gpu.driver_cuda": driver_cuda}
    stated |= {fact: Version(text) for fact, text in versions.items() if text}
    result = Facts()
    for fact, value in (stated | ({"gpu.name": (name,)} if name else {})).items():
        result.set(fact, value, "test")
    return derive(result)


@pytest.mark.parametrize(
    ("stated", "runs"),
    [
        ({"cuda": "13.0", "driver": "580.65.06"}, True),
        ({"cuda": "13.2", "driver": "580.65.06"}, True),
        ({"cuda": "12.8", "driver": "525.60.13"}, True),
        ({"cuda": "13.0", "driver": "575.57.08", "name": GEFORCE}, False),
        ({"cuda": "12.1", "driver": "470.57.02", "name": GEFORCE}, False),
        ({"cuda": "13.0", "driver_cuda": "12.9", "name": A100}, False),
        ({"cuda": "12.8", "driver_cuda": "12.0"}, True),
        ({"cuda": "13.0", "driver": "535.183.01", "driver_cuda": "13.0"}, True),
        ({"driver_cuda": "13.0"}, True),
        ({"driver": "590.44.01"}, True),
    ],
)
def test_a_driver_runs_builds_for_its_own_and_for_older_major_versions(stated: dict[str, str], runs: bool) -> None:
    known = facts(**stated)
    assert known.value(FACT) is runs
    assert [finding.certainty for finding in evaluate([RULE], known)] == ([] if runs else ["certain"])


@pytest.mark.parametrize("name", [A100, "NVIDIA RTX A6000", ""])
def test_an_old_driver_is_not_certain_to_fail_where_a_forward_compatibility_package_can_help(name: str) -> None:
    known = facts(cuda="13.0", driver="535.183.01", name=name)
    assert known.get(FACT) is None
    assert "forward-compatibility package" in known.why_unknown(FACT)
    assert [finding.certainty for finding in evaluate([RULE], known)] == ["possible"]


def test_a_cuda_version_that_the_table_lacks_is_left_open() -> None:
    assert facts(cuda="14.0", driver="600.10", name=GEFORCE).get(FACT) is None
    assert facts(driver="575.57.08", name=GEFORCE).get(FACT) is None


def test_a_run_without_cuda_needs_no_driver() -> None:
    stated = Facts()
    stated.set("packages.torch", Version("2.13.0+cpu"), "test")
    assert evaluate([RULE], derive(stated)) == []
    stated.set("packages.torch", Version("2.13.0"), "test")
    stated.set("plan.use_cpu", True, "test")
    assert evaluate([RULE], derive(stated)) == []
