"""What the formats of a diagnosis state about a run that hangs."""

from __future__ import annotations

from collections.abc import Sequence

from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.ranking import CERTAIN, LIKELY
from vcompat.diagnosis.waiting.own import own_frame
from vcompat.diagnosis.waiting.signs import Frame, Seen
from vcompat.diagnosis.waiting.why_waiting import DIVERGED, ENDED, LATE, RENDEZVOUS, SAME, STUCK, Hang, Member
from vcompat.report.diagnoses.diagnosis_wording import cut, where
from vcompat.report.parts.formats import relative

#: The most lines about ranks that the formats for people have.
_MOST = 6
_STACK = "`py-spy dump --pid PID` on that rank prints where it is, and vcompat diagnose reads what it prints."

_NEXT = {
    DIVERGED: "All ranks must call the same collectives in the same order. Look for a condition around these calls "
    "that differs between ranks, such as one on the rank, on the data, or on an exception that one rank handles.",
    RENDEZVOUS: "Check that every process was started, with the same MASTER_ADDR, MASTER_PORT and world size, and "
    "that its node reaches that address.",
    SAME: "No log shows a difference between the ranks. Look at the connections between them: NCCL_DEBUG=INFO names "
    "the network in use, and `dmesg -T | grep -i xid` shows errors of GPUs.",
    STUCK: "`py-spy dump --native --pid PID` shows the call, while the run hangs. If the GPUs have no NVLink, "
    "NCCL_P2P_DISABLE=1 shows whether transfers between them hang, as with an IOMMU or in a virtual machine. If the "
    "call is only slow, raise TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC.",
}
_MOMENT = "; no timeout shows that this lasts"
_ENDED = "Fix what ended it: the other ranks only wait for it."
_GONE = (
    "`dmesg -T | grep -i kill` shows whether the kernel ended it. Else look for a reason to leave early, such as fewer "
    "batches than the other ranks have."
)
_SLOW = (
    "If it is only slow, such as in a reward function, make that faster, or raise the timeout: ddp_timeout of "
    "TrainingArguments, in seconds."
)
_UNCLEAR = (
    "Pass the logs of all ranks, which `torchrun --log-dir DIR --redirects 3` writes, or stacks of them: "
    "`py-spy dump --pid PID`."
)


def word(hang: Hang) -> str:
    """What the answer is."""
    return "hang" if hang.certainty == CERTAIN else f"{hang.certainty} hang"


def title(hang: Hang) -> str:
    """The answer in a line."""
    odd, waiting = _names(hang.odd), _names(hang.waiting)
    wait = "wait" if len(hang.waiting) != 1 else "waits"
    if hang.kind == ENDED:
        return f"{odd} ended, and {waiting} {wait} for {'it' if len(hang.odd) == 1 else 'them'}"
    if hang.kind == DIVERGED:
        return f"ranks wait in different collectives: {odd}" + (f", unlike {waiting}" if hang.waiting else "")
    if hang.kind == LATE:
        return f"{odd} {'does' if len(hang.odd) == 1 else 'do'} not arrive where {waiting} {wait}"
    if hang.kind == RENDEZVOUS and hang.odd:
        one = len(hang.odd) == 1
        return f"{odd} {'does' if one else 'do'} not connect, and {waiting} {wait} for {'it' if one else 'them'}"
    if hang.kind == RENDEZVOUS:
        return f"{waiting} {wait} for processes that do not connect"
    if hang.kind == STUCK:
        return f"a call of CUDA or NCCL does not return on {waiting} (watchdog got stuck)"
    if hang.kind == SAME:
        return f"all {len(hang.waiting)} ranks wait in the same collective, and none has failed"
    return f"{waiting} {wait}, and the logs do not show what for"


def parts(hang: Hang) -> list[tuple[str, str]]:
    """Labels and texts: what each rank does, why that is the answer, what to do next."""
    texts = [(_label(group[0]), _does(group)) for group in _alike(hang.odd)[:_MOST]]
    texts += [("since", _last(member)) for member in hang.odd[:1] if member.last is not None]
    texts += [(_label(group[0]), _does(group)) for group in _alike(hang.waiting)[:_MOST]]
    texts += [("because", because(hang)), ("next", advice(hang))]
    return [(label, text) for label, text in texts if text]


def because(hang: Hang) -> str:
    """Why the answer is as certain as it is."""
    odd = hang.odd[0] if hang.odd else None
    if hang.kind == ENDED:
        if odd is not None and not odd.error:
            return "the other ranks lost the connection to it, and its log has no error"
        return {
            CERTAIN: "it ended before the other ranks gave up",
            LIKELY: "no times tell whether it ended before the other ranks gave up",
        }.get(hang.certainty, "by the times, the other ranks gave up before it ended")
    if hang.kind == DIVERGED:
        return {
            CERTAIN: "the log states different collectives at the same place of one process group",
            LIKELY: "the logs show different collectives; they do not state that these are of one process group",
        }.get(hang.certainty, "the collectives can be of several process groups, of which only one is blocked")
    if hang.kind == LATE and odd is not None:
        return _why_late(odd) + ("" if hang.certainty == CERTAIN or odd.does != "runs" else _MOMENT)
    if hang.kind == STUCK:
        return (
            "torch's watchdog, which asks CUDA whether collectives have ended, states it; no log shows which call it is"
        )
    if hang.kind == SAME:
        return f"the logs of {_names(hang.waiting)} show it; the network itself is in no log"
    return ""


