"""Keys, tokens and passwords: by their own shape, or by what stands before them."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Keys that are recognized wherever they are: Hugging Face, OpenAI and Anthropic, GitHub, GitLab, Weights & Biases,
#: AWS, Google, Slack, npm, PyPI, JSON web tokens; hashes and other keys in hexadecimal digits.
_SHAPES = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"hf_[A-Za-z0-9]{8,200}|api_org_[A-Za-z0-9]{8,200}|sk-[A-Za-z0-9_-]{8,300}|[prs]k_(?:live|test)_[A-Za-z0-9]{8,200}"
    r"|gh[oprsu]_[A-Za-z0-9]{8,300}|github_pat_[A-Za-z0-9_]{8,300}|glpat-[A-Za-z0-9_-]{8,200}"
    r"|wandb_v\d_[A-Za-z0-9_-]{8,300}|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,32}|AIza[A-Za-z0-9_-]{20,60}"
    r"|ya29\.[A-Za-z0-9_-]{8,300}|xox[a-z]-[A-Za-z0-9-]{8,300}|npm_[A-Za-z0-9]{8,100}|pypi-[A-Za-z0-9_-]{8,300}"
    r"|nvapi-[A-Za-z0-9_-]{8,200}|dckr_pat_[A-Za-z0-9_-]{8,200}|eyJ[A-Za-z0-9_-]{4,2000}(?:\.[A-Za-z0-9_-]{4,2000}){1,2}"
    r"|org-(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{8,60}|[0-9a-fA-F]{24,128}"
    r")(?![A-Za-z0-9])"
)
_UUID = re.compile(r"(?:GPU-|MIG-)?\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_NAME = (
    r"[\w-]{0,40}(?:api[_-]?key|secret[_-]?key|private[_-]?key|access[_-]?key(?:[_-]?id)?|auth[_-]?key|auth[_-]?token"
    r"|account[_-]?key|access[_-]?token|hf[_-]?token|hub[_-]?token|session[_-]?token|secret|passwo?r?d|passphrase"
    r"|credentials?)"
)
_VALUE = r"(?:'([^']{3,300})'|\"([^\"]{3,300})\"|['\"]?([^\s\"',;&(){}\[\]]{3,300})(?!\())"
#: What follows a name or a word that announces a key; the value is the group that matches.
_ANNOUNCED = (
    re.compile(rf"(?i:\b{_NAME}['\"]?\s{{0,4}}(?:[:=]|\s)\s{{0,4}}){_VALUE}"),
    re.compile(r"\b[A-Z][A-Z0-9_]{0,60}(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIALS)=" + _VALUE),
    re.compile(r"(?i:\bbearer)[\s:=]{1,4}['\"]?([\w.~+/=-]{6,2000})"),
    re.compile(
        r"(?i:\bauthorization['\"]?\s{0,4}[:=]\s{0,4}['\"]?(?:(?:basic|bearer|token|digest)\s{1,4})?)([\w.~+/=-]{6,2000})"
    ),
    re.compile(rf"\b(?:[Pp]wd|sig)['\"]?\s{{0,4}}[:=]\s{{0,4}}(?![~/]){_VALUE}"),
    re.compile(r"(?i:\b(?:set-)?cookie['\"]?\s{0,4}[:=]\s{0,4}['\"]?)([^\s'\"][^'\"\n]{2,2000})"),
    re.compile(r"\b(?:ssh-\w{2,20}|ecdsa-[\w-]{2,40}|sk-[\w-]{2,40})(?:@openssh\.com)?\s{1,4}([A-Za-z0-9+/=]{8,2000})"),
    re.compile(rf"(?i:--(?:token|api-key|hf-token|password|secret)[ =]){_VALUE}"),
)
#: What follows `token`, which texts are about, too, and what the query of an address has: a key unless it is plain.
_DOUBTFUL = (
    # Not `pad_token=` and the like: a letter and an underscore are before these.
    re.compile(
        r"(?i:\b(?:(?:user|api|bot|my|jwt|csrf|refresh|id|github|gitlab|wandb)[_-])?token['\"]?\s{0,4}[:=]\s{0,4})"
        + _VALUE
    ),
    # A word with a digit behind `token` or `api key`, as in `Invalid user token s3cr3t`.
    re.compile(
        r"(?i:\b(?:token|api[ _-]?key)\s{1,4})['\"]?"
        r"((?=[^\s\"',;]{0,100}[A-Za-z])(?=[^\s\"',;]{0,100}\d)[\w.~+/=-]{5,300})(?![\w(])"
    ),
    # The query of an address without a host.
    re.compile(r"(?<=\S)[?&][\w.-]{1,60}=([^\s\"'&<>)\]}]{3,2000})"),
)
#: A long word without meaning: letters and digits that alternate. Mangled names of C++ begin with _Z.
_LONG = re.compile(r"(?<![\w+/=-])(?!_Z)[A-Za-z0-9+/_=-]{20,400}(?![\w+/=-])")
_HARMLESS = frozenset(
    (
        "none null true false str bool int float os.environ self optional union any list dict tuple torch.tensor"
        " float8 float16 float32 float64 bfloat16 int4 int8 int16 int32 int64 uint8"
    ).split()
)
#: What is no key: a number, a special token of a tokenizer, and code that names a variable.
_PLAIN = re.compile(
    r"[-+]?[\d.]+|</?[\w|]+>?|\[[A-Z]+\]?|<\|.*|(?:self|args|os|config)\.[a-z_.]+"
    r"|[a-z_]*(?:token|key|secret|password)s?(?:_ids?)?"
)


def uuids(text: str) -> Iterator[tuple[int, int]]:
    """Yield where UUIDs are, such as those of GPUs."""
    yield from (found.span() for found in _UUID.finditer(text))


def keys(text: str) -> Iterator[tuple[int, int]]:
    """Yield where keys, tokens and passwords are."""
    yield from (match.span() for match in _SHAPES.finditer(text))
    for pattern in (*_ANNOUNCED, *_DOUBTFUL):
        for match in pattern.finditer(text):
            group = match.lastindex or 1
            value = match[group].strip(".")
            if value.lower() not in _HARMLESS and not (pattern in _DOUBTFUL and _PLAIN.fullmatch(value)):
                yield match.span(group)
    yield from (match.span() for match in _LONG.finditer(text) if _is_random(match[0]))


def _is_random(word: str) -> bool:
    """Whether a word has all kinds of characters, and no parts that are as long as words or numbers are."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", word)
    kinds = {"d" if part.isdigit() else "u" if part.isupper() else "l" for part in parts}
    return len(kinds) == 3 and sum(map(len, parts)) < 2.6 * len(parts)
