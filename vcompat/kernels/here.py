"""Compile what a run reaches with the installed vLLM and Triton: `vcompat check --compile`."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vcompat.evaluation.compiled import COMPILES, FAILS, OPEN, Attempted, Compile, Compiled
from vcompat.evaluation.finding import Need
from vcompat.facts.facts import Facts
from vcompat.foundation.errors import InputError
from vcompat.kernels import kernel_record
from vcompat.kernels.installed_vllm import WHERE, Installed, code_of, find
from vcompat.kernels.reach import Wanted, capabilities, is_sized_by_run, wanted
from vcompat.kernels.standin import SHARED_MEMORY
from vcompat.kernels.workers import Job, run

#: Seconds that all compilations together may take.
SECONDS = 50.0
_MOST_CHILDREN = 8
_NO_TIME = "no time was left"
#: What the compiler raises about a kernel. Other exceptions can mean that the stand-in does not fit this Triton.
_COMPILER = re.compile(
    r" / |^(CompilationError|CompileTimeAssertionFailure|PTXASError|IndexError: map::at|RuntimeError: PassManager)"
)


def compiler(python: str, each: Callable[[int, int], None], seconds: float = SECONDS) -> Compile:
    """Return what compiles for runs with the packages of the interpreter `python`.

    `each` is called with the number of calls that are compiled and the number of all calls.
    """

    def compile_(runs: Sequence[tuple[str, Facts]]) -> Compiled:
        begin = time.monotonic()
        cards = _cards(runs)
        _refuse_other_backends(runs)
        installed = find(python)
        _refuse_other_packages(runs, installed)
        calls = [(one, code) for one in wanted(runs) if (code := code_of(one.kernel, installed))]
        jobs = [
            Job(number, _request(one, code.module, code.texts, installed)) for number, (one, code) in enumerate(calls)
        ]
        results: dict[int, Mapping[str, Any]] = {}
        each(0, len(jobs))
        for number, result in run(python, jobs, _children(), begin + seconds):
            results[number] = result
            each(len(results), len(jobs))
        attempts = tuple(_attempted(one, results.get(number)) for number, (one, _) in enumerate(calls))
        left_out = tuple(card for card in capabilities(runs) if card not in cards)
        took = time.monotonic() - begin
        return Compiled(str(installed.vllm), installed.triton, tuple(cards), attempts, took, left_out)

    return compile_


def _cards(runs: Sequence[tuple[str, Facts]]) -> list[str]:
    cards = capabilities(runs)
    if not cards:
        expected = "--target, or --set gpu.compute_capability=7.5"
        raise InputError(WHERE, "the compute capability of the GPUs is not known", expected)
    known = [card for card in cards if card in SHARED_MEMORY]
    if not known:
        raise InputError(WHERE, f"compute capability {cards[0]} is not supported", "one of " + ", ".join(SHARED_MEMORY))
    return known


def _refuse_other_backends(runs: Sequence[tuple[str, Facts]]) -> None:
    for _, facts in runs:
        backend = facts.value("vllm.backend", "cuda")
        if backend != "cuda":
            raise InputError(WHERE, f"vLLM is a build for {backend}, not for CUDA", "vllm.backend=cuda")


def _refuse_other_packages(runs: Sequence[tuple[str, Facts]], installed: Installed) -> None:
    """Refuse to compile another vLLM than that of the run."""
    for _, facts in runs:
        known = facts.get("packages.vllm")
        if known is None:
            raise InputError(WHERE, "the vLLM of the run is not known", "a check of installed packages")
        if known.value != installed.vllm:
            what = f"the run has vLLM {known.value} ({known.source}), and {installed.vllm} is installed"
            raise InputError(WHERE, what, "--python with the packages of the run")


def _request(call: Wanted, module: str, texts: Mapping[str, str], installed: Installed) -> dict[str, Any]:
    attempt = {"call": call.call, "capability": call.capability, "dtype": call.dtype, "size": call.size}
    return {
        "triton": "",
        "archive": installed.folder,
        "version": str(installed.vllm),
        "module": module,
        "texts": texts,
        "calls": call.kernel.called_in,
        "attempts": [attempt],
    }


def _children() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    count = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, min(count, _MOST_CHILDREN))


def _attempted(call: Wanted, result: Mapping[str, Any] | None) -> Attempted:
    outcome, message, recorded = (OPEN, _NO_TIME, "") if result is None else _judged(result)
    size, needs = f"{call.kernel.of} {call.size}", call.needs
    if recorded.startswith(kernel_record.NO_MEMORY) and not is_sized_by_run(call.kernel):
        needs = (*needs, Need("", "whether the model's layers have the block sizes that were compiled"))
    return Attempted(
        call.call, call.capability, call.dtype, size, outcome, message, recorded, call.runs, call.because, needs
    )


def _judged(result: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the outcome, its message, and the outcome as the records of kernels have it.

    An outcome that is not the compiler's is no failure of the kernel: a wrapper that is called otherwise than its
    release does, a stand-in that does not fit, a process that was killed.
    """
    word, message = result["outcome"], str(result.get("message", ""))
    if word == kernel_record.COMPILES:
        return COMPILES, "", ""
    if word == kernel_record.NO_MEMORY:
        text = f"out of shared memory: wants {result['wanted']} bytes, the GPU has {result['there']} per block"
        return FAILS, text, f"{word}: {result['wanted']}"
    if word == kernel_record.ABORTS and message:
        return FAILS, f"the compiler aborts: {message}", f"{word}: {message}"
    if word == kernel_record.ABORTS:
        return OPEN, f"the process was ended by signal {result.get('signal')}", ""
    if word == kernel_record.RAISES and result.get("in") == "triton" and _COMPILER.search(message):
        return FAILS, message, f"{word}: {message}"
    return OPEN, message or _NO_TIME, ""
