"""Files that a script loads: found where the script finds them, read as plain data, each value with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.python.outcome_for_tests import Session
from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.python.values.core import Start

IMPORTS = """
import hydra, json, os, toml, tomli, tomllib, yaml
from omegaconf import DictConfig, OmegaConf
from pathlib import Path
"""
FILES = {
    "a.yaml": "n: 1\nm:\n  k: [1, a]\n  j: 2\n",
    "b.json": '{"n": 1,\n "m": {"k": [true, null]}}',
    "c.toml": "n = 1\n[m]\nk = [1]\n",
    "d.txt": "text\n",
    "bad.yaml": "a: [",
    "bad.json": "[1]",
    "e.yaml": "n: ${m}\nm: ???\nk: [1, '${n}', 2]\nj: {i: '${n}-x'}\ni: x\n",
    "sub/f.yaml": "n: 2\n",
}


@pytest.fixture
def session(tmp_path: Path) -> Session:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return Session(tmp_path, IMPORTS)


def test_files_are_opened_and_parsed(session: Session) -> None:
    assert session.filled(LOADED) == LOADED


LOADED = r"""
>>> with open("a.yaml") as f:
>>>     x = yaml.safe_load(f)
f = io.TextIOWrapper@1:6(path='a.yaml')
x = {'n': 1@a.yaml:1:1, 'm': {'k': [1@a.yaml:3:3, 'a'@a.yaml:3:3]@a.yaml:3:3, 'j': 2@a.yaml:4:3}@a.yaml:2:1}@2:9
file a.yaml@script() now 'settings'

>>> [yaml.load(open("a.yaml"), Loader=yaml.X), yaml.full_load(open("a.yaml", "r")), yaml.unsafe_load(stream=open("a.yaml", mode="rb"))]
[{'n': 1@a.yaml:1:1, 'm': {'k': [1@a.yaml:3:3, 'a'@a.yaml:3:3]@a.yaml:3:3, 'j': 2@a.yaml:4:3}@a.yaml:2:1}@1:2, {'n': 1@a.yaml:1:1, 'm': {'k': [1@a.yaml:3:3, 'a'@a.yaml:3:3]@a.yaml:3:3, 'j': 2@a.yaml:4:3}@a.yaml:2:1}@1:44, {'n': 1@a.yaml:1:1, 'm': {'k': [1@a.yaml:3:3, 'a'@a.yaml:3:3]@a.yaml:3:3, 'j': 2@a.yaml:4:3}@a.yaml:2:1}@1:81]
file a.yaml@script() now 'settings'
file a.yaml@script() now 'settings'
file a.yaml@script() now 'settings'

>>> [json.load(open("b.json")), json.load(fp=open("b.json"))]
[{'n': 1@b.json:1:2, 'm': {'k': [True@b.json:2:8, None@b.json:2:8]@b.json:2:8}@b.json:2:2}@1:2, {'n': 1@b.json:1:2, 'm': {'k': [True@b.json:2:8, None@b.json:2:8]@b.json:2:8}@b.json:2:2}@1:29]
file b.json@script() now 'settings'
file b.json@script() now 'settings'

>>> [tomllib.load(open("c.toml", "rb")), tomli.load(open("c.toml")), toml.load("c.toml"), tomllib.load(fp=open("c.toml"))]
[{'n': 1@c.toml:1:1, 'm': {'k': [1@c.toml:3:1]@c.toml:3:1}@c.toml:2:2}@1:2, {'n': 1@c.toml:1:1, 'm': {'k': [1@c.toml:3:1]@c.toml:3:1}@c.toml:2:2}@1:38, <computed at run time>@1:66, {'n': 1@c.toml:1:1, 'm': {'k': [1@c.toml:3:1]@c.toml:3:1}@c.toml:2:2}@1:87]
file c.toml@script() now 'settings'
file c.toml@script() now 'settings'
file c.toml@script() now 'settings'

>>> [open("d.txt").read(), open(file="d.txt").read(), open("none.txt").read(), open("d.txt").readlines(), open("d.txt").close()]
['text\n'@1:2, 'text\n'@1:24, <computed at run time>@1:51, <computed at run time>@1:76, None@1:103]

>>> open("d.txt", "w")
>>> [open("d.txt").read(), Path("d.txt").read_text()]
[<computed at run time>@2:2, <computed at run time>@2:24]
writes d.txt

