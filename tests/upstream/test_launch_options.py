"""What is judged about the options of launchers, against the real parsers of releases."""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import logging
import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import version as installed_version
from typing import Any

import pytest
from packaging.version import Version

from tests.upstream.releases import source
from vcompat.facts.facts import Facts, Place
from vcompat.facts.records.recorded_settings import load_class
from vcompat.rules.unfit import Unfit, unfit
from vcompat.sources.reading.commands.launchers import launcher_of
from vcompat.sources.reading.commands.started import read_started
from vcompat.sources.reading.handed_on import options_of
from vcompat.sources.reading.invocation import Invocation
from vcompat.sources.reading.starts import Start
from vcompat.upstream.index import releases_of
from vcompat.upstream.wheels.torch_wheel import TORCH, sources_of

RUN = "torch/distributed/run.py"
Parse = Callable[[list[str]], object]


def function_of(text: str, name: str, names: dict[str, Any]) -> Any:
    """Return one function of a module's source, which sees only `names`."""
    (node,) = (n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == name)
    future = ast.parse("from __future__ import annotations").body
    exec(compile(ast.Module([*future, node], []), name, "exec"), names)
    return names[name]


def constants(text: str) -> dict[str, Any]:
    """The names that a module assigns a constant."""
    return {
        node.targets[0].id: node.value.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }


@cache
def torchrun(version: str) -> Parse:
    """The parser of a torch release, built with the actions of the installed one."""
    run = pytest.importorskip("torch.distributed.run")
    release = next(release for release in releases_of(TORCH) if release.version == Version(version))
    make = function_of(sources_of(release, (RUN,))[RUN], "get_args_parser", dict(vars(run)))
    return make().parse_args  # type: ignore[no-any-return]


@cache
def accelerate(version: str) -> Parse:
    """The parser of an accelerate release, built with the classes and constants of the installed one."""
    launch = pytest.importorskip("accelerate.commands.launch")
    text = source("accelerate", version).read("src/accelerate/commands/launch.py")
    assert text is not None
    return function_of(text, "launch_command_parser", dict(vars(launch)))().parse_args  # type: ignore[no-any-return]


@cache
def deepspeed(version: str) -> Parse:
    """The parser of a DeepSpeed release."""
    archive = source("deepspeed", version)
    names: dict[str, Any] = {"argparse": argparse, "logger": logging.getLogger("test")}
    for path in ("constants.py", "launcher/constants.py", "launcher/runner.py"):
        text = archive.read(f"deepspeed/{path}") or ""
        names |= constants(text)
    return function_of(text, "parse_args", names)  # type: ignore[no-any-return]


