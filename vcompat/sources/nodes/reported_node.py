"""One report of a node, validated. Its writer is not trusted: what it states must be possible and fit together."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from vcompat.facts.facts import Facts, Known
from vcompat.facts.value import FactValue, from_json
from vcompat.facts.vocabulary import spec_of
from vcompat.foundation.errors import InputError

#: The most characters of a text, such as LD_LIBRARY_PATH, and the most entries of a list.
TEXT_LIMIT, LIST_LIMIT = 32_768, 1_024
_KEYS = frozenset(
    {"vcompat", "facts", "sources", "looked_at_in_full", "unknown", "nvml", "visible_gpus", "node", "crc"}
)
#: What a probe states. Anything else, such as plan.*, comes from run files, and a node has no say in it.
_FAMILIES = frozenset({"gpu", "torch", "vllm", "bitsandbytes", "host", "packages", "env"})
#: Facts that differ slightly between equal nodes. No rule depends on them.
OWN = frozenset({"host.memory_mib", "host.shm_mib"})
#: A host name as it comes from a system: no separators of paths, no control characters.
_HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?")
_BOOT = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ADDRESS = re.compile(r"[0-9A-Fa-f:.]{2,45}(%[A-Za-z0-9_.-]{1,32})?")
#: The years 2000 and 2200, as a clock counts them.
_TIMES = (946_684_800, 7_258_118_400)


class Node(NamedTuple):
    """What a report states about the node, as in ``probe.node``; None for what it does not state."""

    boot: str | None = None
    kernel: str | None = None
    pid: int | None = None
    time: float | None = None
    synchronized: bool | None = None
    shm_free_mib: int | None = None
    names: tuple[tuple[str, tuple[str, ...] | None], ...] = ()
    ports_in_use: tuple[int, ...] = ()


class Gpu(NamedTuple):
    """What a report states about one GPU; None for what NVML does not."""

    number: int
    """NVML's index."""
    uuid: str
    memory_mib: int | None
    ecc: bool | None = None
    uncorrected_errors: int | None = None
    remapping_pending: bool | None = None
    remapping_failed: bool | None = None
    slowed_by: tuple[str, ...] = ()
    used_mib: int | None = None
    processes: tuple[tuple[int, int | None], ...] = ()
    """The id and the memory in MiB of each process that computes on it."""


class NodeReport(NamedTuple):
    """A valid report."""

    host: str
    where: str
    """The file, and the number of the document in it."""
    facts: Facts
    """Those that equal nodes share. Equal reports have the same object."""
    own: dict[str, FactValue]
    """Environment variables by their names, and the facts in OWN."""
    node: Node
    gpus: tuple[Gpu, ...]
    visible: tuple[str, ...]
    """The ids of the GPUs that the process can use."""

    @property
    def env(self) -> dict[str, str]:
        """The environment variables that launchers and libraries read."""
        return {name[4:]: value for name, value in self.own.items() if name[:4] == "env." and isinstance(value, str)}


