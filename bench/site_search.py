"""How often the search of the web site has the right page first, for the logs that symptoms are tested with.

`python -m bench.site_search` runs the JavaScript of the site in node. A page is right if it is that of the log's rule,
or of a rule with the same error (``same_error`` in ``tests/cases/cases.toml``): the text alone cannot tell these apart.
With ``--misses``, the logs of which another page is first are listed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import tomli

from web import contents
from web.output import search_index

_ROOT = Path(__file__).resolve().parent.parent
_CASES = _ROOT / "tests" / "cases"
_PROGRAM = """
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const { find } = await import(pathToFileURL(process.argv[2]));
const { pages, texts } = JSON.parse(readFileSync(process.argv[3], "utf8"));
const found = texts.map((text) => { const begun = performance.now(); const [first] = find(text, pages);
  return { id: first?.page.id ?? "", why: first?.why ?? "", ms: performance.now() - begun }; });
console.log(JSON.stringify(found));
"""


class Text(NamedTuple):
    """A log, and the rules whose pages are right."""

    kind: str
    name: str
    text: str
    rule: str
    """Its own rule; empty if several are right alike."""
    right: frozenset[str]


def texts() -> Iterator[Text]:
    """Yield the kept logs of real failures, the texts that users reported, and the same failures in other words."""
    table = tomli.loads((_CASES / "cases.toml").read_text(encoding="utf-8"))
    groups = [frozenset(group["rules"]) for group in table["same_error"]]

    def alike(rule: str) -> frozenset[str]:
        return frozenset({rule}).union(*(group for group in groups if rule in group))

    for path in sorted((_CASES / "logs").glob("*.log")):
        text = path.read_text(encoding="utf-8", errors="replace")
        yield Text("kept logs", path.stem, text, path.stem, alike(path.stem))
    for case in table["case"]:
        if "log" in case:
            name = str(case.get("name") or case["url"])
            yield Text("reported texts", name, case["log"], case["rule"], alike(case["rule"]))
    for number, case in enumerate(table["log"]):
        rules = frozenset(case["rules"])
        yield Text("other words", f"log {number}", case["log"], "", rules.union(*map(alike, rules)))


class Answer(NamedTuple):
    """The first page that the search finds."""

    rule: str
    """The rule whose page it is; empty for another page, or none."""
    why: str
    ms: float


def ask(asked: list[str]) -> list[Answer]:
    """Return the first page for each text, from the site's own JavaScript in node. Raises OSError without node."""
    node = shutil.which("node")
    if node is None:
        raise FileNotFoundError("node is not installed")
    pages = [page for yielded in contents.PAGES for page in yielded()]
    with tempfile.TemporaryDirectory() as folder:
        scripts = Path(folder) / "search"
        shutil.copytree(_ROOT / "web" / "static" / "search", scripts)
        # node reads modules of JavaScript as such only below a package that says so.
        (Path(folder) / "package.json").write_text('{"type": "module"}', encoding="utf-8")
        program, given = Path(folder) / "ask.js", Path(folder) / "given.json"
        program.write_text(_PROGRAM, encoding="utf-8")
        given.write_text(json.dumps({"pages": list(search_index.entries(pages)), "texts": asked}), encoding="utf-8")
        command = [node, str(program), str(scripts / "find.js"), str(given)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [Answer(one["id"], one["why"], one["ms"]) for one in json.loads(done.stdout)]


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.site_search", description=__doc__.splitlines()[0])
    parser.add_argument("--misses", action="store_true", help="list the texts of which another page is first")
    given, all_texts = parser.parse_args(), list(texts())
    answers = ask([one.text for one in all_texts])
    both = list(zip(all_texts, answers, strict=True))
    for kind in (*dict.fromkeys(one.kind for one in all_texts), ""):
        some = [(text, answer) for text, answer in both if not kind or text.kind == kind]
        right = sum(answer.rule in text.right for text, answer in some)
        exact = sum(answer.rule == text.rule for text, answer in some if text.rule)
        stated = f"; {exact} of {sum(bool(text.rule) for text, _ in some)} the very rule" if exact else ""
        print(f"{kind or 'all':<16}{right} of {len(some)} right pages first ({100 * right / len(some):.1f} %){stated}")
    slowest = max(answers, key=lambda one: one.ms)
    print(f"{'time':<16}{sum(one.ms for one in answers) / len(answers):.1f} ms a text, at most {slowest.ms:.0f} ms")
    for text, answer in both if given.misses else ():
        if answer.rule not in text.right:
            print(f"  {text.kind}: {text.name}: {answer.rule or 'no rule'} ({answer.why}) instead of {text.rule}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
