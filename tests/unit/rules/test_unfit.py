"""Settings that do not fit a release, judged by the records of settings."""

import pytest
from packaging.version import Version

from vcompat.facts.facts import BY_HAND, Facts
from vcompat.facts.place import Place
from vcompat.facts.stated import COMPUTED, FILE, KEYWORD, OPTION, Setting, Stated
from vcompat.rules.unfit import Unfit, unfit

HERE = Place("train.py", 3, 5)
RECENT = {"trl": "1.0.0", "transformers": "4.57.6", "peft": "0.18.0", "accelerate": "1.10.0", "vllm": "0.15.0"}


def judged(
    settings: dict[str, object],
    releases: dict[str, str] | None = None,
    way: str = KEYWORD,
    stated: Stated | None = None,
) -> list[Unfit]:
    """Return what does not fit when GRPOConfig gets `settings`."""
    facts = Facts()
    for package, release in (RECENT | (releases or {})).items():
        if release:
            facts.set(f"packages.{package}", Version(release), "test")
    given = tuple(Setting(name, value, HERE, way) for name, value in settings.items())
    facts.stated = ((stated or Stated(("trl.GRPOConfig",), (), HERE))._replace(settings=given),)
    return list(unfit(facts))


def titles(found: list[Unfit]) -> list[str]:
    return [one.title for one in found if one.is_certain]


@pytest.mark.parametrize(
    ("settings", "releases", "expected"),
    [
        ({"max_prompt_length": 8}, {"trl": "0.27.2"}, []),
        (
            {"max_prompt_length": 8},
            {"trl": "0.28.0"},
            ["GRPOConfig of TRL 0.28.0 has no max_prompt_length (removed in 0.28.0)"],
        ),
        ({"vllm_mode": "server"}, {"trl": "0.18.0"}, []),
        ({"vllm_mode": "server"}, {"trl": "0.17.0"}, ["GRPOConfig of TRL 0.17.0 has no vllm_mode (added in 0.18.0)"]),
        (
            {"vllm_guided_decoding_regex": "a"},
            {"trl": "0.28.0"},
            [
                "GRPOConfig of TRL 0.28.0 has no vllm_guided_decoding_regex (removed in 0.28.0; use"
                " vllm_structured_outputs_regex)"
            ],
        ),
        ({"num_generation": 8}, {}, ["GRPOConfig of TRL 1.0.0 has no num_generation"]),
        ({"learning_rate": 1e-6, "report_to": "none", "seed": 3}, {}, []),
        ({"num_generations": 1}, {}, ["GRPOConfig of TRL 1.0.0 refuses num_generations=1"]),
        ({"num_generations": 2}, {}, []),
        ({"num_generations": COMPUTED}, {}, []),
        (
            {"eval_strategy": "stepps"},
            {"transformers": "5.1.0"},
            ["TrainingArguments of transformers 5.1.0 refuses eval_strategy='stepps'"],
        ),
        ({"optim": "adamw_torch"}, {}, []),
        ({"num_generations": "8"}, {}, ["num_generations of GRPOConfig of TRL 1.0.0 is int, not str"]),
        (
            {"generation_batch_size": 8, "steps_per_generation": 2},
            {},
            ["GRPOConfig of TRL 1.0.0 refuses generation_batch_size=8, steps_per_generation=2"],
        ),
    ],
)
def test_a_setting_is_judged_by_the_release(
    settings: dict[str, object], releases: dict[str, str], expected: list[str]
) -> None:
    assert titles(judged(settings, releases)) == expected


def test_the_release_of_a_base_class_decides_about_its_settings() -> None:
    (found,) = judged({"evaluation_strategy": "no"}, {"transformers": "4.57.6"})
    assert found.title.startswith("GRPOConfig of TRL 1.0.0 has no evaluation_strategy")
    assert found.packages[-1] == "transformers"


def test_without_any_release_only_what_no_release_has_is_possible() -> None:
    nothing = dict.fromkeys(RECENT, "")
    assert judged({"max_prompt_length": 8, "vllm_mode": "server"}, nothing) == []
    (found,) = judged({"num_generation": 8}, nothing)
    assert not found.is_certain and found.alike == "num_generations"


