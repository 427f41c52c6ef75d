"""The builds of torch and vLLM in a declared environment: their CUDA versions and GPU architectures.

The evidence records have them for the wheels on the public package index, for x86_64. Another index, conda, a file or
a vendor has other builds. What these do not say about themselves is unknown.
"""

from __future__ import annotations

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.rules.record import shipped_record
from vcompat.sources.reading.packages.origin import CPU, CUDA, PUBLIC, Origin, of_local

#: The first and the last release on torch's own index for a CUDA version, from its page of previous versions. Indexes
#: that still get releases are left out.
_ON_INDEX = {"11.8": ("2.0.0", "2.7.1"), "12.1": ("2.1.0", "2.5.1"), "12.4": ("2.4.0", "2.6.0")}
_MACHINES = ("x86_64", "amd64", "AMD64")


def state_torch_build(facts: Facts, origin: Origin, machine: str | None) -> None:
    """Record ``torch.cuda`` and ``torch.architectures`` of the declared torch, or why they are unknown.

    What `facts` already have, read from torch's files, is not replaced. `machine` is the processor architecture, None
    if it is not known.
    """
    known = facts.get("packages.torch")
    torch = known.value if known is not None else None
    if known is None or known.place is None or not isinstance(torch, Version):
        return
    named = of_local(torch.local) if torch.local else None
    if torch.local and named is None:
        _leave_open(facts, f"torch {torch} is not a build of the package index")
        return
    if named is not None:
        origin = named._replace(by_torch=origin == PUBLIC or origin.by_torch)
    if facts.recorded("torch.cuda") is None:
        _state_cuda(facts, Version(torch.public), origin, machine, known.source)
    _state_architectures(facts, Version(torch.public), origin, machine, known.source)


def state_other_builds(facts: Facts, vllm: Origin, bitsandbytes: Origin) -> None:
    """Record that the builds of the declared vLLM and bitsandbytes are unknown, if these are not on the package index.

    What was read from their files is not replaced; a local segment such as ``+cu129`` names another build of vLLM.
    """
    for package, origin, shown, names in (
        ("vllm", vllm, "vLLM", ("vllm.cuda", "vllm.architectures")),
        ("bitsandbytes", bitsandbytes, "bitsandbytes", ("bitsandbytes.cuda_versions",)),
    ):
        known = facts.get(f"packages.{package}")
        if known is None or known.place is None or not isinstance(known.value, Version) or known.value.local:
            continue
        for name in names:
            if origin != PUBLIC and facts.recorded(name) is None:
                facts.forget(name, f"{origin.where or known.source} does not state which build of {shown} it is")


def _state_cuda(facts: Facts, release: Version, origin: Origin, machine: str | None, source: str) -> None:
    public = _recorded("cuda", release) if machine in _MACHINES else ""
    if origin == PUBLIC:
        if public:
            facts.set("torch.cuda", Version(public), _wheel(release, source))
        else:
            _leave_open(facts, _why_not_recorded(release, machine))
    elif origin.or_public and origin.cuda != public and not _has(origin, release, machine):
        other = f"which has CUDA {public}" if public else "whose build is not known"
        _leave_open(facts, f"from {origin.where} if it has torch {release}, else from the package index, {other}")
    elif origin.backend == CUDA:
        facts.set("torch.cuda", Version(origin.cuda), f"{origin.where} ({source})")
    elif origin.backend:
        what = "CPU build" if origin.backend == CPU else f"build for {origin.backend}"
        facts.set("torch.cuda", None, f"{what}: {origin.where} ({source})")
    else:
        _leave_open(facts, f"{origin.where} does not state which build of torch it is")


def _state_architectures(facts: Facts, release: Version, origin: Origin, machine: str | None, source: str) -> None:
    """Record the architectures of the wheel on the package index, for a build by torch's developers for its CUDA."""
    cuda = facts.get("torch.cuda")
    if facts.recorded("torch.architectures") is not None or cuda is None or cuda.value is None:
        return
    architectures = _recorded("architectures", release) if machine in _MACHINES else ""
    if architectures and (origin == PUBLIC or origin.by_torch) and str(cuda.value) == _recorded("cuda", release):
        facts.set("torch.architectures", tuple(architectures.split(",")), _wheel(release, source))
    else:
        place = origin.where or f"torch {release} for CUDA {cuda.value}"
        facts.forget("torch.architectures", f"the architectures of this build are not recorded: {place}")


def _has(origin: Origin, release: Version, machine: str | None) -> bool:
    """Return whether the index certainly has the release, which is then newer than the one on the package index."""
    first, last = _ON_INDEX.get(origin.cuda, ("1", "0"))
    return origin.by_torch and machine in _MACHINES and Version(first) <= release <= Version(last)


def _leave_open(facts: Facts, why: str) -> None:
    for name in ("torch.cuda", "torch.architectures"):
        if facts.recorded(name) is None:
            facts.forget(name, why)


def _recorded(what: str, release: Version) -> str:
    return shipped_record("torch").declares.get(what, {}).get(release, "")


def _wheel(release: Version, source: str) -> str:
    return f"wheel of torch {release} on the package index ({source})"


def _why_not_recorded(release: Version, machine: str | None) -> str:
    if machine in _MACHINES:
        return f"the wheel of torch {release} is not recorded"
    if machine is None:
        return f"the wheel of torch {release} depends on host.machine, which is not known"
    return f"the wheel of torch {release} for {machine} is not recorded"
