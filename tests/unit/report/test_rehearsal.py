from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from tests.unit.rehearsal.told import WELL, Process, healthy
from vcompat.rehearsal.command import Ended
from vcompat.rehearsal.protocol import Told
from vcompat.rehearsal.rehearsal_outcome import outcome_of
from vcompat.rehearsal.verdict import Cause, Estimate, Peak, Rehearsal, Track
from vcompat.report.rehearsals import rehearsal_html, rehearsal_json, rehearsal_text, rehearsal_trace

SCHEMA = json.loads(Path(rehearsal_json.__file__).with_name("rehearsal.schema.json").read_text(encoding="utf-8"))


def outcome(told: list[Told], ended: Ended = WELL) -> Rehearsal:
    made = outcome_of("python", told, ended)
    return made._replace(version="0.1.0", patches=("vllm_cpu_weight_sync",), width=80)


@pytest.fixture
def passed() -> Rehearsal:
    return outcome([healthy(0, 2), healthy(1, 2)])


@pytest.fixture
def failed() -> Rehearsal:
    names = [f"model.layers.{layer}.norm<b>.weight" for layer in range(20)]
    process = Process().generate(share=1, stale=names, count=20).phase("training step", failed="ValueError").end(False)
    made = outcome([process.told()], Ended(1, 5.0, False, ()))
    cause = Cause("sleep-level-2-loses-buffers", "Level-2 sleep loses buffers", "certain")
    return made._replace(causes=(cause,), failure="ValueError: <script>", folder="/tmp/kept")


def plain(made: Rehearsal) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", rehearsal_text.render(made))


def test_the_text_of_a_passed_rehearsal_is_short(passed: Rehearsal) -> None:
    text = plain(passed)
    assert text.startswith("passed: 2 steps on 2 ranks, 30 s, 1 patch\npassed     weights: ")
    assert max(map(len, text.splitlines())) <= 80 and len(text.splitlines()) <= 14
    assert "times      synchronization 100 ms, generation 100 ms" in text and "1280 tokens/s" in text


def test_the_text_of_a_failed_rehearsal_begins_with_what_failed(failed: Rehearsal) -> None:
    text = plain(failed)
    assert [line.split(":")[0].split()[-1] for line in text.splitlines() if line.startswith("failed  ")] == [
        "weights", "parameters", "step", "exit",
    ]  # fmt: skip
    assert "             and 12 more" in text
    assert "failure    ValueError: <script>" in text and "`vcompat explain" in text and "kept       /tmp/kept" in text


def test_a_command_that_is_no_training_is_two_lines() -> None:
    text = plain(outcome([]))
    assert re.fullmatch(r"not exercised: python, 30 s, 1 patch\n {11}no process of the command imports TRL.*\n.*", text)


def test_the_json_follows_its_schema(passed: Rehearsal, failed: Rehearsal) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for made in (passed, failed, outcome([])):
        table = json.loads(rehearsal_json.render(made))
        jsonschema.validate(table, SCHEMA)
        assert table["status"] == made.status
    assert json.loads(rehearsal_json.render(failed))["causes"][0]["rule"] == "sleep-level-2-loses-buffers"


@pytest.fixture
def measured(passed: Rehearsal) -> Rehearsal:
    peaks = (
        Peak(0, None, "generation", 9000),
        *(Peak(rank, rank, "generation", 61_000 + rank, 81_920, None, 4000) for rank in (0, 1)),
        Peak(1, 1, "training step", 30_000, 81_920),
    )
    tracks = tuple(Track(rank, rank, 81_920, ((1001.0, 20_480), (1004.0, 61_440))) for rank in (0, 1))
    return passed._replace(memory=peaks, tracks=tracks, estimate=Estimate(50_000, {"generation": 50_000}))


def test_the_json_has_the_memory_of_each_phase_and_the_estimate(measured: Rehearsal) -> None:
    table = json.loads(rehearsal_json.render(measured))
    jsonschema.validate(table, SCHEMA)
    assert table["memory"][1] == {
        "rank": 0, "gpu": 0, "phase": "generation", "peak_mib": 61_000, "total_mib": 81_920, "process_mib": None,
        "torch_reserved_mib": 4000,
    }  # fmt: skip
    assert table["memory_estimate"] == {"peak_mib": 50_000, "phases_mib": {"generation": 50_000}}
    assert table["tokens_per_second"] == pytest.approx(1280)


def test_the_page_has_the_peaks_of_gpus_first_the_estimate_and_a_curve_for_each_gpu(measured: Rehearsal) -> None:
    page = rehearsal_html.render(measured)
    rows = re.findall(r"<tr><td>([^<]*)</td>", page)
    assert rows == ["rank 0, GPU 0", "rank 1, GPU 1", "rank 0, host", "the check, at least"]
    assert '<td class="most">59.6</td><td>29.3</td><td>80.0</td>' in page
    assert page.count("<svg") == 2 and "GPU 1, up to 60.0 of 80.0 GiB" in page
    # A quarter of the memory until the second sample, three quarters from then on.
    assert re.search(r"V75\.0H[\d.]+V25\.0H1000V100Z", page)


def test_the_trace_has_counters_of_memory(measured: Rehearsal) -> None:
    events = json.loads(rehearsal_trace.render(measured))["traceEvents"]
    counters = [one for one in events if one["ph"] == "C" and one["pid"] == 1]
    assert {one["name"] for one in counters} == {"memory of GPU 1 (MiB)"}
    assert [one["args"] for one in counters] == [{"used": 20_480}, {"used": 61_440}]
    assert min(one["ts"] for one in events if "ts" in one) == 0


def test_many_ranks_are_folded(passed: Rehearsal) -> None:
    page = rehearsal_html.render(outcome([healthy(rank, 20) for rank in range(20)]))
    assert page.count('class="lane"') == 20 and "<summary>16 more ranks</summary>" in page
    assert "more ranks" not in rehearsal_html.render(passed)


def test_the_trace_has_a_process_per_rank_and_times_in_microseconds(passed: Rehearsal) -> None:
    events = json.loads(rehearsal_trace.render(passed))["traceEvents"]
    assert {one["args"]["name"] for one in events if one["ph"] == "M"} == {"rank 0", "rank 1"}
    phases = [one for one in events if one["ph"] == "X"]
    assert {one["pid"] for one in phases} == {0, 1} and min(one["ts"] for one in phases) == 0
    assert {one["dur"] for one in phases if one["name"] == "generation"} == {100_000}


def test_the_page_has_a_timeline_per_rank_and_escapes_what_it_shows(passed: Rehearsal, failed: Rehearsal) -> None:
    page = rehearsal_html.render(passed)
    assert page.count('class="lane"') == 2 and 'title="generation, 100 ms"' in page
    page = rehearsal_html.render(failed)
    assert "<script>" not in page and "&lt;script&gt;" in page and "norm&lt;b&gt;" in page
