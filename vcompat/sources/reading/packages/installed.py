"""Reads another environment on this machine: a folder of site-packages or an interpreter's. Nothing in it is run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Facts, Place
from vcompat.foundation.bounded_reading import MB, read_text
from vcompat.foundation.errors import InputError
from vcompat.sources.probe.builds.bitsandbytes_build import probe_bitsandbytes
from vcompat.sources.probe.builds.torch_build import probe_torch
from vcompat.sources.probe.builds.vllm_build import probe_vllm
from vcompat.sources.probe.installed_packages import Distribution, locate, locate_vllm, probe_packages
from vcompat.sources.reading.packages.declared_builds import state_other_builds, state_torch_build
from vcompat.sources.reading.packages.origin import PUBLIC, Origin, of_conda_build
from vcompat.sources.reading.packages.requirement import file_origin

_METADATA = (".dist-info", ".egg-info")


def read_folder(path: str, machine: str | None = None) -> Facts:
    """Return the packages in the folder `path`: site-packages, an environment, or an unpacked root file system.

    `machine` is the processor architecture that it is for, None if it is not known. Raises InputError if there are no
    packages.
    """
    folders = [path] if _holds_metadata(path) else list(site_packages(path))
    if not folders:
        raise InputError(path, "no packages found", "a folder of site-packages, an environment, or an unpacked image")
    return read_folders(folders, path, machine)


def read_interpreter(path: str) -> Facts:
    """Return the packages and the Python version of the interpreter or environment at `path`.

    Raises InputError if it has no site-packages.
    """
    root = path if os.path.isdir(path) else os.path.dirname(os.path.dirname(os.path.abspath(path)))
    if not os.path.exists(path):
        raise InputError(f"--python {path}", "No such file or directory", "an interpreter or its environment")
    folders = list(_of_environment(root))
    base, python = _virtual(root)
    if base:
        folders += _of_environment(base)
    elif not folders:
        # The interpreter is a link outside of an environment. Its site-packages are beside the link's target.
        folders = list(_of_environment(os.path.dirname(os.path.dirname(os.path.realpath(path)))))
    if not folders:
        raise InputError(f"--python {path}", "no site-packages found", "an interpreter or its environment")
    facts = read_folders(folders, path)
    if python is None:
        names = (re.search(r"python(\d+\.\d+)", folder) for folder in folders)
        python = next((match[1] for match in names if match), None)
    if python is not None:
        _set_python(facts, python, path)
    return facts


def read_folders(folders: list[str], path: str, machine: str | None = None) -> Facts:
    """Return the packages in `folders`, earlier folders first, with `path` as their place."""
    facts = probe_packages(folders)
    facts.update(probe_torch(folders))
    facts.update(probe_vllm(folders))
    facts.update(probe_bitsandbytes(folders))
    for name, known in list(facts.known.items()):
        facts.set(name, known.value, f"{known.source} in {path}", Place(path))
    state_torch_build(facts, _origin(locate("torch", folders)), machine)
    state_other_builds(facts, _origin(locate_vllm(folders)), _origin(locate("bitsandbytes", folders)))
    return facts


def _origin(package: Distribution | None) -> Origin:
    """Return where an installed package is from, as far as its installer recorded it."""
    if package is None:
        return PUBLIC
    location = re.search(r'"url"\s*:\s*"([^"]+)"', package.read("direct_url.json"))
    if location:
        return file_origin(location[1])
    return of_conda_build("") if package.read("INSTALLER").strip() == "conda" else PUBLIC


def site_packages(root: str) -> Iterator[str]:
    """Yield the site-packages folders below `root`, an environment or the root file system of an image."""
    yield from _of_environment(root)
    for below in (
        "usr",
        "usr/local",
        "opt/venv",
        "opt/conda",
        "venv",
        ".venv",
        "root/.venv",
        "app/.venv",
        "workspace/.venv",
    ):
        yield from _of_environment(os.path.join(root, *below.split("/")))
    opt = os.path.join(root, "opt")
    for name in sorted(_listed(opt)):
        if name not in ("venv", "conda"):
            yield from _of_environment(os.path.join(opt, name))


def _of_environment(root: str) -> Iterator[str]:
    for library in ("lib", "lib64"):
        if library == "lib64" and os.path.islink(os.path.join(root, library)):
            continue
        for name in sorted(_listed(os.path.join(root, library)), reverse=True):
            if re.fullmatch(r"python3(?:\.\d+)?", name):
                for folder in ("site-packages", "dist-packages"):
                    path = os.path.join(root, library, name, folder)
                    if os.path.isdir(path):
                        yield path


def _virtual(root: str) -> tuple[str, str | None]:
    """Read pyvenv.cfg in `root`.

    Returns the base environment if its packages are visible, else an empty string; and the Python version, None if
    not recorded.
    """
    file = os.path.join(root, "pyvenv.cfg")
    if not os.path.isfile(file):
        return "", None
    lines = (line.partition("=") for line in read_text(file, MB, "pyvenv.cfg").splitlines())
    settings = {name.strip().lower(): value.strip() for name, _, value in lines}
    shown = settings.get("include-system-site-packages", "").lower() == "true"
    base = os.path.dirname(settings.get("home", "")) if shown else ""
    return base, settings.get("version") or settings.get("version_info")


def _set_python(facts: Facts, text: str, path: str) -> None:
    match = re.match(r"\d+\.\d+(?:\.\d+)?", text)
    try:
        if match:
            facts.set("host.python", Version(match[0]), f"the environment of {path}", Place(path))
    except InvalidVersion:
        return


def _holds_metadata(path: str) -> bool:
    return any(name.endswith(_METADATA) for name in _listed(path))


def _listed(path: str) -> list[str]:
    try:
        return os.listdir(path)
    except OSError:
        return []
