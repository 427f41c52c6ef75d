"""Finds the releases that the project of a run states: in lock files, requirements, pyproject.toml, setup.py and alike.

The files of the nearest folder count that states one of the main packages: the folder of the run file, or one above it
up to the top of the repository. A lock file outweighs the others, since it is made from them. All others count
together: a range narrows a range, and files that contradict each other leave the release unknown. Lists of other names,
those of the folders above, names of images, and the commands of a README and of scripts that may prepare an environment
make a release likely that the files leave open.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from packaging.specifiers import SpecifierSet

from vcompat.facts.facts import Facts, Place
from vcompat.facts.vocabulary import PACKAGES
from vcompat.foundation.bounded_reading import MB, read_text
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.packages.declared import read_declared
from vcompat.sources.reading.packages.images import is_dockerfile, read_images
from vcompat.sources.reading.packages.install_lines import Installed, read_block, read_installs
from vcompat.sources.reading.packages.platforms import Runtime
from vcompat.sources.reading.packages.presumed import (
    ONLY_IF_LISTED,
    presumably_run,
    presume_absent,
    presume_builds,
    presume_command,
    presume_commands_last,
    presume_lists,
    presume_pinned,
    weaken,
)
from vcompat.sources.reading.packages.stated_packages import Declared, Entry

#: The packages of which a file must state one to count.
MAIN = ("trl", "vllm", "torch", "transformers")
_LOCKS = ("uv.lock", "pylock.toml", "poetry.lock", "pdm.lock")
_OTHERS = ("requirements.txt", "pyproject.toml", "setup.py", "setup.cfg", "Dockerfile")
#: Lists of requirements of other names, and environments of conda.
_LIST = re.compile(r"requirements(?:[-_.]\w+(?:[-_.]\w+)*|[-_])\.txt")
_OTHER_PURPOSE = re.compile(r"[-_.](?:eval\w*|tests?|testing|dev|docs?|lint|serv(?:e|er|ing)|infer\w*|demo|sft)[-_.]")
_TRAINING = re.compile(r"[-_.](?:train(?:ing)?|grpo|rl)[-_.]")
_CONDA = re.compile(r"(?:conda[-_.]?)?env(?:ironment)?(?:[-_.]\w+)*\.ya?ml")
_DOCKERFILE = re.compile(r"(?:\w+\.)?dockerfile(?:\.\w+)*", re.IGNORECASE)
#: Files with commands that install what a project needs; also above the folder whose files count.
_PREPARING = ("setup.sh", "install.sh", "env.sh", "setup_env.sh", "Makefile")
#: Scripts of other names that may be run to install it.
_MAY_PREPARE = re.compile(
    r"(?:\w+[-_.])*(?:set[-_]?up|install|(?:set[-_]?)?env|environment|prepare)(?:[-_.]\w+)*\.sh", re.IGNORECASE
)
#: An import in Python, or in a cell of a notebook.
_IMPORT = re.compile(r'^\s*"?\s*(?:from|import)\s+([a-z]\w*)', re.MULTILINE)
_MOST_FOLDERS, _MOST_LISTS = 12, 10


class Project(NamedTuple):
    """The releases that a project states."""

    facts: Facts
    files: tuple[str, ...]
    """The files that state them."""


def find_project(
    run_files: Sequence[str], runtime: Runtime | None = None, needed: Iterable[str] = ()
) -> Project | None:
    """Return the releases that the project of the run files states; None if no file does.

    Files that cannot be read are left out: nobody has named them. A new environment also has the packages that the run
    files import, and those that are `needed` for other reasons, though no file states them.
    """
    runtime = runtime or Runtime()
    # What runs comes before what starts it, which can lie elsewhere.
    run_files = sorted(run_files, key=lambda path: not path.endswith((".py", ".ipynb")))
    own = [found for path in run_files for found in _of_run_file(path, runtime)]
    folders, mentioned = list(_folders(run_files)), _mentioned(run_files)
    images = list(_of_images([*run_files, *(path for folder in folders for path in _dockerfiles(folder))]))
    read_me = [found for folder in folders for found in _declared(folder, ("README.md",), runtime)][:1]
    prepared = [found for folder in folders for found in _declared(folder, _PREPARING, runtime)]
    scripts = [found for folder in folders for found in _declared(folder, _named(folder, _MAY_PREPARE), runtime)]
    imported = list(_of_imports(run_files, folders, needed)) if runtime.is_new else []
    for index, folder in enumerate(folders):
        found, lists = _of_folder(folder, runtime)
        if _states_main([*found, *lists]):
            above = [one for other in folders[index + 1 :] for one in _of_folder(other, runtime)[0]]
            perhaps = [*_by_purpose(lists), above, images, scripts, read_me]
            return _together([*own, *found, *prepared], perhaps, runtime, mentioned, imported)
    project = _together([*own, *prepared], [images, scripts, read_me], runtime, mentioned, imported)
    if not project.files and _states_main(imported):
        project = _together(imported, (), runtime, mentioned)
    return project if project.files else None


def _of_imports(run_files: Iterable[str], folders: Sequence[str], needed: Iterable[str]) -> Iterator[_Found]:
    """Yield the packages that the run files import, in any release, but for modules of the project's own."""
    for path in run_files:
        try:
            names = _IMPORT.findall(read_text(path, MB, "a run file"))
        except InputError:
            continue
        packages = [name.replace("_", "-") for name in dict.fromkeys(names) if not _is_own(name, folders)]
        declared = Declared()
        for package in dict.fromkeys((*packages, *needed)) if names else ():
            declared.add(Entry(package, Place(path), why="allows any version", allowed=SpecifierSet()))
        if declared.entries:
            yield path, declared, frozenset()


