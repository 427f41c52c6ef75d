"""Defaults of TRL's classes that no release has changed."""

from __future__ import annotations

from vcompat.facts.defaults import steady_defaults
from vcompat.sources.reading.python.libraries.steady import defaults_of
from vcompat.sources.reading.python.values.values import Lib


def test_defaults_are_those_of_settings_that_matter() -> None:
    found = dict(defaults_of(Lib("trl.GRPOConfig")))
    everything = steady_defaults("trl", "GRPOConfig")
    assert found.items() <= everything.items()
    assert {"use_vllm": False, "num_iterations": 1}.items() <= found.items()
    assert not {"steps_per_generation", "generation_batch_size", "learning_rate"} & found.keys()
    assert defaults_of(Lib("trl.a.b.GRPOConfig")) == found
    assert defaults_of(Lib("GRPOConfig", imported=False)) == found


def test_settings_of_models_have_defaults() -> None:
    found = defaults_of(Lib("trl.ModelConfig"))
    assert {"model_name_or_path": None, "use_peft": False}.items() <= found.items()
    assert "lora_modules_to_save" in found


def test_classes_of_other_libraries_have_none() -> None:
    assert [defaults_of(Lib("other.GRPOConfig")), defaults_of(Lib("trl.Unknown"))] == [{}, {}]
