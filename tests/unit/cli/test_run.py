"""``vcompat run`` with real processes: what the command sees is what it sees without vcompat, but for the patches."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.patching.launched import CALL, PATCH, ROOT, Place
from vcompat.cli.shared.interpreters import python_of

SCRIPT = f"""
import sys
{CALL}
"""
#: A script that any release of TRL refuses to train with.
REFUSED = """
from trl import GRPOConfig, GRPOTrainer
config = GRPOConfig(use_vllm=True, vllm_mode="colocate", sleep_at_night=True)
GRPOTrainer(model="Qwen/Qwen2.5-0.5B", args=config, reward_funcs=print)
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "vcompat.toml").write_text('[settings]\n"packages.trl" = "1.0.0"\n')
    return Place(tmp_path)


def test_a_script_gets_the_patches_and_its_exit_code_is_the_run_s(place: Place) -> None:
    (place.folder / "train.py").write_text(f"{SCRIPT}\nsys.exit(int(sys.argv[1]))")
    done = place.run("--", sys.executable, "train.py", "7")
    assert done[:2] == (7, "patched\n"), done.stderr


def test_a_file_of_the_command_that_the_check_does_not_find_is_named(place: Place) -> None:
    done = place.run("--", "sh", "-c", f"exit 4; {sys.executable} elsewhere.py || torchrun elsewhere.py")
    assert done.code == 4 and "not found" not in done.stderr, "it is never started"
    done = place.run("--", "sh", "-c", "test -e stop || torchrun elsewhere.py; exit 4")
    assert done.code == 4 and "not checked, since it was not found: elsewhere.py" in done.stderr


def test_the_words_of_the_command_need_no_dashes_before_them(place: Place) -> None:
    done = place.run(
        "--no-check", sys.executable, "-c", "import sys; print(sys.argv[1:])", "--force", "-x", "--", "a b"
    )
    assert done.stdout == "['--force', '-x', '--', 'a b']\n"


def test_arguments_of_the_command_are_not_printed(place: Place) -> None:
    done = place.run("--", sys.executable, "-c", "", "--hf-token", "a-secret")
    assert done.code == 0 and "a-secret" not in done.stderr and "starting python" in done.stderr


def test_standard_output_and_input_belong_to_the_command(place: Place) -> None:
    environment = {**place.environment(VCOMPAT_RUN_DIR=str(place.runs)), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "vcompat", "run", "--", "cat"],
        input=b"\0\xff in", capture_output=True, timeout=300, check=False, env=environment, cwd=place.folder,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"\0\xff in")


def test_the_command_is_the_same_process(place: Place) -> None:
    environment = {**place.environment(VCOMPAT_RUN_DIR=str(place.runs)), "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "vcompat", "run", "--no-check", "--", "sh", "-c", "echo $$ $PPID"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment, cwd=place.folder) as started:
        output, _ = started.communicate(timeout=300)
    assert output.split() == [str(started.pid), str(os.getpid())]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGUSR1])
def test_a_signal_to_the_process_reaches_the_command(place: Place, number: signal.Signals) -> None:
    code = (
        "import signal, time; signal.signal(signal.SIGINT, signal.SIG_DFL); print('ready', flush=True); time.sleep(60)"
    )
    environment = {**place.environment(VCOMPAT_RUN_DIR=str(place.runs)), "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "vcompat", "run", "--no-check", "--", sys.executable, "-c", code]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment, cwd=place.folder) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "ready\n"
        started.send_signal(number)
        assert started.wait(timeout=300) == -number


STATE = """
import json, os, signal
ignored = [s.name for s in signal.Signals if signal.getsignal(s) == signal.SIG_IGN]
status = dict(line.split(':', 1) for line in open('/proc/self/status').read().splitlines() if ':' in line)
mask = [status[name].strip() for name in ('SigBlk', 'SigIgn')]
own = {k: v for k, v in os.environ.items() if not k.startswith('VCOMPAT_') and k not in ('PYTHONPATH', '_', 'LC_CTYPE')}
print(json.dumps([ignored, mask, sorted(os.listdir('/proc/self/fd')), own, os.getcwd(), os.umask(0), os.nice(0)]))
"""


def test_signals_files_variables_folder_and_mask_are_as_without_vcompat(place: Place) -> None:
    words = [sys.executable, "-c", STATE]
    environment = place.environment(VCOMPAT_RUN_DIR=str(place.runs))
    direct = subprocess.run(words, capture_output=True, text=True, check=True, env=environment, cwd=place.folder)
    done = place.run("--no-check", "--", *words)
    assert json.loads(done.stdout) == json.loads(direct.stdout)


def test_a_program_that_is_not_python_is_not_told_another_locale(place: Place) -> None:
    """Python sets LC_CTYPE in its own environment where the locale is C; `env` is started without it."""
    done = place.run("--no-check", "--", "env", LC_ALL="", LANG="C")
    assert "LC_CTYPE" not in done.stdout
    assert "LC_CTYPE=C.UTF-8\n" in place.run("--no-check", "--", "env", LC_CTYPE="C.UTF-8").stdout


def test_a_reader_that_stops_ends_the_command_as_it_ends_others(place: Place) -> None:
    environment = {**place.environment(VCOMPAT_RUN_DIR=str(place.runs)), "PYTHONPATH": str(ROOT)}
    words = f"{sys.executable} -m vcompat run --no-check -- yes | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", words], capture_output=True, text=True, timeout=300, check=False, env=environment
    )
    assert done.stdout == f"y\n{128 + signal.SIGPIPE}\n"


