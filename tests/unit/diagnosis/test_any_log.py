"""Whatever a log contains, it has a diagnosis, and it is the same however the log is stored."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vcompat.diagnosis.diagnosing import Diagnosis, diagnose_text
from vcompat.diagnosis.logs.excerpts import Reader
from vcompat.diagnosis.logs.log_bytes import Log, blocks
from vcompat.diagnosis.symptoms import sought, trigger
from vcompat.report.diagnoses.diagnosis import render
from vcompat.report.diagnoses.diagnosis_json import render as render_json
from vcompat.rules.database import load_rules

#: Each of these takes seconds.
pytestmark = pytest.mark.long

RULES = load_rules()
PIECES = [
    "Traceback (most recent call last):",
    '  File "/opt/lib/python3.11/site-packages/vllm/v1/engine/core.py", line 3, in x',
    "    raise ValueError(",
    "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0",
    "torch.OutOfMemoryError: CUDA out of memory.",
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
    "RuntimeError: Engine core initialization failed.",
    "vllm==0.7.2",
    "vllm==0.8.5",
    "GPU 0: Tesla T4",
    "loss 0.1",
    "",
]
PREFIXES = [
    "",
    "[rank0]: ",
    "[rank1]: ",
    "(EngineCore_0 pid=12) ERROR 06-05 02:45:37 [core.py:515] ",
    "INFO 06-05 02:45:37 [a.py:1] ",
]
LINES = st.builds("{}{}".format, st.sampled_from(PREFIXES), st.sampled_from(PIECES) | st.text(max_size=20))
TEXTS = st.lists(LINES, max_size=30).map("\n".join)


@given(TEXTS)
@settings(deadline=None)
def test_every_text_has_a_diagnosis_that_can_be_printed(text: str) -> None:
    found = diagnose_text(text, RULES)
    assert isinstance(found, Diagnosis)
    assert render(found, 80, everything=True)
    assert render_json(found)


@given(TEXTS)
@settings(deadline=None)
def test_what_matches_is_in_the_log(text: str) -> None:
    lines = text.split("\n")
    for match in diagnose_text(text, RULES).matches:
        for line in match.seen.shown.lines:
            assert line.text in lines[line.number - 1].replace("\r", "\n") or "\r" in text


# A file with a NUL character is not read as a log.
@given(TEXTS.filter(lambda text: "\0" not in text))
@settings(deadline=None)
def test_a_part_that_is_passed_over_has_no_symptom(text: str) -> None:
    symptoms = sought(RULES)
    reader = Reader(trigger(symptoms, ()), lambda line: None)
    read = [line.number for one in reader.read(blocks(Log("log", io.BytesIO(text.encode())))) for line in one.lines]
    if not read:
        assert diagnose_text(text, RULES).matches == ()
