"""Signatures: what the metrics that TRL logs look like in a silent failure. Rules name them among their symptoms."""

from __future__ import annotations

from collections.abc import Mapping

#: Each signature, and what it says about a run.
SIGNATURES: Mapping[str, str] = {
    "stale-rollouts": "vLLM's log-probabilities start as the trainer's and move away from them with the steps",
    "wrong-rollouts": "vLLM's log-probabilities differ from the trainer's from the first step on",
    "broken-rollouts": "vLLM's log-probabilities are the trainer's in some steps and far from them in others",
    "stale-evaluation": "vLLM's log-probabilities differ from the trainer's in evaluation, not in training",
    "discarded-rollouts": "the importance sampling ratio is far below 1, so the loss leaves completions out",
    "not-a-number": "values are not numbers from one step on",
    "no-reward-signal": "all completions of a prompt get the same reward, so the advantages are 0",
}
