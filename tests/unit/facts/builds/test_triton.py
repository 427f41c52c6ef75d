"""Which Triton compiles vLLM's kernels."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.version import Version

from tests.unit.facts_for_tests import facts
from vcompat.facts.builds.triton import FACT, declared
from vcompat.facts.derive import derive
from vcompat.facts.facts import UNKNOWN_BY_HAND, Facts
from vcompat.foundation.errors import InputError
from vcompat.rules.record import load_record


def triton(**stated: str | None) -> str | None:
    """The derived release as text; None if there is none, "unknown" if that is not known."""
    found = derive(facts(**stated)).get(FACT)
    return "unknown" if found is None else found.value and str(found.value)  # type: ignore[return-value]


def test_the_installed_triton_is_the_one_whatever_torch_requires() -> None:
    assert triton(packages__triton="3.3.0", packages__torch="2.5.1", packages__vllm="0.7.2") == "3.3.0"
    assert triton(packages__triton="none", packages__torch="2.5.1", packages__vllm="0.7.2") is None


@pytest.mark.parametrize(
    ("vllm", "torch", "expected"),
    [
        ("0.7.2", None, "3.1.0"),
        ("0.7.2", "2.5.1", "3.1.0"),
        ("0.7.2", "2.7.0+cu126", "3.3.0"),
        ("0.9.2+cu118", None, "3.3.0"),
        ("0.4.1", None, "2.2.0"),
        ("0.2.3", None, "unknown"),
        ("900.0", None, "unknown"),
        ("0.7.3.dev1", None, "unknown"),
        ("0.7.2", "2.5.1+rocm6.2", "unknown"),
        ("0.7.2", "2.5.1+cpu", "unknown"),
        ("0.7.2", "none", "unknown"),
        ("0.7.2+cpu", None, "unknown"),
        ("none", "2.5.1", "unknown"),
    ],
)
def test_otherwise_it_is_the_one_that_torch_requires_and_torch_the_one_that_vllm_requires(
    vllm: str, torch: str | None, expected: str
) -> None:
    known = {"packages__vllm": vllm, **({"packages__torch": torch} if torch else {})}
    assert triton(**known) == expected


def test_the_source_names_what_requires_it() -> None:
    def source(**stated: str) -> str:
        found = derive(facts(**stated)).get(FACT)
        return found.source if found else ""

    assert source(packages__vllm="0.7.2") == "required by torch 2.5.1, which vLLM 0.7.2 requires"
    assert source(packages__vllm="0.7.2", packages__torch="2.6.0") == "required by torch 2.6.0"


def test_a_torch_for_arm_requires_no_triton() -> None:
    assert triton(packages__vllm="0.8.5", host__machine="aarch64") == "unknown"
    assert triton(packages__vllm="0.8.5", host__machine="x86_64") == "3.2.0"


@pytest.mark.parametrize("package", ["triton", "torch"])
def test_what_the_user_sets_to_unknown_is_not_assumed(package: str) -> None:
    stated = facts(packages__vllm="0.7.2")
    stated.forget(f"packages.{package}", UNKNOWN_BY_HAND)
    assert derive(stated).get(FACT) is None
    stated.forget(f"packages.{package}", "the file does not list it")
    assert derive(stated).value(FACT) == Version("3.1.0")


def test_a_triton_beside_another_torch_than_the_stated_one_is_not_taken() -> None:
    run = Facts()
    run.set("packages.triton", Version("3.7.1"), "package metadata")
    run.set("packages.torch", Version("2.5.1"), "--set")
    run.set("packages.vllm", Version("0.7.2"), "--set")
    assert derive(run).value(FACT) == Version("3.1.0")


@pytest.mark.parametrize(("package", "other"), [("vllm", "torch"), ("torch", "triton")])
def test_what_releases_require_is_read_as_the_record_states_it(package: str, other: str) -> None:
    folder = str(Path(__file__).parents[4] / "evidence")
    recorded = load_record(package).declares[other]
    assert {version: text.strip("*") for version, text in declared(package, other, folder).items()} == recorded
    assert len(recorded) > 20


def test_a_malformed_record_is_refused_with_its_path(tmp_path: Path) -> None:
    assert declared("torch", "triton", str(tmp_path)) == {}
    folder = tmp_path / "malformed"
    folder.mkdir()
    (folder / "torch.toml").write_text('releases = "2.5.1"\n[declares]\ntriton = "2.5.1 ==3.1.0"\n')
    with pytest.raises(InputError, match=r"torch\.toml: malformed"):
        declared("torch", "triton", str(folder))
