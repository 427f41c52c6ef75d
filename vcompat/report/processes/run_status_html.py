"""Which process of a run applied which patch, as a page: what differs first, then a table of each kind of process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from vcompat.evaluation.rank_patches import Ranks
from vcompat.foundation.version import __version__
from vcompat.patching.ledger import APPLIED
from vcompat.report.parts.html_parts import element, page
from vcompat.report.parts.layout import printable
from vcompat.report.processes.run_status_wording import Alike, alike, compared, total

_SEVERITY = {"differs": "error", "no ledger": "warning", "no difference": "note"}


def render(folder: str, ranks: Ranks, unusable: Sequence[str]) -> str:
    """The processes of a run as a page."""
    verdict = _verdict(ranks)
    return page(
        verdict,
        element(
            [
                f"<h1>vcompat: {verdict}</h1>",
                f"<p><code>{_text(folder)}</code></p>",
                f"<p>{_text(total(ranks))}</p>",
                *(_result("unusable", "warning", text) for text in unusable),
                *(_result(word, _SEVERITY[word], text) for word, text in compared(ranks)),
                *("\n".join(_processes(group)) for group in alike(ranks)),
                f"<footer>vcompat {escape(__version__)}</footer>",
            ]
        ),
    )


def _verdict(ranks: Ranks) -> str:
    if ranks.fails:
        return "not all ranks got the same"
    if ranks.missing:
        return f"{len(ranks.missing)} ranks wrote no ledger" if len(ranks.missing) > 1 else "a rank wrote no ledger"
    return "all ranks got the same" if len(ranks.each) > 1 else "what patches did in this run"


def _result(word: str, severity: str, text: str) -> str:
    return f'<article class="{severity}"><p><span class="word">{escape(word)}</span>{_text(text)}</p></article>'


def _processes(group: Alike) -> Iterator[str]:
    yield f"<section><h2>{_text(group.title)}</h2><p>{_text(group.about)}</p>"
    if group.patches:
        yield '<table><thead><tr><th scope="col">status</th><th scope="col">patch</th></tr></thead><tbody>'
        for status, name, reason in group.patches:
            color = "fixed" if status == APPLIED else "error"
            why = f"<br>{_text(reason)}" if reason else ""
            yield f'<tr><td class="{color}"><span class="word">{escape(status)}</span></td>'
            yield f"<td><code>{_text(name)}</code>{why}</td></tr>"
        yield "</tbody></table>"
    yield f"<p>{_text(group.others)}</p></section>" if group.others else "</section>"


def _text(text: str) -> str:
    return escape(printable(text))
