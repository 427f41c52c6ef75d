"""What the classes and functions of a release take, have and return, read from their definitions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from vcompat.upstream.modules import Defined

#: Limit on bases, and on callees that get ``**kwargs``, that are followed one after the other.
_MAX_DEPTH = 12
#: Bases without attributes of interest.
_PLAIN = frozenset({"object", "Generic", "Protocol", "ABC"})
#: Decorators that do not change which arguments a function takes.
_TRANSPARENT = frozenset(
    {"staticmethod", "classmethod", "abstractmethod", "overload", "no_grad", "inference_mode", "cache", "lru_cache"}
)
#: Code in a class that gives its objects attributes without naming them.
_DYNAMIC = ("__getattr__", "__getattribute__", "__dict__", "setattr(self", "vars(self)")
#: Stands for attributes that a class does not name.
_SOME = "*"
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Members:
    """Answers about the classes and functions of one release; None where the source does not determine them."""

    def __init__(
        self,
        find: Callable[[str, str], Defined | None],
        find_for_typing: Callable[[str, str], Defined | None],
        imported: Callable[[str, str], object],
    ) -> None:
        """Use the functions of this name of a `Surface`."""
        self._find = find
        self._find_for_typing = find_for_typing
        self._imported = imported
        self._known: dict[ast.ClassDef, frozenset[str]] = {}

    def has(self, defined: Defined, attribute: str) -> bool | None:
        """Whether a class or one of its bases has an attribute."""
        first, _, rest = attribute.partition(".")
        if rest or not isinstance(defined.node, ast.ClassDef):
            return None
        unknown = False
        for owner in self.with_bases(defined):
            if not isinstance(owner.node, ast.ClassDef):
                unknown = True
            elif first in self._attributes_of(owner.node):
                return True
            else:
                unknown = unknown or _SOME in self._attributes_of(owner.node)
        return None if unknown else False

    def _attributes_of(self, owner: ast.ClassDef) -> frozenset[str]:
        """Names that a class defines, and _SOME if it defines further ones."""
        if owner not in self._known:
            names = _attributes(owner)
            self._known[owner] = frozenset({*names, _SOME} if _is_dynamic(owner) else names)
        return self._known[owner]

    def takes(self, defined: Defined, method: str, argument: str) -> bool | None:
        """Whether a function, a class or a method accepts a keyword."""
        if isinstance(defined.node, ast.ClassDef):
            return self._class_takes(defined, method, argument)
        if isinstance(defined.node, Function) and not method:
            return self._function_takes(defined.module, [defined.node], argument)
        return None

    def returned(self, defined: Defined, method: str = "") -> Defined | None:
        """Return the class of what a call returns: a class itself, or what the annotation of a function names."""
        if not method:
            if isinstance(defined.node, ast.ClassDef):
                return defined
            return self._annotated(defined.module, defined.node, None) if defined.node else None
        for owner in self.with_bases(defined):
            if not isinstance(owner.node, ast.ClassDef):
                return None
            found = _methods(owner.node, method)
            if found:
                return self._annotated(owner.module, found[0], defined) if len(found) == 1 else None
        return None

    def _annotated(self, module: str, function: ast.AST, own: Defined | None) -> Defined | None:
        """The class that the return annotation of a function names, alone or with None. `own` is meant by ``Self``."""
        if not isinstance(function, ast.FunctionDef) or not _is_transparent(function):
            return None
        if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function)):
            return None
        text = ast.unparse(function.returns).strip("'\"") if function.returns else ""
        name = text.removesuffix(" | None").removeprefix("Optional[").removesuffix("]")
        if name == "Self":
            return own
        found = (self._find(module, name) or self._find_for_typing(module, name)) if name.isidentifier() else None
        return found if found and isinstance(found.node, ast.ClassDef) else None

    def with_bases(self, defined: Defined, depth: int = 0) -> Iterator[Defined]:
        """Yield a class and its bases, in the order of a lookup; without a node for those that are not known."""
        yield defined
        if isinstance(defined.node, ast.ClassDef) and depth <= _MAX_DEPTH:
            if defined.node.keywords:
                yield Defined("", None)
            for base in defined.node.bases:
                name = ast.unparse(base.value if isinstance(base, ast.Subscript) else base)
                if name in _PLAIN:
                    continue
                found = self._find(defined.module, name) if name.isidentifier() else None
                yield from self.with_bases(found or Defined("", None), depth + 1)

    def _class_takes(self, defined: Defined, method: str, argument: str) -> bool | None:
        fields: set[str] = set()
        for owner in self.with_bases(defined):
            if not isinstance(owner.node, ast.ClassDef):
                return None if argument not in fields else True
            functions = _methods(owner.node, method or "__init__")
            if not method and not functions and _methods(owner.node, "__new__"):
                return None
            if functions:
                return True if argument in fields else self._function_takes(owner.module, functions, argument)
            if not method:
                if not _has_plain_init(owner.node):
                    return None
                fields |= set(_fields(owner.node))
                if argument not in fields and self._ignores_unknown(owner):
                    return True
        return argument in fields if fields else None

    def _ignores_unknown(self, owner: Defined) -> bool:
        """Whether a class is a plain dataclass of pydantic, which accepts and ignores unknown keywords."""
        decorators = owner.node.decorator_list if isinstance(owner.node, ast.ClassDef) else []
        names = [self._imported(owner.module, ast.unparse(decorator)) for decorator in decorators]
        return ("pydantic.dataclasses", "dataclass") in names

    def _function_takes(self, module: str, functions: Sequence[Function], argument: str) -> bool | None:
        """Whether one of several definitions (overloads) accepts a keyword, or passes it on to a callee that does."""
        answers: list[bool | None] = []
        for function in functions:
            takes = function.args
            if argument in {a.arg for a in (*takes.posonlyargs, *takes.args, *takes.kwonlyargs)}:
                return True
            if not _is_transparent(function):
                answers.append(None)
            else:
                answers.append(self._passes_on(module, function, argument) if takes.kwarg else False)
        return None if None in answers else any(answers)

    def _passes_on(self, module: str, function: Function, argument: str) -> bool | None:
        """Whether the callee that gets the function's ``**kwargs`` accepts the keyword; None if not exactly one."""
        if any(isinstance(node, ast.Constant) and node.value == argument for node in ast.walk(function)):
            return None
        name = function.args.kwarg.arg if function.args.kwarg else ""
        callees = [
            node.func.id if isinstance(node.func, ast.Name) else ""
            for node in ast.walk(function)
            if isinstance(node, ast.Call)
            and any(k.arg is None and isinstance(k.value, ast.Name) and k.value.id == name for k in node.keywords)
        ]
        found = self._find(module, callees[0]) if len(set(callees)) == 1 and callees[0] else None
        return self.takes(found, "", argument) if found is not None else None


