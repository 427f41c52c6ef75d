"""What to do about a failure, as a line that can be copied."""

from __future__ import annotations

from vcompat.rule import Fix


def instruction(fix: Fix) -> str:
    """The fix as one line: a command, a setting, a variable, or advice about hardware."""
    return _WRITERS[fix.kind](fix)


def _patch(fix: Fix) -> str:
    return f"import vcompat; vcompat.patch()    # first line of the training script; patch {fix.details['patch']}"


def _config(fix: Fix) -> str:
    return f"{fix.details.get('where', 'GRPOConfig')}({fix.details['setting']}={fix.details['value']!r})"


def _env(fix: Fix) -> str:
    variable = fix.details["variable"]
    return f"export {variable}={fix.details['value']}" if "value" in fix.details else f"unset {variable}"


def _version(fix: Fix) -> str:
    package = fix.details["package"]
    return (
        f"pip uninstall {package}"
        if fix.details.get("remove")
        else f'pip install "{package}{fix.details.get("range", "")}"'
    )


def _hardware(fix: Fix) -> str:
    return str(fix.details["advice"])


_WRITERS = {"patch": _patch, "config": _config, "env": _env, "version": _version, "hardware": _hardware}
