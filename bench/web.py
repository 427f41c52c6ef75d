"""The tools of the site in Chromium: when they are ready, and when they have an answer. ``python -m bench.web``

Each figure is a wall time in a browser that has nothing kept, over a server on this machine. The times of the processor
beside them do not depend on what else runs here. Needs the extra 'site', Node.js with npm, and Chromium.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_LOG = ROOT / "tests/cases/logs/adapter-inputs-without-gradients.log"
_LINE = (
    "(EngineCore_DP0 pid={0}) INFO 11-03 10:00:00 [loggers.py:123] Engine 000: Avg prompt throughput: {0}.3 tokens/s, "
    "Running: {0} reqs\n{{'loss': 0.0{0}, 'grad_norm': 0.{0}, 'learning_rate': 1e-06, 'reward': 0.{0}}}\n"
)
_SIZE = 1_000_000
#: Milliseconds after which the measurement is given up.
_PATIENCE = 300_000


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: Any) -> None:
        """Print nothing for each request."""


def log_of(size: int) -> str:
    """Return a log of `size` bytes of a training with vLLM whose end is a kept log's failure."""
    failure = _LOG.read_text(encoding="utf-8")
    lines: list[str] = []
    left = size - len(failure)
    while left > 0:
        lines.append(_LINE.format(len(lines)))
        left -= len(lines[-1])
    return "".join(lines) + failure


def _used() -> float:
    """Seconds of processor time that the living descendants of this process have used: the browser's processes."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(") ", 1)[1].split()
        except OSError:  # it has just ended
            continue
        process = int(stat.parent.name)
        parents[process], ticks[process] = int(fields[1]), int(fields[11]) + int(fields[12])
    ours = {os.getpid()}
    while found := {process for process, parent in parents.items() if parent in ours} - ours:
        ours |= found
    return sum(ticks.get(process, 0) for process in ours - {os.getpid()}) / os.sysconf("SC_CLK_TCK")


class _Timed:
    """Times of a block of code."""

    def __enter__(self) -> _Timed:
        self._start, self._used = time.perf_counter(), _used()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall, self.used = time.perf_counter() - self._start, _used() - self._used

    def show(self, what: str) -> None:
        print(f"{what:52} {self.wall:6.1f} s   processor {self.used:6.1f} s")


def _measure(page: Any, address: str) -> None:
    def told(text: str) -> None:
        page.wait_for_selector(f'#status:has-text("{text}")', timeout=_PATIENCE)

    page.goto(f"{address}diagnose/")
    with _Timed() as start:
        page.focus("#pasted")
        told("vcompat is ready.")
    start.show("ready, nothing kept")
    text = log_of(_SIZE)
    page.set_input_files("#files", {"name": "run.log", "mimeType": "text/plain", "buffer": text.encode()})
    page.wait_for_selector("#chosen li")
    for what in ("first answer", "next answer"):
        with _Timed() as answer:
            page.click("button.main")
            page.wait_for_selector("form.tool:not(.running)", timeout=_PATIENCE)
            told("The answer is below.")
        answer.show(f"{what}, log of {len(text) / 1e6:.1f} MB")
    page.goto(f"{address}diagnose/")
    with _Timed() as again:
        page.focus("#pasted")
        told("vcompat is ready.")
    again.show("ready, with what the browser has kept")


def main() -> int:
    """Print the figures; return 2 if what they need is missing."""
    from web.tools.npm_packages import missing

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or missing():
        print(f"bench.web: {missing() or 'chromium: not found in PATH'}", file=sys.stderr)
        return 2
    from playwright.sync_api import sync_playwright

    from web.build import build

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        build(Path(folder, "site"))
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        print(f"{os.cpu_count()} processors, {os.getloadavg()[0]:.1f} processes waiting or running")
        _measure(browser.new_page(), f"http://127.0.0.1:{server.server_port}/site/")
        browser.close()
        server.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
