"""Programs that start another program with the words after their own options: `nohup`, `env`, `srun`, `docker run`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vcompat.sources.reading.word import Word, as_one, base_name, has_words, readable


class Wrapper(NamedTuple):
    """How the words of a wrapper end and those of the inner program begin."""

    valued: frozenset[str]
    """The options that take the next word as value."""
    subcommands: frozenset[str] = frozenset()
    """The words of which one must follow the program."""
    operands: int = 0
    """The number of words between the options and the inner program: the image of a container."""
    pairs: frozenset[str] = frozenset()
    """The options that take two words."""


def _wrapper(valued: str, subcommands: str = "", operands: int = 0, pairs: str = "") -> Wrapper:
    return Wrapper(frozenset(valued.split()), frozenset(subcommands.split()), operands, frozenset(pairs.split()))


#: Wrappers that change neither the number of processes nor, except for `env` and `sudo`, the environment.
TRANSPARENT: Mapping[str, Wrapper] = {
    "nohup": _wrapper(""),
    "setsid": _wrapper(""),
    "time": _wrapper("-f -o --format --output"),
    "nice": _wrapper("-n --adjustment"),
    "ionice": _wrapper("-c -n --class --classdata"),
    "timeout": _wrapper("-k -s --kill-after --signal", operands=1),
    "stdbuf": _wrapper("-i -o -e --input --output --error"),
    "taskset": _wrapper("", operands=1),
    "chrt": _wrapper("-T -P -D", operands=1),
    "numactl": _wrapper(
        "-N -m -C -i -p -l --cpunodebind --membind --physcpubind --interleave --preferred --touch --length --offset"
    ),
    "unbuffer": _wrapper(""),
    "catchsegv": _wrapper(""),
    "env": _wrapper("-u --unset -C --chdir -S --split-string"),
    "sudo": _wrapper("-u -g -C -h -p -r -t -U -D --user --group --prompt --host --chdir --role --type"),
    "ltrace": _wrapper("-o -e -p -u"),
    "strace": _wrapper("-o -e -p -u -s"),
    "py-spy": _wrapper("-o -r -d -f --output --rate --duration --format", "record"),
    "nsys": _wrapper(
        "-o -t -s -c -x -e -w -y -d -f -n --output --trace --sample --capture-range --capture-range-end "
        "--stop-on-exit --duration --delay --env-var --gpu-metrics-device --gpu-metrics-devices "
        "--cuda-memory-usage --force-overwrite --cudabacktrace --python-backtrace --pytorch --wait --kill --stats "
        "--export",
        "profile launch start",
    ),
    "ncu": _wrapper(
        "-o -k -c -s --export --kernel-name --launch-count --launch-skip --set --section --metrics --target-processes"
    ),
}
_SRUN = (
    "-A -a -B -c -C -d -D -e -G -i -J -L -m -M -n -N -o -p -q -r -t -T -w -W -x --account --acctg-freq --bb "
    "--bcast --chdir --cluster-constraint --clusters --comment --constraint --container --core-spec "
    "--cores-per-socket --cpu-bind --cpu-freq --cpus-per-gpu --cpus-per-task --deadline --delay-boot "
    "--dependency --distribution --epilog --error --exclude --export --extra-node-info --gpu-bind --gpu-freq "
    "--gpus --gpus-per-node --gpus-per-socket --gpus-per-task --gres --gres-flags --het-group --hint --input "
    "--jobid --job-name --kill-on-bad-exit --label-width --licenses --mail-type --mail-user --mem --mem-bind "
    "--mem-per-cpu --mem-per-gpu --mincpus --mpi --msg-timeout --nice --nodefile --nodelist --nodes --ntasks "
    "--ntasks-per-core --ntasks-per-gpu --ntasks-per-node --ntasks-per-socket --open-mode --output "
    "--partition --power --priority --profile --prolog --propagate --qos --relative --reservation --signal "
    "--slurmd-debug --sockets-per-node --switches --task-epilog --task-prolog --threads --threads-per-core "
    "--time --time-min --tmp --tree-width --tres-per-task --wait --wckey --container-image --container-mounts "
    "--container-name --container-workdir --container-env"
)
_MPI = (
    "-n -np -c -H -x -N -f -ppn -perhost -host -hosts -hostfile -machinefile -wdir -path -prefix -rf "
    "-rankfile -genvlist -envlist -bind-to -map-by --np --n --host --hostfile --machinefile --map-by "
    "--bind-to --rank-by --wdir --wd --path --prefix --rankfile --npernode -npernode --npersocket -npersocket "
    "--tag-output-file --output-filename --timeout --mca-file --app --report-uri --ppn --tmpdir --tune -am "
    "--am --personality --display"
)
_DOCKER = (
    "-a -c -e -h -l -m -p -u -v -w --add-host --annotation --attach --blkio-weight --cap-add --cap-drop "
    "--cgroup-parent --cgroupns --cidfile --cpu-period --cpu-quota --cpu-shares --cpus --cpuset-cpus "
    "--cpuset-mems --detach-keys --device --dns --domainname --entrypoint --env --env-file --expose --gpus "
    "--group-add --health-cmd --hostname --ip --ipc --isolation --label --label-file --link --log-driver "
    "--log-opt --mac-address --memory --memory-reservation --memory-swap --mount --name --net --network "
    "--network-alias --pid --pids-limit --platform --publish --pull --restart --runtime --security-opt "
    "--shm-size --stop-signal --stop-timeout --storage-opt --sysctl --tmpfs --ulimit --user --userns --uts "
    "--volume --volume-driver --volumes-from --workdir"
)
_SINGULARITY = (
    "-B -H -S -W --bind --home --scratch --workdir --pwd --cwd --env --env-file --overlay --mount --network "
    "--network-args --hostname --dns --app --add-caps --drop-caps --security --fusemount --apply-cgroups "
    "--cpus --memory --nvccli-args"
)
_UV = (
    "-p -w -C -i -f -P -U --python --with --with-editable --with-requirements --extra --no-extra --group "
    "--no-group --only-group --env-file --index --default-index --index-url --extra-index-url --find-links "
    "--project --directory --config-file --cache-dir --package --resolution --prerelease --exclude-newer "
    "--link-mode --color --upgrade-package --config-setting --refresh-package --reinstall-package "
    "--keyring-provider --index-strategy --python-platform --allow-insecure-host --fork-strategy "
    "--torch-backend --no-binary-package --no-build-package"
)
#: Wrappers that determine processes, machines, the environment or the container.
LAUNCHING: Mapping[str, Wrapper] = {
    "srun": _wrapper(_SRUN),
    **dict.fromkeys(
        ("mpirun", "mpiexec", "orterun", "prterun", "mpiexec.hydra", "mpirun.real"),
        _wrapper(_MPI, pairs="-mca --mca -gmca --gmca -genv -env --prtemca -prtemca"),
    ),
    "uv": _wrapper(f"{_UV} --from", "run tool"),
    "uvx": _wrapper(f"{_UV} --from"),
    "poetry": _wrapper("-P -C --project --directory", "run"),
    "pixi": _wrapper("-e -p --environment --manifest-path --platform", "run"),
    "hatch": _wrapper("-e -p --env --project", "run"),
    "pipenv": _wrapper("--python --pypi-mirror", "run"),
    "pdm": _wrapper("-p --project -s --site-packages", "run"),
    **dict.fromkeys(
        ("conda", "mamba", "micromamba"), _wrapper("-n -p --name --prefix --cwd --root-prefix -a --attach", "run")
    ),
    **dict.fromkeys(("docker", "podman", "nvidia-docker"), _wrapper(_DOCKER, "run exec", 1)),
    **dict.fromkeys(("singularity", "apptainer"), _wrapper(_SINGULARITY, "exec run", 1)),
    "ray": _wrapper(
        "--address --job-id --submission-id --runtime-env --runtime-env-json --working-dir --metadata-json "
        "--entrypoint-num-cpus --entrypoint-num-gpus --entrypoint-memory --entrypoint-resources --log-style "
        "--log-color --headers --verify",
        "job",
    ),
    "vglrun": _wrapper("-d"),
    # The commands are the other words, joined, for the shell of the other machine.
    "ssh": _wrapper("-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -P -p -Q -R -S -W -w", operands=1),
}

#: Containers that have the variables of the outside, but for those that the image sets, and options without which.
KEEPS_VARIABLES = frozenset({"singularity", "apptainer"})
_WITHOUT_VARIABLES = frozenset({"-e", "--cleanenv", "-C", "--containall", "-c", "--contain", "--env-file", "--no-eval"})


def keeps_variables(words: Sequence[Word]) -> bool:
    """Return whether none of the options of a container of KEEPS_VARIABLES removes or sets variables."""
    options = {word.partition("=")[0] for word in words if word.startswith("-")}
    return not options & {*_WITHOUT_VARIABLES, "--env"} and all(isinstance(option, str) for option in options)


#: Programs that submit a script to a batch system, with its arguments.
BATCH: Mapping[str, Wrapper] = {
    "sbatch": _wrapper(
        "-A -a -b -B -c -C -D -d -e -F -G -i -J -L -M -m -N -n -o -p -q -S -t -w -x --account --acctg-freq --array "
        "--batch --bb --bbf --begin --chdir --cluster-constraint --clusters --comment --constraint --container "
        "--container-id --core-spec --cores-per-socket --cpu-freq --cpus-per-gpu --cpus-per-task --deadline "
        "--delay-boot --dependency --distribution --error --exclude --export --export-file --extra --extra-node-info "
        "--gid --gpu-bind --gpu-freq --gpus --gpus-per-node --gpus-per-socket --gpus-per-task --gres --gres-flags "
        "--hint --input --job-name --licenses --mail-type --mail-user --mcs-label --mem --mem-bind --mem-per-cpu "
        "--mem-per-gpu --mincpus --network --nodefile --nodelist --nodes --ntasks --ntasks-per-core --ntasks-per-gpu "
        "--ntasks-per-node --ntasks-per-socket --open-mode --output --partition --power --prefer --priority "
        "--profile --qos --reservation --signal --sockets-per-node --switches --threads-per-core --time --time-min "
        "--tmp --tres-per-task --uid --wckey --wrap"
    )
}


class Inner(NamedTuple):
    """The program that a wrapper starts."""

    start: int
    """The position of its first word."""
    options: tuple[Word, ...]
    """The words of the wrapper's own options."""
    certain: bool = True
    """False if words that are not known may move the inner program."""


