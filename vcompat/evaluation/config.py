"""A project's settings for vcompat: ``[tool.vcompat]`` in pyproject.toml, or vcompat.toml."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from vcompat.foundation.bounded_reading import MB, read_text
from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean
from vcompat.rules.rule import SEVERITIES

if TYPE_CHECKING:
    from datetime import date

FILES = ("vcompat.toml", "pyproject.toml")


class Suppression(NamedTuple):
    """A finding that a project accepts until a day."""

    rule: str
    reason: str
    expires: date
    where: str
    """The file and the entry, for messages."""

    @property
    def reason_text(self) -> str:
        """Why a finding does not count."""
        return f"suppressed until {self.expires}: {self.reason}"

    @property
    def expired_text(self) -> str:
        """The sentence if the day has passed."""
        return f"{self.where}: the suppression of {self.rule} expired on {self.expires} (reason: {self.reason})"

    @property
    def unused_text(self) -> str:
        """The sentence if it suppresses nothing."""
        return f"{self.where}: {self.rule} has no finding to suppress"


class Config(NamedTuple):
    """The settings; empty if there is no file."""

    path: str = ""
    target: str = ""
    plan: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    """The words of the command that starts the run."""
    command_folder: str = ""
    """The folder in which it is started, relative to the current one."""
    environment: str = ""
    python: str = ""
    facts: tuple[str, ...] = ()
    settings: Mapping[str, str] = {}
    fail_on: str = ""
    strict: bool = False
    fail_on_likely: bool = False
    suppressions: tuple[Suppression, ...] = ()
    baseline: str = ""


def find_config(folder: str = ".") -> str:
    """The nearest file with settings, from `folder` up to the root of the repository; empty if there is none.

    Raises InputError.
    """
    try:
        folder = os.path.abspath(folder)
    except OSError as error:
        raise InputError("the current folder", error.strerror or str(error)) from None
    while True:
        for name in FILES:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and (name == FILES[0] or "[tool.vcompat" in read_text(path, 5 * MB, "a TOML file")):
                return os.path.relpath(path)
        parent = os.path.dirname(folder)
        if os.path.exists(os.path.join(folder, ".git")) or parent == folder:
            return ""
        folder = parent


def read_config(path: str) -> Config:
    """Read the settings in the file at `path`. Raises InputError that names the file, the key and what was expected."""
    import tomli

    try:
        table: Any = tomli.loads(read_text(path, 5 * MB, "a TOML file"))
    except tomli.TOMLDecodeError as error:
        raise InputError(path, f"not valid TOML: {error}") from None
    except RecursionError:
        raise InputError(path, "nested too deeply to be read", "a TOML file") from None
    if os.path.basename(path) == "pyproject.toml":
        table = table.get("tool", {}).get("vcompat")
        if table is None:
            raise InputError(path, "no table [tool.vcompat]", "settings for vcompat")
    return _Parser(path).config(table)


_KEYS = (
    "target",
    "plan",
    "command",
    "env",
    "python",
    "facts",
    "settings",
    "fail-on",
    "fail-on-likely",
    "strict",
    "suppress",
    "baseline",
)


class _Parser:
    def __init__(self, path: str) -> None:
        self.path = path
        self.folder = os.path.dirname(path)

    def config(self, table: Any) -> Config:
        if not isinstance(table, dict):
            raise InputError(f"{self.path}: tool.vcompat", f"{table!r}"[:60], "a table")
        for key in table:
            if key not in _KEYS:
                raise InputError(f"{self.path}: {key}", "unknown key", did_you_mean(key, _KEYS) or ", ".join(_KEYS))
        fail_on = self._text(table, "fail-on")
        if fail_on not in ("", "never", *SEVERITIES):
            raise InputError(f"{self.path}: fail-on", f"'{fail_on}'", "one of never, " + ", ".join(SEVERITIES))
        target = self._text(table, "target")
        return Config(
            path=self.path,
            target=self._here(target) if target.endswith((".toml", ".json")) else target,
            plan=self._paths(table, "plan"),
            environment=self._environment(self._text(table, "env")),
            command=self._command(table),
            command_folder=self.folder if "command" in table else "",
            python=self._here(self._text(table, "python")),
            facts=self._paths(table, "facts"),
            settings=self._settings(table.get("settings", {})),
            fail_on=fail_on,
            strict=self._flag(table, "strict"),
            fail_on_likely=self._flag(table, "fail-on-likely"),
            suppressions=tuple(self._suppressions(table.get("suppress", []))),
            baseline=self._here(self._text(table, "baseline")),
        )

    def _text(self, table: Mapping[str, Any], key: str) -> str:
        value = table.get(key, "")
        if not isinstance(value, str):
            raise InputError(f"{self.path}: {key}", f"{value!r}"[:60], "a text")
        return value

    def _flag(self, table: Mapping[str, Any], key: str) -> bool:
        value = table.get(key, False)
        if not isinstance(value, bool):
            raise InputError(f"{self.path}: {key}", f"{value!r}"[:60], "true or false")
        return value

    def _environment(self, path: str) -> str:
        return path if path == "none" else self._here(path)

    def _command(self, table: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the words of a command: a list of them, or a line for a shell."""
        value = table.get("command", [])
        if isinstance(value, str) and value.strip():
            return ("sh", "-c", value)
        is_list = isinstance(value, list) and all(isinstance(item, str) for item in value)
        if not is_list or ("command" in table and not value):
            raise InputError(f"{self.path}: command", f"{value!r}"[:60], 'a command, such as "sbatch train.slurm"')
        return tuple(value)

    def _here(self, path: str) -> str:
        """A path in the file, relative to the current folder."""
        return os.path.join(self.folder, path) if path else ""

    def _paths(self, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
        value = table.get(key, [])
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise InputError(f"{self.path}: {key}", f"{value!r}"[:60], "a list of files")
        return tuple(self._here(item) for item in value)

    def _settings(self, table: Any) -> dict[str, str]:
        if not isinstance(table, dict) or any(isinstance(value, dict | list) for value in table.values()):
            raise InputError(f"{self.path}: settings", f"{table!r}"[:60], '"fact" = value, in quotes: "gpu.count" = 8')
        return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in table.items()}

    def _suppressions(self, items: Any) -> list[Suppression]:
        if not isinstance(items, list):
            raise InputError(f"{self.path}: suppress", f"{items!r}"[:60], "[[suppress]] with rule, reason and expires")
        suppressions = []
        for index, item in enumerate(items):
            where = f"{self.path}: suppress[{index}]"
            if not isinstance(item, dict):
                raise InputError(where, f"{item!r}"[:60], "a table with rule, reason and expires")
            for key in item:
                if key not in ("rule", "reason", "expires"):
                    raise InputError(f"{where}.{key}", "unknown key", "rule, reason and expires")
            for key in ("rule", "reason"):
                if not isinstance(item.get(key), str) or not item[key].strip():
                    raise InputError(f"{where}.{key}", "missing", "a text")
            expires = self._day(item.get("expires"), where)
            suppressions.append(Suppression(item["rule"], item["reason"].strip(), expires, where))
        return suppressions

    def _day(self, value: Any, where: str) -> date:
        from datetime import date

        if isinstance(value, str):
            try:
                return date.fromisoformat(value)
            except ValueError:
                pass
        if type(value) is date:
            return value
        raise InputError(
            f"{where}.expires", "missing" if value is None else f"{value!r}"[:60], "a day such as 2027-01-31"
        )
