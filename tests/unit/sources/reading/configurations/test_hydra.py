"""Composition agrees with Hydra, or leaves open."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ValueType
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from vcompat.foundation.errors import InputError
from vcompat.sources.reading.configurations.hydra import Composed, compose_config
from vcompat.sources.reading.configurations.hydra_defaults import Entry
from vcompat.sources.reading.configurations.hydra_words import parse_value, parse_word
from vcompat.sources.reading.configurations.omegaconf_values import OPEN, OpenTable
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS

FILES = {
    "config": """
defaults:
  - _self_
  - model: small
  - /trainer: grpo
  - optional data: missing
seed: 42
lr: 1e-5
name: ${model.name}-${seed}
out: ${oc.env:OUT,/tmp}
model:
  extra: from_primary
must: ???
hydra:
  run:
    dir: outputs
""",
    "self_last": """
defaults:
  - model: small
  - trainer@train: grpo
model:
  name: overridden
""",
    "self_explicit_last": "defaults:\n  - model: small\n  - _self_\nmodel:\n  name: overridden\n",
    "several": "defaults:\n  - callbacks: [a, b]\n  - _self_\nx: 1\n",
    "nested": "defaults:\n  - server: apache\n  - _self_\n",
    "with_override": "defaults:\n  - model: small\n  - experiment: long\n  - _self_\nseed: 1\n",
    "packages": """
defaults:
  - trainer@a: grpo
  - trainer@b.c: sft
  - /model@_global_: small
  - plain
  - model/large@big
  - _self_
""",
    "chosen_later": "defaults:\n  - model: ???\n  - _self_\n",
    "reference": "defaults:\n  - model: small\n  - trainer: ${model}\n  - _self_\n",
    "nothing_chosen": "defaults:\n  - model: null\n  - _self_\nx: 1\n",
    "from_code": "defaults:\n  - base_config\n  - model: small\n  - _self_\nlr: 1\n",
    "launcher": "defaults:\n  - model: small\n  - _self_\n  - override hydra/job_logging: none\nx: 1\n",
    "plain": "plain_value: 1\n",
    "with_header": "# @package foo.bar\ndefaults:\n  - model: small\n  - _self_\nx: 1\n",
    "model/small": "name: small\nlayers: 2\nlr: 1e-3\n",
    "model/large": "defaults:\n  - small\n  - _self_\nname: large\nlayers: 96\n",
    "model/global": "# @package _global_\nmodel:\n  name: global\nseed: 7\n",
    "trainer/grpo": "use_vllm: true\nvllm_mode: colocate\nbatch: ${..seed}\n",
    "trainer/sft": "use_vllm: false\n",
    "trainer/small": "tiny: true\n",
    "callbacks/a": "a: 1\nshared: a\n",
    "callbacks/b": "b: 2\nshared: b\n",
    "server/apache": "defaults:\n  - db: mysql\n  - /model@inner: small\n  - _self_\nport: 80\n",
    "server/db/mysql": "kind: mysql\n",
    "server/db/sqlite": "kind: sqlite\n",
    "experiment/long": "# @package _global_\ndefaults:\n  - override /model: large\nseed: 99\nsteps: 1000\n",
    "experiment/short": "# @package _global_\nsteps: 10\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("conf")
    for name, text in FILES.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / f"{name}.yaml").write_text(text)
    return top


def truth(folder: Path, name: str, overrides: list[str]) -> Any:
    """Return what Hydra composes, with what it cannot resolve as written."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with initialize_config_dir(str(folder), version_base=None):
            config = compose(name, overrides)
    return OmegaConf.to_container(config, resolve=False)


def agrees(ours: Any, theirs: Any) -> bool:
    if ours is OPEN:
        return True
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = set(theirs) if isinstance(ours, OpenTable) else set(ours) | set(theirs)
        return all(key in theirs and agrees(ours.get(key, OPEN), theirs[key]) for key in keys)
    return type(ours) is type(theirs) and ours == theirs


def get(composed: Composed, key: str) -> Any:
    """Return the value of ``a.b``: None if it is not there, OPEN if that or the value is not known."""
    value: Any = composed.table
    for part in key.split("."):
        if value is OPEN:
            return OPEN
        value = value.get(part, OPEN if isinstance(value, OpenTable) else None)
    return OPEN if value == "???" else value


