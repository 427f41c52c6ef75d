"""Which rank a line, a process or a log is of: by prefixes of launchers, by paths, by the numbers of processes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from vcompat.diagnosis.waiting.signs import Seen

#: `rank3`, `rank=3`, `VllmWorker rank=1 pid=12`, `Rank 3`, and names of files: `rank_3.log`, `train.rank3.err`.
_RANK = re.compile(r"(?i:(?<![a-z])rank)[ =_.-]?(\d{1,6})(?!\d)")
#: torchrun with --tee: the number of the process on its node.
_LOCAL = re.compile(r"\bdefault(\d{1,6})\b")
#: Processes of vLLM's engine, which have ranks of their own.
_ENGINE = re.compile(r"(?:[Vv]llm|EngineCore|Worker_[A-Z]P)\S* .*pid=")
#: srun --label and mpirun.
_TASK = re.compile(r"\d{1,6}$")
#: torchrun's folders: `attempt_0/3/stderr.log`; a file that is named after a number: `worker-3.log`, `log.3`.
_FOLDER = re.compile(r"(?:^|/)(\d{1,6})/std(?:out|err)(?:\.log)?$")
_FILE = re.compile(r"(?:^|[-_.a-zA-Z])(\d{1,4})(?:\.(?:log|txt|out|err))?$")


class Ranks:
    """The ranks of the processes that logs have."""

    def __init__(self, processes: Iterable[tuple[str, str]], pids: Mapping[int, int]) -> None:
        """`processes` are paths with the names that prefixes have in them; `pids` maps processes to ranks."""
        processes = list(processes)
        self._pids = pids
        self._are_several = len({path for path, _ in processes}) > 1
        engines = {name for _, name in processes if _ENGINE.search(name)}
        are_others = any(_RANK.search(name) or _LOCAL.search(name) for _, name in processes if name not in engines)
        self._engines = engines if are_others else frozenset()
        self._locals: dict[tuple[str, str], int] = {}
        for path, name in processes:
            local, rank = _LOCAL.search(name), _RANK.search(name)
            if local and rank:
                self._locals[path, local[1]] = int(rank[1])

    def of(self, seen: Seen) -> int | None:
        """Return the rank of what was seen; None if nothing states it."""
        if seen.pid is not None and seen.pid in self._pids:
            return self._pids[seen.pid]
        if seen.pid is not None and seen.rank is None:
            # The name of a dump's file may have the number of the process.
            return rank_of_path(seen.path) if _RANK.search(seen.path.rpartition("/")[2]) else None
        named = self.named(seen.path, seen.line.process)
        # A prefix states the rank among all; a backend may state that within a group.
        return seen.rank if named is None else named

    def named(self, path: str, process: str) -> int | None:
        """Return the rank of a process by its name; a name without prefixes is the path of its log."""
        if process in self._engines:
            return None
        if named := _RANK.search(process):
            return int(named[1])
        if named := _LOCAL.search(process):
            return self._locals.get((path, named[1]), int(named[1]))
        if _TASK.match(process):
            return int(process)
        # A single log with a number in its name may be of all ranks.
        return rank_of_path(path) if self._are_several or _RANK.search(path.rpartition("/")[2]) else None


def rank_of_path(path: str) -> int | None:
    """Return the rank that the path of a log names; None if it names none."""
    folder, _, name = path.rpartition("/")
    found = _FOLDER.search(path) or _RANK.search(name) or _FILE.search(name) or _RANK.search(folder.rpartition("/")[2])
    return int(found[1]) if found else None
