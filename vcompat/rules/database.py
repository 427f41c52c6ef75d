"""Find and read the stored rules. ``rule`` defines what a rule is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from typing import Any

from vcompat.foundation.errors import InputError
from vcompat.foundation.shipped import CHECKOUT
from vcompat.foundation.suggest import did_you_mean
from vcompat.rules.rule import Rule, parse_rule

_HERE = os.path.dirname(os.path.abspath(__file__))
#: The file that a wheel has instead of the TOML files.
_COMPILED = os.path.join(_HERE, "compiled.jsonl")


def load_rules(directory: str | None = None, thorough: bool = True) -> tuple[Rule, ...]:
    """Read every rule under `directory` (default: the shipped rules), sorted by id.

    `thorough` is passed to `rule.parse_rule`. Raises InputError with the file and the key of the first malformed rule.
    """
    if directory is None and os.path.isfile(_COMPILED):
        from vcompat.rules.rules_file import read_compiled

        return read_compiled(_COMPILED)
    directory = directory or os.path.join(CHECKOUT, "rules")
    rules = [_read_once(path, _stamp(path), thorough) for path in rule_files(directory)]
    if not rules:
        raise InputError(directory, "no rules found", "files named <rule-id>.toml in it or one folder down")
    rules.sort(key=lambda rule: rule.id)
    ids = [rule.id for rule in rules]
    for rule_id in ids:
        if ids.count(rule_id) > 1:
            raise InputError(directory, f"two rules are named '{rule_id}'")
    return tuple(rules)


def read_table(path: str) -> dict[str, Any]:
    """Return the contents of one rule file, unchecked. Raises InputError if it is not TOML."""
    # Imported here: an installed vcompat reads the compiled rules instead.
    import tomli

    try:
        with open(path, "rb") as file:
            return tomli.load(file)
    except OSError as error:
        raise InputError(_shown(path), error.strerror or str(error)) from None
    except UnicodeDecodeError:
        raise InputError(_shown(path), "not UTF-8 text", "a TOML file") from None
    except tomli.TOMLDecodeError as error:
        raise InputError(_shown(path), f"not valid TOML: {error}") from None


def read_rule(path: str, thorough: bool = True) -> Rule:
    """Read one rule file. Raises InputError with the file and what is wrong in it."""
    table = read_table(path)
    name = os.path.basename(path).removesuffix(".toml")
    try:
        return parse_rule(table, name, path, thorough)
    except InputError:
        # Parse again for a message with a relative path; valid rules skip this.
        return parse_rule(table, name, _shown(path), thorough)


@cache
def _read_once(path: str, stamp: tuple[int, int] | None, thorough: bool) -> Rule:
    """Read a rule file, once for each state of the file. A rule cannot be changed, so it can be shared."""
    return read_rule(path, thorough)


def _stamp(path: str) -> tuple[int, int] | None:
    """When a file was written, and its size; None if that cannot be read."""
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size


def _shown(path: str) -> str:
    """The path for messages: relative if it is below the working directory."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def find_rule(rules: tuple[Rule, ...], rule_id: str) -> Rule:
    """Return the rule with id `rule_id`. Raises InputError with the nearest id if there is none."""
    for rule in rules:
        if rule.id == rule_id:
            return rule
    near = did_you_mean(rule_id, [rule.id for rule in rules])
    raise InputError("rule", f"there is no rule '{rule_id}'", near or "an id that `vcompat rules` lists")


def rule_files(directory: str) -> Iterator[str]:
    """Yield the paths of the rule files in `directory` and one folder down. Raises InputError."""
    try:
        entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
    except OSError as error:
        raise InputError(directory, error.strerror or str(error), "a folder of rules") from None
    for entry in entries:
        if entry.is_dir():
            yield from (e.path for e in os.scandir(entry.path) if e.name.endswith(".toml"))
        elif entry.name.endswith(".toml"):
            yield entry.path
