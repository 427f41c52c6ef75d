"""A fix as one line that can be copied."""

from __future__ import annotations

from vcompat.rules.rule import Fix


def instruction(fix: Fix) -> str:
    """Return the fix as one line: a command, a setting, a variable, or advice."""
    return _WRITERS[fix.kind](fix)


def note(fix: Fix) -> str:
    """What to know about the fix, in a sentence or two; may be empty."""
    if fix.kind == "version":
        ranges = [f"{package} {range_}" for package, range_ in fix.details.get("releases", {}).items()]
        return " ".join([*(["With " + ", ".join(ranges) + "."] if ranges else []), *([fix.note] if fix.note else [])])
    if fix.kind != "patch":
        return fix.note
    does = f"Patch {fix.details['patch']}{'' if fix.removes_failure else ' only warns'}."
    return f"{does} {fix.note}".rstrip()


def _patch(fix: Fix) -> str:
    return "import vcompat; vcompat.patch()  # first line of the training script"


def _config(fix: Fix) -> str:
    value = fix.details["expression"] if "expression" in fix.details else repr(fix.details["value"])
    return f"{fix.details.get('where', 'GRPOConfig')}({fix.details['setting']}={value})"


def _env(fix: Fix) -> str:
    variable = fix.details["variable"]
    return f"export {variable}={fix.details['value']}" if "value" in fix.details else f"unset {variable}"


def _version(fix: Fix) -> str:
    package = fix.details["package"]
    return f"pip uninstall {package}" if "remove" in fix.details else f'pip install "{package}{fix.details["range"]}"'


def _advice(fix: Fix) -> str:
    return " ".join(str(fix.details["advice"]).split())


_WRITERS = {
    "patch": _patch,
    "config": _config,
    "env": _env,
    "version": _version,
    "hardware": _advice,
    "advice": _advice,
}
