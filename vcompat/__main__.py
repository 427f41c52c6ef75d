"""The program: ``vcompat`` and ``python -m vcompat``.

The driver takes its time to answer, so it is asked before anything else is imported.
"""

import gc
import os
import sys

from vcompat.sources.probe import nvml


def main() -> int:
    """Run the command line on ``sys.argv``; return the exit code."""
    # Most objects that are created here live to the end; collecting garbage would only look at them again and again.
    gc.disable()
    if sys.argv[1:2] in (["check"], ["probe"], ["run"]) and not {"--no-probe", "--no-check"} & {*sys.argv}:
        nvml.start_early(with_health=sys.argv[1] == "probe")
    from vcompat.cli.program import main as run

    try:
        return run()
    finally:
        nvml.drop_early()


def program() -> None:
    """Run `main` and end at once: the interpreter need not free every object."""
    code = main()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            try:
                stream.flush()
            except BrokenPipeError:
                # A reader such as `head` has stopped. The exit code remains the command's own.
                pass
            except OSError:
                code = 2
    if code == 130:
        sys.exit(code)
    os._exit(code)


if __name__ == "__main__":
    program()
