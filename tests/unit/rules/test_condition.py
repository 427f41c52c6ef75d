from __future__ import annotations

from pathlib import Path

import pytest
from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.records.recorded_settings import settings_folder
from vcompat.facts.value import FactValue, parse_value
from vcompat.facts.vocabulary import spec_of
from vcompat.foundation.errors import InputError
from vcompat.rules.condition import SettingsTest, check_patterns, parse_condition


def facts(**values: FactValue) -> Facts:
    result = Facts()
    for name, value in values.items():
        result.set(name.replace("__", "."), value, "test")
    return result


def vllm(version: str) -> Facts:
    return facts(packages__vllm=Version(version))


def test_all_facts_of_a_table_must_hold() -> None:
    condition = parse_condition({"packages.vllm": "<0.8.5", "plan.vllm_sleep_level": 2}, "t")
    known = vllm("0.8.4")
    assert condition.truth(known) is None
    known.set("plan.vllm_sleep_level", 2, "test")
    assert condition.truth(known) is True
    known.set("plan.vllm_sleep_level", 1, "test")
    assert condition.truth(known) is False


def test_a_false_part_decides_whatever_is_unknown_beside_it() -> None:
    condition = parse_condition({"plan.vllm_sleep_level": 2, "packages.vllm": "<0.8.5"}, "t")
    assert condition.truth(vllm("0.9.0")) is False


@pytest.mark.parametrize(
    ("first", "second", "any_of", "all_of"),
    [
        (True, True, True, True),
        (True, False, True, False),
        (True, None, True, None),
        (False, False, False, False),
        (False, None, None, False),
        (None, None, None, None),
    ],
)
def test_any_and_all_follow_three_valued_logic(
    first: bool | None, second: bool | None, any_of: bool | None, all_of: bool | None
) -> None:
    known = Facts()
    for name, value in (("plan.peft", first), ("plan.use_cpu", second)):
        if value is not None:
            known.set(name, value, "test")
    parts = [{"plan.peft": True}, {"plan.use_cpu": True}]
    assert parse_condition({"any": parts}, "t").truth(known) is any_of
    assert parse_condition({"all": parts}, "t").truth(known) is all_of
    assert parse_condition({"not": {"any": parts}}, "t").truth(known) is (None if any_of is None else not any_of)


@pytest.mark.parametrize(
    ("version", "range_", "truth"),
    [
        ("0.8.4", ">=0.7.0,<0.8.5", True),
        ("0.8.4+cu128", ">=0.7.0,<0.8.5", True),
        ("0.8.4rc1", ">=0.7.0,<0.8.5", True),
        ("0.8.4.dev3+g1234567.cu121", ">=0.7.0,<0.8.5", True),
        ("0.8.5", ">=0.7.0,<0.8.5", False),
        ("0.8.5.post1", ">=0.7.0,<0.8.5", False),
        ("0.8.5.post1", "<=0.8.5.post1", True),
        ("0.7.2+cu124", "==0.7.2", True),
        ("0.7.2.post1", "==0.7.2", False),
        ("0.10.1", ">=0.9", True),
        ("2!0.1", "<0.8.5", False),
    ],
)
def test_version_ranges_are_pep_440_with_pre_releases_and_local_segments(
    version: str, range_: str, truth: bool
) -> None:
    assert parse_condition({"packages.vllm": range_}, "t").truth(vllm(version)) is truth


@pytest.mark.parametrize("version", ["0.8.5rc1", "0.8.5.dev12+gabcdef0"])
def test_a_pre_release_of_the_release_that_bounds_a_range_stays_open(version: str) -> None:
    assert parse_condition({"packages.vllm": ">=0.7.0,<0.8.5"}, "t").truth(vllm(version)) is None
    assert parse_condition({"packages.vllm": ">=0.8.5,<0.9"}, "t").truth(vllm(version)) is None
    assert parse_condition({"packages.vllm": ">=0.9,<0.9.5"}, "t").truth(vllm(version)) is False


@pytest.mark.parametrize(
    ("python", "truth"),
    [("3.10.9", True), ("3.10.10", False), ("3.10", None), ("3.9", True), ("3.11", False)],
)
def test_a_range_of_pythons_stays_open_where_only_its_series_is_known(python: str, truth: bool | None) -> None:
    condition = parse_condition({"host.python": "<3.10.10"}, "t")
    assert condition.truth(facts(host__python=Version(python))) is truth


def test_a_package_known_to_be_missing_is_in_no_range() -> None:
    assert parse_condition({"packages.vllm": ">=0"}, "t").truth(Facts(closed=["packages"])) is False
    assert parse_condition({"packages.vllm": {"set": False}}, "t").truth(Facts(closed=["packages"])) is True


