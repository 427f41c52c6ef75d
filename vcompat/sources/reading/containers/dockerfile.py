"""Reads Dockerfiles: what a container of the image starts, in which environment and folder.

The library dockerfile-parse is not used: it reads the lines of here-documents as instructions and does not know
``${X:-default}``, and both would yield false values. `dockerfile_text` splits the file into instructions instead.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from vcompat.facts.facts import Place
from vcompat.foundation.bounded_reading import read_text
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.containers.container_commands import (
    Command,
    Context,
    behind_entrypoint,
    join_folder,
    started,
)
from vcompat.sources.reading.containers.dockerfile_text import Instruction, expand, instructions, words_of
from vcompat.sources.reading.invocation import Environment, Invocation, Others
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS, Word, readable

#: Maximum file size in bytes.
SIZE_LIMIT = 1_000_000
_EXPECTED = "a Dockerfile"
#: Absolute paths of shell scripts.
_SCRIPT = re.compile(r"(?<![\w.])/[\w./-]+\.(?:sh|bash)\b")


@dataclass(frozen=True)
class Image:
    """What a Dockerfile, or one of its stages, determines about a container."""

    base: str = ""
    """The image that the first stage is built from; ``scratch`` if it is empty."""
    values: Mapping[str, Word] = field(default_factory=dict)
    """The variables of ENV. UNKNOWN marks parts that depend on the base image or on build arguments."""
    places: Mapping[str, Place] = field(default_factory=dict)
    entrypoint: Command | None = None
    """The words of ENTRYPOINT; None if it is the base image's."""
    cmd: Command | None = None
    """The words of CMD; None if it is the base image's."""
    folder: Word = UNKNOWN
    """The working directory; UNKNOWN if it is the base image's."""
    copied: Mapping[str, str] = field(default_factory=dict)
    """Files and folders of the build context, by the path in the image that they are copied to."""
    context: str = ""
    """The folder of the build context."""
    shell: tuple[str, ...] = ("/bin/sh", "-c")
    later: tuple[Instruction, ...] = ()
    """The instructions of ONBUILD, which run in images that are built from this one."""
    shell_entrypoint: bool = False
    """ENTRYPOINT is a shell command line, which ignores CMD."""

    def environment(self) -> Environment:
        """Return the variables of a container."""
        if self.base == "scratch":
            return Environment(dict(self.values), Others.UNSET, dict(self.places))
        why = f"the base image {self.base} may set variables"
        return Environment(dict(self.values), Others.UNKNOWN, dict(self.places), why)

    def words(self) -> Command | None:
        """Return the words that a container starts; None if only the base image tells."""
        if self.entrypoint is not None:
            if self.shell_entrypoint or self.cmd is None:
                return self.entrypoint
            return Command(self.entrypoint.words + self.cmd.words, self.cmd.place)
        return self.cmd if self.cmd is None or self.base == "scratch" else behind_entrypoint(self.cmd)

    def files(self, command: Command) -> dict[Word, str | None]:
        """Return the shell scripts of the image that `command` names and that the build context holds, by path."""
        texts: dict[Word, str | None] = {}
        for name in _SCRIPT.findall("\n".join(map(readable, command.words))):
            outside = next((self.copied[path] for path in self.copied if path == name), None)
            for inside in self.copied:
                if outside is None and name.startswith(inside.rstrip("/") + "/"):
                    outside = os.path.join(self.copied[inside], name[len(inside) :].strip("/"))
            file = os.path.join(self.context, outside or "")
            if outside and os.path.isfile(file):
                texts[name] = read_text(file, SIZE_LIMIT, "a shell script")
        return texts

    def context_folder(self) -> Word:
        """Return the working directory relative to the build context, where COPY determines it."""
        for inside in sorted(self.copied, key=len, reverse=True):
            folder = self.folder
            if isinstance(folder, str) and (folder == inside or folder.startswith(inside.rstrip("/") + "/")):
                rest = folder[len(inside) :].strip("/")
                return join_folder(self.copied[inside], rest) if rest else self.copied[inside]
        return self.folder


