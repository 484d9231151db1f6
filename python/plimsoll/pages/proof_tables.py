"""The tables of a proof, on the page and on a terminal alike."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.units import format_bytes, format_count, format_rate, format_seconds, format_us
from plimsoll.charts import COMMIT, Table, origin_parts, peak_words
from plimsoll.facts import (
    Agreement,
    CommitParts,
    Condition,
    Proof,
    ProofHost,
    ProofHosts,
    ProofSession,
    QueryResult,
    Sweep,
)
from plimsoll.pages._say import UNKNOWN, name, percent

SESSIONS_MAX = 64
"""Rows of the table of sessions; of more, those that did not run through the window come first."""
HOLDS: dict[bool | None, str] = {True: "yes", False: "no", None: "cannot tell"}


def operations(proof: Proof) -> Table:
    """Each kind of operation with its rate and its latencies."""
    blocks = any(found.blocks for found in proof.operations)
    failed = any(found.failed for found in proof.operations)
    columns = (
        "operation", "per s", "in all", *(["blocks each"] if blocks else []), *(["rolled back"] if failed else []), "mean", "p50",
        "p99", "p99.9", "slowest",
    )  # fmt: skip
    rows = []
    for found in proof.operations:
        each = f"{found.blocks / found.operations:.1f}" if found.blocks and found.operations else "–"
        spread = found.latency_us
        rows.append(
            (
                name(found.name) + (" (a part)" if found.name == COMMIT else ""), format_rate(found.operations_per_s),
                f"{found.operations:,}", *([each] if blocks else []), *([format_count(found.failed)] if failed else []),
                *map(format_us, (spread.mean, spread.p50, spread.p99, spread.p999, spread.max)),
            )
        )  # fmt: skip
    return Table(
        columns,
        tuple(rows),
        (False, *(True,) * (len(columns) - 1)),
        ("mean", "p50", "blocks each", "in all", "slowest"),
    )


def agreements(proof: Proof) -> Table:
    """Both counts side by side, with the difference."""
    rows = [
        (
            found.what, f"{found.sessions_count:,.0f}", UNKNOWN if found.server_count is None else f"{found.server_count:,.0f}",
            _difference(found), _allowed(found), HOLDS[found.holds],
        )
        for found in proof.agreements
    ]  # fmt: skip
    columns = ("what", "the sessions counted", "the server counted", "difference", "allowed", "agree")
    return Table(
        columns,
        tuple(rows),
        (False, True, True, True, True, False),
        ("allowed", "the server counted", "the sessions counted"),
    )


def _allowed(found: Agreement) -> str:
    slack = f" and {found.slack:,.0f}" if found.slack else ""
    return f"{100 * found.limit_share:g} %{slack}"


def _difference(found: Agreement) -> str:
    share = found.difference_share
    if share is None:
        return UNKNOWN
    return "none" if found.server_count == found.sessions_count else f"{100 * share:+.2f} %"


def origin(proof: Proof) -> Table:
    """Where the blocks came from, and beside it what the kernel counted."""
    rows = [(part.name, format_rate(part.per_s), percent(part.share)) for part in origin_parts(proof)]
    found = proof.origin
    if found is not None and found.device_by_counter_per_s is not None:
        rows.append(
            (
                f"{found.device or 'the device'}: reads by anyone, by the kernel",
                format_rate(found.device_by_counter_per_s),
                "",
            )
        )
    return Table(("blocks from", "per s", "share"), tuple(rows), (False, True, True))


def commit_parts(found: CommitParts) -> Table:
    """What a commit waited for."""
    whole = found.latency_us_mean

    def row(what: str, us: float | None, count: float | None) -> tuple[str, str, str, str]:
        share = percent(us / whole) if us is not None and whole else UNKNOWN
        return (what, format_us(us), share, "" if count is None else format_rate(count))

    rows = (
        row("writing the log", found.log_write_us, found.log_writes),
        row("forcing the log to disk", found.log_sync_us, found.log_syncs),
        *(
            [row("making new segments of the log", found.log_segment_us, None)]
            if found.log_segment_us
            else []
        ),
        row("all else", found.rest_us, None),
        row(f"all of it, as the sessions timed {found.commits:,} commits", whole, None),
    )
    return Table(("part", "time of a commit", "share", "how many in it"), rows, (False, True, True, True))


def hosts(found: ProofHosts) -> Table:
    """What the sessions of each host did, and what became of it."""
    columns = ("host", "sessions", "operations", "per s", "p50", "p99", "p99.9", "ended")
    return Table(columns, tuple(map(_host, found.hosts)), (False, *(True,) * 6, False), ("p99.9", "p50"))


def _host(one: ProofHost) -> tuple[str, ...]:
    tails = (
        (None,) * 3
        if one.latency_us is None
        else (one.latency_us.p50, one.latency_us.p99, one.latency_us.p999)
    )
    return (
        one.host,
        f"{one.sessions:,}",
        f"{one.operations:,}",
        UNKNOWN if one.operations_per_s is None else format_rate(one.operations_per_s),
        *map(format_us, tails),
        "lost" if one.lost_because is not None else "with the others",
    )


def sessions(proof: Proof) -> Table:
    """Each session's start and end, counted from the window's opening, and its operations."""
    shown = sorted(proof.sessions, key=lambda session: session.whole)[:SESSIONS_MAX]
    rows = [_session(session, proof) for session in proof.sessions if session in shown]
    columns = ("session", "first began", "last ended", "operations", "through the window")
    return Table(columns, tuple(rows), (False, True, True, True, False))


def _session(session: ProofSession, proof: Proof) -> tuple[str, ...]:
    opened = proof.window.start if proof.window is not None else None

    def offset(moment_s: float | None) -> str:
        return UNKNOWN if moment_s is None else f"{moment_s:+,.3f} s"

    moments = [
        offset(None if moment is None or opened is None else (moment - opened).total_seconds())
        for moment in (session.start, session.end)
    ]
    return (session.name, *moments, f"{session.operations:,}", HOLDS[session.whole])


def queries(found: Sequence[QueryResult]) -> Table:
    """Each query with its time, its rows, what it read, and whether its answer is right."""
    shown = [
        ("stream", any(query.stream for query in found), lambda query: str(query.stream)),
        ("run", any(query.repeat > 1 for query in found), lambda query: str(query.repeat)),
        ("time", True, lambda query: UNKNOWN if query.elapsed_s is None else format_seconds(query.elapsed_s)),
        ("rows", True, lambda query: UNKNOWN if query.rows is None else f"{query.rows:,}"),
        ("from cache", any(query.block_reads is not None for query in found), _from_cache),
        ("read", any(query.read_bytes is not None for query in found), lambda query: _size(query.read_bytes)),
        ("temp", any(query.temp_bytes for query in found), lambda query: _size(query.temp_bytes)),
        (
            "device read",
            any(query.device_read_bytes is not None for query in found),
            lambda query: _size(query.device_read_bytes),
        ),
    ]
    columns = [(title, cell) for title, is_shown, cell in shown if is_shown]
    rows = [
        (
            f"Q{query.query}",
            *(cell(query) for _, cell in columns),
            query.answer + (f": {query.reason}" if query.reason else ""),
        )
        for query in found
    ]
    titles = ("query", *(title for title, _ in columns), "answer")
    return Table(titles, tuple(rows), (False, *(True,) * len(columns), False), titles[-2:1:-1])


def _from_cache(query: QueryResult) -> str:
    """The share of its blocks that lay in the server's own cache."""
    if query.block_reads is None or query.block_hits is None or not query.block_reads + query.block_hits:
        return UNKNOWN
    return percent(query.block_hits / (query.block_reads + query.block_hits))


