"""Version comparisons in conditions: with which releases of other packages the code behind them runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from vcompat.foundation.comparisons import OPPOSITES
from vcompat.foundation.syntax.terms import called, keywords, texts_in

_SIGNS = {ast.LtE: "<=", ast.Lt: "<", ast.GtE: ">=", ast.Gt: ">", ast.Eq: "==", ast.NotEq: "!="}
_OPPOSITE = {sign: _SIGNS[OPPOSITES[kind]] for kind, sign in _SIGNS.items()}
#: What the name of a function, or of a constant, states about the version in it; the first match counts.
_STATED = (
    ("less_or_equal", "<="),
    ("less", "<"),
    ("greater_or_equal", ">="),
    ("equal_or_newer", ">="),
    ("at_least", ">="),
    ("available", ">="),
    ("_ge_", ">="),
    ("greater", ">"),
)
#: Arguments of functions that ask for a version.
_BOUNDS = {"min_version": ">=", "max_version": "<="}
#: A constant such as ``is_torch_greater_or_equal_than_2_3``, or a function such as ``is_torchao_ge_v0_18_0``.
_CONSTANT = re.compile(r"(.*[a-z]_)v?(\d+_\d+(?:_\d+)?)$", re.IGNORECASE)
#: Versions of what a package was built for, in attributes such as ``torch.version.cuda``.
_NOT_ITS_OWN = re.compile(r"cuda|hip|xpu", re.IGNORECASE)


class Guard(NamedTuple):
    """A version range of a package in which code runs."""

    package: str
    """The name that Python imports."""
    range: str
    """One comparison, such as ``>=0.26.0``."""


def guards_in(test: ast.expr, packages: Collection[str], flags: Mapping[str, Sequence[Guard]]) -> list[Guard]:
    """Return the version ranges of `packages` that a condition implies; empty if it tests something else.

    `flags` are variables that were assigned such a condition.
    """
    if isinstance(test, ast.Name):
        return list(flags.get(test.id) or _of_constant(test.id, packages))
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [guard for value in test.values for guard in guards_in(value, packages, flags)]
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return otherwise(test.operand, packages, flags)
    if isinstance(test, ast.Call):
        return list(_of_call(test, packages))
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _SIGNS:
        return _of_comparison(test.left, _SIGNS[type(test.ops[0])], test.comparators[0], packages)
    return []


def otherwise(test: ast.expr, packages: Collection[str], flags: Mapping[str, Sequence[Guard]]) -> list[Guard]:
    """Return the version ranges that hold where the condition is false; empty if they cannot be told."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return guards_in(test.operand, packages, flags)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return [guard for value in test.values for guard in otherwise(value, packages, flags)]
    if isinstance(test, ast.BoolOp):
        # Both packages are installed where they are compared.
        test = ast.BoolOp(test.op, [value for value in test.values if not _asks_whether_installed(value)])
        if len(test.values) != 1:
            return []
    guards = guards_in(test, packages, flags)
    return [_opposite(guards[0])] if len(guards) == 1 else []


def _opposite(guard: Guard) -> Guard:
    sign = guard.range[:2] if guard.range[1:2] == "=" else guard.range[:1]
    return Guard(guard.package, _OPPOSITE[sign] + guard.range.removeprefix(sign))


def _asks_whether_installed(test: ast.expr) -> bool:
    return isinstance(test, ast.Call) and not test.args and not test.keywords and "_available" in ast.unparse(test.func)


def _of_constant(name: str, packages: Collection[str]) -> Iterator[Guard]:
    match = _CONSTANT.match(name)
    if match:
        yield from _guard(_package_in(name, packages), _sign_in(name), match[2].replace("_", "."))


def _of_call(call: ast.Call, packages: Collection[str]) -> Iterator[Guard]:
    """The guard in a call such as ``is_torch_version(">=", "2.5")`` or ``is_vllm_available(min_version="0.28")``."""
    constants = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
    texts = [str(value) for value in constants if type(value) in (str, float)]
    if len(texts) != len(call.args):
        return
    name, given = called(call), keywords(call)
    if not texts and not call.keywords:
        yield from _of_constant(name, packages)
    subject = texts.pop(0) if name == "compare_versions" and texts else name
    package = _package_in(subject, packages)
    if len(texts) in (1, 2):
        sign, version = [_sign_in(name), *texts][-2:]
        yield from _guard(package, sign, version)
    for argument, sign in _BOUNDS.items():
        bound = given.get(argument)
        if isinstance(bound, ast.Constant):
            yield from _guard(package, sign, str(bound.value))


def _of_comparison(left: ast.expr, sign: str, right: ast.expr, packages: Collection[str]) -> list[Guard]:
    compared = ast.unparse(left)
    if "version" not in compared.lower() or _NOT_ITS_OWN.search(compared):
        return []
    texts = list(texts_in(right))
    return list(_guard(_package_in(compared, packages), sign, texts[0])) if len(texts) == 1 else []


def _guard(package: str, sign: str, version: str) -> Iterator[Guard]:
    """The guard that these state; nothing if one of them is missing."""
    with suppress(InvalidVersion):
        if package and sign in _OPPOSITE:
            yield Guard(package, f"{sign}{Version(version)}")


def _sign_in(name: str) -> str:
    return next((sign for word, sign in _STATED if word in name.lower()), "")


def _package_in(text: str, packages: Collection[str]) -> str:
    """The package that a name or an expression mentions; the longest one, since some names contain others."""
    lowered = text.lower().replace("-", "_")
    named = [package for package in packages if re.search(rf"(?<![a-z0-9]){package}(?![a-z0-9])", lowered)]
    return max(named, key=len, default="")