>>> [open("./a.yaml", "r+"), yaml.safe_load(open("a.yaml"))]
[io.TextIOWrapper@1:2(path=<computed at run time>)@1:2, <computed at run time>@1:26]
writes a.yaml

>>> [open("a.yaml", u()), yaml.safe_load(open("a.yaml"))]
[io.TextIOWrapper@1:2(path=<computed at run time>)@1:2, <computed at run time>@1:23]
writes a.yaml

>>> [open(u(), "w"), open(), open("d.txt", None), open("a.yaml", "a").read()]
[io.TextIOWrapper@1:2(path=<computed at run time>)@1:2, io.TextIOWrapper@1:18()@1:18, io.TextIOWrapper@1:26(path=<computed at run time>)@1:26, <computed at run time>@1:47]
writes a.yaml
writes d.txt

>>> [yaml.safe_load("n: 1"), tomllib.loads("n = 1"), tomllib.loads(s="m = 2"), json.loads('{"n": [1]}'), json.loads(s="1"), json.loads("[1")]
[{'n': 1}@1:2, {'n': 1}@1:26, {'m': 2}@1:50, {'n': [1]}@1:76, 1@1:102, <computed at run time>@1:121]

>>> [yaml.safe_load("a: ["), yaml.safe_load(u()), yaml.safe_load(1), yaml.safe_load(), tomllib.loads("a"), json.loads(u()), json.loads()]
[<computed at run time>@1:2, <computed at run time>@1:26, <computed at run time>@1:47, <computed at run time>@1:66, <computed at run time>@1:84, <computed at run time>@1:104, <computed at run time>@1:121]

>>> yaml.safe_load(open("none.yaml"))
<computed at run time>
file none.yaml@script() now 'missing'

>>> [yaml.safe_load(Path("sub/f.yaml").read_text()), yaml.safe_load(Path("sub/f.yaml").open()), yaml.safe_load(Path("sub/f.yaml").open("a"))]
[{'n': 2}@1:2, {'n': 2@sub/f.yaml:1:1}@1:50, <computed at run time>@1:93]
writes sub/f.yaml
file sub/f.yaml@script() now 'settings'

>>> yaml.safe_load(open(os.path.abspath("sub/../a.yaml")))
{'n': 1@a.yaml:1:1, 'm': {'k': [1@a.yaml:3:3, 'a'@a.yaml:3:3]@a.yaml:3:3, 'j': 2@a.yaml:4:3}@a.yaml:2:1}
file a.yaml@script() now 'settings'
"""


def test_a_file_that_is_not_there_or_not_readable_is_unknown(session: Session) -> None:
    with pytest.raises(InputError, match=r"bad\.yaml"):
        session.outcome("yaml.safe_load(open('bad.yaml'))")
    # Data, not settings.
    assert session.outcome("yaml.safe_load(open('bad.json'))") == ["<computed at run time>"]
    (session.folder / "latin").write_bytes(b"\xff\xfe\x00")
    (session.folder / "large").write_bytes(b"x" * 5_000_001)
    assert session.outcome("[open('latin').read(), open('large').read()]") == [
        "[<computed at run time>@1:2, <computed at run time>@1:24]"
    ]
    (session.folder / "large").write_bytes(b"x" * 5_000_000)
    assert session.outcome("len(open('large').read())") == ["5000000"]


def test_files_that_the_launch_script_writes_have_its_text(session: Session) -> None:
    files = {"a.yaml": "n: 7\n", "./none.yaml": None, "x/../sub/f.yaml": "n: [", "d.txt": "new", "y.txt": None}
    session.start = Start((), Place(str(session.folder / "run.sh"), 3, 1), files=files)
    assert session.filled(WRITTEN) == WRITTEN


WRITTEN = r"""
>>> [yaml.safe_load(open("./a.yaml")), yaml.safe_load(open("none.yaml")), open("d.txt").read(), open("y.txt").read()]
[{'n': 7@./a.yaml:1:1}@1:2, <computed at run time>@1:36, 'new'@1:71, <computed at run time>@1:93]

