"""The programs that a run starts, run in the child of the worker that took over their words and environment."""

from __future__ import annotations

import argparse
import atexit
import contextlib
import importlib
import json
import os
import runpy
import subprocess
import sys
import traceback
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.oracle.standins import launchers, machine, modules, notebook, recorder, wrappers

Names = dict[str, dict[str, Any]]

#: Programs that a module starts as well: ``python -m torch.distributed.run``.
_MODULES = {
    "torch.distributed.run": "torchrun",
    "torch.distributed.launch": "torch.distributed.launch",
    "accelerate.commands.launch": "accelerate-launch",
    "accelerate.commands.accelerate_cli": "accelerate",
    "accelerate": "accelerate",
    "deepspeed.launcher.runner": "deepspeed",
    "deepspeed": "deepspeed",
    "trl": "trl",
    "trl.cli": "trl",
    "trl.cli.main": "trl",
    "trl.scripts.vllm_serve": "trl-vllm-serve",
}


def prepare() -> None:
    """Import what programs need, once in the worker."""
    launchers.prepare()
    # Scripts use them, and the imports take a while.
    for name in ("omegaconf", "yaml"):
        importlib.import_module(name)


def run_program(name: str, words: list[str], names: Names) -> int:
    """Run the program `name` with `words`; return its exit status."""
    atexit._clear()  # what the libraries registered in the worker
    machine.pretend()
    with contextlib.suppress(ValueError):
        sys.path.remove(str(Path(__file__).parents[3]))
    sys.executable = str(Path(recorder.FILE).parent / "bin" / "python")
    runner = Runner(names)
    with _exit_status() as status:
        runner.program(name, words)
    return status.code


class Runner:
    """Starts programs in this process."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def program(self, name: str, words: list[str]) -> None:
        """Run a program. Raises SystemExit as programs do."""
        if name.startswith("python"):
            self.python(words)
        elif name in ("jupyter", "papermill", "ipython"):
            self._prepare_scripts()
            notebook.run(next(word for word in words if word.endswith(".ipynb")))
        elif name in launchers.LAUNCHERS:
            launchers.LAUNCHERS[name](words, self)
        else:
            wrappers.run(name, words)

    def python(self, words: Sequence[str], default_launcher: str = "python") -> None:
        """Run the interpreter: a file, a module, a command or the standard input."""
        options, rest = _interpreter_options(words)
        if options.m is not None and options.m in _MODULES:
            self.program(_MODULES[options.m], list(rest))
            return
        if not recorder.LAUNCH:
            _plain_launch(default_launcher)
        self._prepare_scripts()
        if options.c is not None:
            _execute(options.c, "-c", rest)
        elif options.m is not None:
            sys.argv = ["-m", *rest]
            sys.path.insert(0, os.getcwd())
            _fresh_main(lambda: runpy.run_module(options.m, run_name="__main__", alter_sys=True))
        elif not rest or rest[0] == "-":
            _execute(sys.stdin.read(), "-", rest[1:])
        else:
            script = rest[0]
            if os.path.isdir(script):
                script = os.path.join(script, "__main__.py")
            sys.argv = [rest[0], *rest[1:]]
            sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
            _fresh_main(lambda: runpy.run_path(script, run_name="__main__"))

    def _prepare_scripts(self) -> None:
        sys.path[:0] = [part for part in os.environ.get("PYTHONPATH", "").split(":") if part]
        modules.install(self.names)

    def processes(self, ranks: Sequence[dict[str, str]], start: Callable[[int], None]) -> None:
        """Run `start` once per process in `ranks`, which are environments; the last one in this process.

        Processes that cannot differ, since no file mentions a rank, are one process. Raises SystemExit with the worst
        status.
        """
        worst = 0
        if not machine.state()["ranks"]:
            ranks = ranks[:1]
        for number, variables in enumerate(ranks[:-1]):
            pid = os.fork()
            if not pid:
                code = 1
                try:
                    os.environ.update(variables)
                    with _exit_status() as status:
                        start(number)
                    code = status.code
                finally:
                    os._exit(code)
            worst = max(worst, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        os.environ.update(ranks[-1])
        with _exit_status() as status:
            start(len(ranks) - 1)
        raise SystemExit(max(worst, status.code))


def _plain_launch(launcher: str) -> None:
    """State what a start without a launcher means, unless srun or mpirun started this process."""
    outer = os.environ.get(launchers.OUTER)
    if outer:
        recorder.LAUNCH.update(json.loads(outer))
        return
    recorder.LAUNCH.update(launcher=launcher, world_size=1, num_machines=1, processes_per_machine=1)


def _interpreter_options(words: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Split the words of the interpreter into -c and -m, and what follows."""
    options = argparse.Namespace(c=None, m=None)
    index = 0
    while index < len(words) and words[index].startswith("-") and words[index] != "-":
        word = words[index]
        index += 1
        if word in ("-X", "-W", "--check-hash-based-pycs"):
            index += 1
        elif not word.startswith("--") and word[1:].lstrip("bBdEhiIOPqsSuvVx")[:1] in ("c", "m"):
            letters = word[1:].lstrip("bBdEhiIOPqsSuvVx")
            value = letters[1:] or words[index]
            index += not letters[1:]
            setattr(options, letters[0], value)
            break
    return options, list(words[index:])


def _execute(source: str, name: str, rest: Sequence[str]) -> None:
    sys.argv = [name, *rest]
    sys.path.insert(0, "")
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    exec(compile(source, "<string>", "exec"), main.__dict__)


def _fresh_main(run: Callable[[], Any]) -> None:
    sys.modules["__main__"] = types.ModuleType("__main__")
    run()


class _Status:
    code = 0


@contextlib.contextmanager
def _exit_status() -> Iterator[_Status]:
    """Turn how the block ends into an exit status, as the interpreter does."""
    status = _Status()
    try:
        yield status
        atexit._run_exitfuncs()
    except SystemExit as end:
        status.code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except subprocess.CalledProcessError as failure:
        status.code = failure.returncode & 255
    except BaseException:
        status.code = 1
        traceback.print_exc()
    sys.stdout.flush()
