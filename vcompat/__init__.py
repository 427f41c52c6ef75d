"""vcompat: says before a colocated GRPO run what will go wrong, and mends at run time what can be mended.

Importing this package imports nothing else of it: each function loads what it needs.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers see it; `typing` itself is not free to import
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from vcompat.evaluation.finding import Finding
    from vcompat.patching.engine import Engine
    from vcompat.patching.ledger import Ledger

__version__ = "0.1.0"
__all__ = ["check", "patch", "status", "unpatch"]


def patch(only: Iterable[str] | None = None, skip: Iterable[str] = (), strict: bool = False) -> Ledger:
    """Arm the patches, best as the first line of a training script; return the ledger.

    A patch takes effect when the module that it mends is imported, or at once if that was imported before.
    `only` and `skip` name patches by id. With `strict`, a patch that refuses or fails raises PatchError
    where it would otherwise be logged and left. ``VCOMPAT_DISABLE=all`` (or ids) switches patches off.
    The processes that vLLM starts get the same patches. Raises InputError for an id that does not exist.
    """
    return _engine().patch(only, skip, strict)


def unpatch() -> Ledger:
    """Take back every change in this process; return the ledger, empty if all could be taken back."""
    return _engine().unpatch()


def status() -> Ledger:
    """What each patch did in this process so far."""
    return _engine().status()


def check(
    script: str | Sequence[str] | None = None,
    settings: Mapping[str, str] | None = None,
    probe: bool = True,
    target: str = "",
    environment: str = "",
) -> list[Finding]:
    """Return the findings for this machine and, if given, the files of a plan, as `vcompat check` does.

    `script` is a training script or a list of the plan's files, `settings` maps facts to values as ``--set`` takes
    them, `target` and `environment` are what ``--target`` and ``--env`` take. Raises InputError for input that cannot
    be used.
    """
    from vcompat.evaluation.evaluate import evaluate
    from vcompat.rules.database import load_rules
    from vcompat.sources.gather import Sources, gather

    files = [script] if isinstance(script, str) else list(script or ())
    sources = Sources(files, settings or {}, probe=probe, target=target, environment=environment)
    return evaluate(load_rules(), gather(sources))


def _engine() -> Engine:
    """This process's patch engine, with the patches that vcompat ships."""
    from vcompat.patches import load_patches
    from vcompat.patching.session import engine

    return engine(load_patches)
