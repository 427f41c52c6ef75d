"""The page that diagnoses a log, in Chromium. One page for all tests, since its engine starts once: each empties it."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from tests.web.tools.browser import PATIENCE, Tool
from tests.web.tools.engine import ROOT, commanded

LOG = ROOT / "tests/cases/logs/get-open-port-moved.log"


@pytest.fixture
def new_page(tools, chromium, address):
    """A page that nobody has used."""
    opened = Tool(chromium, address, "diagnose", viewport={"width": 1280, "height": 900})
    yield opened
    opened.context.close()


@pytest.fixture(scope="module")
def page(tools, chromium, address):
    opened = Tool(chromium, address, "diagnose", viewport={"width": 1280, "height": 900})
    opened.start()
    yield opened
    opened.context.close()


@pytest.fixture
def tool(page):
    """The page with an empty form. Its console must have no error after the test."""
    page.empty()
    yield page
    assert page.problems == []


def answered(tool):
    """Get the answer about a log that is pasted."""
    tool.page.fill("#pasted", LOG.read_text())
    tool.page.click("button.main")
    return tool.answer()


def test_the_engine_is_loaded_when_the_tool_is_used_and_not_before(new_page):
    tool = new_page
    tool.page.wait_for_load_state("networkidle")
    assert tool.engine_requests == []
    tool.page.focus("#pasted")
    tool.page.wait_for_selector("#progress", state="visible")
    tool.status(" MB")
    tool.status("vcompat is ready.")
    assert len([url for url in tool.engine_requests if url.endswith("/vcompat.zip")]) == 1
    assert not tool.page.is_visible("#progress")
    assert tool.problems == []


def test_without_a_log_the_tool_asks_for_one(tool):
    tool.page.click("button.main")
    tool.status("No log; expected a text in the field above, or files.")


def test_a_log_pasted_by_keyboard_gets_the_answer_of_the_command(tool, tmp_path):
    tool.page.focus("#pasted")
    tool.page.keyboard.insert_text(LOG.read_text())
    while tool.page.evaluate("document.activeElement.textContent") != "Diagnose":
        tool.page.keyboard.press("Tab")
    tool.page.keyboard.press("Enter")
    files = {"log.txt": LOG.read_bytes()}
    assert tool.answer() == commanded(["diagnose", "log.txt"], files, tmp_path / "run").report
    assert tool.page.evaluate("document.activeElement.closest('#answer') !== null")
    assert tool.page.inner_text("#command") == "vcompat diagnose log.txt"
    assert "trl vllm-serve cannot import get_open_port" in tool.page.inner_text("#report h3.level-2 >> nth=0")


def test_the_answer_is_copied_as_markdown(tool):
    answered(tool)
    tool.page.click("#copy-markdown")
    tool.page.wait_for_selector('#copy-markdown:has-text("Copied")')
    copied = tool.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("#")
    assert "trl vllm-serve cannot import get_open_port" in copied


def test_a_fix_is_copied(tool):
    answered(tool)
    tool.page.click("#report pre + .copy-button >> nth=0")
    assert tool.page.evaluate("navigator.clipboard.readText()") == 'pip install "vllm>=0.10.2,<0.13.0"'


def test_the_saved_report_is_the_page_of_the_command(tool):
    answered(tool)
    saved = tool.saved("#save")
    assert saved.startswith("<!doctype html>")
    assert "<style>" in saved
    assert "get-open-port-moved" in saved


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_in_an_answer(tool, scheme):
    pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the extra 'site'")
    tool.page.emulate_media(color_scheme=scheme)
    answered(tool)
    assert tool.violations() == ""


def test_an_answer_does_not_scroll_sideways_on_a_phone(tool):
    answered(tool)
    tool.page.set_viewport_size({"width": 360, "height": 740})
    assert tool.width() <= 360


def test_the_report_for_upstream_names_no_path_of_the_user(tool):
    answered(tool)
    tool.page.click("#show-upstream")
    text = tool.page.locator("#upstream pre").inner_text(timeout=PATIENCE)
    assert "get_open_port" in text
    assert "/workspace/train.py" not in text
    tool.page.click("#upstream button")
    assert tool.page.evaluate("navigator.clipboard.readText()").strip() == text.strip()


def test_dropped_logs_are_read_under_their_names(tool, tmp_path):
    logs = {"rank0.log": b"INFO waiting\n", "rank1.log": LOG.read_bytes()}
    for name, content in logs.items():
        (tmp_path / name).write_bytes(content)
    tool.drop([tmp_path / name for name in logs], "#pasted")
    tool.page.wait_for_selector("#chosen li >> nth=1")
    tool.page.click("button.main")
    assert tool.answer() == commanded(["diagnose", *logs], logs, tmp_path / "run").report
    tool.page.click("#chosen button >> nth=0")
    assert tool.page.locator("#chosen li").count() == 1


class _Elsewhere(BaseHTTPRequestHandler):
    """Another server, which would see what leaves the page."""

    seen: ClassVar[list[str]] = []

    def do_GET(self):
        self.seen.append(self.path)
        self.send_response(200)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()

    def log_message(self, format, *arguments):
        """Print nothing for each request."""


#: Asks for an address in a worker that is made as the page makes its own.
_ASK = """address => new Promise(resolve => {
  const script = `fetch("${address}").then(() => postMessage("sent"), () => postMessage("refused"))`;
  const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })), { type: "module" });
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = () => resolve("not started");
  globalThis.asked = worker;  // Nothing else holds it.
})"""


def test_no_request_leaves_the_page(tool, chromium, address):
    answered(tool)
    assert [url for url in tool.requests if not url.startswith((address, "blob:"))] == []
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Elsewhere)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    elsewhere = f"http://127.0.0.1:{server.server_port}"
    try:
        before = list(tool.problems)
        assert tool.page.evaluate(_ASK, f"{elsewhere}/tool") == "refused"
        tool.problems[:] = before  # Chromium reports that it refused the request.
        # Without the policy, the request arrives.
        with chromium.new_context(bypass_csp=True) as context:
            page = context.new_page()
            page.goto(address)
            assert page.evaluate(_ASK, f"{elsewhere}/control") == "sent"
    finally:
        server.shutdown()
        server.server_close()
    assert _Elsewhere.seen == ["/control"]


def test_the_tool_works_without_a_network(tool):
    answered(tool)
    tool.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    tool.page.reload()  # From now on, the service worker has the page.
    tool.context.set_offline(True)
    tool.page.reload()
    assert answered(tool)["matches"][0]["rule"] == "get-open-port-moved"


def test_an_answer_that_takes_too_long_is_ended(tool):
    script = """async root => {
      const { Engine } = await import(root + "_static/tools/client.mjs");
      const engine = new Engine(root + "tools/engine.json", () => {}, 1);
      await engine.start();
      const log = new TextEncoder().encode("RuntimeError: CUDA out of memory\\n".repeat(2e5));
      try { await engine.ask({ command: "diagnose", files: { log } }); return "answered"; }
      catch (error) { return [error.message, engine.worker === null]; }
    }"""
    found = tool.page.evaluate(script, tool.page.url.removesuffix("diagnose/"))
    assert found == ["No answer within 0.001 seconds. The command line has no such limit.", True]
