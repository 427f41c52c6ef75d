"""The signature of a function as a text: what it takes, to whom it passes the rest, and what it returns."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_LONGEST = 40


def signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return the parameters with defaults, then decorators, the callee that gets ``**kwargs``, and the annotation."""
    parts = list(_parameters(node.args))
    text = f"({','.join(parts)})"
    for decorator in node.decorator_list:
        name = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator).rpartition(".")[2]
        text += f" @{name}"
    if node.args.kwarg:
        text += _passed_on(node, node.args.kwarg.arg)
    if node.returns is not None and len(returned := ast.unparse(node.returns).strip("'\"")) <= _LONGEST:
        text += f" ->{returned.replace(' ', '')}"
    return text


def _parameters(args: ast.arguments) -> Iterator[str]:
    plain = [*args.posonlyargs, *args.args]
    first = len(plain) - len(args.defaults)
    for index, arg in enumerate(plain):
        default = args.defaults[index - first] if index >= first else None
        yield arg.arg + (f"={short(default)}" if default is not None else "")
        if args.posonlyargs and index == len(args.posonlyargs) - 1:
            yield "/"
    if args.vararg:
        yield f"*{args.vararg.arg}"
    elif args.kwonlyargs:
        yield "*"
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        yield arg.arg + (f"={short(default)}" if default is not None else "")
    if args.kwarg:
        yield f"**{args.kwarg.arg}"


def _passed_on(node: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> str:
    """The callees that get ``**kwargs``, and the texts in the function: each may be a keyword that it takes."""
    callees: set[str] = set()
    texts: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            if any(k.arg is None and isinstance(k.value, ast.Name) and k.value.id == name for k in inner.keywords):
                callees.add(inner.func.id if isinstance(inner.func, ast.Name) else "?")
        elif isinstance(inner, ast.Constant) and isinstance(inner.value, str) and inner.value.isidentifier():
            texts.add(inner.value)
    only = callees.pop() if len(callees) == 1 else "?" if callees else ""
    return f" >{only}" + (f" ~{','.join(sorted(texts))}" if only not in ("", "?") and texts else "")


def short(value: ast.expr) -> str:
    """Return a default as a text without spaces; ``...`` for a long one."""
    if isinstance(value, ast.Constant):
        text = repr(value.value) if not isinstance(value.value, float) else ast.unparse(value)
    else:
        text = ast.unparse(value)
    return text.replace(" ", "") if len(text) <= _LONGEST and "\n" not in text else "..."
