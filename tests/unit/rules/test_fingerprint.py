"""The code that a fingerprint is about, as found in a source file."""

from __future__ import annotations

import pytest

from vcompat.rules.fingerprint import Fingerprint, find_code

SOURCE = '''
class Kernel:
    def launch(self):
        """The first string is the docstring."""
        """The second one is a statement."""
        return {number}
'''


def test_the_code_of_an_object_does_not_depend_on_what_was_looked_up_before() -> None:
    alone, shared = SOURCE.format(number=1), SOURCE.format(number=2)
    before = find_code(alone, "Kernel.launch")
    assert find_code(shared, "") and find_code(shared, "Kernel")
    after = find_code(shared, "Kernel.launch")
    assert before and after
    assert after.text.replace("return 2", "return 1") == before.text
    assert "The second one" in after.text and "docstring" not in after.text


@pytest.mark.parametrize(
    ("has", "lacks", "missing", "expected"),
    [
        (("return",), ("raise",), False, ""),
        (("return", "raise"), (), False, "the code lacks 'raise'"),
        (("return",), ("return 1",), False, "the code has 'return 1'"),
        ((), (), True, "the code exists"),
    ],
)
def test_what_a_release_does_not_match_is_named(
    has: tuple[str, ...], lacks: tuple[str, ...], missing: bool, expected: str
) -> None:
    fingerprint = Fingerprint("pkg", ("a.py",), "Kernel.launch", has, lacks, missing)
    seen = fingerprint.look({"a.py": SOURCE.format(number=1)}.get)
    assert (seen.verdict, seen.mismatch) == ("fixed" if expected else "present", expected)


def test_a_further_place_that_is_not_affected_is_named() -> None:
    further = Fingerprint("pkg", ("a.py",), "Other", (), ())
    fingerprint = Fingerprint("pkg", ("a.py",), "Kernel.launch", ("return",), (), also=(further,))
    assert fingerprint.look({"a.py": SOURCE.format(number=1)}.get).mismatch == "absent"
