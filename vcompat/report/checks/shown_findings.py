"""What `vcompat.check` returns: the findings, which a notebook shows as the HTML report and a terminal as the text."""

from __future__ import annotations

from vcompat.evaluation.finding import Finding
from vcompat.evaluation.outcome import Outcome


class Findings(list[Finding]):
    """The findings of a check, the most urgent first."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.judgement.findings)
        self.outcome = outcome
        """The whole outcome: facts, memory budget, what was not judged."""

    def __repr__(self) -> str:
        from click import unstyle

        from vcompat.report.checks.text import render

        return unstyle(render(self.outcome))

    def _repr_html_(self) -> str:
        from vcompat.report.checks.html import fragment

        return fragment(self.outcome)
