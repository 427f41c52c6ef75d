"""Signatures as the index has them: ``(self,a,b=1,*,c=None,**kwargs) @no_grad >callee ~x,y ->Result``."""

from __future__ import annotations

from typing import NamedTuple

#: Decorators that do not change which arguments a function takes.
TRANSPARENT = frozenset(
    "staticmethod classmethod abstractmethod overload no_grad inference_mode cache lru_cache deprecate_args".split()
)


class Signature(NamedTuple):
    """The parts of a signature."""

    parameters: tuple[tuple[str, str | None], ...]
    """Names, with ``*`` or ``**`` before them, and defaults; also ``*`` and ``/`` alone. A default may be ``...``."""
    decorators: tuple[str, ...]
    callee: str
    """The only function that gets ``**kwargs``; ? if there are several; empty if none does."""
    texts: tuple[str, ...]
    """The texts in a function that passes ``**kwargs`` on: any may be a keyword that it handles itself."""
    returns: str

    @property
    def is_transparent(self) -> bool:
        """Whether no decorator changes what the function takes."""
        return TRANSPARENT.issuperset(self.decorators)


def parsed(text: str) -> Signature:
    """Return the parts of a signature."""
    inside, _, rest = text[1:].rpartition(")") if " " not in text else _cut(text)
    parameters = []
    for part in _split(inside):
        name, equals, default = part.partition("=")
        parameters.append((name, default if equals else None))
    words = rest.split(" ")
    return Signature(
        tuple(parameters),
        tuple(word[1:] for word in words if word.startswith("@")),
        next((word[1:] for word in words if word.startswith(">")), ""),
        tuple(next((word[1:].split(",") for word in words if word.startswith("~")), [])),
        next((word[2:] for word in words if word.startswith("->")), ""),
    )


def accepts(text: str, argument: str) -> tuple[bool | None, str]:
    """Return whether a function accepts a keyword, and the callee that decides if it passes the keyword on.

    None if the signature does not determine it.
    """
    signature = parsed(text)
    if any(name == argument for name, _ in signature.parameters):
        return True, ""
    if not signature.is_transparent:
        return None, ""
    if not any(name.startswith("**") for name, _ in signature.parameters):
        return False, ""
    if signature.callee in ("", "?") or argument in signature.texts:
        return None, ""
    return False, signature.callee


def _cut(text: str) -> tuple[str, str, str]:
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0:
            return text[1:at], ")", text[at + 1 :]
    return text[1:], "", ""


def _split(inside: str) -> list[str]:
    """Split at the commas that are in no brackets and no quotes."""
    parts, start, depth, quote = [], 0, 0, ""
    for at, letter in enumerate(inside):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(inside[start:at])
            start = at + 1
    return [part for part in [*parts, inside[start:]] if part]
