"""A clone of an upstream repository, read with git: its tags, the files of a tag, and the commits between two tags."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from vcompat.foundation.errors import InputError

_EXPECTED = "a full clone of the package's repository with its tags"
#: Who commits when a pull request is merged on GitHub.
_GITHUB = "noreply@github.com"
#: The number that GitHub adds to the subject of a squashed pull request, and the subject of a merged one.
_SQUASHED, _MERGED = re.compile(r"\(#([0-9]+)\)"), re.compile(r"Merge pull request #([0-9]+) from ")
#: A commit in the output of git log, and a file that it changes.
_COMMIT = "\x01"
_CHANGE = re.compile(r":(?P<modes>\d+ \d+) (?P<old>[0-9a-f]+) (?P<new>[0-9a-f]+) [A-Z]\d*\t(?P<path>.+)")
_REGULAR = frozenset({"100644", "100755", "000000"})

#: Stands for the content of what is not a regular file, such as a link.
UNKNOWN = "unknown"


class Step(NamedTuple):
    """What one commit did to a file: contents are named as git names them, empty where there is no file."""

    old: str
    new: str
    pull: int | None
    """The number of the pull request that it merges; None if it is not known to merge one."""


class Clone:
    """A clone in a folder."""

    def __init__(self, folder: Path) -> None:
        """Raises InputError if the folder is not a full clone, or git cannot be started."""
        self._folder = folder
        if self._git("rev-parse", "--is-shallow-repository").strip() != "false":
            raise InputError(str(folder), "a shallow clone, which lacks commits", _EXPECTED)

    @cached_property
    def tags(self) -> frozenset[str]:
        """The names of the tags."""
        return frozenset(self._git("tag").split())

    def files(self, tag: str) -> dict[str, str]:
        """Return the content of each file of a tag, by its path."""
        contents = {}
        for line in self._git("ls-tree", "-r", f"refs/tags/{tag}").splitlines():
            about, _, path = line.partition("\t")
            mode, _, content = about.split(" ")
            contents[path] = content if mode in _REGULAR else UNKNOWN
        return contents

    def steps(self, before: str, after: str) -> dict[str, list[Step]]:
        """Return what the commits of one tag that another lacks did to each Python file, the oldest first.

        Of a merge commit, what it did to its first parent counts, so the steps of a file are a chain to `after`.
        """
        steps_of: dict[str, list[Step]] = {}
        words = ("--first-parent", "-m", "--raw", "--no-abbrev", "--no-renames", "--reverse", "--topo-order")
        span = f"refs/tags/{before}..refs/tags/{after}"
        for commit in self._git("log", *words, f"--format={_COMMIT}%ce %s", span).split(_COMMIT)[1:]:
            head, *lines = commit.splitlines()
            pull = self._pull(head)
            for change in filter(None, map(_CHANGE.fullmatch, lines)):
                if change["path"].endswith(".py"):
                    old, new = map(_content, change["modes"].split(" "), (change["old"], change["new"]))
                    steps_of.setdefault(change["path"], []).append(Step(old, new, pull))
        return steps_of

    def text(self, content: str) -> str:
        """Return the text of a file's content. Raises UnicodeDecodeError if it is none."""
        return self._run("cat-file", "blob", content).decode()

    def _pull(self, head: str) -> int | None:
        """The pull request of a commit: one that GitHub merged, or that was picked from such a one."""
        numbers = list(_numbers(head))
        if not numbers or (len(numbers) > 1 and not _is_by_github(head)):
            return None
        return numbers[-1] if numbers[-1] in self._merged else None

    @cached_property
    def _merged(self) -> frozenset[int]:
        """The numbers of all pull requests that GitHub merged. What others write may be the number of an issue."""
        heads = filter(_is_by_github, self._git("log", "--all", "--format=%ce %s").splitlines())
        return frozenset(numbers[-1] for numbers in map(list, map(_numbers, heads)) if numbers)

    def _git(self, *words: str) -> str:
        return self._run(*words).decode("utf-8", "replace")

    def _run(self, *words: str) -> bytes:
        # A clone that lacks contents does not fetch them, and nothing replaces a commit.
        environment = {**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1", "LC_ALL": "C"}
        command = ["git", "-C", str(self._folder), "-c", "log.showSignature=false", "--no-pager", *words]
        try:
            done = subprocess.run(command, check=False, capture_output=True, env=environment)
        except OSError as error:
            raise InputError("git", error.strerror or str(error), "the program git") from None
        if done.returncode:
            trouble = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise InputError(str(self._folder), trouble[-1] if trouble else "git failed", _EXPECTED)
        return done.stdout


def _is_by_github(head: str) -> bool:
    return head.startswith(f"{_GITHUB} ")


def _numbers(head: str) -> Iterator[int]:
    """The numbers of pull requests in the subject of a commit, if it ends as that of a merged one does."""
    subject = head.partition(" ")[2].rstrip()
    if merged := _MERGED.match(subject):
        yield int(merged[1])
    elif subject.endswith(")") and _SQUASHED.match(subject, subject.rfind("(")):
        yield from map(int, _SQUASHED.findall(subject))


def _content(mode: str, content: str) -> str:
    return UNKNOWN if mode not in _REGULAR else content.strip("0") and content
