"""``--set FACT=VALUE``, as several commands take it."""

from __future__ import annotations

from vcompat.foundation.errors import InputError


def split(setting: str) -> tuple[str, str]:
    """The fact and the value, as typed. Raises InputError where there is no ``=``."""
    name, equals, value = setting.partition("=")
    if not equals:
        raise InputError(f"--set {setting}", "no '='", "FACT=VALUE, such as packages.vllm=0.7.2")
    return name.strip(), value
