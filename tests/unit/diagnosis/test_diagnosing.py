"""Whole diagnoses: which cause is named first, for logs of one process or several."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.unit.rules_for_tests import make_rule
from vcompat.diagnosis.diagnosing import Diagnosis, diagnose_paths, diagnose_text
from vcompat.foundation.errors import InputError
from vcompat.rules.rule import Rule


def rule(name: str, pattern: str, **changes: object) -> Rule:
    return make_rule(id=name, symptoms=[{"pattern": pattern}], **changes)


OLD = rule("old", "wrong version of x", when={"packages.vllm": "<0.8"})
NEW = rule("new", "wrong version of x", when={"packages.vllm": ">=0.8"})
MEMORY = rule("memory", "out of memory", when={"plan.use_vllm": True})
DEAD = rule("dead", "initialization failed", when={"plan.use_vllm": True})
RULES = (OLD, NEW, MEMORY, DEAD)

FRAMES = 'Traceback (most recent call last):\n  File "/opt/a.py", line 3, in run\n    start()\n'


def raised(error: str, prefix: str = "") -> str:
    return "".join(f"{prefix}{line}\n" for line in f"{FRAMES}{error}".split("\n"))


def diagnose(text: str, **facts: str) -> Diagnosis:
    return diagnose_text(text, RULES, {name.replace("__", "."): value for name, value in facts.items()})


def names(diagnosis: Diagnosis) -> list[tuple[str, str]]:
    return [(match.rule.id, match.certainty) for match in diagnosis.matches]


def error(diagnosis: Diagnosis) -> str:
    assert diagnosis.failure is not None
    return diagnosis.failure.cause.error


def test_the_versions_in_the_log_decide_between_rules_with_one_symptom() -> None:
    text = f"vllm==0.8.5\n{raised('ValueError: wrong version of x')}"
    assert names(diagnose(text)) == [("new", "certain"), ("old", "contradicted")]


def test_without_versions_both_rules_are_possible() -> None:
    assert names(diagnose(raised("ValueError: wrong version of x"))) == [("new", "possible"), ("old", "possible")]


@pytest.mark.parametrize(("facts", "expected"), [("vllm==0.7.3\n", ["common"]), ("vllm==0.9.0\n", []), ("", [])])
def test_a_common_text_shows_a_rule_only_if_facts_make_it_certain(facts: str, expected: list[str]) -> None:
    common = make_rule(id="common", symptoms=[{"pattern": "no memory", "is_common": True}])
    found = diagnose_text(facts + raised("MemoryError: no memory"), [common])
    assert [match.rule.id for match in found.matches] == expected


def test_a_text_of_its_own_shows_a_rule_beside_a_common_one() -> None:
    both = make_rule(symptoms=[{"pattern": "no memory", "is_common": True}, {"pattern": "no memory for blocks"}])
    (match,) = diagnose_text(raised("MemoryError: no memory for blocks"), [both]).matches
    assert match.certainty == "possible"


def test_an_error_shows_a_crash_rather_than_a_failure_that_it_also_leads_to() -> None:
    rules = [rule("corrupts", "wrong version of x", effect="silent-corruption"), rule("crashes", "wrong version of x")]
    found = diagnose_text(raised("ValueError: wrong version of x"), rules)
    assert [match.rule.id for match in found.matches] == ["crashes", "corrupts"]


def test_facts_that_the_user_states_count_more_than_those_of_the_log() -> None:
    text = f"vllm==0.8.5\n{raised('ValueError: wrong version of x')}"
    assert names(diagnose(text, packages__vllm="0.7.0")) == [("old", "certain"), ("new", "contradicted")]


def test_a_contradicted_rule_states_which_fact_contradicts_it() -> None:
    found = diagnose(f"vllm==0.8.5\n{raised('ValueError: wrong version of x')}").matches[-1]
    assert [(reason.fact, reason.value, str(reason.place)) for reason in found.because] == [
        ("packages.vllm", "0.8.5", "<text>:1")
    ]


def test_facts_that_do_not_contradict_a_rule_are_left_out_of_the_reason() -> None:
    both = rule("both", "wrong version of x", when={"packages.vllm": "<0.8", "gpu.compute_capability": "<8.0"})
    text = f"vllm==0.7.2\nYour Tesla A100 GPU has compute capability 8.0.\n{raised('ValueError: wrong version of x')}"
    (match,) = diagnose_text(text, [both]).matches
    assert [reason.fact for reason in match.because] == ["gpu.compute_capability"]


def test_the_engines_own_failure_comes_before_what_the_caller_reports() -> None:
    core = raised("ValueError: wrong version of x", "(EngineCore_0 pid=12) ERROR 06-05 02:45:37 [core.py:515] ")
    found = diagnose(core + raised("RuntimeError: Engine core initialization failed."))
    assert error(found) == "ValueError: wrong version of x"
    assert [name for name, _ in names(found)] == ["new", "old", "dead"]


def test_the_cause_comes_first_even_if_it_is_printed_last() -> None:
    text = raised("RuntimeError: Engine core initialization failed.", "[rank0]: ") + raised("E: x", "[rank1]: ")
    found = diagnose(text + raised("MemoryError: out of memory", "[rank1]: "))
    assert [name for name, _ in names(found)] == ["memory", "dead"]


def test_the_first_of_two_failures_is_named_first() -> None:
    one, two = raised("ValueError: wrong version of x"), raised("MemoryError: out of memory")
    assert names(diagnose(one + two))[0][0] == "new"
    assert names(diagnose(two + one))[0][0] == "memory"


def test_tracebacks_of_ranks_whose_lines_alternate_are_put_together() -> None:
    first, second = (
        raised(text, f"[rank{rank}]: ").splitlines()
        for rank, text in enumerate(["KeyError: 'a'", "MemoryError: out of memory"])
    )
    found = diagnose("\n".join(line for pair in zip(first, second, strict=True) for line in pair))
    (match,) = found.matches
    failure = match.seen.shown.failure
    assert failure is not None
    assert (failure.cause.line.process, failure.cause.error) == ("rank1", "MemoryError: out of memory")
    assert error(found) == "KeyError: 'a'"


def test_a_text_across_processes_matches_only_what_spans_lines() -> None:
    across = rule("across", r"compiler: no[\s\S]*kernel of x")
    text = "compiler: no\n" + raised("ValueError: kernel of x", "[rank0]: ")
    assert [match.rule.id for match in diagnose_text(text, [across]).matches] == ["across"]


def test_a_failure_that_comes_again_and_again_hides_no_other() -> None:
    often = "".join(raised(f"ValueError: wrong version of x {number}") + "step\n" * 40 for number in range(50))
    assert [name for name, _ in names(diagnose(often + raised("MemoryError: out of memory")))] == [
        "new",
        "old",
        "memory",
    ]


def test_a_failure_outranks_a_warning_with_another_text() -> None:
    text = "WARNING 06-05 02:45:37 [a.py:1] wrong version of x\n" + raised("MemoryError: out of memory")
    assert names(diagnose(text))[0][0] == "memory"


@pytest.mark.parametrize(
    ("text", "effect", "count"),
    [
        ("wrong version of x\n" + "step\n" * 200, "crash", 0),
        ("wrong version of x\n" + "step\n" * 50, "crash", 1),
        ("ValueError: wrong version of x\n" + "step\n" * 200, "crash", 0),
        (raised("ValueError: wrong version of x", "WARNING 06-05 02:45:37 [a.py:1] ") + "step\n" * 200, "crash", 0),
        (raised("ValueError: wrong version of x") + "step\n" * 200, "crash", 1),
        ("wrong version of x\n" + "step\n" * 200, "hang", 1),
        ("ERROR 06-05 02:45:37 [a.py:1] wrong version of x\n" + "step\n" * 200, "crash", 1),
        ("wrong version of x\n" + "step\n" * 200 + raised("KeyError: 'a'"), "crash", 1),
    ],
)
def test_a_text_after_which_the_run_goes_on_to_its_end_is_no_crash(text: str, effect: str, count: int) -> None:
    assert len(diagnose_text(text, [rule("one", "wrong version of x", effect=effect)]).matches) == count


def test_nothing_known_is_an_answer() -> None:
    found = diagnose(raised("KeyError: 'prompt'"))
    assert (found.matches, error(found)) == ((), "KeyError: 'prompt'")


def test_an_ordinary_log_has_no_failure() -> None:
    found = diagnose("step 1 loss 0.5\n" * 1000)
    assert (found.matches, found.failure, found.lines) == ((), None, 1000)


def write(folder: Path, **logs: str) -> list[str]:
    for name, text in logs.items():
        (folder / f"{name}.log").write_text(text)
    return [str(folder)]


def test_of_logs_of_several_ranks_the_earliest_failure_counts(tmp_path: Path) -> None:
    late = raised("MemoryError: out of memory", "ERROR 06-05 02:45:40 [a.py:1] ")
    early = raised("ValueError: wrong version of x", "ERROR 06-05 02:45:37 [a.py:1] ")
    found = diagnose_paths(write(tmp_path, rank_0=late, rank_1=early), RULES)
    assert names(found)[0][0] == "new"
    assert found.failure_path.endswith("rank_1.log")
    assert found.failure is not None and found.failure.cause.line.process == "rank_1.log"


def test_logs_of_the_same_name_in_several_folders_are_of_several_processes(tmp_path: Path) -> None:
    for rank in ("0", "1"):
        (tmp_path / rank).mkdir()
        write(tmp_path / rank, stderr=raised(f"KeyError: '{rank}'"))
    found = diagnose_paths([str(tmp_path)], RULES)
    assert found.failure is not None and found.failure.cause.line.process == "0/stderr.log"


def test_without_times_a_consequence_in_another_log_still_comes_last(tmp_path: Path) -> None:
    dead, cause = raised("RuntimeError: Engine core initialization failed."), raised("MemoryError: out of memory")
    found = diagnose_paths(write(tmp_path, rank_0=dead, rank_1=cause), RULES)
    assert [name for name, _ in names(found)] == ["memory", "dead"]


def test_a_truncated_log_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    text = raised("MemoryError: out of memory") + "".join(f"{number * 7919 % 104729}\n" for number in range(100_000))
    (tmp_path / "log.gz").write_bytes(gzip.compress(text.encode())[:-1000])
    found = diagnose_paths([str(tmp_path / "log.gz")], RULES)
    assert names(found) == [("memory", "possible")]
    assert [note.endswith("truncated gzip data") for note in found.notes] == [True]


def test_a_log_of_which_nothing_can_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "core").write_bytes(bytes(10_000))
    with pytest.raises(InputError, match="binary data, not a log"):
        diagnose_paths([str(tmp_path / "core")], RULES)


def test_one_unreadable_log_among_others_is_noted(tmp_path: Path) -> None:
    (tmp_path / "core").write_bytes(bytes(10_000))
    found = diagnose_paths(write(tmp_path, rank_0=raised("MemoryError: out of memory")), RULES)
    assert names(found) == [("memory", "possible")]
    assert len(found.notes) == 1


def test_the_lines_of_the_first_failure_are_kept_with_its_message_and_without_what_follows() -> None:
    text = f"step 1\n{raised('ValueError: wrong')}detail of it\n\nother lines\n{raised('KeyError: 1')}"
    assert [line.text for line in diagnose(text).trace] == [*FRAMES.splitlines(), "ValueError: wrong", "detail of it"]


def test_a_failure_without_a_traceback_is_kept_with_what_was_printed_before_it() -> None:
    text = "".join(f"line {number}\n" for number in range(50)) + "LLVM ERROR: x\n"
    assert [line.text for line in diagnose(text).trace] == [
        *(f"line {number}" for number in range(40, 50)),
        "LLVM ERROR: x",
    ]


def test_a_fatal_failure_is_found_behind_hundreds_that_are_none() -> None:
    words = ("".join(chr(97 + int(digit)) for digit in str(number)) for number in range(400))
    text = "".join(f"ValueError: {word}\n" + "step\n" * 40 for word in words) + raised("KeyError: 'a'")
    found = diagnose(text)
    assert (error(found), found.trace[-1].text) == ("KeyError: 'a'", "KeyError: 'a'")


def test_each_process_that_a_failure_ended_is_named_once_and_its_cause_counts() -> None:
    text = raised("KeyError: 'a'", "[rank0]: ") + raised("RuntimeError: Broken pipe", "[rank0]: ")
    text += raised("ValueError: b", "WARNING 06-05 02:45:37 [a.py:1] [rank1]: ") + raised("TypeError: c", "[rank2]: ")
    assert [(each.failure.cause.line.process, each.failure.cause.error) for each in diagnose(text).ended] == [
        ("rank0", "KeyError: 'a'"),
        ("rank2", "TypeError: c"),
    ]


def test_a_failure_that_a_run_survived_is_no_cause() -> None:
    found = diagnose(f"vllm==0.8.5\n{raised('ValueError: wrong version of x')}falling back\n{{'train_runtime': 3.5}}\n")
    assert (names(found), found.failure) == ([], None)


def test_a_failure_after_the_last_step_is_a_cause() -> None:
    found = diagnose(f"vllm==0.8.5\n{{'train_runtime': 3.5}}\n{raised('ValueError: wrong version of x')}")
    assert names(found)[0] == ("new", "certain")


def test_a_run_that_ended_well_can_have_gone_wrong_silently() -> None:
    silent = rule(
        "silent", "may get different generations", effect="silent-corruption", when={"packages.vllm": ">=0.8"}
    )
    found = diagnose_text("vllm==0.8.5\nmay get different generations\n{'train_runtime': 3.5}\n", [silent])
    assert names(found) == [("silent", "certain")]


@pytest.mark.parametrize(
    ("log", "count"),
    [
        ("{'train_runtime': 3.5}\n", 0),
        ("", 1),
        ("(EngineCore_0 pid=12) Loading\n{'train_runtime': 3.5}\n", 1),
        (f"{{'train_runtime': 3.5}}\n{FRAMES}ValueError: x\n", 1),
    ],
)
def test_a_run_that_ended_well_without_vllm_has_no_failure_of_vllm(log: str, count: int) -> None:
    silent = rule("silent", "different generations", effect="silent-corruption", when={"plan.use_vllm": True})
    assert len(diagnose_text(f"may get different generations\n{log}", [silent]).causes) == count


def test_what_is_installed_after_the_failure_was_not_there() -> None:
    failed = f"vllm==0.7.2\n{raised('ValueError: wrong version of x')}"
    found = diagnose(f"{failed}Successfully installed vllm-0.12.0\n")
    assert names(found) == [("old", "certain"), ("new", "contradicted")]
    unstated = diagnose(f"{raised('ValueError: wrong version of x')}Successfully installed vllm-0.12.0\n")
    assert names(unstated) == [("new", "possible"), ("old", "possible")]


def test_of_two_runs_in_one_log_the_last_one_is_diagnosed() -> None:
    first = f"vllm==0.7.2\n{raised('ValueError: out of memory')}"
    installed = "Successfully installed vllm-0.12.0\n"
    found = diagnose(f"{first}{installed}{raised('ValueError: wrong version of x')}")
    assert names(found) == [("new", "certain"), ("old", "contradicted")]
    assert error(found) == "ValueError: wrong version of x"
    assert error(diagnose(f"{first}{installed}")) == "ValueError: out of memory"


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[0;31mwrong\x1b[0m version of x",
        "start\nwrong version \x1b[1mof\x1b[0m x\nend",
    ],
)
def test_a_symptom_that_a_color_interrupts_is_found(text: str) -> None:
    assert names(diagnose(text)) == [("new", "possible"), ("old", "possible")]


@pytest.mark.parametrize("text", ["can&#x27;t use &lt;x&gt;", "can\u2019t use <x>", "can&#39;t use <x>"])
def test_a_symptom_that_was_copied_from_a_web_page_is_found(text: str) -> None:
    found = diagnose_text(text, [rule("quoted", "can't use <x>")])
    assert names(found) == [("quoted", "possible")]


def _merged(*parts: tuple[str, str, str]) -> str:
    """Tracebacks, each with the time and the process of all its lines."""
    return "".join(raised(error, f"{time}[{process}]: ") for time, process, error in parts)


LATE, EARLY = "2025-03-12T10:00:20Z ", "2025-03-12T10:00:10Z "


def test_times_decide_which_failure_of_a_merged_log_was_first() -> None:
    text = _merged((LATE, "rank0", "MemoryError: out of memory"), (EARLY, "rank1", "ValueError: wrong version of x"))
    found = diagnose(text)
    assert error(found) == "ValueError: wrong version of x"
    assert found.trace[-1].text == "ValueError: wrong version of x"
    assert [one.failure.cause.line.process for one in found.ended] == ["rank1", "rank0"]
    assert [match.rule.id for match in found.matches] == ["new", "old", "memory"]


@pytest.mark.parametrize("early", ["", "10:00:10 "])
def test_the_order_of_the_lines_decides_unless_all_failures_state_a_time_of_the_same_form(early: str) -> None:
    text = _merged((LATE, "rank0", "MemoryError: out of memory"), (early, "rank1", "ValueError: wrong version of x"))
    found = diagnose(text)
    assert error(found) == found.trace[-1].text == "MemoryError: out of memory"
    assert [match.rule.id for match in found.matches] == ["memory", "new", "old"]


def test_a_line_cut_before_its_frames_counts_although_a_traceback_of_a_launcher_follows() -> None:
    cut = make_rule(id="cut", symptoms=[{"pattern": "no memory here", "frames": ["b/"]}])
    launcher = raised("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ")
    assert names(diagnose_text(f"no memory here\n{launcher}", [cut])) == [("cut", "possible")]
    assert names(diagnose_text(f"no memory here\n{raised('ValueError: x')}", [cut])) == []


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("at", [3, 10])
def test_a_symptom_in_a_line_that_was_wrapped_at_a_width_is_found(columns: int, at: int) -> None:
    line = f"{'x' * (columns - at)}wrong version of x"
    text = f"start\n{line[:columns]}\n{line[columns:]}\nend\n"
    assert names(diagnose(text)) == [("new", "possible"), ("old", "possible")]


def test_a_symptom_in_a_wrapped_last_line_without_a_line_end_is_found() -> None:
    line = f"{'x' * 77}wrong version of x"
    assert names(diagnose(f"{line[:80]}\n{line[80:]}")) == [("new", "possible"), ("old", "possible")]


def test_a_wrapped_line_is_joined_before_its_prefix_is_separated_and_keeps_its_number() -> None:
    prefix = "(EngineCore_0 pid=12) ERROR 06-05 02:45:37 [core.py:515] "
    text = "".join(f"{prefix}{line}\n" for line in f"vllm==0.8.5\n{FRAMES}ValueError: a wrong version of x".split("\n"))
    wrapped = "\n".join(part for line in text.split("\n") for part in (line[:80], line[80:]) if part)
    found = diagnose(wrapped)
    assert names(found) == [("new", "certain"), ("old", "contradicted")]
    line = found.matches[0].seen.shown.lines[0]
    assert line.text == "ValueError: a wrong version of x"
    assert wrapped.split("\n")[line.number - 1].endswith("] ValueError: a wrong ver")


@pytest.mark.parametrize("length", [20_000, 100_000, 1_000_000])
def test_an_error_at_the_end_of_a_very_long_line_is_found(length: int) -> None:
    assert names(diagnose(f"a\n{'x' * length} wrong version of x\nb\n")) == [("new", "possible"), ("old", "possible")]


def test_lines_of_other_lengths_are_not_joined() -> None:
    line = f"{'x' * 83}wrong version of x"
    assert names(diagnose(f"{line[:90]}\n{line[90:]}\n")) == []


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (f"vllm==0.7.2\n{raised('KeyError: 1')}", ["applies"]),
        (f"vllm==0.8.5\n{raised('KeyError: 1')}", []),
        (raised("KeyError: 1"), []),
        ("vllm==0.7.2\nstep 1\n", []),
        (f"vllm==0.7.2\n{raised('ValueError: shown')}", []),
        (f"vllm==0.7.2\n{FRAMES}", ["applies"]),
    ],
)
def test_rules_that_apply_are_named_apart_if_something_failed_and_no_text_shows_why(
    log: str, expected: list[str]
) -> None:
    rules = [
        make_rule(id="applies", when={"packages.vllm": "<0.8"}),
        rule("shown", "shown", when={"packages.trl": "<1"}),
    ]
    found = diagnose_text(log, rules)
    assert [finding.rule.id for finding in found.applying] == expected
    assert bool(found.causes) == ("shown" in log)


def test_a_traceback_that_is_cut_off_is_named_unless_a_failure_is_stated() -> None:
    found = diagnose(f"start\n{FRAMES}")
    assert found.failure is None and found.cut is not None and found.cut.line == 2
    assert diagnose(f"start\n{FRAMES}KeyError: 1\n{FRAMES}").cut is None


@pytest.mark.parametrize(
    "line",
    [
        "make: *** [Makefile:12: train] Error 1",
        "make[1]: *** [train] Error 1\nmake: *** [Makefile:2: all] Error 2",
        "gmake: *** [train] Error 1",
        "error: Recipe `train` failed on line 5 with exit code 1",
        "srun: error: node1: task 0: Exited with exit code 1",
    ],
)
def test_what_a_launcher_prints_after_a_cut_traceback_is_not_its_error(line: str) -> None:
    found = diagnose(f"start\n{FRAMES}{line}\n")
    assert found.failure is None and found.cut is not None and found.cut.line == 2
    whole = diagnose(f"start\n{FRAMES}KeyError: 1\n{line}\n")
    assert whole.failure is not None and whole.failure.cause.error == "KeyError: 1" and whole.cut is None


def test_a_cut_traceback_does_not_hide_that_the_process_was_killed() -> None:
    found = diagnose(f"{FRAMES}srun: error: node1: task 0: Out Of Memory\n")
    assert found.failure is not None and "Out Of Memory" in found.failure.cause.error


@pytest.mark.parametrize("head", ["Stack (most recent call last):", "Thread 0x7f (most recent call first):"])
def test_a_stack_that_is_printed_without_an_error_is_not_cut_off(head: str) -> None:
    assert diagnose(f'{head}\n  File "/a.py", line 3, in f\n    g()\n').cut is None
    assert diagnose('Current thread:\n  File "/a.py", line 3 in f\n').cut is None
