"""The newest compatible releases, and the reasons why newer ones are ruled out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from click import unstyle
from packaging.version import Version

from tests.unit.rules_for_tests import make_rule
from vcompat.facts.facts import BY_HAND, Facts
from vcompat.fixes.releases import Catalogue, Wish, parse_kept
from vcompat.fixes.resolving import Resolution, resolve
from vcompat.foundation.errors import InputError
from vcompat.report.upgrades.resolution import constraints, install, render
from vcompat.rules.rule import Rule
from vcompat.sources.gather import RunFacts


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
WITHOUT_BOUNDS = CATALOGUE._replace(declares={})
CONFIG = {"kind": "config", "setting": "bf16", "value": False}
NO_KERNELS = {"when": {"torch.has_kernels": False}, "title": "No kernels"}


def hardware(**values: Any) -> Facts:
    facts = Facts()
    for name, value in values.items():
        facts.set(name.replace("__", "."), value, "test")
    return facts


def run(
    *rules: Rule,
    catalogue: Catalogue = CATALOGUE,
    gpu: str = "8.0",
    keep: tuple[str, ...] = (),
    facts: Mapping[str, Any] | None = None,
    further: Sequence[Facts] = (),
    **wish: Any,
) -> Resolution:
    """Resolve for one run on `gpu` with `facts`, and for `further` runs."""
    first = hardware(gpu__compute_capability=(Version(gpu),), **(facts or {}))
    runs = [RunFacts(f"run {number}", "", each, False) for number, each in enumerate((first, *further))]
    return resolve(Wish(runs, **{"python": Version("3.11"), "kept": parse_kept(keep), **wish}), catalogue, rules)


def shown(resolution: Resolution, width: int = 80, everything: bool = False) -> str:
    return unstyle(render(resolution, CATALOGUE.releases, width, everything))


def chosen(resolution: Resolution) -> str:
    return " ".join(f"{pin.package}={pin.version}" for pin in resolution.pins)


def reasons(resolution: Resolution) -> dict[str, str]:
    return {str(pin): reason.text for pin, reason in resolution.ruled_out}


def test_the_newest_releases_are_selected_if_nothing_rules_them_out() -> None:
    found = run()
    assert chosen(found) == "trl=2.0 vllm=0.10.0 torch=2.7.0"
    assert found.ruled_out == ()


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param({"when": {"packages.vllm": {"set": True}}, "only_where_known": True}, id="estimate"),
        pytest.param({"when": {"plan.bf16": True}}, id="setting"),
        pytest.param(
            {"when": {"packages.vllm": {"set": True}, "plan.bf16": True}, "fixes": [CONFIG]}, id="of all vLLM"
        ),
    ],
)
def test_a_failure_that_no_release_avoids_rules_none_out_and_is_left(rule: dict[str, Any]) -> None:
    found = run(make_rule(id="left", **rule), facts={"plan__bf16": True})
    assert chosen(found) == "trl=2.0 vllm=0.10.0 torch=2.7.0"
    assert [finding.rule.id for finding in found.left] == ["left"]
    assert "error: " in shown(found)


def test_no_set_works_on_hardware_that_no_release_supports() -> None:
    fixes = [{"kind": "hardware", "advice": "Use another GPU."}, CONFIG]
    assert chosen(run(make_rule(when={"gpu.compute_capability": "<9"}, fixes=fixes))) == ""


def test_a_failure_in_one_of_several_runs_rules_releases_out() -> None:
    rule = make_rule(when={"packages.vllm": ">=0.10.0", "plan.bf16": True})
    second = hardware(plan__bf16=True)
    assert chosen(run(rule)) == "trl=2.0 vllm=0.10.0 torch=2.7.0"
    assert chosen(run(rule, further=(second,))) == "trl=2.0 vllm=0.9.0 torch=2.6.0"


def test_a_package_that_one_of_several_runs_needs_is_selected() -> None:
    catalogue = CATALOGUE._replace(releases={**CATALOGUE.releases, "peft": versions("0.17.0")})
    second = hardware(plan__peft=True, plan__use_vllm=False)
    assert chosen(run(catalogue=catalogue)) == "trl=2.0 vllm=0.10.0 torch=2.7.0"
    assert chosen(run(catalogue=catalogue, further=(second,))).endswith("peft=0.17.0")
    assert "vllm" not in chosen(run(facts={"plan__use_vllm": False}))


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
    assert found.left == found.others == ()


def test_a_failure_of_three_releases_excludes_no_two_of_them() -> None:
    when = {"packages.trl": ">=2", "packages.vllm": ">=0.9.0", "packages.torch": "==2.6.0"}
    rule = make_rule(when=when, title="All three")
    found = run(rule, keep=("torch==2.6.0",), catalogue=WITHOUT_BOUNDS)
    assert chosen(found) == "trl=2.0 vllm=0.8.0 torch=2.6.0"
    assert chosen(run(rule, keep=("torch==2.6.0", "vllm==0.10.0"), catalogue=WITHOUT_BOUNDS)).startswith("trl=1.0")


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
    assert chosen(run(catalogue=yanked, keep=("trl>=1.0",))).startswith("trl=1.0")


def test_a_release_without_grpo_is_selected_only_if_it_is_pinned() -> None:
    assert reasons(run(keep=("trl<0.14",)))["trl 0.13.0"] == "does not include GRPO"
    assert chosen(run(keep=("trl==0.13.0",))).startswith("trl=0.13.0")


def test_without_a_compatible_set_the_conflicts_are_reported_and_what_to_keep_no_longer() -> None:
    found = run(keep=("trl==2.0", "vllm==0.8.0"))
    assert found.pins == ()
    assert reasons(found)["vllm 0.8.0"] == "trl 2.0 requires vllm>=0.9.0"
    text = shown(found)
    assert text.startswith("No set of releases works for this.")
    assert "  Without --keep 'trl==2.0': trl 1.0, vllm 0.8.0, torch 2.6.0" in text
    assert "  Without --keep 'vllm==0.8.0': trl 2.0, vllm 0.10.0, torch 2.7.0" in text


TOO_OLD = {"id": "driver-too-old-for-torch", "when": {"torch.runs_on_driver": False}}


def test_a_driver_rules_out_the_wheels_of_torch_that_it_does_not_run() -> None:
    newer = {"cuda": {Version("2.6.0"): "12.4", Version("2.7.0"): "13.0"}}
    catalogue = CATALOGUE._replace(declares={**CATALOGUE.declares, "torch": {**CATALOGUE.declares["torch"], **newer}})
    old, rule = {"gpu__driver": Version("535.183.01")}, make_rule(**TOO_OLD)
    assert chosen(run(rule, catalogue=catalogue, facts={"gpu__driver": Version("580.65.06")})).endswith("torch=2.7.0")
    found = run(rule, catalogue=catalogue, facts=old)
    assert chosen(found) == "trl=2.0 vllm=0.9.0 torch=2.6.0"
    assert "requires driver 580" in " ".join(shown(found).split())
    # A forward-compatibility package might be installed: what is kept is not refused.
    assert chosen(run(rule, catalogue=catalogue, facts=old, keep=("torch==2.7.0",))).endswith("torch=2.7.0")
    consumer = {**old, "gpu__name": ("NVIDIA GeForce RTX 4090",)}
    assert chosen(run(rule, catalogue=catalogue, facts=consumer, keep=("torch==2.7.0",))) == ""


def test_the_wheels_of_another_processor_are_not_judged_by_those_for_x86_64() -> None:
    arm = {"host__machine": "aarch64"}
    found = run(make_rule(**NO_KERNELS), gpu="7.0", facts=arm)
    assert chosen(found) == "trl=2.0 vllm=0.10.0 torch=2.7.0"
    assert "torch's wheel for aarch64 is built for is not recorded" in shown(found)


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


def test_the_text_begins_with_the_set_and_ends_with_the_newer_releases() -> None:
    found = run(make_rule(**NO_KERNELS), gpu="7.0", keep=("trl<2",))
    text = shown(found)
    assert text.startswith("trl==1.0\nvllm==0.9.0\ntorch==2.6.0\n\n")
    assert "\n  trl 2.0                             --keep trl<2\n" in text


def test_what_is_undecided_names_the_option_that_decides() -> None:
    rule = make_rule(when={"packages.trl": ">=2", "plan.bf16": True, "gpu.count": ">1", "packages.deepspeed": "<1"})
    (line,) = [line for line in shown(run(rule), 200).splitlines() if "undecided" in line]
    assert "1 rule depends on what is not known" in line
    assert any(option in line for option in ("--plan <script>", "--target", "--keep deepspeed"))


def test_warnings_are_printed_and_notes_are_counted() -> None:
    rules = [
        make_rule(id=f"a-{severity}", severity=severity, when={"plan.bf16": True}) for severity in ("warning", "note")
    ]
    text = shown(run(*rules, facts={"plan__bf16": True}))
    assert "vcompat explain a-warning" in text
    assert "a-note" not in text
    assert "notes      1, which `vcompat check` prints" in text


def test_each_package_has_two_reasons_unless_all_are_wanted() -> None:
    many = CATALOGUE._replace(releases={**CATALOGUE.releases, "trl": versions("1 2 3 4 5")}, declares={})
    rules = [make_rule(id=f"rule-{number}", when={"packages.trl": f"=={number}"}) for number in range(2, 6)]
    short, full = (render(run(*rules, catalogue=many), many.releases, 80, everything) for everything in (False, True))
    assert [f"rule-{number}" in short for number in range(2, 6)] == [False, False, True, True]
    assert "2 more reasons: --all" in short
    assert all(f"rule-{number}" in full for number in range(2, 6))


def test_constraints_have_one_pin_per_line() -> None:
    text = constraints(run().pins, "chosen")
    assert text == "# chosen\ntrl==2.0\nvllm==0.10.0\ntorch==2.7.0\n"


#: Of these, 0.10.1.1 and older have a build for CUDA 11.8, those from 0.20.0 to 0.32.0 one for CUDA 12.9.
BUILDS = Catalogue({"vllm": versions("0.10.1.1 0.19.1 0.20.0 0.32.0 0.33.0")}, {}, {})


@pytest.mark.parametrize(
    ("cuda", "vllm", "build"),
    [("13.0", "0.33.0", ""), ("12.8", "0.32.0", "cu129"), ("11.8", "0.10.1.1", "cu118")],
)
def test_the_build_of_vllm_for_the_stated_cuda_version_is_named_with_its_index(
    cuda: str, vllm: str, build: str
) -> None:
    found = run(catalogue=BUILDS, facts={"torch__cuda": Version(cuda), "host__machine": "x86_64"})
    assert chosen(found) == f"vllm={vllm}"
    text = " ".join(render(found, BUILDS.releases, 80, False).split())
    assert (f"{vllm}+{build}, for CUDA" in text) is bool(build)
    assert (f"--extra-index-url https://download.pytorch.org/whl/{build}" in text) is bool(build)
    file = "<the file of vLLM> peft --extra-index-url" if build else "pip install -c out.txt vllm peft"
    assert file in install(found, ["vllm", "peft"], "out.txt")


def test_a_user_who_builds_vllm_can_take_any_release() -> None:
    known = {"torch__cuda": Version("12.8"), "host__machine": "x86_64"}
    facts = hardware(gpu__compute_capability=(Version("8.0"),), **known)
    facts.set("vllm.cuda", Version("12"), BY_HAND)
    found = resolve(Wish([RunFacts("", "", facts, False)], Version("3.11"), {}), BUILDS, [])
    assert chosen(found) == "vllm=0.33.0"
    assert "+cu129" not in render(found, BUILDS.releases, 80, False)


def test_an_older_driver_gets_the_releases_with_builds_that_it_runs() -> None:
    newer = {Version("0.19.1"): "==2.6.0", Version("0.20.0"): "==2.7.0", Version("0.33.0"): "==2.7.0"}
    cuda = {Version("2.6.0"): "12.4", Version("2.7.0"): "13.0"}
    torch = {"cuda": cuda, "architectures": dict.fromkeys(cuda, "sm_80")}
    catalogue = Catalogue({"vllm": list(newer), "torch": list(cuda)}, {"vllm": {"torch": newer}, "torch": torch}, {})
    known = {"gpu__driver_cuda": Version("12.8"), "host__machine": "x86_64"}
    found = run(make_rule(**TOO_OLD), catalogue=catalogue, facts=known)
    assert chosen(found) == "vllm=0.19.1 torch=2.6.0"
    text = " ".join(render(found, catalogue.releases, 80, False).split())
    assert "vLLM 0.20.0 is also built for CUDA 12.9: --set torch.cuda=12.9 chooses" in text
