"""What is judged about settings, against what the real classes of the installed releases do with them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.place import Place
from vcompat.facts.records.recorded_settings import load_class
from vcompat.facts.stated import KEYWORD, UNFIT, Setting, Stated
from vcompat.rules.unfit import Unfit, unfit

_PACKAGES = ("trl", "transformers", "accelerate")
_EXAMPLES = int(os.environ.get("VCOMPAT_EXAMPLES", "150"))
_VALUES = (
    None,
    True,
    False,
    0,
    1,
    2,
    3,
    8,
    -1,
    0.5,
    1.5,
    "no",
    "steps",
    "colocate",
    "x",
    "adamw_torch",
    "cosine",
    "auto",
)
#: Settings that touch the machine or other processes when the class is made. A number for a path of a file of settings is
#: a file descriptor, which would be closed.
_NOT_TRIED = frozenset("output_dir logging_dir push_to_hub hub_token deepspeed fsdp fsdp_config tpu_num_cores".split())


def _facts(name: str, given: dict[str, object]) -> Facts:
    facts = Facts()
    for package in _PACKAGES:
        facts.set(f"packages.{package}", Version(Version(version(package)).public), "installed")
    place = Place("train.py", 1, 1)
    stated = tuple(Setting(key, value, place, KEYWORD) for key, value in given.items())
    facts.stated = (Stated((name,), stated, place),)
    return facts


def _judged(name: str, given: dict[str, object]) -> dict[str, list[Unfit]]:
    found: dict[str, list[Unfit]] = {kind: [] for kind in UNFIT}
    for one in unfit(_facts(name, given)):
        assert one.is_certain
        found[one.kind].append(one)
    return found


def _names(name: str) -> list[str]:
    """Every setting that the class or a base has had in any release, and some that none ever had."""
    package, _, kind = name.partition(".")
    record = load_class(package, kind)
    assert record is not None
    names = set(record.names()) | {"num_generation", "no_such_setting", "vllm_modes"}
    for base in record.bases(record.releases()[-1]):
        names |= set(_names(".".join(base)))
    return sorted(key for key in names - _NOT_TRIED if not key.endswith(("_config", "_kwargs")))


def _outcome(make: Callable[..., Any], given: dict[str, object]) -> str:
    """What the constructor does: nothing special, a TypeError about the keyword, or any other exception."""
    try:
        make(**given)
    except TypeError as error:
        return "unknown" if "unexpected keyword argument" in str(error) else "raises"
    except (ImportError, RuntimeError, OSError):
        return "machine"
    except Exception:
        return "raises"
    return "made"


def _classes() -> Iterator[tuple[str, Callable[..., Any]]]:
    import trl
    from transformers import TrainingArguments

    # This machine may have no GPU, and the classes ask for one by default.
    here = {"output_dir": "unused", "use_cpu": True, "bf16": False}
    for kind in (trl.GRPOConfig, trl.RLOOConfig, trl.SFTConfig, TrainingArguments):
        yield f"{kind.__module__.partition('.')[0]}.{kind.__name__}", lambda kind=kind, **given: kind(**here | given)
    yield "trl.ModelConfig", trl.ModelConfig


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["GRPOConfig", "RLOOConfig", "SFTConfig", "ModelConfig", "TrainingArguments"])
def test_what_is_judged_about_generated_settings_is_what_the_real_class_does(name: str) -> None:
    full, make = next((full, make) for full, make in _classes() if full.endswith(f".{name}"))
    keys = _names(full)

    @settings(
        max_examples=_EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    @given(st.dictionaries(st.sampled_from(keys), st.sampled_from(_VALUES), min_size=1, max_size=3))
    def compare(given: dict[str, object]) -> None:
        judged, outcome = _judged(full, given), _outcome(make, given)
        if outcome == "machine":
            return
        assert bool(judged["unknown"]) == (outcome == "unknown"), (given, judged, outcome)
        if judged["refused"]:
            assert outcome != "made", (given, judged)

    compare()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["GRPOConfig", "RLOOConfig", "SFTConfig", "TrainingArguments"])
def test_every_default_of_the_real_class_is_accepted(name: str) -> None:
    full, make = next((full, make) for full, make in _classes() if full.endswith(f".{name}"))
    assert _outcome(make, {}) == "made"
    assert [one for found in _judged(full, {}).values() for one in found] == []
