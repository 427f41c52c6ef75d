"""Tracebacks that are cut down: which frames are kept."""

from __future__ import annotations

from vcompat.diagnosis.shortened import shortened

HEAD = "Traceback (most recent call last):"
ERROR = "ValueError: x"


def frame(path: str) -> list[str]:
    return [f'  File "{path}", line 3, in run', "    start()"]


def theirs(number: int) -> list[str]:
    return frame(f"/v/lib/python3.12/site-packages/vllm/part{number}.py")


def flat(*parts: list[str]) -> list[str]:
    return [line for part in parts for line in part]


def test_of_the_users_frames_the_last_one_is_kept() -> None:
    lines = flat([HEAD], frame("/a/main.py"), frame("/a/setup.py"), frame("/a/train.py"), theirs(1), [ERROR])
    assert shortened(lines) == flat([HEAD, "  [... 2 frames left out]"], frame("/a/train.py"), theirs(1), [ERROR])


def test_a_user_function_that_upstream_calls_is_the_last_one() -> None:
    lines = flat([HEAD], frame("/a/train.py"), theirs(1), frame("/a/reward.py"), [ERROR])
    assert shortened(lines) == flat([HEAD, "  [... 1 frame left out]"], theirs(1), frame("/a/reward.py"), [ERROR])


def test_a_short_traceback_stays_as_it_is() -> None:
    lines = flat([HEAD], frame("/a/train.py"), *map(theirs, range(12)), [ERROR])
    assert shortened(lines) == lines


def test_of_many_upstream_frames_the_first_and_the_last_ones_are_kept() -> None:
    lines = flat([HEAD], frame("/a/train.py"), *map(theirs, range(40)), [ERROR])
    expected = flat(
        [HEAD], frame("/a/train.py"), *map(theirs, range(3)), ["  [... 28 frames left out]"], *map(theirs, range(31, 40)), [ERROR]
    )  # fmt: skip
    assert shortened(lines) == expected


def test_each_traceback_of_a_chain_is_cut_and_the_messages_stay() -> None:
    first = flat([HEAD], frame("/a/one.py"), frame("/a/two.py"), ["KeyError: 'a'"])
    between = ["", "During handling of the above exception, another exception occurred:", ""]
    left = ["  [... 1 frame left out]"]
    assert shortened(flat(first, between, first)) == flat(
        [HEAD], left, frame("/a/two.py"), ["KeyError: 'a'"], between, [HEAD], left, frame("/a/two.py"), ["KeyError: 'a'"]
    )  # fmt: skip


def test_a_long_message_loses_its_middle() -> None:
    lines = flat([HEAD], theirs(1), [ERROR], [f"detail {number}" for number in range(100)])
    kept = shortened(lines)
    assert kept[-1] == "detail 99"
    assert "  [... 81 lines left out]" in kept
    assert len(kept) == 24


def test_whatever_has_no_frames_is_kept() -> None:
    assert shortened(["LLVM ERROR: x", "Aborted"]) == ["LLVM ERROR: x", "Aborted"]
    assert shortened([]) == []
