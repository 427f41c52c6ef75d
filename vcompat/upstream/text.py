"""Searches over the text of a whole release, for what no single module determines."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cached_property, lru_cache

from vcompat.upstream.subjects import ROOTS

#: A function, a class or a variable at the top of a module.
_AT_THE_TOP = r"^(?:(?:async )?def |class ){0}\b|^{0}\s*(?::[^=\n]+)?=(?!=)"
#: A name in quotes, defined, or assigned; also as an attribute.
_DEFINES = r"""["']{0}["']|\b(?:class|def)\s+{0}\b|^\s*{0}\s*(?::[^=\n]*)?=(?!=)|\.{0}\s*(?:,|=(?!=)|:[^=\n]*=)"""
_WORD = re.compile(r"\w+")
_IMPORTS = re.compile(
    r"^[ \t]*(?:from[ \t]+(\S+)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", re.MULTILINE
)


class Text:
    """The Python files of one package in a release."""

    def __init__(self, package: str, read: Callable[[str], str | None], paths: Collection[str]) -> None:
        """`package` is the name that Python imports; `paths` are all files of the release, none if not known."""
        self._read = read
        self._defined: dict[str, bool] = {}
        folders = tuple(f"{root}{package}/" for root in ROOTS)
        self._paths = [path for path in paths if path.endswith(".py") and path.startswith(folders)]

    @property
    def is_known(self) -> bool:
        """Whether the files are known."""
        return bool(self._paths)

    @cached_property
    def _texts(self) -> dict[str, str]:
        # Modules at the top first: most names that are looked for are listed there.
        return {path: self._read(path) or "" for path in sorted(self._paths, key=lambda path: path.count("/"))}

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset().union(*map(_words_in, self._texts.values()))

    def defines(self, name: str) -> bool:
        """Whether the release defines or assigns a name, or has it in quotes, which is how lazy modules list names."""
        if name not in self._defined:
            pattern = re.compile(_DEFINES.format(name), re.MULTILINE)
            self._defined[name] = name in self._words and any(
                name in text and pattern.search(text) for text in self._texts.values()
            )
        return self._defined[name]

    def modules_with(self, name: str) -> list[str]:
        """Return the modules that define a function, a class or a variable, those nearest to the top first."""
        pattern = re.compile(_AT_THE_TOP.format(re.escape(name)), re.MULTILINE)
        paths = (path for path, text in self._texts.items() if name in text and pattern.search(text))
        plain = (path.removeprefix(next(root for root in reversed(ROOTS) if path.startswith(root))) for path in paths)
        return [path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in plain]

    def imports(self, module: str) -> bool:
        """Whether a file of the release imports `module` itself: then a build creates it, or it is compiled."""
        last = module.rpartition(".")[2]
        if last not in self._words:
            return False
        for path, text in self._texts.items():
            if last in text and any(name == module or name.startswith(f"{module}.") for name in _imported(path, text)):
                return True
        return False

    def below(self, folder: str) -> bool:
        """Whether the release has a file below a folder, such as ``vllm/worker``."""
        return any(path.startswith(tuple(f"{root}{folder}/" for root in ROOTS)) for path in self._paths)


# Neighboring releases share most files.
@lru_cache(maxsize=1000)
def _words_in(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


def _imported(path: str, text: str) -> Iterator[str]:
    """The dotted names that a file imports; for ``from a import b``, also ``a.b``."""
    root = next(root for root in reversed(ROOTS) if path.startswith(root))
    package = path.removeprefix(root).split("/")[:-1]
    for base, names, plain in _IMPORTS.findall(text):
        for part in plain.split(","):
            yield part.split(" as ")[0].strip()
        if base:
            dots = len(base) - len(base.lstrip("."))
            kept = package[: len(package) - dots + 1] if dots else []
            origin = ".".join([*kept, *filter(None, [base.lstrip(".")])])
            yield origin
            for name in re.findall(r"(\w+)(?:\s+as\s+\w+)?\s*(?:,|\)|#|$)", names, re.MULTILINE):
                yield f"{origin}.{name}"