def _is_own(module: str, folders: Iterable[str]) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for folder in folders for name in (module, f"{module}.py"))


def _mentioned(run_files: Iterable[str]) -> frozenset[str]:
    """Return the packages whose names are anywhere in the run files."""
    texts = []
    for path in run_files:
        try:
            texts.append(read_text(path, MB, "a run file").replace("_", "-"))
        except InputError:
            continue
    return frozenset(package for package in PACKAGES if any(package in text for text in texts))


_Found = tuple[str, Declared, frozenset[str]]


def _states_main(found: Iterable[_Found]) -> bool:
    return any(package in declared.entries for _, declared, _ in found for package in MAIN)


def _together(
    found: Sequence[_Found],
    perhaps: Iterable[Sequence[_Found]],
    runtime: Runtime,
    mentioned: frozenset[str],
    imported: Iterable[_Found] = (),
) -> Project:
    """Put together what files state, and what other files make likely that are `perhaps` installed, the first first.

    `mentioned` are packages that the run files name, `imported` those that a new environment has in any case.
    """
    whole = Declared()
    loosely: dict[str, str] = {}
    for path, declared, loose in found:
        whole.complete = whole.complete or declared.complete
        for package, entries in declared.entries.items():
            whole.entries.setdefault(package, []).extend(entries)
        loosely |= dict.fromkeys(loose, path)
    facts = whole.facts()
    for package, entries in whole.entries.items():
        run = presumably_run(package, entries, mentioned)
        presume_command(facts, f"packages.{package}", run, loosely.get(package, ""))
        presume_commands_last(facts, f"packages.{package}", run)
    for package, path in loosely.items():
        weaken(facts, f"packages.{package}", path)
    if runtime.by_hand is not None:
        facts.update(runtime.by_hand)
    files = [path for path, _, _ in found]
    others = [[declared for _, declared, _ in more] for more in perhaps]
    if "vllm" in whole.entries or any("vllm" in each.entries for more in others for each in more if not each.of_image):
        # pip replaces an image's torch by the one that vLLM requires.
        for each in (each for more in others for each in more if each.of_image):
            each.entries.pop("torch", None)
    for more in others:
        files += presume_lists(facts, whole, more, mentioned)
    presume_pinned(facts)
    stated = {*whole.entries, *(package for more in others for each in more for package in each.entries)}
    for freeze in [path for path, declared, _ in found if declared.is_freeze][:1]:
        presume_absent(facts, stated, freeze, mentioned)
    if runtime.is_new and files:
        # Imported here: most checks presume no installation, and choosing reads the records of many packages.
        from vcompat.sources.reading.packages.newest import REQUIRE_OTHERS, presume_newest

        added = _unstated(imported, stated) if not whole.complete else Declared()
        facts.update(added.facts())
        whole.entries |= added.entries
        stated |= added.entries.keys()
        presume_newest(facts, whole.entries, runtime.python)
        if stated.isdisjoint(REQUIRE_OTHERS):
            presume_absent(facts, stated, files[0], mentioned, ONLY_IF_LISTED)
    presume_builds(facts, whole, runtime.machine)
    return Project(facts, tuple(dict.fromkeys(files)))


