"""Each wrapper with all its options that take values, and commands with what they start."""

from __future__ import annotations

import shlex

import pytest

from tests.tables import Case, parametrized
from tests.unit.sources.reading.marked_words import marked, word
from vcompat.facts.facts import Place
from vcompat.sources.reading.commands.started import Started, read_started
from vcompat.sources.reading.invocation import Environment, Invocation
from vcompat.sources.reading.starts import with_wrappers
from vcompat.sources.reading.word import UNKNOWN, Word


@pytest.mark.parametrize(
    ("wrappers", "valued", "pairs", "operands"),
    [
        (["time"], ("-f -o --format --output"), "", 0),
        (["nice"], ("-n --adjustment"), "", 0),
        (["ionice"], ("-c -n --class --classdata"), "", 0),
        (["timeout"], ("-k -s --kill-after --signal"), "", 1),
        (["stdbuf"], ("-e -i -o --error --input --output"), "", 0),
        (["chrt"], ("-D -P -T"), "", 1),
        (
            ["numactl"],
            (
                "-C -i -l -m -N -p --cpunodebind --interleave --length --membind --offset --physcpubind --preferred --touch"
            ),
            "",
            0,
        ),
        (["env"], ("-C -S -u --chdir --split-string --unset"), "", 0),
        (["sudo"], ("-C -D -g -h -p -r -t -U -u --chdir --group --host --prompt --role --type --user"), "", 0),
        (["ltrace"], ("-e -o -p -u"), "", 0),
        (["strace"], ("-e -o -p -s -u"), "", 0),
        (["py-spy record"], ("-d -f -o -r --duration --format --output --rate"), "", 0),
        (
            ["nsys profile"],
            (
                "-c -d -e -f -n -o -s -t -w -x -y --capture-range --capture-range-end --cuda-memory-usage --cudabacktrace "
                "--delay --duration --env-var --export --force-overwrite --gpu-metrics-device --gpu-metrics-devices --kill "
                "--output --python-backtrace --pytorch --sample --stats --stop-on-exit --trace --wait"
            ),
            "",
            0,
        ),
        (
            ["ncu"],
            (
                "-c -k -o -s --export --kernel-name --launch-count --launch-skip --metrics --section --set --target-processes"
            ),
            "",
            0,
        ),
        (
            ["srun"],
            (
                "-A -a -B -C -c -D -d -e -G -i -J -L -M -m -N -n -o -p -q -r -T -t -W -w -x --account --acctg-freq --bb "
                "--bcast --chdir --cluster-constraint --clusters --comment --constraint --container --container-env "
                "--container-image --container-mounts --container-name --container-workdir --core-spec --cores-per-socket "
                "--cpu-bind --cpu-freq --cpus-per-gpu --cpus-per-task --deadline --delay-boot --dependency --distribution "
                "--epilog --error --exclude --export --extra-node-info --gpu-bind --gpu-freq --gpus --gpus-per-node "
                "--gpus-per-socket --gpus-per-task --gres --gres-flags --het-group --hint --input --job-name --jobid "
                "--kill-on-bad-exit --label-width --licenses --mail-type --mail-user --mem --mem-bind --mem-per-cpu "
                "--mem-per-gpu --mincpus --mpi --msg-timeout --nice --nodefile --nodelist --nodes --ntasks --ntasks-per-core "
                "--ntasks-per-gpu --ntasks-per-node --ntasks-per-socket --open-mode --output --partition --power --priority "
                "--profile --prolog --propagate --qos --relative --reservation --signal --slurmd-debug --sockets-per-node "
                "--switches --task-epilog --task-prolog --threads --threads-per-core --time --time-min --tmp --tree-width "
                "--tres-per-task --wait --wckey"
            ),
            "",
            0,
        ),
        (
            ["mpirun", "mpiexec", "orterun", "prterun", "mpiexec.hydra", "mpirun.real"],
            (
                "-am -bind-to -c -envlist -f -genvlist -H -host -hostfile -hosts -machinefile -map-by -N -n -np -npernode "
                "-npersocket -path -perhost -ppn -prefix -rankfile -rf -wdir -x --am --app --bind-to --display --host "
                "--hostfile --machinefile --map-by --mca-file --n --np --npernode --npersocket --output-filename --path "
                "--personality --ppn --prefix --rank-by --rankfile --report-uri --tag-output-file --timeout --tmpdir --tune "
                "--wd --wdir"
            ),
            "--gmca --mca --prtemca -env -genv -gmca -mca -prtemca",
            0,
        ),
        (
            ["uv run"],
            (
                "-C -f -i -P -p -U -w --allow-insecure-host --cache-dir --color --config-file --config-setting "
                "--default-index --directory --env-file --exclude-newer --extra --extra-index-url --find-links "
                "--fork-strategy --group --index --index-strategy --index-url --keyring-provider --link-mode "
                "--no-binary-package --no-build-package --no-extra --no-group --only-group --package --prerelease --project "
                "--python --python-platform --refresh-package --reinstall-package --resolution --torch-backend "
                "--upgrade-package --with --with-editable --with-requirements"
            ),
            "",
            0,
        ),
        (["poetry run"], ("-C -P --directory --project"), "", 0),
        (["pixi run"], ("-e -p --environment --manifest-path --platform"), "", 0),
        (["hatch run"], ("-e -p --env --project"), "", 0),
        (["pipenv run"], ("--pypi-mirror --python"), "", 0),
        (["pdm run"], ("-p -s --project --site-packages"), "", 0),
        (
            ["conda run", "mamba run", "micromamba run"],
            ("-a -n -p --attach --cwd --name --prefix --root-prefix"),
            "",
            0,
        ),
        (
            ["docker run", "podman run", "nvidia-docker run"],
            (
                "-a -c -e -h -l -m -p -u -v -w --add-host --annotation --attach --blkio-weight --cap-add --cap-drop "
                "--cgroup-parent --cgroupns --cidfile --cpu-period --cpu-quota --cpu-shares --cpus --cpuset-cpus "
                "--cpuset-mems --detach-keys --device --dns --domainname --env --env-file --expose --gpus --group-add "
                "--health-cmd --hostname --ip --ipc --isolation --label --label-file --link --log-driver --log-opt "
                "--mac-address --memory --memory-reservation --memory-swap --mount --name --net --network --network-alias "
                "--pid --pids-limit --platform --publish --pull --restart --runtime --security-opt --shm-size --stop-signal "
                "--stop-timeout --storage-opt --sysctl --tmpfs --ulimit --user --userns --uts --volume --volume-driver "
                "--volumes-from --workdir"
            ),
            "",
            1,
        ),
        (
            ["singularity exec", "apptainer exec"],
            (
                "-B -H -S -W --add-caps --app --apply-cgroups --bind --cpus --cwd --dns --drop-caps --env --env-file "
                "--fusemount --home --hostname --memory --mount --network --network-args --nvccli-args --overlay --pwd "
                "--scratch --security --workdir"
            ),
            "",
            1,
        ),
        (
            ["ray job submit"],
            (
                "--address --entrypoint-memory --entrypoint-num-cpus --entrypoint-num-gpus --entrypoint-resources --headers "
                "--job-id --log-color --log-style --metadata-json --runtime-env --runtime-env-json --submission-id --verify "
                "--working-dir"
            ),
            "",
            0,
        ),
        (["vglrun"], ("-d"), "", 0),
    ],
)
def test_the_program_follows_the_values_of_options(wrappers: list[str], valued: str, pairs: str, operands: int) -> None:
    for wrapper in wrappers:
        words = wrapper.split()
        words += [word for option in valued.split() for word in (option, "value")]
        words += [word for option in pairs.split() for word in (option, "one", "two")]
        words += ["operand"] * operands
        started = read_started([*words, "python", "x.py", "--a"])
        assert started == Started("python", {}, "x.py", "", ("--a",), tuple(words), changes=started.changes)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "wrapper",
    "nohup setsid unbuffer catchsegv vglrun ltrace strace nsys:launch nsys:start docker:exec docker:run podman:exec singularity:run apptainer:run uv:run poetry:run pixi:run hatch:run pipenv:run pdm:run conda:run mamba:run micromamba:run".split(),
)
def test_a_flag_of_a_wrapper_has_no_value(wrapper: str) -> None:
    words = [*wrapper.split(":"), "--a-flag"]
    words += ["operand"] * wrapper.startswith(("docker", "podman", "singularity", "apptainer"))
    started = read_started([*words, "python", "x.py"])
    assert started == Started("python", {}, "x.py", "", (), tuple(words))


