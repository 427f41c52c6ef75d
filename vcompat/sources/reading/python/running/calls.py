"""Calls: functions and classes of the script are run, library functions have models, others open their arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache, partial

from vcompat.facts.presumption import CALL, CALLER, UNCALLED
from vcompat.sources.reading.python.running import harmless
from vcompat.sources.reading.python.running.relevance import configures, may_configure
from vcompat.sources.reading.python.values.core import (
    DEEPEST_CALL,
    SHARE_OF_CALL,
    Done,
    Jump,
    Site,
    Stopped,
    TooComplexError,
)
from vcompat.sources.reading.python.values.interpreter_part import Part
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    NONE,
    ON_CONDITION,
    Bound,
    ClassValue,
    Either,
    Frame,
    Function,
    Held,
    Lib,
    Method,
    Mutable,
    Native,
    Obj,
    Partial,
    Seq,
    Table,
    Unknown,
    Value,
    function_of,
    join,
)
from vcompat.sources.reading.python.values.writes import Diff

#: Decorators of libraries that leave a function as it is.
_TRANSPARENT = frozenset(
    "record no_grad inference_mode wraps lru_cache cache staticmethod classmethod property cached_property setter "
    "contextmanager dataclass override abstractmethod singledispatch profile on_main_process main_process_first "
    "main_process_only jit compile".split()
)
#: Decorators and functions that call a function of the script with arguments from its command line.
FROM_COMMAND_LINE = frozenset(
    "command group option argument callback main app script_entry_point entrypoint cli pass_context run Fire".split()
)


class Calls(Part):
    """Calls functions, classes and models."""

    def call(self, callee: Value, site: Site) -> Value:
        """Call something."""
        self.run.step()
        if isinstance(callee, Function):
            return self.run.commands.call_function(callee, site)
        if isinstance(callee, Bound):
            return self.call(callee.function, site._replace(arguments=(Held(callee.receiver), *site.arguments)))
        if isinstance(callee, Partial):
            arguments, keywords = (*callee.arguments, *site.arguments), {**callee.keywords, **site.keywords}
            return self.call(callee.function, site._replace(arguments=arguments, keywords=keywords))
        if isinstance(callee, ClassValue):
            return self.run.models.instantiate(callee, site)
        if isinstance(callee, Either):
            return self.run.operations.choose([partial(self.call, part, site) for part in callee.values], ON_CONDITION)
        if isinstance(callee, Native):
            value: Value = callee.call(site)
            return value
        if isinstance(callee, Lib):
            return self.run.models.call_library(callee, site)
        if isinstance(callee, Method):
            return self.run.models.call_method(callee, site)
        if isinstance(callee, Obj) and isinstance(callee.kind, ClassValue):
            method = self.run.objects.inherited(callee.kind, "__call__", callee, own=True)
            if method is not None:
                return self.call(method, site)
        return self.unknown_call(site, callee.why if isinstance(callee, Unknown) else AT_RUN_TIME, callee)

    def unknown_call(self, site: Site, why: str, callee: Value | None = None) -> Value:
        """Call something unknown: it may change whatever it gets. A program of typer runs a command."""
        chosen = self.run.commands.chosen_by(site)
        if chosen is not None:
            return self.follow(*chosen)
        name = ast.unparse(site.node.func)[:60] if isinstance(site.node, ast.Call) else "an unknown function"
        if self.run.presuming:
            # A reader sees whether a function of Python itself fails on a value, and presumes that others do not.
            if harmless.is_standard(callee):
                self.run.raises()
            self.run.presumed_not_to_raise = True
            self._presume_unchanged(site, name, callee)
            return Unknown(why)
        self.run.raises()
        reason = f"{name}() may change it"
        if callee is not None and not isinstance(callee, Lib) and not harmless.is_of_text(callee):
            self.run.open(callee, reason)
        for value in site.values:
            if value is self.run.environ and harmless.patches(callee):
                self.run.open(value, reason)
            elif harmless.only_reads(callee, name):
                self._open_functions(value, reason)
            else:
                self.run.open(value, reason)
        if harmless.sets_variables(callee):
            self.run.open(self.run.environ, reason)
        elif harmless.is_foreign(callee):
            self.run.open_variables(reason)
        return Unknown(why)

    def _presume_unchanged(self, site: Site, name: str, callee: Value | None) -> None:
        """Presume that an unknown call changes nothing that it gets. A function that configures a run is called."""
        given = [(h, node) for h, node in zip(site.arguments, getattr(site.node, "args", ()), strict=False)]
        given += [(h, k.value) for k in getattr(site.node, "keywords", ()) if (h := site.keywords.get(k.arg or ""))]
        for held, node in given:
            if isinstance(held.value, Mutable) and not harmless.only_reads(callee, name):
                text = f"{name}() does not change {ast.unparse(node)[:40]}"
                self.run.presume(CALL, text, site.place, [held.value])
        if harmless.sets_variables(callee) or (harmless.is_foreign(callee) and self.run.environ.cells):
            self.run.presume(CALL, f"{name}() sets no environment variables", site.place, [self.run.environ])
        for value in site.values:
            self._presume_called(value, site, name)

    def _presume_called(self, value: Value, site: Site, name: str) -> None:
        """Presume that an unknown call runs a function that it gets once, if the function configures a run."""
        function = function_of(value)
        if not isinstance(function, Function) or function.node in self.run.calling:
            return
        if configures(self.run, function.node):
            self.run.presume(UNCALLED, f"{name}() calls {_name_of(function)}() once", site.place)
            with suppress(Stopped):
                self.call(value, self.run.alone(function)._replace(why_open="called by something unknown"))

    def _open_functions(self, value: Value, why: str) -> None:
        """Run the functions of the script among the arguments of a library function: it may call them."""
        if isinstance(value, Function | Bound | Partial):
            self.maybe_call(value, why)
        elif isinstance(value, Seq) and value.items is not None:
            for held in value.items:
                self._open_functions(held.value, why)

    # Functions of the script

    def follow(self, function: Function, site: Site) -> Value:
        """Run a function of the script. One that takes too many steps is a call that cannot be followed.

        In the certain reading, that does not hold for one that may configure the run.
        """
        name = _name_of(function)
        key = (function.frame.path, getattr(function.node, "lineno", 0), name)
        if key in self.run.heavy and self._may_give_up(function):
            return self._not_followed(function, site)
        before, depth, written = self.run.steps, len(self.run.uncertain), len(self.run.state.written)
        try:
            return self._run_function(function, site)
        except TooComplexError:
            if self.run.steps - before < SHARE_OF_CALL or not self._may_give_up(function):
                raise
        del self.run.uncertain[depth:]
        self.run.steps = before
        self.run.heavy.add(key)
        return self._not_followed(function, site, written)

    def _may_give_up(self, function: Function) -> bool:
        """Return whether the reading can go on after a call of `function` that it does not follow."""
        return self.run.presuming or not may_configure(self.run, function)

    def _not_followed(self, function: Function, site: Site, written: int | None = None) -> Value:
        """Call a function of the script that takes too many steps: it may change all that it can reach.

        The presuming reading takes it to change nothing but what it has `written` so far, or visibly stores.
        """
        name = _name_of(function)
        if not any(text.startswith(f"{name}() (") for text in self.run.given_up):
            self.run.given_up.append(f"{name}() ({site.place}), which takes too many steps")
        if self.run.presuming:
            self.run.presume(CALL, f"{name}(), which takes too many steps, changes no setting", site.place)
            since = len(self.run.state.written) if written is None else written
            self.run.open_stored(function.node, (*site.values, *_closure(function)), since, f"{name}() may change it")
            return Unknown("too complex to evaluate")
        self.run.raises()
        why = f"{name}() takes too many steps to be followed, and may change it"
        for value in (*site.values, *_closure(function)):
            self.run.open(value, why)
        self.run.open_all(why, function.frame.module is self.run.module)
        return Unknown("too complex to evaluate")

    def _run_function(self, function: Function, site: Site) -> Value:
        node = function.node
        if len(self.run.calling) >= DEEPEST_CALL or self.run.calling.count(node) >= 3:
            for value in (*site.values, *_closure(function)):
                self.run.open(value, "the script calls itself too deeply")
            return Unknown("too complex to evaluate")
        frame = Frame(function.frame)
        frame.owner = function.owner
        self.bind(function, site, frame)
        frame.receiver = site.arguments[0].value if site.arguments else None
        is_outer = self.run.presuming and not self.run.calling
        if is_outer and not isinstance(node, ast.Lambda) and configures(self.run, node):
            self.run.outer |= {*node.body}
        self.run.calling.append(node)
        try:
            if isinstance(node, ast.Lambda):
                return self.run.expressions.evaluate(node.body, frame)
            return self._body(node, frame)
        finally:
            self.run.calling.pop()

    def _body(self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> Value:
        if _yields(node):
            # A generator runs as far as it is asked to.
            self.run.operations.choose(
                [lambda: NONE, lambda: self._finished(self.run.flow.block(node.body, frame))], AT_RUN_TIME
            )
            return Unknown()
        return self._finished(self.run.flow.block(node.body, frame))

    def _finished(self, done: Done) -> Value:
        """Return what a function returns whose body ended with `done`."""
        if done is None:
            return NONE
        if isinstance(done, Jump):
            if done.kind == "return":
                return done.value
            raise Stopped(done)
        # Whoever calls the function goes on, so that ways to end the script are settled.
        (result, total), *others = done.values()
        for value, diff in others:
            total, result = self.run.state.join(total, diff), join(result, value)
        self.run.state.apply(total)
        return result

    def bind(self, function: Function, site: Site, frame: Frame) -> None:
        """Bind the parameters of a function to the arguments of a call."""
        arguments = function.node.args
        for name, global_or_not in _elsewhere(function.node).items():
            frame.elsewhere[name] = global_or_not
        plain = [*arguments.posonlyargs, *arguments.args]
        keywords = dict(site.keywords)
        for index, parameter in enumerate(plain):
            held = site.arguments[index] if index < len(site.arguments) else keywords.pop(parameter.arg, None)
            frame.cells[parameter.arg] = self._given(held, parameter.arg, function, site)
        for parameter in arguments.kwonlyargs:
            frame.cells[parameter.arg] = self._given(keywords.pop(parameter.arg, None), parameter.arg, function, site)
        if arguments.vararg is not None:
            rest = site.arguments[len(plain) :]
            is_open = site.why_open and not self.run.presuming
            frame.cells[arguments.vararg.arg] = Held(Seq("tuple", None if is_open else rest))
        if arguments.kwarg is not None:
            table = Table(dict(keywords))  # type: ignore[arg-type]
            frame.cells[arguments.kwarg.arg] = Held(table)
            if site.why_open and not self.run.presuming:
                self.run.open(table, site.why_open)

    def _given(self, held: Held | None, name: str, function: Function, site: Site) -> Held:
        default = function.defaults.get(name)
        if held is not None and not held.optional:
            return held
        if held is not None and default is not None:
            return Held(join(held.value, default.value), held.place)
        is_foreign = any(d not in _TRANSPARENT and not d.startswith("modal.") for d in function.decorated)
        why = site.why_open or ("given by its decorator" if is_foreign else "")
        if default is None:
            return Held(Unknown(why or "not given here"))
        if why and not self.run.presuming:
            return Held(join(Unknown(why), default.value), default.place)
        if why:
            self.run.presume(CALLER, f"{_name_of(function)}() is called without {name}", site.place)
        return default

    def maybe_call(self, function: Value, why: str) -> None:
        """Run a function of the script that something unknown may call, any number of times, with any arguments."""
        inner = function_of(function)
        if self.run.presuming:
            # A careful reader follows the calls that stand in the script.
            return
        if not isinstance(inner, Function) or inner.node in self.run.calling or len(self.run.calling) >= DEEPEST_CALL:
            return
        node = inner.node
        if self.run.perhaps_called.get(node, 0) >= 2 and node in self.run.perhaps_wrote:
            # What it changes is known from the times before.
            self.run.state.open_cells(self.run.perhaps_wrote[node], why)
            return
        self.run.perhaps_called[node] = self.run.perhaps_called.get(node, 0) + 1
        site = self.run.alone(inner)._replace(why_open="called by something unknown")
        count = len(self.run.events)
        with self.run.state.arm() as diff:
            self._called(function, site, why)
        self.run.perhaps_wrote[node] = diff
        # A second time on what the first one may have left.
        del self.run.events[count:]
        self.run.operations.choose([lambda: NONE, lambda: self._twice(function, site, why, diff)], why)

    def _twice(self, function: Value, site: Site, why: str, diff: Diff) -> Value:
        self.run.state.open_cells(diff, why)
        return self._called(function, site, why)

    def _called(self, function: Value, site: Site, why: str) -> Value:
        self.run.uncertain.append(why)
        try:
            return self.call(function, site)
        except Stopped:
            return Unknown()
        finally:
            self.run.uncertain.pop()


def _name_of(function: Function) -> str:
    return getattr(function.node, "name", "the function")


def _closure(function: Function) -> Iterator[Value]:
    """Yield the objects that the enclosing functions of `function` hold."""
    frame: Frame | None = function.frame
    while frame is not None and frame.parent is not None:
        for held in frame.cells.values():
            if isinstance(held.value, Mutable):
                yield held.value
        frame = frame.parent


@lru_cache(maxsize=4096)
def _yields(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(part, ast.Yield | ast.YieldFrom) for part in own_nodes(node))


@lru_cache(maxsize=4096)
def _elsewhere(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> dict[str, str]:
    declared: dict[str, str] = {}
    for part in own_nodes(node) if not isinstance(node, ast.Lambda) else ():
        if isinstance(part, ast.Global | ast.Nonlocal):
            declared |= dict.fromkeys(part.names, "global" if isinstance(part, ast.Global) else "nonlocal")
    return declared


def own_nodes(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes of a function without those of the functions and classes in it."""
    stack: list[ast.AST] = list(node.body)
    while stack:
        part = stack.pop()
        yield part
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            stack += ast.iter_child_nodes(part)
