"""Errors of Python that say what is missing, in parts: a name, a module, an attribute, an argument."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

NAME, MODULE, ATTRIBUTE, KEYWORD, REQUIRED, POSITIONAL, KEY = (
    "name",
    "module",
    "attribute",
    "keyword",
    "required",
    "positional",
    "key",
)


class Missing(NamedTuple):
    """What an error says is missing."""

    kind: str
    owner: str
    """The module, class or function that lacks it; for a key, empty."""
    name: str
    """The name, the argument, or the key; for too many arguments, how many were given."""


_NAME = r"[A-Za-z_]\w*"
_DOTTED = rf"{_NAME}(?:\.(?:{_NAME}|<locals>|<lambda>))*"
#: Word processors and issues turn quotes into typographic ones.
_OPEN = _CLOSE = "['`\"\u2018\u2019\u201c\u201d]"
_PATTERNS = (
    (
        NAME,
        rf"cannot import name {_OPEN}(?P<name>{_NAME}){_CLOSE} from (?:partially initialized module )?"
        rf"{_OPEN}(?P<owner>{_DOTTED})(?:{_CLOSE}|\s*$)(?!.*circular import)",
    ),
    (NAME, rf"cannot import name {_OPEN}(?P<name>{_NAME})(?P<owner>){_CLOSE}\s*$"),
    (NAME, rf"\b[Mm]odule {_OPEN}?(?P<owner>{_DOTTED}){_CLOSE}? has no attribute {_OPEN}?(?P<name>{_NAME}){_CLOSE}?"),
    # A file of the user can have the name of a package; then there is nothing in it.
    (MODULE, rf"No module named {_OPEN}(?P<owner>{_NAME})(?P<name>(?:\.{_NAME})+){_CLOSE}(?!.*is not a package)"),
    (
        ATTRIBUTE,
        rf"(?:type object )?{_OPEN}(?P<owner>{_DOTTED}){_CLOSE} (?:object )?has no attribute "
        rf"{_OPEN}(?P<name>{_NAME}){_CLOSE}?",
    ),
    (ATTRIBUTE, rf"(?P<owner>[A-Z]\w+) has no attribute (?P<name>{_NAME})"),
    (KEYWORD, rf"(?P<owner>{_DOTTED})\(\) got an unexpected keyword argument {_OPEN}(?P<name>{_NAME}){_CLOSE}"),
    (
        REQUIRED,
        rf"(?P<owner>{_DOTTED})\(\) missing \d+ required (?:positional|keyword-only) arguments?: "
        rf"{_OPEN}(?P<name>{_NAME}){_CLOSE}",
    ),
    (
        POSITIONAL,
        rf"(?P<owner>{_DOTTED})\(\) takes (?:from \d+ to )?\d+ positional arguments? "
        r"but (?P<name>\d+) (?:was|were) given",
    ),
    (KEY, rf"KeyError: {_OPEN}(?P<name>[\w.-]+)(?P<owner>){_CLOSE}\s*$"),
    (
        KEY,
        r"(?:ValueError|KeyError|NotImplementedError|AssertionError): "
        r"(?=.*(?i:unsupported|not (?:yet )?supported|unknown|unrecognized|not recogni|not found|invalid|not valid))"
        rf".{{0,400}}?{_OPEN}(?P<name>[\w.-]+)(?P<owner>){_CLOSE}",
    ),
)
#: The file from which Python tried to import a name, as it prints it.
_FILE = re.compile(r"\s*\((?P<path>unknown location|[^()]*)\)")
_COMPILED = tuple((kind, re.compile(pattern)) for kind, pattern in _PATTERNS)


def missing_in(text: str) -> Iterator[Missing]:
    """Yield what the text of an error says is missing. The last kinds are guesses: a quoted word may be a key."""
    seen = set()
    for kind, pattern in _COMPILED:
        for match in pattern.finditer(text):
            missing = Missing(kind, match["owner"], match["name"])
            if kind == MODULE:
                missing = Missing(MODULE, "", match["owner"] + match["name"])
            if (missing.owner, missing.name) not in seen and not _is_of_other_file(missing, text[match.end() :]):
                seen.add((missing.owner, missing.name))
                yield missing


def _is_of_other_file(missing: Missing, rest: str) -> bool:
    """Whether a name was sought in a file or a folder of the user that has the name of a package."""
    match = _FILE.match(rest) if missing.kind == NAME else None
    if match is None:
        return False
    path = match["path"].replace("\\", "/").removesuffix(".py").removesuffix("/__init__")
    is_single = "." not in missing.owner and not match["path"].endswith("/__init__.py")
    return is_single or not f"/{path}".endswith("/" + missing.owner.replace(".", "/"))
