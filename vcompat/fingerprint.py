"""Fingerprints: how to tell faulty upstream code from mended code by looking at its syntax tree.

A fingerprint names a function (or class, or a whole module) and texts that its faulty form contains or
lacks. The texts are compared with the code as `ast.unparse` writes it, without docstrings, so comments and
layout do not count. Rules use fingerprints to prove their ranges, patches use them as guards. Upstream code
is parsed here, never imported.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from vcompat.errors import InputError

if TYPE_CHECKING:
    import ast

#: Verdicts on one release.
PRESENT, FIXED, ABSENT = "present", "fixed", "absent"


class Fingerprint(NamedTuple):
    """What the faulty form of one piece of upstream code looks like."""

    package: str
    """Distribution whose source is looked at, such as vllm."""
    module: tuple[str, ...]
    """Files, relative to the source tree, in which the code lived over time; the first that exists counts."""
    object: str
    """Qualified name within the module, such as ``Worker.sleep``; empty for the whole module."""
    has: tuple[str, ...]
    """Texts that the faulty form contains, all of them."""
    lacks: tuple[str, ...]
    """Texts of which the faulty form contains none."""
    also: tuple["Fingerprint", ...] = ()
    """Further places of the same package that must show their fault too."""

    def verdict(self, read: Callable[[str], str | None]) -> str:
        """Judge one release. `read` returns the text of a file of its source tree, or None.

        Returns PRESENT (the fault is there), FIXED (the code is there without the fault) or ABSENT (there
        is no such module or object).
        """
        for path in self.module:
            source = read(path)
            code = None if source is None else self._looked_at(path, source)
            if code is not None:
                shown = shows(code, self.has, self.lacks) and all(p.verdict(read) == PRESENT for p in self.also)
                return PRESENT if shown else FIXED
        return ABSENT

    def _looked_at(self, path: str, source: str) -> str | None:
        """The code that counts in a file; of a file that is not Python, all of it."""
        return normalised(source, self.object) if path.endswith(".py") else source


def shows(code: str, has: tuple[str, ...], lacks: tuple[str, ...]) -> bool:
    """Whether `code` contains every text of `has` and none of `lacks`."""
    return all(text in code for text in has) and not any(text in code for text in lacks)


@lru_cache(maxsize=64)
def normalised(source: str, qualified_name: str) -> str | None:
    """The code of one object in `source`, docstrings dropped, as `ast.unparse` writes it.

    Returns None if `source` does not parse or holds no such object. Of several definitions (one in each
    branch of an ``if``), all are returned, one after the other.
    """
    import ast

    try:
        tree: ast.AST = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    nodes = [tree]
    for part in filter(None, qualified_name.split(".")):
        nodes = [found for node in nodes for found in _definitions(node, part)]
    return "\n".join(ast.unparse(_without_docstrings(node)) for node in nodes) or None


def _definitions(node: "ast.AST", name: str) -> "list[ast.AST]":
    """Definitions of `name` in the body of `node`, looking into if, try and with blocks but not into functions."""
    import ast

    found: list[ast.AST] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if child.name == name:
                found.append(child)
        elif isinstance(child, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in child.targets):
            found.append(child)
        elif isinstance(child, ast.If | ast.Try | ast.With | ast.ExceptHandler):
            found.extend(_definitions(child, name))
    return found


def _without_docstrings(tree: "ast.AST") -> "ast.AST":
    import ast

    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                node.body = node.body[1:] or [ast.Pass()]
    return tree


def parse_fingerprint(table: Mapping[str, Any], where: str) -> Fingerprint:
    """Read a fingerprint from a rule's evidence; raise InputError, naming `where` and the key, if malformed."""
    if not isinstance(table, dict):
        raise InputError(where, f"{table!r}", "a table")
    for key in table:
        if key not in Fingerprint._fields:
            raise InputError(f"{where}: {key}", "unknown key", ", ".join(Fingerprint._fields))
    for key in ("package", "module"):
        if key not in table:
            raise InputError(f"{where}: {key}", "missing", "a text")
    if "has" not in table and "lacks" not in table:
        raise InputError(where, "neither has nor lacks", "at least one of them")
    further = table.get("also", [])
    if not isinstance(further, list):
        raise InputError(f"{where}: also", f"{further!r}", "a list of tables")
    return Fingerprint(
        package=_text(table["package"], f"{where}: package"),
        module=_texts(table["module"], f"{where}: module"),
        object=_text(table.get("object", ""), f"{where}: object"),
        has=_texts(table.get("has", []), f"{where}: has"),
        lacks=_texts(table.get("lacks", []), f"{where}: lacks"),
        also=tuple(
            parse_fingerprint({"package": table["package"], **part}, f"{where}: also[{index}]")
            for index, part in enumerate(further)
        ),
    )


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise InputError(where, f"{value!r}", "a text")
    return value


def _texts(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(_text(item, where) for item in value)
    return (_text(value, where),)
