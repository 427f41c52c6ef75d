"""f-strings of Python 3.12, read by any interpreter."""

from __future__ import annotations

import ast

import pytest

from vcompat.foundation.errors import InputError
from vcompat.sources.reading.python.f_strings import parsed
from vcompat.sources.reading.python.parsing import parse


def _evaluated(text: str) -> object:
    tree = parse("run.py", text.encode())
    names: dict[str, object] = {"name": "org/model", "values": ["a", "b"], "table": {"k": 7}}
    exec(compile(tree, "run.py", "exec"), names)
    return names["result"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("f'run-{name.split('/')[-1]}'", "run-model"),
        (r"""f"{'\n'.join(values)}" "-tail" f"{table["k"]!r:>{3}}" """, "a\nb-tail  7"),
        ('f"""a "q" {table["""k"""]} {{x}} \\N{BULLET}\nline"""', 'a "q" 7 {x} •\nline'),
        ("(f'{  # a comment with '\n    values\n    [0]}')", "a"),
        ("f'{f'{f'{1}'}'}'", "1"),
        ("rf'\\d{table['k']}\\n'", "\\d7\\n"),
        ("f'{table['k'] = }'", "table['k'] = 7"),
        ("f'{table['k']:05.1f}{1 != 2}'", "007.0True"),
        ("f'{(lambda x: x)('}')}'", "}"),
        ("f'{table['k']}\\t\\''", "7\t'"),
        ("f'{table['k']}' + \"it's f'{\"", "7it's f'{"),
    ],
)
def test_an_f_string_has_the_value_that_python_gives_it(expression: str, expected: str) -> None:
    assert _evaluated(f"result = {expression}\n") == expected


def test_lines_and_columns_do_not_change() -> None:
    source = "a = f'{\n  name['é']\n}'; b = f'é{c['d']}' + e\ng = 1\n"
    tree = parse("run.py", source.encode())
    places = {node.id: (node.lineno, node.col_offset) for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert places == {"a": (1, 0), "name": (2, 2), "b": (3, 4), "c": (3, 13), "e": (3, 24), "g": (4, 0)}


@pytest.mark.parametrize(
    "source", ["a = f'{b['c'}'\n", "a = f'{b['c']}' +\n", "a = f'{b['c'] d}'\n", "a = f'{'b\n", "a = 1 +\n"]
)
def test_an_invalid_source_stays_invalid(source: str) -> None:
    with pytest.raises(InputError, match="not valid Python"):
        parse("run.py", source.encode())
    assert parsed(source.encode()) is None
