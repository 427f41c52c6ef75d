"""Which failures end in the place where a traceback stops that was cut off before its error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from vcompat.diagnosis.frames import is_anyones, passes
from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.symptoms import Shown
from vcompat.rules.rule import Rule
from vcompat.rules.symptom import Symptom

_FRAME = re.compile(r'\s*File "([^"\n]+)", line \d+, in (\S+)')
#: What Python prints below a line of code.
_MARKS = re.compile(r"[\s^~]*$")
#: In patterns: names that cannot be imported, or alternatives of them.
_NAME = re.compile(r"cannot import name '\(?([\w|]+)\)?'|No module named '\(?((?:\w|\\\.|\|)+)\)?'")
_IMPORT = re.compile(r"\s*(?:from\s+\S+\s+import\b|import\b)")
#: What a match depends on.
_OPEN = "whether the error that was cut off is this one"


def suspected(lines: Sequence[Line], rules: Iterable[Rule]) -> Iterator[Shown]:
    """Yield the rules whose failure is raised where a traceback stops. `lines` are those of the traceback."""
    frames = [(index, match) for index, line in enumerate(lines) if (match := _FRAME.match(line.text))]
    own = [(index, match[1], match[2]) for index, match in frames if not is_anyones(match[1])]
    if not own:
        return
    index, path, function = own[-1]
    text = "\n".join(line.text for line in lines)
    code = next((line.text for line in reversed(lines[frames[-1][0] + 1 :]) if not _MARKS.match(line.text)), "")
    for rule in rules:
        for symptom in rule.symptoms:
            if _stops(symptom, path, function) or _imports(symptom, code):
                if passes(text, symptom.frames or [""]):
                    yield Shown(rule, symptom, (lines[index],), None, tuple(lines[-12:]), open_point=_OPEN)
                break


def _stops(symptom: Symptom, path: str, function: str) -> bool:
    """Whether the symptom is a traceback whose last frame in code of its own is this one."""
    file, _, name = symptom.stops_in.partition(":")
    return bool(file) and f"/{path}".endswith(f"/{file}") and function == name


def _imports(symptom: Symptom, code: str) -> bool:
    """Whether a line of code imports what, by the symptom, cannot be imported."""
    if not _IMPORT.match(code):
        return False
    found = [name or module.replace("\\.", ".") for name, module in _NAME.findall(symptom.pattern)]
    return any(re.search(rf"(?<![\w.]){re.escape(one)}(?!\w)", code) for names in found for one in names.split("|"))
