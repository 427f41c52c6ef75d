"""Detects the kind of a declared environment and reads it."""

from __future__ import annotations

import os

from vcompat.facts.facts import Facts
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.packages.platforms import Runtime
from vcompat.sources.reading.packages.stated_packages import Declared

_EXPECTED = (
    "requirements.txt, pylock.toml, uv.lock, poetry.lock, pdm.lock, pyproject.toml, setup.py, setup.cfg, "
    "environment.yml, a script with a block of dependencies, a notebook, a list of conda, or a folder of packages"
)


def read_environment(path: str, runtime: Runtime | None = None) -> Facts:
    """Return the packages of the environment that `path` declares, for the machine and the Python of `runtime`.

    Raises InputError if it declares none. Each reader is imported only for its kind, because importing yaml takes
    time.
    """
    runtime = runtime or Runtime()
    machine = runtime.machine
    if os.path.isdir(path):
        from vcompat.sources.reading.packages.installed import read_folder

        return read_folder(path, machine)
    from vcompat.sources.reading.packages.declared_builds import state_other_builds, state_torch_build

    declared = read_declared(path, runtime)
    facts = declared.facts()
    if runtime.by_hand is not None:
        facts.update(runtime.by_hand)
    state_torch_build(facts, declared.origin("torch"), machine)
    state_other_builds(facts, declared.origin("vllm"), declared.origin("bitsandbytes"))
    if runtime.is_new:
        from vcompat.sources.reading.packages.newest import presume_newest
        from vcompat.sources.reading.packages.presumed import presume_builds

        presume_newest(facts, declared.entries, runtime.python or declared.python)
        presume_builds(facts, declared, machine)
    return facts


def read_declared(path: str, runtime: Runtime) -> Declared:
    """Return what the file at `path` declares. Raises InputError if it is of no kind that is known."""
    name = os.path.basename(path).lower()
    if name.endswith(".lock") or (name.startswith("pylock") and name.endswith(".toml")):
        from vcompat.sources.reading.packages.locks.lock import read_lock

        return read_lock(path, runtime)
    if name.endswith((".txt", ".in")):
        return _text(path, runtime)
    if name.endswith((".yaml", ".yml")):
        from vcompat.sources.reading.document import read_document
        from vcompat.sources.reading.packages.conda.environment_yml import read_conda

        return read_conda(read_document(path, "yaml"), runtime)
    if name == "pyproject.toml":
        from vcompat.sources.reading.packages.pyproject import read_pyproject

        return read_pyproject(path, runtime)
    if name in ("setup.py", "setup.cfg"):
        from vcompat.sources.reading.packages.setup_files import read_setup_cfg, read_setup_py

        return read_setup_py(path, runtime) if name == "setup.py" else read_setup_cfg(path, runtime)
    if name.endswith((".py", ".ipynb")) or name == "dockerfile":
        return _of_commands(path, name, runtime)
    raise InputError(path, "not a supported environment file", _EXPECTED)


def _of_commands(path: str, name: str, runtime: Runtime) -> Declared:
    from vcompat.sources.reading.packages.install_lines import read_block, read_installs

    installed = None if name.endswith(".py") else read_installs(path, runtime)
    declared = read_block(path, runtime) if name.endswith(".py") else installed and installed.declared
    if declared is None:
        raise InputError(path, "states no packages", "a block '# /// script', or commands `pip install`")
    return declared


def _text(path: str, runtime: Runtime) -> Declared:
    from vcompat.sources.reading.packages.conda.listing import read_conda_list

    listed = read_conda_list(path)
    if listed is not None:
        return listed
    from vcompat.sources.reading.packages.requirements_txt import read_requirements

    return read_requirements(path, runtime)
