"""Defaults of TRL's classes where the release is a development version, or known by what a run sets only."""

from __future__ import annotations

from packaging.version import Version

from vcompat.facts.defaults import common_defaults, defaults_of, lacks, releases_with
from vcompat.facts.stated import FILE, KEYWORD, OPTION, Setting, Stated


def release(trl: str) -> dict[str, object]:
    return {"trl": Version(trl), "transformers": Version("4.52.4")}


def test_a_development_version_has_what_the_releases_around_it_agree_on() -> None:
    before, after = (dict(defaults_of("GRPOConfig", release(trl).get)) for trl in ("0.17.0", "0.18.0"))
    found = dict(defaults_of("GRPOConfig", release("0.18.0.dev0").get))
    assert (before["temperature"], after["temperature"]) == (0.9, 1.0)
    assert "temperature" not in found
    assert found["beta"] == before["beta"] == after["beta"]


def test_a_development_version_lacks_what_neither_release_around_it_has() -> None:
    assert lacks("GRPOConfig", "generation_batch_size", release("0.17.0").get)
    assert not lacks("GRPOConfig", "generation_batch_size", release("0.18.0.dev0").get)
    assert lacks("GRPOConfig", "generation_batch_size", release("0.17.0.dev0").get)


def stated(*names: str, way: str = KEYWORD, own: str = "") -> Stated:
    settings = tuple(Setting(name, 1, None, way) for name in names)
    return Stated(("trl.GRPOConfig",), settings, None, frozenset(own.split()))


def test_the_release_is_one_that_has_the_keywords_of_the_run() -> None:
    found = releases_with([stated("learning_rate", "gradient_accumulation_steps", "chat_template_kwargs")])
    assert found
    assert min(found) > Version("0.20")
    assert dict(common_defaults("GRPOConfig", found))["beta"] == 0.0
    some = (Version("0.17.0"), found[0])
    assert releases_with([stated("chat_template_kwargs")], some) == found[:1]


def test_the_release_is_one_that_has_the_options_of_the_run() -> None:
    one = stated("learning_rate", "importance_sampling_level", "model_name_or_path", way=OPTION)
    every = releases_with([stated("importance_sampling_level")])
    assert every
    assert releases_with([one._replace(classes=("trl.ScriptArguments", "trl.GRPOConfig", "trl.ModelConfig"))]) == every
    assert releases_with([one._replace(classes=("trl.GRPOConfig", "trl.SomeConfig"))]) == ()
    assert releases_with([one._replace(classes=("trl.GRPOConfig", "transformers.TrainingArguments"))]) == ()
    assert releases_with([one._replace(is_command=True)]) == ()
    assert releases_with([one._replace(has_others=True)]) == ()


def test_what_no_release_has_or_a_file_sets_tells_no_release() -> None:
    for one in (stated("learning_rate"), stated("nonsense"), stated("chat_template_kwargs", way=FILE), stated()):
        assert releases_with([one]) == ()
    assert releases_with([stated("chat_template_kwargs", own="chat_template_kwargs")]) == ()
