"""A set of releases that work together, as text for a person and as constraints for an installer."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from click import style
from packaging.version import Version

from vcompat.evaluation.finding import POSSIBLE, Finding
from vcompat.evaluation.grouping import Question, grouped
from vcompat.facts.builds.cuda_builds import load_builds, machine_of, other_build
from vcompat.facts.builds.driver import FIRST_DRIVER
from vcompat.facts.facts import Facts
from vcompat.fixes.compatibility import Reason
from vcompat.fixes.releases import Pin
from vcompat.fixes.resolving import Resolution
from vcompat.report.checks.text import COLORS
from vcompat.report.parts.layout import field, printable
from vcompat.report.parts.release_ranges import runs
from vcompat.rules.instruction import instruction
from vcompat.sources.reading.runs import in_common

_TOO_OLD = "driver-too-old-for-torch"
#: Reasons per package that are shown unless everything is.
_SHOWN = 2
#: Columns of the releases that are ruled out.
_MARGIN = 36


def render(resolution: Resolution, releases: Mapping[str, Sequence[Version]], width: int, everything: bool) -> str:
    """The set, what it leaves, what is undecided, and why newer releases are ruled out. `releases` are all that exist.

    Without `everything`, each package has the first reasons only.
    """
    blocks = [list(_chosen(resolution, width))]
    blocks += [list(_certain(finding, width)) for finding in (*resolution.left, *_below(resolution))]
    blocks += [list(_notes(resolution, width)), list(_ruled_out(resolution, releases, width, everything))]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def constraints(pins: Sequence[Pin], heading: str) -> str:
    """A constraints file that pip and uv read."""
    return "\n".join([f"# {printable(heading)}", *(f"{pin.package}=={pin.version}" for pin in pins)]) + "\n"


def _chosen(resolution: Resolution, width: int) -> Iterator[str]:
    if not resolution.pins:
        yield style("No set of releases works for this.", fg="red")
    for pin in resolution.pins:
        yield f"{pin.package}=={style(str(pin.version), fg='green')}"
    for kept, pins in resolution.without:
        yield from field("", f"Without --keep '{kept}': {', '.join(map(str, pins))}", width, margin=2)


def _below(resolution: Resolution) -> list[Finding]:
    """The certain findings that are not counted as left, without notes."""
    return [finding for finding in _remaining(resolution) if finding.rule.severity != "note"]


def _remaining(resolution: Resolution) -> list[Finding]:
    return [finding for finding in resolution.others if finding.certainty != POSSIBLE and not finding.fixed_by]


def _certain(finding: Finding, width: int) -> Iterator[str]:
    word = finding.rule.severity
    yield from field(f"{word}: ", finding.title, width, margin=len(word) + 2, color=COLORS[word])
    if finding.place is not None and finding.place.line:
        yield from field("  at", str(finding.place), width)
    fix = next((fix for fix in finding.fixes if fix.removes_failure), finding.fixes[0] if finding.fixes else None)
    if fix is not None:
        yield from field("  fix", instruction(fix), width)
    yield from field("  more", f"vcompat explain {finding.rule.id}", width)


def _notes(resolution: Resolution, width: int) -> Iterator[str]:
    """What the set requires, and what it leaves undecided."""
    facts = in_common(resolution.facts) if resolution.facts else Facts()
    assumed = facts.get("plan.trainer")
    if assumed is not None and assumed.source.startswith("assumed"):
        yield from field("assumed", "a GRPOTrainer with vLLM, since no run file is given (--plan <script>)", width)
    yield from field("driver", _driver(resolution, facts), width)
    if resolution.pins:
        yield from field("builds", _builds(facts), width)
        index = _index(facts)
        yield from field("install", index and f"uv pip install <that file>{index}", width)
    patched = sum(1 for finding in resolution.others if finding.fixed_by)
    yield from field("fixed", f"{patched} by patches that the script applies" if patched else "", width)
    notes = len(_remaining(resolution)) - len(_below(resolution))
    yield from field("notes", f"{notes}, which `vcompat check` prints" if notes else "", width)
    yield from field("undecided", _undecided(resolution, facts), width)


def _driver(resolution: Resolution, facts: Facts) -> str:
    """The driver that the selected torch requires, if the user's is not known, and what newer releases require."""
    cuda, known = facts.value("torch.cuda"), facts.get("torch.runs_on_driver")
    first = FIRST_DRIVER.get(cuda.major) if isinstance(cuda, Version) else None
    texts = [f"torch's CUDA {cuda} requires NVIDIA driver {first} or newer"] if first and known is None else []
    if any(reason.rule == _TOO_OLD for _, reason in resolution.ruled_out):
        newest = max(FIRST_DRIVER)
        texts.append(
            f"newer releases are built for CUDA {newest}, which requires driver {FIRST_DRIVER[newest]}"
            f"{_older_builds(resolution, facts)}"
        )
    return ". ".join(texts)