def inner_of(words: Sequence[Word], table: Mapping[str, Wrapper]) -> Inner | None:
    """Return the inner program of the wrapper `words[0]`; None if `table` has no such wrapper, or if it starts none."""
    wrapper = table.get(readable(base_name(words[0]))) if words else None
    if wrapper is None:
        return None
    index, certain, operands = 1, True, wrapper.operands
    subcommand = not wrapper.subcommands
    while index < len(words):
        word = words[index]
        if has_words(word):
            certain = False
            # The image of a container, such as `$HOME/image.sif`, whatever comes before its name.
            operands -= int(bool(operands) and subcommand and word.endswith((".sif", ".simg", ".img")))
        elif word == "--":
            index += 1
            break
        elif word.startswith("-") and len(word) > 1:
            index += _taken(word, wrapper)
        elif not subcommand:
            if word not in wrapper.subcommands:
                return None
            if word == "tool" and "run" not in words[index + 1 : index + 2]:
                return None
            subcommand = True
            index += word in ("job", "tool")  # `ray job submit`, `uv tool run`
        elif operands:
            operands -= 1
            if not operands and wrapper.subcommands:
                # Behind the image, options are those of the program: `docker run --entrypoint python IMAGE -m train`.
                index += 1
                break
        else:
            break
        index += 1
    index += operands
    if index >= len(words) or not subcommand:
        return None
    return Inner(index, tuple(words[1:index]), certain)


