"""``python -m tests.upstream.weight_names [--update] [VLLM:TRANSFORMERS]...``: send tiny models' weights to vLLM.

Without releases, runs the pairs of the record again; ``newest`` are the newest releases of both. Prints what differs from
the record, and all that is new.
"""

from __future__ import annotations

import argparse
import sys

from tests.upstream.weight_names import record
from tests.upstream.weight_names.running import run
from vcompat.rules.record import load_record


def main() -> int:
    """Survey the pairs; return 1 if one differs from the record and it is not updated."""
    parser = argparse.ArgumentParser(prog="python -m tests.upstream.weight_names", description=__doc__)
    parser.add_argument("pairs", metavar="VLLM:TRANSFORMERS", nargs="*", help="two releases, such as 0.33.0:5.24.0")
    parser.add_argument("--update", action="store_true", help="write the record")
    given = parser.parse_args()
    recorded = record.load()
    pairs = [_pair(text) for text in given.pairs] or list(recorded)
    differs = False
    for pair in pairs:
        before, now = recorded.get(pair, {}), run(pair)
        for model, happened in now.items():
            if happened != before.get(model, record.WHOLE if not before else ""):
                differs = True
                print(f"vllm {pair.vllm}, transformers {pair.transformers}: {model}: {happened}", flush=True)
        recorded[pair] = now
        if given.update:
            record.save(recorded)
    return int(differs and not given.update)


def _pair(text: str) -> record.Pair:
    if text == "newest":
        return record.Pair(*(str(load_record(package).releases[-1]) for package in record.Pair._fields))
    return record.Pair(*text.split(":"))


sys.exit(main())