def test_of_several_gpus_one_that_fits_is_enough() -> None:
    condition = parse_condition({"gpu.compute_capability": "<8.0"}, "t")
    assert condition.truth(facts(gpu__compute_capability=(Version("8.0"), Version("7.0")))) is True
    assert condition.truth(facts(gpu__compute_capability=(Version("8.0"),))) is False
    assert condition.truth(facts(gpu__compute_capability=())) is False


def test_numbers_texts_lists_and_patterns() -> None:
    known = facts(gpu__count=8, plan__vllm_mode="colocate")
    known.set("env.CUDA_VISIBLE_DEVICES", "GPU-1f2e", "test")
    for expected in (8, ">=2", ">=2,<9", [4, 8], "!=7"):
        assert parse_condition({"gpu.count": expected}, "t").truth(known) is True, expected
    assert parse_condition({"gpu.count": "<8"}, "t").truth(known) is False
    assert parse_condition({"plan.vllm_mode": ["server", "colocate"]}, "t").truth(known) is True
    assert parse_condition({"env.CUDA_VISIBLE_DEVICES": {"matches": "GPU-|MIG-"}}, "t").truth(known) is True
    assert parse_condition({"env.CUDA_VISIBLE_DEVICES": {"set": True}}, "t").truth(known) is True


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({}, "empty condition"),
        ({"packages.vlm": "<1"}, "unknown fact 'packages.vlm'; expected 'packages.vllm'"),
        ({"packages.vllm": "<<1"}, "'<<1' is not a version range"),
        ({"packages.vllm": 7}, "7; expected a version range"),
        ({"plan.use_vllm": "yes"}, "'yes'; expected true or false"),
        ({"gpu.count": "many"}, "not a range of numbers"),
        ({"any": {}}, "expected a list of tables"),
        ({"env.CUDA_VISIBLE_DEVICES": {"matches": "("}}, "not a regular expression"),
        ({"env.EDITOR": "vi"}, "not a variable that vcompat looks at"),
    ],
)
def test_a_malformed_condition_is_refused_with_the_key_and_what_is_expected(
    table: dict[str, object], complaint: str
) -> None:
    with pytest.raises(InputError) as caught:
        check_patterns(table, "some.toml: when")
        parse_condition(table, "some.toml: when")
    assert complaint in str(caught.value)
    assert str(caught.value).startswith("some.toml: when")
    assert "\n" not in str(caught.value)


def test_deciders_are_the_facts_that_made_it_true_or_left_it_open() -> None:
    condition = parse_condition({"packages.vllm": "<0.8.5", "any": [{"plan.peft": True}, {"gpu.count": 8}]}, "t")
    known = vllm("0.8.4")
    known.set("gpu.count", 8, "test")
    assert list(condition.deciders(known)) == ["packages.vllm", "gpu.count"]


