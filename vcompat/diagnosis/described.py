"""Which rules a short text is about that describes a failure in words, such as the title of a thread and what follows.

A rule is about it if their words fit well, if it has the part of an error that the text quotes, or cites its thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from packaging.version import Version

from vcompat.diagnosis.boundaries import ending_between, working
from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.logs.quoted import has_quoting_form
from vcompat.diagnosis.rule_words import scored, words_in, words_of
from vcompat.diagnosis.symptoms import Shown
from vcompat.facts.facts import Facts
from vcompat.rules.rule import Rule
from vcompat.rules.symptom import Symptom

#: The most bytes and lines of a description.
LONGEST = 2000
_MOST_LINES = 12
#: The most bytes of the title of a thread.
_TITLE = 400
#: The least weights of the words that a rule shares with the text, and for each the least share of the weight of all
#: words of the text. Weights are natural logarithms. `tests/cases/descriptions.toml` has the texts they were chosen by.
_LEAST = ((17.0, 0.7), (20.0, 0.5), (30.0, 0.4))
#: The least weight of a rule that ends between the releases of which the text states that they fail and work.
_LEAST_BETWEEN = 10.0
#: Rules that fit nearly as well as the best one.
_NEAR, _MOST = 0.7, 3
#: Words without which a text is a question or a wish.
FAILS = re.compile(
    r"(?i)\b(?:\w*bias\w*|explo(?:de|ding|sion)\w*|oom|out of memory|crash\w*|fail\w*|garb\w+|gibberish|hang\w*|stuck"
    r"|wrong\w*|incorrect\w*|stale|lost|loses|breaks?|broken|errors?|ignor\w+|refus\w+|mismatch\w*|not|never|dies?"
    r"|\w+Error\b(?!:)|invalid|unchanged|corrupt\w*|nan|segfault\w*|deadlock\w*|impossible|too (?:large|small)|larger"
    r"|misaligned|instead of|opposite|fatal|worse|malformed|different|differs?|flat|timeouts?|timed out"
    r"|\w+n'?t|cannot|unable|silent(?:ly)?|mis-?(?:scal|match|align|weight|count|report)\w*|unstable|diverg\w+|leak\w*"
    r"|poor(?:ly)?|degrad\w+|missing|skip\w*|drop\w*|slow\w*|halved|doubled)\b"
)
#: The name of an exception.
_ERROR = re.compile(r"\b[A-Z]\w*Error\b")
#: Words for a run that does not go on, and for one that ends.
_HANGS = re.compile(r"(?i)\b(?:hang(?:s|ing)?|hung|stuck|deadlock\w*|waits? forever)\b")
_ENDS = re.compile(r"(?i)\b(?:crash\w*|rais(?:es?|ed|ing)|\w*Error|\w*Exception|fails?|dies|refus\w+|abort\w*)\b")
_QUESTION = re.compile(r"(?i)^\s*(?:\[(?:usage|feature|question|docs?)[^\]]*\]|how\b|why\b|does\b|can\b|is\b)")
_PART = "whether the log has the whole error, of which the text is a part"
#: The least number of words and letters of a part of an error that names a rule.
_LEAST_QUOTED, _LEAST_LETTERS = 3, 14
#: The least share of the words that somebody asks with, by weight, that a rule has.
_LEAST_SHARE = 0.4
OPEN = "whether the text, which quotes no error, is about this failure"
_CITES = "whether the run has the failure of the thread that the text names"
#: A line that states a release, as ``pip freeze`` prints it.
_RELEASE = re.compile(r"[\w.-]+(?:\[[^\]]*\])?\s*==\s*\S+")
#: A line that lists models and releases in words, such as ``Qwen3.5, vLLM 0.18.x, torch 2.10``.
_LISTED = re.compile(
    r"(?=.*\b(?i:trl|vllm|torch|pytorch|transformers|unsloth|ms-swift)\b)"
    r"(?:(?:^|[,;] *)[A-Za-z][\w-]*[ =:]*v?\d[\w.+-]*)+\.?"
)
#: Releases that a sentence names, such as ``TRL 1.10.0``, ``vllm>=0.8.5`` and ``DeepSpeed 0.17.5 to 0.18.1``.
_PACKAGE_NAMED = re.compile(
    r"(?i)\b(?P<name>trl|vllm|transformers|peft|deepspeed|accelerate|unsloth|ms-swift)\b"
    r"(?: versions?)?(?P<releases>[ =:@<>v]{1,4}\d+(?:\.\d+)+(?:\.post\d+)?"
    r"(?:(?:,| to| and| or| vs\.?|[ ]*(?:/|->|-|\u2192|\u2013))[ =:@<>v]{0,4}\d+(?:\.\d+)+(?:\.post\d+)?)*)\b"
)
_RELEASE_NAMED = re.compile(r"\d+(?:\.\d+)+(?:\.post\d+)?")
#: Words of prose, and names of settings; a line of a log has marks, paths and numbers.
_PLAIN = re.compile(r"[(\"'`]?[A-Za-z][A-Za-z_'-]*[)\"'`.,:;?!]*")
_LEAST_PLAIN = 0.6
#: A line that states a setting or the hardware, such as ``num_machines: 2``. A line of a log is none.
_SETTING = re.compile(r"(?:[-*] )?[\w./-]+ ?[:=] ?\S")
#: An item of a list, and a line that begins with code: no log has them.
_ITEM = re.compile(r"[-*] \S|`[^`]+`")
#: The least share of the words that lines of prose have, if the first line is one.
_LEAST_OF_PROSE = 0.6
#: A thread: its address, or a repository and a number.
_ADDRESS = re.compile(r"github\.com/([\w.-]+/[\w.-]+)/(?:issues|pull)/(\d+)")
_NAMED = re.compile(r"(?i)\b([\w.-]+)(?:'s)?\s*(?:#|\b(?:issue|pull request|pr)\s+#?)(\d{1,6})\b")


def described(text: str, rules: Iterable[Rule]) -> Iterator[Shown]:
    """Yield the rules that a short text is about, the nearest first; none if it describes no failure.

    A part of an error that a person remembers is about the rules that have it in their title or in what a log shows. A
    thread that the text names is about the rules that cite it.
    """
    lines = _describing(text)
    whole = " ".join(line.text for line in lines)
    if len(text) > LONGEST or not 1 <= len(lines) <= _MOST_LINES or _QUESTION.match(whole):
        return
    line = lines[0]
    title = line.text if len(line.text) <= _TITLE else ""
    is_title = len(lines) == 1 and bool(title)
    if not is_title and not all(_is_prose(each.text) for each in lines):
        return
    rules = list(rules)
    ending = ending_between(whole, rules) if FAILS.search(whole) else []
    rules = fitting_releases(whole, rules)
    for open_point, named in ((_CITES, _citing(whole, rules)), (_PART, _quoting(whole, rules) if is_title else [])):
        for rule in named[:_MOST]:
            yield Shown(rule, Symptom(""), (line,), None, open_point=open_point)
        if named:
            return
    between = [(score, rule) for score, _, rule in scored(whole, rules) if rule in ending and score >= _LEAST_BETWEEN]
    for score, rule in between[:_MOST] or _fitting(whole, rules) or _fitting(title, rules):
        yield Shown(rule, Symptom(""), (line,), None, open_point=OPEN, weight=score)


def _describing(text: str) -> list[Line]:
    """Return the lines of a text that may describe a failure.

    Releases are left out, lines that quote an error, and the settings that follow prose.
    """
    lines = [Line(number, "", line.strip(), "", "") for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    lines = [line for line in lines if not (_RELEASE.fullmatch(line.text) or _LISTED.fullmatch(line.text))]
    lines = [line for line in lines if not has_quoting_form(line.text)]
    prose = [line for line in lines if _is_prose(line.text)]
    others_state = all(_SETTING.match(line.text) or _ITEM.match(line.text) for line in lines if line not in prose)
    begins_with_prose = prose[:1] == lines[:1] and _words(prose) >= _LEAST_OF_PROSE * _words(lines)
    return prose if begins_with_prose and others_state else lines


def _words(lines: Iterable[Line]) -> int:
    return sum(len(line.text.split()) for line in lines)


def fitting_releases(text: str, rules: Iterable[Rule]) -> list[Rule]:
    """Return the rules that one of the releases which a text names can have: it may name those that work, too."""
    named: dict[str, list[Version]] = {}
    fine = working(text)
    for match in _PACKAGE_NAMED.finditer(text):
        releases = [one for one in map(Version, _RELEASE_NAMED.findall(match["releases"])) if one not in fine]
        named.setdefault(f"packages.{match['name'].lower()}", []).extend(releases)
    facts = Facts()
    for name, versions in named.items():
        if versions:
            facts.forget(name, "the text names several", candidates=versions)
    return [rule for rule in rules if not named or rule.when.truth(facts) is not False]


def only_hangs(text: str) -> bool:
    """Return whether a text says that a run hangs, and not that anything fails."""
    return _HANGS.search(text) is not None and not _ENDS.search(text)


def fails_otherwise(rule: Rule, text: str) -> bool:
    """Return whether a run fails otherwise than by a rule: it only hangs, or names an error where nothing fails."""
    if rule.effect == "crash":
        return only_hangs(text)
    return rule.effect == "silent-corruption" and not rule.symptoms and _ERROR.search(text) is not None


def _fitting(text: str, rules: Iterable[Rule]) -> list[tuple[float, Rule]]:
    """Return the rules whose words fit a text well, with how well; none if it describes no failure."""
    if not FAILS.search(text):
        return []
    ranked = scored(text, (rule for rule in rules if not fails_otherwise(rule, text)))
    fitting = [each for each in ranked if any(each[0] >= least and each[1] >= share for least, share in _LEAST)]
    return [(score, rule) for score, _, rule in fitting[:_MOST] if score >= fitting[0][0] * _NEAR]


def _is_prose(text: str) -> bool:
    words = text.split()
    return sum(_PLAIN.fullmatch(word) is not None for word in words) >= _LEAST_PLAIN * len(words)


def _citing(text: str, rules: Iterable[Rule]) -> list[Rule]:
    """The rules that cite a thread which a text names, by its address, or by its repository and number."""
    named = {(repository.lower(), number) for repository, number in _ADDRESS.findall(text)}
    by_name = {(name.lower(), number) for name, number in _NAMED.findall(text)}

    def cites(rule: Rule) -> bool:
        threads = _ADDRESS.findall(" ".join(rule.references).lower())
        return any(one in named or (one[0].rpartition("/")[2], one[1]) in by_name for one in threads)

    return list(filter(cites, rules)) if named or by_name else []


def _quoting(text: str, rules: Iterable[Rule]) -> list[Rule]:
    return [rule for rule in rules if _quotes(text, rule)]


def nearest(text: str, rules: Iterable[Rule], most: int = 5) -> list[Rule]:
    """Return the rules that fit the words best with which somebody asks for one: words of its id, title or symptoms."""
    rules = list(rules)
    quoting = _quoting(text, rules)
    asked, part = words_in(text), text.strip().lower()
    begun = sorted((rule for rule in rules if part and part in rule.id), key=lambda rule: not rule.id.startswith(part))
    named = [rule for rule in rules if asked and asked <= words_of(rule).named]
    others = [rule for _, share, rule in scored(text, rules) if share >= _LEAST_SHARE]
    return list({rule.id: rule for rule in (*quoting, *begun, *named, *others)}.values())[:most]


def _quotes(text: str, rule: Rule) -> bool:
    """Return whether a text is a part of a rule's title, or of what a log shows, of at least three words."""
    part = " ".join(text.split()).lower()
    if len(part.split()) < _LEAST_QUOTED or len(part) < _LEAST_LETTERS:
        return False
    shown = (symptom.pattern.replace("\\", "") for symptom in rule.symptoms)
    return any(part in each.lower() for each in (rule.title, *shown))
