"""A progress bar on the terminal, for what takes longer than a blink."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from vcompat.foundation.errors import InputError
from vcompat.upstream.index import EXTRA


@contextmanager
def progress(total: int) -> Iterator[Callable[[str], None]]:
    """Give a function to call with the name of each release that was looked at; it shows nothing where nobody watches.

    Raises InputError where the library for it is not installed.
    """
    try:
        # With the index client, for those who look at releases only.
        from tqdm import tqdm
    except ImportError:
        raise InputError("looking at upstream's releases", "the progress bar is not installed", EXTRA) from None
    with tqdm(total=total, unit=" releases", disable=None, file=sys.stderr, leave=False) as bar:

        def each(name: str) -> None:
            bar.set_postfix_str(name, refresh=False)
            bar.update()

        yield each
