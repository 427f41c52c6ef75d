"""Find out what will go wrong in a colocated GRPO run before the launch, and fix at run time what can be fixed.

Importing this package imports nothing else of it: each function loads what it needs.
"""

from __future__ import annotations

from vcompat.foundation.version import __version__

TYPE_CHECKING = False  # as type checkers see it; `typing` itself is not free to import
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from vcompat.diagnosis.diagnosing import Diagnosis
    from vcompat.diagnosis.watch import Watch
    from vcompat.patching.engine import Engine
    from vcompat.patching.ledger import Ledger
    from vcompat.report.checks.shown_findings import Findings

__all__ = ["__version__", "check", "diagnose", "patch", "status", "unpatch"]


def patch(
    only: Iterable[str] | None = None, skip: Iterable[str] = (), strict: bool = False, watch: bool = False
) -> Ledger:
    """Apply the patches; call it in the first line of a training script. Return the ledger.

    A patch takes effect when the module that it changes is imported, or at once if the module is already imported.
    `only` and `skip` name patches by id. With `strict`, a patch that refuses or fails raises PatchError; otherwise it
    is logged and upstream stays as it is. ``VCOMPAT_DISABLE=all`` (or ids) switches patches off. The processes that
    vLLM starts get the same patches. With `watch`, the rank that failed first prints a diagnosis below the traceback
    that ends it. Raises InputError for an id that does not exist.
    """
    if watch:
        _watch().begin()
    return _engine().patch(only, skip, strict)


def unpatch() -> Ledger:
    """Undo every change in this process, and stop watching it; return the ledger, empty if all could be undone."""
    import sys

    if "vcompat.report.diagnoses.watching" in sys.modules:
        _watch().end()
    return _engine().unpatch()


def status() -> Ledger:
    """Return what each patch did in this process so far."""
    return _engine().status()


def check(
    script: str | Sequence[str] | None = None,
    settings: Mapping[str, str] | None = None,
    probe: bool = True,
    target: str = "",
    environment: str = "",
) -> Findings:
    """Return the findings for this machine and, if given, for run files, as `vcompat check` does.

    `script` is a training script or a list of run files. `settings` maps facts to values as ``--set`` takes them.
    `target` and `environment` are what ``--target`` and ``--env`` take. The result is a list of findings, which a
    notebook shows as the HTML report. Raises InputError for input that cannot be used.
    """
    from vcompat.evaluation.checking import check as whole_check
    from vcompat.evaluation.config import Config
    from vcompat.report.checks.shown_findings import Findings
    from vcompat.rules.database import load_rules
    from vcompat.sources.gather import Sources

    files = [script] if isinstance(script, str) else list(script or ())
    sources = Sources(files, settings or {}, probe=probe, target=target, environment=environment)
    return Findings(whole_check(sources, Config(), load_rules(thorough=False)))


def diagnose(
    log: str | PathLike[str],
    settings: Mapping[str, str] | None = None,
    files: Sequence[str] = (),
    here: bool = False,
) -> Diagnosis:
    """Return what caused the failure that a log shows, as `vcompat diagnose` does; its `causes` are ranked.

    `log` is the text of a log, or the path of a log or of a folder of logs. `settings` maps facts to values as
    ``--set`` takes them. `files` and `here` are what ``--with`` and ``--here`` take. Raises InputError for a path that
    cannot be read.
    """
    import os

    from vcompat.diagnosis.diagnosing import diagnose_paths, diagnose_text
    from vcompat.diagnosis.stated.around import facts_around
    from vcompat.rules.database import load_rules

    rules = load_rules(thorough=False)
    around = facts_around(files, here) if files or here else None
    # One word is taken for a path, so that a misspelled path is an error and not a log without failures.
    if not isinstance(log, str) or ("\n" not in log and (os.path.exists(log) or len(log.split()) == 1)):
        return diagnose_paths([os.fspath(log)], rules, settings, around)
    return diagnose_text(log, rules, settings, around)


def _watch() -> Watch:
    """What watches this process."""
    from vcompat.report.diagnoses.watching import watch

    return watch


def _engine() -> Engine:
    """This process's patch engine, with the patches that vcompat ships."""
    from vcompat.patches import load_patches
    from vcompat.patching.session import engine

    return engine(load_patches)
