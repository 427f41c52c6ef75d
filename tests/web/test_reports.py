"""Reports as pages in a browser: of a check, a diagnosis, a fleet, a run's status and a rehearsal, as their commands write them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.fleet_reports import fleet, lines
from tests.unit.patching.launched import CALL, PATCH, Place
from tests.unit.rehearsal.told import WELL, Process
from vcompat.rehearsal.rehearsal_outcome import outcome_of
from vcompat.rehearsal.verdict import Cause
from vcompat.report.rehearsals import rehearsal_html

_ROOT = Path(__file__).resolve().parents[2]
_SCRIPT = """
from trl import GRPOConfig, GRPOTrainer
config = GRPOConfig(output_dir="out", use_vllm=True, vllm_mode="colocate", vllm_enable_sleep_mode=True, bf16=MAYBE)
GRPOTrainer(model="Qwen/Qwen2.5-7B-Instruct", args=config, train_dataset=prompts, reward_funcs=reward).train()
"""
#: A folder in which screenshots are kept for a person to look at.
_SCREENSHOTS = os.environ.get("VCOMPAT_KEEP_SCREENSHOTS", "")
KINDS = ["check", "unknown", "diagnose", "fleet", "status", "rehearse"]


def _command(folder: Path, kind: str) -> list[str]:
    page = str(folder / f"{kind}.html")
    if kind == "diagnose":
        return ["diagnose", str(_ROOT / "tests/cases/logs/colocate-leaves-one-cpu-thread.log"), "--output", page]
    if kind == "fleet":
        (folder / "nodes.jsonl").write_text(lines([*fleet(3), *fleet(4, env__NCCL_ALGO="Ring")[3:]]))
        return ["fleet", "--from", str(folder / "nodes.jsonl"), "--output", page]
    if kind == "status":
        place = Place(folder)
        place.python("-c", CALL, RANK="0", WORLD_SIZE="3")
        place.python("-c", "import trl", RANK="1", VCOMPAT_DISABLE=PATCH)
        return ["status", "--run", str(place.runs), "--output", page]
    (folder / "train.py").write_text(_SCRIPT)
    known = ["--facts", str(_ROOT / "examples/machine.json")] if kind == "check" else ["--target", "8xH100"]
    return ["check", str(folder / "train.py"), "--no-probe", *known, "--output", page]


def _rehearsal() -> str:
    names = [f"model.layers.{layer}.self_attn.qkv_proj.weight_with_a_very_long_name" for layer in range(20)]
    process = Process().generate(share=1, stale=names, count=20).phase("training step", failed="ValueError").end(False)
    made = outcome_of("python", [process.told()], WELL)
    cause = Cause("sleep-level-2-loses-buffers", "Level-2 sleep loses buffers", "certain")
    return rehearsal_html.render(made._replace(version="0.1.0", causes=(cause,), failure="ValueError: " + "x" * 90))


@pytest.fixture(scope="module")
def reports(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("reports")
    for kind in KINDS[:-1]:
        done = subprocess.run(
            [sys.executable, "-m", "vcompat", *_command(folder, kind)],
            cwd=_ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (folder / f"{kind}.html").is_file(), done.stderr
    (folder / "rehearse.html").write_text(_rehearsal())
    return folder


@pytest.fixture
def open_report(chromium, reports):
    """A function that opens a report. The test fails if the report writes an error to the console or requests a file."""
    contexts, problems = [], []

    def opened(kind, **options):
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        address = (reports / f"{kind}.html").as_uri()
        page.on("request", lambda request: problems.append(request.url) if request.url != address else None)
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_report_fits_a_phone_and_has_no_violation(open_report, kind, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the extra 'site'")
    page = open_report(kind, viewport={"width": 360, "height": 740}, color_scheme=scheme)
    # All of what is possible would be 60,000 pixels high.
    page.evaluate("[...document.querySelectorAll('details')].slice(-2).forEach((each) => { each.open = true })")
    if _SCREENSHOTS:
        page.screenshot(path=Path(_SCREENSHOTS) / f"{kind}-{scheme}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_a_fix_can_be_copied_and_leads_to_the_page_of_its_rule(open_report):
    page = open_report("check", permissions=["clipboard-read", "clipboard-write"])
    if _SCREENSHOTS:
        page.screenshot(path=Path(_SCREENSHOTS) / "check-wide.png", full_page=True)
    first = page.locator("article pre").first
    page.get_by_role("button", name="Copy").first.click()
    assert page.evaluate("navigator.clipboard.readText()") == first.text_content().strip()
    link = page.get_by_role("link", name="on the web site").first
    assert link.get_attribute("href").startswith("https://vcompat.github.io/vcompat/rules/")


def test_what_is_not_known_of_the_memory_is_drawn_as_not_known(open_report):
    page = open_report("unknown")
    assert page.locator(".bar").count() >= 1
    for bar in page.locator(".bar").all():
        wide = bar.bounding_box()["width"]
        drawn = sum(part.bounding_box()["width"] for part in bar.locator("span").all())
        assert drawn <= wide + 1 and (
            drawn > wide / 2 or "left" in page.locator(".vcompat section p").first.text_content()
        )
