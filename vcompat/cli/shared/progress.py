"""A progress bar on the terminal, for commands that take minutes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from vcompat.foundation.errors import InputError
from vcompat.upstream.index import EXTRA


@contextmanager
def progress(total: int, unit: str = "releases") -> Iterator[Callable[[str], None]]:
    """Yield a function to call with the name of each of `total` releases, or other units, that was read.

    Shows nothing if stderr is no terminal. Raises InputError if the library for it is not installed.
    """
    try:
        # Part of an extra, with the client of the package index.
        from tqdm import tqdm
    except ImportError:
        raise InputError("reading upstream releases", "tqdm is not installed", EXTRA) from None
    with tqdm(total=total, unit=f" {unit}", disable=None, file=sys.stderr, leave=False) as bar:

        def each(name: str) -> None:
            bar.set_postfix_str(name, refresh=False)
            bar.update()

        yield each
