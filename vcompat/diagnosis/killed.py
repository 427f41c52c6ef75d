"""Processes that a signal or a scheduler has ended, as launchers, schedulers, shells and the kernel report it.

Such a process prints no error of its own. SIGTERM and SIGINT are sent by whoever ends a run, and SIGABRT by the process
itself, which has printed why: they are no causes. A scheduler that sends SIGTERM reports the reason itself.
"""

from __future__ import annotations

import re
import signal

_CODES = "|".join(str(int(number)) for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL))
_WORDS = {
    "Killed": "SIGKILL",
    "OOMKilled": "SIGKILL",
    "Out Of Memory": "SIGKILL",
    "Segmentation fault": "SIGSEGV",
    "Bus error": "SIGBUS",
    "Illegal instruction": "SIGILL",
}
_ENDED = re.compile(
    # torchrun: `exitcode  : -9 (pid: 12)`, `failed (exitcode: -9) local_rank: 1`; DeepSpeed: `exits with return code =
    # -9`; vLLM: `Failed core proc(s): {'EngineCore': -9}`; multiprocessing: `terminated with exit code -9`.
    rf"(?:exit ?code|return code)\s{{0,4}}[:=]?\s?-(?P<code>{_CODES})\b"
    rf"|core proc\(s\): \{{[^}}]{{0,200}}: -(?P<core>{_CODES})\b"
    # A shell and a container add 128.
    r"|\bexit(?:ed with)? (?:code|status):? (?P<shell>137|139|135|132)\b"
    # Slurm.
    r"|oom[_-]kill (?:event|handler)"
    r"|srun: error: .{1,80}: tasks? [\d,-]{1,80}: (?P<task>Killed|Out Of Memory|Segmentation fault|Bus error)"
    # The kernel, Kubernetes, Ray.
    r"|Out of memory: Killed process|Memory cgroup out of memory|reason: (?P<pod>OOMKilled)|killed by the OOM killer"
    # A shell: `Killed`, `run.sh: line 3: 12 Killed  python train.py`.
    r"|^(?:\S{1,200}: (?:line \d{1,6}: {1,4})?\d{1,9} )?"
    r"(?P<word>Killed|Segmentation fault|Bus error|Illegal instruction)(?: \(core dumped\))?(?:\s{2,}\S.{0,200})?$"
)
#: Why a scheduler has ended a job, and how Slurm, LSF, PBS and Kubernetes report it.
TIME_LIMIT, PREEMPTION, NODE = "the time limit", "preemption", "the failure of a node"
_STOPPED = {
    TIME_LIMIT: re.compile(
        r"CANCELLED AT .{0,40} DUE TO TIME LIMIT|TERM_RUNLIMIT: job killed|PBS: job killed: walltime .{1,40} exceeded"
        r"|\breason: DeadlineExceeded"
    ),
    PREEMPTION: re.compile(r"CANCELLED AT .{0,40} DUE TO PREEMPTION|\breason: Preempt(?:ed|ing)\b|TERM_PREEMPT: job"),
    NODE: re.compile(r"CANCELLED AT .{0,40} DUE TO NODE FAILURE|\breason: (?:NodeLost|Evicted)\b"),
}
#: Patterns over bytes: lines that may state it.
CUES = (
    r"DUE TO (?:TIME LIMIT|PREEMPTION|NODE FAILURE)|TERM_(?:RUNLIMIT|PREEMPT): job|PBS: job killed: walltime",
    r"reason: (?:DeadlineExceeded|Preempt|NodeLost|Evicted)",
    r"(?i:exit ?code|return code|exit status|exited with (?:code|status))[ :=]{1,6}(?:-|1[0-9][0-9])",
    r"core proc\(s\): \{",
    r"oom[_-]kill|OOMKilled|Out Of Memory|[Oo]ut of memory: Killed|OOM killer",
    r"(?m:(?:^|: |  |\d )(?:Killed|Segmentation fault|Bus error|Illegal instruction)(?:$|\r| \(|  ))",
)
#: What each signal most often means.
_MEANINGS = {
    "SIGKILL": "most often by the kernel, because the memory of the host, the container or the job was used up: "
    "`dmesg -T | grep -i kill` names the process",
    "SIGBUS": "most often because shared memory was used up: look at `df -h /dev/shm`",
    "SIGSEGV": "by an error in compiled code: `python -X faulthandler` prints where",
    "SIGILL": "by an instruction that this processor lacks or may not use",
}
#: What to do if the scheduler has ended the job.
_ADVICE = {
    TIME_LIMIT: "Ask for more time, or set save_steps and continue with resume_from_checkpoint.",
    PREEMPTION: "Set save_steps and continue with resume_from_checkpoint.",
    NODE: "Continue with resume_from_checkpoint on other nodes.",
}


def signal_in(text: str) -> str:
    """Return the signal, such as SIGKILL, that has ended a process as a line states; empty if it states none."""
    ended = _ENDED.search(text)
    if ended is None:
        return ""
    if code := ended["code"] or ended["core"]:
        return signal.Signals(int(code)).name
    if code := ended["shell"]:
        return signal.Signals(int(code) - 128).name
    return _WORDS[ended["task"] or ended["pod"] or ended["word"] or "Killed"]


def reason_in(text: str) -> str:
    """Return why a scheduler has ended the job as a line states, such as `TIME_LIMIT`; empty if it states none."""
    return next((reason for reason, pattern in _STOPPED.items() if pattern.search(text)), "")


def ends_process(text: str) -> bool:
    """Return whether a line states that a signal or a scheduler has ended a process."""
    return bool(signal_in(text) or reason_in(text))


def meaning(text: str) -> str:
    """Return what it most often means that a process was ended as a line states; empty if it states nothing."""
    if reason := reason_in(text):
        return f"The scheduler ended the job because of {reason}. {_ADVICE[reason]}"
    name = signal_in(text)
    return f"A process was ended by {name}, {_MEANINGS[name]}." if name else ""