def _older_builds(resolution: Resolution, facts: Facts) -> str:
    """The releases of vLLM with a build that the driver runs, and how to choose among them."""
    major = _newest_major(facts)
    built = load_builds().get(machine_of(facts), {})
    newest_builds = {
        release: max(one for one in versions if one.major == major)
        for release, versions in built.items()
        if any(one.major == major for one in versions)
    }
    ruled_out = {pin.version for pin, _ in resolution.ruled_out if pin.package == "vllm"}
    newer = sorted(newest_builds.keys() & ruled_out if resolution.pins else newest_builds)
    if not newer:
        return ". If you build torch and vLLM for an older version, state it: --set torch.cuda=12.8 --set vllm.cuda=12"
    newest = newest_builds[newer[-1]]
    same = [release for release in newer if newest_builds[release] == newest]
    named = runs(same, sorted(built))
    return f". vLLM {named} is also built for CUDA {newest}: --set torch.cuda={newest} chooses among these builds"


def _newest_major(facts: Facts) -> int | None:
    """The newest major version of CUDA that the driver runs; None if it is not known."""
    newest, driver = facts.value("gpu.driver_cuda"), facts.value("gpu.driver")
    if isinstance(newest, Version):
        return newest.major
    if isinstance(driver, Version):
        return max((major for major, first in FIRST_DRIVER.items() if driver >= first), default=None)
    return None


def _builds(facts: Facts) -> str:
    """What a user has to know about builds that the package index does not have, or that are not recorded."""
    build = _build_of_vllm(facts)
    if build is not None:
        release, cuda = build
        return (
            f"the wheel of vLLM {release} on the package index is for another CUDA version than torch. Its developers "
            f"also build {release}+{_index_name(cuda)}, for CUDA {cuda}. Take that file from "
            f"https://github.com/vllm-project/vllm/releases/tag/v{release}; which files were published is not recorded"
        )
    if facts.value("vllm.backend") == "cpu" or facts.value("plan.use_cpu") is True:
        return "the run uses the CPU: install these releases as builds for the CPU"
    machine = facts.value("host.machine")
    if facts.get("torch.cuda") is None and isinstance(machine, str) and facts.get("packages.torch") is not None:
        return f"what torch's wheel for {machine} is built for is not recorded"
    return ""


def install(resolution: Resolution, packages: Sequence[str], constraints_file: str) -> str:
    """Return the command that installs a set: with pip, or as vLLM documents it for another build of vLLM."""
    facts = in_common(resolution.facts) if resolution.facts else Facts()
    index = _index(facts)
    names = " ".join("<the file of vLLM>" if name == "vllm" and index else name for name in packages)
    return f"{'uv ' if index else ''}pip install -c {constraints_file} {names}{index}"