def test_a_release_newer_than_the_recorded_ones_makes_nothing_certain() -> None:
    assert titles(judged({"max_prompt_length": 8, "no_such": 1, "num_generations": 1}, {"trl": "99.0.0"})) == []


def test_fields_of_the_scripts_own_class_fit() -> None:
    own = Stated(("trl.GRPOConfig",), (), HERE, frozenset({"mine"}))
    assert judged({"mine": 1}, stated=own) == []


def test_a_class_that_is_not_recorded_is_not_judged() -> None:
    assert judged({"mine": 1}, stated=Stated(("trl.NoSuchConfig",), (), HERE)) == []
    assert judged({"mine": 1}, stated=Stated(("trl.GRPOConfig", "trl.NoSuchConfig"), (), HERE)) == []


@pytest.mark.parametrize(
    "option", ["num-generations", "num_gen", "no_gradient_checkpointing", "dataset_name", "lora-r"]
)
def test_an_option_may_be_spelled_as_argparse_takes_it(option: str) -> None:
    classes = ("trl.ScriptArguments", "trl.GRPOConfig", "trl.ModelConfig")
    assert judged({option: COMPUTED}, way=OPTION, stated=Stated(classes, (), HERE, abbreviates=True)) == []


def test_what_becomes_of_an_unknown_key_depends_on_how_it_is_given() -> None:
    classes = ("trl.GRPOScriptArguments", "trl.GRPOConfig", "trl.ModelConfig", "accelerate.launch")
    script, command = Stated(classes[:3], (), HERE), Stated(classes, (), HERE, is_command=True)
    assert [one.kind for one in judged({"odd": 1}, way=FILE, stated=script)] == ["unknown in file"]
    assert [one.kind for one in judged({"odd": 1}, way=OPTION, stated=script)] == ["unknown"]
    assert [one.kind for one in judged({"odd": 1}, way=OPTION, stated=command)] == ["unknown in command"]
    assert [one.kind for one in judged({"odd": 1}, {"trl": "0.21.0"}, OPTION, command)] == ["unknown"]
    assert judged({"num_processes": 4}, way=OPTION, stated=command) == []


def test_a_subcommand_of_a_release_without_one_of_its_classes_is_judged_by_the_others() -> None:
    classes = ("trl.GRPOScriptArguments", "trl.GRPOConfig", "trl.ModelConfig", "trl.DatasetMixtureConfig")
    (found,) = judged({"odd": 1}, {"trl": "0.18.0"}, OPTION, Stated(classes, (), HERE))
    assert found.is_certain


def test_checks_read_defaults_only_if_all_settings_are_known() -> None:
    settings = {"log_completions_hub_repo": "me/x"}
    assert titles(judged(settings)) == ["GRPOConfig of TRL 1.0.0 refuses log_completions_hub_repo='me/x'"]
    assert judged(settings, stated=Stated(("trl.GRPOConfig",), (), HERE, is_complete=False)) == []


def test_an_engines_arguments_are_judged_by_vllms_release() -> None:
    engine = Stated(("vllm.LLM",), (), HERE)
    assert titles(judged({"model": "m", "device": "cuda:1"}, {"vllm": "0.9.2"}, stated=engine)) == []
    (found,) = judged({"model": "m", "device": "cuda:1"}, {"vllm": "0.15.0"}, stated=engine)
    assert found.is_certain and found.title.startswith("LLM of vLLM 0.15.0 has no device (removed in 0.10.0")


def test_settings_of_the_command_line_are_judged_if_the_configuration_has_ever_had_them() -> None:
    facts = Facts()
    facts.set("packages.trl", Version("0.17.0"), "test")
    facts.set("plan.vllm_mode", "server", BY_HAND)
    facts.set("plan.model", "m", BY_HAND)
    (found,) = unfit(facts)
    assert found.setting == "vllm_mode" and found.place is None and found.first == ("trl", Version("0.18.0"))