def advice(hang: Hang) -> str:
    """What to do next."""
    odd = hang.odd[0] if hang.odd else None
    if hang.kind == ENDED:
        return _ENDED if odd is None or odd.error else _GONE
    if hang.kind == LATE:
        return _SLOW if odd is not None and odd.frames else f"{_SLOW} {_STACK}"
    return _NEXT.get(hang.kind, _UNCLEAR)


def place(frame: Frame) -> str:
    """A call as function, file and line."""
    return f"{frame.function} ({shortened(frame.file)}:{frame.line})"


def shortened(path: str) -> str:
    """A file of a stack, without the folder of the environment that it is in."""
    for folder in ("/site-packages/", "/dist-packages/"):
        if folder in path:
            return path.rpartition(folder)[2]
    return path


def lines_of(hang: Hang) -> list[tuple[Line, str]]:
    """The lines of logs that show what the first rank of each kind does, with their paths."""
    firsts = [group[0] for group in (*_alike(hang.odd), *_alike(hang.waiting))][:_MOST]
    return [(one.seen.line, one.seen.path) for one in firsts if one.seen is not None]


def _label(member: Member) -> str:
    return {"ended": "ended", "waits": "waits", "stuck": "stuck"}.get(member.does, "late")


def _does(group: Sequence[Member]) -> str:
    """What ranks do that do the same."""
    first, is_one = group[0], len(group) == 1
    own = own_frame(first.frames)
    if first.does == "ended":
        text = f": {cut(first.error) if first.error else 'the log ends without an error'}"
        text += f", in {place(own or first.frames[0])}" if first.frames else ""
    elif first.does == "waits":
        text = f" {'waits' if is_one else 'wait'} {_collective(first)}{_called_by(own)}{_times(first)}"
    elif first.does == "stuck":
        text = ": " + ("its watchdog makes" if is_one else "their watchdogs make") + " no progress"
    elif first.frames:
        inner = first.frames[0]
        text = f" is in {place(inner)}{_called_by(own if own != inner else own_frame(first.frames[1:]))}"
    else:
        text = f" {'shows' if is_one else 'show'} no wait"
    return f"{_names(group)}{text}" + (f" ({_at(first.seen)})" if first.seen is not None else "")


def _called_by(frame: Frame | None) -> str:
    return f", called by {place(frame)}" if frame else ""


def _collective(member: Member) -> str:
    """What a rank waits in, or for."""
    number = f" #{member.number}" if member.number is not None else ""
    what = f"in {member.collective}{number}" if member.collective else "for other ranks"
    return f"{what} ({member.size})" if member.size else what


def _times(member: Member) -> str:
    """Since when and for how long a rank waits."""
    since = f" since {member.since}" if member.since else ""
    if member.seconds is None:
        return since
    return f"{since} for {round(member.seconds) if member.seconds >= 10 else member.seconds:g} s"


def _last(member: Member) -> str:
    """The last line of a rank before it stopped or was late."""
    assert member.last is not None
    last = member.last
    # A line without a time, such as a warning, is later than the line before that has one.
    time = f"{last.line.time}, " if last.line.time else f"after {last.after}, " if last.after else ""
    return f"{time}its last line: {cut(last.line.text)} ({_at(last)})"


def _why_late(odd: Member) -> str:
    if odd.does == "runs":
        return "its stack shows other code than that of a collective"
    if odd.completed is not None:
        return f"it has completed all that it has enqueued, up to #{odd.completed}"
    if odd.is_accused:
        return "the backend of another rank states it"
    return "its log shows no wait, and those of the other ranks do"


def _alike(members: Sequence[Member]) -> list[list[Member]]:
    """The members that do the same, together; each that has ended or is late on its own account is one of its own."""
    groups: dict[tuple[object, ...], list[Member]] = {}
    for member in members:
        own = own_frame(member.frames)
        key = (member.does, member.collective, member.number, member.size, own, member.error, *member.frames[:1])
        groups.setdefault(key if member.does != "unknown" else (member.name,), []).append(member)
    return list(groups.values())


def _names(members: Sequence[Member]) -> str:
    """The names of ranks as `rank 3`, `ranks 0, 2-7`; then those of other processes."""
    ranks = sorted({one.rank for one in members if one.rank is not None})
    others = [one.name for one in members if one.rank is None]
    shown = [_ranges(ranks)] if ranks else []
    shown += others[:3] + ([f"{len(others) - 3} more"] if len(others) > 3 else [])
    return " and ".join(shown) if len(shown) < 3 else ", ".join(shown)


def _ranges(ranks: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    texts = [text for run in runs for text in ([f"{run[0]}-{run[-1]}"] if len(run) > 2 else map(str, run))]
    joined = f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else texts[0]
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {joined}"


def _at(seen: Seen) -> str:
    return where(seen.line._replace(process=""), relative(seen.path))
