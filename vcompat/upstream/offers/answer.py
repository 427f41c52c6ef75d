"""Whether a release has what a use of it needs, as far as its source determines that."""

from __future__ import annotations

import ast

from vcompat.facts.use import ARGUMENT, ATTRIBUTE, METHOD, Use
from vcompat.foundation.syntax.terms import called, class_named
from vcompat.index.names import Answer
from vcompat.index.rows import FLAG
from vcompat.index.signature_text import TRANSPARENT
from vcompat.upstream.offers.definitions import Defined, Definitions


def offers(release: Definitions, use: Use) -> bool | None:
    """Return whether a release has what `use` needs; None if its source does not determine it."""
    names = release.names
    # An argument, a method or an attribute needs an import, which is a use of its own and fails there.
    needs_import = use.kind in (ARGUMENT, METHOD, ATTRIBUTE)
    there = _has_module(release, use.module)
    if not there or not use.name:
        return there if there or not needs_import else None
    if use.kind == ATTRIBUTE:
        return _has_attribute(release, use)
    first, _, rest = use.name.partition(".")
    has = _plain(names.name(use.module, first))
    if has is False:
        return None if needs_import else False
    if not rest and use.kind != ARGUMENT:
        return has
    if "." in rest or release.several(use.module, first):
        return None
    return _takes(release, use) if use.argument else _has_member(release, release.find(use.module, first), rest)


def _has_module(release: Definitions, name: str) -> bool | None:
    """Whether a release has a module. One without a file may be compiled, or one that the package makes."""
    has, rows = _plain(release.names.module(name)), release.rows
    top = release.tree(rows.root)
    if has is not None or top is None or rows.module(name) is not None or rows.has_no_source(name):
        return has
    makes = rows.module(rows.root)
    return None if makes and makes.having(FLAG, "makes") and _may_make(top, name) else False


def _may_make(top: ast.Module, name: str) -> bool:
    """Whether a module that a package puts into ``sys.modules`` may have this name.

    transformers computes such names from ``__name__`` and a constant end.
    """
    texts = (node.values for node in ast.walk(top) if isinstance(node, ast.JoinedStr))
    own = (values for values in texts if isinstance(values[0], ast.FormattedValue) and _is_own_name(values[0]))
    ends = [str(values[-1].value) if isinstance(values[-1], ast.Constant) else "" for values in own]
    return not ends or any(name.endswith(end) for end in ends)


def _is_own_name(part: ast.FormattedValue) -> bool:
    return isinstance(part.value, ast.Name) and part.value.id == "__name__"


def _plain(answer: Answer) -> bool | None:
    return True if answer.has else None if answer.may else False


def _takes(release: Definitions, use: Use) -> bool | None:
    takes = _plain(release.names.takes(use.module, use.name, use.argument))
    defined = None if takes else release.find(use.module, use.name)
    return True if defined and any(_ignores_unknown(release, owner) for owner in release.with_bases(defined)) else takes


def _ignores_unknown(release: Definitions, owner: Defined) -> bool:
    """Whether a class is a plain dataclass of pydantic, which accepts and ignores unknown keywords."""
    decorators = owner.node.decorator_list if isinstance(owner.node, ast.ClassDef) else []
    names = [release.imported(owner.module, ast.unparse(decorator)) for decorator in decorators]
    return ("pydantic.dataclasses", "dataclass") in names


def _has_member(release: Definitions, owner: Defined | None, name: str) -> bool | None:
    """Whether a class or one of its bases has an attribute."""
    if owner is None or not isinstance(owner.node, ast.ClassDef):
        return None
    return _plain(release.names.attribute(owner.module, owner.node.name, name))


def _has_attribute(release: Definitions, use: Use) -> bool | None:
    """Whether an object has an attribute, by its class. False only if nothing in the release has that name."""
    holder, _, attribute = use.name.rpartition(".")
    name, is_result, method = holder.removesuffix("()"), holder.endswith("()"), ""
    if is_result:
        name, _, method = name.partition(".")
    defined = release.find(use.module, name)
    if defined is None or release.several(use.module, name):
        return None
    has = _has_member(release, _returned(release, defined, method) if is_result else defined, attribute)
    return None if has is False and (release.rows.defining(attribute) or release.rows.stores(attribute)) else has


def _returned(release: Definitions, defined: Defined, method: str) -> Defined | None:
    """Return the class of what a call returns: a class itself, or what the annotation of a function names."""
    if not method:
        return defined if isinstance(defined.node, ast.ClassDef) else _annotated(release, defined, None)
    overloads = release.methods(defined, method)
    return _annotated(release, overloads[0], defined) if len(overloads) == 1 else None


def _annotated(release: Definitions, function: Defined, own: Defined | None) -> Defined | None:
    """The class that the return annotation of a function names, alone or with None. `own` is meant by ``Self``."""
    node = function.node
    if not isinstance(node, ast.FunctionDef) or not TRANSPARENT.issuperset(map(called, node.decorator_list)):
        return None
    if any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in ast.walk(node)):
        return None
    name = class_named(node.returns)
    if name == "Self":
        return own
    definition = release.find(function.module, name) if name else None
    return definition if definition and isinstance(definition.node, ast.ClassDef) else None
