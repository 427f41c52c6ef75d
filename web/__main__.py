"""``python -m web FOLDER`` builds the site."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from web.build import build


def main() -> int:
    """Build the site into the folder that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m web", description="Build the web site.")
    parser.add_argument("folder", nargs="?", default="site", type=Path, help="where the pages go (default: site)")
    folder = parser.parse_args().folder
    return build(folder)


if __name__ == "__main__":
    sys.exit(main())
