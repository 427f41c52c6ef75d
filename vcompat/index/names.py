"""What the releases of a package offer: names in modules, attributes of classes, arguments of functions.

Answers hold for many releases at once. Re-exports, star imports, lazy modules and bases are followed. What the source
does not determine, such as names made at run time and compiled modules, is neither there nor absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from vcompat.index.encoding import Module
from vcompat.index.rows import (
    ATTRIBUTE,
    CLASS,
    CONDITIONAL,
    FIELD,
    FLAG,
    FOREIGN,
    FUNCTION,
    IMPORT,
    KEY,
    LAZY,
    LISTED,
    META,
    OUTLINED,
    SOME,
    STAR,
    STORED,
    TYPING,
    VARIABLE,
    union,
)
from vcompat.index.signature_text import accepts
from vcompat.index.store import index_of

#: Folders of which no module is in the index; `vcompat.upstream.names.sources` leaves them out.
LEFT_OUT = frozenset({"tests", "test", "third_party", "_vendor", "csrc"})
#: Limit on re-exports and bases that are followed one after the other.
_DEPTH = 14
#: transformers computes further names of classes from names with these ends.
_COMPUTED_ENDS = ("Fast", "Tokenizer", "ImageProcessor", "FeatureExtractor", "PretrainedConfig")
#: Bases without attributes of interest, which every object has anyway.
_PLAIN = frozenset({"object", "Generic", "Protocol", "ABC", "typing.Generic", "abc.ABC"})
#: Decorators of classes that leave their constructor as fields and bases make it.
_PLAIN_CLASS = frozenset({"@dataclass", "@final", "@runtime_checkable"})
_OTHERS = (CLASS, FUNCTION, VARIABLE, FOREIGN)


class Answer(NamedTuple):
    """Whether releases have something: sets of releases, a bit for each. The others do not have it."""

    has: int
    may: int = 0
    """The releases whose source does not determine it."""

    def __or__(self, other: object) -> Answer:
        """Return the answer for releases of two answers."""
        assert isinstance(other, Answer)
        has = self.has | other.has
        return Answer(has, (self.may | other.may) & ~has)


class Defined(NamedTuple):
    """Where some releases define a name."""

    module: str
    name: str
    kind: str
    """CLASS, FUNCTION, VARIABLE or FOREIGN; empty for a module."""
    releases: int


class Rows(Protocol):
    """What answers are read from: an `Index`, or the source of one release."""

    @property
    def every(self) -> int: ...
    @property
    def root(self) -> str: ...
    def module(self, name: str, /) -> Module | None: ...
    def has_no_source(self, module: str, /) -> int: ...
    def defining(self, word: str, /) -> int: ...
    def mentions(self, module: str, word: str, /) -> bool: ...
    def stars(self, module: str, /) -> Iterable[str]: ...


class Names:
    """Answers from one index."""

    def __init__(self, index: Rows) -> None:
        self._index = index
        self._anywhere: dict[str, int] = {}
        self._leaving: dict[str, bool] = {}

    def module(self, name: str) -> Answer:
        """Whether a module can be imported."""
        known = self._index.module(name)
        has = known.mask if known else 0
        unknown = self._index.has_no_source(name)
        if not LEFT_OUT.isdisjoint(name.split(".")):
            unknown = self._index.every
        for parent in _parents(name):
            above = self._index.module(parent)
            unknown |= above.having(FLAG, "makes") | above.having(FLAG, "broken") if above else 0
            if self._index.has_no_source(parent):
                unknown |= self._index.has_no_source(parent)
        return Answer(has, unknown & ~has)

    def name(self, module: str, name: str, releases: int = -1, depth: int = 0) -> Answer:
        """Whether ``from module import name`` finds the name, given that the module can be imported."""
        releases &= self._index.every
        here = self._index.module(module)
        if here is None or depth > _DEPTH:
            return Answer(0, releases & (self._index.has_no_source(module) if here is None else -1))
        known = releases & here.mask
        answer = Answer(0, releases & ~here.mask & self._index.has_no_source(module))
        answer |= Answer(0, known & here.having(FLAG, "broken"))
        # What replaces a module has other names than its body binds.
        conditional = here.having(CONDITIONAL, name) | here.having(FLAG, "replaced")
        for kind in (*_OTHERS, IMPORT):
            bound = known & here.having(kind, name)
            answer |= Answer(bound & ~conditional, bound & conditional)
        inside = self._index.module(f"{module}.{name}")
        if inside is not None:
            answer |= Answer(known & inside.mask)
        left = known & ~answer.has
        return answer | self._indirectly(here, module, name, left, depth) if left else answer

    def _indirectly(self, here: Module, module: str, name: str, releases: int, depth: int) -> Answer:
        """Whether a module has a name that it neither defines nor imports by name."""
        computes = releases & here.having(FLAG, "computes")
        if name[:1].isupper() and (lazy := computes & here.having(FLAG, "replaced")):
            # A package that loads its classes lazily computes names of modules only.
            computes &= ~lazy | self._defined_anywhere(name)
        answer = Answer(0, computes | releases & here.having(FLAG, OUTLINED))
        answer |= Answer(0, releases & self._index.has_no_source(f"{module}.{name}"))
        if name.startswith("__") and name.endswith("__"):
            answer |= Answer(0, releases)
        replaced = releases & (here.having(FLAG, "replaced") | here.having(FLAG, "lazy"))
        if replaced:
            listed = here.having(TYPING, name) | here.having(LAZY, name) | here.having(KEY, name, "_import_structure")
            answer |= Answer(replaced & here.having(TYPING, name), replaced & listed)
            forwards = replaced & ~answer.has & (here.having(FLAG, "forwards") | here.having(FLAG, "replaced"))
            if forwards:
                answer |= Answer(0, forwards & self._defined_anywhere(name))
        for star, values in here.names(STAR).items():
            mask = releases & union(mask for _, mask in values) & ~answer.has
            if star.partition(".")[0] != self._root:
                # What replaces a module has no names of other packages; only code for type checkers imports them.
                mask &= ~here.having(FLAG, "replaced")
            if mask and self._may_provide(star, name):
                found = self._through_star(star, name, mask, depth)
                unlisted = found.has & here.having(FLAG, "replaced") & self._unlisted(star, name)
                answer |= Answer(found.has & ~unlisted, found.may | unlisted)
        return answer

    def _unlisted(self, module: str, name: str) -> int:
        """The releases in which a package that loads names lazily may leave one out that a module of it has.

        Names are loaded from the lists of modules, not because code for type checkers imports all of them.
        """
        there = self._index.module(module)
        if there is None or self._index.module(f"{module}.{name}") is not None:
            return self._index.every
        return there.mask & ~(there.having(FLAG, "replaced") | there.having(KEY, name, "__all__"))

    def _may_provide(self, star: str, name: str) -> bool:
        """Whether a module of the package can bind a name: something in it, or below it, has that name."""
        return star.partition(".")[0] != self._root or self._index.mentions(star, name) or self._leaves(star)

    def _leaves(self, module: str) -> bool:
        """Whether a module has all names of one that is not below it, at once or through others."""
        if module not in self._leaving:
            self._leaving[module] = False
            self._leaving[module] = any(
                not star.startswith(f"{module}.") or (star != module and self._leaves(star))
                for star in self._index.stars(module)
            )
        return self._leaving[module]

    def _through_star(self, star: str, name: str, releases: int, depth: int) -> Answer:
        if star.partition(".")[0] != self._root:
            return Answer(0, releases)
        there = self._index.module(star)
        answer = self.name(star, name, releases, depth + 1)
        if there is None:
            return answer
        limited = there.having(VARIABLE, "__all__")
        listed = there.having(KEY, name, "__all__")
        hidden = releases & (limited & ~listed | (there.mask & ~limited if name.startswith("_") else 0))
        may = (answer.may | answer.has & hidden) & releases
        return Answer(answer.has & ~hidden, may & ~self._left_out_of_all(there, name, limited & ~listed))

    def _left_out_of_all(self, there: Module, name: str, releases: int) -> int:
        """The releases in which an outlined module does not list a name in its ``__all__``.

        A list of one name is not in the index. That name is one of a class, which the package defines somewhere.
        """
        outlined = releases & there.having(FLAG, OUTLINED)
        several = union(mask for values in there.names(KEY, "__all__").values() for _, mask in values)
        if not outlined & ~several or not name[:1].isupper():
            return outlined & several
        return outlined & (several | ~self._defined_anywhere(name))

    def _defined_anywhere(self, name: str) -> int:
        if name.endswith(_COMPUTED_ENDS):
            return self._index.every
        if name not in self._anywhere:
            self._anywhere[name] = self._index.defining(name)
        return self._anywhere[name]

    @property
    def _root(self) -> str:
        return self._index.root

    def find(self, module: str, name: str, releases: int = -1, depth: int = 0) -> Iterator[Defined]:
        """Yield where a name in a module is defined, with re-exports followed."""
        releases &= self._index.every
        here = self._index.module(module)
        if here is None or depth > _DEPTH or not releases:
            return
        left = releases & here.mask
        for kind in _OTHERS:
            if bound := left & here.having(kind, name):
                yield Defined(module, name, kind, bound)
        bound_here = union(here.having(kind, name) for kind in _OTHERS)
        for target, mask in (*here.names(IMPORT).get(name, ()), *here.names(TYPING).get(name, ())):
            origin, _, original = target.partition(":")
            if origin.partition(".")[0] != self._root:
                yield Defined(origin, original, FOREIGN, left & mask & ~bound_here)
            elif original:
                yield from self.find(origin, original, left & mask & ~bound_here, depth + 1)
            elif self._index.module(origin):
                yield Defined(origin, "", "", left & mask & ~bound_here)
            bound_here |= mask
        for star, values in here.names(STAR).items():
            mask = left & ~bound_here & union(mask for _, mask in values)
            if mask and star.partition(".")[0] == self._root and self._may_provide(star, name):
                yield from self.find(star, name, mask, depth + 1)
        inside = self._index.module(f"{module}.{name}")
        if inside is not None and (bound := left & ~bound_here & inside.mask):
            yield Defined(f"{module}.{name}", "", "", bound)

    def attribute(self, module: str, owner: str, name: str, releases: int = -1, depth: int = 0) -> Answer:
        """Whether the objects of a class have an attribute, as far as it or a base sets it."""
        releases &= self._index.every
        here = self._index.module(module)
        if here is None or depth > _DEPTH:
            return Answer(0, releases)
        has = union(here.having(kind, name, owner) for kind in (FUNCTION, VARIABLE, FIELD, ATTRIBUTE, CLASS, IMPORT))
        conditional = here.having(CONDITIONAL, name, owner)
        answer = Answer(releases & has & ~conditional, releases & has & conditional)
        scope, _, plain = owner.rpartition(".")
        for value, mask in here.names(CLASS, scope).get(plain, ()):
            left = releases & mask & ~answer.has
            bases, *marks = value.split(" ") if value else [""]
            unknown = left if SOME in marks or META in marks else left & here.having(FLAG, OUTLINED)
            answer |= Answer(0, unknown)
            for base in filter(None, bases.split(",")):
                if base not in _PLAIN and left:
                    answer |= self._in_base(module, base, name, left, depth)
        return answer

    def _in_base(self, module: str, base: str, name: str, releases: int, depth: int) -> Answer:
        answer = Answer(0)
        found = list(self.find(module, base, releases)) if base.isidentifier() else []
        seen = 0
        for defined in found:
            seen |= defined.releases
            if defined.kind == CLASS:
                answer |= self.attribute(defined.module, defined.name, name, defined.releases, depth + 1)
            elif not _is_nowhere(defined, name):
                answer |= Answer(0, defined.releases)
        return answer | Answer(0, releases & ~seen)

    def stored_anywhere(self, name: str) -> int:
        """Return the releases in which any code of the package defines a name or stores an attribute of this name."""
        return self._defined_anywhere(name)

    def takes(self, module: str, name: str, argument: str, releases: int = -1) -> Answer:
        """Whether a function, a class or a method (``LLM.generate``) accepts a keyword."""
        first, _, rest = name.partition(".")
        there = self.name(module, first, releases)
        answer, seen = self._each_takes(self.find(module, first, releases), rest, argument, 0)
        return answer | Answer(0, (there.has | there.may) & ~seen)

    def _each_takes(self, meanings: Iterable[Defined], method: str, argument: str, depth: int) -> tuple[Answer, int]:
        """Whether functions and classes accept a keyword, and the releases that have them."""
        answer, seen = Answer(0), 0
        for defined in meanings:
            if defined.kind in (FUNCTION, CLASS):
                seen |= defined.releases
                answer |= self._takes(defined, method, argument, depth)
        return answer, seen

    def _takes(self, defined: Defined, method: str, argument: str, depth: int) -> Answer:
        if depth > _DEPTH or (defined.kind == FUNCTION and method):
            return Answer(0, defined.releases)
        if defined.kind == FUNCTION:
            return self._function_takes(defined, "", argument, depth)
        return self._class_takes(defined, method, argument, depth)

    def _function_takes(self, defined: Defined, scope: str, argument: str, depth: int) -> Answer:
        """Whether a function, or the method of a class `scope`, accepts a keyword."""
        here = self._index.module(defined.module)
        answer = Answer(0)
        for text, mask in here.names(FUNCTION, scope).get(defined.name, ()) if here else ():
            accepted, passed_on = accepts(text, argument)
            left = defined.releases & mask
            if accepted:
                answer |= Answer(left)
            elif accepted is None:
                answer |= Answer(0, left)
            elif passed_on:
                callees = self.find(defined.module, passed_on, left)
                takes, seen = self._each_takes(callees, "", argument, depth + 1)
                answer |= takes | Answer(0, left & ~seen)
        return answer

    def _class_takes(self, defined: Defined, method: str, argument: str, depth: int) -> Answer:
        """Whether a class's constructor or method accepts a keyword. Fields are those of dataclasses."""
        here = self._index.module(defined.module)
        if here is None:
            return Answer(0, defined.releases)
        own = defined.releases & here.having(FUNCTION, method or "__init__", defined.name)
        function = Defined(defined.module, method or "__init__", FUNCTION, own)
        answer = self._function_takes(function, defined.name, argument, depth) if own else Answer(0)
        for value, mask in here.names(CLASS).get(defined.name, ()):
            left = mask & defined.releases & ~own
            bases, *marks = value.split(" ") if value else [""]
            left_out = _left_out(here, method, marks) & left
            answer |= Answer(0, left_out)
            left &= ~left_out
            is_plain = _PLAIN_CLASS.issuperset(marks) and not here.having(FUNCTION, "__new__", defined.name)
            if not method and "@dataclass" in marks:
                answer |= Answer(left & here.having(FIELD, argument, defined.name))
            if not method and not is_plain:
                answer |= Answer(0, left & ~answer.has)
                continue
            answer |= self._bases_take(defined._replace(releases=left & ~answer.has), bases, method, argument, depth)
        return answer

    def _bases_take(self, defined: Defined, bases: str, method: str, argument: str, depth: int) -> Answer:
        answer = Answer(0)
        for base in filter(None, bases.split(",")):
            if base not in _PLAIN:
                found = self.find(defined.module, base, defined.releases) if base.isidentifier() else ()
                classes = (one for one in found if one.kind == CLASS)
                takes, seen = self._each_takes(classes, method, argument, depth + 1)
                answer |= takes | Answer(0, defined.releases & ~seen)
        return answer

    def signatures(self, module: str, name: str, releases: int = -1) -> list[tuple[str, int]]:
        """Return the signatures of a function or a method, each with the releases that have it."""
        first, _, rest = name.partition(".")
        signatures: dict[str, int] = {}
        for defined in self.find(module, first, releases & self._index.every):
            here = self._index.module(defined.module)
            scope, plain = (defined.name, rest) if rest else ("", defined.name)
            for text, mask in here.names(FUNCTION, scope).get(plain, ()) if here else ():
                if both := mask & defined.releases:
                    signatures[text] = signatures.get(text, 0) | both
        return list(signatures.items())

    def stored(self, module: str, name: str) -> int:
        """Return the releases in which code of a module stores an attribute of this name in some object."""
        here = self._index.module(module)
        return here.having(STORED, name) if here else 0


def _is_nowhere(base: Defined, attribute: str) -> bool:
    """Whether no release of another package gives a base from it an attribute: nothing in it has that name."""
    index = index_of(base.module) if base.kind == FOREIGN and base.name else None
    if index is None or not any(one.kind == CLASS for one in Names(index).find(base.module, base.name)):
        return False
    return not index.has(attribute)


def _left_out(here: Module, method: str, marks: Sequence[str]) -> int:
    """The releases in which the index may lack a method of a class of a module, or the fields of its constructor."""
    is_private = method.startswith("_") and method not in ("__init__", "__call__")
    has_fields = not method and "@dataclass" in marks
    return here.having(FLAG, LISTED) | (here.having(FLAG, OUTLINED) if is_private or has_fields else 0)


def _parents(module: str) -> Iterator[str]:
    while "." in module:
        module = module.rpartition(".")[0]
        yield module
