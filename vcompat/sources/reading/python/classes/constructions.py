"""Records what configuration classes of libraries get, so that it can be compared with what a release has.

Only what certainly happens is recorded: not in a branch that may not run, not where an exception is caught.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from vcompat.facts.stated import COMPUTED, KEYWORD, OPTION, Setting, Stated
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.python.known_classes import first_parameter
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import ClassValue, Held, Lib, Value, plain_or
from vcompat.sources.reading.word import Word

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

#: Libraries whose configuration classes are compared with their releases.
_LIBRARIES = frozenset({"trl", "transformers", "peft", "vllm"})


class Given(NamedTuple):
    """What a parser of dataclasses gets."""

    kinds: tuple[Value, ...]
    options: Mapping[str, Held]
    """The options that the reader knows, by name, that are on the command line."""
    rest: tuple[Word, ...]
    """The words that it does not know."""
    document: Document | None
    """The file of settings, if unknown keys in it can be an error."""
    file_way: str
    """FILE if it depends on TRL's release whether they are, else OPTION."""
    is_complete: bool


def constructed(run: Run, kind: Lib, site: Site, own: Iterable[str] = (), whole: bool = True) -> None:
    """Record a call of a library's constructor.

    `own` are the keywords that a class of the script takes. Without `whole`, the constructor gets other keywords, too.
    """
    if site.parsed or run.uncertain or not _is_recorded(run, kind):
        return
    given = [(name, held) for name, held in site.keywords.items() if not held.optional]
    first = first_parameter(kind.name)
    if len(site.arguments) == 1 and first:
        given.insert(0, (first, site.arguments[0]))
    settings = tuple(_setting(name, held, KEYWORD) for name, held in given)
    complete = whole and not site.why_open and len(given) == len(site.arguments) + len(site.keywords)
    _add(run, Stated((f"{kind.root}.{kind.name}",), settings, site.place, frozenset(own), complete))


def _is_recorded(run: Run, kind: Lib) -> bool:
    """Return whether a class is that of a library, which the script does not change, and gets what the script says."""
    return _is_of_release(run, kind) and kind.path not in run.tampered and kind.name not in run.filtered


def _is_of_release(run: Run, kind: Lib) -> bool:
    return kind.imported and kind.root in _LIBRARIES and kind.name not in run.tampered


def parsed(run: Run, given: Given, site: Site) -> None:
    """Record what a parser fills its classes with, if all of them are known."""
    classes, own = [], set()
    for kind in given.kinds:
        for owner in run.objects.lineage(kind):
            if isinstance(owner, ClassValue):
                own |= _fields(owner)
            elif isinstance(owner, Lib) and _is_of_release(run, owner):
                classes.append(f"{owner.root}.{owner.name}")
            else:
                return
    if run.uncertain or not classes:
        return
    place = run.start.place or site.place
    settings = [_setting(name, held, OPTION) for name, held in given.options.items()]
    settings += [Setting(name, COMPUTED, place, OPTION) for name in _names(given.rest)]
    settings += _of_file(given)
    is_command = run.start.is_command
    if is_command:
        classes.append("accelerate.launch")
        own.add("accelerate_config")
    stated = Stated(tuple(classes), tuple(settings), place, frozenset(own), given.is_complete, abbreviates=True)
    _add(run, stated._replace(is_command=is_command))


def _add(run: Run, stated: Stated) -> None:
    """Add what is recorded, once: a call in a loop runs several times."""
    if stated not in run.stated:
        run.stated.append(stated)


def _fields(kind: ClassValue) -> set[str]:
    return ({*kind.fields} | {name for name, _ in kind.annotated()}) - {"**"}


def _names(words: Iterable[Word]) -> Iterable[str]:
    """Yield the names of the options among words that the reader does not know."""
    for word in words:
        if isinstance(word, str) and word.startswith("--") and len(word) > 2:
            yield word[2:].partition("=")[0]


def _of_file(given: Given) -> Iterable[Setting]:
    document = given.document
    if document is None:
        return
    for key, value in document.table.items():
        if key != "env" and str(key) not in given.options:
            plain = value if _is_scalar(value) else COMPUTED
            yield Setting(str(key), plain, document.place(str(key)), given.file_way)


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


def _setting(name: str, held: Held, way: str) -> Setting:
    return Setting(name, plain_or(held.value, COMPUTED), held.place, way)