def test_an_unfixed_certain_error_keeps_the_command_from_being_started(place: Place) -> None:
    (place.folder / "train.py").write_text(f"print('started')\n{REFUSED}")
    done = place.run("--", sys.executable, "train.py")
    assert (done.code, done.stdout) == (1, "")
    assert "error: GRPOConfig of TRL 1.0.0 has no sleep_at_night" in done.stderr
    assert "at train.py:4:" in done.stderr and "--force starts it anyway" in done.stderr
    assert not place.runs.exists()


@pytest.mark.parametrize("option", ["--force", "--no-check"])
def test_the_check_can_be_overruled(place: Place, option: str) -> None:
    (place.folder / "train.py").write_text(f"{STARTED}{REFUSED}")
    (place.folder / "stop").touch()
    done = place.run(option, "--", sys.executable, "train.py")
    assert (done.code, done.stdout) == (3, "started\n")
    assert ("sleep_at_night" in done.stderr) == (option == "--force")


def test_the_launch_script_of_the_command_is_checked(place: Place) -> None:
    (place.folder / "train.py").write_text(REFUSED)
    (place.folder / "launch.sh").write_text('torchrun --nproc_per_node "$1" train.py\n')
    done = place.run("--", "bash", "launch.sh", "4")
    assert done.code == 1
    assert "4 processes" in done.stderr and "at train.py:3:" in done.stderr


#: How a script begins that must not get further; only its run tells whether the file is there.
STARTED = "import os, sys\nif os.path.exists('stop'):\n    print('started')\n    sys.exit(3)\n"
COLOCATED = """
from trl import GRPOConfig, GRPOTrainer
config = GRPOConfig(use_vllm=True, vllm_mode="colocate")
GRPOTrainer(model="Qwen/Qwen2.5-0.5B", args=config, reward_funcs=print)
"""
#: A certain error that a patch fixes: vllm_cpu_weight_sync.
FIXED_BY_PATCH = '[settings]\n"packages.trl" = "1.16.0"\n"packages.vllm" = "0.31.0"\n"vllm.backend" = "cpu"\n"host.avx512" = true\n"plan.model_dtype" = "bfloat16"\n'


def test_what_a_patch_of_the_run_fixes_does_not_keep_it_from_being_started(place: Place) -> None:
    (place.folder / "vcompat.toml").write_text(FIXED_BY_PATCH)
    (place.folder / "train.py").write_text(f"{STARTED}{COLOCATED}")
    (place.folder / "stop").touch()
    words = (sys.executable, "train.py")
    assert place.run("--", *words)[:2] == (3, "started\n")
    refused = place.run("--skip", "vllm_cpu_weight_sync", "--", *words)
    assert (refused.code, refused.stdout) == (1, ""), refused.stderr
    disabled = place.run("--", *words, VCOMPAT_DISABLE="vllm_cpu_weight_sync")
    assert disabled.code == 1


@pytest.mark.parametrize("isolating", [["-I"], ["-s", "-E"], ["-uS"], ["-X", "utf8", "-I"]])
def test_a_patch_that_python_s_options_keep_away_fixes_nothing(place: Place, isolating: list[str]) -> None:
    (place.folder / "vcompat.toml").write_text(FIXED_BY_PATCH)
    (place.folder / "train.py").write_text(COLOCATED)
    done = place.run("--", sys.executable, *isolating, "train.py")
    assert done.code == 1
    assert "Weight synchronization fails on CPU" in done.stderr
    assert f"the patches do not reach the training: python {isolating[-1]} does not" in done.stderr


@pytest.mark.parametrize("prefix", ["PYTHONPATH=src", "env -i", "env PYTHONPATH=src"])
def test_a_patch_that_another_environment_keeps_away_fixes_nothing(place: Place, prefix: str) -> None:
    (place.folder / "vcompat.toml").write_text(FIXED_BY_PATCH)
    (place.folder / "train.py").write_text(COLOCATED)
    (place.folder / "launch.sh").write_text(f"{prefix} python train.py\n")
    assert place.run("--", "bash", "launch.sh").code == 1


