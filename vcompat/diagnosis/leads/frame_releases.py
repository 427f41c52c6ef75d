"""The frames of a traceback, and the releases whose code they can be of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from vcompat.diagnosis.logs.prefixes import Line
from vcompat.index.lines import Scope, line_hash, normalized
from vcompat.index.packages import package_of
from vcompat.index.rows import CLASS, FUNCTION, union
from vcompat.index.store import Index, index_of

#: A frame as Python prints it, and as IPython and Colab do.
_FRAME = re.compile(
    r'\s*(?:File "(?P<path>[^"\n]+)", line \d+, in (?P<function>\S+)'
    r"|File (?P<cell>\S+?\.py):\d+, in (?P<called>[\w.<>]+)"
    r"|(?P<shown>[/~]\S+?\.py) in (?P<showing>[\w.<>]+)\()"
)
#: The line at which an IPython frame stands.
_ARROW = re.compile(r"\s*-{2,}> ?\d+ ?(?P<code>.*)")
#: What Python prints below a line of code.
_MARKS = re.compile(r"[\s^~]+$")
_PACKAGES = re.compile(r".*/(?:site|dist)-packages/")


class Frame:
    """One call of a traceback."""

    def __init__(self, path: str, function: str, code: str, line: Line) -> None:
        self.path, self.function, self.code, self.line = path, function.rpartition(".")[2], code, line
        self.module = _module(path)
        """The module, if its package is in the index; else empty."""

    @property
    def package(self) -> str:
        """The distribution; empty if it is not in the index."""
        return package_of(self.module)

    @property
    def index(self) -> Index | None:
        """The index of the package."""
        return index_of(self.module) if self.module else None

    @cached_property
    def _found(self) -> tuple[int, bool]:
        index = self.index
        return releases_of(index, self.module, self.function, self.code) if index else (0, False)

    @property
    def releases(self) -> int:
        """The releases that have this line in this function of this file; all that have the file if it is not known."""
        return self._found[0]

    @property
    def is_telling(self) -> bool:
        """Whether some releases that have the function lack the line."""
        return self._found[1]


def frames_of(lines: Sequence[Line]) -> list[Frame]:
    """Return the frames in the lines of a traceback, in the order in which they are printed."""
    frames = []
    for at, line in enumerate(lines):
        match = _FRAME.match(line.text)
        if match:
            path = match["path"] or match["cell"] or match["shown"]
            function = match["function"] or match["called"] or match["showing"]
            frames.append(
                Frame(path.replace("\\", "/"), function, _code(lines[at + 1 : at + 12], bool(match["path"])), line)
            )
    return frames


def _code(lines: Sequence[Line], is_plain: bool) -> str:
    """The line of code that is printed below a frame."""
    if is_plain:
        text = lines[0].text if lines else ""
        return "" if _FRAME.match(text) or _MARKS.match(text) else text.strip()
    for line in lines:
        if _FRAME.match(line.text):
            break
        if arrow := _ARROW.match(line.text):
            return arrow["code"].strip()
    return ""


def _module(path: str) -> str:
    """The module of the index that a file is; empty if it is none."""
    inside = _PACKAGES.sub("", path)
    parts = inside.removesuffix(".py").split("/")
    if parts[-1] == "__init__":
        parts.pop()
    starts = [0] if inside != path else [at for at, part in enumerate(parts) if package_of(part)]
    for at in starts:
        module = ".".join(parts[at:])
        index = index_of(module) if package_of(module) else None
        if index is not None and index.module(module) is not None:
            return module
    return ""


def releases_of(index: Index, module: str, function: str, code: str) -> tuple[int, bool]:
    """Return the releases that can have printed a frame, and whether its line of code tells them apart.

    A frame names its function without its class, so each function of the name in the module counts.
    """
    known = index.module(module)
    if known is None:
        return index.every, False
    text = normalized(code)
    scopes = index.scopes(module) if text else {}
    hits = unsure = 0
    for name, scope in scopes.items():
        if name.rpartition(".")[2] == ("" if function == "<module>" else function):
            has = scope.lines.get(bytes.fromhex(line_hash(text)), 0)
            hits |= has
            # A line that is not among those that some releases lack stands in all, or in none.
            unsure |= 0 if has else scope.releases
    if not hits:
        return known.mask, False
    for owner in known.scopes(FUNCTION):
        if (f"{owner}.{function}" if owner else function) not in scopes:
            unsure |= known.having(FUNCTION, function, owner)
    if function == "<module>" or any(known.having(CLASS, function, owner) for owner in known.scopes(CLASS)):
        # Of long tables, no lines are kept.
        unsure |= known.mask & ~_recorded(scopes, function)
    has = hits | unsure
    return has, has != known.mask


def _recorded(scopes: Mapping[str, Scope], function: str) -> int:
    """The releases of which the lines of a module or a class are kept."""
    if function == "<module>":
        return scopes[""].releases if "" in scopes else 0
    return union(scope.releases for name, scope in scopes.items() if name.rpartition(".")[2] == function)


def consistent(frames: Iterable[Frame]) -> dict[str, int]:
    """Return, for each package with frames, the releases that can have printed them; packages with none are left out.

    A copy that was changed, and a state between two releases, fit none.
    """
    releases: dict[str, int] = {}
    for frame in frames:
        if frame.package and frame.index:
            releases[frame.package] = releases.get(frame.package, -1) & frame.releases
    return {package: has for package, has in releases.items() if has}