>>> yaml.safe_load(open("sub/f.yaml"))
<computed at run time>
file sub/f.yaml:2: not valid YAML: did not find expected node content; expected a YAML file@script() now 'missing'
"""


def test_files_are_looked_for_where_the_script_is_started_and_beside_it(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, current = session.folder / "started", session.folder / "current"
    for folder in (started / "in", current):
        folder.mkdir(parents=True)
    monkeypatch.chdir(current)
    read = "[open(name + '.txt').read() for name in 'abcd']"
    for number, folder in enumerate((current, session.folder, current / "in", started / "in")):
        for name in "abcd"[number:]:
            (folder / f"{name}.txt").parent.mkdir(exist_ok=True)
            (folder / f"{name}.txt").write_text(f"{number}")
    session.start = Start((), Place(str(started / "run.sh"), 3, 1), folder="in")
    assert session.outcome(read) == ["['0'@1:2, '1'@1:2, '2'@1:2, '3'@1:2]"]
    session.start = Start((), None, folder="in")
    assert session.outcome(read) == ["['0'@1:2, '1'@1:2, '2'@1:2, '2'@1:2]"]
    monkeypatch.setenv("HOME", str(started / "in"))
    assert session.outcome("open('~/d.txt').read()") == ["'3'"]


def test_a_file_of_settings_that_is_handed_over_stands_for_one_that_is_not_known(session: Session) -> None:
    session.start = Start(None, None, settings=str(session.folder / "sub/f.yaml"))
    assert session.filled(HANDED_OVER) == HANDED_OVER


HANDED_OVER = r"""
>>> [yaml.safe_load(open(u())), OmegaConf.load(u()), yaml.safe_load(open("a.yaml")), yaml.safe_load(open(1))]
[{'n': 2@sub/f.yaml:1:1}@1:2, omegaconf.DictConfig(n=2@sub/f.yaml:1:1)@1:29, {'n': 1@a.yaml:1:1, 'm': {'k': [1@a.yaml:3:3, 'a'@a.yaml:3:3]@a.yaml:3:3, 'j': 2@a.yaml:4:3}@a.yaml:2:1}@1:50, <computed at run time>@1:82]
file sub/f.yaml@sub/f.yaml() now 'settings'
file sub/f.yaml@sub/f.yaml() now 'settings'
file a.yaml@script() now 'settings'
"""


def test_omegaconf_makes_containers_whose_keys_are_attributes(session: Session) -> None:
    assert session.filled(CONTAINERS) == CONTAINERS


CONTAINERS = r"""
>>> c = OmegaConf.load("a.yaml")
>>> [c.n, c.m.k, c["m"]["j"], c]
[1@2:2, [1@a.yaml:3:3, 'a'@a.yaml:3:3]@2:7, 2@2:14, omegaconf.DictConfig(n=1@a.yaml:1:1, m=omegaconf.DictConfig(k=[1@a.yaml:3:3, 'a'@a.yaml:3:3]@a.yaml:3:3, j=2@a.yaml:4:3)@a.yaml:2:1)@2:27]
c = omegaconf.DictConfig(n=1@a.yaml:1:1, m=omegaconf.DictConfig(k=[1@a.yaml:3:3, 'a'@a.yaml:3:3]@a.yaml:3:3, j=2@a.yaml:4:3)@a.yaml:2:1)@1:5
file a.yaml@script() now 'settings'

>>> [OmegaConf.load("e.yaml"), OmegaConf.load(file_="sub/f.yaml"), OmegaConf.load("none.yaml"), OmegaConf.load(u()), OmegaConf.load()]
[omegaconf.DictConfig(n=<an interpolation>@e.yaml:1:1, m=<an interpolation>@e.yaml:2:1, k=[1@e.yaml:3:1, <an interpolation>@e.yaml:3:1, 2@e.yaml:3:1]@e.yaml:3:1, j=omegaconf.DictConfig(i=<an interpolation>@e.yaml:4:5)@e.yaml:4:1, i='x'@e.yaml:5:1)@1:2, omegaconf.DictConfig(n=2@sub/f.yaml:1:1)@1:28, <computed at run time>@1:64, <computed at run time>@1:93, <computed at run time>@1:114]
file e.yaml@script() now 'settings'
file sub/f.yaml@script() now 'settings'
file none.yaml@script() now 'missing'

