"""Reads Docker Compose files: what each service starts.

A service is combined with the service that it extends and with the Dockerfile that it is built from.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from typing import Any

from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.clusters.compose_values import dotenv, interpolate, scalar_text
from vcompat.sources.reading.clusters.dockerfile import Image, read_image
from vcompat.sources.reading.clusters.workload import (
    Command,
    Context,
    Workload,
    behind_entrypoint,
    join_folder,
    started,
    whole_number,
)
from vcompat.sources.reading.document import Document, read_document
from vcompat.sources.reading.invocation import Environment, Others
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS, Word, mapped, path_in
from vcompat.sources.reading.yaml_values import Dialect

_EXPECTED = "a Compose file with services"
#: Maximum length of a chain of services that extend each other.
DEEPEST = 10


def read_compose(path: str) -> list[Workload]:
    """Return one workload per service of the Compose file at `path` that starts a program.

    The override file beside it counts, as in ``docker compose up``. Raises InputError if a file cannot be read.
    """
    document = read_document(path, "yaml", Dialect.GO)
    services = document.table.get("services")
    if not isinstance(services, dict):
        raise InputError(path, "has no services", _EXPECTED)
    override = _override(path)
    result: list[Workload] = []
    for name in services:
        service = _Service.read(document, name, 0)
        if service is not None:
            if override is not None:
                service.apply(override, name)
            result += service.workloads()
    return result


def _override(path: str) -> Document | None:
    stem, ending = os.path.splitext(path)
    if os.path.basename(stem) not in ("compose", "docker-compose"):
        return None
    files = [f"{stem}.override{other}" for other in (ending, ".yml", ".yaml")]
    found = next((file for file in files if os.path.isfile(file)), None)
    return read_document(found, "yaml", Dialect.GO) if found else None


#: What `build` determines, with the defaults.
_BUILD = {"context": ".", "dockerfile": "Dockerfile", "target": ""}


class _Service:
    """The settings of one service, with those that it inherits."""

    def __init__(self, document: Document, name: str) -> None:
        self.document, self.name = document, name
        self.settings: dict[str, Any] = {}
        self.sources: dict[str, tuple[Document, str]] = {}
        """The file and the service that hold a setting, by key: it may be inherited."""
        self.from_files: dict[str, Word] = {}
        self.from_settings: dict[str, Word] = {}
        self.places: dict[str, Place] = {}
        self.why_open = ""

    @classmethod
    def read(cls, document: Document, name: str, depth: int) -> _Service | None:
        """Return the service `name` of a file, with those that it extends; None if there is none."""
        own = document.get("services", name)
        if not isinstance(own, dict):
            return None
        service = cls(document, name)
        service._inherit(own.get("extends"), depth)
        service.apply(document, name)
        return service

    def apply(self, document: Document, name: str) -> None:
        """Let the settings of a service in another file outweigh those read so far."""
        own = document.get("services", name)
        for key, value in own.items() if isinstance(own, dict) else ():
            self.settings[key] = value
            self.sources[key] = (document, name)
            if key == "env_file":
                self._env_files(document, value)
            elif key == "environment":
                self._environment(document, name, value)

    def _inherit(self, extends: Any, depth: int) -> None:
        if extends is None:
            return
        table = extends if isinstance(extends, dict) else {"service": extends}
        name, file = table.get("service"), table.get("file")
        base = None
        if isinstance(name, str) and depth < DEEPEST:
            document = self.document
            if isinstance(file, str):
                other = os.path.join(os.path.dirname(document.path), file)
                document_or_none = read_document(other, "yaml", Dialect.GO) if os.path.isfile(other) else None
            else:
                document_or_none = document
            base = _Service.read(document_or_none, name, depth + 1) if document_or_none else None
        if base is None:
            self.why_open = f"the service that {self.name} extends cannot be read"
            # Whatever is not set here may be set there.
            self.settings.update(command=_Unreadable, working_dir=_Unreadable)
            return
        self.settings, self.sources, self.places = base.settings, base.sources, base.places
        self.from_files, self.from_settings, self.why_open = base.from_files, base.from_settings, base.why_open

    def _env_files(self, document: Document, value: Any) -> None:
        for item in value if isinstance(value, list) else [value]:
            file = item.get("path") if isinstance(item, dict) else item
            if not isinstance(file, str):
                continue
            path = path_in(os.path.dirname(document.path), interpolate(file))
            if not isinstance(path, str) or not os.path.isfile(path):
                self.why_open = f"the file {file} cannot be read"
                # A later file outweighs an earlier one.
                self.from_files = dict.fromkeys(self.from_files, UNKNOWN)
                continue
            for name, text, line in dotenv(path):
                self.from_files[name] = text
                if name not in self.from_settings:
                    self.places[name] = Place(path, line)

    def _environment(self, document: Document, service: str, value: Any) -> None:
        keys = ("services", service, "environment")
        if isinstance(value, dict):
            for name, item in value.items():
                self.from_settings[name] = scalar_text(document, item, *keys, name)
                self.places[name] = document.place(*keys, name)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                name, equals, text = interpolate(str(item)).partition("=")
                if not isinstance(name, str):
                    continue
                self.from_settings[name] = text if equals else UNKNOWN
                self.places[name] = document.value_place(*keys, str(index))

    def place(self) -> Place:
        return self.document.place("services", self.name)

    def workloads(self) -> list[Workload]:
        replicas = self._replicas()
        if replicas == 0:
            return []
        image = self._image()
        command = self._command(image)
        if command is None:
            return []
        folder = self._folder(image, os.path.dirname(command.place.path))
        profiles = self.settings.get("profiles")
        why = f"the service {self.name} starts only with a profile" if profiles else ""
        invocations = started(command, Context(self._all_variables(image), folder, image.files(command)), why)
        return [Workload(self.name, invocations, command.place, self._gpus(), replicas)]

    def _image(self) -> Image:
        build = self.settings.get("build")
        table = build if isinstance(build, dict) else {"context": build}
        unread = Image(str(self.settings.get("image", "of the service"))[:80])
        found = [table.get(key, default) for key, default in _BUILD.items()]
        if build is not None and all(isinstance(item, str) for item in found):
            context, file, target = (interpolate(str(item)) for item in found)
            folder = path_in(os.path.dirname(self.sources["build"][0].path), context)
            path = path_in(folder, file)
            if not isinstance(folder, str) or not isinstance(path, str) or not isinstance(target, str):
                return unread
            if os.path.isfile(path):
                return read_image(path, target, folder)
        return unread

    def _all_variables(self, image: Image) -> Environment:
        below = image.environment()
        values = {**below.values, **self.from_files, **self.from_settings}
        if self.why_open:
            return Environment(values, Others.UNKNOWN, {**below.places, **self.places}, self.why_open)
        return Environment(values, below.others, {**below.places, **self.places}, below.why_open)

    def _command(self, image: Image) -> Command | None:
        """Return the words that the service starts; None if only the image tells."""
        entrypoint, command = self._words("entrypoint"), self._words("command")
        if entrypoint is None and command is None:
            return image.words()
        if entrypoint is not None:
            # Setting the entrypoint discards the command of the image.
            whole = entrypoint.followed_by(command, entrypoint.place) if command else entrypoint
            return whole if whole.words else None
        assert command is not None
        if image.entrypoint is not None:
            if image.shell_entrypoint:
                return image.entrypoint
            return Command(image.entrypoint.words, command.place).followed_by(command, command.place)
        if not command.words:
            return None
        return command if image.base == "scratch" else behind_entrypoint(command)

    def _words(self, key: str) -> Command | None:
        value = self.settings.get(key)
        if value is None:
            return None
        if value is _Unreadable:
            return Command((UNKNOWN, UNKNOWN_WORDS), self.place())
        source, service = self.sources[key]
        keys = ("services", service, key)
        place = source.place(*keys)
        if isinstance(value, list):
            texts = [scalar_text(source, item, *keys, str(index)) for index, item in enumerate(value)]
            return Command(tuple(texts), place, source.text_lines(len(value), *keys))
        try:
            words = tuple(mapped(scalar_text(source, value, *keys), shlex.split))
        except ValueError:
            raise InputError(f"{source.path}:{place.line}", f"unbalanced quotes in {key}", "a command") from None
        return Command(words, place)

    def _folder(self, image: Image, start: str) -> Word:
        """Return the folder of the program; relative to `start` if it is in the build context."""
        folder = self.settings.get("working_dir")
        if folder is not None:
            if not isinstance(folder, str):
                return UNKNOWN
            image = image.with_folder(join_folder("/", interpolate(folder)))
        inside = image.context_folder()
        if not isinstance(inside, str) or inside.startswith("/"):
            return inside
        return join_folder("", os.path.relpath(os.path.join(image.context, inside), start or "."))

    def _replicas(self) -> int | None:
        deploy = self.settings.get("deploy")
        value = deploy.get("replicas") if isinstance(deploy, dict) else None
        value = self.settings.get("scale", value)
        return 1 if value is None else whole_number(value)

    def _gpus(self) -> int | None:
        deploy: Any = self.settings.get("deploy")
        for key in ("resources", "reservations", "devices"):
            deploy = deploy.get(key) if isinstance(deploy, dict) else None
        counts = [_device_count(device) for device in _tables(self.settings.get("gpus")) + _tables(deploy)]
        return counts[0] if len(counts) == 1 else None


class _Unreadable:
    """Stands for a setting that a service inherits from one that cannot be read."""


def _tables(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _device_count(device: Mapping[str, Any]) -> int | None:
    """Return how many GPUs a device request reserves; None for all of them, and for devices that are not GPUs."""
    capabilities = device.get("capabilities", ["gpu"])
    if not isinstance(capabilities, list) or "gpu" not in capabilities:
        return None
    names = device.get("device_ids")
    if isinstance(names, list):
        return len(names) if all(isinstance(name, str) and "$" not in name for name in names) else None
    return whole_number(device.get("count"))
