"""How the torch of a declared environment is built: a lock file names its release, the records what its wheel holds."""

from __future__ import annotations

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.rules.record import load_record


def state_torch_build(facts: Facts) -> None:
    """Record ``torch.cuda`` and ``torch.architectures`` as the wheel of the stated torch on the package index has them.

    A build with a local segment of its own (``+cpu``, ``+cu118``) is another wheel, unless its CUDA is the same.
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
        source = f"the wheel of torch {release} on the package index ({known.source})"
        facts.set("torch.cuda", Version(cuda), source)
        facts.set("torch.architectures", tuple(architectures.split(",")), source)
