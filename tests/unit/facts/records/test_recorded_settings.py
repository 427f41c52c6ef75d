"""Settings and checks of a class with those of its bases, and the shipped records."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from vcompat.facts.records.recorded_settings import (
    RENAMED,
    Field,
    all_checks,
    all_fields,
    known_classes,
    lineage,
    load_class,
    takes_values_of,
)
from vcompat.rules.checks import holds
from vcompat.upstream.settings.setting_records import save_tables

ONE, TWO = Version("1.0"), Version("2.0")
PACKAGES = ("trl", "transformers", "vllm", "peft", "accelerate", "deepspeed", "torch")


def table(bases: list[str], fields: dict[str, int], checks: list[str], **more: Any) -> dict[str, Any]:
    found = {name: {"types": ["int"], "default": default} for name, default in fields.items()}
    return {"module": "m", "bases": bases, "extra": "refused", "fields": found, "checks": checks, **more}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Package `one` with a class that extends one of package `two`."""
    kept = {"x": "x is not None", "y": ""}
    save_tables("two", {TWO: {"Base": table([], {"x": 1, "y": 1, "z": 1}, ["x < 0", "x > y", "z < 0"])}}, tmp_path)
    classes = {
        "A": table(["one.Middle"], {"a": 1}, ["a < 0"]),
        "Middle": table(["two.Base"], {"x": 5}, [], before_bases=kept),
        "Alone": table(["two.Base"], {}, ["x == 7"], before_bases=None),
    }
    save_tables("one", {ONE: classes}, tmp_path)
    return tmp_path


def test_settings_of_a_class_hide_those_of_its_bases(folder: Path) -> None:
    found = all_fields("one", "A", {"one": ONE, "two": TWO}.get, folder)
    assert found is not None
    assert {name: (field.default, record.name) for name, (field, record) in found.items()} == {
        "x": (5, "Middle"),
        "y": (1, "Base"),
        "z": (1, "Base"),
        "a": (1, "A"),
    }


@pytest.mark.parametrize("versions", [{"one": ONE}, {"one": ONE, "two": Version("3.0")}, {"two": TWO}])
def test_the_settings_are_not_known_without_the_release_of_each_base(
    folder: Path, versions: dict[str, Version]
) -> None:
    assert lineage("one", "A", versions.get, folder) is None
    assert all_fields("one", "A", versions.get, folder) is None


def test_checks_of_bases_count_where_the_setting_is_still_what_the_user_gave(folder: Path) -> None:
    found = all_checks("one", "A", {"one": ONE, "two": TWO}.get, folder)
    assert [(check, record.name) for check, record in found] == [
        ("a < 0", "A"),
        ("(x is not None) and (x < 0)", "Base"),
        ("z < 0", "Base"),
    ]


def test_checks_of_bases_do_not_count_where_their_constructors_may_not_run(folder: Path) -> None:
    found = all_checks("one", "Alone", {"one": ONE, "two": TWO}.get, folder)
    assert [check for check, _ in found] == ["x == 7"]


def test_without_the_release_of_a_base_the_checks_of_the_class_remain(folder: Path) -> None:
    assert [check for check, _ in all_checks("one", "A", {"one": ONE}.get, folder)] == ["a < 0"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (("int", "none"), ("int",), True),
        (("int",), ("int", "str"), True),
        (("bool",), ("str",), False),
        (("any",), ("any",), False),
    ],
)
def test_a_setting_is_renamed_only_if_the_new_one_takes_its_values(
    old: tuple[str, ...], new: tuple[str, ...], expected: bool
) -> None:
    made = [Field(types, None, None, False, False, False, "", False) for types in (new, old)]
    assert takes_values_of(*made) is expected


@pytest.mark.parametrize("package", PACKAGES)
def test_every_shipped_record_is_readable(package: str) -> None:
    names = known_classes(package)
    assert names
    for name in names:
        record = load_class(package, name)
        assert record is not None
        fields = {key for version in record.releases() for key in record.fields(version)}
        assert fields == set(record.names())
        assert any(record.exists(version) for version in record.releases())


@pytest.mark.parametrize("package", PACKAGES)
def test_every_recorded_check_is_an_expression_of_the_safe_language(package: str) -> None:
    allowed = (
        ast.Expression,
        ast.BoolOp,
        ast.boolop,
        ast.UnaryOp,
        ast.Not,
        ast.USub,
        ast.Compare,
        ast.cmpop,
        ast.BinOp,
    )
    allowed += (ast.operator, ast.Name, ast.Load, ast.Constant, ast.List, ast.Call)
    for name in known_classes(package):
        record = load_class(package, name)
        assert record is not None
        for check in {check for version in record.releases() for check in record.checks(version)}:
            nodes = list(ast.walk(ast.parse(check, mode="eval")))
            assert all(isinstance(node, allowed) for node in nodes), check
            assert all(ast.unparse(node.func) == "len" for node in nodes if isinstance(node, ast.Call)), check
            assert any(isinstance(node, ast.Name) for node in nodes), check


#: Checks of settings that construction needs.
NEEDED = {"teacher_model_server_url is None"}


@pytest.mark.parametrize("package", PACKAGES)
def test_no_class_refuses_its_defaults(package: str) -> None:
    newest = {one: load_class(one, known_classes(one)[0]) for one in PACKAGES}
    evaluated = 0
    for name in known_classes(package):
        record = load_class(package, name)
        assert record is not None
        configuration = name.replace("Trainer", "Config")
        for version in filter(record.exists, record.releases()):
            releases = {one: found.releases()[-1] for one, found in newest.items() if found is not None}
            releases[package] = version
            fields = all_fields(package, configuration, releases.get) or {}
            values = {key: field.default for key, (field, _) in fields.items() if field.has_default}
            for check, _ in all_checks(package, name, releases.get):
                evaluated += 1
                assert holds(check, values) is not True or check in NEEDED, (name, version, check)
    assert evaluated > 40 or package in ("accelerate", "torch")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_base_of_a_recorded_class_is_recorded(package: str) -> None:
    missing = set()
    for name in known_classes(package):
        record = load_class(package, name)
        assert record is not None
        for version in record.releases():
            missing |= {base for base in record.bases(version) if load_class(*base) is None}
    assert missing == set()


@pytest.mark.parametrize(("owner", "old"), [(owner, old) for owner, names in RENAMED.items() for old in names])
def test_a_new_name_exists_where_the_old_one_is_gone(owner: tuple[str, str], old: str) -> None:
    record = load_class(*owner)
    assert record is not None
    last_old = record.history(old)[-1][1]
    first, last_new, new = record.history(RENAMED[owner][old])[0][0], *record.history(RENAMED[owner][old])[-1][1:]
    assert last_old < record.releases()[-1] == last_new
    assert first <= record.releases()[-1] and takes_values_of(new, record.history(old)[-1][2])
    assert record.history(old)[-1][2].replaced_by == RENAMED[owner][old]