@pytest.mark.parametrize(("wrapper", "most"), [("nohup", 20), ("srun", 20)])
def test_the_number_of_wrappers_is_bounded(wrapper: str, most: int) -> None:
    assert read_started([*[wrapper] * most, "python", "x.py"]) is not None
    assert read_started([*[wrapper] * (most + 1), "python", "x.py"]) is None


def words_of(text: str) -> list[Word]:
    return list(map(word, shlex.split(text)))


def shown(started: Started | None) -> str:
    if started is None:
        return "nothing"
    module = f" -m {marked(started.module)}" if started.module else ""
    script = f"{started.launcher} {marked(started.script)}".rstrip() + module
    parts = [" ".join([script, *map(marked, started.arguments)])]
    if started.launcher_options:
        options = started.launcher_options.items()
        parts.append(
            "options " + " ".join(name if value is True else f"{name}={marked(value)}" for name, value in options)
        )
    if started.wrapped_by:
        parts.append("behind " + " ".join(map(marked, started.wrapped_by)))
    if not started.wrapper_certain:
        parts.append("not certain")
    for changes in started.changes:
        words = ["cleared"] * changes.cleared + ["replaced"] * changes.replaced + ["opened"] * changes.opened
        words += [f"-{marked(name)}" for name in changes.unset]
        words += [f"{name}={marked(value)}" for name, value in changes.values.items()]
        parts.append(" ".join(["changes", *words, *([f"in {marked(changes.folder)}"] if changes.folder else [])]))
    if started.why_open:
        parts.append(f"open: {started.why_open}")
    return " | ".join(parts)


