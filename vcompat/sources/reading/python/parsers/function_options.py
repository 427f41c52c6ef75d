"""Gives functions what the command line sets of their parameters, as click, typer, fire, modal and tyro do."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import NONE, UNSET, Const, Function, Held, Unknown, Value, join
from vcompat.sources.reading.word import Word

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

_REQUIRED = Unknown("a required option, which the caller gives")
#: Arguments of an option that change what its words mean, or where its value comes from.
_OTHERWISE = frozenset("multiple nargs envvar callback flag_value count default_factory parser click_type".split())
#: Keywords of a call of a program that change no argument, and what gives a program of click other defaults.
_NO_MATTER = frozenset({"standalone_mode", "prog_name"})
_DEFAULTS_ELSEWHERE = (b"default_map", b"auto_envvar_prefix")
_NUMBERS: Mapping[str, Callable[[str], Any]] = {"int": int, "float": float}
_CLICK_TYPES = {
    **dict.fromkeys(("str", "STRING", "Choice", "Path"), "str"),
    **{"int": "int", "INT": "int", "float": "float", "FLOAT": "float", "bool": "bool", "BOOL": "bool"},
}
#: What declares an option of typer.
_OF_TYPER = ("Option", "Argument")
_TRUE, _FALSE = frozenset("true t yes y on 1".split()), frozenset("false f no n off 0".split())


class Option(NamedTuple):
    """What sets one parameter."""

    name: str
    flags: tuple[str, ...]
    """Empty for an argument, which has a place among the words."""
    off: tuple[str, ...]
    """Flags that set it to false."""
    is_flag: bool
    kind: str
    """``int``, ``float``, ``bool``, ``str``, ``str?`` for a text or None, or ``literal`` for any value of Python; empty
    if it is not known."""
    default: Value

    @property
    def has_place(self) -> bool:
        """Whether it has a place among the words. For fire, each parameter has one, too."""
        return not self.flags or self.kind == "literal"


def given_by_words(run: Run, function: Function, words: Sequence[Word], by: str = "") -> dict[str, Held] | None:
    """Return the arguments with which click, typer, or what `by` names, call a function; None if they are not known."""
    style = _STYLES.get(by) or (_of_click if _is_of_click(function) else _of_typer)
    options = list(style(run, function))
    values = parsed(options, words)
    if values is None:
        return None
    defaults = {option.name: Held(option.default, run.place(function.node, function.frame)) for option in options}
    return defaults | {name: Held(value, run.start.place) for name, value in values.items()}


def started(run: Run, function: Function, words: Sequence[Word] | None, site: Site, by: str = "") -> Site:
    """Return the call of a function that gets its arguments from `words`, which are None if they are not known.

    What the script hands over with the call, such as another command line, or names for defaults, outweighs the words.
    """
    own = bool(site.arguments or site.keywords.keys() - _NO_MATTER or site.why_open)
    own = own or any(word in columns.source for columns in run.sources.values() for word in _DEFAULTS_ELSEWHERE)
    given = given_by_words(run, function, words, by) if words is not None and not own else None
    if given is not None:
        return site._replace(arguments=(), keywords=given, why_open="")
    why = "taken from the command line"
    unknown = {
        name: Held(join(Unknown(why), held.value) if (held := function.defaults.get(name)) else Unknown(why))
        for name in (argument.arg for argument in _arguments(function))
    }
    return site._replace(arguments=(), keywords=unknown, why_open=why)


def command_of(named: Mapping[str, Function], words: Sequence[Word]) -> tuple[Function, Sequence[Word]] | None:
    """Return the command that words choose among those of a program, and the words after its name."""
    if len(named) == 1:
        (function,) = named.values()
        return function, words
    first = words[0] if words else ""
    function_ = named.get(first) if isinstance(first, str) else None
    return (function_, words[1:]) if function_ is not None else None


# Words


def parsed(options: Sequence[Option], words: Sequence[Word]) -> dict[str, Value] | None:
    """Return what the words set, by the names of the parameters; None if they are not known, or do not fit."""
    values: dict[str, Value] = {}
    places = [option for option in options if option.has_place]
    by_flag = {flag: option for option in reversed(options) for flag in (*option.flags, *option.off)}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not isinstance(word, str) or word == "--":
            return None
        flag, equals, text = word.partition("=")
        is_flag = word.startswith("-") and not word.lstrip("-")[:1].isdigit()
        option = by_flag.get(flag) if is_flag else places.pop(0) if places else None
        if option is None:
            return None
        value = _value(option, flag, text if equals else None, rest) if is_flag else _converted(word, option)
        if value is None:
            return None
        values[option.name] = value
    return values


def _value(option: Option, flag: str, text: str | None, rest: list[Word]) -> Value | None:
    """Return what a flag sets, to its `text` or to the next word of the `rest`; None if there is none."""
    if flag in option.off or (option.is_flag and text is None and not _has_value(option, rest)):
        return Const(flag not in option.off)
    if text is None and not rest:
        return None
    value = rest.pop(0) if text is None else text
    return _converted(value, option) if isinstance(value, str) else Unknown("computed")


def _has_value(option: Option, rest: Sequence[Word]) -> bool:
    """Return whether the word after a flag is its value: for fire, which has no flags."""
    return option.kind == "literal" and bool(rest) and not rest[0].startswith("-")


def _converted(text: str, option: Option) -> Value:
    if option.kind == "str" or (option.kind == "str?" and text != "None"):
        return Const(text)
    try:
        if option.kind in _NUMBERS:
            return Const(_NUMBERS[option.kind](text))
        if option.kind == "literal":
            value = ast.literal_eval(text)
            return Const(value) if isinstance(value, bool | int | float | str) or value is None else Unknown()
    except (ValueError, SyntaxError):
        return Const(text) if option.kind == "literal" else Unknown()
    if option.kind == "bool" and text.lower() in _TRUE | _FALSE:
        return Const(text.lower() in _TRUE)
    return Unknown()


# Parameters


def _of_fire(run: Run, function: Function) -> Iterator[Option]:
    for argument in _arguments(function):
        name, held = argument.arg, function.defaults.get(argument.arg)
        flags = tuple(dict.fromkeys((f"--{name}", f"--{name.replace('_', '-')}")))
        default = held.value if held is not None else _REQUIRED
        is_flag = isinstance(default, Const) and isinstance(default.value, bool)
        yield Option(name, flags, (f"--no{name}",), is_flag, "literal", default)


def _is_of_click(function: Function) -> bool:
    return bool({"option", "argument"} & set(function.decorated))


def _of_click(run: Run, function: Function) -> Iterator[Option]:
    for node in getattr(function.node, "decorator_list", ()):
        kind = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
        if kind in ("option", "argument"):
            yield _option_of_click(run, function, node, is_argument=kind == "argument")


def _option_of_click(run: Run, function: Function, call: ast.Call, is_argument: bool) -> Option:
    words, keywords = _texts(call), _keywords(call)
    flags, off = _flags(words)
    plain = [word for word in words if not word.startswith("-")]
    longest = max(flags, key=lambda flag: len(flag) - len(flag.lstrip("-")), default="")
    name = (plain or [longest.lstrip("-")])[0].replace("-", "_").lower()
    is_flag = bool(off) or _is_true(keywords.get("is_flag"))
    default: Value = _REQUIRED if is_argument else Const(False if is_flag else None)
    if "default" in keywords:
        default = run.expressions.evaluate(keywords["default"], function.frame)
    kind = _CLICK_TYPES.get(_last(keywords["type"]), "") if "type" in keywords else _type_of(default)
    return _with(Option(name, () if is_argument else flags, off, is_flag, kind, default), keywords)


def _of_typer(run: Run, function: Function) -> Iterator[Option]:
    arguments = function.node.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    nodes: dict[str, ast.expr | None] = dict(zip(reversed(names), reversed(arguments.defaults), strict=False))
    nodes |= {each.arg: node for each, node in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)}
    for argument in _arguments(function):
        yield _option_of_typer(run, function, argument, nodes.get(argument.arg))


def _option_of_typer(run: Run, function: Function, argument: ast.arg, node: ast.expr | None) -> Option:
    """Return the option of a parameter, of which `node` is the default as written."""
    name, held = argument.arg, function.defaults.get(argument.arg)
    kind, call = _annotated(argument.annotation)
    default: Value = held.value if held is not None else _REQUIRED
    is_argument = _last(call) == "Argument" if call is not None else held is None
    if isinstance(node, ast.Call) and _last(node) in _OF_TYPER:
        call, is_argument, stated = node, _last(node) == "Argument", _stated_default(node)
        default = run.expressions.evaluate(stated, function.frame) if stated is not None else _REQUIRED
    flags, off = _flags(_texts(call))
    if not flags:
        dashed = name.replace("_", "-")
        flags, off = (f"--{dashed}",), (f"--no-{dashed}",) if kind == "bool" else ()
    option = Option(name, () if is_argument else flags, off, kind == "bool", kind, default)
    return _with(option, _keywords(call))


def _stated_default(call: ast.Call) -> ast.expr | None:
    """Return the default that a call of typer states; None if the option is required."""
    stated = _keywords(call).get("default") or (call.args[0] if call.args else None)
    return None if isinstance(stated, ast.Constant) and stated.value is ... else stated


def _texts(call: ast.Call | None) -> list[str]:
    """Return the texts among the positional arguments of a call."""
    constants = [node.value for node in call.args if isinstance(node, ast.Constant)] if call is not None else []
    return [text for text in constants if isinstance(text, str)]


def _keywords(call: ast.Call | None) -> dict[str, ast.expr]:
    return {keyword.arg or "**": keyword.value for keyword in call.keywords} if call is not None else {}


def _of_modal(run: Run, function: Function) -> Iterator[Option]:
    """Yield the options of a function of Modal: those of typer, but that each parameter is one."""
    for option in _of_typer(run, function):
        yield option if option.flags else option._replace(flags=(f"--{option.name.replace('_', '-')}",))


def _of_tyro(run: Run, function: Function) -> Iterator[Option]:
    for argument in _arguments(function):
        held = function.defaults.get(argument.arg)
        yield option_of_tyro("", argument.arg, kind_of(argument.annotation), held.value if held is not None else UNSET)


def option_of_tyro(prefix: str, name: str, kind: str, default: Value) -> Option:
    """Return the option of a parameter or field of tyro, behind the names of the fields that hold it."""
    is_flag = kind == "bool" and isinstance(default, Const) and isinstance(default.value, bool)
    written = {(prefix + name).replace("_", "-"), prefix + name}
    above = {prefix.replace("_", "-"), prefix}
    off = {f"--{part}no-{last}" for part in above for last in (name, name.replace("_", "-"))} if is_flag else set()
    flags = tuple(f"--{each}" for each in sorted(written))
    return Option(prefix + name, flags, tuple(sorted(off)), is_flag, kind, _REQUIRED if default is UNSET else default)


def kind_of(node: ast.expr | None) -> str:
    """Return the kind of value that an annotation names for tyro, which reads ``None`` where that is possible."""
    text = ast.unparse(node).removeprefix("typing.") if node is not None else ""
    if isinstance(node, ast.Subscript) and _last(node.value) == "Literal":
        values = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return "str" if all(isinstance(v, ast.Constant) and isinstance(v.value, str) for v in values) else ""
    kind = _annotated(node)[0] if node is not None else ""
    return "str?" if kind == "str" and ("None" in text or "Optional" in text) else kind


#: The options of a function, by what calls it.
_STYLES: Mapping[str, Callable[[Run, Function], Iterator[Option]]] = {
    "fire": _of_fire,
    "modal": _of_modal,
    "tyro": _of_tyro,
}


def _with(option: Option, keywords: Mapping[str, ast.expr]) -> Option:
    """Return an option; one with arguments that change what it means has no known value."""
    if _OTHERWISE & keywords.keys() or "**" in keywords:
        return option._replace(kind="", default=Unknown("its option computes it"))
    return option._replace(default=_REQUIRED) if _is_true(keywords.get("required")) else option


def _arguments(function: Function) -> list[ast.arg]:
    arguments = function.node.args
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def _flags(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the flags among the words that declare an option, and those that switch it off."""
    parts = [word.partition("/") for word in words if word.startswith("-")]
    return tuple(on.strip() for on, _, _ in parts), tuple(off.strip() for _, _, off in parts if off)


