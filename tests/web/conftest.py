"""The site, built once for all tests of it, a server of its files, and pages in a real Chromium."""

import fcntl
import os
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
#: The site is served below a path, as on GitHub Pages, so that an absolute link does not work.
_BELOW = "vcompat"


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    """The folder of the built site; the processes of one test run share it."""
    pytest.importorskip("sphinx", reason="needs the extra 'site'")
    pytest.importorskip("myst_parser", reason="needs the extra 'site'")
    from web.build import build

    base = tmp_path_factory.getbasetemp()
    served = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "served"
    served.mkdir(exist_ok=True)
    with (served / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (served / "built").exists():
            assert build(served / _BELOW) == 0
            (served / "built").touch()
    return served / _BELOW


def pytest_configure(config):
    # Before the site's modules are imported. The releases for all of them take half a minute.
    os.environ.setdefault("VCOMPAT_SITE_CAPABILITIES", "7.0")


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, format, *arguments):
        """Print nothing for each request."""


@pytest.fixture(scope="session")
def address(site) -> Iterator[str]:
    """The address of the site's first page, with a slash at its end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(site.parent)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/{_BELOW}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def chromium():
    """A running Chromium, which Playwright drives."""
    if _CHROMIUM is None:
        pytest.skip("no chromium is installed")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra 'site'")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=_CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
        )
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, address):
    """A function that opens a page of the site by its path; options are those of a browser's context.

    The test fails if a page that it opened reports an error on its console, or asks for a file that is not there.
    """
    contexts, problems = [], []

    def opened(path="", **options):
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("requestfailed", lambda request: problems.append(f"failed: {request.url}"))
        page.goto(address + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []
