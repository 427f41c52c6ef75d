"""Configuration classes at the releases at hand, and what one of them does not accept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.facts import Place
from vcompat.facts.records.recorded_settings import COMMANDS, IGNORED, ClassRecord, Field, load_class
from vcompat.facts.stated import Setting, Stated

#: How the packages are written.
NAMES = {
    "trl": "TRL",
    "transformers": "transformers",
    "peft": "PEFT",
    "vllm": "vLLM",
    "accelerate": "accelerate",
    "deepspeed": "DeepSpeed",
    "torch": "torch",
}


class Unfit(NamedTuple):
    """One setting, or several, that a class does not accept."""

    kind: str
    """One of UNFIT."""
    is_certain: bool
    title: str
    why: str
    """The reason in a sentence."""
    place: Place | None
    """Where it is given; None for ``--set``."""
    setting: str
    value: str
    class_name: str
    packages: tuple[str, ...]
    """The packages whose releases decide."""
    rename: str = ""
    """The setting's new name in this release; empty if there is none."""
    alike: str = ""
    """The setting with the most similar name; empty if none is near."""
    other_value: object = ""
    """The value that is probably meant; empty if there is none."""
    last: tuple[str, Version] | None = None
    """The package and its last release that has the setting, if it was removed."""
    first: tuple[str, Version] | None = None
    """The package and its first release that has the setting, if it came later."""
    among: tuple[tuple[str, str, str], ...] = ()
    """Packages whose release is not known, the releases for which it holds, all that there can be, and why."""


class Owner(NamedTuple):
    """One class of those that a constructor's settings belong to, at the release at hand."""

    record: ClassRecord
    version: Version | None
    """None if the release is not known, or not recorded."""
    shows_release: bool = True
    """Whether messages name the release; not if it is one of several."""

    @property
    def at(self) -> Version:
        """The release, or the newest recorded one that has the class."""
        releases = self.record.releases()
        return self.version or next(filter(self.record.exists, reversed(releases)), releases[-1])

    @property
    def label(self) -> str:
        return f"{self.named} of {self.release}"

    @property
    def ignores(self) -> bool:
        """Whether settings that it does not have are ignored."""
        return self.record.extra(self.at) == IGNORED

    @property
    def named(self) -> str:
        """The class, or the command whose options are recorded."""
        return COMMANDS.get(self.record.name, self.record.name)

    @property
    def is_command(self) -> bool:
        """Whether it is a command, whose settings are options."""
        return self.record.name in COMMANDS

    @property
    def release(self) -> str:
        name = NAMES.get(self.record.package, self.record.package)
        return f"{name} {self.version}" if self.version and self.shows_release else name


Release = Callable[[str], object]


def owners_of(stated: Stated, release_of: Release) -> list[Owner]:
    """Return the classes and all that they extend; none if one of them is not recorded."""
    owners: list[Owner] = []
    pending = [tuple(name.split(".", 1)) for name in stated.classes]
    seen = set()
    while pending:
        package, name = pending.pop(0)
        if (package, name) in seen:
            continue
        seen.add((package, name))
        record = load_class(package, name)
        if record is None:
            return []  # its settings are not known
        version = release_of(package)
        known = version if isinstance(version, Version) and record.exists(version) is True else None
        if known is None and isinstance(version, Version) and record.exists(version) is False:
            continue  # the import fails, or a subcommand of this release does without the class
        owners.append(Owner(record, known))
        pending += record.bases(owners[-1].at)
    return owners


def about(kind: str, owner: Owner, setting: Setting, title: str, why: str) -> Unfit:
    """Return what is wrong with a setting for one class, whose release decides."""
    packages = (owner.record.package,)
    return Unfit(kind, True, title, why, setting.place, setting.name, repr(setting.value), owner.named, packages)


@lru_cache(maxsize=1024)
def fields_of(record: ClassRecord, version: Version) -> Mapping[str, Field]:
    """Return the settings that a class itself defines at a release."""
    return record.fields(version)
