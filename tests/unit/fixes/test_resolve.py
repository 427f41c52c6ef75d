"""The newest compatible releases, and the reasons why newer ones are ruled out."""

from __future__ import annotations

from typing import Any

import pytest
from packaging.version import Version

from tests.unit.rules_for_tests import make_rule
from vcompat.facts.facts import Facts
from vcompat.fixes.resolve import Catalogue, Resolution, Wish, parse_kept, resolve
from vcompat.foundation.errors import InputError
from vcompat.report.resolution import constraints, render
from vcompat.rules.rule import Rule


def versions(text: str) -> list[Version]:
    return [Version(word) for word in text.split()]


CATALOGUE = Catalogue(
    releases={
        "trl": versions("0.13.0 0.14.0 1.0 2.0"),
        "vllm": versions("0.8.0 0.9.0 0.10.0"),
        "torch": versions("2.6.0 2.7.0"),
    },
    declares={
        "trl": {"vllm": {Version("2.0"): ">=0.9.0"}, "python": {Version("2.0"): ">=3.11"}},
        "vllm": {"torch": {Version("0.8.0"): "==2.6.0", Version("0.9.0"): "==2.6.0", Version("0.10.0"): "==2.7.0"}},
        "torch": {
            "cuda": {Version("2.6.0"): "12.4", Version("2.7.0"): "12.6"},
            "architectures": {Version("2.6.0"): "sm_70", Version("2.7.0"): "sm_80"},
        },
    },
    yanked={},
)
NO_KERNELS = {"when": {"torch.has_kernels": False}, "title": "No kernels"}


def run(
    *rules: Rule, catalogue: Catalogue = CATALOGUE, gpu: str = "8.0", keep: tuple[str, ...] = (), **wish: Any
) -> Any:
    facts = Facts()
    facts.set("gpu.compute_capability", (Version(gpu),), "test")
    asked = Wish(facts, False, **{"python": Version("3.11"), "kept": parse_kept(keep), **wish})
    return resolve(asked, catalogue, rules)


def chosen(resolution: Resolution) -> str:
    return " ".join(f"{pin.package}={pin.version}" for pin in resolution.pins)


def reasons(resolution: Resolution) -> dict[str, str]:
    return {str(pin): reason.text for pin, reason in resolution.ruled_out}


def test_the_newest_releases_are_selected_if_nothing_rules_them_out() -> None:
    found = run()
    assert chosen(found) == "trl=2.0 vllm=0.10.0 torch=2.7.0"
    assert found.ruled_out == ()


def test_a_failure_of_the_plan_itself_rules_no_release_out_and_is_reported() -> None:
    too_large = make_rule(id="too-large", when={"packages.vllm": {"set": True}}, only_where_known=True)
    found = run(too_large)
    assert chosen(found) == chosen(run())
    assert [finding.rule.id for finding in found.findings] == ["too-large"]
    assert chosen(run(make_rule(id="too-large", when={"packages.vllm": {"set": True}}))) == ""


def test_declared_requirements_are_met_in_both_directions() -> None:
    found = run(keep=("torch==2.6.0",))
    assert chosen(found) == "trl=2.0 vllm=0.9.0 torch=2.6.0"
    assert reasons(found) == {
        "vllm 0.10.0": "vllm 0.10.0 requires torch==2.7.0",
        "torch 2.7.0": "--keep torch==2.6.0",
    }


def test_a_torch_wheel_without_kernels_for_the_gpu_is_ruled_out() -> None:
    found = run(make_rule(**NO_KERNELS), gpu="7.0")
    assert chosen(found) == "trl=2.0 vllm=0.9.0 torch=2.6.0"
    assert reasons(found)["torch 2.7.0"] == "a-rule: No kernels"


def test_a_failure_of_two_releases_rules_out_the_pair() -> None:
    rule = make_rule(when={"packages.trl": ">=2", "packages.vllm": ">=0.10.0"}, title="Together")
    found = run(rule)
    assert chosen(found) == "trl=2.0 vllm=0.9.0 torch=2.6.0"
    assert reasons(found)["vllm 0.10.0"] == "a-rule: Together"


def test_a_failure_of_three_releases_rules_out_the_set() -> None:
    when = {"packages.trl": ">=2", "packages.vllm": ">=0.9.0", "packages.torch": ">=2.7.0"}
    found = run(make_rule(when=when, title="All three"))
    assert chosen(found) == "trl=2.0 vllm=0.9.0 torch=2.6.0"
    assert found.findings == ()


@pytest.mark.parametrize(
    ("rule", "wish", "expected"),
    [
        ({"severity": "warning"}, {}, "trl=2.0"),
        ({"severity": "warning"}, {"threshold": "warning"}, "trl=1.0"),
        ({"fixes": [{"kind": "patch", "patch": "a_patch"}]}, {}, "trl=1.0"),
        ({"fixes": [{"kind": "patch", "patch": "a_patch"}]}, {"allow_patched": True}, "trl=2.0"),
        ({"fixes": [{"kind": "patch", "patch": "a_patch", "warns": True}]}, {"allow_patched": True}, "trl=1.0"),
    ],
)
def test_which_findings_rule_out_depends_on_the_threshold_and_on_patches(
    rule: dict[str, Any], wish: dict[str, Any], expected: str
) -> None:
    found = run(make_rule(when={"packages.trl": ">=2"}, **rule), **wish)
    assert chosen(found).startswith(expected)


def test_yanked_releases_and_those_for_another_python_are_ruled_out() -> None:
    assert reasons(run(python=Version("3.10")))["trl 2.0"] == "requires Python >=3.11"
    yanked = CATALOGUE._replace(yanked={"trl": versions("2.0")})
    assert reasons(run(catalogue=yanked))["trl 2.0"] == "yanked"
    assert chosen(run(catalogue=yanked, keep=("trl==2.0",))).startswith("trl=2.0")


def test_without_a_compatible_set_the_conflicts_are_reported() -> None:
    found = run(keep=("trl==2.0", "vllm==0.8.0"))
    assert found.pins == ()
    assert reasons(found)["vllm 0.8.0"] == "trl 2.0 requires vllm>=0.9.0"
    assert "No set of releases works for this." in render(found, CATALOGUE.releases, 80)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("trl=2", "not a requirement"),
        ("numpy==1", "'numpy' is not a package that is resolved"),
        ("vlm==1", "'vllm'"),
    ],
)
def test_an_invalid_keep_argument_is_rejected(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        parse_kept([text])


def test_a_kept_release_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(InputError, match=r"no such release; expected a version up to 2\.0"):
        run(keep=("trl==3.0",))


def test_the_text_lists_the_set_and_the_newer_releases() -> None:
    found = run(make_rule(**NO_KERNELS), gpu="7.0", keep=("trl<2",))
    text = render(found, CATALOGUE.releases, 80)
    assert "trl           " in text
    assert "  trl 2.0                             --keep trl<2" in text


def test_constraints_have_one_pin_per_line() -> None:
    text = constraints(run().pins, "chosen")
    assert text == "# chosen\ntrl==2.0\nvllm==0.10.0\ntorch==2.7.0\n"
