"""Where an installation keeps what a checkout has at its top."""

from __future__ import annotations

import os
from functools import cache

#: The folder of the package.
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
#: The top of a checkout.
CHECKOUT = os.path.dirname(PACKAGE)


@cache
def evidence_folder() -> str:
    """Return the folder of the evidence records: inside the package in a wheel, at the top of a checkout."""
    inside = os.path.join(PACKAGE, "rules", "evidence")
    return inside if os.path.isdir(inside) else os.path.join(CHECKOUT, "evidence")
