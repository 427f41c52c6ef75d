"""One of the two releases that are compared: what it offers, and where it defines what is used."""

from __future__ import annotations

from functools import cache

from vcompat.facts.use import ARGUMENT, METHOD, Use
from vcompat.upstream.archive import Archive, Tree
from vcompat.upstream.index import Release
from vcompat.upstream.offers.answer import offers
from vcompat.upstream.offers.definitions import Defined
from vcompat.upstream.scanning.release_uses import definitions_of


class Side:
    """The source of a release, opened."""

    def __init__(self, release: Release, source: Archive | Tree) -> None:
        self.release, self.source = release, source
        self.definitions = definitions_of(release, source)
        self._imports_in = cache(self.definitions.imports_in)

    def offers(self, use: Use) -> bool | None:
        """Whether the release has what `use` needs; None if the source does not determine it."""
        answer = offers(self.definitions, use)
        first, dot, rest = use.name.partition(".")
        defined = self.definition(use.module, first) if answer is None and use.kind in (ARGUMENT, METHOD) else None
        name = getattr(defined.node, "name", "") if defined else ""
        # A package that loads its names lazily may state only to type checkers where they are.
        return (
            offers(self.definitions, use._replace(module=defined.module, name=name + dot + rest))
            if defined and name
            else answer
        )

    def definition(self, module: str, name: str) -> Defined | None:
        """Return the function or the class that a name such as ``LLM.generate`` means; None if it is not found."""
        first, _, rest = name.partition(".")
        defined = self.definitions.find(module, first)
        if defined is None and first in self._imports_in(module):
            defined = self.definitions.find(*self._imports_in(module)[first])
        return self.definitions.method(defined, rest) if defined and rest else defined
