"""Has the nodes of a Ray cluster probed: one task per node, which returns the text of its report.

Ray brings vcompat to the nodes (``py_modules``), so all nodes are probed by the same release, and need not have it
installed. A task imports the probe by its name and returns text; vcompat pickles nothing.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from threading import Thread
from typing import Any, NamedTuple

from vcompat.foundation.errors import InputError
from vcompat.sources.probe.node_report import whole_report_as_text

_EXPECTED = "the address of a Ray cluster, such as auto, 10.0.0.1:6379 or ray://10.0.0.1:10001"
#: Without it, Ray hides all GPUs from a task that needs none, so that a probe would see none.
_VARIABLES = {"RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES": "1"}
#: How long Ray is waited for to disconnect, in seconds.
_LEAVING = 5.0


class Answers(NamedTuple):
    """What the nodes of a cluster answered."""

    texts: tuple[tuple[str, str], ...]
    """The name of each node that answered, and its report."""
    failed: tuple[tuple[str, str], ...]
    """The name of each other node, and why there is no report of it."""


def ask_nodes(address: str, limit: float) -> Answers:
    """Probe all living nodes of the cluster at `address`, and wait for `limit` seconds at most.

    Raises InputError if Ray is not installed here, or does not connect.
    """
    if find_spec("ray") is None:
        raise InputError(f"--ray {address}", "Ray is not installed here", "the environment of the cluster's nodes")
    ray = import_module("ray")
    _within(limit, lambda: _connect(ray, address), f"--ray {address}")
    try:
        return _ask(ray, {node["NodeID"]: node for node in ray.nodes() if node["Alive"]}, limit)
    except (RuntimeError, ConnectionError) as error:
        raise InputError(f"--ray {address}", _line(error), _EXPECTED) from None
    finally:
        # It can take long if nodes do not answer, and nobody needs to wait for that.
        leaving = Thread(target=ray.shutdown, daemon=True)
        leaving.start()
        leaving.join(_LEAVING)


def _connect(ray: Any, address: str) -> None:
    ray.init(
        address=address,
        log_to_driver=False,
        logging_level="CRITICAL",
        runtime_env={"py_modules": list(_shipped()), "env_vars": _VARIABLES},
    )


def _shipped() -> Iterator[str]:
    """Yield what the probe needs and Ray does not have: vcompat, and NVML's client, which is one file."""
    package = import_module("vcompat").__file__
    if package is not None:
        yield os.path.dirname(package)
    client = find_spec("pynvml")
    if client is not None and client.origin is not None and client.origin.endswith("pynvml.py"):
        yield client.origin


def _ask(ray: Any, nodes: Mapping[str, Any], limit: float) -> Answers:
    names = _names(nodes)
    affinity = import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
    # Pickled by Ray as a name: the node imports it from the vcompat that was brought there.
    task = ray.remote(num_cpus=0, max_retries=0)(whole_report_as_text)
    # soft=False: on this node or not at all.
    asked = {
        task.options(name="vcompat probe", scheduling_strategy=affinity(node, soft=False)).remote(): names[node]
        for node in nodes
    }
    done, late = ray.wait(list(asked), num_returns=len(asked), timeout=limit)
    texts, failed = [], [(asked[one], f"no answer within {limit:g} s") for one in late]
    for one in done:
        try:
            texts.append((asked[one], str(ray.get(one))))
        except Exception as error:
            failed.append((asked[one], _line(error)))
    return Answers(tuple(texts), tuple(sorted(failed)))


def _names(nodes: Mapping[str, Any]) -> dict[str, str]:
    """Return what each node is called: its host name, with the beginning of Ray's id if several nodes have it."""
    hosts = {
        node: str(table.get("NodeManagerHostname") or table.get("NodeManagerAddress")) for node, table in nodes.items()
    }
    count = Counter(hosts.values())
    return {node: host if count[host] == 1 else f"{host} (node {node[:8]})" for node, host in hosts.items()}


def _within(limit: float, call: Any, where: str) -> None:
    """Run a call that may block for minutes. Raises InputError if it fails or takes longer than `limit` seconds."""
    # Whatever Ray raises, also SystemExit, is stated in one line.
    errors: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(limit)
    if errors:
        raise InputError(where, _line(errors[0]), _EXPECTED)
    if thread.is_alive():
        raise InputError(where, f"Ray does not connect within {limit:g} s", _EXPECTED)


def _line(error: BaseException) -> str:
    """Return what an error states, without the traceback of the node that follows."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    # Ray puts the traceback of the task first and its last line is the exception.
    shown = lines[-1] if "Traceback" in str(error) else lines[0]
    return shown[:300]
