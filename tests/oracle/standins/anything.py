"""An object that takes part in everything a training script does with a library that has no stand-in of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Anything:
    """Every attribute, call and item of it is another one; it is true, empty, a context manager and a decorator."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def __init_subclass__(cls, **_: object) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *arguments: object, **_: object) -> Any:
        # A decorator returns the function that it decorates.
        if len(arguments) == 1 and type(arguments[0]).__name__ == "function":
            return arguments[0]
        return Anything()

    def __getitem__(self, key: object) -> Any:
        return Anything()

    def __setitem__(self, key: object, value: object) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        pass