def _size(count: int | None) -> str:
    return UNKNOWN if count is None else format_bytes(count)


def conditions(checked: Sequence[Condition]) -> Table:
    """Each condition of the data, and whether it held."""
    rows = tuple((name(found.name), HOLDS[found.holds], found.reason) for found in checked)
    return Table(("condition", "holds", "found"), rows, (False,) * 3)


def sweep(found: Sweep) -> Table:
    """Every number of sessions, and what one more doubling brought."""
    rows = [
        (
            str(point.sessions), format_rate(point.operations_per_s), _interval(point.ci95),
            format_rate(point.operations_per_s / point.sessions) if point.sessions else UNKNOWN,
            format_us(point.latency_us_p99), percent(point.processors_busy_share), point.run or "",
        )
        for point in found.points
    ]  # fmt: skip
    columns = (
        "sessions",
        "operations per s",
        "95 % interval",
        "per session",
        "p99",
        "CPUs busy",
        "run",
    )
    return Table(columns, tuple(rows), (True, True, True, True, True, True, False))


def scalability(found: Sweep) -> tuple[tuple[str, str], ...]:
    """The law's parts as names and values."""
    law = found.scalability
    if law is None:
        return ()
    return (
        ("one session alone", f"{format_rate(law.per_session)} operations per second"),
        ("waits for one another", percent(law.contention) + _share_interval(law.contention_ci95)),
        ("cost of keeping in step", _small(law.coherency, law.coherency_ci95)),
        (
            "most throughput at",
            peak_words(law, found.points),
        ),
        ("fit, R²", UNKNOWN if law.r2 is None else f"{law.r2:.4f}"),
    )


def _interval(ci95: tuple[float, float] | None) -> str:
    return UNKNOWN if ci95 is None else f"{format_rate(ci95[0])} to {format_rate(ci95[1])}"


def _share_interval(ci95: tuple[float, float] | None) -> str:
    return "" if ci95 is None else f", 95 % interval {percent(ci95[0])} to {percent(ci95[1])}"


def _small(value: float, ci95: tuple[float, float] | None) -> str:
    interval = "" if ci95 is None else f", 95 % interval {ci95[0]:.2g} to {ci95[1]:.2g}"
    return f"{value:.2g} of an operation's time for each pair of sessions{interval}"
