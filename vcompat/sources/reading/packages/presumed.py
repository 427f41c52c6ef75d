"""What is likely of a project's releases, though its files do not make it certain."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Sequence

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Facts, Likely, Place
from vcompat.facts.presumption import RELEASE, Presumption
from vcompat.facts.vocabulary import PACKAGES
from vcompat.sources.reading.packages.stated_packages import Declared, Entry

#: Packages that the remaining ones require only in an extra, or not at all.
ONLY_IF_LISTED = (
    *("trl", "vllm", "deepspeed", "peft", "unsloth", "unsloth-zoo", "ms-swift", "verl", "llamafactory"),
    *("bitsandbytes", "liger-kernel", "flash-attn", "diffusers", "llm-blender"),
)
#: The source of a release that another package pins, before the name of that package.
REQUIRED_BY = "the requirements of"


def presumably_run(package: str, entries: Iterable[Entry], mentioned: Collection[str]) -> list[Entry]:
    """Return the entries without commands that only a condition runs, if the run does not use what they install.

    That is what a script asks for, such as an engine that is optional.
    """
    is_used = package in mentioned or package not in ONLY_IF_LISTED
    return [entry for entry in entries if is_used or not entry.by_command or entry.applies is not None]


def presume_command(facts: Facts, name: str, entries: Sequence[Entry], loose: str) -> None:
    """Make the one pinned version likely that only commands install which might not run, or an extra requires.

    Others that might run and state no version are presumed not to run. `loose` is a file in which a later command can
    have changed it.
    """
    pins = {entry.version: entry for entry in entries if entry.version}
    if facts.get(name) is not None or len(pins) != 1 or any(entry.applies for entry in entries):
        return
    ((version, entry),) = pins.items()
    value = _version(version)
    if value is None:
        return
    package = name.removeprefix("packages.")
    text = f"the command that installs {package} {version} runs"
    if not entry.by_command and entry.depends:
        text = f"{entry.depends} is installed" if entry.depends.startswith("the ") else f"`{entry.depends}` holds"
    presumes = [Presumption(RELEASE, text, entry.place)]
    if loose:
        presumes.append(_kept(package, version, loose, entry.place))
    likely = Likely(value, str(entry.place), entry.place, tuple(presumes), facts.why_unknown(name))
    facts.set_likely(name, likely)


def presume_commands_last(facts: Facts, name: str, entries: Sequence[Entry]) -> None:
    """Make the one version likely that commands install, where the files that list requirements say something else."""
    commands = [entry for entry in entries if entry.by_command]
    pin = _only_pin(facts, name, [entry for entry in commands if entry.version])
    if pin is None:
        return
    unpinned = [entry for entry in commands if not entry.version]
    if any(entry.allowed is None or entry.place.path == pin.place.path for entry in unpinned):
        return
    text = f"the commands of {os.path.basename(pin.place.path)} are the last that install {name.partition('.')[2]}"
    _presume_pin(facts, name, pin, text)


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


def _only_pin(facts: Facts, name: str, entries: Iterable[Entry]) -> Entry | None:
    """Return the entry with the one version that all `entries` pin; None if there is none, or a version is known."""
    pins = {entry.version: entry for entry in entries}
    if facts.get(name) is not None or facts.likely(name) is not None or len(pins) != 1:
        return None
    (pin,) = pins.values()
    return pin if _version(pin.version) is not None else None


def _presume_pin(facts: Facts, name: str, pin: Entry, text: str) -> None:
    presumes = (Presumption(RELEASE, text, pin.place),)
    likely = Likely(Version(pin.version), str(pin.place), pin.place, presumes, facts.why_unknown(name))
    facts.set_likely(name, likely)


def presume_lists(facts: Facts, whole: Declared, lists: Sequence[Declared], mentioned: Collection[str]) -> list[str]:
    """Make likely what other lists than those of `whole` pin, such as a README, where `whole` leaves a release open.

    `mentioned` are packages that the run files name. Returns the lists that do.
    """
    files: dict[str, None] = {}
    for package in dict.fromkeys(package for declared in lists for package in declared.entries):
        name, others = f"packages.{package}", whole.entries.get(package, [])
        entries = [entry for declared in lists for entry in declared.entries.get(package, ())]
        pin = _only_pin(facts, name, presumably_run(package, entries, mentioned))
        if pin is None:
            continue
        if any(other.version or other.allowed is None or not other.allowed.contains(pin.version) for other in others):
            continue
        does = "installs" if pin.by_command else "lists"
        text = f"what {os.path.basename(pin.place.path)} {does} is installed"
        _presume_pin(facts, name, pin, f"{pin.depends} has what its name states" if pin.depends else text)
        files[pin.place.path] = None
    return list(files)


def presume_absent(
    facts: Facts, stated: Collection[str], path: str, used: Collection[str], packages: Iterable[str] = PACKAGES
) -> None:
    """Make it likely that `packages` are not installed that the file at `path`, which lists all, does not list.

    Not of those that other files have `stated`, nor of what the run files mention, which were `used` elsewhere then.
    """
    presumes = (Presumption(RELEASE, f"{os.path.basename(path)} lists all that is installed", Place(path)),)
    for package in packages:
        name = f"packages.{package}"
        if package not in stated and package not in used and facts.get(name) is None and facts.likely(name) is None:
            facts.set_likely(name, Likely(None, path, Place(path), presumes, facts.why_unknown(name)))


def presume_pinned(facts: Facts) -> None:
    """Make likely what the stated release of vLLM pins, such as torch, where no file states it."""
    vllm = facts.get("packages.vllm") or facts.likely("packages.vllm")
    if vllm is None or not isinstance(vllm.value, Version) or "packages" in facts.closed:
        return
    from vcompat.rules.record import shipped_record

    for package, declared in shipped_record("vllm").declares.items():
        required = declared.get(vllm.value, "")
        name = f"packages.{package}"
        if not re.fullmatch(r"==[\w.]+", required) or package not in PACKAGES or facts.likely(name) is not None:
            continue
        if name not in facts.names() or Version(required[2:]) in facts.candidates(name):
            text = f"pip installs what vllm {vllm.value} pins"
            presumes = (*vllm.presumes, Presumption(RELEASE, text, vllm.place))
            likely = Likely(Version(required[2:]), f"{REQUIRED_BY} vllm {vllm.value}", vllm.place, presumes)
            facts.set_likely(name, likely._replace(reason=facts.why_unknown(name)))


def presume_builds(facts: Facts, whole: Declared, machine: str | None) -> None:
    """Make likely which builds of torch, vLLM and bitsandbytes an installer takes for the processor `machine`.

    An image, or a notebook's machine, can have another build of the same release before.
    """
    from vcompat.sources.reading.packages.declared_builds import state_other_builds, state_torch_build

    presumed = facts.presumed()
    before = set(presumed.names())
    with presumed.attributing():
        state_torch_build(presumed, whole.origin("torch"), machine)
    state_other_builds(presumed, whole.origin("vllm"), whole.origin("bitsandbytes"))
    for name in set(presumed.names()) - before:
        known, package = presumed.get(name), name.partition(".")[0]
        if known is None:
            facts.forget(name, presumed.why_unknown(name))
            continue
        version, source = presumed.value(f"packages.{package}"), known.source.partition(" (")[0]
        text = f"{package} {version} is {'the ' if source.startswith('wheel') else 'from '}{source}"
        presumes = (*known.presumes, Presumption(RELEASE, text))
        facts.set_likely(name, Likely(known.value, known.source, known.place, presumes))


def _kept(package: str, version: object, path: str, place: Place | None) -> Presumption:
    return Presumption(RELEASE, f"later commands in {os.path.basename(path)} keep {package} {version}", place)


def weaken(facts: Facts, name: str, path: str) -> None:
    """Make a version likely that a later command can have changed."""
    known = facts.get(name)
    if known is not None:
        reason = f"{known.source} installs {known.value}, and a later command of pip may change it"
        kept = _kept(name.removeprefix("packages."), known.value, path, known.place)
        facts.forget(name, reason, known.place)
        likely = Likely(known.value, known.source, known.place, (kept,), reason)
        facts.set_likely(name, likely)
