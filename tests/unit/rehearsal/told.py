"""What processes of a rehearsal reported, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from vcompat.rehearsal.command import Ended
from vcompat.rehearsal.protocol import Event, Told

WELL = Ended(0, 30.0, False, ())
SETTINGS = {"max_steps": 2, "gradient_accumulation_steps": 1, "vllm_tensor_parallel_size": 1}


class Process:
    """Collects the events of a rank, half a second apart."""

    def __init__(self, rank: int = 0, world: int = 1, **settings: Any) -> None:
        self.events: list[Event] = []
        self.rank = rank
        self.add("begin", variables={"RANK": str(rank)})
        self.enter("trainer")
        self.add(
            "trainer", rank=rank, world=world, settings={**SETTINGS, **settings}, changed=["output_dir"],
            cannot_move="", dtypes=["float32"], mixed=False,
        )  # fmt: skip
        self.phase("trainer", 12.0)

    def add(self, kind: str, **values: Any) -> Process:
        self.events.append(Event(kind, 1000 + len(self.events) / 2 + self.rank / 100, values))
        return self

    def enter(self, name: str) -> Process:
        return self.add("enter", name=name)

    def phase(self, name: str, seconds: float = 0.1, failed: str = "", **values: Any) -> Process:
        began = 1000 + len(self.events) / 2
        return self.add("phase", name=name, began=began, seconds=seconds, depth=0, failed=failed, **values)

    def sleep(self, level: int = 2, **kept: Any) -> Process:
        """Sleep, wake up, and compare what is kept."""
        self.phase("sleep", level=level).phase("wake up", tags=["weights"])
        defaults = {"buffers": 2, "lost_buffers": [], "parameters": 21, "lost_parameters": []}
        return self.add("kept", step=0, **{**defaults, **kept})

    def generate(
        self,
        step: int = 0,
        share: float = 1e-6,
        tokens: str = "a",
        noise: float = 0.03,
        slope: float = 1,
        not_finite: int = 0,
        mode: str = "train",
        **weights: Any,
    ) -> Process:
        """One generation, whose probabilities differ from the trainer's by `share` of what other weights would.

        `noise` is the part of it that other last bits of the weights would.
        """
        self.phase("synchronization")
        self.add("weights", step=step, **{"compared": 21, "trained": 27, "stale": [], "count": 0, **weights})
        self.phase("generation")
        self.add("output", step=step, digest=tokens, seed=self.rank, dtype="float32", tokens=64)
        self.add(
            "canary",
            step=step,
            mode=mode,
            exact=True,
            tokens=64,
            to_moved=0.08 * share,
            to_restored=0.08,
            moved=0.08,
            slope=slope,
            error=share / 8,
            noise=0.08 * noise,
            not_finite=not_finite,
        )
        return self.phase("rollout", step=step)

    def end(self, trained: bool = True) -> Process:
        if trained:
            self.add("trained", steps=2)
        return self.add("end")

    def told(self, stacks: str = "") -> Told:
        return Told(f"host-{self.rank}", tuple(self.events), stacks)


def healthy(rank: int = 0, world: int = 1, **settings: Any) -> Told:
    return Process(rank, world, **settings).generate(0).generate(1).end().told()


def write(folder: Path, process: Process) -> None:
    lines = [json.dumps({"kind": one.kind, "time": one.time, **one.values}) for one in process.events]
    (folder / f"events-host-{process.rank}").write_text("\n".join(lines) + "\n")
