"""The nodes of the syntax tree of a shell script.

A script is a sequence of statements. A statement has a command; a command has words; a word has parts. What is not
known in the text of a script is not known in the texts of its nodes either, which are `Word`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from vcompat.sources.reading.word import Word

# Parts of words.


@dataclass(frozen=True, slots=True)
class Literal:
    """Text without quotes, as written, with its backslashes."""

    text: Word


@dataclass(frozen=True, slots=True)
class SingleQuoted:
    """``'text'``, or ``$'text'`` if it is `ansi`."""

    text: Word
    ansi: bool = False


@dataclass(frozen=True, slots=True)
class DoubleQuoted:
    """``"..."``."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """``:offset:length`` in a parameter."""

    offset: Expression | None
    length: Expression | None = None


@dataclass(frozen=True, slots=True)
class Replacement:
    """``/pattern/new`` in a parameter, or ``//pattern/new`` if it replaces `all`."""

    pattern: Written
    new: Written | None = None
    all: bool = False


@dataclass(frozen=True, slots=True)
class Operator:
    """``:-word``, ``%word`` and alike in a parameter."""

    symbol: str
    word: Written | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """``$NAME``, ``${NAME}`` and ``${NAME...}``."""

    name: str
    index: Index | None = None
    is_indirect: bool = False
    """``${!NAME}``."""
    is_length: bool = False
    """``${#NAME}``."""
    lists_names: bool = False
    """``${!NAME@}``."""
    change: Operator | Replacement | Slice | None = None

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing but the name."""
        return self == Parameter(self.name)


@dataclass(frozen=True, slots=True)
class CommandSubstitution:
    """``$(...)``."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ProcessSubstitution:
    """``<(...)`` or ``>(...)``."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ArithmeticExpansion:
    """``$((...))``."""

    expression: Expression | None


@dataclass(frozen=True, slots=True)
class ExtendedPattern:
    """``@(a|b)`` and alike."""

    text: Word


Part = (
    Literal
    | SingleQuoted
    | DoubleQuoted
    | Parameter
    | CommandSubstitution
    | ProcessSubstitution
    | ArithmeticExpansion
    | ExtendedPattern
)


@dataclass(frozen=True, slots=True)
class Written:
    """A word as the script spells it."""

    parts: tuple[Part, ...] = ()


# Expressions: arithmetic, and the conditions of ``[[ ... ]]``.


@dataclass(frozen=True, slots=True)
class Unary:
    """An operator before its operand, or after it if it is `postfix`."""

    operator: str
    operand: Expression
    postfix: bool = False


@dataclass(frozen=True, slots=True)
class Binary:
    """An operator between two operands. ``a ? b : c`` is `?` with a `:` at its right."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Grouped:
    """An expression in parentheses."""

    expression: Expression


Expression = Written | Unary | Binary | Grouped
#: An expression, or the key of an associative array.
Index = Expression


# Commands. `line` is the line in the text that was parsed.


@dataclass(frozen=True, slots=True)
class Assignment:
    """``NAME=value``, ``NAME[index]+=value`` or ``NAME=(elements)``."""

    name: str
    index: Index | None = None
    is_appended: bool = False
    value: Written | None = None
    elements: tuple[Element, ...] | None = None
    """None if the value is no array."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an array: ``value`` or ``[index]=value``."""

    value: Written
    index: Index | None = None


@dataclass(frozen=True, slots=True)
class Declared:
    """A name without a value in a declaration."""

    name: str


@dataclass(frozen=True, slots=True)
class Simple:
    """``A=1 program words``."""

    line: int
    assignments: tuple[Assignment, ...] = ()
    words: tuple[Written, ...] = ()


@dataclass(frozen=True, slots=True)
class Declaration:
    """`export`, `declare`, `typeset`, `local` or `readonly`."""

    line: int
    kind: str
    arguments: tuple[Assignment | Declared | Written, ...]


@dataclass(frozen=True, slots=True)
class Let:
    """``let expressions``."""

    line: int
    expressions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """Two statements with ``&&``, ``||``, ``|`` or ``|&`` between them."""

    line: int
    operator: str
    left: Statement
    right: Statement


@dataclass(frozen=True, slots=True)
class Test:
    """``[[ condition ]]``."""

    line: int
    condition: Expression


@dataclass(frozen=True, slots=True)
class Calculation:
    """``(( expression ))``."""

    line: int
    expression: Expression


@dataclass(frozen=True, slots=True)
class Group:
    """``{ ...; }``."""

    line: int
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Subshell:
    """``( ... )``."""

    line: int
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class FunctionDefinition:
    """``name() { ...; }``."""

    line: int
    name: str
    body: Statement


@dataclass(frozen=True, slots=True)
class If:
    """`if`, `elif`; without a `condition`, `else`."""

    line: int
    condition: tuple[Statement, ...]
    then: tuple[Statement, ...]
    otherwise: If | None = None


@dataclass(frozen=True, slots=True)
class CaseItem:
    """``pattern | pattern) ... ;;``."""

    patterns: tuple[Written, ...]
    statements: tuple[Statement, ...]
    end: str
    """``;;``, ``;&`` or ``;;&``."""


@dataclass(frozen=True, slots=True)
class Case:
    """`case`."""

    line: int
    word: Written
    items: tuple[CaseItem, ...]


@dataclass(frozen=True, slots=True)
class While:
    """`while`, or `until` if it `is_until`."""

    line: int
    condition: tuple[Statement, ...]
    body: tuple[Statement, ...]
    is_until: bool = False


@dataclass(frozen=True, slots=True)
class For:
    """``for NAME in words``, or `select` if it `is_select`."""

    line: int
    name: str
    words: tuple[Written, ...] | None
    """None: the arguments of the script or function."""
    body: tuple[Statement, ...]
    is_select: bool = False


@dataclass(frozen=True, slots=True)
class CountedFor:
    """``for ((first; condition; step))``."""

    line: int
    first: Expression | None
    condition: Expression | None
    step: Expression | None
    body: tuple[Statement, ...]


Command = (
    Simple
    | Declaration
    | Let
    | Joined
    | Test
    | Calculation
    | Group
    | Subshell
    | FunctionDefinition
    | If
    | Case
    | While
    | For
    | CountedFor
)


@dataclass(frozen=True, slots=True)
class Redirection:
    """``2> word``, or a here-document, whose `word` is its delimiter."""

    operator: str
    word: Written
    number: str = ""
    """The descriptor, as written before the operator."""
    body: tuple[Part, ...] | None = None
    """The text of a here-document."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A command with its redirections."""

    line: int
    command: Command | None
    """None if there are only redirections."""
    redirections: tuple[Redirection, ...] = ()
    is_negated: bool = False
    in_background: bool = False


#: What has a position.
Located = Command | Statement


def within(node: object) -> Iterator[object]:
    """Yield a node and all nodes below it."""
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            pending += node
        elif hasattr(node, "__dataclass_fields__"):
            yield node
            pending += [getattr(node, field.name) for field in fields(node)]  # type: ignore[arg-type]
