"""The rows of one release, read from its source when they are asked for. `Names` answers from them as from an index."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from vcompat.index.encoding import Module, encoded
from vcompat.index.rows import (
    ATTRIBUTE,
    CLASS,
    CODE,
    FIELD,
    FUNCTION,
    IMPORT,
    KEY,
    LINE,
    STAR,
    STORED,
    TYPING,
    VARIABLE,
)
from vcompat.upstream.names.extract import rows_of
from vcompat.upstream.subjects import ROOTS, module_source

Read = Callable[[str], str | None]
_WORD = re.compile(r"\w+")
_STAR = re.compile(r"\bimport\s*\(?\s*\*")
#: Text that may define a name, in whatever way a row states.
_DEFINES = r"\b(?:class|def)\s+{0}\b|\b{0}\s*(?:[:=,)]|\bin\b)|['\"]{0}['\"]|\bglobal\b.*\b{0}\b|\bas\s+{0}\b"


class Rows:
    """The modules of one release, the only one: sets of releases are 1 or 0."""

    every = 1

    def __init__(self, root: str, read: Read, paths: Collection[str]) -> None:
        """`root` is the name that Python imports; `paths` are all files of the release."""
        self.root = root
        self._read = read
        self._folders = tuple(f"{start}{root}/" for start in ROOTS)
        self._paths = [path for path in paths if path.endswith(".py") and path.startswith(self._folders)]
        self._modules: dict[str, Module | None] = {}
        self._absent: dict[str, int] = {}
        self._with_word: dict[str, list[str]] = {}

    def module(self, name: str) -> Module | None:
        """Return what is known of a module; None if there is no file of it."""
        if name not in self._modules:
            path, source = module_source(name, self._read)
            self._modules[name] = None if source is None else _module(name, source, path.endswith("__init__.py"))
        return self._modules[name]

    def has_no_source(self, module: str) -> int:
        """Return 1 if the release imports a module of its own without having its source, or has files below it."""
        if module not in self._absent:
            self._absent[module] = int(self.module(module) is None and (self._below(module) or self._imports(module)))
        return self._absent[module]

    def defining(self, word: str) -> int:
        """Return 1 if the package defines a name anywhere."""
        return int(self._has_any(word, _DEFINES, (CLASS, FUNCTION, VARIABLE, ATTRIBUTE, FIELD, KEY)))

    def stores(self, word: str) -> bool:
        """Whether any code of the release stores an attribute of this name in some object."""
        return self._has_any(word, r"\.\s*{0}\b", (STORED,))

    def _has_any(self, word: str, text: str, kinds: Sequence[str]) -> bool:
        with_text = self._modules_with(word, re.compile(text.format(re.escape(word))))
        return any(
            here.having(kind, word, scope) for _, here in with_text for kind in kinds for scope in here.scopes(kind)
        )

    def modules_with(self, word: str) -> list[str]:
        """Return the modules that define a function, a class or a variable, those nearest to the top first."""
        with_text = self._modules_with(word, re.compile(_DEFINES.format(re.escape(word))))
        return [
            name for name, here in with_text if any(here.having(kind, word) for kind in (CLASS, FUNCTION, VARIABLE))
        ]

    def mentions(self, module: str, word: str) -> bool:
        """Return whether the text of a module, or of one below it, has a word."""
        having = self._having(word)
        at = bisect_left(having, module)
        return at < len(having) and (having[at] == module or having[at].startswith(f"{module}."))

    def stars(self, module: str) -> Iterable[str]:
        """Return the modules all of whose names a module imports."""
        source = module_source(module, self._read)[1]
        here = self.module(module) if source and "*" in source and _STAR.search(source) else None
        return here.names(STAR) if here else ()

    @cached_property
    def _words(self) -> dict[str, frozenset[str]]:
        """The words in each module."""
        return {module_of(path): _words_in(self._read(path) or "") for path in self._paths}

    def _modules_with(self, word: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, Module]]:
        """Yield the modules with a word whose text has a pattern. Reading the rows of all modules takes minutes."""
        for name in sorted(self._having(word), key=lambda name: (name.count("."), name)):
            if pattern.search(module_source(name, self._read)[1] or ""):
                here = self.module(name)
                if here is not None:
                    yield name, here

    def _having(self, word: str) -> list[str]:
        """The modules whose text has a word, sorted."""
        if word not in self._with_word:
            self._with_word[word] = sorted(name for name, words in self._words.items() if word in words)
        return self._with_word[word]

    def _below(self, module: str) -> bool:
        folder = module.replace(".", "/")
        return any(path.startswith(tuple(f"{root}{folder}/" for root in ROOTS)) for path in self._paths)

    def _imports(self, module: str) -> bool:
        """Whether the release imports a module itself: then a build creates it, or it is compiled."""
        last = module.rpartition(".")[2]
        # No package has a module that is named like a class; hundreds of modules import each class.
        if last[:1].isupper():
            return False
        imports = re.compile(rf"import\b[^#]*\b{re.escape(last)}\b|\b{re.escape(last)}\b.*\bimport\b")
        return any(
            name == module or name.startswith(f"{module}.")
            for _, here in self._modules_with(last, imports)
            for name in _targets(here)
        )


def _targets(here: Module) -> Iterator[str]:
    """The dotted names that a module imports; for ``from a import b``, ``a.b``."""
    for scope in here.scopes(STAR):
        yield from here.names(STAR, scope)
    for kind in (IMPORT, TYPING):
        for scope in here.scopes(kind):
            for values in here.names(kind, scope).values():
                yield from (value.replace(":", ".").rstrip(".") for value, _ in values)


def module_of(path: str) -> str:
    """Return the name of the module that a file of a release is."""
    plain = path.removeprefix(next(root for root in reversed(ROOTS) if path.startswith(root)))
    return plain.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


# Neighboring releases share most files. A large release has some 400 that others use.
@lru_cache(maxsize=3000)
def _module(name: str, source: str, is_package: bool) -> Module:
    rows = {row: 1 for row in rows_of(name, source, is_package) if row[0] not in (CODE, LINE)}
    return Module(encoded(1, rows, 1), 1)


@lru_cache(maxsize=30000)
def _words_in(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))
