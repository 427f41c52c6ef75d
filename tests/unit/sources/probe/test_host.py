"""The facts about the host, against what Linux and torch report."""

from __future__ import annotations

import platform

import pytest

from vcompat.sources.probe.host import probe_host

X86 = platform.machine() == "x86_64" and platform.system() == "Linux"


@pytest.mark.skipif(not X86, reason="not an x86 processor under Linux")
def test_avx512_is_that_of_torch() -> None:
    torch = pytest.importorskip("torch")
    assert probe_host().value("host.avx512") is torch.cpu._is_avx512_supported()


@pytest.mark.skipif(not X86, reason="not an x86 processor under Linux")
def test_amx_is_that_of_torch() -> None:
    torch = pytest.importorskip("torch")
    assert probe_host().value("host.amx") is torch.cpu._is_amx_tile_supported()


def test_the_processor_architecture_is_known() -> None:
    assert probe_host().value("host.machine") == platform.machine()