def _unstated(imported: Iterable[_Found], stated: Container[str]) -> Declared:
    """Return the entries of imported packages that no file states."""
    added = Declared()
    for _, declared, _ in imported:
        for package, entries in declared.entries.items():
            if package not in stated:
                added.entries.setdefault(package, entries)
    return added


def _of_run_file(path: str, runtime: Runtime) -> Iterator[_Found]:
    """Yield what a run file itself requires or installs."""
    try:
        if path.endswith(".py"):
            block = read_block(path, runtime)
            if block is not None:
                yield path, block, frozenset()
        if path.endswith((".py", ".ipynb", ".sh", ".slurm", ".sbatch")):
            installed = read_installs(path, runtime)
            if installed is not None:
                yield path, *_parts(installed)
    except InputError:
        return


def _dockerfiles(folder: str) -> list[str]:
    return [os.path.join(folder, name) for name in _named(folder, _DOCKERFILE)]


def _of_images(paths: Iterable[str]) -> Iterator[_Found]:
    """Yield what the names of the images state in which the run may be started."""
    for path in dict.fromkeys(paths):
        if path.endswith((".sh", ".slurm", ".sbatch")) or is_dockerfile(path):
            try:
                declared = read_images(path)
            except InputError:
                continue
            if declared.entries:
                yield path, declared, frozenset()


def _parts(installed: Installed) -> tuple[Declared, frozenset[str]]:
    return installed.declared, installed.loosely


def _of_folder(folder: str, runtime: Runtime) -> tuple[list[_Found], list[_Found]]:
    """Return what the files of a folder state, and lists of requirements of other names; none beside a lock file."""
    locks = list(_declared(folder, _LOCKS, runtime))
    if locks:
        return locks[:1], []
    found = [*_declared(folder, _OTHERS, runtime), *_of_conda(folder, runtime)]
    lists = [name for name in _named(folder, _LIST) if not _OTHER_PURPOSE.search(name)]
    return found, list(_declared(folder, lists, runtime))


def _by_purpose(lists: Iterable[_Found]) -> tuple[list[_Found], list[_Found]]:
    """Return the lists of requirements that are named after a training, which outweigh others, and those others."""
    ours: list[_Found] = []
    others: list[_Found] = []
    for found in lists:
        (ours if _TRAINING.search(os.path.basename(found[0])) else others).append(found)
    return ours, others


def _of_conda(folder: str, runtime: Runtime) -> Iterator[_Found]:
    """Yield the environments of conda. Of several, the one that is named after GRPO is the one for it, presumably."""
    names = _named(folder, _CONDA)
    ours = [name for name in names if "grpo" in name]
    if len(names) < 2 or len(ours) != 1:
        yield from _declared(folder, names, runtime)
        return
    for path, declared, loose in _declared(folder, ours, runtime):
        for package, entries in declared.entries.items():
            declared.entries[package] = [e._replace(applies=None, depends=f"the file {ours[0]}") for e in entries]
        yield path, declared, loose


def _named(folder: str, pattern: re.Pattern[str]) -> list[str]:
    """Return the names of files of a kind in a folder; none if it cannot be read, such as one above the project."""
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return []
    return sorted(name for name in names if pattern.fullmatch(name))[:_MOST_LISTS]


def _declared(folder: str, names: Iterable[str], runtime: Runtime) -> Iterator[_Found]:
    for name in names:
        path = os.path.join(folder, name)
        if not os.path.isfile(path):
            continue
        try:
            if name in ("Dockerfile", "README.md", "Makefile") or name.endswith(".sh"):
                installed = read_installs(path, runtime)
                found = _parts(installed) if installed is not None else (Declared(), frozenset[str]())
            else:
                found = read_declared(path, runtime), frozenset[str]()
        except InputError:
            continue
        if found[0].entries:
            yield path, *found


def _folders(run_files: Iterable[str]) -> Iterator[str]:
    """Yield the folders of the run files and those above them, up to the top of the repository, nearest first."""
    seen: set[str] = set()
    for path in run_files:
        folder = os.path.dirname(os.path.abspath(path))
        for _ in range(_MOST_FOLDERS):
            if folder not in seen:
                seen.add(folder)
                yield os.path.relpath(folder)
            above = os.path.dirname(folder)
            if above == folder or os.path.exists(os.path.join(folder, ".git")):
                break
            folder = above
