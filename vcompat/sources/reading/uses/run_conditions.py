"""Which conditions, handlers and statements decide whether code runs."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence

from vcompat.foundation.syntax.terms import called, names_in

#: A handler for one of these expects that the code in the ``try`` fails because something is missing.
_EXPECTED = frozenset(
    {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException", "TypeError"}
)
#: Calls in a condition that ask whether what the code behind it uses is there.
_ASKED = frozenset({"hasattr", "getattr", "find_spec", "signature", "fields"})


def expects_failure(handler: ast.ExceptHandler) -> bool:
    """Whether a handler expects that something is missing."""
    names = [handler.type] if not isinstance(handler.type, ast.Tuple) else handler.type.elts
    return any(name is None or ast.unparse(name).removeprefix("builtins.") in _EXPECTED for name in names)


def may_expect_failure(handler: ast.ExceptHandler) -> bool:
    """Whether a handler is for an exception that is none of Python's own, or for several in a variable."""
    names = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(name is not None and not hasattr(builtins, ast.unparse(name)) for name in names)


def names_expected(text: str) -> bool:
    """Whether the text of a call, such as ``suppress(ImportError)``, names an error of something that is missing."""
    return any(name in text for name in _EXPECTED)


def is_for_scripts(test: ast.expr) -> bool:
    """Whether a condition is about ``__name__``."""
    return "__name__" in names_in(test)


def asks_what_is_there(test: ast.expr) -> bool:
    """Whether a condition asks whether what the code behind it uses is there."""
    return any(isinstance(node, ast.Call) and called(node) in _ASKED for node in ast.walk(test))


def leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether control never reaches the end of a block."""
    return isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)
