"""The package as a user installs it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from vcompat.foundation.version import __version__

ROOT = Path(__file__).resolve().parents[2]


def vcompat(folder: Path, *arguments: str, path: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "vcompat", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_an_installed_wheel_and_a_checkout_find_the_same_rules(tmp_path: Path) -> None:
    target = tmp_path / "site"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    assert (target / "vcompat" / "py.typed").is_file()
    commands = (
        ["rules"],
        ["patches"],
        ["explain", "sleep-level-2-loses-buffers"],
        ["support", "trl", "--settings"],
    )
    for arguments in commands:
        installed = vcompat(tmp_path, *arguments, path=str(target))
        assert installed == vcompat(tmp_path, *arguments, path=str(ROOT))
    rules = target / "vcompat" / "rules"
    assert (rules / "compiled.jsonl").is_file() and (rules / "evidence" / "vllm.toml").is_file()
    assert (rules / "evidence" / "settings" / "trl" / "GRPOConfig.json").is_file()
    assert not list(target.rglob("sleep-level-2-loses-buffers.toml"))
    (metadata,) = target.glob("vcompat-*.dist-info/METADATA")
    links = re.findall(r"\]\(([^)]+)\)", metadata.read_text(encoding="utf-8"))
    assert f"https://github.com/vcompat/vcompat/blob/v{__version__}/docs/check.md" in links
    # The package index shows the description elsewhere.
    assert [link for link in links if not link.startswith("https://")] == []
