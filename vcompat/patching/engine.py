"""Applies patches: selects them, waits for the import of their modules, runs the guard, makes and checks the changes.

Each process has one engine. Its lock is never held during an import that could wait for another thread. A change is
made either under the import lock of its module, or in a module that is already imported.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import TYPE_CHECKING

from vcompat.foundation.errors import InputError, PatchError
from vcompat.foundation.suggest import did_you_mean
from vcompat.patching.guard import APPLY, REFUSE, inspect_module
from vcompat.patching.hooks import ImportHook
from vcompat.patching.launching import HANDOVER as HANDOVER  # noqa: PLC0414 - the engine sets it
from vcompat.patching.ledger import APPLIED, DISABLED, FAILED, NOT_NEEDED, PENDING, REFUSED, Entry, Ledger, summary
from vcompat.patching.patch import Change, Patch, Refusal, Undo
from vcompat.rules.fingerprint import forget_parsed

if TYPE_CHECKING:
    from vcompat.patching.guard_cache import Verdicts

#: Set by the user to disable patches: ``all``, or ids separated by commas.
SWITCH_OFF = "VCOMPAT_DISABLE"


class Engine:
    """The patches of one process and their status."""

    def __init__(
        self,
        patches: Iterable[Patch],
        log: Callable[[str, bool], None],
        changed: Callable[[Ledger], None] | None = None,
        verdicts: Verdicts | None = None,
    ) -> None:
        """Create an engine for `patches`. `log` is called with a line and whether the line is a warning.

        `changed` gets the ledger whenever patches were selected, applied, refused or undone. It must not raise.
        `verdicts` keeps what the guard decides for other processes.
        """
        self._verdicts = verdicts
        self._patches = {patch.id: patch for patch in patches}
        self._log = log
        self._changed = changed or (lambda ledger: None)
        self._lock = threading.RLock()
        self._hook = ImportHook(self._imported)
        self._armed: dict[str, Patch] = {}
        self._disabled: dict[str, str] = {}
        self._entries: dict[tuple[str, Change], Entry] = {}
        self._tried: dict[tuple[str, Change], ModuleType] = {}
        self._undos: list[tuple[str, Change, ModuleType, Undo]] = []
        self._strict = False

    def patch(self, only: Iterable[str] | None, skip: Iterable[str], strict: bool) -> Ledger:
        """Select patches and apply those whose module is already imported. The others are applied on import.

        Can be called again, and from several threads. `only` and `skip` are patch ids; None selects all patches. With
        `strict`, a patch that refuses or fails raises PatchError. Raises InputError for an unknown id.
        """
        chosen = self._choose(only, skip)
        with self._lock:
            self._strict = strict
            for patch_id in chosen:
                self._armed[patch_id] = self._patches[patch_id]
                self._disabled.pop(patch_id, None)
            os.environ[HANDOVER] = ",".join(sorted(self._armed)) or "none"
            awaited = frozenset(change.module for patch in self._armed.values() for change in patch.changes)
            self._hook.wait_for(awaited)
        for name in awaited:
            _let_other_threads_finish_importing(name)
        with self._lock:
            for patch in list(self._armed.values()):
                for change in patch.changes:
                    module = sys.modules.get(change.module)
                    if module is not None and not _is_being_imported(module):
                        self._apply_once(patch, change, module, late=True)
            self._end_of_guards()
            return self._tell()

    def unpatch(self) -> Ledger:
        """Undo every change, last first, and stop waiting for imports. Only failed entries stay in the ledger."""
        with self._lock:
            self._hook.wait_for(frozenset())
            for name in (HANDOVER, f"PYTHON_{HANDOVER}"):
                # The second one is a copy, which the hook makes for DeepSpeed's launcher.
                os.environ.pop(name, None)
            for patch_id, change, _, undo in reversed(self._undos):
                try:
                    undo()
                except Exception as error:
                    self._record(self._patches[patch_id], change, FAILED, f"could not be undone: {error}")
            kept = {key: entry for key, entry in self._entries.items() if entry.status == FAILED}
            self._undos.clear()
            self._armed.clear()
            self._tried.clear()
            self._entries = kept
            return self._tell()

    def status(self) -> Ledger:
        """Return the current status of each patch."""
        with self._lock:
            entries = {}
            for patch_id, patch in self._patches.items():
                known = [self._entries[patch_id, c] for c in patch.changes if (patch_id, c) in self._entries]
                if patch_id in self._armed:
                    known += [_untried(c) for c in patch.changes if (patch_id, c) not in self._entries]
                elif patch_id in self._disabled and not known:
                    known = [Entry(DISABLED, self._disabled[patch_id])]
                if known:
                    entries[patch_id] = summary(known)
            return Ledger(entries)

    def _tell(self) -> Ledger:
        ledger = self.status()
        self._changed(ledger)
        return ledger

    def _choose(self, only: Iterable[str] | None, skip: Iterable[str]) -> list[str]:
        wanted = list(self._patches) if only is None else self._known_ids(only, "only")
        skipped = dict.fromkeys(self._known_ids(skip, "skip"), "skipped by patch(skip=...)")
        off = os.environ.get(SWITCH_OFF, "").replace(",", " ").split()
        for patch_id in off:
            if patch_id == "all":
                skipped.update(dict.fromkeys(wanted, f"disabled by {SWITCH_OFF}"))
            elif patch_id in self._patches:
                skipped[patch_id] = f"disabled by {SWITCH_OFF}"
            else:
                self._log(f"{SWITCH_OFF} names an unknown patch: '{patch_id}'", True)
        with self._lock:
            self._disabled.update({i: reason for i, reason in skipped.items() if i not in self._armed})
        return [patch_id for patch_id in wanted if patch_id not in skipped]

    def _known_ids(self, ids: Iterable[str], argument: str) -> list[str]:
        listed = [ids] if isinstance(ids, str) else list(ids)
        for patch_id in listed:
            if patch_id not in self._patches:
                near = did_you_mean(str(patch_id), self._patches) or "an id that `vcompat patches` lists"
                raise InputError(f"patch({argument}=...)", f"there is no patch '{patch_id}'", near)
        return listed

    def _imported(self, module: ModuleType) -> None:
        with self._lock:
            for patch in list(self._armed.values()):
                for change in patch.changes:
                    if change.module == module.__name__:
                        self._apply_once(patch, change, module, late=False)
            self._end_of_guards()

    def _end_of_guards(self) -> None:
        """Keep what the guards decided, and release what they have parsed."""
        if self._verdicts:
            self._verdicts.save()
        forget_parsed()

    def _is_done(self, patch: Patch, change: Change, module: ModuleType) -> bool:
        """Whether the change was already tried on this module; not after a reload, which restores upstream's code."""
        if self._tried.get((patch.id, change)) is not module:
            return False
        return self._entries[patch.id, change].status != APPLIED or not change.effect.problem(module)

    def _apply_once(self, patch: Patch, change: Change, module: ModuleType, late: bool) -> None:
        """Guard, install, check. Record every failure in the ledger; raise PatchError only if ``strict``."""
        if self._is_done(patch, change, module):
            return
        try:
            status, reason = self._attempt(patch, change, module, late)
        except Refusal as refusal:
            status, reason = REFUSED, str(refusal)
        except Exception as error:
            status, reason = FAILED, f"{type(error).__name__}: {error}"
        self._tried[patch.id, change] = module
        self._record(patch, change, status, reason)
        if self._strict and status in (REFUSED, FAILED):
            raise PatchError(f"{patch.id} {status}: {reason}")

    def _attempt(self, patch: Patch, change: Change, module: ModuleType, late: bool) -> tuple[str, str]:
        verdict = inspect_module(change, module, self._verdicts)
        if verdict.word != APPLY:
            return (REFUSED if verdict.word == REFUSE else NOT_NEEDED), verdict.reason
        unneeded = change.unneeded() if change.unneeded else ""
        if unneeded:
            return NOT_NEEDED, unneeded
        too_late = change.too_late(module) if late and change.too_late else ""
        if too_late:
            return REFUSED, f"too late: {too_late}"
        undo = change.effect.install(module)
        problem = change.effect.problem(module)
        if problem:
            undo()
            return FAILED, problem
        self._undos = [done for done in self._undos if done[:3] != (patch.id, change, module)]
        self._undos.append((patch.id, change, module, undo))
        return APPLIED, f"to {change.module}.{change.object}"

    def _record(self, patch: Patch, change: Change, status: str, reason: str) -> None:
        self._entries[patch.id, change] = Entry(status, reason)
        if status in (APPLIED, REFUSED, FAILED):
            version = getattr(sys.modules.get(patch.package), "__version__", "version unknown")
            self._log(
                f"{status} {patch.id}: {reason} ({patch.package} {version}, pid {os.getpid()})", status != APPLIED
            )
            self._tell()


def _untried(change: Change) -> Entry:
    """Return the status of a change whose module the import hook has not seen."""
    module = sys.modules.get(change.module)
    if module is None or _is_being_imported(module):
        return Entry(PENDING, f"waiting for the import of {change.module}")
    return Entry(FAILED, f"{change.module} was loaded in a way that import hooks do not see")


def _is_being_imported(module: ModuleType) -> bool:
    return bool(getattr(module.__spec__, "_initializing", False))


def _let_other_threads_finish_importing(name: str) -> None:
    """Wait for another thread that is importing `name`. Call without the engine's lock, which that thread may need."""
    module = sys.modules.get(name)
    if module is not None and _is_being_imported(module):
        try:
            importlib.import_module(name)
        except Exception:
            # The other thread handles the failure of its import.
            return
