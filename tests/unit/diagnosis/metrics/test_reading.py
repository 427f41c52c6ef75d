"""Reading metrics: the same values from each kind of file, whatever is wrong with it."""

from __future__ import annotations

import io
import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.diagnosis.metrics.recorded import BFLOAT16, find, printed, run_of, state
from vcompat.diagnosis.diagnosing import diagnose_paths
from vcompat.diagnosis.logs.log_bytes import Unreadable
from vcompat.diagnosis.metrics.metric_names import MEAN, RATIO, Metric, metric
from vcompat.diagnosis.metrics.printed_objects import ObjectReader
from vcompat.diagnosis.metrics.series import MOST, Run, Series, distinct
from vcompat.diagnosis.metrics.tables import is_table, read_table
from vcompat.diagnosis.metrics.tensorboard_files import read_events

LOG = find(variant="not_synchronized", **BFLOAT16)
MEANS = run_of(LOG).series(MEAN)


def objects(text: str, size: int = 1 << 20) -> ObjectReader:
    reader, data = ObjectReader("train.log"), text.encode()
    for at in range(0, len(data), size):
        reader.take(data[at : at + size], data[:at].count(b"\n") + 1)
    return reader


def table(text: str) -> list[Run]:
    return read_table(iter([text.encode()]), "metrics.csv")


def csv(log: list[dict[str, Any]], prefix: str = "", step: str = "step") -> str:
    names = [name for name in log[0] if name != "step"]
    rows = [",".join([str(entry["step"]), *(str(entry[name]) for name in names)]) for entry in log]
    return "\n".join([",".join([step, *(prefix + name for name in names)]), *rows]) + "\n"


def test_a_trainers_state_has_each_value_with_its_step_and_line() -> None:
    text = state(LOG)
    found = objects(text).run.series(MEAN)
    assert (found.steps, found.values, found.unit) == (MEANS.steps, MEANS.values, "step")
    lines = text.splitlines()
    assert ['"entropy"' in lines[line] or "{" in lines[line - 1] for line in found.lines] == [True] * len(LOG)


@given(st.integers(1, 5000))
def test_an_entry_is_read_wherever_the_blocks_of_a_file_are_cut(size: int) -> None:
    assert objects(state(LOG[:6]), size).run.series(MEAN).values == MEANS.values[:6]


@pytest.mark.parametrize("as_text", [True, False])
def test_what_the_trainer_prints_behind_a_progress_bar_is_read_and_counted(as_text: bool) -> None:
    found = objects(printed(LOG, as_text)).run.series(MEAN)
    assert found.values == MEANS.values
    assert (found.steps, found.unit, found.lines) == (tuple(range(1, 15)), "entry", tuple(range(1, 15)))


@pytest.mark.parametrize("width", [60, 80, 111, 200, *range(230, 250)])
def test_an_entry_that_a_terminal_has_wrapped_is_put_together(width: int) -> None:
    texts = [str({name: value for name, value in entry.items() if name != "step"}) for entry in LOG]
    lines = [text[at : at + width] for text in texts for at in range(0, len(text), width)]
    run = objects("\n".join(lines)).run
    assert run.series(MEAN).values == MEANS.values
    assert run.series(RATIO).values == run_of(LOG).series(RATIO).values


def test_prefixes_of_a_launcher_do_not_hide_an_entry() -> None:
    text = f"[rank0]: {{'reward_std': 0.1, '{MEAN}': np.float64(0.25), 'reward': tensor(1.5)}}\n"
    assert objects(text).run.series(MEAN).values == (0.25,)
    assert objects(text).run.series("reward").values == (1.5,)


def test_an_evaluation_is_no_step_of_its_own() -> None:
    text = "{'reward_std': 0, 'reward': 1}\n{'eval_reward_std': 0, 'eval_reward': 3}\n{'reward_std': 0, 'reward': 2}\n"
    run = objects(text).run
    assert run.series("reward").steps == (1, 2)
    assert (run.series("eval_reward").steps, run.series("eval_reward").values) == ((1,), (3,))


@pytest.mark.parametrize(
    ("text", "value"),
    [("NaN", math.nan), ("-Infinity", -math.inf), ('"nan"', math.nan), ("'inf'", math.inf), ("1e-05", 1e-05)],
)
def test_numbers_are_read_as_json_and_python_write_them(text: str, value: float) -> None:
    (found,) = objects(f'{{"reward_std": 0.0, "{MEAN}": {text}, "step": 1}}').run.series(MEAN).values
    assert found == value or (math.isnan(found) and math.isnan(value))


