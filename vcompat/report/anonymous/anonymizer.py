"""Replaces what identifies people, machines and models in lines of text, the same by the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from vcompat.report.anonymous.network import EMAIL, IMAGE, LOGIN, REPOSITORY, URL, addresses, hosts, is_page, is_public
from vcompat.report.anonymous.paths import ENCODED, decoded, is_public_model, models, paths, relative, shortened
from vcompat.report.anonymous.placeholders import Marks, Names, without_marks
from vcompat.report.anonymous.secret_keys import keys, uuids
from vcompat.report.anonymous.words import COMMON

#: The most characters of a line; the rest is cut, so that no line takes long.
_LONGEST = 2000
#: A private key has lines of its own.
_PEM = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,20000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)"
)
_HOME = re.compile(r"(?:/(?:home|Users)/|\\{1,2}Users\\{1,2})([\w.@-]{2,64})")
_USER = re.compile(
    r"(?:\b|_)(?i:logname|user(?:_?name)?|account_?name)"
    r"(?:['\"]?\s{0,4}[=:]\s{0,4}['\"]?| ['\"])([A-Za-z][\w.-]{1,63})(?![\w(])"
)
_LOGGED_IN = re.compile(
    r"\blogged in as:? ([\w.-]{2,64})(?: \(([\w.-]{2,64})\))?|\buid=\d+\(([\w.-]{2,64})\)|\bentity ['\"]?([\w-]{3,64})"
)
#: Names of accounts that tell nobody.
_SHARED = frozenset(
    (
        "root user ubuntu admin ec2-user runner jovyan nobody vllm trl torch ray app appuser node docker nvidia"
        " conda coder vscode work workspace data model models train test dev shared user_prompt assistant system"
        " none str role prompt"
    ).split()
)


class Anonymizer:
    """The placeholders of one report. What is a host or a user somewhere in its texts is one everywhere."""

    def __init__(self, texts: Iterable[str], hosts: Iterable[str] = (), users: Iterable[str] = ()) -> None:
        """`texts` are all that will be anonymized; `hosts` and `users` are names that are known otherwise."""
        self._names = Names()
        self._known: dict[str, str] = {}
        for kind, given in (("host", hosts), ("user", users)):
            for name in given:
                self._learn(kind, name, least=2)
        for text in texts:
            for line in text.splitlines():
                self._learn_line(without_marks(line[:_LONGEST]))
        longest = sorted(self._known, key=len, reverse=True)
        names = "|".join(map(re.escape, longest))
        self._pattern = re.compile(rf"(?<![A-Za-z0-9])(?:{names})(?![A-Za-z0-9])", re.IGNORECASE) if names else None

    def text(self, text: str) -> str:
        """Return `text` without what identifies anybody."""
        text = _PEM.sub(lambda found: self._names.of("key", found[0]), text)
        return "\n".join(self._line(line) for line in text.split("\n"))

    def process(self, name: str) -> str:
        """Return the name of a process: ranks and workers tell nobody, a service of a cluster does."""
        usual = r"(?:(?:rank|default)\d+|\d+|[A-Z]\w*(?: rank=\d+)?(?: pid=\d+)?)"
        return name if re.fullmatch(rf"{usual}(?: {usual})*", name) else self._names.of("process", name)

    def model(self, name: str) -> str:
        """Return the name of a model, unless it is private."""
        return name if is_public_model(name) else self._names.of("model", name)

    def _learn(self, kind: str, name: str, least: int = 3) -> None:
        name = name.strip(".")
        if len(name) >= least and name.lower() not in _SHARED | COMMON and not is_public(name) and not name.isdigit():
            self._known.setdefault(name.lower(), self._names.of(kind, name))

    def _learn_line(self, line: str) -> None:
        line = ENCODED.sub(lambda match: decoded(match[0]), line)
        for match in (*_HOME.finditer(line), *_USER.finditer(line)):
            self._learn("user", match[1])
        for match in _LOGGED_IN.finditer(line):
            for name in filter(None, match.groups()):
                self._learn("user", name)
        for match in LOGIN.finditer(REPOSITORY.sub("", line)):
            self._learn("user", match[1])
            self._learn("host", match[2])
        for start, end, tells in sorted(hosts(line)):
            if tells:
                self._learn("host", line[start:end])

    def _line(self, text: str) -> str:
        marks, names = Marks(), self._names
        line = without_marks(text[:_LONGEST])

        def put(kind: str) -> Callable[[str], str]:
            return lambda secret: marks.put(names.of(kind, secret))

        line = URL.sub(lambda match: self._url(match[0], marks), line)
        line = _at(line, keys(line), put("key"))
        line = _at(line, uuids(line), put("uuid"))
        line = REPOSITORY.sub(lambda match: self._repository(match, marks), line)
        line = IMAGE.sub(lambda match: self._image(match, marks), line)
        line = ENCODED.sub(lambda match: self._path(decoded(match[0]), marks), line)
        line = EMAIL.sub(lambda match: marks.put(names.of("email", match[0])), line)
        line = LOGIN.sub(lambda match: marks.put(f"{names.of('user', match[1])}@{names.of('host', match[2])}"), line)
        line = _at(line, models(line), put("model"))
        line = _at(line, paths(line), lambda match: self._path(match, marks))
        for kind in ("mac", "ip"):
            line = _at(line, ((start, end) for start, end, one in addresses(line) if one == kind), put(kind))
        for start, end, kept in sorted(relative(line), reverse=True):
            shown = self._named(kept, marks) if kept else marks.put(names.of("model", line[start:end]))
            line = line[:start] + shown + line[end:]
        line = _at(line, ((start, end) for start, end, _ in hosts(line)), put("host"))
        return marks.resolve(self._named(line, marks))

    def _url(self, found: str, marks: Marks) -> str:
        url = found.rstrip(".:")
        return self._host_of(url, marks) + found[len(url) :]

    def _host_of(self, url: str, marks: Marks) -> str:
        """Return what of a URL may be known."""
        if is_page(url):
            return marks.put(url.partition("?")[0])
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            return marks.put(self._names.of("url", url))
        if not host:
            return marks.put(f"{parts.scheme}://") + self._path(parts.path, marks)
        shown = host if is_public(host) else self._known.get(host) or self._names.of("host", host)
        credentials = "<credentials>@" if "@" in parts.netloc else ""
        rest = "/<path>" if parts.path.strip("/") or parts.query else ""
        return marks.put(f"{parts.scheme}://{credentials}{shown}{f':{port}' if port else ''}{rest}")

    def _repository(self, match: re.Match[str], marks: Marks) -> str:
        """Return a repository as git names it over SSH; one of upstream stays."""
        user, host, path = match.groups()
        if is_page(f"https://{host}/{path}"):
            return marks.put(match[0])
        shown = host if is_public(host) else self._known.get(host.lower()) or self._names.of("host", host)
        who = user if user == "git" else self._names.of("user", user)
        return marks.put(f"{who}@{shown}:{self._names.of('repository', path)}")

    def _image(self, match: re.Match[str], marks: Marks) -> str:
        """Return the image of a container in a registry with a port."""
        host, port, path = match.groups()
        if is_public(host):
            return match[0]
        shown = self._known.get(host.lower()) or self._names.of("host", host)
        return marks.put(f"{shown}:{port}/{self._names.of('image', path)}")

    def _path(self, path: str, marks: Marks) -> str:
        end = "." if path.endswith(".") else ""
        path = path.rstrip(".")
        kept = shortened(path)
        return marks.put(self._named(kept, marks) if kept else self._names.of("path", path)) + end

    def _named(self, text: str, marks: Marks) -> str:
        """Replace the names that are known."""
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda found: marks.put(self._known[found[0].lower()]), text)


def _at(text: str, spans: Iterable[tuple[int, int]], replace: Callable[[str], str]) -> str:
    """Replace parts of `text`; of parts that overlap, the one that begins first and is longest."""
    out, last = [], 0
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= last and end > start:
            out += [text[last:start], replace(text[start:end])]
            last = end
    return "".join([*out, text[last:]])
