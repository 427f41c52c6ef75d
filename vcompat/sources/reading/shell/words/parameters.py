"""Expands parameters: ``$X``, ``${X:-w}``, ``${X%p}``, ``${A[@]}``, ``$@``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import NamedTuple, Protocol

from vcompat.facts.presumption import CALLER, Presumption
from vcompat.sources.reading.shell.tree.nodes import (
    Index,
    Literal,
    Operator,
    Parameter,
    Part,
    Replacement,
    SingleQuoted,
    Slice,
    Written,
)
from vcompat.sources.reading.shell.words import patterns
from vcompat.sources.reading.shell.words.arithmetic import Cells, evaluate
from vcompat.sources.reading.shell.words.patterns import Run
from vcompat.sources.reading.shell.words.shell_values import ONE, Value, counted, is_filled, together
from vcompat.sources.reading.shell.words.state import State
from vcompat.sources.reading.word import (
    UNKNOWN,
    UNKNOWN_WORDS,
    Gap,
    PartlyKnown,
    Word,
    concat,
    has,
    has_words,
    in_texts,
    joined,
    readable,
    with_gap,
)

#: Variables of the system and of launchers, whose values have no blanks if they are set at all.
_ONE_WORD = re.compile(
    r"(LOCAL_|NODE_|GROUP_|GLOBAL_|MACHINE_)?RANK|(LOCAL_)?WORLD_SIZE|MASTER_(ADDR|PORT)|CUDA_VISIBLE_DEVICES|HOSTNAME|USER"
    r"|HOME|PWD|OLDPWD|TMPDIR|LOGNAME|VIRTUAL_ENV|CONDA_PREFIX"
    r"|SLURM_(N?NODES|JOB_NUM_NODES|JOB_?ID|NODEID|PROCID|LOCALID|NTASKS|NPROCS|NTASKS_PER_NODE|GPUS_ON_NODE|GPUS"
    r"|GPUS_PER_NODE|CPUS_PER_TASK|CPUS_ON_NODE|ARRAY_TASK_ID|ARRAY_JOB_ID|SUBMIT_DIR|JOB_NAME|TMPDIR)"
    r"|OMPI_COMM_WORLD_\w+|PMI_(RANK|SIZE)|PBS_(JOBID|O_WORKDIR|NODEFILE)"
)
_NUMBERS = frozenset("RANDOM SRANDOM SECONDS LINENO EPOCHSECONDS PPID UID EUID BASHPID HOSTNAME OSTYPE SHLVL".split())


#: Operators that remove a part of a value or change its case.
_TRIMMING = ("#", "##", "%", "%%", "^", "^^", ",", ",,")
#: Operators that say what holds if a variable is not set.
_WITH_DEFAULT = (":-", "-", ":=", "=", ":+", "+")


#: What is around a parameter expansion. NOTHING: it is split into words. QUOTES: double quotes, or those of a
#: here-document. VALUE: the value of an assignment, or another text that is not split.
Around = Enum("Around", "NOTHING QUOTES VALUE")


class Expanded(NamedTuple):
    """The value of a parameter."""

    words: Sequence[Word]
    many: bool = False
    """True for ``$@``, ``${A[@]}`` and alike: `words` are separate words."""
    split: bool = False
    """True if `words` are final: a default with quotes of its own."""
    star: bool = False


class Words(Cells, Protocol):
    """Expands the words inside of parameter expansions. `expansion.Expander` is one."""

    state: State

    def runs(self, word: Written | None) -> list[Run]:
        """Return the word without splitting, with the parts in which wildcards are ordinary characters."""

    def assigned(self, word: Written) -> Word:
        """Return the value that an assignment gets from a word."""

    def quoted(self, part: Part) -> Word:
        """Return a part of a double-quoted text."""

    def fields(self, words: Sequence[Written]) -> list[Word]:
        """Return the words of a command."""

    def default(self, word: Written) -> list[Word]:
        """Return the words of a default such as that of ``${X:-a b}``."""

    def leave(self) -> None:
        """End the script because a parameter is not set."""


class Parameters:
    """Expands parameters."""

    def __init__(self, expander: Words) -> None:
        self.expander = expander

    @property
    def state(self) -> State:
        """The state in which parameters are expanded."""
        return self.expander.state

    def joined(self, expanded: Expanded) -> Word:
        """Return a value as one text."""
        if len(expanded.words) == 1:
            return with_gap(expanded.words[0], Gap.PART, old=Gap.WORDS)
        if expanded.star and expanded.words and self.state.get("IFS") != " \t\n":
            return UNKNOWN
        return together(expanded.words)

    def expand(self, part: Parameter, around: Around) -> Expanded:
        """Return the value of `part`. It is one word, unless it stands for a list."""
        name = part.name
        if part.is_indirect:
            return self._indirect(part, name, around)
        index = literal_index(part.index)
        star = name == "*" or index == "*"
        if name in ("@", "*") or index in ("@", "*"):
            words = self._list(name)
            return self._of_list(part, words, star, around)
        value = self._value(name, part.index)
        if part.is_length:
            is_counted = isinstance(value, str) and value.isascii()
            return Expanded(["0" if not value else str(len(value)) if is_counted else ONE])
        if isinstance(part.change, Operator):
            return self._operator(name, value, part.change, around)
        if self._is_one_word(name, value, around):
            return Expanded([ONE])
        return Expanded([self._changed(part.change, value or "")])

    def _is_one_word(self, name: str, value: Word | None, around: Around) -> bool:
        """Return whether a variable that is not known, and that is not quoted, is one word by its name."""
        is_unknown = around is Around.NOTHING and value == UNKNOWN and name not in self.state.variables
        return is_unknown and _ONE_WORD.fullmatch(name) is not None

    def _of_list(self, part: Parameter, words: Sequence[Word], star: bool, around: Around) -> Expanded:
        if part.is_length:
            value = self.state.get(part.name)
            number = len(value) if isinstance(value, Mapping) else counted(words)
            return Expanded([ONE if number is None else str(number)])
        change = part.change
        if isinstance(change, Operator):
            if change.symbol in _TRIMMING:
                words = _each(words, lambda word: self._trimmed(word, change))
            else:
                words = self._default_of_list(words, change)
        elif isinstance(change, Slice):
            words = self._sliced_list(part.name, change, words)
        elif isinstance(change, Replacement):
            words = _each(words, lambda word: self._replaced(change, word))
        if around is not Around.NOTHING and star:
            return Expanded([self._as_one(words, around)])
        return Expanded(list(words), many=True, star=star)

    def _as_one(self, words: Sequence[Word], around: Around) -> Word:
        """Return the value of ``"${A[*]}"``: the words with the first separator between them."""
        separators = self.state.get("IFS")
        if around is Around.QUOTES and isinstance(separators, str) and all(isinstance(word, str) for word in words):
            return joined(separators[:1], words)
        return self.joined(Expanded(words, star=True))

    def _default_of_list(self, words: Sequence[Word], exp: Operator) -> Sequence[Word]:
        filled = len(words) > 0 if counted(words) is not None and list(words) != [""] else None
        if exp.symbol in (":-", "-"):
            default = self.expander.fields([exp.word]) if exp.word else []
            return words if filled else default if filled is False else [UNKNOWN_WORDS]
        if exp.symbol in (":+", "+"):
            word = exp.word or Written()
            return [UNKNOWN_WORDS] if filled is None else self.expander.fields([word]) if filled else []
        return [UNKNOWN_WORDS]

    # Values.

    def _value(self, name: str, index: Index | None) -> Word | None:
        if name.isdecimal() and len(name) < 10:
            return self._positional(int(name))
        if name in ("#", "?", "$", "!", "-"):
            return self._special(name)
        if name in self.state.variables:
            return self._element(self.state.get(name), index)
        if name in _NUMBERS:
            return ONE
        if name == "PWD":
            return self.state.folder if self.state.folder.startswith("/") else UNKNOWN
        if name == "BASH_SOURCE":
            return self.state.source if literal_index(index) in ("", "0") else UNKNOWN
        return self._element(self.state.get(name), index)

    def _element(self, value: Value, index: Index | None) -> Word | None:
        if value is None or isinstance(value, (str, PartlyKnown)):
            if index is None or value is None or literal_index(index) == "0":
                return value
            return UNKNOWN
        if isinstance(value, tuple):
            at = evaluate(index, self.expander)
            if at is None or (at >= 0 and any(map(has_words, value[: at + 1]))):
                return UNKNOWN
            if at < 0 and counted(value) is None:
                return UNKNOWN
            return value[at] if -len(value) <= at < len(value) else None
        key = self.expander.text(index) if isinstance(index, Written) else UNKNOWN
        return value.get(key) if isinstance(key, str) else UNKNOWN

    def _positional(self, number: int) -> Word | None:
        if number == 0:
            return self.state.script
        words = self.state.positional
        if words is None or any(map(has_words, words[:number])):
            return UNKNOWN
        return words[number - 1] if number <= len(words) else None

    def _special(self, name: str) -> Word:
        if name == "#":
            number = None if self.state.positional is None else counted(self.state.positional)
            return ONE if number is None else str(number)
        if name == "?":
            return ONE if self.state.status is None else str(self.state.status)
        return ONE if name in ("$", "!") else UNKNOWN

    def _list(self, name: str) -> Sequence[Word]:
        if name in ("@", "*"):
            if self.state.positional is None and self.state.presumed is not None:
                self.state.presumed.append(Presumption(CALLER, "the caller adds no arguments"))
                return []
            return [UNKNOWN_WORDS] if self.state.positional is None else self.state.positional
        value = self.state.get(name)
        if value is None:
            return []
        if isinstance(value, (str, PartlyKnown)):
            # Without an assignment it can be an array of an unknown number of words.
            return [UNKNOWN_WORDS] if is_filled(value) is None and value else [value]
        return value if isinstance(value, tuple) else [UNKNOWN_WORDS] if len(value) > 1 else list(value.values())

    def _indirect(self, part: Parameter, name: str, around: Around) -> Expanded:
        if part.lists_names:
            return Expanded([UNKNOWN_WORDS])
        index = literal_index(part.index)
        if index in ("@", "*"):
            value = self.state.get(name)
            if isinstance(value, tuple) and counted(value) is not None:
                keys = Expanded([str(number) for number in range(len(value))], many=True, star=index == "*")
                return Expanded([self.joined(keys)]) if around is not Around.NOTHING and keys.star else keys
            return Expanded([UNKNOWN_WORDS])
        target = self._value(name, part.index)
        if not isinstance(target, str) or not re.fullmatch(r"[A-Za-z_]\w*|\d+", target):
            return Expanded([UNKNOWN])
        return self.expand(replace(part, name=target, index=None, is_indirect=False), around)

    # Operators.

    def _operator(self, name: str, value: Word | None, exp: Operator, around: Around) -> Expanded:
        operator, word = exp.symbol, exp.word or Written()
        if operator in _TRIMMING:
            return Expanded([self._trimmed(value or "", exp)])
        if operator not in (":-", "-", ":=", "=", ":?", "?", ":+", "+"):
            return Expanded([UNKNOWN])
        filled = self._is_filled(name, value, operator)
        if operator in (":+", "+"):
            return self._alternative(filled, word, around)
        if operator in (":?", "?"):
            if filled is False:
                self.expander.leave()
            return Expanded([ONE if self._is_one_word(name, value, around) else value or ""])
        if filled:
            return Expanded([value or ""])
        return self._with_default(name, filled, word, operator, around)

    def _is_filled(self, name: str, value: Word | None, operator: str) -> bool | None:
        """Return whether an operator takes a parameter for set, and with a colon not empty; None if not known."""
        filled = is_filled(value or "")
        if not operator.startswith(":"):
            filled = value is not None if value is None or filled is not None else None
        if filled is None and value == UNKNOWN and operator in _WITH_DEFAULT and self.state.presumes_unset(name):
            return False
        return filled

    def _alternative(self, filled: bool | None, word: Written, around: Around) -> Expanded:
        if filled is False:
            return Expanded([""])
        # If it is not known, the assignments of the word may happen.
        alternative = self._default(word, around)
        if filled:
            return alternative
        return Expanded([UNKNOWN_WORDS if around is Around.NOTHING else UNKNOWN])

    def _with_default(self, name: str, filled: bool | None, word: Written, operator: str, around: Around) -> Expanded:
        default = self._default(word, around)
        text = self.joined(default)
        if filled is None:
            # Where one word is the default, the caller also sets one.
            single = text and not re.search(r"\s", readable(text)) and not has(text, Gap.PART) and operator[0] == ":"
            callers = name not in self.state.variables
            text = ONE if single and callers and len(default.words) == 1 else UNKNOWN
            default = Expanded([text])
        if operator in (":=", "="):
            self.expander.assign(name, text)
        return default

    def _default(self, word: Written, around: Around) -> Expanded:
        """Return the word of an operator. Without quotes around the expansion its own quotes count."""
        if around is Around.QUOTES:
            return Expanded([concat(map(self._inside_quotes, word.parts))])
        if around is Around.VALUE:
            return Expanded([self.expander.assigned(word)])
        words = self.expander.default(word)
        return Expanded(words, many=True, split=True) if words else Expanded([""])

    def _inside_quotes(self, part: Part) -> Word:
        if isinstance(part, SingleQuoted) and not part.ansi:
            return concat(("'", part.text, "'"))  # Single quotes are ordinary characters in double quotes.
        return self.expander.quoted(part)

    def _trimmed(self, value: Word, exp: Operator) -> Word:
        operator = exp.symbol
        runs = self.expander.runs(exp.word)
        if operator[0] in "^,":
            if runs or not readable(value).isascii():
                return UNKNOWN  # Others depend on the locale.
            change = str.upper if operator[0] == "^" else str.lower
            return in_texts(value, change) if len(operator) == 2 else in_texts(value[:1], change) + value[1:]
        try:
            return patterns.without(value, runs, operator)
        except patterns.Unmatchable:
            return UNKNOWN

    def _changed(self, change: Operator | Replacement | Slice | None, value: Word) -> Word:
        if isinstance(change, Replacement):
            return self._replaced(change, value)
        return self._sliced(change, value) if isinstance(change, Slice) else value

    def _replaced(self, replacement: Replacement, value: Word) -> Word:
        new = self.expander.text(replacement.new) if replacement.new else ""
        runs = self.expander.runs(replacement.pattern)
        if "&" in new:
            return UNKNOWN
        try:
            return patterns.replaced(value, runs, new, replacement.all)
        except patterns.Unmatchable:
            return UNKNOWN

    def _sliced(self, part: Slice, value: Word) -> Word:
        offset = evaluate(part.offset, self.expander)
        length = len(value) if part.length is None else evaluate(part.length, self.expander)
        if offset is None or length is None or not isinstance(value, str) or not value.isascii():
            return UNKNOWN
        start = offset if offset >= 0 else len(value) + offset
        if start < 0 or start > len(value):
            return ""
        end = start + length if length >= 0 else len(value) + length
        return value[start:end] if end >= start else UNKNOWN

    def _sliced_list(self, name: str, part: Slice, words: Sequence[Word]) -> Sequence[Word]:
        offset = evaluate(part.offset, self.expander)
        length = None if part.length is None else evaluate(part.length, self.expander)
        if counted(words) is None or offset is None or (part.length is not None and length is None):
            return [UNKNOWN_WORDS]
        if name in ("@", "*"):
            words = [self.state.script, *words]
        elif isinstance(self.state.get(name), (str, PartlyKnown)):
            return [UNKNOWN_WORDS]  # After its end, a text has an empty word, an array has none.
        if offset < 0 or (length is not None and length < 0):
            return [UNKNOWN_WORDS]
        return list(words[offset:] if length is None else words[offset : offset + length])


def _each(words: Sequence[Word], change: Callable[[Word], Word]) -> list[Word]:
    """Return words after a change of each. Of an unknown number of words the number stays unknown."""
    return [UNKNOWN_WORDS if has_words(word) else change(word) for word in words]


def literal_index(index: Index | None) -> Word:
    """Return an index that is a plain text, such as ``@``; empty for every other one."""
    part = index.parts[0] if isinstance(index, Written) and len(index.parts) == 1 else None
    return part.text if isinstance(part, Literal) else ""
