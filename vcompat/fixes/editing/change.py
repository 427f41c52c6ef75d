"""A change to one setting or environment variable, independent of the file type."""

from __future__ import annotations

from typing import Any, NamedTuple

from vcompat.facts.facts import Place

#: What a change does with a setting.
SET, ADD, RENAME, REMOVE = "set", "add", "rename", "remove"


class Cannot(Exception):
    """A change cannot be made. The message is the reason."""


class Edit(NamedTuple):
    """A change to one setting or environment variable."""

    rule: str
    setting: str
    """The name of the setting or the variable."""
    action: str
    """SET, ADD, RENAME or REMOVE."""
    place: Place
    """The position of the present value or of its key. To ADD, the position of the configuration. For a command of a
    shell script, the position of the command."""
    value: Any = None
    """The new value; source code if `is_expression` is true. For RENAME, the new name."""
    is_expression: bool = False
    is_variable: bool = False
    """Whether it is an environment variable."""
    owner: str = ""
    """To ADD in Python: the name of the class that is called; empty if it does not matter."""

    def __str__(self) -> str:
        """Say what is done, such as ``vllm_mode='colocate'`` or ``remove vllm_mode``."""
        if self.action == RENAME:
            return f"rename {self.setting} to {self.value}"
        if self.action == REMOVE:
            return f"remove {self.setting}"
        return f"{self.setting}={self.value if self.is_expression else repr(self.value)}"