>>> [OmegaConf.create({"a": {"b": 1}}), OmegaConf.create(obj={"a": "${b}"}), OmegaConf.create({"a": 1, **u()}), OmegaConf.create([1]), OmegaConf.create()]
[omegaconf.DictConfig(a=omegaconf.DictConfig(b=1@1:31)@1:25)@1:2, omegaconf.DictConfig(a=<an interpolation>@1:64)@1:37, <computed at run time>@1:74, <computed at run time>@1:109, <computed at run time>@1:132]

>>> [OmegaConf.create({"a": ["x", "${b}", ("???",)], "c": "???", "d": "x???"}), OmegaConf.create({"a": [*u()]})]
[omegaconf.DictConfig(a=['x'@1:26, <an interpolation>@1:31, (<an interpolation>@1:40)@1:39]@1:25, c=<an interpolation>@1:55, d='x???'@1:67)@1:2, omegaconf.DictConfig(a=[<computed at run time>]@1:100)@1:77]

>>> a, b = OmegaConf.create({"n": 1, "m": {"k": 1, "j": 2}}), OmegaConf.create({"m": {"k": 3, "i": 4}, "l": 5})
>>> c = OmegaConf.merge(a, b, {"n": 6}, {"m": {"h": 7}})
>>> a.n = 8
a = omegaconf.DictConfig(n=8@3:7, m=omegaconf.DictConfig(k=1@1:45, j=2@1:53)@1:39)@1:8
b = omegaconf.DictConfig(m=omegaconf.DictConfig(k=3@1:88, i=4@1:96)@1:82, l=5@1:105)@1:59
c = omegaconf.DictConfig(n=6@2:33, m=omegaconf.DictConfig(k=3@1:88, j=2@1:53, i=4@1:96, h=7@2:49)@2:43, l=5@1:105)@2:5

>>> [OmegaConf.merge({"a": {"b": 1}}, {"a": 2}), OmegaConf.merge({"a": 2}, {"a": {"b": 1}}), OmegaConf.merge(), OmegaConf.merge({"a": 1}, u())]
[omegaconf.DictConfig(a=2@1:41)@1:2, omegaconf.DictConfig(a=omegaconf.DictConfig(b=1@1:84)@1:78)@1:46, omegaconf.DictConfig()@1:90, omegaconf.DictConfig(a=<merged with something unknown: 1>@1:131, ..<merged with something unknown>)@1:109]

>>> a, b = OmegaConf.create({"n": 1, "m": {"k": 1}, "l": [1]}), OmegaConf.create({})
>>> if u():
>>>     b.n, b.m, b.o = 2, {"j": 3}, 4
>>> c = OmegaConf.merge(a, b)
>>> c.l.append(2)
None
a = omegaconf.DictConfig(n=1@1:31, m=omegaconf.DictConfig(k=1@1:45)@1:39, l=[1@1:55]@1:54)@1:8
b = omegaconf.DictConfig(n=2@3:21 maybe, m={'j': 3@3:30}@3:24 maybe, o=4@3:34 maybe)@1:61
c = omegaconf.DictConfig(n=<depends on a condition: 1 or 2>@3:21, m=omegaconf.DictConfig(k=1@1:45) | {'k': 1@1:45, 'j': 3@3:30}@3:24, l=[1@1:55, 2@5:12]@1:54, o=4@3:34 maybe)@4:5

>>> a, b = OmegaConf.create({"n": 1, "m": {"k": 1}}), OmegaConf.create({"m": {"j": 2}})
>>> u(b.m)
>>> c = OmegaConf.merge(a, b)
a = omegaconf.DictConfig(n=1@1:31, m=omegaconf.DictConfig(k=1@1:45)@1:39)@1:8
b = omegaconf.DictConfig(m=omegaconf.DictConfig(j=<u() may change it: 2>@1:80, ..<u() may change it>)@1:74)@1:51
c = omegaconf.DictConfig(n=1@1:31, m=omegaconf.DictConfig(k=<u() may change it: 1>@1:45, j=<u() may change it: 2>@1:80, ..<u() may change it>)@1:74)@3:5