def test_values_as_typed_are_read_by_the_fact_s_kind() -> None:
    def read(name: str, text: str) -> FactValue:
        return parse_value(spec_of(name, "t"), text, "t")

    assert read("packages.vllm", "0.8.5+cu128") == Version("0.8.5+cu128")
    assert read("gpu.compute_capability", "7.0,8.0") == (Version("7.0"), Version("8.0"))
    assert read("gpu.count", "8") == 8
    assert read("plan.use_vllm", "True") is True
    assert read("packages.vllm", "none") is None
    assert read("plan.modules_to_save", "lm_head,embed_tokens") == ("lm_head", "embed_tokens")
    assert read("env.CUDA_VISIBLE_DEVICES", "") == ""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("packages.vllm", "zero"),
        ("gpu.count", "many"),
        ("plan.use_vllm", "maybe"),
        ("gpu.compute_capability", "7.0,x"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(name: str, text: str) -> None:
    with pytest.raises(InputError, match="t: '"):
        parse_value(spec_of(name, "t"), text, "t")


@pytest.mark.parametrize(
    ("word", "one", "other", "truth"),
    [
        ("not_multiple_of", 8, 2, False),
        ("not_multiple_of", 8, 3, True),
        ("not_multiple_of", None, 3, None),
        ("not_multiple_of", None, 1, False),
        ("not_multiple_of", 8, None, None),
        ("not_multiple_of", 8, 0, False),
        ("more_than", 8, 7, True),
        ("more_than", 8, 8, False),
        ("less_than", 7, 8, True),
        ("differs_from", 7, 8, True),
        ("differs_from", 8, 8, False),
    ],
)
def test_a_fact_is_compared_with_another(word: str, one: int | None, other: int | None, truth: bool | None) -> None:
    condition = parse_condition({"plan.world_size": {word: "plan.vllm_tensor_parallel_size"}}, "t")
    known = Facts()
    for name, value in (("plan.world_size", one), ("plan.vllm_tensor_parallel_size", other)):
        if value is not None:
            known.set(name, value, "test")
    assert condition.truth(known) is truth
    assert set(condition.deciders(known)) == {"plan.world_size", "plan.vllm_tensor_parallel_size"}


def test_a_fact_that_is_nothing_compares_with_nothing() -> None:
    condition = parse_condition({"plan.world_size": {"differs_from": "plan.num_machines"}}, "t")
    known = facts(plan__world_size=None)
    assert condition.truth(known) is False
    assert list(condition.deciders(known)) == ["plan.world_size"]


def test_lists_share_an_item() -> None:
    condition = parse_condition({"plan.server_devices": {"shares_with": "plan.trainer_devices"}}, "t")
    assert condition.truth(facts(plan__server_devices=("0", "1"), plan__trainer_devices=("1", "2"))) is True
    assert condition.truth(facts(plan__server_devices=("0",), plan__trainer_devices=("1", "2"))) is False
    assert condition.truth(facts(plan__server_devices=("0",))) is None


def test_builds_of_one_release_are_not_another_release() -> None:
    condition = parse_condition({"packages.flashinfer": {"other_release_than": "packages.flashinfer-jit-cache"}}, "t")
    for other, truth in (("0.6.16+cu130", False), ("0.6.16", False), ("0.6.16.post1+cu130", True), ("0.6.1", True)):
        known = Facts()
        known.set("packages.flashinfer", Version("0.6.16"), "test")
        known.set("packages.flashinfer-jit-cache", Version(other), "test")
        assert condition.truth(known) is truth, other


@pytest.mark.parametrize("version", ["0.8.5rc1", "0.8.5.dev1"])
def test_only_where_a_release_begins_or_ends_a_range_its_pre_releases_stay_open(version: str) -> None:
    for range_, truth in (
        ("==0.8.5", False),
        ("!=0.8.5", True),
        ("<=0.8.5", True),
        (">0.8.5", False),
        ("<0.8.5,>=0.7", None),
        ("<0.8.5,>=0.9", False),
        (">=0.8.5rc2", False),
        ("<0.8.5rc2", True),
        ("<0.8.5.dev1", False),
    ):
        assert parse_condition({"packages.vllm": range_}, "t").truth(vllm(version)) is truth, range_


@pytest.mark.parametrize(
    ("word", "other", "truths"),
    [
        ("more_than", "plan.num_machines", (False, False, True)),
        ("less_than", "plan.num_machines", (True, False, False)),
        ("differs_from", "plan.num_machines", (True, False, True)),
        ("shares_with", "plan.num_machines", (False, True, False)),
        ("not_multiple_of", "plan.num_machines", (True, False, True)),
    ],
)
def test_a_comparison_is_exact_at_equality(word: str, other: str, truths: tuple[bool, bool, bool]) -> None:
    condition = parse_condition({"plan.world_size": {word: other}}, "t")
    assert tuple(condition.truth(facts(plan__world_size=n, plan__num_machines=2)) for n in (1, 2, 3)) == truths


def test_a_condition_names_all_its_facts_and_what_decides() -> None:
    condition = parse_condition(
        {
            "packages.vllm": "<1",
            "not": {"plan.peft": True},
            "any": [{"gpu.count": 8}, {"all": [{"plan.use_cpu": True}]}],
            "plan.world_size": {"more_than": "plan.num_machines"},
        },
        "t",
    )
    names = ["packages.vllm", "plan.peft", "gpu.count", "plan.use_cpu", "plan.world_size", "plan.num_machines"]
    assert list(condition.names()) == names
    known = facts(packages__vllm=Version("0.8"), plan__peft=False, gpu__count=4, plan__world_size=2)
    assert condition.truth(known) is None
    assert list(condition.deciders(known)) == [name for name in names if name != "gpu.count"]


def test_what_is_nothing_matches_no_number_and_no_pattern() -> None:
    nothing = facts(gpu__count=None, plan__vllm_mode=None)
    for expected in (0, "<1", "!=7", [0, 1]):
        assert parse_condition({"gpu.count": expected}, "t").truth(nothing) is False, expected
    assert parse_condition({"plan.vllm_mode": {"matches": "None|"}}, "t").truth(nothing) is False
    assert parse_condition({"plan.vllm_mode": {"set": True}}, "t").truth(nothing) is False


@pytest.mark.parametrize(
    ("range_", "truths"),
    [
        (">=2", (False, True, True)),
        ("<=2", (True, True, False)),
        ("==2", (False, True, False)),
        ("!=2", (True, False, True)),
        (">2", (False, False, True)),
        ("<2", (True, False, False)),
        (" > 1.5 , < 2.5 ", (False, True, False)),
        (">=-1", (True, True, True)),
        (2, (False, True, False)),
        (2.0, (False, True, False)),
    ],
)
def test_a_range_of_numbers_is_exact_at_its_bounds(range_: object, truths: tuple[bool, bool, bool]) -> None:
    condition = parse_condition({"plan.world_size": range_}, "t")
    assert tuple(condition.truth(facts(plan__world_size=n)) for n in (1, 2, 3)) == truths


def test_one_of_several_ranges_is_enough_and_a_pre_release_at_one_stays_open() -> None:
    condition = parse_condition({"packages.vllm": ["<0.7", ">=0.8.5"]}, "t")
    truths = [condition.truth(vllm(version)) for version in ("0.6", "0.8", "0.9", "0.8.5rc1")]
    assert truths == [True, False, True, None]


@pytest.mark.parametrize(
    ("when", "where", "complaint"),
    [
        ({"any": [{"plan.peft": True}, {}]}, "t.any[1]", "an empty condition"),
        ({"all": 1}, "t.all", "1; expected a list of tables"),
        ({"all": []}, "t.all", "[]; expected a list of tables"),
        ({"not": {"gpu.count": True}}, "t.not.gpu.count", "True; expected a number"),
        ({"plan.peft": 1}, "t.plan.peft", "1; expected true or false"),
        ({"plan.vllm_mode": 1}, "t.plan.vllm_mode", "1; expected a string"),
        ({"plan.vllm_mode": []}, "t.plan.vllm_mode", "[]; expected a string"),
        ({"plan.vllm_mode": {}}, "t.plan.vllm_mode", "{}; expected { set = true }"),
        ({"plan.vllm_mode": {"set": 1}}, "t.plan.vllm_mode", "{'set': 1}; expected { set = true }"),
        ({"plan.vllm_mode": {"matches": 1}}, "t.plan.vllm_mode", "{'matches': 1}; expected { set"),
        ({"plan.vllm_mode": {"set": True, "matches": "a"}}, "t.plan.vllm_mode", "{'set': True"),
        ({"plan.vllm_mode": {"matches": "["}}, "t.plan.vllm_mode", "not a regular expression: "),
        ({"gpu.count": ">=2;"}, "t.gpu.count", "'>=2;' is not a range of numbers"),
        ({"packages.vllm": "0.8"}, "t.packages.vllm", "'0.8' is not a version range"),
        ({"plan.world_size": {"more_than": "plan.vllm_mode"}}, "t.plan.world_size", "two numbers"),
        ({"plan.world_size": {"more_than": 3}}, "t.plan.world_size", "{ more_than = 'another fact' }"),
        ({"plan.world_size": {"shares_with": "plan.vllm_mode"}}, "t.plan.world_size", "two numbers"),
        ({"plan.world_size": {"other_release_than": "gpu.count"}}, "t.plan.world_size", "two versions"),
    ],
)
def test_a_complaint_about_a_condition_begins_with_the_key(when: dict[str, object], where: str, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        check_patterns(when, "t")
        parse_condition(when, "t")
    assert str(caught.value).startswith(f"{where}: ")
    assert complaint in str(caught.value)


def test_versions_are_compared_with_each_other() -> None:
    condition = parse_condition({"torch.cuda": {"more_than": "gpu.driver_cuda"}}, "t")
    assert condition.truth(facts(torch__cuda=Version("12.8"), gpu__driver_cuda=Version("12.4"))) is True
    assert condition.truth(facts(torch__cuda=Version("12.4"), gpu__driver_cuda=Version("12.8"))) is False


@pytest.mark.parametrize(
    ("when", "complaint"),
    [
        ({"plan.world_size": {"more_than": 3}}, "another fact"),
        ({"plan.world_size": {"more_than": "plan.nothing"}}, "unknown fact 'plan.nothing'"),
        ({"plan.world_size": {"more_than": "plan.vllm_mode"}}, "plan.vllm_mode a text"),
        ({"plan.vllm_mode": {"more_than": "plan.launcher"}}, "two numbers"),
        ({"plan.world_size": {"more_than": "plan.num_machines", "less_than": "plan.num_machines"}}, "another fact"),
    ],
)
def test_a_comparison_that_makes_no_sense_is_refused(when: dict[str, object], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        parse_condition(when, "t")


def test_a_test_of_settings_depends_on_every_package_whose_settings_are_recorded() -> None:
    recorded = {f"packages.{folder.name}" for folder in Path(settings_folder()).iterdir()}
    assert set(SettingsTest("").names()) == recorded
    assert set(SettingsTest("").deciders(Facts())) == recorded


def test_a_test_of_settings_names_one_of_the_known_faults() -> None:
    with pytest.raises(InputError, match=r"t\.settings: 'odd'; expected one of unknown, unknown in file"):
        parse_condition({"settings": "odd"}, "t")
