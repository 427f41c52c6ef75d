"""Reports that are broken at random are rejected or judged; none ends the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.fleet_reports import TIME, ranks, report
from vcompat.evaluation.config import Config
from vcompat.evaluation.fleet.exchanges import exchanges, exercised, summary
from vcompat.evaluation.fleet.judge_fleet import Asked, judge
from vcompat.report.fleets import fleet_html, fleet_json, fleet_junit, fleet_text
from vcompat.sources.nodes.collect import validated
from vcompat.sources.nodes.stream import Document, documents

#: Each of these takes seconds.
pytestmark = pytest.mark.long

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-2, 9)
    | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | st.sampled_from(
        ["node1", "1", "-1", "99999999999", "[1-9", "node[1-99999]", "127.0.0.1", "\ud800", "\x1b[2J", "<b>"]
    )
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from _paths(inner, (*path, key))


def _base() -> dict[str, Any]:
    """A report with everything that is judged."""
    (one, *_) = ranks(1, 1, env__SLURM_JOB_NODELIST="node[1-2]", env__NCCL_ALGO="INFO", env__SLURM_PROCID="0")
    one["nvml"]["devices"][0]["health"]["processes"] = [{"pid": 1, "used_mib": 5000}]
    return one


_PATHS = sorted(_paths(_base()), key=str)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(_PATHS), _VALUES), min_size=1, max_size=3))
def test_a_report_with_any_field_replaced_is_rejected_or_judged(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    broken = json.loads(json.dumps(_base()))
    for (*path, last), value in changes:
        inner = broken
        try:
            for key in path:
                inner = inner[key]
            inner[last] = value
        except (KeyError, IndexError, TypeError):
            continue  # An earlier change removed it.
    collected = validated([("a", Document(report("node2", 2))), ("a", Document(broken))])
    assert len(collected.reports) + len(collected.rejected) + collected.repeated == 2
    outcome = judge(collected, Asked(now=TIME + 60), Config(), ())
    for render in (fleet_text.render, fleet_json.render, fleet_html.render, fleet_junit.render):
        shown = render(outcome)
        shown.encode()
        assert render is fleet_json.render or "\x1b[2J" not in shown
        assert render is not fleet_html.render or "<b>" not in shown
        if render is fleet_junit.render:
            ElementTree.fromstring(shown)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=30), st.integers(0, 8000), st.integers(0, 200))
def test_a_stream_with_any_bytes_replaced_is_separated(noise: bytes, at: int, length: int) -> None:
    data = (json.dumps(_base()) + "\n").encode()
    stream = data + data[:at] + noise + data[at + length :] + data
    found = list(documents([stream.decode("utf-8", "replace")]))
    assert found[0] == Document(_base())
    assert all(one.reason or isinstance(one.value, dict) for one in found)


MARKUP = "<script>alert(1)</script>\x1b[2J&\"'"


def test_what_ranks_state_about_their_exchanges_is_text_in_every_format() -> None:
    texts = {0: json.dumps({"step": MARKUP, "partner": -1, "number": 1, "for": 0, "seconds": {MARKUP: 1.0},
                            "wrong_sums": [], "wrong_roots": [], "wrong_partners": [], "tries": {},
                            "local": [[MARKUP, MARKUP]], "error": MARKUP, "ended": False})}  # fmt: skip
    done, refused = exercised(texts, {}, 1, (), 60.0)
    assert refused == []
    collected = validated([("a", Document(report("node2", 2)))])
    found = tuple(exchanges(done))
    assert {one.kind.id for one in found} == {"exchange-failed", "node-fails"}
    outcome = judge(collected, Asked(more=found, exercise=summary(done, MARKUP)), Config(), ())
    assert "<script>" not in fleet_html.render(outcome)
    assert "\x1b" not in fleet_text.render(outcome).replace("\x1b[1m", "").replace("\x1b[0m", "").replace(
        "\x1b[31m", ""
    )
    ElementTree.fromstring(fleet_junit.render(outcome))
    assert json.loads(fleet_json.render(outcome))["findings"]
