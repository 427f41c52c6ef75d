"""``python -m vcompat``."""

import sys

from vcompat.cli import main

sys.exit(main())
