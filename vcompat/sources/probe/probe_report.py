"""Writes and reads the JSON report of ``vcompat probe``."""

from __future__ import annotations

import json
import os
from typing import Any
from zlib import crc32

from vcompat.facts.facts import Facts
from vcompat.facts.value import from_json, to_json
from vcompat.facts.vocabulary import spec_of_stated
from vcompat.foundation.errors import InputError
from vcompat.sources.probe.machine import Machine

#: What comes before the checksum of a report.
CHECKSUM = ',"crc":"'
#: Maximum file size in bytes. Reports have a few kilobytes.
SIZE_LIMIT = 20_000_000

_KEYS = {
    "vcompat": str,
    "facts": dict,
    "sources": dict,
    "looked_at_in_full": list,
    "unknown": dict,
    "nvml": dict,
    "visible_gpus": list,
    "node": dict,
    "crc": str,
}


def report(machine: Machine, version: str, node: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a machine as plain JSON. `version` is vcompat's version, `node` as in ``probe.node``."""
    return {**of_facts(machine.facts, version), "nvml": machine.nvml, "visible_gpus": machine.visible, "node": node}


def of_facts(facts: Facts, version: str) -> dict[str, Any]:
    """Return facts as plain JSON that `read_report` reads."""
    return {
        "vcompat": version,
        "facts": {name: to_json(known.value) for name, known in sorted(facts.known.items())},
        "sources": {name: known.source for name, known in sorted(facts.known.items())},
        "looked_at_in_full": sorted(facts.closed),
        "unknown": dict(sorted(facts.reasons.items())),
    }


def one_line(table: dict[str, Any]) -> str:
    """Return a report as one line, with a checksum of all that comes before it, as ``fleet.stream`` verifies it.

    What collects the output of many nodes can mix lines, and parts of similar reports can fit together.
    """
    text = json.dumps(table, separators=(",", ":"))[:-1]
    return f'{text}{CHECKSUM}{crc32(text.encode()):08x}"}}'


def read_report(path: str) -> Facts:
    """Read the facts of a saved report or a handwritten file such as ``{"facts": {"packages.vllm": "0.8.4"}}``.

    Raises InputError, with the file and the key, if it is malformed.
    """
    table = _load(path)
    for key, value in table.items():
        if key not in _KEYS:
            raise InputError(f"{path}: {key}", "unknown key", ", ".join(_KEYS))
        if not isinstance(value, _KEYS[key]):
            raise InputError(f"{path}: {key}", f"invalid value {value!r}"[:80], f"a {_KEYS[key].__name__}")
    if "facts" not in table:
        raise InputError(path, "no key 'facts'", "a report of `vcompat probe`")
    facts = Facts(closed=[name for name in table.get("looked_at_in_full", []) if name in ("packages", "env")])
    sources = table.get("sources", {})
    for name, value in table["facts"].items():
        where = f"{path}: facts.{name}"
        facts.set(
            name,
            from_json(spec_of_stated(name, where), value, where),
            ", ".join(filter(None, [os.path.basename(path), str(sources.get(name, ""))])),
        )
    for name, reason in table.get("unknown", {}).items():
        if facts.recorded(name) is None:
            facts.forget(str(name), str(reason))
    return facts


def _load(path: str) -> dict[str, Any]:
    try:
        if os.path.getsize(path) > SIZE_LIMIT:
            raise InputError(path, f"larger than {SIZE_LIMIT // 1_000_000} MB", "a report of `vcompat probe`")
        with open(path, encoding="utf-8") as file:
            table = json.load(file)
    except OSError as error:
        raise InputError(path, error.strerror or str(error), "a report of `vcompat probe`") from None
    except UnicodeDecodeError:
        raise InputError(path, "not UTF-8 text", "a report of `vcompat probe`") from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}:{error.lineno}", f"not valid JSON: {error.msg}", "a report of `vcompat probe`"
        ) from None
    except RecursionError:
        raise InputError(path, "nested too deeply to be read", "a report of `vcompat probe`") from None
    if not isinstance(table, dict):
        raise InputError(path, "not a JSON object", "a report of `vcompat probe`")
    return table
