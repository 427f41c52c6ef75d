"""One test for many things of one kind: as many tests would cost more than what they check."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

T = TypeVar("T")


def each(items: Iterable[T], name: Callable[[T], str] = str) -> Callable[[Callable[[T], None]], Callable[[], None]]:
    """Return a decorator of a test with one parameter: one test that runs it with each of `items`.

    The test fails with the names of all items that fail, and why.
    """
    every = list(items)

    def decorate(check: Callable[[T], None]) -> Callable[[], None]:
        def test() -> None:
            __tracebackhide__ = True
            failed = [(name(item), why) for item in every if (why := _why_it_fails(check, item))]
            if failed:
                names = ", ".join(one for one, _ in failed)
                reasons = "\n".join(f"{one}: {why}" for one, why in failed)
                pytest.fail(f"{len(failed)} of {len(every)}: {names}\n\n{reasons}", pytrace=False)

        test.__name__, test.__qualname__, test.__module__ = check.__name__, check.__qualname__, check.__module__
        test.__doc__ = check.__doc__
        return test

    return decorate


def _why_it_fails(check: Callable[[T], None], item: T) -> str:
    try:
        check(item)
    except (Exception, pytest.fail.Exception) as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return f"{frame.filename}:{frame.lineno}: {type(error).__name__}: {error}"
    return ""
