"""Values of the abstract execution: how they are joined, what of them is plain, and the cells of objects."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from tests.unit.sources.reading.python.executed import as_text, held_as_text
from vcompat.facts.facts import Place
from vcompat.sources.reading.python.interpreter import Interpreter
from vcompat.sources.reading.python.values.abstract_run import from_environment
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.python.values.objects import copied
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    ITEMS,
    MOST_ALTERNATIVES,
    MOST_CANDIDATES,
    NONE,
    OPEN,
    UNSET,
    Bound,
    ClassValue,
    Const,
    Either,
    Environ,
    Frame,
    Function,
    Held,
    Items,
    Lib,
    Method,
    Mutable,
    Native,
    NotPlainError,
    Obj,
    Partial,
    Seq,
    Super,
    Table,
    Unknown,
    Unordered,
    Value,
    candidates,
    distinct,
    from_plain,
    join,
    join_held,
    same,
    to_plain,
    truth,
)
from vcompat.sources.reading.python.values.writes import Diff, State, opened
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS

HERE, THERE = Place("a.py", 1, 2), Place("b.py", 3, 4)
ONE, TWO = Const(1), Const(2)
A, B = Unknown("a"), Unknown("b", (2, 3))
LIST, DICT = Seq("list", [Held(ONE)]), Table({"a": Held(ONE)})


def seq(kind: str, *values: Value) -> Seq:
    return Seq(kind, [Held(value) for value in values])


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (ONE, ONE, "1"),
        (ONE, Const(1, "default"), "1"),
        (Const(1, "default"), ONE, "1 (default)"),
        (ONE, TWO, "<why: 1 or 2>"),
        (ONE, Const(True), "<why: 1 or True>"),
        (ONE, Const(1.0), "<why: 1 or 1.0>"),
        (A, ONE, "<a: 1>"),
        (ONE, A, "<a: 1>"),
        (B, TWO, "<b: 2 or 3>"),
        (A, B, "<a: 2 or 3>"),
        (UNSET, ONE, "<why: 1>"),
        (UNSET, A, "<a>"),
        (UNSET, UNSET, "<not set>"),
        (Lib("a.b"), Lib("a.b"), "a.b"),
        (Lib("a.b"), Lib("a.b", imported=False), "a.b | builtin a.b"),
        (Lib("a.b"), ONE, "a.b | 1"),
        (LIST, LIST, "[1]"),
        (LIST, seq("list", ONE), "[1] | [1]"),
        (LIST, ONE, "[1] | 1"),
        (LIST, A, "[1] | <a>"),
        (Either((LIST, ONE)), ONE, "[1] | 1"),
        (Either((LIST, ONE)), TWO, "[1] | 1 | 2"),
        (Either((LIST, ONE)), LIST, "[1] | 1"),
        (LIST, Either((ONE, LIST)), "[1] | 1"),
        (Either((LIST, Lib("a"))), Either((Lib("a"), DICT)), "[1] | a | {'a': 1}"),
        (seq("tuple", ONE, LIST), seq("tuple", TWO, LIST), "(<why: 1 or 2>, [1])"),
        (seq("tuple", ONE), seq("tuple", ONE, TWO), "(*<computed at run time>)"),
        (seq("tuple", ONE), Seq("tuple", None), "(*<computed at run time>)"),
        (Seq("tuple", None), seq("tuple", ONE), "(*<computed at run time>)"),
        (seq("tuple", ONE), seq("list", ONE), "(1) | [1]"),
        (seq("list", ONE), seq("list", ONE), "[1] | [1]"),
        (seq("set", ONE), seq("set", ONE), "set(1) | set(1)"),
    ],
)
def test_the_join_of_two_values_stands_for_both(one: Value, other: Value, expected: str) -> None:
    assert as_text(join(one, other, "why")) == expected


def test_the_reason_of_a_join_is_a_condition() -> None:
    assert as_text(join(ONE, TWO)) == "<depends on a condition: 1 or 2>"
    assert held_as_text(join_held(Held(ONE), Held(TWO)) or Held(NONE)) == "<depends on a condition: 1 or 2>"


def test_items_are_joined_one_by_one() -> None:
    def items(*values: Value) -> Items:
        return Items(tuple(map(Held, values)))

    joined = join(items(ONE, ONE), items(ONE, TWO), "why")
    assert isinstance(joined, Items)
    assert [as_text(held.value) for held in joined.held] == ["1", "<why: 1 or 2>"]
    for one, other in ((items(ONE), items(ONE, ONE)), (items(ONE), A), (A, items(ONE)), (items(ONE), LIST)):
        assert join(one, other, "why") == Unknown("why")


def test_too_many_alternatives_are_unknown() -> None:
    value: Value = Mutable()
    for _ in range(MOST_ALTERNATIVES - 1):
        value = join(value, Mutable())
    assert isinstance(value, Either)
    assert len(value.values) == MOST_ALTERNATIVES
    assert join(value, Mutable(), "why") == Unknown("why")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (None, None, None),
        (Held(ONE, HERE), None, Held(ONE, HERE, optional=True)),
        (None, Held(ONE, HERE), Held(ONE, HERE, optional=True)),
        (Held(ONE, HERE), Held(ONE, HERE), Held(ONE, HERE)),
        (Held(ONE, HERE), Held(ONE, THERE), Held(ONE, THERE)),
        (Held(ONE, HERE), Held(ONE), Held(ONE, HERE)),
        (Held(ONE), Held(ONE, HERE), Held(ONE, HERE)),
        (Held(ONE, HERE, optional=True), Held(ONE, HERE), Held(ONE, HERE, optional=True)),
        (
            Held(ONE, HERE),
            Held(TWO, HERE, optional=True),
            Held(Unknown("why", (1, 2), is_complete=True), HERE, optional=True),
        ),
        (Held(NONE), Held(NONE, HERE), Held(NONE, HERE)),
    ],
)
def test_the_join_of_two_cells(one: Held | None, other: Held | None, expected: Held | None) -> None:
    assert join_held(one, other, "why") == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (ONE, (1,)),
        (NONE, (None,)),
        (A, ()),
        (B, (2, 3)),
        (Either((ONE, B, LIST, TWO)), (1, 2, 3)),
        (LIST, ()),
        (Lib("a"), ()),
    ],
)
def test_candidates_are_the_plain_values_that_a_value_may_have(value: Value, expected: tuple[object, ...]) -> None:
    assert candidates(value) == expected


def test_values_are_distinct_by_type_and_so_many() -> None:
    assert list(map(repr, distinct([1, True, 1.0, "1", 1, None, True]))) == ["1", "True", "1.0", "'1'", "None"]
    assert distinct(range(20)) == tuple(range(MOST_CANDIDATES))
    assert [same(1, 1), same(1, True), same(1, 2), same([1], [1])] == [True, False, False, True]


def class_of(*bases: Value, **cells: Value) -> ClassValue:
    kind = ClassValue(ast.ClassDef("K", [], [], [], []), bases, Frame(None, "a.py"))
    kind.cells.update({name: Held(value) for name, value in cells.items()})
    return kind


OPENED, PERHAPS = Table({OPEN: Held(Const("why"))}), Table({"a": Held(ONE, None, optional=True)})
FUNCTION = Function(ast.parse("lambda: 1", mode="eval").body, Frame(None), {})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (ONE, True), (Const(0), False), (Const(""), False), (A, None), (B, None), (Lib("a"), None), (Method(LIST, "a"), None),
        (LIST, True), (seq("list"), False), (Seq("list", None), None), (seq("set", A), True), (seq("set", A, B), None),
        (DICT, True), (Table(), False), (OPENED, None), (PERHAPS, None), (Environ(), True),
        (Table({"a": Held(ONE, None, optional=True), "b": Held(ONE)}), True),
        (Table({OPEN: Held(Const("why")), "b": Held(ONE)}), True),
        (Either((ONE, LIST)), True), (Either((Const(0), seq("list"))), False), (Either((ONE, A)), None), (Either((ONE, Const(0))), None),
        (Obj(Lib("a.B")), True), (Obj(Lib("dict", imported=False)), None), (Obj(Lib("object", imported=False)), True), (Obj(A), None),
        (Obj(class_of()), True), (Obj(class_of(__bool__=FUNCTION)), None), (Obj(class_of(__len__=FUNCTION)), None),
        (Obj(class_of(class_of(__len__=FUNCTION))), None), (Obj(class_of(Lib("a.B"))), True), (Obj(class_of(Lib("a.B"), A)), None),
        (FUNCTION, True), (Bound(FUNCTION, ONE), True), (class_of(), True), (Partial(FUNCTION, (), {}), True),
        (Native("a", len), None), (Super(class_of(), ONE), None),
    ],
)  # fmt: skip
def test_the_truth_of_a_value(value: Value, expected: bool | None) -> None:
    assert truth(value) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (ONE, "1"),
        (A, "unknown: a"),
        (seq("list", ONE, seq("tuple", TWO)), "[1, (2,)]"),
        (seq("set", ONE), "[1]"),
        (Seq("list", None), "unknown: computed at run time"),
        (seq("list", A), "unknown: a"),
        (Table({"a": Held(ONE), 2: Held(LIST)}), "{'a': 1, 2: [1]}"),
        (OPENED, "unknown: why"),
        (PERHAPS, "unknown: set only under a condition"),
        (Either((ONE, LIST)), "unknown: depends on a condition"),
        (Lib("a"), "unknown: computed at run time"),
        (Obj(Lib("a")), "unknown: computed at run time"),
    ],
)
def test_plain_values(value: Value, expected: str) -> None:
    try:
        found = repr(to_plain(value))
    except NotPlainError as error:
        found = f"unknown: {error}"
    assert found == expected


def nested(kind: str, depth: int) -> Value:
    value: Value = ONE
    for _ in range(depth):
        value = Table({"a": Held(value)}) if kind == "dict" else seq(kind, value)
    return value


@pytest.mark.parametrize("kind", ["list", "tuple", "dict"])
def test_what_is_nested_thirty_times_is_plain(kind: str) -> None:
    assert str(to_plain(nested(kind, 30))).count("1") == 1
    with pytest.raises(NotPlainError, match="computed at run time"):
        to_plain(nested(kind, 31))


def test_sets_are_plain_as_the_caller_wants() -> None:
    value = seq("list", seq("set", ONE, TWO), Table({"a": Held(seq("set", ONE))}))
    assert to_plain(value, as_set=frozenset) == [frozenset({1, 2}), {"a": frozenset({1})}]
    with pytest.raises(NotPlainError, match="the order of a set is not known"):
        str(Unordered([1]))


@pytest.mark.parametrize(
    "plain", [1, None, "a", [1, [2]], (1, (2,)), {"a": {"b": 1}}, {1: []}, {1, 2}, frozenset({1}), [{"a": (1,)}]]
)
def test_a_plain_value_is_the_same_afterwards(plain: Any) -> None:
    value = from_plain(plain, HERE)
    as_set = type(plain) if isinstance(plain, set | frozenset) else set
    assert to_plain(value, as_set=as_set) == plain
    inner = value.items if isinstance(value, Seq) else tuple(value.cells.values()) if isinstance(value, Table) else ()
    assert {held.place for held in inner or ()} <= {HERE}
    kinds = {list: "list", tuple: "tuple", set: "set", frozenset: "set"}
    assert not isinstance(value, Seq) or value.kind == kinds[type(plain)]


def test_places_of_plain_values_are_those_of_the_whole() -> None:
    assert as_text(from_plain({"a": [1]}, Place("train.py", 1, 2))) == "{'a': [1 @1:2] @1:2}"
    assert as_text(from_plain({"a": [1]})) == "{'a': [1]}"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((), ()),
        ((A,), (A,)),
        ((ONE, TWO, ONE), (ONE, TWO)),
        ((ONE, Const(True), Const(1.0)), (ONE,)),
        ((ONE, A), None),
        ((A, A), None),
        ((seq("tuple", ONE),), "itself"),
    ],
)
def test_the_items_of_a_set_are_known_if_it_is_known_which_are_equal(
    values: tuple[Value, ...], expected: tuple[Value, ...] | str | None
) -> None:
    found = seq("set", *values).items
    known = values if expected == "itself" else expected
    assert (tuple(held.value for held in found) if found is not None else None) == known
    assert seq("list", *values).items == tuple(map(Held, values))


def test_an_open_sequence_has_no_known_items() -> None:
    value = seq("list", ONE)
    State().open(value, "why")
    assert (value.items, value.why_open) == (None, "why")
    value.cells[OPEN] = Held(A)
    assert value.why_open == AT_RUN_TIME


def test_names_of_libraries() -> None:
    assert [Lib("a.b.c").name, Lib("a.b.c").root, Lib("a").name, Lib("a").root] == ["c", "a", "a", "a"]
    assert [Lib("a").imported, Lib("a", imported=False).imported] == [True, False]


def test_the_module_and_the_file_of_a_frame_are_those_of_the_outermost() -> None:
    module = Frame(None, "a.py")
    inner = Frame(Frame(module))
    assert (inner.module, module.module, inner.path, Frame(None).path) == (module, module, "a.py", "")
    assert Frame(module, "b.py").path == "b.py"
    assert (inner.elsewhere, inner.owner, inner.receiver, inner.is_comprehension) == ({}, None, None, False)


def test_keys_of_the_execution_have_names() -> None:
    assert (repr(OPEN), repr(ITEMS)) == ("<open>", "<items>")


def test_default_values_of_values() -> None:
    assert (Unknown(), Unknown().unless_set) == (Unknown("computed at run time", ()), False)
    assert (Const(1), Held(ONE)) == (Const(1, ""), Held(ONE, None, False))
    kind = class_of()
    assert (kind.name, kind.fields, kind.is_dataclass, kind.bases) == ("K", {}, False, ())
    assert (Obj(kind, HERE).place, Obj(kind).place, Obj(kind).kind) == (HERE, None, kind)
    assert (FUNCTION.owner, FUNCTION.decorated, UNSET) == (None, (), Unknown("not set"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, UNSET), ("", Const("")), ("1", Const("1")),
        (UNKNOWN, Unknown("the launch script computes it")), ("a" + UNKNOWN_WORDS, Unknown("the launch script computes it")),
    ],
)  # fmt: skip
def test_variables_of_a_launch_script(text: str | None, expected: Value) -> None:
    assert from_environment(text) is expected or from_environment(text) == expected


# Cells


def cells(owner: Mutable) -> str:
    return ", ".join(f"{key}={held_as_text(held)}" for key, held in owner.cells.items())


def test_the_writes_of_an_arm_are_reverted_and_applied() -> None:
    state, owner = State(), Table({"a": Held(ONE), "b": Held(TWO)})
    with state.arm() as diff:
        state.write(owner, "a", Held(TWO))
        state.write(owner, "a", Held(A))
        state.write(owner, "b", None)
        state.write(owner, "c", Held(ONE))
        state.write(owner, "d", None)
        assert cells(owner) == "a=<a>, c=1"
    assert cells(owner) == "a=1, b=2"
    location = (id(owner.cells), "a")
    assert ([key for _, key in diff], diff.rewritten) == (["a", "b", "c", "d"], {location})
    assert not diff.made(location)
    state.apply(diff)
    assert cells(owner) == "a=<a>, c=1"


def test_the_writes_of_an_inner_arm_are_not_those_of_the_outer_one() -> None:
    state, owner = State(), Table()
    with state.arm() as outer:
        with state.arm() as inner:
            state.write(owner, "a", Held(ONE))
            state.write(owner, "a", Held(TWO))
        assert not owner.cells
        state.write(owner, "b", Held(ONE))
    assert ([key for _, key in inner], [key for _, key in outer]) == (["a"], ["b"])
    assert (len(inner.rewritten), len(outer.rewritten)) == (1, 0)
    with state.arm() as outer:
        state.apply(inner)
    assert outer.rewritten == inner.rewritten


def test_an_arm_that_raises_is_reverted() -> None:
    state, owner = State(), Table()
    with pytest.raises(KeyError), state.arm():
        state.write(owner, "a", Held(ONE))
        raise KeyError
    assert not owner.cells
    state.write(owner, "a", Held(ONE))
    assert cells(owner) == "a=1"


def arm(state: State, *writes: tuple[Mutable, str, Value | None]) -> Diff:
    with state.arm() as diff:
        for owner, key, value in writes:
            state.write(owner, key, Held(value) if value is not None else None)
    return diff


def test_the_join_of_two_arms_stands_for_both() -> None:
    state, owner = State(), Table({"a": Held(ONE), "b": Held(ONE), "x": Held(ONE)})
    one = arm(state, (owner, "a", TWO), (owner, "c", ONE), (owner, "x", None))
    other = arm(state, (owner, "a", A), (owner, "b", TWO), (owner, "d", ONE), (owner, "x", None))
    joined = state.join(one, other, "why")
    state.apply(joined)
    assert cells(owner) == "a=<a: 2>, b=<why: 1 or 2>, c=maybe 1, d=maybe 1"
    assert joined.start == min(one.start, other.start)


def test_an_object_of_one_arm_is_as_that_arm_left_it() -> None:
    state = State()
    with state.arm() as one:
        made = Table()
        state.write(made, "a", Held(ONE))
    with state.arm() as other:
        also = Table({"b": Held(TWO)})
        state.write(also, "b", Held(ONE))
    assert one.made((id(made.cells), "a"))
    assert not one.made((id(made.cells), "b"))
    state.apply(state.join(one, other))
    assert (cells(made), cells(also)) == ("a=1", "b=1")
    with state.arm() as third:
        state.apply(one)
        state.write(made, "a", Held(TWO))
    state.apply(state.join(one, third))
    assert cells(made) == "a=<depends on a condition: 1 or 2>"


def test_what_is_open_in_one_arm_is_open_after_both() -> None:
    state = State()
    for first in (True, False):
        owner = Table()
        with state.arm() as one:
            state.open(owner, "why")
        other = Diff()
        state.apply(state.join(one, other) if first else state.join(other, one))
        assert (owner.why_open, owner.cells[OPEN].optional) == ("why", False)


def test_one_arm_after_another_writes_what_both_write() -> None:
    state, owner = State(), Table({"a": Held(ONE)})
    one, other = arm(state, (owner, "a", TWO), (owner, "b", ONE)), arm(state, (owner, "a", A), (owner, "c", ONE))
    both = one.then(other)
    assert (both.start, both.rewritten) == (one.start, {(id(owner.cells), "a")})
    assert other.then(one).start == one.start
    state.apply(both)
    assert cells(owner) == "a=<a>, b=1, c=1"


def test_an_arm_that_may_have_ended_anywhere() -> None:
    state, owner = State(), Table({"a": Held(ONE), "b": Held(ONE)})
    with state.arm() as diff:
        state.write(owner, "a", Held(TWO))
        state.write(owner, "b", Held(A))
        state.write(owner, "b", Held(TWO))
        made = Table({"a": Held(ONE)})
        state.write(made, "a", Held(TWO))
    state.apply(state.interrupted(diff))
    assert cells(owner) == "a=<depends on a condition: 2 or 1>, b=<depends on a condition: 1 or 2>"
    assert cells(made) == "a=<depends on a condition: 1 or 2>"


def test_a_constructor_writes_what_an_object_of_this_arm_was_never_without() -> None:
    state = State()
    before, other = Table(), Table()
    state.initialize(other, "a", Held(ONE))
    with state.arm() as diff:
        made = Table()
        state.initialize(made, "a", Held(ONE))
        state.initialize(before, "a", Held(ONE))
    assert (cells(made), cells(before), cells(other)) == ("a=1", "", "a=1")
    assert list(diff) == [(id(before.cells), "a")]


@pytest.mark.parametrize(
    ("key", "now", "then", "expected"),
    [
        ("a", Held(ONE, HERE), Held(TWO, THERE), Held(Unknown("why", (1, 2)), THERE)),
        ("a", Held(ONE, HERE), Held(TWO), Held(Unknown("why", (1, 2)), HERE)),
        ("a", Held(ONE, HERE), None, Held(Unknown("why", (1,)), HERE)),
        ("a", None, Held(B, THERE), Held(Unknown("why", (2, 3)), THERE, optional=True)),
        ("a", Held(ONE), Held(ONE), Held(Unknown("why", (1,)))),
        ("a", None, None, Held(Unknown("why"), None, optional=True)),
        (ITEMS, Held(ONE, HERE), Held(TWO), Held(Unknown("why"))),
        (OPEN, Held(ONE), Held(TWO), Held(ONE)),
        (OPEN, None, Held(TWO), Held(TWO)),
    ],
)
def test_what_a_cell_holds_that_may_hold_something_else(
    key: object, now: Held | None, then: Held | None, expected: Held
) -> None:
    assert opened(key, now, then, "why") == expected  # type: ignore[arg-type]


def test_an_open_object_may_hold_anything() -> None:
    state, owner = State(), Table({"a": Held(ONE, HERE), "b": Held(A, None, optional=True)})
    state.open(owner, "why")
    state.open(owner, "again")
    assert cells(owner) == "a=<again: 1> @a.py:1:2, b=<again>, <open>='again'"
    diff = arm(state, (owner, "c", ONE), (owner, "a", None))
    state.open_cells(diff, "in a loop")
    assert cells(owner) == "b=<again>, <open>='again', a=<in a loop: 1> @a.py:1:2, c=maybe <in a loop: 1>"


# Copies


def test_a_copy_has_the_same_contents_and_a_deep_one_copies_them() -> None:
    inner = Table({"x": Held(ONE, HERE)})
    made = Obj(Lib("a.B"), THERE)
    made.cells |= {"inner": Held(inner, HERE, optional=True), OPEN: Held(Const("why"))}
    for value in (seq("tuple", inner, ONE), Table({"k": Held(inner)}), made, Either((inner, ONE))):
        for deep in (False, True):
            copy = copied(value, deep)
            assert (as_text(copy), copy is value) == (as_text(value), False)
            State().write(inner, "x", Held(Const("changed")))
            assert ("changed" in as_text(copy)) is not (deep or isinstance(value, Either))
            State().write(inner, "x", Held(ONE, HERE))
    copy = copied(made, False)
    assert isinstance(copy, Obj)
    assert (copy.kind, copy.place, copy.why_open) == (made.kind, THERE, "why")


def test_what_is_not_a_container_is_its_own_copy() -> None:
    for value in (ONE, A, FUNCTION, Frame(None), class_of(), Lib("a")):
        assert copied(value, True) is value
    assert as_text(copied(Seq("list", None), True)) == "[*<computed at run time>]"


def test_a_copy_is_deep_to_a_limit() -> None:
    innermost = Table({"x": Held(ONE)})
    value: Value = innermost
    for _ in range(20):
        value = seq("list", value)
    copy = copied(value, True)
    State().write(innermost, "x", Held(TWO))
    assert to_plain(copy) != to_plain(value)
    copy = copied(seq("list", value), True)
    State().write(innermost, "x", Held(ONE))
    assert to_plain(copy) == to_plain(seq("list", value))


def test_opening_ends_at_a_cycle() -> None:
    run = Interpreter("train.py", b"", Start())
    one, other = Table(), seq("list", ONE)
    one.cells["a"], one.cells["b"] = Held(one), Held(other)
    run.open(Partial(FUNCTION, (Held(Either((one, ONE))),), {"k": Held(Method(seq("list", other), "m"))}), "why")
    assert (one.why_open, other.why_open) == ("why", "why")


def test_attributes_of_a_dictionary_are_set_or_open_the_object() -> None:
    run = Interpreter("train.py", b"", Start())
    for value, expected in (
        (Table({"a": Held(TWO), "c": Held(ONE)}), "B(a=2, b=1, c=1)"),
        (
            OPENED,
            "B(a=<set from an unknown dictionary: 1>, b=<set from an unknown dictionary: 1>, **set from an unknown dictionary)",
        ),
        (
            A,
            "B(a=<set from an unknown dictionary: 1>, b=<set from an unknown dictionary: 1>, **set from an unknown dictionary)",
        ),
    ):
        made = Obj(Lib("B"))
        made.cells |= {"a": Held(ONE), "b": Held(ONE)}
        run.merge_attributes(made, value)
        assert as_text(made) == expected
