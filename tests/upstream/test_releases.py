"""The test harness: its errors for a release that is not available."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.upstream.releases import NotAvailable, release

ROOT = Path(__file__).resolve().parents[2]
#: A port without a server.
NOWHERE = "http://127.0.0.1:9"
PROXIES = {name: NOWHERE for proxy in ("http_proxy", "https_proxy", "all_proxy") for name in (proxy, proxy.upper())}


def test_a_release_that_does_not_exist_is_reported() -> None:
    with pytest.raises(
        NotAvailable, match=r"vllm 0\.0\.99: the package index has neither a source distribution nor a wheel"
    ):
        release("vllm", "0.0.99")


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ("releases.release('trl', '1.0.0')", "there is no trl in"),
        ("installed.installed('numpy==1.26.4')", "numpy==1.26.4 is not in"),
    ],
)
def test_without_network_and_cache_it_fails_and_leaves_no_file(call: str, complaint: str, tmp_path: Path) -> None:
    # Without pip's settings, which can name folders with packages, and without its cache.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    inherited |= {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_CACHE_DIR": "1"}
    done = subprocess.run(
        [sys.executable, "-c", f"from tests.upstream import installed, releases; {call}"],
        cwd=ROOT,
        env={**inherited, **PROXIES, "NO_PROXY": "", "no_proxy": "", "VCOMPAT_TEST_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert f"NotAvailable: {complaint}" in done.stderr
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
