"""Parses Python source, and finds what only its compiler refuses. Nothing is run."""

from __future__ import annotations

import ast
import sys
import warnings

from vcompat.foundation.errors import InputError
from vcompat.sources.reading.python import f_strings


def parse(path: str, source: bytes) -> ast.Module:
    """Parse Python source. Raises InputError, with file and line, if it is not valid."""
    try:
        if b"\0" in source:
            raise InputError(path, "contains binary data", "a Python script")
        with warnings.catch_warnings():
            # Do not print Python's warnings about the user's code, such as invalid escapes.
            warnings.simplefilter("ignore")
            try:
                return ast.parse(source)
            except SyntaxError as error:
                # With releases before 3.12, the f-strings of 3.12 may be all that is not valid.
                if (tree := f_strings.parsed(source)) is None:
                    raise error from None
                return tree
    except SyntaxError as error:
        where = f"{path}:{error.lineno}" if error.lineno else path
        # Python 3.12 allows in f-strings what the releases before it refuse.
        is_newer = sys.version_info < (3, 12) and "f-string" in str(error.msg)
        expected = "a Python script" + "; if it needs Python 3.12, install vcompat in that" * is_newer
        raise InputError(where, f"not valid Python: {error.msg}", expected) from None
    except (RecursionError, MemoryError):
        raise InputError(path, "nested too deeply to be read", "a training script") from None
    except ValueError as error:
        raise InputError(path, f"not Python text: {error}", "a Python script") from None


def check_compiles(path: str, source: bytes, expected: str = "a Python script") -> None:
    """Raise InputError, with file and line, if Python parses a file and refuses to compile it.

    That is so of a keyword that a call has twice, of two parameters of one name, and of `return` outside of a function.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, path, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except SyntaxError as error:
        # What does not parse is another matter: it may be of a newer Python.
        if not _parses(source) or "asynchronous comprehension" in str(error.msg):
            return
        raise InputError(f"{path}:{error.lineno}", f"not valid Python: {error.msg}", expected) from None
    except (RecursionError, MemoryError, ValueError):
        return


def _parses(source: bytes) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
