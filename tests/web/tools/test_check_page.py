"""The page that checks a run, in Chromium on a phone. One page for all tests, since its engine starts once: each empties it."""

import pytest

from tests.web.tools.browser import Tool
from tests.web.tools.engine import ROOT, commanded

CASE = ROOT / "tests/oracle/cases/accelerate-cpu-offload"
REQUIREMENTS = b"trl==1.0.0\nvllm==0.17.0\n"
SCRIPT = """from trl import GRPOConfig, GRPOTrainer
config = GRPOConfig(output_dir='out', use_vllm=True, vllm_mode='colocate')
GRPOTrainer(model='Qwen/Qwen2.5-7B-Instruct', args=config, train_dataset=data, reward_funcs=reward).train()
"""


@pytest.fixture(scope="module")
def page(tools, chromium, address):
    opened = Tool(chromium, address, "check", viewport={"width": 360, "height": 740}, color_scheme="dark")
    opened.start()
    yield opened
    opened.context.close()


@pytest.fixture
def tool(page):
    """The page with an empty form. Its console must have no error after the test."""
    page.empty()
    yield page
    assert page.problems == []


def dropped(tool, folder):
    """Drop the files of a run onto the page, and return them by name."""
    files = {path.name: path.read_bytes() for path in CASE.iterdir() if path.name != "case.toml"}
    files["requirements.txt"] = REQUIREMENTS
    for name, content in files.items():
        (folder / name).write_bytes(content)
    tool.drop([folder / name for name in files], "#pasted")
    tool.page.wait_for_selector(f"#chosen li >> nth={len(files) - 1}")
    return files


def answered(tool):
    """Get the answer about a script and its releases, which has all that an answer can have."""
    tool.page.fill("#pasted", SCRIPT)
    tool.page.select_option("#gpu", "A100-80GB")
    tool.page.fill("#gpu-count", "4")
    tool.page.fill("[data-package=trl]", "1.0.0")
    tool.page.fill("[data-package=vllm]", "0.17.0")
    tool.page.click("button.main")
    return tool.answer()


def test_dropped_files_get_roles_and_the_answer_of_the_command(tool, tmp_path):
    files = dropped(tool, tmp_path)
    labels = tool.page.locator("#chosen li").all_inner_texts()
    roles = dict(zip((label.split(" (")[0] for label in labels), tool.roles(), strict=True))
    assert roles == {"requirements.txt": "packages", "run.sh": "run", "train.py": "other", "zero.yaml": "other"}
    tool.page.select_option("#gpu", "A100-80GB")
    tool.page.fill("#gpu-count", "4")
    tool.page.fill("[data-package=torch]", "2.10.0")
    tool.page.click("button.main")
    words = ["check", "run.sh", "--no-probe", "--env", "requirements.txt", "--target", "4xA100-80GB"]
    words += ["--set", "packages.torch=2.10.0"]
    assert tool.answer() == commanded(words, files, tmp_path / "run").report
    assert tool.page.inner_text("#command") == " ".join(["vcompat", *words])


def test_a_role_that_the_user_chooses_counts_until_the_file_is_removed(tool, tmp_path):
    dropped(tool, tmp_path)
    guessed = tool.roles()
    tool.page.select_option("select[aria-label='What train.py is']", "run")
    tool.page.select_option("select[aria-label='What run.sh is']", "other")
    tool.page.click("button.main")
    tool.answer()
    assert tool.page.inner_text("#command").startswith("vcompat check train.py --no-probe ")
    tool.empty()
    dropped(tool, tmp_path)
    assert tool.roles() == guessed


def test_bad_input_is_told_in_one_line(tool):
    answered(tool)
    assert tool.page.is_visible("#answer")
    tool.page.fill("[data-package=torch]", "newest")
    tool.page.click("button.main")
    tool.status("vcompat: --set packages.torch=newest")
    assert not tool.page.is_visible("#answer")


def test_a_pasted_text_gets_a_name_by_what_it_is(tool):
    names = []
    for text in ("from trl import GRPOConfig\n", "#!/bin/bash\ntorchrun train.py\n", "trl==1.0.0\n", "beta: 0.1\n"):
        tool.page.fill("#pasted", text)
        names.append(tool.page.input_value("#pasted-name"))
    assert names == ["train.py", "train.sh", "requirements.txt", "config.yaml"]
    tool.page.click("#keep")
    tool.page.wait_for_selector("#chosen li:has-text('config.yaml')")
    assert tool.page.input_value("#pasted") == ""


def test_the_bars_of_memory_have_their_widths(tool):
    answered(tool)
    widths = tool.page.evaluate("Array.from(document.querySelectorAll('#report .bar span'), span => span.style.width)")
    assert len(widths) > 1
    assert all(width.endswith("%") for width in widths)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_in_an_answer(tool, scheme):
    pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the extra 'site'")
    tool.page.emulate_media(color_scheme=scheme)
    answered(tool)
    assert tool.violations() == ""


def test_an_answer_does_not_scroll_sideways_on_a_phone(tool):
    answered(tool)
    tool.page.evaluate("document.querySelectorAll('#report details').forEach(details => { details.open = true; })")
    assert tool.width() <= 360
