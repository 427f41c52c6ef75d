"""Assigns variables: ``X=1``, ``X+=1``, ``A=(...)``, ``A[0]=x``, `export`, `declare` and alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from vcompat.facts.facts import Place
from vcompat.sources.reading.shell.tree.nodes import Assignment, Declaration, Element, Written
from vcompat.sources.reading.shell.words.arithmetic import evaluate
from vcompat.sources.reading.shell.words.expansion import Expander
from vcompat.sources.reading.shell.words.shell_values import MOST_WORDS, Value, bounded, counted
from vcompat.sources.reading.shell.words.state import EXPECTED, NO_MATTER, State, Variable
from vcompat.sources.reading.word import (
    UNKNOWN,
    UNKNOWN_WORDS,
    Gap,
    PartlyKnown,
    Word,
    has_words,
    is_only,
    known_start,
    with_gap,
)

_NAME = re.compile(r"[A-Za-z_]\w*")


def assign(target: Assignment, expander: Expander, place: Place, exported: bool | None = False) -> None:
    """Run one assignment."""
    name, state = target.name, expander.state
    state.set(name, value_of(target, expander), place, exported)


def value_of(target: Assignment, expander: Expander, mapping: bool = False) -> Value:
    """Return the value that the variable of an assignment gets."""
    before = expander.state.get(target.name)
    if target.elements is not None:
        return _array(target.elements, expander, before, target.is_appended, mapping)
    text = expander.assigned(target.value) if target.value else ""
    if target.index:
        return _with_element(before, target, text, expander)
    if not target.is_appended:
        return text
    if before is None or isinstance(before, (str, PartlyKnown)):
        return bounded((before or "") + text)
    if isinstance(before, tuple) and before and isinstance(before[0], str):
        return (bounded(before[0] + text), *before[1:])
    return UNKNOWN


def _array(elements: Sequence[Element], expander: Expander, before: Value, append: bool, mapping: bool) -> Value:
    if mapping or isinstance(before, Mapping):
        return _mapping(elements, expander, before if append and isinstance(before, Mapping) else {})
    words: list[Word] = []
    if append and isinstance(before, tuple):
        words = list(before)
    elif append and isinstance(before, (str, PartlyKnown)):
        words = [UNKNOWN_WORDS if is_only(before, Gap.PART) else before]
    for element in elements:
        if element.index:
            at = evaluate(element.index, expander)
            if at is None or counted(words) != at:
                return UNKNOWN
            words.append(expander.text(element.value))
        else:
            words += expander.fields([element.value], elements=True)
    return tuple(words) if len(words) <= MOST_WORDS else (UNKNOWN_WORDS,)


def _mapping(elements: Sequence[Element], expander: Expander, before: Mapping[str, Word]) -> Value:
    table = dict(before)
    for element in elements:
        if not element.index:
            return UNKNOWN
        key = expander.text(element.index) if isinstance(element.index, Written) else UNKNOWN
        value = expander.text(element.value)
        if not isinstance(key, str):
            return UNKNOWN
        table[key] = value
    return table


def _with_element(before: Value, target: Assignment, text: Word, expander: Expander) -> Value:
    """Return an array with one element set."""
    if isinstance(before, Mapping):
        key = expander.text(target.index) if isinstance(target.index, Written) else UNKNOWN
        return {**before, key: text} if isinstance(key, str) and not target.is_appended else UNKNOWN
    at = evaluate(target.index, expander)
    words = list(before) if isinstance(before, tuple) else [] if before is None else None
    if at is None or words is None or target.is_appended or counted(words) is None or not 0 <= at <= len(words):
        return UNKNOWN
    words[at : at + 1] = [text]
    return tuple(words)


class Declaring:
    """`export`, `declare`, `typeset`, `local` or `readonly`, with its options."""

    def __init__(self, kind: str, in_function: bool) -> None:
        self.flags = ""
        self.removed = ""
        self.named = False
        self.kind = kind
        self.in_function = in_function

    def option(self, text: Word) -> bool:
        """Read `text` as an option. Returns whether it is one."""
        if not isinstance(text, str) or not re.fullmatch(r"[-+][A-Za-z]+", text):
            return text == "--"
        if text[0] == "-":
            self.flags += text[1:]
        else:
            self.removed += text[1:]
        return True

    @property
    def exported(self) -> bool:
        """Whether the variables are exported."""
        return "x" in self.flags or (self.kind == "export" and "n" not in self.flags)

    @property
    def unexported(self) -> bool:
        """Whether the variables are not exported from here on."""
        return "x" in self.removed or (self.kind == "export" and "n" in self.flags)

    @property
    def is_local(self) -> bool:
        """Whether the variables belong to the function."""
        return self.in_function and self.kind in ("local", "declare", "typeset") and "g" not in self.flags

    def end(self, state: State) -> None:
        """Set the status. If it prints variables or functions, they may not exist."""
        state.status, state.success = 0, EXPECTED
        if not self.named or "p" in self.flags or ("f" in self.flags.lower() and self.kind in ("declare", "typeset")):
            state.output += UNKNOWN
            state.status, state.success = None, NO_MATTER

    def hide(self, name: str, place: Place, state: State, assigned: bool) -> None:
        """Hide a variable of the shell from the function, if a local one is declared that is not yet."""
        if self.is_local and state.scopes and name not in state.scopes[-1]:
            state.scopes[-1][name] = state.variables.get(name)
            # Without a value it hides the variable from the shell, but not from programs if that one is exported.
            exported = state.is_exported(name)
            state.variables[name] = Variable(None if exported is False else UNKNOWN, exported and None, place)
            if assigned:
                state.variables[name] = Variable(None, exported, place)

    def run(self, name: str, value: Value, place: Place, state: State, assigned: bool) -> None:
        """Declare the variable `name`, and set it to `value` if it is `assigned`."""
        self.named = True
        self.hide(name, place, state, assigned)
        if assigned:
            state.set(name, self._converted(value, state, name), place)
        elif "A" in self.flags and state.variables.get(name, Variable(None)).value is None:
            state.set(name, {}, place)
        variable = state.variables.get(name) or Variable(state.get(name), state.is_exported(name))
        exported = True if self.exported else False if self.unexported else variable.exported
        is_special = self.kind == "readonly" or (self.kind != "export" and not set("riunlc").isdisjoint(self.flags))
        state.variables[name] = Variable(variable.value, exported, place, variable.special or is_special)

    def _converted(self, value: Value, state: State, name: str) -> Value:
        before = state.variables.get(name, Variable(None))
        if before.special:
            return value
        converts = not set("iulc").isdisjoint(self.flags)
        if not isinstance(value, (str, PartlyKnown)):
            return UNKNOWN if converts and value else value
        if not set("aA").isdisjoint(self.flags) or isinstance(before.value, (tuple, Mapping)):
            return UNKNOWN if converts else self._as_array(value, before.value)
        if "i" in self.flags:
            text = value.strip()
            is_number = isinstance(text, str) and text.isascii() and text.isdigit() and not text.startswith("0")
            return text if is_number else UNKNOWN
        return UNKNOWN if converts else value

    def _as_array(self, value: Word, before: Value) -> Value:
        """Return what an array is after a text is assigned to it."""
        if before == UNKNOWN or not _is_element(value):
            return UNKNOWN
        if isinstance(before, (tuple, Mapping)):
            return value
        return {"0": value} if "A" in self.flags else (value,)


def _is_element(text: Word) -> bool:
    """Return whether a declaration of an array takes a text for one element. It takes ``'(a b)'`` for all of them."""
    return not text or known_start(text)[:1] not in ("", "(")


def declare(clause: Declaration, expander: Expander, place: Place) -> None:
    """Run a declaration as the parser has it. Sets the status."""
    state = expander.state
    declaration = Declaring(clause.kind, bool(state.scopes))
    for argument in clause.arguments:
        if isinstance(argument, Written):
            for word in expander.fields([argument]):
                declare_word(word, declaration, state, place)
            continue
        value: Value = None
        if isinstance(argument, Assignment):
            if argument.is_appended:
                declaration.hide(argument.name, place, state, True)
            value = value_of(argument, expander, mapping="A" in declaration.flags)
            if isinstance(value, (str, PartlyKnown)) and "{" in value and argument.value:
                value = UNKNOWN if argument.is_appended else expander.last_of_braces(argument.value)
        if "n" in declaration.flags and clause.kind != "export":
            state.open_all(f"{place}: a reference to another variable")
        declaration.run(argument.name, value, place, state, isinstance(argument, Assignment))
    declaration.end(state)


def declare_word(word: Word, declaration: Declaring, state: State, place: Place) -> None:
    """Run a declaration of which an argument is a plain word."""
    if declaration.option(word):
        return
    target, equals, text = word.partition("=")
    name = target.removesuffix("+")
    if equals and isinstance(name, str) and _NAME.fullmatch(name):
        value = UNKNOWN if target.endswith("+") else with_gap(text, Gap.PART, old=Gap.WORDS)
        declaration.run(name, value, place, state, True)
        if has_words(word):
            state.open_all(f"{place}: {declaration.kind} of names that are not known")
    elif isinstance(word, str) and _NAME.fullmatch(word):
        declaration.run(word, None, place, state, False)
    elif not isinstance(word, str):
        state.open_all(f"{place}: {declaration.kind} of names that are not known")