>>> a, b = OmegaConf.create({"n": 1, "m": {"k": 1}}), OmegaConf.create({"m": {"j": 2}})
>>> u(b)
>>> c = OmegaConf.merge(a, b)
a = omegaconf.DictConfig(n=1@1:31, m=omegaconf.DictConfig(k=<u() may change it: 1>@1:45, ..<u() may change it>)@1:39)@1:8
b = omegaconf.DictConfig(m=<u() may change it>@1:74, ..<u() may change it>)@1:51
c = omegaconf.DictConfig(n=<u() may change it: 1>@1:31, m=<u() may change it>@1:74, ..<u() may change it>)@3:5

>>> d = {"k": [1], "m": {"j": [2]}}
>>> c = OmegaConf.create(d)
>>> c.k.append(3)
>>> e = OmegaConf.to_container(c)
>>> e["m"]["j"].append(4)
None
d = {'k': [1@1:12]@1:11, 'm': {'j': [2@1:28]@1:27}@1:21}@1:5
c = omegaconf.DictConfig(k=[1@1:12, 3@3:12]@1:11, m=omegaconf.DictConfig(j=[2@1:28]@1:27)@1:21)@2:5
e = {'k': [1@1:12, 3@3:12]@1:11, 'm': {'j': [2@1:28, 4@5:20]@1:27}@1:21}@4:5

>>> c = OmegaConf.create({"n": 1, "m": {"k": [1]}})
>>> [OmegaConf.to_container(c), OmegaConf.to_object(c), OmegaConf.to_container(cfg=c, resolve=True), OmegaConf.to_container(u()), OmegaConf.to_container(), OmegaConf.to_container({"a": c})]
[{'n': 1@1:28, 'm': {'k': [1@1:43]@1:42}@1:36}@2:2, {'n': 1@1:28, 'm': {'k': [1@1:43]@1:42}@1:36}@2:29, {'n': 1@1:28, 'm': {'k': [1@1:43]@1:42}@1:36}@2:53, <computed at run time>@2:98, <computed at run time>@2:127, {'a': {'n': 1@1:28, 'm': {'k': [1@1:43]@1:42}@1:36}@2:182}@2:153]
c = omegaconf.DictConfig(n=1@1:28, m=omegaconf.DictConfig(k=[1@1:43]@1:42)@1:36)@1:5

>>> c = OmegaConf.create({"n": 1})
>>> d = OmegaConf.to_container(c)
>>> d["n"] = 2
c = omegaconf.DictConfig(n=1@1:28)@1:5
d = {'n': 2@3:10}@2:5

>>> OmegaConf.from_dotlist(["a.b=1", "a.c=x y", "d", "e=", "f=[1, 2]", "g=${a}", "a.b=3"])
omegaconf.DictConfig(a=omegaconf.DictConfig(b=3, c='x y'), d=None, e=None, f=[1, 2], g=<an interpolation>)

>>> [OmegaConf.from_dotlist(dotlist=["a=1"]), OmegaConf.from_dotlist(["a=["]), OmegaConf.from_dotlist(["a=1", "a.b=2"]), OmegaConf.from_dotlist(u()), OmegaConf.from_dotlist()]
[omegaconf.DictConfig(a=1)@1:2, <computed at run time>@1:43, <computed at run time>@1:76, <computed at run time>@1:118, <computed at run time>@1:147]

$ train.py n=1 m.k=true
>>> OmegaConf.from_cli()
omegaconf.DictConfig(n=1@run.sh:3:1, m=omegaconf.DictConfig(k=True@run.sh:3:1)@run.sh:3:1)

$ train.py n=1
>>> OmegaConf.from_cli(["n=2"])
<taken from the command line>

$ train.py n={?}
>>> OmegaConf.from_cli()
<taken from the command line>

$ train.py {*}
>>> OmegaConf.from_cli()
<taken from the command line>

>>> OmegaConf.from_cli()
<taken from the command line>
"""


def test_hydra_composes_the_configuration_of_a_function(session: Session) -> None:
    folder = session.folder / "conf"
    (folder / "m").mkdir(parents=True)
    (folder / "config.yaml").write_text(
        "defaults:\n  - m: one\n  - _self_\nn: 1\nk:\n  - 1\n  - ???\nj:\n  i: ???\n  h: ${n}\n"
    )
    (folder / "m/one.yaml").write_text("size: 1\n")
    (folder / "m/two.yaml").write_text("size: 2\n")
    (folder / "broken.yaml").write_text("a: [")
    (session.folder / "here.yaml").write_text("n: 5\n")
    assert session.filled(COMPOSED) == COMPOSED


COMPOSED = r"""
$ train.py
>>> @hydra.main(config_path="conf", config_name="config")
>>> def main(cfg): return cfg
>>> main()
omegaconf.DictConfig(m=omegaconf.DictConfig(size=1@conf/m/one.yaml:1:1)@run.sh:3:1, n=1@conf/config.yaml:4:1, k=[1, <composed by Hydra>]@conf/config.yaml:5:1, j=omegaconf.DictConfig(i=<composed by Hydra>@conf/config.yaml:9:3, h=1@conf/config.yaml:10:3)@conf/config.yaml:8:1)
main = native hydra.main