def read_dockerfile(path: str) -> list[Invocation]:
    """Return what a container of the image at `path` starts; nothing if only the base image tells.

    Only the last stage counts, with the stages that it is built from. The folder of an invocation is relative to the
    build context if COPY determines it, else absolute.

    Raises InputError if the file cannot be read or has no FROM.
    """
    image = read_image(path)
    command = image.words()
    if command is None:
        return []
    return started(command, Context(image.environment(), image.context_folder(), image.files(command)))


def read_image(path: str) -> Image:
    """Return what the last stage of the Dockerfile at `path` determines, whose folder is the build context.

    Raises InputError if the file cannot be read or has no FROM.
    """
    text = read_text(path, SIZE_LIMIT, _EXPECTED)
    stages: dict[str, Image] = {}
    builder: _Stage | None = None
    globals_: dict[str, Word] = {}
    for instruction in instructions(text, path):
        if instruction.name == "FROM":
            if builder is not None:
                stages[builder.name] = builder.image
            builder = _Stage.begin(instruction, path, stages, globals_)
        elif builder is None:
            if instruction.name != "ARG":
                raise InputError(
                    f"{path}:{instruction.line}", "not a Dockerfile: it does not start with FROM", _EXPECTED
                )
            globals_.update((word.partition("=")[0], UNKNOWN) for word in words_of(instruction.rest))
        else:
            builder.run(instruction)
    if builder is None:
        raise InputError(path, "has no FROM", _EXPECTED)
    return builder.image


