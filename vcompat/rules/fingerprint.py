"""Fingerprints: detect affected upstream code by its syntax tree.

A fingerprint names a function (or a class, or a whole module) and texts that its affected code contains or lacks. The
texts are compared with the code as written by `ast.unparse`, without docstrings, so comments and layout do not matter.
Rules use fingerprints to measure their ranges, patches use them as guards. Upstream code is parsed, never imported.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from vcompat.foundation.errors import InputError

if TYPE_CHECKING:
    import ast

#: The verdicts on one release.
PRESENT, FIXED, ABSENT = "present", "fixed", "absent"


class Seen(NamedTuple):
    """The result for one piece of code in one release."""

    verdict: str
    path: str = ""
    """The inspected file, relative to the source tree; empty if there is no such code."""
    line: int = 0
    """The first line of the code, from 1; 0 for a file that is not Python."""
    digest: str = ""
    """A hash of the code; releases with the same hash have the same code."""
    mismatch: str = ""
    """The first text of the fingerprint by which FIXED code differs; empty if the verdict comes from a record."""

    @property
    def place(self) -> str:
        """File and line; empty if there is no such code."""
        return f"{self.path}:{self.line}" if self.line else self.path


class Fingerprint(NamedTuple):
    """What identifies one affected piece of upstream code."""

    package: str
    """Distribution whose source is inspected, such as vllm."""
    module: tuple[str, ...]
    """Files, relative to the source tree, that contained the code over time; the first that has it is used."""
    object: str
    """Qualified name within the module, such as ``Worker.sleep``; empty for the whole module."""
    has: tuple[str, ...]
    """Texts that the affected code contains, all of them."""
    lacks: tuple[str, ...]
    """Texts that the affected code does not contain, none of them."""
    missing: bool = False
    """Whether a release is affected because it has no such module or object."""
    also: tuple["Fingerprint", ...] = ()
    """Further places in the same package that must be affected too."""

    @property
    def place(self) -> str:
        """Package, files and object in words."""
        return f"{self.package}: {' or '.join(self.module)}{', ' + self.object if self.object else ''}"

    def verdict(self, read: Callable[[str], str | None]) -> str:
        """Return the verdict of `look`."""
        return self.look(read).verdict

    def look(self, read: Callable[[str], str | None]) -> Seen:
        """Inspect one release. `read` returns the text of a file in its source tree, or None.

        The verdict is PRESENT (the code is affected), FIXED (the code is there, but not affected) or ABSENT (there is
        no such module or object).
        """
        for path in self.module:
            source = read(path)
            code = None if source is None else _code_in(path, source, self.object)
            if code is not None:
                further = [part.look(read) for part in self.also]
                elsewhere = (part.mismatch or part.verdict for part in further if part.verdict != PRESENT)
                here = "the code exists" if self.missing else _mismatch(code.text, self.has, self.lacks)
                mismatch = here or next(elsewhere, "")
                relevant = code if self.object else code.about((*self.has, *self.lacks))
                digest = "+".join(filter(None, [relevant.digest(), *(part.digest for part in further)]))
                return Seen(FIXED if mismatch else PRESENT, path, relevant.line, digest, mismatch)
        return Seen(PRESENT if self.missing else ABSENT)


class Code(NamedTuple):
    """One object of a source file, or the whole file."""

    text: str
    """As written by `ast.unparse`, without docstrings."""
    line: int
    structure: tuple["ast.AST", ...]

    def about(self, texts: tuple[str, ...]) -> "Code":
        """Return the statements or lines of a whole file that contain one of `texts`; empty if none does.

        A fingerprint without an object does not depend on the rest of the file, which changes with every release.
        """
        import ast

        if not self.structure:
            lines = [(number, line) for number, line in enumerate(self.text.splitlines(), 1) if _any(texts, line)]
            return Code("\n".join(line for _, line in lines), lines[0][0] if lines else 0, ())
        statements = [child for node in self.structure for child in getattr(node, "body", [])]
        chosen = [statement for statement in statements if _any(texts, ast.unparse(statement))]
        return Code("", getattr(chosen[0], "lineno", 1) if chosen else 1, tuple(chosen))

    def digest(self) -> str:
        """Return twelve hexadecimal digits that identify the syntax tree, the same in every version of Python.

        Empty if there is no code.
        """
        import hashlib

        if not self.structure and not self.text:
            return ""

        sha = hashlib.sha256()
        if self.structure:
            for node in self.structure:
                for token in _tokens(node):
                    sha.update(token.encode("utf-8", "surrogatepass"))
        else:
            sha.update(self.text.encode("utf-8", "surrogatepass"))
        return sha.hexdigest()[:12]


def _any(texts: tuple[str, ...], within: str) -> bool:
    return any(text in within for text in texts)


def _code_in(path: str, source: str, name: str) -> Code | None:
    """The inspected code in a file; the whole text of a file that is not Python."""
    return find_code(source, name) if path.endswith(".py") else Code(source, 0, ())


def shows(code: str, has: tuple[str, ...], lacks: tuple[str, ...]) -> bool:
    """Whether `code` contains every text of `has` and none of `lacks`."""
    return not _mismatch(code, has, lacks)


def _mismatch(code: str, has: tuple[str, ...], lacks: tuple[str, ...]) -> str:
    """Return in words the first text by which `code` differs from what is affected; empty if it does not differ."""
    absent = next((f"the code lacks {text!r}" for text in has if text not in code), "")
    return absent or next((f"the code has {text!r}" for text in lacks if text in code), "")


def normalized(source: str, qualified_name: str) -> str | None:
    """Return the text of `find_code`, or None."""
    code = find_code(source, qualified_name)
    return None if code is None else code.text


@lru_cache(maxsize=64)
def find_code(source: str, qualified_name: str) -> Code | None:
    """Return the code of one object in `source`, without docstrings.

    Returns None if `source` does not parse or has no such object. Several definitions (one in each branch of an ``if``)
    are all returned, one after the other.
    """
    import ast

    tree = _parse(source)
    nodes: list[ast.AST] = [] if tree is None else [tree]
    for part in filter(None, qualified_name.split(".")):
        nodes = [found for node in nodes for found in _definitions(node, part)]
    if not nodes:
        return None
    text = "\n".join(ast.unparse(_without_docstrings(node)) for node in nodes)
    return Code(text, getattr(nodes[0], "lineno", 1), tuple(nodes)) if text else None


@lru_cache(maxsize=2)
def _parse(source: str) -> "ast.Module | None":
    from vcompat.foundation.syntax.blocks import parsed

    return parsed(source)


def forget_parsed() -> None:
    """Release the syntax trees of the last files, for a process that does not end soon."""
    find_code.cache_clear()
    _parse.cache_clear()


#: Fields of a syntax tree that depend on the version of Python, or do not change what the code does.
_NOT_COMPARED = frozenset({"kind", "ctx", "type_params", "type_comment", "type_ignores"})


def _tokens(node: Any) -> Iterator[str]:
    """Yield a syntax tree as strings: the same strings for the same tree in every version of Python."""
    fields = getattr(node, "_fields", None)
    if fields is None:
        yield f"{node!r};"
        return
    yield f"({type(node).__name__};"
    for name in fields:
        value = getattr(node, name, None)
        if value is None or value == [] or name in _NOT_COMPARED:
            continue
        yield f"{name}="
        for item in value if isinstance(value, list) else [value]:
            yield from _tokens(item)
    yield ")"


def _definitions(node: "ast.AST", name: str) -> "list[ast.AST]":
    """Definitions of `name` in the body of `node`, looking into if, try and with blocks but not into functions."""
    import ast

    from vcompat.foundation.syntax.blocks import Scope, statements
    from vcompat.foundation.syntax.terms import dotted

    def defines(statement: ast.stmt) -> bool:
        if isinstance(statement, Scope):
            return statement.name == name
        return isinstance(statement, ast.Assign) and name in map(dotted, statement.targets)

    body = statements(getattr(node, "body", []), (ast.If, ast.Try, ast.With))
    return [statement for statement in body if defines(statement)]


def _without_docstrings(tree: "ast.AST") -> "ast.AST":
    """Remove the docstrings in a tree, which other objects of the file share: the first string of a body, once."""
    import ast

    from vcompat.foundation.syntax.blocks import Scope, without_docstring

    for node in ast.walk(tree):
        if isinstance(node, Scope | ast.Module) and not hasattr(node, "has_no_docstring"):
            node.has_no_docstring = True  # type: ignore[union-attr]
            rest = [*without_docstring(node.body)]
            node.body = rest if rest or not node.body else [ast.Pass()]
    return tree


def parse_fingerprint(table: Mapping[str, Any], where: str) -> Fingerprint:
    """Parse a fingerprint of a rule's evidence. Raises InputError with `where` and the key if it is malformed."""
    if not isinstance(table, dict):
        raise InputError(where, f"{table!r}", "a table")
    for key in table:
        if key not in Fingerprint._fields:
            raise InputError(f"{where}: {key}", "unknown key", ", ".join(Fingerprint._fields))
    for key in ("package", "module"):
        if key not in table:
            raise InputError(f"{where}: {key}", "missing", "a string")
    missing = table.get("missing", False)
    if not isinstance(missing, bool):
        raise InputError(f"{where}: missing", f"{missing!r}", "true or false")
    if missing is ("has" in table or "lacks" in table):
        what = "has or lacks together with missing" if missing else "neither has nor lacks"
        raise InputError(where, what, "has, lacks or both; or missing = true")
    further = table.get("also", [])
    if not isinstance(further, list):
        raise InputError(f"{where}: also", f"{further!r}", "a list of tables")
    return Fingerprint(
        package=_text(table["package"], f"{where}: package"),
        module=_texts(table["module"], f"{where}: module"),
        object=_text(table.get("object", ""), f"{where}: object"),
        has=_texts(table.get("has", []), f"{where}: has"),
        lacks=_texts(table.get("lacks", []), f"{where}: lacks"),
        missing=missing,
        also=tuple(
            parse_fingerprint({"package": table["package"], **part}, f"{where}: also[{index}]")
            for index, part in enumerate(further)
        ),
    )


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise InputError(where, f"{value!r}", "a string")
    return value


def _texts(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(_text(item, where) for item in value)
    return (_text(value, where),)
