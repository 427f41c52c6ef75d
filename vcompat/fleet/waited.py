"""How long this process waited for a processor: what a loaded machine adds to the time of an exchange."""

from __future__ import annotations

import os


def waited() -> float | None:
    """Return the seconds that the threads of this process were ready to run and did not, since they started.

    The time that a hypervisor took from the machine is added. None if the kernel does not tell.
    """
    total = 0
    try:
        for thread in os.listdir("/proc/self/task"):
            try:
                with open(f"/proc/self/task/{thread}/schedstat", encoding="ascii") as file:
                    # Nanoseconds on a processor, nanoseconds ready to run, and how often it ran.
                    total += int(file.read().split()[1])
            except FileNotFoundError:
                continue
        with open("/proc/stat", encoding="ascii") as file:
            # user, nice, system, idle, iowait, irq, softirq, steal, in clock ticks
            stolen = int(file.readline().split()[8])
    except (OSError, ValueError, IndexError):
        return None
    return total / 1e9 + stolen / os.sysconf("SC_CLK_TCK")