def test_an_option_of_a_launcher_is_judged_by_its_release() -> None:
    launch = Stated(("accelerate.launch",), (), HERE)
    (found,) = judged({"num_proceses": COMPUTED}, way=OPTION, stated=launch)
    assert found.is_certain and found.title == "accelerate launch of accelerate 1.10.0 has no option --num_proceses"
    assert found.alike == "num_processes" and found.class_name == "accelerate launch"
    (found,) = judged({"ipex": True}, way=OPTION, stated=launch)
    assert found.title.endswith("has no option --ipex (removed in 1.10.0)")
    (found,) = judged({"mixed_precision": "bf17"}, way=OPTION, stated=launch)
    assert found.kind == "refused" and found.other_value == "bf16"
    assert judged({"num-processes": "8", "mixed_precision": COMPUTED}, way=OPTION, stated=launch) == []


def test_what_a_class_ignores_is_judged_as_ignored_without_a_history() -> None:
    config = Stated(("deepspeed.DeepSpeedConfig",), (), HERE)
    (found,) = judged({"gradient_accumulation_step": 4}, {"deepspeed": "0.19.8"}, OPTION, config)
    assert (found.kind, found.is_certain, found.alike) == ("ignored", True, "gradient_accumulation_steps")
    assert found.title == "DeepSpeed 0.19.8 ignores gradient_accumulation_step" and found.first is None
    (found,) = judged({"gradient_accumulation_step": 4}, {}, OPTION, config)
    assert not found.is_certain


def test_the_text_of_a_number_is_a_choice() -> None:
    def stated(stage: str) -> list[str]:
        facts = Facts()
        facts.set("packages.deepspeed", Version("0.18.2"), "test")
        setting = Setting("stage", stage, None, OPTION)
        facts.stated = (Stated(("deepspeed.DeepSpeedZeroConfig",), (setting,), None),)
        return [found.title for found in unfit(facts)]

    # pydantic converts it.
    assert stated("3") == []
    assert stated("5") == ["DeepSpeedZeroConfig of DeepSpeed 0.18.2 refuses stage='5'"]


def test_a_refusal_that_each_transformers_release_leads_to_which_trl_requires_is_certain() -> None:
    (one,) = judged({"num_generations": 1}, {"transformers": ""})
    assert one.title == "GRPOConfig of TRL 1.0.0 refuses num_generations=1" and one.other_value == 2
    ((package, releases, why),) = one.among
    assert package == "transformers" and releases.startswith("4.56.2 - ")
    assert why == "each release that TRL 1.0.0 requires"
    assert judged({"num_generations": 2}, {"transformers": ""}) == []


def test_a_refusal_of_a_base_names_no_release_where_several_lead_to_it() -> None:
    found = judged({"bf16": True, "fp16": True}, {"transformers": ""})
    assert titles(found) == ["TrainingArguments of transformers refuses bf16=True, fp16=True"]
    (known,) = judged({"bf16": True, "fp16": True})
    assert known.title == "TrainingArguments of transformers 4.57.6 refuses bf16=True, fp16=True"


@pytest.mark.parametrize(
    ("candidates", "count"), [(("4.56.2", "4.57.0"), 1), (("4.56.2", "99.0"), 0), (("99.0",), 0), ((), 1)]
)
def test_each_release_that_the_project_allows_must_lead_to_the_refusal(candidates: tuple[str, ...], count: int) -> None:
    facts = Facts()
    facts.set("packages.trl", Version("1.0.0"), "test")
    facts.forget("packages.transformers", "requirements.txt allows several", None, [Version(one) for one in candidates])
    facts.stated = (Stated(("trl.GRPOConfig",), (Setting("num_generations", 1, HERE, KEYWORD),), HERE),)
    assert len(list(unfit(facts))) == count


def test_with_trl_and_transformers_unknown_nothing_is_refused_for_certain() -> None:
    assert judged({"num_generations": 1}, {"trl": "", "transformers": ""}) == []


def test_without_a_release_a_class_that_newer_ones_lack_extends_what_it_did() -> None:
    stated = Stated(("trl.GRPOWithReplayBufferConfig",), (), HERE)
    assert judged({"output_dir": "out"}, {"trl": ""}, stated=stated) == []
    (found,) = judged({"output_dirs": "out"}, {"trl": ""}, stated=stated)
    assert (found.title, found.is_certain) == ("GRPOWithReplayBufferConfig of TRL has no output_dirs", False)
