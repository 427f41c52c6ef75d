"""The grid of a rule about a kernel as an HTML table: releases by compute capabilities, the run's own marked.

A cell is a word; color repeats it. Screen readers get the headings of a cell's row and column.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.report.parts.kernels import Line, grid_of
from vcompat.rules.kernel_claim import KernelClaim

#: The class of a cell by its word.
_CLASSES = {"FAIL": "fails", "some": "partly", "else": "partly", "ok": "runs", "?": "open"}
_OWN = '<span class="own">this run</span>'


def table(claim: KernelClaim, facts: Facts) -> Iterator[str]:
    """Yield the table of a claim, with the release and the capabilities of `facts` marked; nothing if not recorded."""
    grid = grid_of(claim)
    if not grid.lines:
        return
    cards = _capabilities(facts)
    yield '<div class="wide"><table class="kernels">'
    yield f"<caption>Compiled for GPUs that were not there: {escape(grid.title)}</caption>"
    heads = "".join(
        f'<th scope="col">{escape(card)}{f" {_OWN}" if card in cards else ""}</th>' for card in grid.capabilities
    )
    yield f'<thead><tr><th scope="col">vLLM</th>{heads}</tr></thead><tbody>'
    for line in grid.lines:
        own = _is_of(line, facts)
        cells = "".join(
            f'<td class="{_CLASSES[word]}{" here" if own and card in cards else ""}">{escape(word)}</td>'
            for card, word in zip(grid.capabilities, line.words, strict=True)
        )
        yield f'<tr><th scope="row">{escape(line.span)}{f" {_OWN}" if own else ""}</th>{cells}</tr>'
    yield f"</tbody></table></div><p>{escape(grid.meanings)}</p>"


def _capabilities(facts: Facts) -> frozenset[str]:
    known = facts.value("gpu.compute_capability")
    return frozenset(map(str, known)) if isinstance(known, tuple) else frozenset()


def _is_of(line: Line, facts: Facts) -> bool:
    known = facts.value("packages.vllm")
    # A build such as 0.9.2+cu118 has the source of its release.
    return isinstance(known, Version) and Version(known.public) in line.releases
