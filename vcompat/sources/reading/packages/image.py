"""Reads a container image: an archive of `docker save` or in OCI layout, or one layer as a plain tar archive.

Layers are read in order. Only package metadata is unpacked, under paths that vcompat chooses. Environment variables of
the image become facts.
"""

from __future__ import annotations

import json
import os
import re
import tarfile
import tempfile
from collections.abc import Iterator
from typing import Any

from vcompat.facts.facts import Facts, Place
from vcompat.facts.vocabulary import ENVIRONMENT
from vcompat.foundation.errors import InputError
from vcompat.foundation.reading import MB
from vcompat.sources.reading.packages.installed import read_folders

_EXPECTED = "an archive that `docker save` wrote"
#: Maximum bytes read from one file of an image, and from all files together.
LARGEST_FILE, LARGEST_SUM = 5 * MB, 500 * MB
#: Maximum number of archive members. A larger archive is rejected.
MOST_MEMBERS = 3_000_000

_WANTED = re.compile(
    r"(?:^|/)(?:site|dist)-packages/([^/]+\.(?:dist-info|egg-info)/(?:METADATA|PKG-INFO|top_level\.txt|RECORD|INSTALLER|direct_url\.json)"
    r"|torch/version\.py)$"
)
#: The processor architectures in the configuration of an image, and their names in facts.
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
_NOT_LOOKED_INTO = re.compile(r"(?:^|/)(?:proc|sys|dev)/")


def read_image(path: str, machine: str | None = None) -> Facts:
    """Return the packages and environment variables of the image at `path`.

    `machine` is the processor architecture of an image that does not state it, None if it is not known. Raises
    InputError if it cannot be read or contains no Python packages.
    """
    try:
        with tarfile.open(path, "r:*") as archive:
            config, layers = _parts(path, archive)
            files = _Files()
            for layer in layers:
                with _layer(path, archive, layer) as opened:
                    files.add_layer(opened)
            if not layers:
                files.add_layer(archive)
    except (tarfile.TarError, OSError, EOFError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise InputError(path, f"cannot be read: {error}"[:200], _EXPECTED) from None
    if not files.contents:
        raise InputError(path, "no Python packages found", _EXPECTED)
    config = config if isinstance(config, dict) else {}
    facts = _facts(path, files.contents, _MACHINES.get(str(config.get("architecture")), machine))
    facts.update(_variables(path, config))
    return facts


def _parts(path: str, archive: tarfile.TarFile) -> tuple[dict[str, Any], list[str]]:
    """Return the image's configuration and the names of its layers in order; both empty for a plain tar archive."""
    names = {member.name.removeprefix("./"): member for member in _bounded(archive)}
    if "manifest.json" in names:
        manifest = _json(archive, names["manifest.json"])[0]
        return _json(archive, names[manifest["Config"]]), list(manifest["Layers"])
    if "index.json" in names:
        index = _json(archive, names["index.json"])
        manifest = _json(archive, names[_blob(index["manifests"][0]["digest"])])
        config = _json(archive, names[_blob(manifest["config"]["digest"])])
        return config, [_blob(layer["digest"]) for layer in manifest["layers"]]
    return {}, []


def _bounded(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for count, member in enumerate(archive):
        if count > MOST_MEMBERS:
            raise ValueError(f"more than {MOST_MEMBERS} files")
        yield member


def _blob(digest: str) -> str:
    kind, _, value = digest.partition(":")
    if not (re.fullmatch(r"[a-z0-9]+", kind) and re.fullmatch(r"[0-9a-f]+", value)):
        raise ValueError(f"'{digest[:40]}' is not a digest")
    return f"blobs/{kind}/{value}"


def _json(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Any:
    file = archive.extractfile(member)
    if file is None or member.size > LARGEST_FILE:
        raise ValueError(f"{member.name} is not a file of at most {LARGEST_FILE // MB} MB")
    return json.loads(file.read(LARGEST_FILE))


def _layer(path: str, archive: tarfile.TarFile, name: str) -> tarfile.TarFile:
    file = archive.extractfile(name)
    if file is None:
        raise ValueError(f"layer {name} is not a file")
    start = file.read(4)
    file.seek(0)
    if start == b"\x28\xb5\x2f\xfd":
        raise InputError(path, "layers are compressed with zstd", f"{_EXPECTED}, without zstd compression")
    return tarfile.open(fileobj=file, mode="r:*")


class _Files:
    """The contents of the metadata files in an image, after all layers are applied."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.total = 0

    def add_layer(self, layer: tarfile.TarFile) -> None:
        for member in _bounded(layer):
            name = os.path.normpath(member.name.lstrip("/"))
            folder, base = os.path.split(name)
            if base == ".wh..wh..opq":
                self._remove(folder + "/")
            elif base.startswith(".wh."):
                self._remove(os.path.join(folder, base.removeprefix(".wh.")))
            elif _WANTED.search(name) and member.isreg() and not _NOT_LOOKED_INTO.match(name):
                self._keep(layer, member, name)

    def _keep(self, layer: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> None:
        size = min(member.size, LARGEST_FILE)
        self.total += size
        if self.total > LARGEST_SUM:
            raise ValueError(f"more than {LARGEST_SUM // MB} MB of package metadata")
        file = layer.extractfile(member)
        if file is not None:
            self.contents[name] = file.read(size)

    def _remove(self, name: str) -> None:
        prefix = name if name.endswith("/") else name + "/"
        for known in [known for known in self.contents if known == name or known.startswith(prefix)]:
            del self.contents[known]


def _facts(path: str, contents: dict[str, bytes], machine: str | None) -> Facts:
    """Write the metadata to temporary folders and probe these like any folder of packages."""
    with tempfile.TemporaryDirectory(prefix="vcompat-") as scratch:
        folders: dict[str, str] = {}
        for name, data in contents.items():
            match = _WANTED.search(name)
            assert match is not None
            home = name[: match.start(1)]
            folder = folders.setdefault(home, os.path.join(scratch, str(len(folders))))
            target = os.path.join(folder, *[part for part in match[1].split("/") if part not in ("", ".", "..")])
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as file:
                file.write(data)
        facts = read_folders(list(folders.values()), path, machine)
    if facts.recorded("torch.architectures") is None:
        facts.forget("torch.architectures", f"libraries in {os.path.basename(path)} are not read")
    return facts


def _variables(path: str, config: dict[str, Any]) -> Facts:
    facts = Facts()
    section = config.get("config")
    listed = section.get("Env") if isinstance(section, dict) else None
    for text in listed if isinstance(listed, list) else []:
        name, equals, value = str(text).partition("=")
        if equals and ENVIRONMENT.fullmatch(name):
            facts.set(f"env.{name}", value, f"environment of {os.path.basename(path)}", Place(path))
    return facts
