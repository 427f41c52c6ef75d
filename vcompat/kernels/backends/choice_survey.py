"""The survey: each release's choices, run once per variant of the code that decides, and kept in the user's cache."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from typing import Any

from packaging.version import Version

from vcompat.facts.records.backends import (
    CAPABILITIES,
    HEADS,
    NOT_REACHED,
    OPEN,
    SINCE,
    VARIABLES,
    BackendRecord,
    Calls,
    Choices,
)
from vcompat.foundation.writing import write_whole
from vcompat.kernels.backends import release
from vcompat.kernels.backends.release import Source
from vcompat.kernels.runner import NotRun
from vcompat.rules.record import load_record
from vcompat.upstream.index import Release
from vcompat.upstream.store import Store, default_folder

_REPOSITORY = Path(__file__).parents[3]
#: What the answers depend on besides the release.
_METHOD = ("absent.py", "card.py", "choice_child.py", "engine_choice.py", "attention_selection.py", "import_watch.py")
#: Seconds that the choices of one release may take.
_PATIENCE = 600


class Answers(dict[str, Any]):
    """By capability: "engines" by the value of VLLM_USE_V1, "backends" by engine, one per head size."""


def releases() -> list[Version]:
    """Return the releases that are surveyed, oldest first."""
    return [version for version in load_record("vllm", with_rows=False).releases if version >= Version(SINCE)]


def sources(wanted: Sequence[Version], store: Store) -> Iterator[Source]:
    """Yield the releases, fetched if they are not there. Raises Unavailable."""
    for version in wanted:
        with store.open(Release("vllm", version, "", "", "", False)):
            yield release.read(version, store.folder / f"vllm-{version}.zip")


def survey(workers: int, each: Callable[[str], None]) -> tuple[BackendRecord, list[str]]:
    """Run all releases. Returns the record, and lines that state what stayed open and why. Raises NotRun."""
    known = list(sources(releases(), Store()))
    variants = {one.code: one for one in reversed(known)}

    def one(source: Source) -> tuple[str, Answers]:
        answers = run(source)
        each(f"choices of vLLM {source.version}")
        return source.code, answers

    with ThreadPoolExecutor(workers) as pool:
        answers = dict(pool.map(one, variants.values()))
    gaps = [line for source in known if variants[source.code] is source for line in _gaps(source, answers[source.code])]
    return BackendRecord(_merged(known, answers), tuple(_calls(known))), gaps


def run(source: Source, capabilities: Sequence[str] = CAPABILITIES, use_kept: bool = True) -> Answers:
    """Run the choices of a release in a child process, unless they are kept. Raises NotRun."""
    kept = _kept(source)
    if use_kept:
        with contextlib.suppress(OSError, ValueError):
            return Answers(json.loads(kept.read_text(encoding="utf-8")))
    job = {
        "archive": str(source.archive),
        "version": str(source.version),
        "present": source.present,
        "lacking": source.lacking,
        "capabilities": capabilities,
        "heads": HEADS,
    }
    path = os.pathsep.join(filter(None, [str(_REPOSITORY), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-m", "vcompat.kernels.backends.choice_child"],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    answers = Answers((line.pop("capability"), line) for line in map(json.loads, done.stdout.splitlines()))
    if set(answers) != set(capabilities):
        raise NotRun(f"the choices of vLLM {source.version}: {(done.stderr.strip().splitlines() or ['no answer'])[-1]}")
    if use_kept and not any("why" in answer for answer in answers.values()):
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, json.dumps(answers))
    return answers


def _kept(source: Source) -> Path:
    """The file of a variant in the user's cache: by the code that decides, and by how it is run."""
    method = [(Path(__file__).parent / name).read_bytes() for name in _METHOD]
    key = hashlib.sha256(b"".join([source.code.encode(), *method])).hexdigest()[:20]
    return default_folder().parent / "backends" / f"{key}.json"


def choices(source: Source, answers: Mapping[str, Any]) -> Choices:
    """Return the answers of one release as a variant of the record."""
    engines = {
        variable: {card: _word(answers[card]["engines"].get(variable)) for card in answers} for variable in VARIABLES
    }
    kinds = sorted({word for cells in engines.values() for word in cells.values()} & {"v0", "v1"})
    backends = {
        (kind, head): {card: _backend(answers[card]["backends"].get(kind), place) for card in answers}
        for kind in kinds
        for place, head in enumerate(HEADS)
    }
    return Choices(source.version, source.version, source.code, engines, backends)


def _word(found: str | None) -> str:
    # Up to 0.6.6, backends of V1 have names of their own.
    return OPEN if found is None or found.startswith(OPEN) else found.removesuffix("_VLLM_V1")


def _backend(found: Sequence[str] | None, place: int) -> str:
    return NOT_REACHED if found is None else _word(found[place])


def _merged(found: Sequence[Source], answers: Mapping[str, Answers]) -> tuple[Choices, ...]:
    """The variants: consecutive releases with the same choices are one."""
    rows = [choices(source, answers[source.code]) for source in found]
    runs = [list(run) for _, run in groupby(rows, key=lambda row: (row.engines, row.backends))]
    return tuple(run[0]._replace(last=run[-1].last) for run in runs)


def _calls(known: Sequence[Source]) -> Iterator[Calls]:
    """The runs of releases in which a backend calls the same functions."""
    for kind, name in sorted({key for source in known for key in source.calls}):
        for functions, run in groupby(known, key=lambda source: source.calls.get((kind, name))):
            if functions is not None:
                versions = [source.version for source in run]
                yield Calls(versions[0], versions[-1], kind, name, functions)


def _gaps(source: Source, answers: Answers) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for card, answer in answers.items():
        words = [*answer["engines"].values(), *(word for words in answer["backends"].values() for word in words)]
        for word in dict.fromkeys([*words, f"{OPEN} {answer['why']}" if "why" in answer else ""]):
            if word.startswith(OPEN):
                reasons.setdefault(word.lstrip(f"{OPEN} "), []).append(card)
    for reason, cards in reasons.items():
        yield f"the choice of vLLM {source.version} at {', '.join(cards)}: {reason}"
