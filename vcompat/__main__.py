"""The program: ``vcompat`` and ``python -m vcompat``.

The driver takes its time to answer, so it is asked before anything else is imported.
"""

import gc
import sys

from vcompat.probe import nvml


def main() -> int:
    """Run the command line on ``sys.argv``; return the exit code."""
    # Most of what is imported and read here lives to the end; collecting garbage would only look at it again and again.
    gc.disable()
    if sys.argv[1:2] in (["check"], ["probe"]) and "--no-probe" not in sys.argv:
        nvml.start_early()
    from vcompat.cli import main as run

    try:
        return run()
    finally:
        nvml.drop_early()


if __name__ == "__main__":
    sys.exit(main())
