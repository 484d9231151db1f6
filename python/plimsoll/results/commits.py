"""What commits waited for, and what would help."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_rate, format_seconds, format_share, format_us
from plimsoll.charts import Table
from plimsoll.facts import CommitCause, CommitsOfRole, CommitTimes, CommitWaits, Run
from plimsoll.results._blocks import Block, Grid, Words
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind
from plimsoll.results._words import sentence

_NONE = "–"
_COLUMNS = (
    "who", "which", "commits per s", "errors", "mean", "p99", "queue", "write", "flush", "run queue", "processor", "other",
    "dispatches",
)  # fmt: skip
_NUMERIC = (*(False,) * 2, *(True,) * 11)
_SPARE = ("dispatches", "other", "p99", "write")
_WORDS = {
    "disk": "the disk",
    "run queue": "a processor, in the run queue",
    "group commit": "their turn behind others (group commit)",
    "processor": "nothing as long as they compute",
    "other": "something else, such as memory or a read",
}


def _answer(found: CommitWaits) -> str:
    if not found.causes:
        return f"no commit that waited was seen in {format_seconds(found.duration_s)}{_doubts(found)}"
    first = next((cause for cause in found.causes if cause.cause is not None), found.causes[0])
    return f"{said(first)}{_doubts(found)}"


def _doubts(found: CommitWaits) -> str:
    """What failed, and what is missing."""
    failed = sum(row.errors for row in found.rows)
    errors = f"; {failed:,} flush{'es' if failed != 1 else ''} failed" if failed else ""
    lost = f"; {found.lost_commits:,} commits are missing" if found.lost_commits else ""
    unseen = "; who waits for another's flush is not seen" if _is_in_part(found) else ""
    return f"{errors}{lost}{unseen}"


def _is_in_part(found: CommitWaits) -> bool:
    """Whether followers are missing of PostgreSQL's commits."""
    return any(note.code == "followers-unseen" for note in found.notes)


def said(cause: CommitCause) -> str:
    """What the commits of a role wait for, as one sentence without its full stop."""
    if cause.cause is None:
        return f"what commits of {cause.role} wait for cannot be told: {cause.reason}"
    share = "" if cause.share is None else f" ({format_share(cause.share)} of their time)"
    return f"commits of {cause.role} wait for {_WORDS[cause.cause]}{share}"


def _status(run: Run) -> ExitStatus:
    """130 interrupted, 1 where flushes failed, 5 where commits are missing or not seen, or there were none."""
    found: CommitWaits = run.results["commits"]
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    if any(row.errors for row in found.rows):
        return ExitStatus.ANSWER_IS_NO
    is_part = found.lost_commits or _is_in_part(found) or not found.rows
    return ExitStatus.DONE_IN_PART if is_part else ExitStatus.DONE


def _blocks(run: Run) -> list[Block]:
    """What each role waits for, why and what would help; then where the time goes."""
    found: CommitWaits = run.results["commits"]
    blocks: list[Block] = [Words(sentence(_answer(found)))]
    if found.causes:
        blocks.append(_causes(found.causes))
    if found.rows:
        blocks.append(_rows(found.rows))
    return blocks


def _causes(causes: Sequence[CommitCause]) -> Grid:
    columns = ("who", "commits", "wait for", "told from", "what would help")
    rows = tuple(
        (one.role, f"{one.commits:,}", one.cause or "unknown", one.reason, one.advice) for one in causes
    )
    return Grid(
        "What commits wait for", Table(columns, rows, (False, True, False, False, False), ("commits",))
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
        _NONE if row.latency_us.p99 is None else format_us(row.latency_us.p99),
        *_times(row.times),
        _NONE if row.dispatches_mean is None else f"{row.dispatches_mean:.1f}",
    )


def _times(times: CommitTimes | None) -> list[str]:
    if times is None:
        return [_NONE] * len(CommitTimes.model_fields)
    return [format_us(getattr(times, name)) for name in CommitTimes.model_fields]


def _figures(run: Run) -> list[Quantity]:
    """Of the role with most time in commits."""
    found: CommitWaits = run.results["commits"]
    us = found.causes[0].total_us_mean if found.causes else None
    return [] if us is None else [Quantity("commits.total_us_mean", "mean commit", "us", us, "less")]


def _work(run: Run) -> dict[str, str]:
    found: CommitWaits = run.results["commits"]
    return {"roles": ", ".join(cause.role for cause in found.causes)}


RESULT = ResultKind(
    fact=CommitWaits,
    rows=(CommitCause, CommitsOfRole),
    rank=27,
    answer=_answer,
    status=_status,
    title="What commits wait for",
    help="Commits of the host by role, as the kernel saw each of them: queue, write, flush, run queue and processor.",
    page_rank=43,
    blocks=_blocks,
    compared=Compared(figures=_figures, work=_work),
)