def test_what_is_no_number_is_left_out() -> None:
    run = objects(f'{{"reward_std": null, "{MEAN}": None, "{RATIO}": "[String too long]", "kl": 0.5}}').run
    assert [series.name for series in run.all_series] == ["kl"]


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_of_a_truncated_state_the_complete_entries_are_read(share: float) -> None:
    text = state(LOG)
    reader = objects(text[: int(len(text) * share)])
    count = len(reader.run.series(MEAN).values)
    assert reader.is_cut
    assert MEANS.values[:count] == reader.run.series(MEAN).values
    assert abs(count - 14 * share) < 2


def test_an_empty_file_and_one_of_something_else_have_no_metrics() -> None:
    for text in ("", "{}", "[]", '{"log_history": []}', '{"reward": 1, "loss": 2}', "{" * 5000, "{'reward_std': 'x'}"):
        assert objects(text).run.all_series == ()


def test_repeated_steps_of_a_resumed_run_count_once_and_steps_are_put_in_order() -> None:
    entries = [(3, 0.3), (1, 0.1), (2, 0.2), (2, 0.25), (3, 0.35)]
    text = "".join(f'{{"reward_std": 0, "{MEAN}": {value}, "step": {step}}}\n' for step, value in entries)
    found = objects(text).run.series(MEAN)
    assert (found.steps, found.values) == ((1, 2, 3), (0.1, 0.25, 0.35))


def test_of_endless_metrics_a_bounded_number_is_kept_the_first_and_the_last_among_them() -> None:
    run = Run("x")
    for step in range(5 * MOST):
        run.take({MEAN: float(step)}, step)
    found = run.series(MEAN)
    assert MOST / 2 <= len(found.values) <= 2 * MOST
    assert found.values[0] == 0
    assert found.values[-1] > 4.99 * MOST


@pytest.mark.parametrize("step", ["step", "Step", "train/global_step"])
@pytest.mark.parametrize("prefix", ["", "train/"])
def test_a_table_has_the_values_of_its_columns(prefix: str, step: str) -> None:
    text = csv(LOG, prefix, step)
    assert is_table(text.encode())
    (run,) = table(text)
    assert (run.series(MEAN).steps, run.series(MEAN).values) == (MEANS.steps, MEANS.values)
    assert run.series(MEAN).lines == tuple(range(2, 16))


@pytest.mark.parametrize(("mark", "point"), [(";", ","), (";", "."), ("\t", "."), ("\t", ",")])
def test_a_table_with_other_marks_between_its_cells_is_read(mark: str, point: str) -> None:
    text = csv(LOG).replace(",", mark).replace(".", point)
    assert is_table(text.encode())
    (run,) = table(text)
    assert (run.series(MEAN).steps, run.series(MEAN).values) == (MEANS.steps, MEANS.values)


def test_a_table_of_several_runs_has_each_of_them() -> None:
    head = f'"Step","first - train/{MEAN}","first - train/{MEAN}__MIN","second - train/{MEAN}"\n'
    runs = table(f"{head}1,0.1,0.05,0.5\n2,0.2,0.06,\n")
    assert [(run.name, run.series(MEAN).values) for run in runs] == [("first", (0.1, 0.2)), ("second", (0.5,))]


def test_a_table_of_something_else_is_none() -> None:
    for text in (
        "step,loss,reward\n1,2,3\n",
        "a log, with commas\n",
        "",
        "{'reward_std': 1, 'reward': 2}\n",
        "\0,\1\n",
    ):
        assert not is_table(text.encode())


def test_rows_of_a_table_that_are_none_are_passed_over() -> None:
    (run,) = table(f'step,completion,{MEAN}\n1,"two\nlines",0.1\n2,x,0.2\n\n3\nfour,x,0.4\n5,x,NaN\n6,"x,0.6\n')
    assert run.series(MEAN).steps == (2, 5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MEAN, Metric("", MEAN)),
        (f"train/{MEAN}", Metric("", MEAN)),
        (f"eval/{MEAN}", Metric("", f"eval_{MEAN}")),
        (f"eval_{MEAN}", Metric("", f"eval_{MEAN}")),
        (f"my run - 3 - train/{MEAN}", Metric("my run - 3", MEAN)),
        (f"{MEAN}__MAX", None),
        ("rewards/correct/mean", None),
        ("train/epoch", None),
    ],
)
def test_the_name_of_a_metric_is_recognized_behind_what_loggers_put_before_it(
    text: str, expected: Metric | None
) -> None:
    assert metric(text) == expected


