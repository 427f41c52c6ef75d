"""``python -m tests.upstream.allocator [--update]``: run the scenarios with the allocators of all releases.

Prints where the record differs from what happens now.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from pathlib import Path

from tests.upstream.allocator import record, stubs
from tests.upstream.allocator.extension import wheels
from tests.upstream.allocator.running import run, subject
from tests.upstream.allocator.scenarios import SCENARIOS


def main() -> int:
    """Survey all releases; return 1 if the record differs and is not updated."""
    parser = argparse.ArgumentParser(prog="python -m tests.upstream.allocator", description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the record")
    update = parser.parse_args().update
    subjects = [subject(str(version)) for version in wheels()]
    groups = [(code, list(group)) for code, group in itertools.groupby(subjects, key=lambda one: one.code)]
    with tempfile.TemporaryDirectory() as folder:
        seen = list(run([group[0] for _, group in groups], SCENARIOS, stubs.environment(stubs.build(Path(folder)))))
    found = [
        record.Variant(code, tuple(one.version for one in group), steps)
        for (code, group), steps in zip(groups, seen, strict=True)
    ]
    if update:
        record.save(found)
        return 0
    before = record.load()
    for variant in found:
        if variant not in before:
            print(f"differs from the record: vllm {variant.releases[0]} to {variant.releases[-1]}")
    return int(found != before)


sys.exit(main())
