"""What commits waited for, and what would help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_rate, format_seconds, format_share, format_us
from plimsoll.charts import Table
from plimsoll.facts import CommitCause, CommitsOfRole, CommitsUnderWay, CommitTimes, CommitWaits, Run
from plimsoll.facts.commits import LATENCY_US_MAX
from plimsoll.results._blocks import Block, Figure, Grid, Words
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind
from plimsoll.results._words import sentence

_NONE = "–"
_COLUMNS = (
    "who", "which", "commits per s", "errors", "mean", "p99", "queue", "write", "flush", "run queue", "processor", "other",
    "dispatches",
)  # fmt: skip
_NUMERIC = (*(False,) * 2, *(True,) * 11)
_P99 = 0.99
_SPARE = ("dispatches", "other", "p99", "write")
_WORDS = {
    "disk": "the disk",
    "above the disk": "something above the disk, such as a limit of a control group or a frozen file system",
    "disk or above it": "the disk or something above it, which of both is not told",
    "run queue": "a processor, in the run queue",
    "group commit": "their turn behind others (group commit)",
    "lock": "a lock, while nobody else flushes",
    "standby": "a synchronous standby",
    "processor": "nothing as long as they compute",
    "other": "something else, such as memory or a read",
}


_SECOND = {"processor": "compute"}
"""What reads otherwise behind another cause."""

_PARTS = {
    "queue": "behind others",
    "write": "for its write",
    "flush": "for its flush",
    "run queue": "for a processor",
    "processor": "for nothing, on a processor",
    "other": "for something else",
}


def _answer(found: CommitWaits) -> str:
    doubts = "".join(f"; {doubt}" for doubt in _doubts(found))
    if not found.causes:
        of = " of what was asked for" if any(note.code == "filter-unmatched" for note in found.notes) else ""
        none = f"no commit{of} ended" if _hanging(found) else f"no commit{of or ' that waited'} was seen"
        return f"{none} in {format_seconds(found.duration_s)}{doubts}"
    return f"{said(_first(found.causes))}{doubts}"


def _first(causes: Sequence[CommitCause]) -> CommitCause:
    """What the headline is about: the first of which something can be told."""
    return next((cause for cause in causes if cause.cause is not None), causes[0])


def _doubts(found: CommitWaits) -> Iterator[str]:
    """What hangs, what failed, and what is missing."""
    hanging = _hanging(found)
    if hanging:
        count, longest = sum(one.hanging for one in hanging), hanging[0]
        what = "commit hangs" if count == 1 else "commits hang"
        waits = f"of {longest.role} for {format_seconds(longest.longest_s)}, waiting {_waits_for(longest)}"
        yield f"{count:,} {what} at the end, {'' if count == 1 else 'the longest '}{waits}"
    failed = sum(row.errors for row in found.rows)
    if failed:
        whose = ", ".join(dict.fromkeys(row.role for row in found.rows if row.errors))
        yield f"{failed:,} flush{'es' if failed != 1 else ''} of {whose} failed"
    if found.lost_commits:
        yield f"{found.lost_commits:,} {'commit is' if found.lost_commits == 1 else 'commits are'} missing"
    for code, what in _UNSEEN.items():
        if any(note.code == code for note in found.notes):
            yield what
    if found.broken_off is not None:
        yield "it ended before its time"


_UNSEEN = {
    "followers-unseen": "who waits for another's flush is not seen",
    "standby-unseen": "who waits for a standby is not seen",
    "turns-apart": "flushes took another time in the seconds in which calls were watched than in all",
}


def _hanging(found: CommitWaits) -> list[CommitsUnderWay]:
    """Those of the longest first."""
    return [one for one in found.under_way or () if one.hanging]


def _waits_for(one: CommitsUnderWay) -> str:
    return "for a standby" if (one.kind, one.longest_in) == ("standby", "queue") else _PARTS[one.longest_in]


def _is_in_part(found: CommitWaits) -> bool:
    """Whether commits are missing, or some of what they wait for."""
    is_unseen = any(note.code in _UNSEEN for note in found.notes)
    return bool(found.lost_commits) or is_unseen or found.broken_off is not None or not found.rows


def said(cause: CommitCause) -> str:
    """What the commits of a role wait for, as one sentence without its full stop."""
    if cause.cause is None:
        return f"what commits of {cause.role} wait for cannot be told: {cause.reason}"
    share = "" if cause.share is None else f" ({format_share(cause.share)} of their time)"
    next_to_it = (
        "" if cause.second is None else f" and {_SECOND.get(cause.second) or f'for {_WORDS[cause.second]}'}"
    )
    second_share = "" if cause.second_share is None else f" ({format_share(cause.second_share)})"
    return f"commits of {cause.role} wait for {_WORDS[cause.cause]}{share}{next_to_it}{second_share}"


def _status(run: Run) -> ExitStatus:
    """130 interrupted, 1 where flushes failed or commits hang, 5 where it broke off, commits are missing or not seen, or there were
    none."""
    found: CommitWaits = run.results["commits"]
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    if _hanging(found) or any(row.errors for row in found.rows):
        return ExitStatus.ANSWER_IS_NO
    return ExitStatus.DONE_IN_PART if _is_in_part(found) else ExitStatus.DONE


def _blocks(run: Run) -> list[Block]:
    """What each role waits for, why and what would help; then where the time goes."""
    found: CommitWaits = run.results["commits"]
    blocks: list[Block] = [Words(sentence(_answer(found)))]
    if found.causes:
        blocks.append(_causes(found.causes))
    if found.rows:
        blocks.append(_rows(found.rows))
    if hanging := _hanging(found):
        blocks.append(_under_way(hanging))
    return blocks


def _on_page(run: Run) -> list[Block]:
    found: CommitWaits = run.results["commits"]
    return [Figure("commit-parts")] if any(row.times for row in found.rows) else []


def _causes(causes: Sequence[CommitCause]) -> Grid:
    columns = ("who", "commits", "wait for", "told from", "what would help")
    rows = tuple((one.role, f"{one.commits:,}", _waited_for(one), one.reason, one.advice) for one in causes)
    return Grid(
        "What commits wait for", Table(columns, rows, (False, True, False, False, False), ("commits",))
    )


def _waited_for(cause: CommitCause) -> str:
    return ", ".join(name for name in (cause.cause, cause.second) if name is not None) or "unknown"


def _under_way(hanging: Sequence[CommitsUnderWay]) -> Grid:
    columns = ("who", "which", "commits", "for a second or longer", "longest", "waits")
    rows = tuple(
        (
            one.role, one.kind, f"{one.commits:,}", f"{one.hanging:,}", format_seconds(one.longest_s), _waits_for(one),
        )
        for one in hanging
    )  # fmt: skip
    return Grid(
        "Commits that were under way at the end and are in no row",
        Table(columns, rows, (False, False, True, True, True, False)),
    )


def _rows(rows: Sequence[CommitsOfRole]) -> Grid:
    """Without columns that say nothing of all: none failed, or none waited for anything else."""
    is_silent = {
        "errors": not any(row.errors for row in rows),
        "other": not any(row.times and row.times.other_us for row in rows),
    }
    table = Table(_COLUMNS, tuple(map(_row, rows)), _NUMERIC, _SPARE)
    return Grid(
        "Where the time of a commit goes, on average",
        table.without({name for name, silent in is_silent.items() if silent}),
    )


def _row(row: CommitsOfRole) -> tuple[str, ...]:
    return (
        row.role,
        row.kind,
        format_rate(row.commits_per_s),
        f"{row.errors:,}",
        _NONE if row.total_us_mean is None else format_us(row.total_us_mean),
        _p99(row),
        *_times(row.times),
        _NONE if row.dispatches_mean is None else f"{row.dispatches_mean:.1f}",
    )


def _p99(row: CommitsOfRole) -> str:
    """The distribution has an end; what is beyond took longer, and nobody knows how much."""
    us = row.latency_us.p99
    if us is None:
        return _NONE
    is_beyond = us > LATENCY_US_MAX if row.beyond is None else row.beyond > (1 - _P99) * row.commits
    return f"more than {format_us(LATENCY_US_MAX)}" if is_beyond else format_us(us)


def _times(times: CommitTimes | None) -> list[str]:
    if times is None:
        return [_NONE] * len(CommitTimes.model_fields)
    found = [getattr(times, name) for name in CommitTimes.model_fields]
    return [format_us(us) if us else "0" for us in found]


def _figures(run: Run) -> list[Quantity]:
    """Of each role, that of the headline first: only commits of one role are held against each other."""
    causes: tuple[CommitCause, ...] = run.results["commits"].causes
    ordered = sorted(causes, key=lambda cause: cause is not _first(causes))
    return [
        Quantity(
            f"commits.{one.role}.total_us_mean", f"mean commit of {one.role}", "us", one.total_us_mean, "less"
        )
        for one in ordered
        if one.total_us_mean is not None
    ]


def _work(run: Run) -> dict[str, str]:
    found: CommitWaits = run.results["commits"]
    return {"roles": ", ".join(cause.role for cause in found.causes)}


RESULT = ResultKind(
    fact=CommitWaits,
    rows=(CommitCause,),
    rank=27,
    answer=_answer,
    status=_status,
    title="What commits wait for",
    help="Commits of the host by role, as the kernel saw each of them: queue, write, flush, run queue and processor.",
    page_rank=43,
    blocks=_blocks,
    on_page=_on_page,
    compared=Compared(figures=_figures, work=_work, doubts=lambda run: _doubts(run.results["commits"])),
)