class Reader:
    """Reads reports, and lets equal ones share what they have in common."""

    def __init__(self) -> None:
        self._values: dict[Any, FactValue] = {}
        self._profiles: dict[Any, Facts] = {}
        self._gpus: dict[Any, Gpu] = {}

    def read(self, table: Any, where: str) -> NodeReport:
        """Return the report in a parsed JSON document. Raises InputError, with the field, if it is not one."""
        expected = "a report of `vcompat probe`"
        if not isinstance(table, dict) or "facts" not in table:
            raise InputError(where, "no key 'facts'", expected)
        for key in table:
            if key not in _KEYS:
                raise InputError(where, f"unknown key {key[:40]!r}", ", ".join(sorted(_KEYS)))
        common, own = self._facts(table, where)
        if "node" not in table:
            raise InputError(where, "no key 'node'", "a report of this or a later release of vcompat")
        host, node = _node(table["node"], f"{where}: node")
        gpus, visible = self._devices(table, where)
        count = common.value("gpu.count")
        for name, length in (("visible_gpus", len(visible)), ("gpu.name", _length(common, "gpu.name"))):
            if length is not None and count is not None and length != count:
                raise InputError(f"{where}: {name}", f"has {length} entries", f"{count}, as gpu.count states")
        return NodeReport(host, where, common, own, node, gpus, visible)

    def _facts(self, table: dict[str, Any], where: str) -> tuple[Facts, dict[str, FactValue]]:
        """Return the facts that equal nodes share, and the others."""
        stated = _table(table["facts"], f"{where}: facts")
        common: list[tuple[str, FactValue]] = []
        own: dict[str, FactValue] = {}
        for name, raw in stated.items():
            value = self._value(name, raw, where)
            if name in OWN or name[:4] == "env.":
                own[name] = value
            else:
                common.append((name, value))
        closed = tuple(_texts(table.get("looked_at_in_full", []), f"{where}: looked_at_in_full"))
        if not {"packages", "env"}.issuperset(closed):
            raise InputError(f"{where}: looked_at_in_full", f"{closed!r}"[:80], "packages, env")
        reasons = _table(table.get("unknown", {}), f"{where}: unknown")
        # Texts from here on: a reason or a source is shown, but decides nothing, so the first report's are taken.
        key = (tuple(common), closed, tuple(reasons))
        found = self._profiles.get(key)
        if found is None:
            found = self._profiles[key] = self._profile(table, common, closed, where)
        return found, own

    def _profile(
        self, table: dict[str, Any], common: list[tuple[str, FactValue]], closed: tuple[str, ...], where: str
    ) -> Facts:
        sources = _table(table.get("sources", {}), f"{where}: sources")
        known = {name: Known(value, _text(sources.get(name, ""), f"{where}: sources.{name}")) for name, value in common}
        reasons = {
            _text(name, f"{where}: unknown"): _text(reason, f"{where}: unknown.{name[:80]}")
            for name, reason in table.get("unknown", {}).items()
            if name not in known
        }
        facts = Facts(known, closed)
        for name, reason in reasons.items():
            facts.forget(name, reason)
        return facts

    def _value(self, name: str, raw: Any, where: str) -> FactValue:
        kinds = tuple(map(type, raw)) if isinstance(raw, list) else type(raw)
        key = (name, kinds, tuple(raw) if isinstance(raw, list) else raw)
        try:
            return self._values[key]
        except KeyError:
            pass
        except TypeError:
            raise InputError(f"{where}: facts.{name[:80]}", "a nested value", "a value or a list of values") from None
        place = f"{where}: facts.{name[:80]}"
        if name.partition(".")[0] not in _FAMILIES:
            raise InputError(place, "a node does not state this", ", ".join(sorted(_FAMILIES)))
        for item in raw if isinstance(raw, list) else [raw]:
            if isinstance(item, str):
                _text(item, place)
            elif isinstance(item, int | float) and not 0 <= item < 2**53:
                raise InputError(place, f"{item!r}"[:80], "a number that such a quantity can have")
        if isinstance(raw, list) and len(raw) > LIST_LIMIT:
            raise InputError(place, f"has {len(raw)} entries", f"at most {LIST_LIMIT}")
        value = self._values[key] = from_json(spec_of(name, place), raw, place)
        return value

    def _devices(self, table: dict[str, Any], where: str) -> tuple[tuple[Gpu, ...], tuple[str, ...]]:
        nvml = _table(table.get("nvml", {}), f"{where}: nvml")
        gpus, ids = [], set()
        for number, device in enumerate(_list(nvml.get("devices", []), f"{where}: nvml.devices")):
            place = f"{where}: nvml.devices[{number}]"
            fields = _table(device, place)
            if fields.get("index") != number:
                raise InputError(place, f"index is {fields.get('index')!r}"[:80], str(number))
            gpu = _gpu(number, fields, place)
            if gpu.uuid in ids:
                raise InputError(place, f"uuid {gpu.uuid!r} occurs twice"[:120], "another one for each GPU")
            ids.add(gpu.uuid)
            ids.update(_instances(fields, place))
            gpus.append(self._gpus.setdefault(gpu, gpu))
        visible = []
        for number, device in enumerate(_list(table.get("visible_gpus", []), f"{where}: visible_gpus")):
            place = f"{where}: visible_gpus[{number}]"
            visible.append(_text(_or(_table(device, place).get("uuid"), ""), f"{place}.uuid"))
            if visible[-1] not in ids:
                raise InputError(place, f"uuid {visible[-1]!r} is not among nvml.devices"[:120], "one of these GPUs")
        return tuple(gpus), tuple(visible)


def _gpu(index: int, fields: dict[str, Any], place: str) -> Gpu:
    health = _table(_or(fields.get("health"), {}), f"{place}.health")
    processes = []
    for process in _list(_or(health.get("processes"), []), f"{place}.health.processes"):
        entry = _table(process, f"{place}.health.processes")
        processes.append((_whole(entry, "pid", place) or 0, _whole(entry, "used_mib", place)))
    return Gpu(
        index,
        _text(_or(fields.get("uuid"), ""), f"{place}.uuid", 200),
        _whole(fields, "memory_mib", place),
        _flag(health, "ecc", f"{place}.health"),
        _whole(health, "uncorrected_errors", f"{place}.health"),
        _flag(health, "remapping_pending", f"{place}.health"),
        _flag(health, "remapping_failed", f"{place}.health"),
        tuple(_texts(_or(health.get("slowed_by"), []), f"{place}.health.slowed_by", 100)),
        _whole(health, "used_mib", f"{place}.health"),
        tuple(processes),
    )


