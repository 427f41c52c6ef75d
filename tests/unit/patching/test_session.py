"""The engine of a process, and how it logs."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from vcompat.patching import session
from vcompat.patching.engine import SWITCH_OFF
from vcompat.patching.patch import Patch


@pytest.fixture
def logger(monkeypatch: pytest.MonkeyPatch) -> Iterator[logging.Logger]:
    """The logger of vcompat as a new process has it."""
    monkeypatch.setattr(session, "_engine", None)
    found = logging.getLogger("vcompat")
    before = found.handlers[:], found.level, found.propagate
    found.handlers[:], found.propagate = [], True
    found.setLevel(logging.NOTSET)
    yield found
    found.handlers[:], found.propagate = before[0], before[2]
    found.setLevel(before[1])


def test_a_process_has_one_engine_with_the_patches_of_the_first_call(logger: logging.Logger) -> None:
    first = session.engine(lambda: [Patch("a_patch", "A patch", "upstream", "every rank", ())])
    assert session.engine(lambda: []) is first
    with pytest.raises(Exception, match="expected 'a_patch'"):
        first.patch(["b_patch"], (), False)


def test_without_a_handler_lines_go_to_standard_error_once(
    logger: logging.Logger, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    session._log("applied a_patch", False)
    session._log("refused a_patch", True)
    assert capsys.readouterr().err == "vcompat: applied a_patch\nvcompat: refused a_patch\n"
    assert caplog.records == [], "the root logger would print the lines again"


def test_lines_go_to_the_handlers_that_a_script_has_set(
    logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[tuple[str, str]] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            seen.append((record.levelname, record.getMessage()))

    logger.addHandler(Handler(logging.INFO))
    logger.setLevel(logging.DEBUG)
    session._log("applied a_patch", False)
    session._log("refused a_patch", True)
    assert seen == [("INFO", "applied a_patch"), ("WARNING", "refused a_patch")]
    assert capsys.readouterr().err == ""
    assert logger.propagate and logger.level == logging.DEBUG


def test_the_engine_of_a_process_logs(
    logger: logging.Logger, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SWITCH_OFF, "nothing_like_it")
    session.engine(lambda: []).patch([], (), False)
    assert capsys.readouterr().err == f"vcompat: {SWITCH_OFF} names an unknown patch: 'nothing_like_it'\n"