@parametrized(__file__, "wrappers.txt")
def test_what_a_command_starts(case: Case) -> None:
    case.check(shown(read_started(words_of(case.text))))


@pytest.mark.parametrize(
    ("command", "values", "rest"),
    [
        ("python x.py", {"A": "1", "B": None}, "none | inherited | sub"),
        ("env C=2 python x.py", {"A": "1", "B": None, "C": "2"}, "C | inherited | sub"),
        ("env -- A=2 python x.py", {"A": "2", "B": None}, "A | inherited | sub"),
        ("env A=2 python x.py", {"A": "2", "B": None}, "A | inherited | sub"),
        ("env -u A B=3 python x.py", {"A": None, "B": "3"}, "A B | inherited | sub"),
        ("env -i C=1 python x.py", {"C": "1"}, "C | unset | sub"),
        ("env -i python x.py", {}, "none | unset | sub"),
        (
            "env -S a A=2 python x.py",
            {"A": "2"},
            "A | unknown: run.sh:3: the environment of sudo or env is unknown | sub",
        ),
        ("env -C in python x.py", {"A": "1", "B": None}, "none | inherited | sub/in"),
        ("env -C /abs python x.py", {"A": "1", "B": None}, "none | inherited | /abs"),
        ("env -C ? python x.py", {"A": "1", "B": None}, "none | inherited | ?"),
        ("env C=? D=a=b python x.py", {"A": "1", "B": None, "C": UNKNOWN, "D": "a=b"}, "C D | inherited | sub"),
        ("env * A=3 python x.py", {"A": "3"}, "A | unknown: run.sh:3: the environment of sudo or env is unknown | sub"),
        ("env A=2 env A=3 env -u B python x.py", {"A": "3", "B": None}, "A B | inherited | sub"),
        ("sudo python x.py", {}, "none | unknown: run.sh:3: the environment of sudo or env is unknown | sub"),
        ("sudo A=3 python x.py", {"A": "3"}, "A | unknown: run.sh:3: the environment of sudo or env is unknown | sub"),
        ("sudo -E A=3 python x.py", {"A": "3", "B": None}, "A | inherited | sub"),
        (
            "mpirun -x A -x C=2 -x D=a=b -np 2 python x.py",
            {"A": "1", "B": None, "C": "2", "D": "a=b"},
            "C D | inherited | sub",
        ),
        ("mpirun -x C=* -np 2 python x.py", {"A": "1", "B": None, "C": UNKNOWN}, "C | inherited | sub"),
        ("mpirun -genv A 2 -env C 3 python x.py", {"A": "2", "B": None, "C": "3"}, "A C | inherited | sub"),
        ("mpirun -x A=2 env A=3 python x.py", {"A": "3", "B": None}, "A | inherited | sub"),
        (
            "srun --export=ALL,C=1,D=a=b python x.py",
            {"A": "1", "B": None, "C": "1", "D": "a=b"},
            "C D | inherited | sub",
        ),
        ("srun --export ALL python x.py", {"A": "1", "B": None}, "none | inherited | sub"),
        (
            "srun --export A,C=1 python x.py",
            {"C": "1"},
            "C | unknown: run.sh:3: srun passes on some variables only | sub",
        ),
        ("srun --export=NONE python x.py", {}, "none | unknown: run.sh:3: srun passes on some variables only | sub"),
        ("srun --export=C=?,ALL python x.py", {"A": "1", "B": None, "C": UNKNOWN}, "C | inherited | sub"),
        (
            "docker run -e A -e B -e C -e D=1=2 --env E=3 --env=F=4 --env=A --name=A image python x.py",
            {"A": "1", "B": None, "D": "1=2", "E": "3", "F": "4"},
            "A B D E F | unknown: run.sh:3: another environment, which is not known | sub",
        ),
        ("docker run image python x.py", {}, "none | unknown: run.sh:3: another environment, which is not known | sub"),
        (
            "docker run image env A=5 python x.py",
            {"A": "5"},
            "A | unknown: run.sh:3: another environment, which is not known | sub",
        ),
        (
            "podman run --env=B image python x.py",
            {"B": None},
            "B | unknown: run.sh:3: another environment, which is not known | sub",
        ),
        (
            "singularity exec a.sif python x.py",
            {},
            "none | unknown: run.sh:3: another environment, which is not known | sub",
        ),
        (
            "apptainer exec --env A=2 a.sif python x.py",
            {"A": "2"},
            "A | unknown: run.sh:3: another environment, which is not known | sub",
        ),
    ],
)
def test_the_variables_behind_wrappers(command: str, values: dict[str, str | None], rest: str) -> None:
    words = tuple(words_of(command))
    started = read_started(words)
    assert started is not None
    places = {"A": Place("run.sh", 1), "B": Place("run.sh", 2)}
    given = Invocation(words, Place("run.sh", 3), Environment({"A": "1", "B": None}, places=places), "sub")
    inner = with_wrappers(started, given)
    environment = inner.environment
    set_here = [name for name in values if environment.places[name] == Place("run.sh", 3)]
    assert environment.values == values
    others = f"{environment.others.value}: {environment.why_open}".removesuffix(": ")
    told = [" ".join(set_here) or "none", others, marked(inner.folder)]
    assert " | ".join(told) == rest
    assert inner._replace(environment=given.environment, folder="sub") == given
