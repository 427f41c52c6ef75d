"""For pytest: ``pytest --vcompat`` checks the project's run, and a marker skips tests to which a failure applies.

It is loaded in every run of pytest if vcompat is installed, so it imports nothing else of vcompat until it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from vcompat.evaluation.finding import Finding

_MARKER = (
    "vcompat(*rules, action='skip'): skip the test ('skip') or expect it to fail ('xfail') if one of the rules applies "
    "for certain"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare ``--vcompat``."""
    group = parser.getgroup("vcompat")
    group.addoption(
        "--vcompat",
        action="store_true",
        help="check the run that [tool.vcompat] describes, as `vcompat check` does, as one more test",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line("markers", _MARKER)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the check as a test, and judge the tests that bear the marker."""
    for item in items:
        for marker in item.iter_markers("vcompat"):
            _judge(item, marker, config)
    if config.getoption("--vcompat"):
        items.insert(0, Check.from_parent(session, name="vcompat check"))


class Check(pytest.Item):
    """The check of the project's run."""

    def runtest(self) -> None:
        """Run it in this process; a finding that counts fails it."""
        from click import unstyle

        from vcompat.evaluation.checking import check_project
        from vcompat.report.checks.text import render

        outcome = check_project(str(self.config.rootpath))
        if outcome.fails:
            pytest.fail(unstyle(render(outcome)), pytrace=False)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """The report of the check, or one line about input that cannot be used."""
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """The location that pytest prints."""
        return self.config.rootpath, None, "vcompat check"


def _judge(item: pytest.Item, marker: pytest.Mark, config: pytest.Config) -> None:
    """Skip or expect the failure of a test whose marker names a rule that applies here."""
    action = marker.kwargs.get("action", "skip")
    if not marker.args or action not in ("skip", "xfail") or set(marker.kwargs) - {"action"}:
        raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.vcompat takes ids of rules, and action='skip' or 'xfail'")
    for finding in _applying(item, marker, config):
        reason = f"{finding.failure} ({finding.rule.id})"
        item.add_marker(pytest.mark.skip(reason=reason) if action == "skip" else pytest.mark.xfail(reason=reason))


_KEY = pytest.StashKey["dict[str, Finding | None]"]()


def _applying(item: pytest.Item, marker: pytest.Mark, config: pytest.Config) -> Iterator[Finding]:
    """The certain findings among the rules that a marker names. The environment is read once a session."""
    if _KEY not in config.stash:
        from vcompat.evaluation.checking import certain_findings

        config.stash[_KEY] = certain_findings(str(config.rootpath))
    findings = config.stash[_KEY]
    for rule in marker.args:
        if rule not in findings:
            raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.vcompat: there is no rule {rule!r}")
        finding = findings[rule]
        if finding is not None:
            yield finding