def _index(facts: Facts) -> str:
    """The option for the package index of torch's builds, if vLLM's is not the one on the public package index."""
    build = _build_of_vllm(facts)
    return f" --extra-index-url https://download.pytorch.org/whl/{_index_name(build[1])}" if build else ""


def _build_of_vllm(facts: Facts) -> tuple[Version, Version] | None:
    """The release of vLLM and the CUDA version of the build to install instead of the wheel on the package index.

    None if the wheel on the package index fits, if there is no such build, or if the user builds vLLM.
    """
    vllm, torch = facts.value("packages.vllm"), facts.value("torch.cuda")
    if not (isinstance(vllm, Version) and isinstance(torch, Version)) or facts.is_by_hand("vllm.cuda"):
        return None
    cuda = other_build(vllm, torch, facts)
    return (vllm, cuda) if cuda is not None else None


def _index_name(cuda: Version) -> str:
    """The name of a CUDA version in the versions of builds, and in the addresses of torch's package indexes: cu129."""
    return f"cu{cuda.major}{cuda.minor}"


def _undecided(resolution: Resolution, facts: Facts) -> str:
    # What the driver has to be is stated.
    known = {_TOO_OLD} if facts.get("torch.cuda") is not None else set()
    others = (finding for finding in resolution.others if finding.certainty == POSSIBLE and not finding.fixed_by)
    possible = [finding for finding in others if finding.rule.id not in known]
    if not possible:
        return ""
    has_run_files = any(known.place is not None for known in facts.known.values())
    groups = grouped(possible, facts, ("run",) if has_run_files else ())
    questions = [group.question for group in groups]
    listed = [f"{one.subject} ({_answer(one)})" if one.answer else one.subject for one in questions]
    rules = "1 rule depends" if len(possible) == 1 else f"{len(possible)} rules depend"
    return f"{rules} on what is not known: {', '.join(listed)}"


def _answer(question: Question) -> str:
    """How to state the answer to this command, which selects packages itself."""
    if question.answer.startswith("--set packages."):
        return f"--keep {question.answer.removeprefix('--set packages.').removesuffix('=...')}"
    if "script" in question.answer:
        return f"--plan {question.example or '<script>'}"
    return question.answer.partition(",")[0]


def _ruled_out(
    resolution: Resolution, releases: Mapping[str, Sequence[Version]], width: int, everything: bool
) -> Iterator[str]:
    if not resolution.ruled_out:
        return
    yield "newer releases ruled out:" if resolution.pins else "releases ruled out:"
    hidden = 0
    for entries in _grouped(resolution.ruled_out, releases).values():
        shown = entries if everything else entries[:_SHOWN]
        hidden += len(entries) - len(shown)
        yield from (line for entry in shown for line in _entry(*entry, width))
    if hidden:
        yield f"  {hidden} more reason{'s' if hidden > 1 else ''}: --all"


def _grouped(
    ruled_out: Sequence[tuple[Pin, Reason]], releases: Mapping[str, Sequence[Version]]
) -> dict[str, list[tuple[str, str]]]:
    """By package, for each reason: the releases, and the reason with the details of the newest."""
    groups: dict[tuple[str, str], list[tuple[Version, str]]] = {}
    for pin, reason in ruled_out:
        groups.setdefault((pin.package, reason.kind), []).append((pin.version, reason.text))
    by_package: dict[str, list[tuple[str, str]]] = {}
    for (package, _), ones in groups.items():
        text = f"{package} {runs([version for version, _ in ones], releases[package])}"
        by_package.setdefault(package, []).append((text, ones[0][1]))
    return by_package


def _entry(releases: str, reason: str, width: int) -> list[str]:
    margin = " " * (_MARGIN + 2)
    lines = textwrap.wrap(reason, width, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False)
    if len(releases) < _MARGIN:
        return [f"  {releases:<{_MARGIN}}{lines[0].lstrip()}", *lines[1:]]
    return [*textwrap.wrap(releases, width, initial_indent="  ", subsequent_indent="    "), *lines]
