"""What a report states about how patches reach processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.report.outcomes import PATCHED, outcome_of
from vcompat.facts.facts import Facts, Place
from vcompat.report.parts.formats import renderer
from vcompat.report.parts.patching import patching_lines


def facts_with(**known: object) -> Facts:
    facts = Facts()
    for name, value in known.items():
        facts.set(name.replace("__", "."), value, "test")  # type: ignore[arg-type]
    return facts


@pytest.mark.parametrize("plugins", ["", "other", "other,another", " vcompat", "vcompat2"])
def test_a_list_of_plugins_without_vcompat_keeps_the_script_s_patches_from_vllm_s_processes(plugins: str) -> None:
    (line,) = patching_lines(facts_with(env__VLLM_PLUGINS=plugins, plan__patched=("a_patch",)))
    assert line.startswith(f"VLLM_PLUGINS={plugins} leaves out vcompat")


@pytest.mark.parametrize(
    "facts",
    [
        {"plan__patched": ("a_patch",)},
        {"env__VLLM_PLUGINS": "other,vcompat", "plan__patched": ("a_patch",)},
        {"env__VLLM_PLUGINS": "other", "plan__patched": ()},
        {"env__VLLM_PLUGINS": "other"},
        {"env__VLLM_PLUGINS": "other", "plan__patched": ("a_patch",), "host__patched": ("a_patch",)},
    ],
)
def test_nothing_is_stated_where_no_patch_is_lost(facts: dict[str, object]) -> None:
    assert patching_lines(facts_with(**facts)) == []


def test_what_is_installed_is_stated_with_its_file() -> None:
    facts = Facts()
    facts.set("host.patched", ("one", "two"), "vcompat install", Place("/environment/vcompat_patches.pth"))
    (line,) = patching_lines(facts)
    assert "applies 2 patches" in line and "(/environment/vcompat_patches.pth)" in line


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_reports_for_people_have_the_line(tmp_path: Path, form: str) -> None:
    script = tmp_path / "train.py"
    script.write_text(PATCHED)
    lost = renderer(form)(outcome_of(str(script), env__VLLM_PLUGINS="other"))
    assert "Patches: VLLM_PLUGINS=other leaves out vcompat" in " ".join(lost.replace("\\", "").split())
    assert "Patches:" not in renderer(form)(outcome_of(str(script)))