COMPOSITIONS = [
    ("config", []),
    ("config", ["seed=1"]),
    ("config", ["model=large"]),
    ("config", ["model=large", "model.name=x"]),
    ("config", ["model=global"]),
    ("config", ["trainer=sft", "lr=2e-6", "+trainer.new=[1,2]"]),
    ("config", ["~trainer"]),
    ("config", ["~trainer.vllm_mode"]),
    ("config", ["~model", "name=none"]),
    ("config", ["~seed"]),
    ("config", ["++seed=3", "++a.b.c=4"]),
    ("config", ["+callbacks=a"]),
    ("config", ["+callbacks@cb=b"]),
    ("config", ["+experiment=short"]),
    ("config", ["+experiment=long"]),
    ("config", ["model={name:q}"]),
    ("config", ["+model.new={a:1,b:[x,y]}"]),
    ("config", ["must=given", "out=./x"]),
    ("config", ["hydra.run.dir=x", "seed=null"]),
    ("self_last", []),
    ("self_last", ["trainer@train=sft"]),
    ("self_explicit_last", []),
    ("several", []),
    ("several", ["callbacks=b"]),
    ("several", ["callbacks=[b,a]"]),
    ("nested", []),
    ("nested", ["server/db=sqlite"]),
    ("nested", ["server.port=81"]),
    ("with_override", []),
    ("with_override", ["experiment=short"]),
    ("with_override", ["model=small"]),
    ("packages", []),
    ("packages", ["trainer@a=sft"]),
    ("packages", ["trainer@b.c=grpo", "b.c.x=1"][:1]),
    ("chosen_later", ["model=large"]),
    ("reference", []),
    ("nothing_chosen", []),
    ("nothing_chosen", ["model=large"]),
    ("launcher", []),
    ("plain", []),
    ("plain", ["+model=large"]),
    ("with_header", []),
    ("model/large", []),
]


@pytest.mark.parametrize(("name", "overrides"), COMPOSITIONS)
def test_composition_agrees_with_hydra(folder: Path, name: str, overrides: list[str]) -> None:
    ours = compose_config(str(folder), name, overrides)
    theirs = truth(folder, name, overrides)
    assert not ours.why_open
    try:
        resolved = OmegaConf.to_container(OmegaConf.create(theirs), resolve=True)
    except OmegaConfBaseException:
        # A reference to a key that is not there.
        return
    assert agrees(ours.table, resolved)


def test_values_have_the_place_of_the_file_that_wins(folder: Path) -> None:
    composed = compose_config(str(folder), "config", ["seed=1"])
    assert str(composed.places["model", "name"]) == "small.yaml:1:1"
    assert str(composed.places["lr",]) == "config.yaml:8:1"
    assert ("seed",) not in composed.places
    assert get(composed, "name") == "small-1"
    assert get(composed, "lr") == 1e-5
    assert get(composed, "nothing") is None
    assert get(composed, "out") is get(composed, "must") is OPEN


@pytest.mark.parametrize(
    ("overrides", "known", "unknown"),
    [
        (None, {}, ["seed", "trainer.use_vllm", "new"]),
        ([UNKNOWN_WORDS], {}, ["seed", "trainer.use_vllm", "new"]),
        ([UNKNOWN_WORDS, "seed=3"], {"seed": 3}, ["lr", "new"]),
        (["seed=" + UNKNOWN], {"lr": 1e-5, "trainer.use_vllm": True}, ["seed", "name"]),
        ([UNKNOWN + "=1"], {}, ["seed"]),
        (["model=" + UNKNOWN, "lr=1"], {"lr": 1}, ["model.name", "seed"]),
        (["seed=1,2"], {"lr": 1e-5}, ["seed"]),
        (["-m", "lr=choice(1,2)"], {"seed": 42}, ["lr"]),
        (["model=small,large", "--multirun"], {}, ["model.name"]),
        (["--config-name", "plain"], {"plain_value": 1, "seed": None}, []),
        (["--config-name=plain"], {"plain_value": 1}, []),
        (["-cp", "elsewhere"], {}, ["seed"]),
        (["--config-dir", "elsewhere"], {}, ["seed"]),
    ],
)
def test_unknown_words_open_what_they_may_change(
    folder: Path, overrides: list[str] | None, known: dict[str, Any], unknown: list[str]
) -> None:
    composed = compose_config(str(folder), "config", overrides)
    assert {key: get(composed, key) for key in known} == known
    assert [key for key in unknown if get(composed, key) is not OPEN] == []


