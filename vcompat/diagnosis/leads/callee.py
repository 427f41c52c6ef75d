"""Which releases of a package have what an error says is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vcompat.diagnosis.leads.frame_releases import Frame
from vcompat.diagnosis.leads.python_errors import ATTRIBUTE, KEY, KEYWORD, MODULE, NAME, POSITIONAL, REQUIRED, Missing
from vcompat.index.names import Answer, Defined, Names
from vcompat.index.packages import package_of
from vcompat.index.rows import CLASS, FOREIGN, FUNCTION, union
from vcompat.index.rows import KEY as REGISTERED
from vcompat.index.signature_text import parsed
from vcompat.index.store import Index, Where, index_of, open_index

#: Packages in which a class or a function is looked for by its name alone, in this order.
_SEARCHED = (
    "trl",
    "transformers",
    "vllm",
    "accelerate",
    "peft",
    "deepspeed",
    "unsloth-zoo",
    "unsloth",
    "ms-swift",
    "verl",
    "liger-kernel",
    "torch",
)
_CONSTRUCTOR = ".__init__"
#: A function of a name that more packages have is as likely one of the user.
_FEW = 2
_IMPORT = re.compile(r"from (?P<module>[\w.]+) import (?P<names>.*)")


class Callee(NamedTuple):
    """What is missing, where it should be, and which releases have it."""

    package: Index
    what: str
    """In words, such as ``vllm.sampling_params.GuidedDecodingParams``."""
    has: int
    module: str
    name: str
    among: int = -1
    """The releases that have the class or the function that lacks it; all for a name of a module."""
    is_open: bool = False
    """Whether `has` are releases that pass all keywords on, and have it in a method of the same name."""

    @property
    def lacks(self) -> int:
        """The releases that do not have it for certain: of those that may have it, the error says that they lack it."""
        return self.package.every & self.among & ~self.has


def callees(missing: Missing, frames: Sequence[Frame], packages: Sequence[str]) -> Iterator[Callee]:
    """Yield what an error can be about, the likeliest first. `packages` are those that the log names."""
    owner = missing.owner or _imported_from(missing.name, frames)
    if missing.kind == NAME and not owner:
        yield from _name_anywhere(missing.name, packages)
    elif missing.kind == NAME:
        yield from _name(owner, missing.name)
    elif missing.kind == MODULE:
        yield from _module(missing.name)
    elif missing.kind == KEY:
        yield from _key(missing.name, frames)
    else:
        yield from _of_owner(missing, frames, packages)


def _imported_from(name: str, frames: Sequence[Frame]) -> str:
    """The module from which the failed line imports a name; empty if there is none."""
    match = _IMPORT.match(frames[-1].code) if frames else None
    return match["module"] if match and re.search(rf"\b{name}\b", match["names"]) else ""


def _of_owner(missing: Missing, frames: Sequence[Frame], packages: Sequence[str]) -> Iterator[Callee]:
    """What a class or a function lacks. One that has moved counts as the same wherever its package defines it."""
    owner = missing.owner.removesuffix(_CONSTRUCTOR).replace("<locals>.", "")
    open_ones = []
    for index, defined in _by_package(owner, frames, packages):
        has = may = among = 0
        for place, dotted in defined:
            answer = _answer(missing, Names(index), place, dotted)
            has |= answer.has if answer is not None else 0
            may |= answer.may if answer is not None else 0
            among |= place.releases
        first, name = defined[0]
        words = _words(missing, owner)
        if has:
            yield Callee(index, words, has, first.module, name, among)
        elif may and missing.kind == KEYWORD and (delegated := may & _taken_elsewhere(index, owner, missing.name)):
            open_ones.append(Callee(index, words, delegated, first.module, name, among, is_open=True))
    yield from open_ones


def _taken_elsewhere(index: Index, owner: str, keyword: str) -> int:
    """The releases in which another class has a method of the same name that takes a keyword."""
    _, _, method = owner.rpartition(".")
    if "." not in owner:
        return 0
    places = [where for where in index.places_of(method) if where.kind == FUNCTION and where.scope]
    names = Names(index)
    return union(names.takes(one.module, f"{one.scope}.{method}", keyword).has & one.releases for one in places)


def _name(module: str, name: str) -> Iterator[Callee]:
    index = index_of(module)
    # A module that could be imported although the index lacks it is one of which nothing is known.
    if index is not None and index.module(module) is not None:
        names = Names(index)
        answer = names.name(module, name)
        has = answer.has
        if not has and module == index.root:
            # The package loads on demand what any of its modules defines.
            has = answer.may & names.stored_anywhere(name)
        if has or not answer.may:
            yield Callee(index, f"{module}.{name}", has & names.module(module).has, module, name)


def _name_anywhere(name: str, packages: Sequence[str]) -> Iterator[Callee]:
    """A name of which the log does not say where it is imported from, in the packages that the log names."""
    for package in packages:
        index = open_index(package)
        has = union(where.releases for where in _places_of(name, index))
        if index and has:
            yield Callee(index, name, has, "", name)


def _module(module: str) -> Iterator[Callee]:
    index = index_of(module)
    if index is not None and index.root != module:
        answer = Names(index).module(module)
        if answer.has or not answer.may:
            yield Callee(index, f"module {module}", answer.has, module, "")


def _key(key: str, frames: Sequence[Frame]) -> Iterator[Callee]:
    """A key of a registry of the packages whose code failed."""
    for package in dict.fromkeys(frame.package for frame in reversed(frames) if frame.package):
        index = open_index(package)
        for where in index.places_of(key) if index else ():
            if index and where.kind == REGISTERED and where.scope not in ("__all__", "_import_structure"):
                yield Callee(index, f"'{key}' in {where.module}.{where.scope}", where.releases, where.module, "")


def _by_package(
    owner: str, frames: Sequence[Frame], packages: Sequence[str]
) -> Iterator[tuple[Index, list[tuple[Defined, str]]]]:
    """Yield each package that defines a class or a function, the likeliest first, with the places where it does."""
    first, _, rest = owner.partition(".")
    if _is_of_several(first, frames):
        return
    of_frames = dict.fromkeys(frame.package for frame in reversed(frames) if frame.package)
    imported = dict.fromkeys(
        index.package for frame in reversed(frames) if frame.module for index, _ in _followed(frame.module, first)
    )
    searched = [*imported, *of_frames, *packages, *_SEARCHED]
    if not rest and not first.strip("_")[:1].isupper():
        # A function of the user can have any common name.
        searched = [*imported, *of_frames, *_few_packages(first)]
    for package in dict.fromkeys(searched):
        index = open_index(package)
        if index and (places := _defined(index, first, rest, frames)):
            yield index, places


def _defined(index: Index, name: str, rest: str, frames: Sequence[Frame]) -> list[tuple[Defined, str]]:
    """The modules of a package that define a class or a function, each with all releases in which it does."""
    starts = [*(frame.module for frame in frames if frame.package == index.package), index.root]
    imported = [place for start in starts for there, place in _followed(start, name) if there is index]
    places = [Defined(where.module, name, where.kind, where.releases) for where in _places_of(name, index)]
    by_module: dict[str, Defined] = {}
    for place in (*(place for place in imported if place.kind in (CLASS, FUNCTION)), *places):
        before = by_module.get(place.module, place)
        by_module[place.module] = place._replace(releases=place.releases | before.releases)
    return [(place, f"{place.name}.{rest}" if rest else place.name) for place in by_module.values()]


def _places_of(name: str, index: Index | None, kinds: Sequence[str] = (CLASS, FUNCTION)) -> list[Where]:
    """The places at the top of modules where a package defines a class or a function."""
    return [where for where in index.places_of(name) if where.kind in kinds and not where.scope] if index else []


def _few_packages(function: str) -> list[str]:
    """The packages that have a function of a name; nothing if many have it."""
    having = [package for package in _SEARCHED if _places_of(function, open_index(package), [FUNCTION])]
    return having if len(having) <= _FEW else []


def _is_of_several(name: str, frames: Sequence[Frame]) -> bool:
    """Whether the failed code is of a package that has its own class of a name that another package has, too."""
    packages = {frame.package for frame in frames if frame.package}
    own = {package for package in packages if _places_of(name, open_index(package), [CLASS])}
    return bool(own & {"ms-swift", "unsloth", "unsloth-zoo", "verl"}) or len(own) > 1


def _followed(module: str, name: str, depth: int = 0) -> Iterator[tuple[Index, Defined]]:
    """Yield where a name that a module has is defined, in its package or in another one."""
    index = index_of(module)
    for defined in Names(index).find(module, name) if index and depth < 3 else ():
        if defined.kind == FOREIGN and package_of(defined.module):
            yield from _followed(defined.module, defined.name, depth + 1)
        elif index:
            yield index, defined


def _answer(missing: Missing, names: Names, defined: Defined, dotted: str) -> Answer | None:
    """Which releases have what the error says is missing of a class or a function."""
    if missing.kind == ATTRIBUTE:
        return names.attribute(defined.module, dotted, missing.name) if defined.kind == CLASS else None
    if missing.kind == KEYWORD:
        return names.takes(defined.module, dotted, missing.name)
    target = f"{dotted}.__init__" if defined.kind == CLASS and "." not in dotted else dotted
    has = may = 0
    for text, releases in names.signatures(defined.module, target):
        fits = _fits(missing, text)
        has |= releases if fits else 0
        may |= releases if fits is None else 0
    return Answer(has, may & ~has)


def _fits(missing: Missing, text: str) -> bool | None:
    """Whether a call fits a signature that failed since an argument was missing, or since there were too many."""
    signature = parsed(text)
    if not signature.is_transparent:
        return None
    names = [name for name, _ in signature.parameters]
    if missing.kind == REQUIRED:
        return (missing.name, None) not in signature.parameters
    positional = names[: next((at for at, name in enumerate(names) if name.startswith("*")), len(names))]
    takes_all = any(name.startswith("*") and name.strip("*") and not name.startswith("**") for name in names)
    return takes_all or len([name for name in positional if name != "/"]) >= int(missing.name)


def _words(missing: Missing, owner: str) -> str:
    return {
        ATTRIBUTE: f"{owner}.{missing.name}",
        KEYWORD: f"argument '{missing.name}' of {owner}",
        REQUIRED: f"{owner} without the argument '{missing.name}'",
        POSITIONAL: f"{owner} with {missing.name} positional arguments",
    }[missing.kind]
