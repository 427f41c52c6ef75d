"""Where an installation keeps what a checkout has at its top."""

from __future__ import annotations

import os
from functools import cache

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
#: The top of a checkout.
CHECKOUT = os.path.dirname(_PACKAGE)


@cache
def evidence_folder() -> str:
    """Return the folder of the evidence records: inside the package in a wheel, at the top of a checkout."""
    inside = os.path.join(_PACKAGE, "rules", "evidence")
    return inside if os.path.isdir(inside) else os.path.join(CHECKOUT, "evidence")