$ train.py m=two n=3 +o=4
>>> @hydra.main("conf", "config", version_base=None)
>>> def main(cfg): return cfg
>>> main()
omegaconf.DictConfig(m=omegaconf.DictConfig(size=2@conf/m/two.yaml:1:1)@run.sh:3:1, n=3@run.sh:3:1, k=[1, <composed by Hydra>]@conf/config.yaml:5:1, j=omegaconf.DictConfig(i=<composed by Hydra>@conf/config.yaml:9:3, h=3@conf/config.yaml:10:3)@conf/config.yaml:8:1, o=4@run.sh:3:1)
main = native hydra.main

$ train.py {*}
>>> @hydra.main("conf", "config")
>>> def main(cfg): return cfg
>>> main()
omegaconf.DictConfig(m=omegaconf.DictConfig(size=<a word of the command line cannot be read>@conf/m/one.yaml:1:1, ..<a word of the command line cannot be read>)@run.sh:3:1, n=<a word of the command line cannot be read>@conf/config.yaml:4:1, k=<a word of the command line cannot be read>@conf/config.yaml:5:1, j=omegaconf.DictConfig(i=<a word of the command line cannot be read>@conf/config.yaml:9:3, h=<a word of the command line cannot be read>@conf/config.yaml:10:3, ..<a word of the command line cannot be read>)@conf/config.yaml:8:1, ..<a word of the command line cannot be read>)
main = native hydra.main

>>> @hydra.main("conf", "config")
>>> def main(cfg): return cfg
>>> main()
omegaconf.DictConfig(m=omegaconf.DictConfig(size=<the command line is not known>@conf/m/one.yaml:1:1, ..<the command line is not known>), n=<the command line is not known>@conf/config.yaml:4:1, k=<the command line is not known>@conf/config.yaml:5:1, j=omegaconf.DictConfig(i=<the command line is not known>@conf/config.yaml:9:3, h=<the command line is not known>@conf/config.yaml:10:3, ..<the command line is not known>)@conf/config.yaml:8:1, ..<the command line is not known>)
main = native hydra.main

$ train.py
>>> @hydra.main(config_path=None, config_name="here")
>>> def main(cfg): return cfg
>>> [main(), main(1)]
[omegaconf.DictConfig(n=5@here.yaml:1:1)@3:2, 1@3:10]
main = native hydra.main

$ train.py
>>> @hydra.main("conf", "none")
>>> def none(cfg): return cfg
>>> @hydra.main("conf", "broken")
>>> def broken(cfg): return cfg
>>> @hydra.main("conf", None)
>>> def unnamed(cfg): return cfg
>>> @hydra.main("conf", u())
>>> def unknown(cfg): return cfg
>>> @hydra.main(u(), "config")
>>> def elsewhere(cfg): return cfg
>>> @hydra.main("conf", "config", **u())
>>> def more(cfg): return cfg
>>> @hydra.main
>>> def bare(cfg): return cfg
>>> @hydra.main()
>>> def empty(cfg): return cfg
>>> [none(), broken(), unnamed(), unknown(), elsewhere(), more(), bare(), empty()]
[omegaconf.DictConfig(..<a configuration in the defaults list is not in the folder>)@17:2, <composed by Hydra>@17:10, <composed by Hydra>@17:20, <composed by Hydra>@17:31, <composed by Hydra>@17:42, <composed by Hydra>@17:55, <composed by Hydra>@17:63, <composed by Hydra>@17:71]
none = native hydra.main
broken = native hydra.main
unnamed = native hydra.main
unknown = native hydra.main
elsewhere = native hydra.main
more = native hydra.main
bare = native hydra.main
empty = native hydra.main
"""
