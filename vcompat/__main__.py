"""The program: ``vcompat`` and ``python -m vcompat``.

The driver takes its time to answer, so it is asked before anything else is imported.
"""

import gc
import os
import sys

from vcompat.sources.probe import nvml

#: What a program returns that SIGINT has ended.
INTERRUPTED = 130


def main() -> int:
    """Run the command line on ``sys.argv``; return the exit code."""
    # Most of what is imported and read here lives to the end; collecting garbage would only look at it again and again.
    gc.disable()
    if sys.argv[1:2] in (["check"], ["probe"]) and "--no-probe" not in sys.argv:
        nvml.start_early()
    from vcompat.cli.program import main as run

    try:
        return run()
    finally:
        nvml.drop_early()


def program() -> None:
    """Run `main` and end at once: taking the interpreter apart, object by object, is of no use to anyone."""
    code = main()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            try:
                stream.flush()
            except BrokenPipeError:
                pass
            except OSError:
                code = 2
    if code == INTERRUPTED:
        # What was broken off has its own things to put away.
        sys.exit(code)
    os._exit(code)


if __name__ == "__main__":
    program()
