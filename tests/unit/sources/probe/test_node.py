from __future__ import annotations

import os
import socket
import sys

import pytest

from vcompat.sources.probe.clock import probe_clock
from vcompat.sources.probe.node import probe_node, resolve


def test_a_node_states_its_name_its_boot_and_what_is_free_in_shared_memory() -> None:
    node = probe_node({})
    assert node["host"] == socket.gethostname()
    assert len(node["boot"]) == 36
    assert 0 <= node["shm_free_mib"] <= os.statvfs("/dev/shm").f_blocks * os.statvfs("/dev/shm").f_frsize >> 20
    assert node["pid"] == os.getpid()


def test_the_addresses_of_master_addr_are_stated() -> None:
    assert probe_node({"MASTER_ADDR": "127.0.0.1"})["names"]["127.0.0.1"] == ["127.0.0.1"]


def test_a_name_that_does_not_resolve_has_no_addresses() -> None:
    # The top-level domain "invalid" is reserved: no resolver has it.
    assert resolve(["nobody.invalid"], patience=[30]) == {"nobody.invalid": []}


def test_a_name_that_cannot_be_one_has_no_addresses() -> None:
    assert resolve(["a" * 300 + ".invalid"], patience=[30]) == {"a" * 300 + ".invalid": []}


def test_a_look_up_that_is_late_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    answered = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answered.wait(30) and [])
    try:
        assert resolve(["slow.invalid"], patience=[0.01, 0.01]) == {"slow.invalid": None}
    finally:
        answered.set()


def test_a_look_up_that_fails_for_the_moment_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[object] = [socket.gaierror(socket.EAI_AGAIN, "try again"), [(0, 0, 0, "", ("10.0.0.7", 0))]]

    def busy(*_: object, **__: object) -> object:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(socket, "getaddrinfo", busy)
    assert resolve(["busy.invalid"], patience=[30, 30]) == {"busy.invalid": ["10.0.0.7"]}


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_a_port_of_the_run_on_which_somebody_listens_is_in_use(family: socket.AddressFamily) -> None:
    if family == socket.AF_INET6 and not os.path.exists("/proc/net/tcp6"):
        pytest.skip("no IPv6 here")
    with socket.socket(family) as server:
        server.bind(("localhost" if family == socket.AF_INET else "::1", 0))
        port = server.getsockname()[1]
        assert port not in probe_node({"MASTER_PORT": str(port)})["ports_in_use"]
        server.listen()
        assert port in probe_node({"MASTER_PORT": str(port)})["ports_in_use"]
        assert port not in probe_node({"MASTER_PORT": "1"})["ports_in_use"]


@pytest.mark.parametrize("port", ["", "none", "999999", "-1", "٣"])
def test_a_port_that_is_no_number_is_not_looked_for(port: str) -> None:
    assert set(probe_node({"MASTER_PORT": port})["ports_in_use"]) <= {29500}


@pytest.mark.skipif(sys.platform != "linux", reason="adjtimex is Linux's")
def test_the_kernel_tells_whether_its_clock_is_synchronized() -> None:
    clock = probe_clock()
    assert clock["synchronized"] in (True, False)
    assert (clock["error_ms"] is not None) == clock["synchronized"]
