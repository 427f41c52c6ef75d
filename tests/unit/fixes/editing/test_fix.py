"""``vcompat fix``: the diff, the written files, the changes that cannot be made, and the skipped findings."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from vcompat.facts.facts import Place
from vcompat.fixes.editing.change import ADD, SET, Cannot, Edit
from vcompat.fixes.editing.edit import Changed, edited
from vcompat.foundation.errors import InputError

SLEEPING = ["--no-probe", "--no-config", "--set", "packages.trl=1.9.0", "--set", "packages.vllm=0.24.0"]
SCRIPT = """\
from trl import GRPOConfig  # the usual

config = GRPOConfig(
    output_dir="out",      # where
    use_vllm=True, vllm_mode='colocate',
    vllm_enable_sleep_mode=True,   # saves memory
)
"""
YAML = """\
# how we train
use_vllm: true    # fast
vllm_mode:   "colocate"
vllm_enable_sleep_mode: yes  # saves memory
reward_weights:
    - 1.0
    -   0.5
"""
TOML = """\
# how we train
use_vllm = true    # fast
vllm_mode   = 'colocate'
vllm_enable_sleep_mode=true  # saves memory
"""


def fix(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vcompat", "fix", *SLEEPING, *arguments],
        capture_output=True, text=True, cwd=folder, check=False,
    )  # fmt: skip


def unwrapped(text: str) -> str:
    """Text that was wrapped to the width of a terminal, in one line."""
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("name", "before", "old", "new"),
    [
        ("train.py", SCRIPT, "sleep_mode=True,", "sleep_mode=False,"),
        ("train.py", SCRIPT.replace("=True,   #", "\t=  True ,   #"), "\t=  True ,", "\t=  False ,"),
        ("train.py", SCRIPT.replace("\n", "\r\n"), "sleep_mode=True,", "sleep_mode=False,"),
        ("train.py", "kw = {'vllm_enable_sleep_mode': True}\nGRPOConfig(use_vllm=True, vllm_mode='colocate', **kw)\n", "mode': True", "mode': False"),
        ("train.py", "c = GRPOConfig(use_vllm=True, vllm_mode='colocate')\nc.vllm_enable_sleep_mode = True\n", "= True\n", "= False\n"),
        ("grpo.yaml", YAML, "mode: yes", "mode: false"),
        ("grpo.yaml", YAML.replace("yes", "!!bool 'true'"), "!!bool 'true'", "false"),
        ("grpo.toml", TOML, "mode=true", "mode=false"),
    ],
)  # fmt: skip
def test_only_the_value_is_changed(tmp_path: Path, name: str, before: str, old: str, new: str) -> None:
    path = tmp_path / name
    path.write_bytes(before.encode())
    shown = fix(tmp_path, name)
    assert shown.returncode == 1, shown.stderr
    assert f"--- a/{name}" in shown.stdout and "1 file to change; --write writes it" in shown.stdout
    assert path.read_bytes() == before.encode()
    written = fix(tmp_path, name, "--write")
    assert written.returncode == 0, written.stderr
    assert path.read_bytes() == before.replace(old, new).encode()
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
    again = fix(tmp_path, name)
    assert "nothing to change" in again.stdout and again.returncode == 0


def test_backup_keeps_the_original_file(tmp_path: Path) -> None:
    (tmp_path / "grpo.yaml").write_text(YAML)
    os.chmod(tmp_path / "grpo.yaml", 0o640)
    assert fix(tmp_path, "grpo.yaml", "--write", "--backup").returncode == 0
    assert (tmp_path / "grpo.yaml.orig").read_text() == YAML
    assert stat.S_IMODE(os.stat(tmp_path / "grpo.yaml").st_mode) == 0o640


def test_a_symbolic_link_stays_a_symbolic_link(tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_text(YAML)
    (tmp_path / "grpo.yaml").symlink_to("real.yaml")
    assert fix(tmp_path, "grpo.yaml", "--write").returncode == 0
    assert (tmp_path / "grpo.yaml").is_symlink()
    assert "mode: false" in (tmp_path / "real.yaml").read_text()


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("ON = True\n" + SCRIPT.replace("mode=True,  ", "mode=ON,  "), "vllm_enable_sleep_mode is computed"),
        (SCRIPT.replace("mode=True,  ", "mode=not False,  "), "vllm_enable_sleep_mode is computed"),
        (SCRIPT.replace("mode=True,  ", "mode=True and True,  "), "vllm_enable_sleep_mode is computed"),
        (SCRIPT.replace("mode=True,  ", "mode=True if True else False,  "), "vllm_enable_sleep_mode is computed"),
        (SCRIPT.replace("mode=True,  ", "mode=bool(1),  "), "vllm_enable_sleep_mode is computed"),
        (SCRIPT.replace("mode=True,  ", "mode=f(),  "), "not certain"),
    ],
)
def test_a_computed_value_is_not_changed(tmp_path: Path, script: str, why: str) -> None:
    (tmp_path / "train.py").write_text(script)
    done = fix(tmp_path, "train.py", "--write")
    assert re.search(rf"sleep-mode-generates-with-first-checkpoint: .*{re.escape(why)}", unwrapped(done.stdout))
    assert "nothing to change" in done.stdout
    assert (tmp_path / "train.py").read_text() == script


def test_a_finding_that_no_setting_fixes_is_listed_with_its_fix(tmp_path: Path) -> None:
    (tmp_path / "grpo.yaml").write_text(YAML)
    done = fix(tmp_path, "grpo.yaml", "--target", "8xV100-32GB")
    assert 'volta-not-built: needs a manual choice: pip install "vllm' in unwrapped(done.stdout)


def test_a_change_lists_every_finding_that_it_fixes(tmp_path: Path) -> None:
    (tmp_path / "grpo.yaml").write_text(YAML)
    done = fix(tmp_path, "grpo.yaml")
    expected = "sleep-mode-generates-with-first-checkpoint, sleep-crashes-at-exit: vllm_enable_sleep_mode=False"
    assert f"fixes: {expected}" in unwrapped(done.stdout)


def edit(path: Path, setting: str, value: object, line: int, column: int, adds: bool = False) -> Edit:
    return Edit("a-rule", setting, ADD if adds else SET, Place(str(path), line, column), value)


def after(one: Edit) -> str:
    """The text of the file after a change."""
    (data,) = edited([one], {}).values()
    return data.decode()


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("GRPOConfig()\n", "GRPOConfig(vllm_mode='colocate')\n"),
        ("GRPOConfig(a=1)\n", "GRPOConfig(a=1, vllm_mode='colocate')\n"),
        ("GRPOConfig(\n    a=1,  # one\n    b=2,  # two\n)\n", "GRPOConfig(\n    a=1,  # one\n    b=2,  # two\n    vllm_mode='colocate',\n)\n"),
        ("GRPOConfig(\n    a=1,\n    b=2\n)\n", "GRPOConfig(\n    a=1,\n    b=2,\n    vllm_mode='colocate'\n)\n"),
        ("GRPOConfig(\n    a=1,  # one\n    b=2  # two\n)\n", "GRPOConfig(\n    a=1,  # one\n    b=2,  # two\n    vllm_mode='colocate'\n)\n"),
        ("GRPOConfig(\n    a=1,\n)\n", "GRPOConfig(\n    a=1,\n    vllm_mode='colocate',\n)\n"),
    ],
)  # fmt: skip
def test_a_setting_is_added_in_the_layout_of_existing_ones(tmp_path: Path, before: str, expected: str) -> None:
    path = tmp_path / "train.py"
    path.write_text(before)
    assert after(edit(path, "vllm_mode", "colocate", 1, 1, adds=True)) == expected


def test_a_setting_is_added_to_yaml_and_toml(tmp_path: Path) -> None:
    for name, before, line in (
        ("a.yaml", "a: 1  # one\n", "vllm_mode: colocate\n"),
        ("b.yaml", "a: 1", "\nvllm_mode: colocate\n"),
        ("c.yaml", "", "vllm_mode: colocate\n"),
        ("d.toml", "a = 1 # one\n", 'vllm_mode = "colocate"\n'),
    ):
        (tmp_path / name).write_text(before)
        assert after(edit(tmp_path / name, "vllm_mode", "colocate", 0, 0, adds=True)) == before + line


@pytest.mark.parametrize(
    ("name", "text", "line", "column", "adds", "why"),
    [
        ("t.py", "GRPOConfig(**kw)\n", 1, 1, True, "might already set vllm_mode"),
        ("t.py", "x = 1\n", 1, 9, False, "change .* by hand: vllm_mode='colocate'"),
        ("t.py", "x = (\n", 1, 1, False, "libcst cannot parse this file"),
        ("t.yaml", "{a: 1}\n", 0, 0, True, "not a block mapping"),
        ("t.yaml", "vllm_mode: a\n", 0, 0, True, "vllm_mode is already set"),
        ("t.yaml", "a: 1\n---\nb: 2\n", 0, 0, True, "cannot parse|several documents"),
        ("t.yaml", "vllm_mode: [a]\n", 1, 1, False, "not a plain scalar"),
        ("t.yaml", "vllm_mode: &x a\n", 1, 1, False, "not a plain scalar"),
        ("t.yaml", "b: 1\n", 1, 1, False, "change .* by hand: vllm_mode='colocate'"),
        ("t.toml", "b = 1\n", 1, 1, False, "change .* by hand: vllm_mode='colocate'"),
        ("t.json", "{}", 1, 1, False, "unsupported file type"),
    ],
)
def test_a_change_that_cannot_be_made_is_reported_with_its_reason(
    tmp_path: Path, name: str, text: str, line: int, column: int, adds: bool, why: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(Cannot, match=why):
        edited([edit(tmp_path / name, "vllm_mode", "colocate", line, column, adds)], {})


def test_no_file_is_written_if_one_changed_since_it_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from vcompat.cli import fix as command

    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_text("vllm_mode: server\n")
    second.write_text("vllm_mode: server\n")
    changed = [Changed(str(path), path.read_bytes(), b"vllm_mode: colocate\n") for path in (first, second)]
    second.write_text("vllm_mode: mine\n")
    with pytest.raises(InputError, match=r"b\.yaml: changed while it was read"):
        command._write(changed, backup=True)
    assert first.read_text() == "vllm_mode: server\n"
    assert second.read_text() == "vllm_mode: mine\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.yaml", "b.yaml"]


def test_a_string_is_quoted_if_yaml_would_parse_it_as_another_type(tmp_path: Path) -> None:
    for value, shown in (("no", '"no"'), ("colocate", "colocate"), ("a: b", '"a: b"'), (0.3, "0.3"), (True, "true")):
        (tmp_path / "a.yaml").write_text("x:  old  # it\n")
        assert after(edit(tmp_path / "a.yaml", "x", value, 1, 1)) == f"x:  {shown}  # it\n"


def test_a_missing_parser_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    block = (
        "import sys; sys.modules['libcst'] = None; from vcompat.cli.program import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", block, "fix", *SLEEPING, "train.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert (done.returncode, done.stderr) == (
        2,
        "vcompat: fix: libcst is not installed, which changes train.py:6:28; "
        "expected pip install libcst ruamel.yaml tomlkit\n",
    )  # fmt: skip


def test_a_line_with_characters_beyond_ascii_before_the_setting_is_changed(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(
        'c = GRPOConfig("größe/日本🙂", use_vllm=True, vllm_mode="colocate", vllm_enable_sleep_mode=True)\n'
    )
    before = path.read_text()
    done = fix(tmp_path, "train.py", "--write")
    assert done.returncode == 0, done.stderr
    assert path.read_text() == before.replace("sleep_mode=True", "sleep_mode=False")