def test_a_configuration_that_code_registers_opens_only_what_comes_before_it(folder: Path) -> None:
    composed = compose_config(str(folder), "from_code", [])
    assert (get(composed, "lr"), get(composed, "model.layers")) == (1, 2)
    assert get(composed, "field_of_the_schema") is OPEN
    assert composed.why_open


def test_lists_that_refer_to_each_other_and_paths_outside_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("defaults:\n  - b\n  - _self_\nx: 1\n")
    (tmp_path / "b.yaml").write_text("defaults:\n  - a\n")
    (tmp_path / "c.yaml").write_text("defaults:\n  - ../../etc/passwd\n  - _self_\nx: 1\n")
    assert get(compose_config(str(tmp_path), "a", []), "x") is OPEN
    assert get(compose_config(str(tmp_path), "c", []), "x") == 1


@pytest.mark.parametrize(
    "text", ["defaults: 5\n", "a: [1\n", "- 1\n", "defaults: {a: b}\n", "a: !!python/object:x {}\n"]
)
def test_malformed_configurations_are_input_errors(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(InputError) as caught:
        compose_config(str(tmp_path), "a", [])
    assert "\n" not in str(caught.value)


VALUES = """1 -1 +1 01 1_000 1__0 0 -0 1. .5 1.5 -1.5e3 1e-4 1E5 1e inf -inf nan Inf true True TRUE false null NULL Null none
abc a-b a_b a/b /a/b a.b a.b.c ./x ../x a:b a:1 http://x:80/y %d @x $x ${x} ${x.y}z ${oc.env:A,b} a|b a?b a*b 1a 1.2.3 1-2 [] [1]
[1,2] [a,b,[c]] [1,2,{a:1}] {} {a:1} {a:{b:2}} {a:1,b:[1,2]} {a:'x'} 'abc' "abc" 'a,b' "a'b" '' "" '1' "true" 'a\\'b' "a\\\\"
a\\,b a\\=b \\[x\\] a\\\\b a,b 1,2 choice(1,2) range(1,5) int(3) a=b a(b [1 {a 1] a#b a!b a;b a<b 'a a\\b x'y' [a,] {1:2}
{true:1} {null:1} 2021-01-01 12:30 -- -x -1x 1e5x é""".split()


@pytest.mark.parametrize(
    "text", [*VALUES, "a b", " a", "a ", "[ 1 , 2 ]", "{ a : 1 }", "a , b", "'a b'", "1 2", "true x"]
)
def test_values_agree_with_hydra_s_grammar(text: str) -> None:
    ours = parse_value(text)
    try:
        override = OverridesParser.create().parse_override(f"key={text}")
    except Exception:
        assert ours is OPEN
        return
    if override.value_type is not ValueType.ELEMENT:
        assert ours is OPEN
        return
    theirs = override.value()
    if ours is not OPEN:
        assert repr(ours) == repr(theirs)
    else:
        assert "(" in text or "{" in text


@pytest.mark.parametrize(
    "word",
    [
        "a=1",
        "a.b=1",
        "+a=1",
        "++a.b=1",
        "~a",
        "~a=1",
        "a/b=c",
        "a/b@c.d=e",
        "a@_global_=x",
        "a=",
        "a.0=1",
        "a@b=c",
        "$a=1",
    ],
)
def test_words_agree_with_hydra_s_grammar(word: str) -> None:
    ours, theirs = parse_word(word), OverridesParser.create().parse_override(word)
    assert ours is not None
    assert (ours.key, ours.package, ours.value) == (theirs.key_or_group, theirs.package, theirs.value())
    assert (ours.sign == "~", ours.sign == "+", ours.sign == "++") == (
        theirs.is_delete(),
        theirs.is_add(),
        theirs.is_force_add(),
    )


@pytest.mark.parametrize("word", ["a", "=1", "a b=1", "+a", "a..b=1", "1a=1", "a=1" * 20_000, UNKNOWN])
def test_words_that_are_no_overrides_may_change_anything(word: str) -> None:
    assert parse_word(word) is None


def test_the_package_of_a_group_is_its_path_without_slashes_around_it() -> None:
    assert Entry("/XL/X", "a").final_package() == "XL.X"
    assert Entry("db/", "a").final_package() == "db"
    assert Entry("db", "a", outer="X").final_package() == "X.db"
