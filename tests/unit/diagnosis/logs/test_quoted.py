"""Lines that quote an error are no sign of it; the same error as a program prints it is one."""

from __future__ import annotations

import pytest

from vcompat.diagnosis.diagnosing import diagnose_text
from vcompat.rules.database import load_rules

RULES = load_rules()
ERRORS = [
    "ImportError: cannot import name 'GuidedDecodingParams' from 'vllm.sampling_params'",
    "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0",
    "error: Unsupported conversion from f16 to f16",
]
DOCUMENT = "# A project\n\n## Troubleshooting\n\n### {}\n\nUpgrade TRL:\n\n```\n{}\n```\n\n## License\n\nMIT"
DIFF = (
    "diff --git a/a.py b/a.py\n@@ -1,3 +1,4 @@ def f():\n def f():\n"
    '-    raise ValueError("{}")\n+    raise E(\n+"{}")\n     return 1'
)
QUOTATIONS = {
    "result of a test": "tests/a.py::test_it PASSED  [ 12%] # {}",
    "id of a test": "tests/a.py::test_it[{}] PASSED [ 12%]",
    "id of a test that failed": "FAILED tests/a.py::test_it[{}] - assert 1 == 2",
    "reason of a skipped test": "SKIPPED [1] tests/a.py:12: {}",
    "result of unittest": "test_it (tests.Logs) ... {} ... ok",
    "command with a prompt": '$ python -m pytest -k "{}" tests',
    "command of set -x": "+ grep -q '{}' train.log",
    "command of CI": '##[group]Run python -m pytest -k "{}"',
    "search": 'vllm/engine.py:123:    raise ValueError("{}")',
    "listing with numbers": '   123\t    raise ValueError("{}")',
    "listing": 'def f():\n    if x:\n        raise ValueError("{}")\n    return 1',
    "text in a listing": 'def f():\n    raise ValueError(\n        "{}",\n    )',
    "docstring": '    """Raises {}."""',
    "comment": "# {}",
    "diff": DIFF,
    "commits": "a1b2c3d Fix {} (#1234)",
    "message of a commit": "    Fix {} on old GPUs",
    "release notes": "* [Bugfix] {} by @user in https://github.com/vllm-project/vllm/pull/123",
    "table": "| `{}` | upgrade TRL |",
    "documentation": DOCUMENT,
    "advice": "If you see `{}`, upgrade TRL.",
    "what a program copes with": "retrying after: {}",
    "ignored": "Ignoring: {}",
    "field of a data set": '{{"title": "{}", "state": "closed"}}',
    "completion": "completion: The user asks about {} in vLLM. Let me think",
    "prompt of Python": '>>> print("{}")',
}


@pytest.mark.parametrize("error", ERRORS)
def test_an_error_counts_wherever_a_program_prints_it(error: str) -> None:
    responses = ('Response body: {{"error": "{}"}}', "Request failed: 500, {}", "a.cu:12: fatal: {}", "3: failed: {}")
    for text in (*responses, "{}", "E   {}", "ERROR 06-05 02:45:37 [core.py:5] {}", "[rank0]: {}", "worker failed: {}"):
        assert diagnose_text(f"Starting the job\n{text.format(error)}\nstep 1 loss 0.1\n", RULES).causes, text


@pytest.mark.parametrize("form", QUOTATIONS)
def test_an_error_that_a_line_quotes_does_not_count(form: str) -> None:
    for error in ERRORS:
        text = QUOTATIONS[form].format(error, error)
        assert diagnose_text(f"Starting the job\n{text}\nstep 1 loss 0.1\n", RULES).causes == ()


def test_the_title_of_an_issue_counts() -> None:
    assert diagnose_text(f"# {ERRORS[0]}\n\nWhat is wrong?\n", RULES).causes


def test_code_behind_a_frame_of_a_traceback_that_was_cut_counts() -> None:
    frame = '  File "/opt/site-packages/vllm/platforms/interface.py", line 9, in device_id_to_physical_device_id'
    found = diagnose_text(f"{frame}\n    return int(physical_device_id)\n", RULES)
    assert found.causes[0].rule.id == "visible-devices-as-uuid"


@pytest.mark.parametrize("before", ["Exception ignored in: <function X.__del__ at 0x7f>", "--- Logging error ---"])
def test_an_exception_that_python_ignores_ends_no_process(before: str) -> None:
    traceback = 'Traceback (most recent call last):\n  File "/a.py", line 1, in x\nAttributeError: no logger\n'
    assert diagnose_text(f"{before}\n{traceback}", RULES).ended == ()
    assert len(diagnose_text(traceback, RULES).ended) == 1


def test_no_failure_is_named_if_all_are_quoted() -> None:
    assert diagnose_text("tests/a.py::test_it PASSED  # RuntimeError: x: error: y\n", RULES).failure is None