def test_a_checkpoints_state_is_no_run_beside_the_later_state() -> None:
    early, late, other = run_of(LOG[:5]), run_of(LOG), run_of(find(**BFLOAT16))
    early.path, late.path, other.path = "checkpoint-5", "checkpoint-14", "other"
    assert [run.path for run in distinct([early, late, other])] == ["checkpoint-14", "other"]


def test_a_printed_copy_of_the_same_metrics_is_no_further_run() -> None:
    assert len(distinct([objects(printed(LOG, True)).run, run_of(LOG)])) == 1


def event_file(folder: Path, log: list[dict[str, Any]], arguments: str = "{}") -> Path:
    """A file as TensorBoard's own writer makes it, with the trainer's configuration as transformers writes it."""
    writers = pytest.importorskip("tensorboard.summary.writer.event_file_writer")
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.compat.proto.tensor_pb2 import TensorProto

    writer = writers.EventFileWriter(str(folder))
    text = TensorProto(dtype="DT_STRING", string_val=[arguments.encode()])
    writer.add_event(Event(step=0, summary=Summary(value=[Summary.Value(tag="args/text_summary", tensor=text)])))
    for entry in log:
        values = [
            Summary.Value(tag=f"train/{name}", simple_value=value) for name, value in entry.items() if name != "step"
        ]
        writer.add_event(Event(step=entry["step"], summary=Summary(value=values)))
    writer.close()
    (path,) = folder.glob("events.out.tfevents.*")
    return path


def test_tensorboards_file_has_the_values(tmp_path: Path) -> None:
    found = read_events(str(event_file(tmp_path, LOG))).run.series(MEAN)
    assert found.steps == MEANS.steps
    assert found.values == pytest.approx(MEANS.values)


def test_settings_in_tensorboards_file_are_facts(tmp_path: Path) -> None:
    settings = {
        "num_generations": 8,
        "vllm_mode": "colocate",
        "top_p": 1.0,
        "min_p": None,
        "use_vllm": True,
        "other": [1],
    }
    path = event_file(tmp_path, LOG, json.dumps(settings))
    facts = diagnose_paths([str(path)], []).facts
    names = ("num_generations", "vllm_mode", "top_p", "min_p", "use_vllm")
    assert [facts.known[f"plan.{name}"].value for name in names] == [8, "colocate", 1.0, None, True]


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"vllm_mode": "colocate"}'])
def test_a_text_that_is_no_configuration_of_grpo_states_nothing(tmp_path: Path, text: str) -> None:
    facts = diagnose_paths([str(event_file(tmp_path, LOG, text))], []).facts
    assert facts.get("plan.vllm_mode") is None


def test_of_a_truncated_file_of_tensorboard_what_is_complete_is_read(tmp_path: Path) -> None:
    path = event_file(tmp_path, LOG)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert read_events(str(path)).run.series(MEAN).values == pytest.approx(MEANS.values[:6], abs=1e-6)


def test_a_file_that_is_only_called_as_tensorboards_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    path = tmp_path / "events.out.tfevents.1.host"
    for data in (b"", b"no events" * 300):
        path.write_bytes(data)
        with pytest.raises(Unreadable, match="no file of TensorBoard, or a damaged one"):
            read_events(str(path))


def test_without_tensorboard_its_file_names_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorboard.backend.event_processing.event_file_loader", None)
    with pytest.raises(Unreadable, match=r"pip install 'vcompat\[tensorboard\]'"):
        read_events(str(tmp_path / "events.out.tfevents.1.host"))


def test_values_that_are_not_finite_are_kept_and_can_be_left_out() -> None:
    series = objects(
        "".join(f'{{"reward_std": 0, "{MEAN}": {value}, "step": {step}}}\n' for step, value in ((1, "NaN"), (2, 0.5)))
    ).run.series(MEAN)
    assert math.isnan(series.values[0])
    assert series.finite == Series(MEAN, "step", (2,), (0.5,), (2,))


def test_a_list_of_entries_and_lines_of_json_are_read_as_well() -> None:
    assert objects(json.dumps(LOG)).run.series(MEAN).values == MEANS.values
    assert objects(io.StringIO("\n".join(map(json.dumps, LOG))).read()).run.series(MEAN).lines == tuple(range(1, 15))