def _annotated(node: ast.expr | None) -> tuple[str, ast.Call | None]:
    """Return the kind of value that an annotation names, and the call of typer in it."""
    if isinstance(node, ast.Subscript) and _last(node.value) == "Annotated" and isinstance(node.slice, ast.Tuple):
        first, *more = node.slice.elts
        call = next((each for each in more if isinstance(each, ast.Call) and _last(each) in _OF_TYPER), None)
        return _annotated(first)[0], call
    text = ast.unparse(node).removeprefix("typing.") if node is not None else "str"
    text = text.removeprefix("Optional[").removesuffix("]").replace(" | None", "").replace("None | ", "")
    return ("str" if text in ("str", "Path", "pathlib.Path") else text if text in (*_NUMBERS, "bool") else ""), None


def _last(node: ast.expr | None) -> str:
    """Return the last part of the name of what is called, or of a name."""
    inner = node.func if isinstance(node, ast.Call) else node
    return inner.attr if isinstance(inner, ast.Attribute) else inner.id if isinstance(inner, ast.Name) else ""


def _type_of(default: Value) -> str:
    """Return the type that click takes of a default."""
    if not isinstance(default, Const):
        return "" if default is not _REQUIRED else "str"
    return type(default.value).__name__ if default != NONE else "str"


def _is_true(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True