def _methods(owner: ast.ClassDef, name: str) -> list[Function]:
    return [node for node in owner.body if isinstance(node, Function) and node.name == name]


def _is_transparent(function: Function) -> bool:
    """Whether every decorator of a function leaves its arguments and its result alone."""
    names = [ast.unparse(decorator).partition("(")[0].rpartition(".")[2] for decorator in function.decorator_list]
    return _TRANSPARENT.issuperset(names)


def _has_plain_init(owner: ast.ClassDef) -> bool:
    """Whether no decorator but a dataclass's may give the class another constructor."""
    names = [ast.unparse(decorator).partition("(")[0].rpartition(".")[2] for decorator in owner.decorator_list]
    return {"dataclass", "final", "runtime_checkable"}.issuperset(names)


def _is_dynamic(owner: ast.ClassDef) -> bool:
    text = ast.unparse(owner)
    return any(word in text for word in _DYNAMIC)


def _fields(node: ast.ClassDef) -> Iterator[str]:
    """The fields of a dataclass."""
    for inner in node.body:
        if isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name):
            yield inner.target.id


def _attributes(node: ast.ClassDef) -> set[str]:
    """Names in a class's body, and those that its methods assign to ``self``."""
    names = set()
    for inner in ast.walk(node):
        if isinstance(inner, Function):
            names.add(inner.name)
        elif (
            isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store) and ast.unparse(inner.value) == "self"
        ):
            names.add(inner.attr)
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            names.add(inner.id)
    return names
