"""The variables that the processes of a rehearsal get, so that they leave nothing behind."""

from __future__ import annotations

import getpass
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress

from vcompat.rehearsal.protocol import FOLDER, STEPS, STUCK_AFTER, TINY

#: Variables that name the folders of caches; those of compiled code are filled by every run.
_CACHES = ("VLLM_CACHE_ROOT", "VLLM_CONFIG_ROOT", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR")
#: Where vLLM keeps what it knows about classes of models, in its cache. Older releases keep nothing.
_MODELS = "modelinfos"
#: What torch has compiled for the user, with its name as torch's default_cache_dir() makes it: the most bytes and files
#: that are copied, and entries that are looked at.
_INDUCTOR, _BYTES, _FILES, _ENTRIES = "TORCHINDUCTOR_CACHE_DIR", 128 << 20, 5000, 50_000
_UNUSUAL = re.compile(r'[\\/:*?"<>|]')
#: Where vLLM makes the sockets of its processes, and the longest name of that folder: 108 bytes without a UUID.
_SOCKETS, _LONGEST = "VLLM_RPC_BASE_PATH", 70
#: Variables that switch off what reports to a service, or writes beside the user's modules.
_OFF = {"WANDB_MODE": "disabled", "VLLM_NO_USAGE_STATS": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def surroundings(folder: str, steps: int, stuck_after: float, tiny: bool) -> dict[str, str]:
    """Return the variables for a rehearsal in `folder`, with a tiny model if asked."""
    caches = {name: os.path.join(folder, "caches", name.lower()) for name in _CACHES}
    own = {FOLDER: folder, STEPS: str(steps), STUCK_AFTER: str(stuck_after), TINY: "1" if tiny else "0"}
    # vLLM leaves its sockets there. A longer name is none of a socket.
    sockets = {_SOCKETS: folder} if len(folder) <= _LONGEST else {}
    return {**own, **caches, **sockets, **_OFF}


def copy_known_models(before: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Copy what vLLM knows about classes of models, which are small files, from the cache of the environment `before`.

    Without them, vLLM imports itself in another process to find that out.
    """
    cache = before.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    source = os.path.join(before.get("VLLM_CACHE_ROOT") or os.path.join(cache, "vllm"), _MODELS)
    with suppress(OSError, shutil.Error):
        shutil.copytree(source, os.path.join(now["VLLM_CACHE_ROOT"], _MODELS))


def copy_compiled(before: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Copy what torch has compiled lately from the cache of the environment `before`; without it, it compiles again.

    torch compiles what it does not find, so any part of its cache is of use. vLLM's own cache names files of torch's,
    and is not copied.
    """
    with suppress(OSError, KeyError):
        # Without a name of the user, torch has another folder.
        name = "torchinductor_" + _UNUSUAL.sub("_", getpass.getuser())
        source = before.get(_INDUCTOR) or os.path.join(tempfile.gettempdir(), name)
        left = _BYTES
        newest = sorted(_files(source), key=lambda one: -one[1].st_mtime)[:_FILES]
        for path, found in newest:
            left -= found.st_size
            if left < 0:
                return
            copy = os.path.join(now[_INDUCTOR], os.path.relpath(path, source))
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy2(path, copy)


def _files(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the regular files below a folder, which may vanish meanwhile, and their sizes and times."""
    looked = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            looked += 1
            if looked > _ENTRIES:
                return
            path = os.path.join(parent, name)
            with suppress(OSError):
                found = os.lstat(path)
                if stat.S_ISREG(found.st_mode):
                    yield path, found
