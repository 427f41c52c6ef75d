"""The releases to choose from, and what a user wants of them: the input of ``resolve``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean
from vcompat.rules.record import shipped_record
from vcompat.sources.gather import RunFacts

#: The packages whose versions are selected, in order of priority: a newer release of an earlier package wins.
ORDER = ("trl", "vllm", "transformers", "torch", "accelerate", "peft", "deepspeed")
#: Packages that require releases of these, and that an installer does not change with them.
DEPENDENTS = (
    *("unsloth", "unsloth-zoo", "ms-swift", "verl"),
    *("liger-kernel", "bitsandbytes", "torchvision", "torchaudio"),
)
#: GRPOTrainer's first release, read from TRL's source.
FIRST_WITH_GRPO = Version("0.14.0")


class Catalogue(NamedTuple):
    """The existing releases and the requirements that each declares (see `rules.record`)."""

    releases: Mapping[str, Sequence[Version]]
    declares: Mapping[str, Mapping[str, Mapping[Version, str]]]
    yanked: Mapping[str, Sequence[Version]]


def recorded_releases(packages: Iterable[str] = ORDER) -> Catalogue:
    """Return the recorded releases of `packages`. Raises InputError if a record is malformed."""
    records = {package: shipped_record(package) for package in packages}
    return Catalogue(
        {package: record.releases for package, record in records.items()},
        {package: record.declares for package, record in records.items()},
        {package: record.yanked for package, record in records.items()},
    )


class Wish(NamedTuple):
    """The hardware, the plan and the constraints of the user."""

    runs: Sequence[RunFacts]
    """The runs of the plan, with the facts of the hardware and without package versions; at least one."""
    python: Version
    kept: Mapping[str, SpecifierSet]
    """Version ranges that the user requires, by package."""
    threshold: str = "error"
    """The minimum severity of certain findings that rule out a set of releases."""
    allow_patched: bool = False
    """True to accept findings that a patch fixes."""
    first: Collection[str] = ()
    """Packages of which a newer release wins over one of each other package."""

    def says(self, fact: str) -> list[object]:
        """Return the values of a fact in the runs; None for a run in which it is unknown."""
        return [run.facts.value(fact) for run in self.runs]


class Pin(NamedTuple):
    """One release of one package."""

    package: str
    version: Version

    def __str__(self) -> str:
        return f"{self.package} {self.version}"


#: One release of each of several packages.
Pins: TypeAlias = tuple[Pin, ...]


def parse_kept(
    texts: Iterable[str], option: str = "--keep", packages: Sequence[str] = ORDER
) -> dict[str, SpecifierSet]:
    """Parse the arguments of an option, such as ``trl==0.18.2``, about `packages`. Raises InputError."""
    kept: dict[str, SpecifierSet] = {}
    for text in texts:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            raise InputError(f"{option} {text}", "not a requirement", "a requirement such as trl==0.18.2") from None
        if requirement.name not in packages:
            near = did_you_mean(requirement.name, packages) or ", ".join(packages)
            raise InputError(f"{option} {text}", f"'{requirement.name}' is not a package that is resolved", near)
        kept[requirement.name] = kept.get(requirement.name, SpecifierSet()) & requirement.specifier
    return kept


def check_kept(ranges: Mapping[str, SpecifierSet], catalogue: Catalogue, option: str = "--keep") -> None:
    """Raise InputError if a range that `option` states contains no release."""
    for package, kept in ranges.items():
        versions = catalogue.releases.get(package, ())
        if versions and not any(kept.contains(version, prereleases=True) for version in versions):
            raise InputError(f"{option} {package}{kept}", "no such release", f"a version up to {max(versions)}")


def wanted(wish: Wish, catalogue: Catalogue) -> list[str]:
    """Return the packages that the runs need or that are kept, if `catalogue` contains them, in order of priority."""
    optional = {
        "vllm": any(used is not False for used in wish.says("plan.use_vllm")),
        "peft": True in wish.says("plan.peft"),
        "deepspeed": any((*wish.says("plan.deepspeed"), *wish.says("plan.deepspeed_stage"))),
    }
    ordered = dict.fromkeys((*(package for package in ORDER if package in wish.first), *wish.first, *ORDER, *wish.kept))
    return [
        package
        for package in ordered
        if catalogue.releases.get(package) and (optional.get(package, True) or package in wish.kept)
    ]
