"""What was seen: the steps of each scenario, and what became of each."""

from __future__ import annotations

#: What a step that raises and prints nothing is recorded as.
FINE = "works"
#: The steps of each scenario, in order.
Seen = dict[str, dict[str, str]]
