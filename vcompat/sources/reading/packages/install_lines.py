"""Reads `pip install` in notebooks, launch scripts, Makefiles, Dockerfiles, Modal's images and READMEs, and PEP 723.

The commands are those that the readers of such files find. Of several commands the last one counts for a package. A
command in a condition might not run. A command that pip resolves can change what earlier ones have installed: then a
version is likely.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from vcompat.facts.facts import Place
from vcompat.foundation.bounded_reading import MB, read_text
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.invocation import Invocation
from vcompat.sources.reading.packages.indexes import Indexes
from vcompat.sources.reading.packages.modal_images import commands_of_image
from vcompat.sources.reading.packages.origin import Origin
from vcompat.sources.reading.packages.platforms import Platforms, Runtime
from vcompat.sources.reading.packages.requirement import entry_of
from vcompat.sources.reading.packages.stated_packages import Declared, Entry, package_of
from vcompat.sources.reading.word import Word, has_words, readable

_LIMIT = 5 * MB
_PIP = re.compile(r"(?:.*/)?pip\d?(?:\.\d+)?")
#: Programs that run another one.
_BEFORE = re.compile(r"(?:.*/)?(?:sudo|env|python\S*|uv|-[A-Za-z]+|\w+=.*)")
#: Options of pip and uv that take a value.
_VALUED = frozenset(
    "-r --requirement -c --constraint -i --index-url --extra-index-url -f --find-links -t --target --torch-backend "
    "--python -p --prefix --root --index --default-index --index-strategy --prerelease".split()
)
#: Options with which nothing is installed where the run finds it.
_ELSEWHERE = re.compile(r"(?:-t|--target|--prefix|--root|--dry-run)(?:=.*)?")
#: Options and variables with an index whose build of a release is not known.
_OTHER_INDEXES = ("--index", "--default-index", "--torch-backend")
_INDEX_VARIABLE = re.compile(r"(?:PIP_(?:EXTRA_)?INDEX_URL|PIP_FIND_LINKS|UV_\w*INDEX\w*|UV_TORCH_BACKEND)")
#: Targets of a Makefile that install what a project needs.
_PREPARING = re.compile(r"(?m)^(install|setup|env|deps|dependencies|requirements)[ \t]*:(?!=)")
#: A block of commands in a README, and the prompt before a command.
_FENCED = re.compile(r"(?ms)^[ \t]*```[ \t]*(?:bash|sh|shell|zsh|console)?[ \t]*$\n(?P<body>.*?)^[ \t]*```[ \t]*$")
#: A line of a list of what to install.
_PINNED = re.compile(r"(?m)^[ \t]*([A-Za-z][\w.-]*==\d[\w.+]*)(?=[ \t]*(?:#.*)?$)")
_PROMPT = re.compile(r"(?m)^[ \t]*[$>] ")
_BLOCK = re.compile(r"(?m)^# /// script\s*$\n(?P<body>(?:^#(?:| .*)$\n)+?)^# ///\s*$")


class Installed(NamedTuple):
    """What the commands of one file install."""

    declared: Declared
    loosely: frozenset[str]
    """The packages whose version a later command of pip can have changed."""


class _Command(NamedTuple):
    """A command of pip."""

    name: str
    words: list[Word]
    place: Place
    may_not_run: bool
    origin: Origin

    @property
    def may_change_others(self) -> bool:
        """Whether it may change the releases of packages that it does not name."""
        return self.name != "uninstall" and ("--no-deps" not in self.words or any(map(has_words, self.words)))


class _Read:
    """What commands install, package by package."""

    def __init__(self) -> None:
        self.latest: dict[str, Entry] = {}
        self.perhaps: list[Entry] = []
        """What commands install that might not run."""
        self.loosely: set[str] = set()

    def follow(self, commands: Iterable[_Command], platforms: Platforms) -> _Read:
        """Follow commands in the order in which they run."""
        for command in commands:
            entries = _entries(command, platforms)
            if command.may_change_others:
                so_far = (*self.latest.values(), *self.perhaps)
                self.loosely |= {package_of(entry.distribution) or "" for entry in so_far}
            pinned = {package_of(entry.distribution) for entry in entries if entry.version}
            for entry in entries:
                package = package_of(entry.distribution) or ""
                if package in pinned and entry.allowed is not None and not str(entry.allowed):
                    # As `vllm[flashinfer]` beside `vllm==0.8.3`: a command installs one release.
                    continue
                if command.may_not_run:
                    self.perhaps.append(entry._replace(applies=None, depends="a condition"))
                else:
                    self.latest[package] = entry
                self.loosely.discard(package)
        return self

    def or_else(self, other: _Read, condition: str) -> _Read:
        """Return what one of both installs, on a condition."""
        both = _Read()
        for read, another in ((self, other), (other, self)):
            for package, entry in read.latest.items():
                if another.latest.get(package) == entry:
                    both.latest[package] = entry
                else:
                    both.perhaps.append(entry._replace(applies=None, depends=condition))
            both.perhaps += [entry for entry in read.perhaps if entry not in both.perhaps]
            both.loosely |= read.loosely
        return both

    def installed(self) -> Installed | None:
        """Return the result; None if nothing is installed."""
        if not self.latest and not self.perhaps:
            return None
        declared = Declared()
        for entry in (*self.latest.values(), *self.perhaps):
            declared.add(entry)
        return Installed(declared, frozenset(self.loosely))


def read_installs(path: str, runtime: Runtime) -> Installed | None:
    """Return what the commands in a file of one of these kinds install with pip; None if they install nothing.

    A notebook can choose releases by the GPU. Raises InputError if the file cannot be read.
    """
    platforms = Platforms(runtime)
    if path.endswith(".py"):
        return _Read().follow(_commands(commands_of_image(path)), platforms).installed()
    if not path.endswith(".ipynb"):
        return _Read().follow(_commands(_invocations(path)), platforms).installed()
    from vcompat.sources.reading.notebooks.notebook import read_notebook
    from vcompat.sources.reading.notebooks.notebook_choices import choice_of

    choice = choice_of(path)
    if choice is None:
        return _Read().follow(_commands(read_notebook(path).invocations), platforms).installed()
    then, otherwise = (
        _Read().follow(_commands(read_notebook(path, values).invocations), platforms)
        for values in (choice.then, choice.otherwise)
    )
    holds = choice.holds(runtime.gpus)
    if holds is None:
        return then.or_else(otherwise, f"`{choice.condition}`").installed()
    return (then if holds else otherwise).installed()


def read_block(path: str, runtime: Runtime) -> Declared | None:
    """Return what the block ``# /// script`` of a script requires; None if it has none.

    Raises InputError if the file cannot be read, or the block is not valid.
    """
    text = read_text(path, _LIMIT, "a script")
    match = _BLOCK.search(text)
    if match is None:
        return None
    import tomli

    try:
        table = tomli.loads("\n".join(line.removeprefix("#").removeprefix(" ") for line in match["body"].splitlines()))
    except (tomli.TOMLDecodeError, RecursionError):
        raise InputError(path, "the block '# /// script' is not valid TOML", "dependencies as in PEP 723") from None
    listed, platforms = table.get("dependencies"), Platforms(runtime)
    lines = text.splitlines()
    declared = Declared()
    for each in listed if isinstance(listed, list) else ():
        number = next((number for number, line in enumerate(lines, 1) if f'"{each}"' in line or f"'{each}'" in line), 0)
        entry = entry_of(str(each), Place(path, number), platforms)
        if entry is not None:
            declared.add(entry)
    return declared


def _commands(invocations: Iterable[Invocation]) -> Iterator[_Command]:
    """Yield the commands of pip among programs that a file starts."""
    for invocation in invocations:
        words = list(invocation.words)
        while words and not _PIP.fullmatch(readable(words[0])) and _BEFORE.fullmatch(readable(words[0])):
            words.pop(0)
        name = words[1] if len(words) > 1 and _PIP.fullmatch(readable(words[0])) else ""
        if not isinstance(name, str) or name not in ("install", "uninstall"):
            continue
        elsewhere = any(_ELSEWHERE.fullmatch(readable(word)) for word in words)
        may_not_run = bool(invocation.why_uncertain) or elsewhere
        yield _Command(name, words[2:], invocation.place, may_not_run, _origin(invocation))


def _origin(command: Invocation) -> Origin:
    """Return the index from which a command installs."""
    indexes = Indexes()
    for word, after in zip(command.words, (*command.words[1:], ""), strict=True):
        indexes.add(f"{readable(word)} {readable(after)}" if word in _VALUED else readable(word))
    options = [readable(word.partition("=")[0]) for word in command.words]
    other = next((option for option in options if option in _OTHER_INDEXES), "")
    other = other or next((name for name in command.environment.values if _INDEX_VARIABLE.fullmatch(name)), "")
    return Origin(other) if other else indexes.origin()


def _entries(command: _Command, platforms: Platforms) -> list[Entry]:
    """Return what a command installs, or removes."""
    listed = [entry_of(word, command.place, platforms) for word in _requirements(command.words)]
    entries = [_from(command.origin, entry)._replace(by_command=True) for entry in listed if entry is not None]
    if command.name == "uninstall":
        return [entry._replace(version="", allowed=None, why="removes it") for entry in entries]
    return entries


def _from(origin: Origin, entry: Entry) -> Entry:
    return entry if entry.origin.where or not entry.version else entry._replace(origin=origin)


def _invocations(path: str) -> Iterable[Invocation]:
    """Return the programs that a file starts; none, without following it, if it installs nothing."""
    text = read_text(path, _LIMIT, "a file with commands")
    if "install" not in text and not (path.endswith(".md") and "==" in text):
        return ()
    from vcompat.sources.reading.shell import run_shell

    if os.path.basename(path) == "Makefile":
        goals = " ".join(dict.fromkeys(match[1] for match in _PREPARING.finditer(text)))
        command = f"make -f {shlex.quote(os.path.basename(path))} {goals}"
        return run_shell(command, path, folder=os.path.dirname(path), jobs=False).invocations if goals else ()
    if path.endswith((".sh", ".slurm", ".sbatch")):
        return run_shell(text, path, reads=False, jobs=False).invocations
    if path.endswith(".md"):
        return _of_readme(text.replace("\r\n", "\n"), path)
    return _of_dockerfile(text, path)


def _of_readme(text: str, path: str) -> list[Invocation]:
    """Return the programs in the blocks of commands of a README, with `pip install` before a list of releases."""
    from vcompat.sources.reading.shell import run_shell

    invocations: list[Invocation] = []
    for block in _FENCED.finditer(text):
        body = _PINNED.sub(r"pip install \1", _PROMPT.sub("", block["body"]))
        if "install" in body:
            line = text.count("\n", 0, block.start("body")) + 1
            invocations += run_shell(body, path, line=line, reads=False, jobs=False).invocations
    return invocations


def _of_dockerfile(text: str, path: str) -> Sequence[Invocation]:
    """Return the programs that build the last stage of a Dockerfile, with the stages that it is built from."""
    from vcompat.sources.reading.containers.dockerfile_text import instructions
    from vcompat.sources.reading.shell import run_shell

    stages: dict[str, list[Invocation]] = {}
    stage: list[Invocation] = []
    for instruction in instructions(text, path):
        words = [word for word in instruction.rest.split() if not word.startswith("--")]
        if instruction.name == "FROM":
            stage = list(stages.get(words[0].lower(), ())) if words else []
            if len(words) > 2 and words[1].lower() == "as":
                stages[words[2].lower()] = stage
        elif instruction.name == "RUN":
            # Options such as --mount come before the command.
            command = re.sub(r"^(?:--\w[^\s]*\s+)+", "", instruction.rest)
            stage += run_shell(command, path, line=instruction.line, reads=False, jobs=False).invocations
    return stage


def _requirements(words: Sequence[Word]) -> Iterator[str]:
    """Yield the requirements among the words of a command, with ``${...}`` for what the shell computes."""
    skip = False
    for word in words:
        if skip or word.startswith("-"):
            skip = not skip and word in _VALUED
            continue
        yield readable(word, "${...}")
