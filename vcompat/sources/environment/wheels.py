"""The build of torch in a declared environment, from the evidence records about torch's wheels."""

from __future__ import annotations

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.rules.record import load_record


def state_torch_build(facts: Facts) -> None:
    """Record ``torch.cuda`` and ``torch.architectures`` of the wheel on the package index for the declared torch.

    A version with a local segment (``+cpu``, ``+cu118``) is a different wheel, unless it names the same CUDA version.
    """
    known = facts.get("packages.torch")
    torch = known.value if known is not None else None
    if known is None or known.place is None or not isinstance(torch, Version):
        return
    said = load_record("torch").declares
    release = Version(torch.public)
    cuda, architectures = (said.get(what, {}).get(release, "") for what in ("cuda", "architectures"))
    same = torch.local in (None, f"cu{cuda.replace('.', '')}") and str(facts.value("torch.cuda", cuda)) == cuda
    if cuda and architectures and same:
        source = f"wheel of torch {release} on the package index ({known.source})"
        facts.set("torch.cuda", Version(cuda), source)
        facts.set("torch.architectures", tuple(architectures.split(",")), source)
