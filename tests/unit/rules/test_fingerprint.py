"""The code that a fingerprint is about, as found in a source file."""

from __future__ import annotations

from vcompat.rules.fingerprint import find_code

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
