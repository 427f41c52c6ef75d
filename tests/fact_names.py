"""``python -m tests.fact_names``: every text in the code that looks like the name of a fact is one. Part of `make lint`.

A type of a thousand literals would not reach names in tables and comparisons; this does.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from vcompat.facts.vocabulary import VOCABULARY
from vcompat.foundation.suggest import did_you_mean

ROOT = Path(__file__).resolve().parents[1]
#: The families whose names mean nothing else. Without the last part, or with a "_" at its end, a text is a prefix.
_NAME = re.compile(r"(?:plan|packages|gpu|host|bitsandbytes)\.[a-z0-9_-]*[a-z0-9]")


def misspelled(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of the constants in Python source that look like the name of a fact and are none."""
    for node in ast.walk(ast.parse(source)):
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if isinstance(node, ast.Constant) and _NAME.fullmatch(text) and text not in VOCABULARY:
            yield node.lineno, text


def main() -> int:
    """Print what is misspelled. Return 1 if anything is."""
    found = 0
    for folder in ("vcompat", "bench"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for line, name in misspelled(path.read_text(encoding="utf-8")):
                near = did_you_mean(name, VOCABULARY) or "no fact is called so"
                print(f"{path.relative_to(ROOT)}:{line}: '{name}': {near}")
                found += 1
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
