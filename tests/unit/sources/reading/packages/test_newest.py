"""The releases that an installer takes for a new environment."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.foundation.errors import InputError
from vcompat.rules.record import load_record
from vcompat.sources.gather import Sources, collect
from vcompat.sources.reading.packages.declared import read_environment
from vcompat.sources.reading.packages.platforms import Runtime

SCRIPT = "from trl import GRPOConfig, GRPOTrainer\nGRPOTrainer(model='a/b', args=GRPOConfig(use_vllm=True))\n"


def newest(package: str, allowed: str = "") -> str:
    """The newest recorded release of a package that a range allows."""
    record = load_record(package, with_rows=False)
    stable = [one for one in record.releases if not one.is_prerelease and one not in record.yanked]
    return str(max(SpecifierSet(allowed).filter(stable)))


def chosen(tmp_path: Path, requirements: str, python: str | None = None) -> Facts:
    path = tmp_path / "requirements.txt"
    path.write_text(requirements)
    return read_environment(str(path), Runtime("x86_64", Version(python) if python else None, (), True))


def likely(facts: Facts, package: str) -> str | None:
    found = facts.likely(f"packages.{package}")
    return None if found is None else str(found.value)


def declared(package: str, of: str, version: str) -> str:
    return load_record(package, with_rows=False).declares[of][Version(version)]


def test_the_newest_of_each_that_the_others_admit(tmp_path: Path) -> None:
    facts = chosen(tmp_path, "trl\nvllm\n")
    assert likely(facts, "trl") == newest("trl")
    assert likely(facts, "vllm") == newest("vllm")  # TRL limits vLLM only in its extra
    assert f"=={likely(facts, 'torch')}" == declared("vllm", "torch", newest("vllm"))
    assert likely(facts, "transformers") == newest("transformers", declared("vllm", "transformers", newest("vllm")))
    assert likely(facts, "accelerate") == newest("accelerate"), "TRL requires it"
    assert facts.likely("packages.peft") is None, "nothing requires it"
    state = facts.likely("packages.trl")
    assert state is not None
    assert state.source.startswith("the newest that ")
    assert state.source.endswith("requirements.txt:1:1 allows")
    assert "an installer takes the newest recorded releases" in state.presumes[0].text


def test_an_extra_limits_what_it_installs(tmp_path: Path) -> None:
    facts = chosen(tmp_path, "trl[vllm]\n")
    assert likely(facts, "vllm") == newest("vllm", declared("trl", "vllm", newest("trl")))


@pytest.mark.parametrize("order", ["torch\nvllm\ntrl\n", "vllm\ntorch\ntrl\n"])
def test_vllm_decides_torch_whichever_is_named_first(tmp_path: Path, order: str) -> None:
    facts = chosen(tmp_path, order)
    assert likely(facts, "vllm") == newest("vllm")
    assert f"=={likely(facts, 'torch')}" == declared("vllm", "torch", newest("vllm"))


def test_a_pin_decides_what_else_can_be_installed(tmp_path: Path) -> None:
    # As pip and uv choose: transformers 4.51.3 is too old for TRL 0.20 and vLLM 0.10.
    facts = chosen(tmp_path, "transformers==4.51.3\ntrl\nvllm\n")
    assert (likely(facts, "trl"), likely(facts, "vllm"), likely(facts, "torch")) == ("0.19.1", "0.9.2", "2.7.0")
    assert str(facts.value("packages.transformers")) == "4.51.3"
    # An old vLLM limits transformers only from below: what ruins many runs.
    facts = chosen(tmp_path, "trl<0.20\nvllm==0.8.5\n")
    assert (likely(facts, "trl"), likely(facts, "torch")) == ("0.19.1", "2.6.0")
    assert likely(facts, "transformers") == newest("transformers")


def test_unsloth_limits_trl(tmp_path: Path) -> None:
    facts = chosen(tmp_path, "trl\nunsloth\n")
    assert likely(facts, "unsloth") == newest("unsloth")
    assert likely(facts, "trl") == newest("trl", declared("unsloth", "trl", newest("unsloth")))


def test_an_interpreter_limits_releases(tmp_path: Path) -> None:
    facts = chosen(tmp_path, "trl\n", "3.9")
    version = likely(facts, "trl")
    assert version is not None
    assert version != newest("trl")
    assert declared("trl", "python", version) == ">=3.9"


def test_a_commit_stays_unknown(tmp_path: Path) -> None:
    facts = chosen(tmp_path, "trl @ git+https://github.com/huggingface/trl@main\nvllm\n")
    assert likely(facts, "trl") is None
    assert likely(facts, "vllm") == newest("vllm")


def test_no_set_leaves_all_unknown(tmp_path: Path) -> None:
    facts = chosen(tmp_path, "torch<2.5\nvllm>=0.10\ntrl\n")
    assert [likely(facts, package) for package in ("trl", "vllm", "torch")] == [None] * 3
    assert facts.why_unknown("packages.trl") == "no recorded releases were found that fit all that the files state"


def test_a_search_that_would_take_hours_ends(tmp_path: Path) -> None:
    facts = chosen(
        tmp_path,
        "vllm\nms-swift\nunsloth<2026.3.13\ntokenizers==0.19.1\nunsloth-zoo\ntorch\naccelerate>=1.15.0\nkernels>=0.6.3\n",
        "3.11.7",
    )
    assert likely(facts, "vllm") is None
    assert "no recorded releases were found" in facts.why_unknown("packages.vllm")


def test_a_project_that_does_not_name_a_package_does_not_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("requirements.txt").write_text("trl>=0.25\n")
    Path("train.py").write_text(SCRIPT.replace("use_vllm=True", ""))
    facts = collect(Sources(["train.py"], probe=False, newest=True)).facts
    absent = facts.likely("packages.vllm")
    assert absent is not None
    assert absent.value is None
    assert str(absent.presumes[0]) == "requirements.txt lists all that is installed (requirements.txt)"
    Path("train.py").write_text(SCRIPT)
    used = collect(Sources(["train.py"], probe=False, newest=True)).facts
    assert likely(used, "vllm") == newest("vllm"), "it is used"


def test_what_a_framework_requires_is_not_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("requirements.txt").write_text("unsloth\ntrl\n")
    Path("train.py").write_text(SCRIPT)
    facts = collect(Sources(["train.py"], probe=False, newest=True)).facts
    assert likely(facts, "unsloth") == newest("unsloth")
    assert facts.likely("packages.bitsandbytes") is None, "Unsloth requires it"


@pytest.mark.parametrize(
    ("script", "installed"),
    [
        (SCRIPT, {"trl", "vllm"}),
        (SCRIPT.replace("use_vllm=True", "use_vllm=False"), {"trl"}),
        ("from unsloth import FastLanguageModel\nimport torch\n" + SCRIPT, {"trl", "vllm", "unsloth", "torch"}),
    ],
)
def test_a_project_that_states_nothing_needs_what_the_run_imports_and_uses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, installed: set[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(script)
    facts = collect(Sources(["train.py"], probe=False, newest=True)).facts
    named = {one for one in ("trl", "vllm", "unsloth", "torch", "deepspeed") if "train.py" in _source(facts, one)}
    assert named == installed


def test_what_the_run_imports_is_installed_though_the_list_of_packages_leaves_it_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text("from trl import GRPOConfig, GRPOTrainer\nimport peft, diffusers\n" + SCRIPT)
    Path("diffusers").mkdir()
    Path("requirements.txt").write_text("trl>=0.18\n")
    facts = collect(Sources(["train.py"], probe=False, newest=True)).facts
    assert likely(facts, "vllm") == newest("vllm"), "use_vllm=True needs it"
    assert f"=={likely(facts, 'torch')}" == declared("vllm", "torch", newest("vllm"))
    assert likely(facts, "peft") == newest("peft")
    found = facts.likely("packages.diffusers")
    assert found is None or found.value is None, "a module of the project's own"


def _source(facts: Facts, package: str) -> str:
    found = facts.likely(f"packages.{package}")
    return "" if found is None or found.value is None else found.source


@pytest.mark.parametrize("environment", ["", "requirements.txt"])
def test_a_release_that_the_user_states_decides_what_else_is_the_newest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("requirements.txt").write_text("trl>=0.25\nvllm\n")
    Path("train.py").write_text(SCRIPT)
    stated = {"packages.vllm": "0.10.0"}
    facts = collect(Sources(["train.py"], stated, environment=environment, probe=False, newest=True)).facts
    assert str(facts.value("packages.vllm")) == "0.10.0"
    assert f"=={likely(facts, 'torch')}" == declared("vllm", "torch", "0.10.0")
    assert likely(facts, "trl") == newest("trl")
    # Also one that the file does not allow.
    facts = collect(Sources(["train.py"], {"packages.trl": "0.19.0"}, probe=False, newest=True)).facts
    assert str(facts.value("packages.trl")) == "0.19.0"
    assert likely(facts, "vllm") == newest("vllm")


@pytest.mark.parametrize(
    ("extras", "extra"),
    [
        ("rl = ['trl<0.20', 'vllm==0.9.2']\ndev = ['peft']", "the extra rl"),
        # Which of two extras is installed is not known.
        ("old = ['trl<0.20']\nnew = ['trl']", ""),
        ("fast = ['vllm']", ""),
    ],
)
def test_the_only_extra_that_brings_trl_is_presumably_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extras: str, extra: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(SCRIPT)
    named = "[project]\nname = 'x'\nversion = '0'\ndependencies = ['torch']\n"
    Path("pyproject.toml").write_text(f"{named}[project.optional-dependencies]\n{extras}\n")
    facts = collect(Sources(["train.py"], probe=False, newest=True)).facts
    presumed = {str(one) for _, each in facts.all_likely() for one in each.presumes if "extra" in one.text}
    assert presumed >= ({f"{extra} is installed"} if extra else set())
    assert extra or not presumed
    if extra:
        assert [likely(facts, package) for package in ("trl", "vllm")] == ["0.19.1", "0.9.2"]


NO_LIST = "--newest: no file of the run's project states packages"


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (Sources(), NO_LIST),
        (Sources(["zero3.json"]), NO_LIST),
        (Sources(["train.py"], python=sys.executable), NO_LIST),
        (Sources(["train.py"], {"packages.trl": "0.19.0"}, packages=False), NO_LIST),
    ],
)
def test_without_a_list_of_packages_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sources: Sources, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(SCRIPT)
    Path("zero3.json").write_text('{"zero_optimization": {"stage": 3}}')
    with pytest.raises(InputError, match=message):
        collect(sources._replace(probe=False, newest=True))
