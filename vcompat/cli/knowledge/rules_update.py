"""``vcompat rules update``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from vcompat.cli.shared.options import color_option
from vcompat.cli.shared.package_option import among, package_option
from vcompat.cli.shared.progress import progress
from vcompat.cli.shared.terminal import say_all, width
from vcompat.foundation.errors import InputError
from vcompat.foundation.shipped import CHECKOUT, evidence_folder
from vcompat.foundation.writing import write_whole
from vcompat.patches import load_patches
from vcompat.report.rules import news_page as page
from vcompat.rules.database import load_rules
from vcompat.rules.record import load_record
from vcompat.rules.rule import Rule
from vcompat.upstream import news, verify_claims
from vcompat.upstream.index import Release
from vcompat.upstream.names import name_record
from vcompat.upstream.news import News
from vcompat.upstream.scanning.reasons import load_reasons
from vcompat.upstream.scanning.scan import scan_all
from vcompat.upstream.scanning.scanned import PACKAGES, by_package
from vcompat.upstream.subjects import subjects_of


@click.command()
@package_option
@click.option("--minutes", default=0.0, show_default=True, help="How long vLLM's kernels may be compiled; 0 for not.")
@click.option("--scan/--no-scan", default=True, help="Compare new releases with those of other packages (the default).")
@click.option("--output", "-o", metavar="FILE", type=click.Path(), help="Write the page to a file, too, as Markdown.")
@color_option
def command(only: Sequence[str], minutes: float, scan: bool, output: str | None) -> int:
    """Find new upstream releases, record them, and print what they mean.

    Asks the package index for releases of all recorded packages, and looks at those that the records lack: the code
    that rules and patches are about, requirements, settings, models, wheels, names. Writes the records, checks all
    claims against them, and compares the new releases with those of the other packages. Prints one page: what is new,
    which rules end, which are doubtful, which settings changed, which misfits need a rule, and what could not be read.

    With --minutes, a new vLLM release also chooses its attention backends, and its Triton kernels are compiled for GPUs
    that are not here. This runs upstream's code in processes of their own and needs torch. Otherwise nothing that is
    fetched is run.

    Exit code: 0 if nothing is new or all is recorded, 1 if something needs a person, 2 if a release could not be read.
    """
    if evidence_folder() != os.path.join(CHECKOUT, "evidence"):
        raise InputError(evidence_folder(), "the records of an installed package", "a checkout, installed as editable")
    rules, patches = load_rules(), load_patches()
    packages, subjects = verify_claims.every_package(rules, patches), subjects_of(rules, patches)
    wanted = among(packages, only)
    records = {package: load_record(package) for package in packages}
    releases, troubles = verify_claims.on_the_index(packages, records)
    new = [release for release in news.lacking(releases, records) if release.package in wanted]
    chosen = news.to_inspect(releases, new, subjects, records)
    with progress(len(chosen)) as each:
        view = news.inspected(releases, chosen, records, lambda looked: each(f"{looked.package} {looked.version}"))
    judged = news.judged(view, records, rules, patches)
    written = verify_claims.update(view, subjects, records)
    with progress(len(wanted), "packages") as each:
        names = name_record.update(wanted, releases, each)
    judged = judged._replace(
        names=names.news,
        files=len(written) + len(names.written),
        troubles=(*troubles, *judged.troubles, *names.troubles),
    )
    judged = _scanned(judged, releases, rules) if scan else judged
    judged = _compiled(judged, releases, rules, minutes) if minutes else judged
    say_all(page.text(judged, width()))
    if output:
        write_whole(Path(output), page.render(judged))
    return 1 if judged.needs else 2 if judged.troubles else 0


def _scanned(judged: News, releases: Sequence[Release], rules: Sequence[Rule]) -> News:
    """Compare the new releases with all releases of the other packages."""
    about = judged.new.keys() & set(PACKAGES)
    if not about:
        return judged._replace(misfits=())
    compared = by_package(releases)
    with progress(2 * sum(map(len, compared.values()))) as each:
        scans = list(scan_all(compared, rules, each, about))
    troubles = [trouble for scan in scans for trouble in scan.troubles]
    misfits = tuple(news.unexplained(scans, judged.new, load_reasons()))
    return judged._replace(misfits=misfits, troubles=tuple(dict.fromkeys([*judged.troubles, *troubles])))


def _compiled(judged: News, releases: Sequence[Release], rules: Sequence[Rule], minutes: float) -> News:
    """Survey vLLM's choices and kernels, if a release is not in the records of them."""
    # Imported here: what compiles kernels is large, and no other way through this command needs it.
    from vcompat.cli.knowledge.rules_kernels import compile_all, is_current
    from vcompat.kernels.claims import contradictions

    if is_current():
        return judged
    lines: list[str] = []
    troubles = list(news.fetched(one for one in releases if one.package == "vllm"))
    try:
        compile_all(True, minutes, lines.append)
    except InputError as trouble:
        troubles.append(str(trouble))
    wrong = tuple(contradictions(rules))
    troubles = [*judged.troubles, *troubles]
    return judged._replace(kernels=tuple(lines), kernel_contradictions=wrong, troubles=tuple(dict.fromkeys(troubles)))
