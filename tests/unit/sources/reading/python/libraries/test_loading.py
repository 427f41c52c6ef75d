"""Files that a script loads: found where the script finds them, read as plain data, each value with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tables import Case, parametrized
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


@parametrized(__file__, "loading.txt")
def test_what_is_known_after_a_script(session: Session, case: Case) -> None:
    case.check(session.checked(case.text))


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
