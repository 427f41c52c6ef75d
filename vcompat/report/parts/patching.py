"""What a reader should know about how patches reach the processes of the run."""

from __future__ import annotations

from vcompat.facts.facts import Facts


def patching_lines(facts: Facts) -> list[str]:
    """Return a sentence for each: patches of `vcompat install`, and a VLLM_PLUGINS that leaves out vcompat."""
    lines = []
    everywhere = facts.get("host.patched")
    if everywhere is not None and isinstance(everywhere.value, tuple) and everywhere.place is not None:
        count = len(everywhere.value)
        lines.append(
            f"vcompat install applies {count} patch{'' if count == 1 else 'es'} in each Python process of this "
            f"environment ({everywhere.place.path}); vcompat uninstall undoes it"
        )
    plugins, patched = facts.value("env.VLLM_PLUGINS"), facts.value("plan.patched")
    # vLLM compares the names as they are between the commas.
    if isinstance(plugins, str) and "vcompat" not in plugins.split(",") and patched and everywhere is None:
        lines.append(
            f"VLLM_PLUGINS={plugins} leaves out vcompat: the processes that vLLM starts do not get the patches of the "
            "script; add vcompat to it, or start the script with vcompat run"
        )
    return lines