def _instances(fields: dict[str, Any], place: str) -> list[str]:
    found = _list(_or(fields.get("mig_instances"), []), f"{place}.mig_instances")
    return [_text(_or(_table(entry, place).get("uuid"), ""), f"{place}.mig_instances", 200) for entry in found]


def _node(raw: Any, place: str) -> tuple[str, Node]:
    table = _table(raw, place)
    host = _text(table.get("host", ""), f"{place}.host", 300)
    if not _HOST.fullmatch(host) or ".." in host:
        raise InputError(f"{place}.host", f"{host!r} is not a host name"[:120], "letters, digits, '-', '_' and '.'")
    boot = table.get("boot")
    if boot is not None and not _BOOT.fullmatch(_text(boot, f"{place}.boot", 100)):
        raise InputError(f"{place}.boot", f"{boot!r} is not a boot id"[:120], "a UUID")
    time = table.get("time")
    if time is not None and (type(time) not in (int, float) or not _TIMES[0] < time < _TIMES[1]):
        raise InputError(f"{place}.time", f"{time!r} is not a time"[:120], "seconds since 1970")
    kernel = table.get("kernel")
    clock = _table(_or(table.get("clock"), {}), f"{place}.clock")
    ports = _list(_or(table.get("ports_in_use"), []), f"{place}.ports_in_use")
    if not all(type(port) is int and 0 <= port < 65536 for port in ports):
        raise InputError(f"{place}.ports_in_use", f"{ports!r}"[:80], "numbers of ports")
    return host, Node(
        boot,
        None if kernel is None else _text(kernel, f"{place}.kernel", 200),
        _whole(table, "pid", place),
        time,
        _flag(clock, "synchronized", f"{place}.clock"),
        _whole(table, "shm_free_mib", place),
        _names(_or(table.get("names"), {}), f"{place}.names"),
        tuple(ports),
    )


def _names(raw: Any, place: str) -> tuple[tuple[str, tuple[str, ...] | None], ...]:
    found = []
    for name, addresses in _table(raw, place).items():
        listed = None if addresses is None else tuple(_texts(addresses, place, 100))
        if listed and not all(_ADDRESS.fullmatch(address) for address in listed):
            raise InputError(place, f"{listed!r}"[:120], "addresses")
        found.append((_text(name, place, 300), listed))
    return tuple(found)


def _or(value: Any, default: Any) -> Any:
    """Return `default` for what a report does not state; a wrong value is none that is not stated."""
    return default if value is None else value


def _length(facts: Facts, name: str) -> int | None:
    value = facts.value(name)
    return len(value) if isinstance(value, tuple) else None


def _table(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(place, f"{value!r}"[:80], "an object")
    if len(value) > LIST_LIMIT:
        raise InputError(place, f"has {len(value)} keys", f"at most {LIST_LIMIT}")
    return value


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(place, f"{value!r}"[:80], "a list")
    if len(value) > LIST_LIMIT:
        raise InputError(place, f"has {len(value)} entries", f"at most {LIST_LIMIT}")
    return value


def _texts(value: Any, place: str, limit: int = TEXT_LIMIT) -> list[str]:
    return [_text(item, place, limit) for item in _list(value, place)]


def _text(value: Any, place: str, limit: int = TEXT_LIMIT) -> str:
    if not isinstance(value, str):
        raise InputError(place, f"{value!r}"[:80], "a text")
    if len(value) > limit:
        raise InputError(place, f"has {len(value)} characters", f"at most {limit}")
    try:
        # Half of a pair of surrogates is valid JSON, but no report can be written with it.
        value.encode()
    except UnicodeEncodeError:
        raise InputError(place, "is not a valid text", "Unicode characters") from None
    return value


def _whole(table: dict[str, Any], key: str, place: str) -> int | None:
    value = table.get(key)
    if value is not None and (type(value) is not int or not 0 <= value < 2**63):
        raise InputError(f"{place}.{key}", f"{value!r}"[:80], "a number")
    return value


def _flag(table: dict[str, Any], key: str, place: str) -> bool | None:
    value = table.get(key)
    if value is not None and type(value) is not bool:
        raise InputError(f"{place}.{key}", f"{value!r}"[:80], "true or false")
    return value