def refused(parse: Parse, words: list[str]) -> str:
    """What the real parser prints when it refuses `words`; empty if it accepts them."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            parse(words)
        except SystemExit as stop:
            return said.getvalue() if stop.code else ""
    return ""


def judged(launcher: str, release: str, words: list[str]) -> list[Unfit]:
    started = read_started([*COMMANDS[launcher], *words])
    assert started is not None
    facts = Facts()
    facts.set(f"packages.{PACKAGES[launcher]}", Version(release), "test")
    facts.stated = tuple(options_of(Start(started, Invocation(tuple(words), Place("go.sh", 1, 1)), Facts())))
    assert len(facts.stated) == 1
    return list(unfit(facts))


COMMANDS = {"accelerate": ["accelerate", "launch"], "torchrun": ["torchrun"], "deepspeed": ["deepspeed"]}
PACKAGES = {"accelerate": "accelerate", "torchrun": "torch", "deepspeed": "deepspeed"}
RECORDS = {"accelerate": "launch", "torchrun": "torchrun", "deepspeed": "runner"}
PARSERS = {"accelerate": accelerate, "torchrun": torchrun, "deepspeed": deepspeed}
RELEASES = [
    ("accelerate", "0.34.0"),
    ("accelerate", "1.5.2"),
    ("accelerate", "1.9.0"),
    ("accelerate", "1.15.0"),
    ("torchrun", "2.0.1"),
    ("torchrun", "2.5.1"),
    ("torchrun", "2.8.0"),
    ("torchrun", "2.13.0"),
    ("deepspeed", "0.14.4"),
    ("deepspeed", "0.16.4"),
    ("deepspeed", "0.19.3"),
]


def spellings(launcher: str) -> Iterator[str]:
    """Yield options as users write them: those of every release, shortened, and with typos."""
    record = load_class(PACKAGES[launcher], RECORDS[launcher])
    assert record is not None
    chosen = random.Random(1)
    names = [name for name in record.names() if name not in ("help", "print_completion")]
    for name in names:
        where = chosen.randrange(1, len(name))
        yield from (name, name.replace("_", "-"), name[:where], name[:where] + name[where + 1 :], f"{name}x")


def values_of(launcher: str, name: str) -> list[str]:
    """A value for an option that takes one."""
    valued = launcher_of(launcher).valued
    return ["1"] if any(option.startswith(name.replace("-", "_")) for option in valued) else []


@pytest.mark.parametrize(("launcher", "release"), RELEASES)
def test_an_option_is_reported_only_if_the_parser_of_the_release_refuses_it(launcher: str, release: str) -> None:
    parse = PARSERS[launcher](release)
    reported = refusals = 0
    for name in spellings(launcher):
        words = [f"--{name}", *values_of(launcher, name), "train.py"]
        found = [one for one in judged(launcher, release, words) if one.kind == "unknown"]
        said = refused(parse, words)
        reported += bool(found)
        refusals += "unrecognized arguments" in said
        if found:
            assert found[0].is_certain and f"--{found[0].setting}" in found[0].title
            assert "unrecognized arguments" in said or "ambiguous option" in said, words
        elif "unrecognized arguments" in said:
            # Of a shortened option it is not claimed that this parser takes no abbreviations; nor of hyphens.
            shorter = any(
                option.startswith(name) for option in launcher_of(launcher).valued | launcher_of(launcher).flags
            )
            assert "-" in name or shorter or name.startswith("no_"), words
    assert reported > 20 and refusals >= reported


@pytest.mark.parametrize(("launcher", "release"), RELEASES)
def test_every_recorded_option_is_accepted_and_its_choices_are_the_parsers(launcher: str, release: str) -> None:
    record = load_class(PACKAGES[launcher], RECORDS[launcher])
    assert record is not None
    parse = PARSERS[launcher](release)
    for name, field in record.fields(Version(release)).items():
        if name in ("help", "print_completion"):
            continue
        options = [f"--{name}"] if field.types == ("bool",) else [f"--{name}", str((field.choices or [1])[0])]
        assert "unrecognized arguments" not in refused(parse, [*options, "train.py"])
        if field.choices:
            wrong = [f"--{name}", "nonsense", "train.py"]
            assert "invalid choice" in refused(parse, wrong)
            assert [one.kind for one in judged(launcher, release, wrong)] == ["refused"]


@pytest.mark.parametrize(("launcher", "release"), RELEASES)
def test_a_text_for_a_number_is_reported_if_and_only_if_the_parser_of_the_release_refuses_it(
    launcher: str, release: str
) -> None:
    record = load_class(PACKAGES[launcher], RECORDS[launcher])
    assert record is not None
    parse, valued, refusals = PARSERS[launcher](release), launcher_of(launcher).valued, 0
    for name, field in record.fields(Version(release)).items():
        for value in ("auto", "8", "1_0", "2.5") if name in valued and not field.choices else ():
            words = [f"--{name}", value, "train.py"]
            found = [one for one in judged(launcher, release, words) if one.kind == "refused"]
            invalid = re.search(r"invalid (int|float) value", refused(parse, words)) is not None
            assert bool(found) == invalid, words
            if found:
                assert found[0].is_certain and found[0].title.endswith(f" {value}")
                refusals += 1
    assert refusals > 4


def test_the_command_line_of_accelerate_is_that_of_the_installed_release() -> None:
    release = Version(installed_version("accelerate")).public
    words = ["--num_proceses", "8", "train.py"]
    main = pytest.importorskip("accelerate.commands.launch").launch_command_parser()
    assert "unrecognized arguments: --num_proceses" in refused(main.parse_args, words)
    (found,) = judged("accelerate", release, words)
    assert found.title == f"accelerate launch of accelerate {release} has no option --num_proceses"
    assert found.alike == "num_processes"