def _taken(word: Word, wrapper: Wrapper) -> int:
    """Return the number of further words that the option `word` takes."""
    if word in wrapper.pairs:
        return 2
    return int(word in wrapper.valued)


class Changes(NamedTuple):
    """What `env` or `sudo` changes in the environment of the inner program."""

    cleared: bool = False
    replaced: bool = False
    """True if a program outside of the script determines the environment: `sudo` without -E."""
    unset: tuple[Word, ...] = ()
    values: Mapping[str, Word] = {}
    folder: Word = ""
    opened: bool = False
    """True if it contains words that are not known."""


class Unwrapped(NamedTuple):
    """A command without the wrappers around it."""

    words: tuple[Word, ...]
    changes: tuple[Changes, ...] = ()
    """From the outermost wrapper inwards."""


_NAME = re.compile(r"[A-Za-z_]\w*")
#: Maximum number of wrappers around a program.
MOST_WRAPPERS = 20


def unwrapped(words: Sequence[Word]) -> Unwrapped:
    """Return the program that TRANSPARENT wrappers start, and how they change its environment."""
    changes: list[Changes] = []
    rest = tuple(words)
    for _ in range(MOST_WRAPPERS):
        inner = inner_of(rest, TRANSPARENT)
        if inner is None:
            break
        end = inner.start
        name = base_name(rest[0])
        if name in ("env", "sudo"):
            values: dict[str, Word] = {}
            while end < len(rest) and (assigned := _assigned(rest[end])) is not None:
                values[assigned[0]] = assigned[1]
                end += 1
            change = _of_env(inner.options) if name == "env" else _of_sudo(inner.options)
            changes.append(change._replace(values=values, opened=change.opened or not inner.certain))
        rest = rest[end:]
    return Unwrapped(rest, tuple(changes))


def _assigned(word: Word) -> tuple[str, Word] | None:
    """Return the name and the value of ``NAME=value``; None for another word."""
    name, equals, value = word.partition("=")
    if not equals or not isinstance(name, str) or not _NAME.fullmatch(name):
        return None
    return name, as_one(value)


def _of_env(options: Sequence[Word]) -> Changes:
    """Return what the options of `env` change."""
    cleared, opened = False, False
    unset: list[Word] = []
    folder: Word = ""
    words = iter(options)
    for word in words:
        name, equals, value = word.partition("=")
        if word in ("-i", "--ignore-environment"):
            cleared = True
        elif name in ("-u", "--unset"):
            unset.append(value if equals else next(words, ""))
        elif name in ("-C", "--chdir"):
            folder = value if equals else next(words, "")
        elif word.startswith("-u"):
            unset.append(word[2:])
        elif word.startswith(("-S", "--split-string")):
            opened = True
    return Changes(cleared, unset=tuple(unset), folder=folder, opened=opened)


def _of_sudo(options: Sequence[Word]) -> Changes:
    """Return what the options of `sudo` change."""
    return Changes(
        replaced=not any(re.fullmatch(r"-\w*E\w*|--preserve-env", word) for word in options if isinstance(word, str))
    )
