"""Run the trials of a rule, each in a process of its own, and compare what happens with what the rule claims."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.upstream.trials.environment import folders
from tests.upstream.trials.logs import log_of
from vcompat.rules.trial import WORKS, Pins, Trial, named
from vcompat.rules.trial_record import Outcome

_CHILD = Path(__file__).with_name("child.py")


def run(rule: str, trial: Trial, pins: Pins, log: Path | None = None) -> Outcome:
    """Run the code of a trial with the releases `pins`; write the `log` of a failure.

    Raises NotAvailable if one cannot be installed.
    """
    places = folders(pins, trial.until)
    command = [sys.executable, "-I", "-S", str(_CHILD), "\n".join(map(str, places)), trial.code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    try:
        answer = json.loads(done.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        happened = f"exit code {done.returncode}: {(done.stderr.strip().splitlines() or ['nothing printed'])[-1]}"
        return Outcome(rule, trial.code, named(pins), happened, ())
    if log is not None and answer["failure"]:
        log.write_text(log_of(done.stderr, places, pins), encoding="utf-8")
    return Outcome(rule, trial.code, named(pins), _happened(answer["failure"], trial), tuple(answer["stand_ins"]))


def _happened(chain: list[dict[str, str]], trial: Trial) -> str:
    """The claimed exception if it is in the chain, else the first line of the exception that started it."""
    if not chain:
        return WORKS
    expected, _, text = trial.raises.partition(": ")
    if any(error["type"] == expected and text in error["text"] for error in chain):
        return trial.raises
    first = chain[-1]
    return f"{first['type']}: {(first['text'].splitlines() or [''])[0][:160]} ({_inside(first['place'])})"


def _inside(place: str) -> str:
    """A file's path without the folder of its environment, which differs between machines."""
    parts = Path(place).parts
    packages = [index for index, part in enumerate(parts) if part in ("trees", "trials")]
    return "/".join(parts[packages[-1] + 2 :]) if packages else Path(place).name