class _Stage:
    """Applies the instructions of one stage."""

    def __init__(self, path: str, name: str, image: Image) -> None:
        self.path, self.name, self.image = path, name, image
        self.arguments: dict[str, Word] = {}
        self.own_cmd = False

    @classmethod
    def begin(
        cls, instruction: Instruction, path: str, stages: Mapping[str, Image], globals_: Mapping[str, Word]
    ) -> _Stage:
        words = [word for word in instruction.rest.split() if not word.startswith("--")]
        if not words:
            raise InputError(f"{path}:{instruction.line}", "FROM without an image", _EXPECTED)
        name = words[2].lower() if len(words) > 2 and words[1].lower() == "as" else ""
        base = expand(words[0], lambda variable: globals_.get(variable, ""))
        inherited = stages.get(base.lower()) if base and isinstance(base, str) else None
        if inherited is None:
            folder: Word = "/" if base == "scratch" else UNKNOWN
            image = Image("scratch" if base == "scratch" else words[0], folder=folder, context=os.path.dirname(path))
            return cls(path, name, image)
        stage = cls(path, name, replace(inherited, later=()))
        for later in inherited.later:
            stage.run(later)
        return stage

    def run(self, instruction: Instruction) -> None:
        handler = _HANDLERS.get(instruction.name)
        if handler is not None:
            handler(self, instruction)

    def place(self, instruction: Instruction) -> Place:
        return Place(self.path, instruction.line)

    def value(self, name: str) -> Word | None:
        """Return the value of a variable for substitution; None if it is not set."""
        if name in self.image.values:
            return self.image.values[name]
        if name in self.arguments:
            return self.arguments[name]
        return None if self.image.base == "scratch" else UNKNOWN

    def env(self, instruction: Instruction) -> None:
        values, places = dict(self.image.values), dict(self.image.places)
        for name, raw in _pairs(instruction):
            # All values of one instruction see the variables from before it.
            values[name] = expand(raw, self.value, instruction.escape)
            places[name] = self.place(instruction)
        self.image = replace(self.image, values=values, places=places)

    def arg(self, instruction: Instruction) -> None:
        for word in words_of(instruction.rest):
            # `docker build --build-arg` can set it to anything.
            self.arguments[word.partition("=")[0]] = UNKNOWN

    def workdir(self, instruction: Instruction) -> None:
        folder = join_folder(self.image.folder, expand(instruction.rest.strip(), self.value, instruction.escape) or ".")
        self.image = replace(self.image, folder=folder)

    def copy(self, instruction: Instruction) -> None:
        if "--from=" in instruction.rest:
            return
        words = self._operands(instruction)
        target = join_folder(self.image.folder, words[-1]) if words else UNKNOWN
        if not isinstance(target, str):
            return
        copied = dict(self.image.copied)
        for source in words[:-1]:
            if not isinstance(source, str):
                continue
            inner = posixpath.normpath(source.strip("/") or ".")
            file = os.path.join(self.image.context, inner)
            if inner.startswith("..") or not os.path.exists(file):
                continue
            into = not os.path.isdir(file) and (words[-1].endswith(("/", ".")) or len(words) > 2)
            copied[posixpath.join(target, os.path.basename(inner)) if into else target] = "" if inner == "." else inner
        self.image = replace(self.image, copied=copied)

    def _operands(self, instruction: Instruction) -> Sequence[Word]:
        """Return the sources of COPY and, as the last word, the target."""
        listed = _json_words(instruction.rest)
        if listed is not None:
            return listed
        written = [word for word in words_of(instruction.rest) if not word.startswith("--")]
        return [expand(word, self.value, instruction.escape) for word in written]

    def shell(self, instruction: Instruction) -> None:
        words = _json_words(instruction.rest)
        if words:
            self.image = replace(self.image, shell=tuple(words))

    def cmd(self, instruction: Instruction) -> None:
        self.own_cmd = True
        self.image = replace(self.image, cmd=self.command(instruction)[0])

    def entrypoint(self, instruction: Instruction) -> None:
        command, is_shell = self.command(instruction)
        cmd = self.image.cmd
        if not self.own_cmd and cmd is not None:
            # Whether a CMD of an earlier stage survives depends on the builder.
            cmd = Command((UNKNOWN_WORDS,), cmd.place)
        self.image = replace(self.image, entrypoint=command, cmd=cmd, shell_entrypoint=is_shell)

    def command(self, instruction: Instruction) -> tuple[Command, bool]:
        words = _json_words(instruction.rest)
        place = self.place(instruction)
        if words is not None:
            return Command(tuple(words), place), False
        return Command((*self.image.shell, instruction.rest.strip()), place), True

    def onbuild(self, instruction: Instruction) -> None:
        name, _, rest = instruction.rest.strip().partition(" ")
        later = Instruction(name.upper(), rest, instruction.line)
        self.image = replace(self.image, later=(*self.image.later, later))


def _pairs(instruction: Instruction) -> list[tuple[str, str]]:
    """Return the names and unexpanded values of ENV, also in its old form ``ENV name value``."""
    words = words_of(instruction.rest, instruction.escape)
    if words and "=" not in words[0]:
        name, *value = instruction.rest.split(None, 1)
        return [(name, value[0] if value else "")]
    return [(name, value) for name, equals, value in (word.partition("=") for word in words) if equals and name]


def _json_words(rest: str) -> list[str] | None:
    """Return the words of the form ``["a", "b"]``; None if `rest` is a shell command line."""
    if not rest.lstrip().startswith("["):
        return None
    try:
        words = json.loads(rest)
    except (ValueError, RecursionError):
        return None
    return words if isinstance(words, list) and all(isinstance(word, str) for word in words) else None


_HANDLERS: Mapping[str, Callable[[_Stage, Instruction], None]] = {
    "ENV": _Stage.env,
    "ARG": _Stage.arg,
    "WORKDIR": _Stage.workdir,
    "COPY": _Stage.copy,
    "ADD": _Stage.copy,
    "SHELL": _Stage.shell,
    "CMD": _Stage.cmd,
    "ENTRYPOINT": _Stage.entrypoint,
    "ONBUILD": _Stage.onbuild,
}