def test_a_launch_script_that_adds_to_pythonpath_keeps_the_patches(place: Place) -> None:
    (place.folder / "vcompat.toml").write_text(FIXED_BY_PATCH)
    (place.folder / "train.py").write_text(f"{STARTED}{COLOCATED}")
    (place.folder / "stop").touch()
    (place.folder / "launch.sh").write_text(f'export PYTHONPATH="$PWD/src:$PYTHONPATH"\n{sys.executable} train.py\n')
    assert place.run("--", "bash", "launch.sh").code == 3


def test_options_select_the_patches_of_each_process(place: Place) -> None:
    code = "import trl, vcompat; print(*vcompat.status())"
    assert place.run("--no-check", "--only", PATCH, "--", sys.executable, "-c", code).stdout.split() == [PATCH]
    left = place.run("--no-check", "--skip", PATCH, "--", sys.executable, "-c", code).stdout.split()
    assert PATCH not in left and len(left) > 10


def test_a_patch_that_does_not_exist_is_refused(place: Place) -> None:
    done = place.run("--only", "trl_train_sampler", "--", "true")
    assert done.code == 2
    assert "--only trl_train_sampler: there is no such patch; expected 'trl_train_sampler_dataset'" in done.stderr


@pytest.mark.parametrize(
    ("program", "code"), [("./nothing-like-it", 127), ("nothing-like-it", 127), ("./train.py", 126)]
)
def test_a_program_that_cannot_be_started_gets_the_exit_code_of_a_shell(place: Place, program: str, code: int) -> None:
    (place.folder / "train.py").write_text("")
    done = place.run("--no-check", "--", program)
    assert (done.code, done.stdout) == (code, "")
    assert f"vcompat: {program}: " in done.stderr.splitlines()[-1]


def test_without_a_command_the_answer_is_one_line(place: Place) -> None:
    done = place.run()
    assert (done.code, done.stderr.count("\n")) == (2, 1)


def test_a_script_that_cannot_be_read_keeps_the_command_from_being_started(place: Place) -> None:
    (place.folder / "train.py").write_text("print('started'\n")
    done = place.run("--", sys.executable, "train.py")
    assert (done.code, done.stderr.count("\n")) == (2, 1)
    assert "train.py:1: not valid Python" in done.stderr and "or --no-check" in done.stderr
    assert "SyntaxError" in place.run("--force", "--", sys.executable, "train.py").stderr


def test_a_folder_that_somebody_else_prepared_in_tmp_is_refused(place: Place) -> None:
    """The user's cache folder cannot be used, so that the folder is made in TMPDIR."""
    (place.folder / f"vcompat-{os.getuid()}").mkdir(mode=0o777)
    (place.folder / f"vcompat-{os.getuid()}").chmod(0o777)
    variables = {"VCOMPAT_RUN_DIR": "", "XDG_CACHE_HOME": "not/absolute", "TMPDIR": str(place.folder)}
    done = place.run("--no-check", "--", "true", **variables)
    assert done.code == 2 and "others can enter it" in done.stderr


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701])
def test_a_run_folder_that_others_can_enter_is_refused(place: Place, mode: int) -> None:
    place.runs.mkdir()
    place.runs.chmod(mode)
    done = place.run("--no-check", "--", "true")
    assert done.code == 2
    assert "others can enter it" in done.stderr


def test_each_run_has_a_private_folder_of_its_own_in_the_user_s_cache(place: Place) -> None:
    for _ in range(2):
        done = place.run("--no-check", "--", "true", VCOMPAT_RUN_DIR="", XDG_CACHE_HOME=str(place.folder / "cache"))
        assert done.code == 0, done.stderr
    runs = list((place.folder / "cache" / "vcompat" / "runs").iterdir())
    assert len(runs) == 2
    assert {run.stat().st_mode & 0o777 for run in runs} == {0o700}


def test_the_tasks_of_a_slurm_step_share_a_folder(place: Place) -> None:
    for rank in ("0", "1"):
        variables = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_PROCID": rank, "VCOMPAT_RUN_DIR": ""}
        place.run(
            "--no-check", "--", sys.executable, "-c", CALL, XDG_CACHE_HOME=str(place.folder / "cache"), **variables
        )
    (run,) = (place.folder / "cache" / "vcompat" / "runs").iterdir()
    assert run.name == "slurm-7-0-0" and len(list(run.iterdir())) == 2


