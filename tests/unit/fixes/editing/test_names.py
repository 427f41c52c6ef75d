"""Renaming and removing settings: Python, YAML, TOML and launch scripts."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from vcompat.facts.facts import Place
from vcompat.fixes.editing.change import REMOVE, RENAME, Cannot, Edit
from vcompat.fixes.editing.edit import edited

MARK = "\ufeff"


def changed(folder: Path, name: str, before: str, action: str, at: str, skip: int = 0) -> str:
    """The text after `old` was renamed to `new_name` or removed; `at` starts with the character at its place."""
    path = folder / name
    path.write_bytes(before.encode())
    text = before.removeprefix(MARK)
    offset = text.index(at) + skip
    line = text[:offset].replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    edit = Edit("a-rule", "old", action, Place(str(path), line, offset - start + 1), "new_name")
    (data,) = edited([edit], {}).values()
    return data.decode()


@pytest.mark.parametrize(
    ("before", "at", "after"),
    [
        ("C(old=1)\n", "old", "C(new_name=1)\n"),
        ("C(old=1)\n", "1", "C(new_name=1)\n"),
        ("C(\n    a=1,\n    old = f(2),  # why\n)\n", "f(2)", "C(\n    a=1,\n    new_name = f(2),  # why\n)\n"),
        ("C('größe🙂', old=1, b=2)\n", "1", "C('größe🙂', new_name=1, b=2)\n"),
        (MARK + "C('ß', old=1)\r\n", "1", MARK + "C('ß', new_name=1)\r\n"),
        ("if x:\n\tC(old=1,\tb=2)\n", "1", "if x:\n\tC(new_name=1,\tb=2)\n"),
        ("C(**{'old': 1, \"b\": 2})\n", "1", "C(**{'new_name': 1, \"b\": 2})\n"),
        ('kw = {\n    "old": 1,  # old\n}\nC(**kw)\n', "1", 'kw = {\n    "new_name": 1,  # old\n}\nC(**kw)\n'),
        ("kw = dict(old=1)\nC(**kw)\n", "1", "kw = dict(new_name=1)\nC(**kw)\n"),
        ("c = C()\nc.old = 1  # here\n", "1", "c = C()\nc.new_name = 1  # here\n"),
        ("kw['old'] = 1\n", "1", "kw['new_name'] = 1\n"),
        ("setattr(c, 'old', 1)\n", "1", "setattr(c, 'new_name', 1)\n"),
        ("kw.update(old=1)\n", "1", "kw.update(new_name=1)\n"),
    ],
)
def test_python_code_changes_only_in_the_name(tmp_path: Path, before: str, at: str, after: str) -> None:
    assert changed(tmp_path, "t.py", before, RENAME, at) == after
    ast.parse(after.removeprefix(MARK))


@pytest.mark.parametrize(
    ("before", "at", "after"),
    [
        ("C(old=1)\n", "1", "C()\n"),
        ("C(old=1,)\n", "1", "C()\n"),
        ("C(a=3, old=1)\n", "1", "C(a=3)\n"),
        ("C(old=1, a=3)\n", "1", "C(a=3)\n"),
        ("C(a=3, old=1, b=2)\n", "1", "C(a=3, b=2)\n"),
        ("C(a=3, old=(1), b=2)\n", "old", "C(a=3, b=2)\n"),
        ("C(a=3, old=1,  # both\n  b=2)\n", "1", "C(a=3,  # both\n  b=2)\n"),
        ("C(\n    a=3,\n    old=1,  # it\n    b=2,  # two\n)\n", "1", "C(\n    a=3,\n    b=2,  # two\n)\n"),
        ("C(\n    a=3,\n    old=1\n)\n", "1", "C(\n    a=3,\n)\n"),
        ("C(\r\n    a=3,\r\n    old=1,\r\n)\r\n", "1", "C(\r\n    a=3,\r\n)\r\n"),
        ("C(a=3,\n  old=1)\n", "1", "C(a=3)\n"),
        ("C(a=3,  # three\n  old=1)\n", "1", "C(a=3)  # three\n"),
        ("C(a=3,  # three\n  old=1,)\n", "1", "C(a=3,)  # three\n"),
        ("if x:\n    C(a=3,  # three\n      old=1).b()  # b\n", "1", "if x:\n    C(a=3  # three\n    ).b()  # b\n"),
        ("C(a=3,\n  old=1,)\n", "1", "C(a=3,)\n"),
        ("C(a=3,\n  old=1 )\n", "1", "C(a=3)\n"),
        ("C(\n    old=1)\n", "1", "C()\n"),
        ("C(\n    old=1,)\n", "1", "C()\n"),
        ("C(\n    old=1,  # it\n)\n", "1", "C()\n"),
        ("C(  # c\n    old=1)\n", "1", "C(  # c\n)\n"),
        ("C(a=3, \\\n  old=1, \\\n  b=2)\n", "1", "C(a=3, \\\n  b=2)\n"),
        ("C(a=3, \\\n  old=1)\n", "1", "C(a=3)\n"),
        ("C(old=1,\n  a=3)\n", "1", "C(\n  a=3)\n"),
        ("C(\n    a=3, old=1,\n    b=2,\n)\n", "1", "C(\n    a=3,\n    b=2,\n)\n"),
        ("C(\n    old=1, a=3,\n    b=2,\n)\n", "1", "C(\n    a=3,\n    b=2,\n)\n"),
        ("C(\n    # about old\n    old=[\n        1,\n        2,\n    ],\n    b=2,\n)\n", "[", "C(\n    # about old\n    b=2,\n)\n"),
        ("C(**{'old': (1), 'b': 2})\n", "'old'", "C(**{'b': 2})\n"),
        ("C(**{'b': 2, 'old': (1)})\n", "'old'", "C(**{'b': 2})\n"),
        ("c = C()\nc.old = 1  # here\nd = 2\n", "1", "c = C()\nd = 2\n"),
        ("if x:\n    c.old = 1\n", "1", "if x:\n    pass\n"),
        ("if x:\n    c.old = 1\n    d = 2\n", "1", "if x:\n    d = 2\n"),
        ("if x: c.old = 1\n", "1", "if x: pass\n"),
        ("kw = {}\nkw['old'] = 1\n", "1", "kw = {}\n"),
        ("C(größe='日本', old=1)\n", "1", "C(größe='日本')\n"),
        (MARK + "C(a=2, old=1)\n", "1", MARK + "C(a=2)\n"),
        ("C(f'{x, y}', old=1)\n", "1", "C(f'{x, y}')\n"),
    ],
)  # fmt: skip
def test_python_code_without_a_setting_parses_and_keeps_its_layout(
    tmp_path: Path, before: str, at: str, after: str
) -> None:
    assert changed(tmp_path, "t.py", before, REMOVE, at) == after
    ast.parse(after.removeprefix(MARK))


@pytest.mark.parametrize(
    ("name", "before", "at", "after"),
    [
        ("t.yaml", "a: 1\nold: 2  # why\nb: 3\n", "old", "a: 1\nnew_name: 2  # why\nb: 3\n"),
        ("t.yaml", "a: 1\n'old' : &x 2\n", "'old", "a: 1\n'new_name' : &x 2\n"),
        ("t.yaml", "{a: 1, old: 2}\n", "old", "{a: 1, new_name: 2}\n"),
        ("t.yaml", MARK + "größe: 1\r\nold: 2\r\n", "old", MARK + "größe: 1\r\nnew_name: 2\r\n"),
        ("t.yaml", "base: &b\n  old: 1\nc:\n  <<: *b\n", "old", "base: &b\n  new_name: 1\nc:\n  <<: *b\n"),
        ("t.toml", "a = 1\nold = 2  # why\n", "old", "a = 1\nnew_name = 2  # why\n"),
        ("t.toml", '[env]\n"old" = "2"\r\n', '"old', '[env]\n"new_name" = "2"\r\n'),
        ("t.sh", "python t.py --a 1 \\\n  --old 2 # why\n", "python", "python t.py --a 1 \\\n  --new_name 2 # why\n"),
        ("t.sh", "python t.py --old=2\n", "python", "python t.py --new_name=2\n"),
    ],
)
def test_files_change_only_in_the_name(tmp_path: Path, name: str, before: str, at: str, after: str) -> None:
    assert changed(tmp_path, name, before, RENAME, at) == after


@pytest.mark.parametrize(
    ("name", "before", "at", "after"),
    [
        ("t.yaml", "a: 1\nold: 2  # why\nb: 3\n", "old", "a: 1\nb: 3\n"),
        ("t.yaml", "a: 1\nold: 2", "old", "a: 1\n"),
        ("t.yaml", "a: 1\nold:\n  - 2\n  - 3\n# about b\nb: 3\n", "old", "a: 1\n# about b\nb: 3\n"),
        ("t.yaml", "a: 1\nold:\n- 2\nb: 3\n", "old", "a: 1\nb: 3\n"),
        ("t.yaml", "a: 1\nold: |\n  2\n  3\n\nb: 3\n", "old", "a: 1\nb: 3\n"),
        ("t.yaml", "a: 1\nold: two\n  lines\nb: 3\n", "old", "a: 1\nb: 3\n"),
        ("t.yaml", "a: 1\nold:\nb: 3\n", "old", "a: 1\nb: 3\n"),
        ("t.yaml", "a: 1\nold: [1,\n 2]\nb: 3\n", "old", "a: 1\nb: 3\n"),
        ("t.yaml", "{a: 1, old: 2}\n", "old", "{a: 1}\n"),
        ("t.yaml", "{old: 2, a: 1}\n", "old", "{a: 1}\n"),
        ("t.yaml", "a: 1\nenv:\n  old: 2\nb: 3\n", "old", "a: 1\nb: 3\n"),
        ("t.yaml", "a: *x\nold: 2\n".replace("*x", "1"), "old", "a: 1\n"),
        ("t.yaml", MARK + "größe: 1\r\nold: 2\r\nb: 3\r\n", "old", MARK + "größe: 1\r\nb: 3\r\n"),
        ("t.toml", "a = 1\nold = [\n  1,\n  2,  # two\n]\nb = 3\n", "old", "a = 1\nb = 3\n"),
        ("t.toml", "a = 1\n[env]\nold = '1'\nb = '2'\n", "old", "a = 1\n[env]\nb = '2'\n"),
        ("t.sh", "python t.py --a 1 \\\n  --old 2 \\\n  --b 3\n", "python", "python t.py --a 1 \\\n  --b 3\n"),
        ("t.sh", "python t.py --old --b 3 | tee log\n", "python", "python t.py --b 3 | tee log\n"),
        ("t.sh", "python t.py --old=2\n", "python", "python t.py\n"),
        ("t.sh", "python t.py \\\n  --old 1 --b\n", "python", "python t.py \\\n  --b\n"),
        ("t.sh", "python t.py --old -1 --b\n", "python", "python t.py --b\n"),
    ],
)  # fmt: skip
def test_files_without_a_setting_keep_the_rest(tmp_path: Path, name: str, before: str, at: str, after: str) -> None:
    assert changed(tmp_path, name, before, REMOVE, at) == after


@pytest.mark.parametrize(
    ("name", "before", "action", "at", "why"),
    [
        ("t.py", "C(old=1, new_name=2)\n", RENAME, "1", "already sets new_name"),
        ("t.py", "kw = {'new_name': 2}\nC(old=1, **kw)\n", RENAME, "1", "might already set new_name"),
        ("t.py", "kw = {'old': 1}\nprint(kw['old'])\n", RENAME, "1", "line 2 uses old, too"),
        ("t.py", "c = C(old=1)\nprint(c.old)\n", REMOVE, "1", "line 2 uses old, too"),
        ("t.py", "C(old=launch())\n", REMOVE, "launch", "may have an effect"),
        ("t.py", "c.old = 1; d = 2\n", REMOVE, "1", "shares its line"),
        ("t.py", "C(other=1)\n", REMOVE, "1", r"change t\.py:1:9 by hand: remove old"),
        ("t.yaml", "old: 1\nnew_name: 2\n", RENAME, "old", "already set"),
        ("t.yaml", "old: 1\n", REMOVE, "old", "the only setting"),
        ("t.yaml", "- old: 1\n  b: 2\n", REMOVE, "old", "shares its line"),
        ("t.yaml", "old: &x 1\nb: *x\n", REMOVE, "old", "has an anchor"),
        ("t.toml", "old = 1\nnew_name = 2\n", RENAME, "old", "already set"),
        ("t.toml", "env = {old = 1, b = 2}\n", REMOVE, "old", "shares its line"),
        ("t.sh", "python t.py --old 1 --old 2\n", REMOVE, "python", "several times"),
        ("t.sh", "python t.py $ARGS\n", REMOVE, "python", "by hand"),
        ("t.sh", "python t.py --old 1 2\n", REMOVE, "python", "by hand"),
        ("t.ipynb", "{}", REMOVE, "{", "unsupported file type"),
    ],
)
def test_what_cannot_be_changed_safely_is_refused(
    tmp_path: Path, name: str, before: str, action: str, at: str, why: str
) -> None:
    with pytest.raises(Cannot, match=why):
        changed(tmp_path, name, before, action, at)
    assert (tmp_path / name).read_bytes() == before.encode()


@pytest.mark.parametrize(
    ("name", "before", "at", "after"),
    [
        ("t.py", "import os\nos.environ['old'] = '1'  # why\nx = 1\n", "'1'", "import os\nx = 1\n"),
        ("t.py", "import os\nos.environ.setdefault('old', '1')\n", "'1'", "import os\n"),
        ("t.py", "os.environ.update({'old': '1'}, b='2')\n", "'1'", "os.environ.update({}, b='2')\n"),
        ("t.sh", "#!/bin/sh\nexport old=1\nx\n", "export", "#!/bin/sh\nx\n"),
        ("t.sh", "export a=1 old=1 b=2\n", "export", "export a=1 b=2\n"),
        ("t.sh", "old=1 b=2 python t.py\n", "old", "b=2 python t.py\n"),
        ("t.sh", "if x; then\n  export old=1\nfi\n", "export", "if x; then\n  :\nfi\n"),
        ("t.yaml", "a: 1\nenv: {old: '1', b: '2'}\n", "old", "a: 1\nenv: {b: '2'}\n"),
    ],
)  # fmt: skip
def test_a_variable_is_no_longer_set(tmp_path: Path, name: str, before: str, at: str, after: str) -> None:
    path = tmp_path / name
    path.write_text(before)
    offset = before.index(at)
    line, column = before.count("\n", 0, offset) + 1, offset - before.rfind("\n", 0, offset)
    edit = Edit("a-rule", "old", REMOVE, Place(str(path), line, column), is_variable=True)
    (data,) = edited([edit], {}).values()
    assert data.decode() == after
