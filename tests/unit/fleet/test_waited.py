from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.fleet.waited import waited


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="this kernel does not tell")
def test_the_time_that_a_process_waited_never_shrinks_while_its_threads_live() -> None:
    first = waited()
    sum(range(200_000))
    second = waited()
    assert first is not None
    assert second is not None
    assert 0 <= first <= second


def test_it_is_unknown_where_the_kernel_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.listdir", lambda _: (_ for _ in ()).throw(FileNotFoundError()))
    assert waited() is None