def test_the_command_s_own_environment_is_checked(place: Place) -> None:
    """A console script names its interpreter, which need not be the one that runs vcompat."""
    environment = place.folder / "other"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (metadata,) = (environment / "lib").glob("python3*/site-packages")
    (metadata / "trl-0.16.1.dist-info").mkdir()
    (metadata / "trl-0.16.1.dist-info" / "METADATA").write_text("Name: trl\nVersion: 0.16.1\n")
    (place.folder / "vcompat.toml").unlink()
    (place.folder / "train.py").write_text(REFUSED)
    tool = place.folder / "torchrun"
    tool.write_text(f"#!{environment}/bin/python\n")
    tool.chmod(0o755)
    for words in ([str(environment / "bin" / "python"), "train.py"], [str(tool), "train.py"]):
        done = place.run("--", *words)
        assert "trl 0.16.1" in re.sub(r"\s+", " ", done.stderr), words


def test_the_project_s_python_counts_only_where_the_command_does_not_tell(place: Place) -> None:
    assert python_of([sys.executable, "train.py"]) == ""
    assert python_of(["bash", "train.sh"]) is None
    assert python_of(["no-such-program"]) is None
    assert python_of([]) is None
    (place.folder / "vcompat.toml").write_text('python = "nowhere/bin/python"\n')
    assert "nowhere" not in place.run("--", sys.executable, "-c", "").stderr
    assert "nowhere" in place.run("--", "bash", "-c", "").stderr


FAILING = """
import os, sys, time
import trl
if os.environ["RANK"] == "0":
    time.sleep(5)
raise ValueError("rank " + os.environ["RANK"])
"""
TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
DIAGNOSED = "vcompat: what is known about this failure"


def test_the_rank_of_torchrun_that_fails_first_prints_a_diagnosis_and_no_other_process_does(place: Place) -> None:
    """The launcher is not one of the ranks; it imports the stand-in, as accelerate imports transformers."""
    (place.folder / "train.py").write_text(FAILING)
    launcher = "import sys, trl, torch.distributed.run as run; run.main(sys.argv[1:])"
    done = place.run("--no-check", "--", sys.executable, "-c", launcher, *TORCHRUN[2:], "train.py")
    assert done.code == 1
    assert done.stderr.count(DIAGNOSED) == 1, done.stderr
    before, _, after = done.stderr.partition(DIAGNOSED)
    assert "ValueError: rank 1" in before and "ChildFailedError" in after


def test_a_second_run_in_the_same_folder_is_diagnosed_too(place: Place) -> None:
    words = ["--no-check", "--", sys.executable, "-c", "import trl; raise ValueError('again')"]
    assert [place.run(*words).stderr.count(DIAGNOSED) for _ in range(2)] == [1, 1]


def test_the_diagnosis_can_be_switched_off(place: Place) -> None:
    done = place.run("--no-check", "--no-watch", "--", sys.executable, "-c", "import trl; raise ValueError")
    assert done.code == 1 and "ValueError" in done.stderr and DIAGNOSED not in done.stderr


def test_where_no_folder_can_be_made_the_training_gets_the_patches_without_ledgers(place: Place) -> None:
    nowhere = {"VCOMPAT_RUN_DIR": "", "XDG_CACHE_HOME": "/proc/1", "TMPDIR": "/proc/1"}
    done = place.run("--no-check", "--", sys.executable, "-c", CALL, **nowhere)
    assert done[:2] == (0, "patched\n")
    assert "vcompat: no process can write what it applied: /proc/1/" in done.stderr
    named = place.run("--no-check", "--", "true", VCOMPAT_RUN_DIR="/proc/1/runs")
    assert named.code == 2 and "cannot be made" in named.stderr


@pytest.mark.parametrize("closed", ["<&- >&-", "2>&-", "<&- >&- 2>&-", "2>/dev/full"])
def test_a_command_starts_without_standard_streams(place: Place, closed: str) -> None:
    environment = {**place.environment(VCOMPAT_RUN_DIR=str(place.runs)), "PYTHONPATH": str(ROOT)}
    line = f"{sys.executable} -m vcompat run -- sh -c 'exit 7' {closed}"
    done = subprocess.run(["bash", "-c", line], check=False, env=environment, cwd=place.folder, timeout=300)
    assert done.returncode == 7


NESTED = [sys.executable, "-m", "vcompat", "run", "--no-check", "--"]


@pytest.mark.parametrize(
    "command",
    [
        [*NESTED, sys.executable, "-c", CALL],
        ["bash", "-c", f'{sys.executable} -c "$0" "$@"', CALL, "a 'b", "$HOME", "*"],
        [sys.executable, "-c", f"import os, sys; os.execv(sys.executable, [sys.executable, '-c', {CALL!r}])"],
        ["uv", "run", "--no-project", "--offline", "--python", sys.executable, "python", "-c", CALL],
    ],
    ids=["nested", "quoted", "exec", "uv"],
)
def test_however_the_command_starts_python_it_gets_the_patches(place: Place, command: list[str]) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = place.run("--no-check", "--", *command, PATH=path)
    assert done.code == 0 and done.stdout == "patched\n", done.stderr
