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
    if fix.details.get("by_command"):
        return f"vcompat run -- <command>  # applies {fix.details['patch']} in every process"
    if "place" in fix.details:
        return f"let vcompat.patch() in {fix.details['place']} apply {fix.details['patch']}"
    return "import vcompat; vcompat.patch()  # first line of the training script"


def _config(fix: Fix) -> str:
    # Which value is the nearest one is known only together with facts; `evaluation.nearest` adds it.
    value = repr(fix.details["value"]) if "value" in fix.details else fix.details.get("expression", "...")
    # Imported here: few fixes are about a configuration.
    from vcompat.facts.records.recorded_settings import COMMANDS

    if _owner(fix) in COMMANDS.values():
        return f"{_owner(fix)} --{fix.details['setting']} {fix.details.get('value', '...')}"
    return f"{_owner(fix)}({fix.details['setting']}={value})"


def _rename(fix: Fix) -> str:
    return f"rename {fix.details['setting']} to {fix.details['to']} in {_owner(fix)}"


def _remove(fix: Fix) -> str:
    return f"remove {fix.details['setting']} from {_owner(fix)}"


def _owner(fix: Fix) -> str:
    return str(fix.details.get("where", "GRPOConfig"))


def _env(fix: Fix) -> str:
    variable, item, place = (str(fix.details.get(key, "")) for key in ("variable", "item", "place"))
    has_value = "value" in fix.details
    if place:
        # A launch command cannot change what the script sets afterwards.
        what = f"{item} from {variable}" if item else variable
        return f"set {variable}={fix.details['value']} in {place}" if has_value else f"remove {what} in {place}"
    if has_value:
        return f"export {variable}={fix.details['value']}"
    return f"unset {variable}, or remove {item} from it" if item else f"unset {variable}"


def _version(fix: Fix) -> str:
    package = fix.details["package"]
    return f"pip uninstall {package}" if "remove" in fix.details else f'pip install "{package}{fix.details["range"]}"'


def _advice(fix: Fix) -> str:
    return " ".join(str(fix.details["advice"]).split())


_WRITERS = {
    "patch": _patch,
    "config": _config,
    "rename": _rename,
    "remove": _remove,
    "env": _env,
    "version": _version,
    "hardware": _advice,
    "advice": _advice,
}
