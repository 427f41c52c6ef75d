"""Which releases of TRL, vLLM, torch and transformers work together: a table, and a page for each GPU generation."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import NamedTuple

from packaging.version import Version

from vcompat.fixes.compatibility import Reason
from vcompat.fixes.matrix import Matrix, Row
from vcompat.fixes.planned_runs import runs_of
from vcompat.fixes.releases import FIRST_WITH_GRPO, Catalogue, Pin, Wish, recorded_releases
from vcompat.rules.rule import Rule
from vcompat.sources.gather import Sources
from vcompat.sources.targets.target import read_target
from web import knowledge
from web.page import Page
from web.pages.generations import GENERATIONS, Generation

#: The Python for which releases are chosen: all recorded ones of these years take it.
PYTHON = Version("3.12")


class Cell(NamedTuple):
    """What one release of TRL works with on one generation, or why with nothing."""

    text: str
    """The release of vLLM, or a dash."""
    works: bool
    title: str
    """The whole set, or the reason."""
    link: str
    """The name of the page that has the reason, with an anchor; empty if it works."""


class Table(NamedTuple):
    """The matrix of one generation."""

    generation: Generation
    rows: list[Row]
    """For the newest release of each minor one of TRL, newest first."""
    grid: list[tuple[Pin, list[Cell]]]
    """The same releases against those of vLLM."""
    vllm: list[Version]
    """The columns of the grid, newest first: the newest release of each minor one."""


def pages() -> Iterator[Page]:
    """Yield the table of all generations and a page for each."""
    tables = _tables()
    lines = []
    for number, row in enumerate(tables[0].rows):
        lines.append((row.pin.version, [_cell(one.rows[number], one.generation) for one in tables]))
    yield Page(
        "matrix",
        "releases/matrix.html",
        "Which releases of TRL, vLLM, torch and transformers work together",
        "The newest vLLM, torch and transformers for each release of TRL on each GPU generation, from V100 to "
        "Blackwell, with the reason where there is none.",
        {"generations": GENERATIONS, "lines": lines, "python": PYTHON},
    )
    for one in tables:
        yield _page(one)


def _page(matrix: Table) -> Page:
    newest = next((row.pins for row in matrix.rows if row.pins), ())
    called = f"{matrix.generation.name} (compute capability {matrix.generation.capability})"
    chosen = ", ".join(map(str, newest[:4]))
    return Page(
        f"matrix/{matrix.generation.capability}",
        "releases/generation.html",
        f"TRL and vLLM releases for {called}",
        f"Which releases work together for GRPO on {called}: {chosen or 'none'} are the newest.",
        {
            "table": matrix,
            "rows": [(row, {pin.package: pin.version for pin in row.pins}, _cell(row)) for row in matrix.rows],
            "newest": newest,
            "install": " ".join(f'"{pin.package}=={pin.version}"' for pin in newest if pin.package in ("trl", "vllm")),
            "python": PYTHON,
            "about": [(knowledge.name_of(rule), rule) for rule in _about(matrix.generation)],
        },
    )


def _about(generation: Generation) -> list[Rule]:
    """Return the rules that ask for the compute capability, and that it does not exclude."""
    facts = read_target(generation.target)
    asking = [rule for rule in knowledge.rules() if "gpu.compute_capability" in set(rule.when.names())]
    return [rule for rule in asking if rule.when.truth(facts) is not False]


def _tables() -> list[Table]:
    """Return the matrix of each generation, computed side by side: each takes seconds of a processor."""
    if len(GENERATIONS) == 1:
        return [table(GENERATIONS[0])]
    with ProcessPoolExecutor() as pool:
        return list(pool.map(table, GENERATIONS))


@cache
def table(generation: Generation) -> Table:
    """Return the matrix of a generation, as ``resolve --target`` computes it."""
    catalogue = catalogued()
    runs = runs_of(Sources(target=generation.target))
    matrix = Matrix(Wish(runs, PYTHON, {}), catalogue, knowledge.rules())
    trl = [version for version in _minors(catalogue, "trl") if version >= FIRST_WITH_GRPO]
    rows = [matrix.row("trl", version) for version in trl]
    vllm = _minors(catalogue, "vllm")
    grid = [(row.pin, [_pair(matrix, row.pin, Pin("vllm", version)) for version in vllm]) for row in rows]
    shown = [number for number in range(len(vllm)) if any(cells[number].works for _, cells in grid)]
    return Table(
        generation,
        rows,
        [(pin, [cells[number] for number in shown]) for pin, cells in grid],
        [vllm[number] for number in shown],
    )


@cache
def catalogued() -> Catalogue:
    """Return the recorded releases."""
    return recorded_releases()


def _minors(catalogue: Catalogue, package: str) -> list[Version]:
    """Return the newest release of each minor one, newest first, without those that were yanked."""
    newest: dict[tuple[int, ...], Version] = {}
    for version in sorted(catalogue.releases[package]):
        if version not in catalogue.yanked.get(package, ()) and not version.is_prerelease:
            newest[version.release[:2]] = version
    return sorted(newest.values(), reverse=True)


def _cell(row: Row, generation: Generation | None = None) -> Cell:
    """Return the cell of a release of TRL. A reason that is no rule is on the page of `generation`, if one is given."""
    if row.pins:
        vllm = next((str(pin.version) for pin in row.pins if pin.package == "vllm"), "")
        return Cell(vllm, True, ", ".join(map(str, row.pins)), "")
    page = f"matrix/{generation.capability}#trl-{row.pin.version}" if generation else _of_release(row.pin)
    return _hole(row.reason, page)


def _pair(matrix: Matrix, one: Pin, other: Pin) -> Cell:
    reason = matrix.pair(one, other)
    return Cell("yes", True, f"{one} and {other}", "") if reason is None else _hole(reason, _of_release(one))


def _of_release(pin: Pin) -> str:
    return f"packages/{pin.package}#{pin.version}"


def _hole(reason: Reason | None, page: str) -> Cell:
    """Return a cell without a set: its link leads to the rule that is the reason, else to `page`."""
    rules: dict[str, Rule] = {rule.id: rule for rule in knowledge.rules()}
    text = reason.text if reason is not None else "not known"
    rule = rules.get(reason.rule) if reason is not None else None
    return Cell("no", False, text, knowledge.name_of(rule) if rule is not None else page)
