"""Since when and until when releases have models, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vcompat.facts.records.models import ARCHITECTURES, MODEL_TYPES, ModelRecord

_WORDS = {ARCHITECTURES: "architecture", MODEL_TYPES: "model type"}


def known_names(record: ModelRecord) -> list[str]:
    """Return the architectures and model types that any release has."""
    return [name for kind in _WORDS for name in record.every(kind)]


def model_table(record: ModelRecord, names: Sequence[str]) -> Iterator[str]:
    """Yield a line for each of `names`, of which releases have it; for every name if `names` is empty."""
    rows = [
        (_WORDS[kind], name, ", ".join(f"{first} - {last or ''}".rstrip() for first, last in record.ever(kind, name)))
        for kind in _WORDS
        for name in record.every(kind)
        if not names or name in names
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    for word, name, releases in rows:
        yield f"{word:<{widths[0]}}  {name:<{widths[1]}}  {releases}"
