"""Records what happens in a stand-in process: one line of JSON per event, appended to one file."""

from __future__ import annotations

import dataclasses
import enum
import json
import os
from typing import Any

from vcompat.facts.vocabulary import ENVIRONMENT

#: What the launcher decided, by fact. A launcher writes it before it starts the training script in the same process.
LAUNCH: dict[str, Any] = {}
#: Where the events of this execution go. The worker sets it.
FILE = ""


def record(event: str, **data: Any) -> None:
    """Append one event with the environment variables that are facts."""
    variables = {name: value for name, value in os.environ.items() if ENVIRONMENT.fullmatch(name)}
    line = json.dumps({"event": event, "pid": os.getpid(), "env": variables, "launch": LAUNCH, **data}) + "\n"
    handle = os.open(FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, line.encode())
    os.close(handle)


def plain(value: object) -> Any:
    """Return `value` as JSON can hold it. What no fact can state becomes ``{"object": TYPE}``."""
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple | set):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    name = str(value)
    return name.removeprefix("torch.") if name.startswith("torch.") else {"object": type(value).__name__}


def settings_of(configuration: object) -> dict[str, Any]:
    """Return the settings of a configuration object by name."""
    if dataclasses.is_dataclass(configuration) and not isinstance(configuration, type):
        names = {field.name for field in dataclasses.fields(configuration)}
    else:
        names = set(getattr(configuration, "__dict__", {}))
    return {name: plain(getattr(configuration, name, None)) for name in sorted(names)}
