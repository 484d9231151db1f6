"""What is said of a proof, on the page and on a terminal alike: the headline, its reason, and the sentences beside tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from statistics import fmean

from plimsoll.base.sentences import all_of, the_other, those_left
from plimsoll.base.units import format_rate, format_seconds, format_us
from plimsoll.charts import COMMIT, error_text, main_operation
from plimsoll.facts import (
    BlockOrigin,
    CommitParts,
    Condition,
    CpuUse,
    OperationResult,
    Prediction,
    Proof,
    ProofWindow,
    QueryResult,
    Run,
    Scalability,
    ServerLog,
    Sweep,
)
from plimsoll.pages._say import UNKNOWN, counted, name, percent, product, sentence
from plimsoll.predict import processors

_DOUBTS_MAX = 3
NOTHING_LOST = "no-acknowledged-commit-lost"
"""The condition that a ledger is kept for."""
LAW_WIDTH_MAX = 0.3
"""An interval of a share that is wider says nothing worth a sentence."""
_WORKLOADS = {
    "slob": "random blocks by key (slob)",
    "order_entry": "order entry",
    "tpch": "decision-support queries (tpch)",
}


def headline(run: Run) -> str:
    """The answer in a few words."""
    if run.proof is not None:
        nothing = run.proof.operations_per_s is None and not run.proof.queries
        if run.interrupted and nothing:
            return "Interrupted before anything was measured"
        if lost_hosts(run.proof) and not run.interrupted and (why := _database_end(run)):
            return f"This proof is not valid: {why}"
        return f"{_of_proof(run.proof, run.interrupted)}{_processors(run)}{_fatal(run.proof)}"
    assert run.sweep is not None, "the caller has looked"
    return f"{_of_sweep(run.sweep)}{', interrupted' if run.interrupted else ''}"


def _of_proof(proof: Proof, interrupted: bool = False) -> str:
    if interrupted and proof.operations_per_s is not None:
        return f"Interrupted: {format_rate(proof.operations_per_s)} operations per second until then"
    if lost := lost_hosts(proof):
        return _after_loss(proof, lost)
    if not proof.holds:
        return "This proof is not valid"
    if proof.queries:
        return f"{counted_queries(len({query.query for query in power(proof)}))} in {power_time(proof)}"
    if proof.operations_per_s is None:
        return "Nothing was measured"
    return f"{format_rate(proof.operations_per_s)} operations per second"


def _database_end(run: Run) -> str | None:
    """Why the database ended the drive, where it did: that weighs more than a host that was lost."""
    return next((note.message for note in run.notes if note.code.startswith("database-")), None)


def lost_hosts(proof: Proof) -> list[str]:
    """Names of the hosts that were lost."""
    return [one.host for one in proof.hosts.hosts if one.lost_because is not None] if proof.hosts else []


def _after_loss(proof: Proof, lost: Sequence[str]) -> str:
    """Who was lost, what the others did, and what all did while all were there."""
    assert proof.hosts is not None, "the caller has looked"
    total = len(proof.hosts.hosts)
    told = f"Lost: {', '.join(lost)}"
    if len(lost) < total and proof.operations_per_s is not None:
        told += f"; {the_other(total - len(lost))} did {format_rate(proof.operations_per_s)} operations per second"
    if proof.hosts.complete_operations_per_s is None:
        return f"{told}; nothing is known of {all_of(total)} together"
    rate, complete_s = proof.hosts.complete_operations_per_s, proof.hosts.complete_s or 0.0
    did = f"{format_rate(rate)} for {format_seconds(complete_s)}"
    return f"{told}; while {all_of(total)} were there they did {did}"


def sessions_left(proof: Proof) -> str:
    """`4 sessions`; where hosts were lost, how many the others had, and whose they are: `2 sessions of a`."""
    if proof.hosts is None or not (lost_hosts(proof) and proof.hosts.left):
        return counted(len(proof.sessions), "session")
    number = sum(one.sessions for one in proof.hosts.hosts if one.lost_because is None)
    return f"{counted(number, 'session')} of {those_left(proof.hosts.left)}"


def host_words(proof: Proof) -> str:
    """How the hosts began, and what of them is in the figures."""
    assert proof.hosts is not None, "the caller has looked"
    spread = proof.hosts.start_spread_us
    begun = (
        "" if spread is None else f" Their first operations began within {format_us(spread)} of each other."
    )
    lost = (
        " A host that was lost is in no sum but that of the time while all were there, and in what is held against the server's"
        " counts, which are of all sessions."
        if lost_hosts(proof)
        else ""
    )
    return f"All sessions waited for one instant of the server's clock.{begun}{lost}"


def _processors(run: Run) -> str:
    """That CPUs were the limit, where they were: the figure then says little of the storage."""
    proof = run.proof
    if proof is None or not proof.holds:
        return ""
    if run.prediction is not None and run.prediction.limited_by == "storage":
        return ""
    return _bound(processors.busy_share(proof.host_seconds), proof.cpu_use)


def _fatal(proof: Proof) -> str:
    """That sessions of the server were ended as fatal, whosever they were."""
    log = proof.server_log
    if log is None or not proof.holds or not (log.fatals or log.panics):
        return ""
    return f", with {counted((log.fatals or 0) + (log.panics or 0), 'fatal error')} in the server's log"


def start_words(proof: Proof) -> str:
    """In which state the server was when the drive began, and what of it reached into the window."""
    found = proof.start
    if found is None:
        return "In which state the server was at the start is unknown."
    told = [sentence(found.reason)]
    if found.checkpoints is not None:
        told.append(f"The server made {counted(round(found.checkpoints), 'checkpoint')} in the window.")
    if found.full_page_images is not None:
        pages = f"{round(found.full_page_images):,} whole pages"
        told.append(f"It wrote {pages} into its log, as the first change of each after a checkpoint does.")
    return " ".join(told)


def log_words(log: ServerLog) -> str:
    """How many entries of which severity, or why nothing is known."""
    if log.warnings is None:
        return sentence(log.reason)
    counts = ((log.panics, "panic"), (log.fatals, "fatal"), (log.errors, "error"), (log.warnings, "warning"))
    found = ", ".join(counted(count, word) for count, word in counts if count) or "no warnings and no errors"
    return sentence(
        f"the server's log has {found} from the start of the sessions to the end of the run; {log.reason}"
    )


def _bound(share: float | None, use: CpuUse | None) -> str:
    """That the CPUs were busy, and that they were the database's limit only where nobody else used them."""
    if not processors.is_bound(share):
        return ""
    if processors.is_bound_by_itself(share, use):
        return f", CPU-bound (CPUs {percent(share)} busy)"
    by = f"other programs had {percent(use.others_share)} of them" if use else "by whom is not known"
    return f", on CPUs that were {percent(share)} busy ({by})"


def _of_sweep(sweep: Sweep) -> str:
    if not sweep.points:
        return "Nothing was measured"
    if sweep.knee_sessions is None:
        most = max(sweep.points, key=lambda point: point.sessions)
        return f"No knee up to {counted(most.sessions, 'session')}{_bound(most.processors_busy_share, most.cpu_use)}"
    at = next((point for point in sweep.points if point.sessions == sweep.knee_sessions), None)
    rate = f": {format_rate(at.operations_per_s)} operations per second" if at is not None else ""
    # What held those back that brought no more.
    beyond = [point for point in sweep.points if point.sessions > sweep.knee_sessions]
    bound = _bound(beyond[0].processors_busy_share, beyond[0].cpu_use) if beyond else ""
    return f"More sessions pay up to {sweep.knee_sessions}{rate}{bound}"


def reason(run: Run) -> str:
    """Why, and under which load."""
    if run.proof is not None:
        told = [*_doubts(run.proof), _how(run.proof), *_latency(run.proof), *_believed(run.proof)]
    else:
        assert run.sweep is not None, "the caller has looked"
        told = [sentence(run.sweep.reason), *_law(run.sweep)]
    return " ".join(told)


def _doubts(proof: Proof) -> list[str]:
    """Why it is not valid; the page lists all of them below."""
    told = [sentence(doubt) for doubt in proof.doubts[:_DOUBTS_MAX]]
    if len(proof.doubts) > _DOUBTS_MAX:
        told.append(f"There are {len(proof.doubts) - _DOUBTS_MAX} more such reasons.")
    return told


def _how(proof: Proof) -> str:
    """Who drove what for how long."""
    sessions = counted(len(proof.sessions), "session")
    hosts = f" on {counted(len(proof.hosts.hosts), 'host')}" if proof.hosts else ""
    driven = f"{sessions}{hosts} drove" if proof.sessions else "The proof drove"
    text = f"{driven} {product(proof.database)} with {workload(proof)}"
    if proof.window is not None:
        text += f" for {format_seconds(proof.window.duration_s)}"
        if proof.window.excluded_warm_up_s:
            text += f", after {format_seconds(proof.window.excluded_warm_up_s)} of warm-up that are left out"
    if not proof.holds and proof.operations_per_s is not None:
        who = f"The {sessions_left(proof)}" if lost_hosts(proof) else "It"
        text += f". {who} counted {format_rate(proof.operations_per_s)} operations per second"
    return f"{text}."


def _latency(proof: Proof) -> list[str]:
    main = main_result(proof)
    if main is None or main.latency_us.p50 is None:
        return []
    tail = f", 99 of 100 up to {format_us(main.latency_us.p99)}" if main.latency_us.p99 is not None else ""
    return [f"Half of the operations “{name(main.name)}” took up to {format_us(main.latency_us.p50)}{tail}."]


def _believed(proof: Proof) -> list[str]:
    """What speaks for it, where nothing speaks against it."""
    if not proof.holds:
        return []
    told = [f"answers: {answers(proof.queries)}"] if proof.queries else []
    if proof.sessions and all(session.whole for session in proof.sessions):
        told.append("every session ran through the whole window")
    agreed = [agreement.holds for agreement in proof.agreements]
    if True in agreed:
        told.append(
            "sessions and server counted the same" + (" where both are known" if None in agreed else "")
        )
    if proof.conditions and all(condition.holds is not False for condition in proof.conditions):
        told.append("no condition of the data was broken")
    return [sentence(", ".join(told))] if told else []


def _law(sweep: Sweep) -> list[str]:
    law = sweep.scalability
    if law is None:
        return []
    alone, waiting = format_rate(law.per_session), percent(law.contention)
    if law.contention_ci95 is None or not tells(law):
        return [
            "The points are too few, or scatter too much, to say what part of the work waits for one another."
        ]
    low, high = (percent(end) for end in law.contention_ci95)
    words = (
        f"By the law fitted to it one session alone does {alone} operations per second, and {waiting} of the work waits for one"
        f" another (95 % interval {low} to {high})."
    )
    return [words]


def tells(law: Scalability) -> bool:
    """Whether the points bear what the law says of waiting."""
    return (
        law.contention_ci95 is not None and law.contention_ci95[1] - law.contention_ci95[0] <= LAW_WIDTH_MAX
    )


def verified(conditions: Sequence[Condition]) -> str:
    """What a database holds of what it had acknowledged, in a sentence without its full stop."""
    lost = next((one for one in conditions if one.name == NOTHING_LOST), None)
    broken = [one for one in conditions if one.holds is False]
    if lost is not None and lost.holds is False:
        return lost.reason
    if broken:
        return f"{len(broken)} of {counted(len(conditions), 'condition')} of the data do not hold"
    if lost is None:
        return "All conditions hold"
    return f"{'Cannot tell' if lost.holds is None else 'No acknowledged commit is missing'}: {lost.reason}"


def workload(proof: Proof) -> str:
    """`order entry`: what a proof drives, as people say it."""
    return _WORKLOADS.get(proof.workload, name(proof.workload))


def main_result(proof: Proof) -> OperationResult | None:
    """The operation that was done most often."""
    wanted = main_operation(proof)
    return next((found for found in proof.operations if found.name == wanted), None)


def has_commits(proof: Proof) -> bool:
    """Whether commits were timed apart."""
    return any(found.name == COMMIT for found in proof.operations)


def window_rows(window: ProofWindow | None) -> tuple[tuple[str, str], ...]:
    """The window as names and values."""
    if window is None:
        return (("window", "it never opened"),)
    return (
        ("opened", exact_instant(window.start)),
        ("last session ended", exact_instant(window.end)),
        ("measured", format_seconds(window.duration_s)),
        ("warm-up left out", format_seconds(window.excluded_warm_up_s)),
    )


def exact_instant(moment: datetime) -> str:
    """Date and time to the millisecond, with the zone."""
    zone = f" {moment:%Z}" if moment.tzinfo else ""
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03d}{zone}"


def session_words(proof: Proof) -> str:
    """How even the sessions were."""
    sessions = proof.sessions
    broken = sum(not session.whole for session in sessions)
    whole = (
        "All ran through the whole window"
        if not broken
        else f"{broken} of {counted(len(sessions), 'session')} did not run through the whole window"
    )
    done = [session.operations for session in sessions]
    many = f"{min(done):,}" if min(done) == max(done) else f"between {min(done):,} and {max(done):,}"
    return f"{whole}. Each did {many} operations."


def agreement_words(proof: Proof) -> str:
    """What the counts say together."""
    found = [agreement.holds for agreement in proof.agreements]
    if False in found:
        return "The sessions and the server differ by more than they may, so the figures are not valid."
    if True not in found:
        return "The server counts none of this, so that nothing could be compared."
    if None in found:
        return "The sessions and the server counted independently of each other, and agree where both counts are known."
    return "The sessions and the server counted independently of each other, and agree."


def origin_words(origin: BlockOrigin) -> str:
    """How it is known where the blocks came from, or why it is not."""
    parts = (origin.buffer_hits_per_s, origin.system_cache_per_s, origin.device_per_s)
    known = "is not known in full" if None in parts else "is known"
    return sentence(f"where the blocks came from {known}: {origin.reason}")


def commit_words(found: CommitParts, lost: Sequence[str] = ()) -> str:
    """Whose commits these are where hosts were lost, and that the parts are more than the whole, where they are."""
    told = [_OF_LOST_TOO.format(", ".join(lost))] if lost else []
    if found.parts_share is not None and found.parts_share > 1:
        share = percent(found.parts_share)
        told.append(
            f"Writing and forcing the log make {share} of what the commits took: the counters hold writes that none waited for."
        )
    return " ".join(told)


_OF_LOST_TOO = (
    "The server counts what all sessions do, so these commits are also those of {}, as far as they were told;"
    " the table of operations has the other hosts' alone."
)


def prediction_words(found: Prediction) -> str:
    """Both figures, the error, and who was at its limit."""
    if found.line_iops is None or found.proved_iops is None:
        return f"There is nothing to compare. {sentence(found.reason)}"
    limited = {
        "storage": "The storage was at its limit, so the two may be compared.",
        "database": "The database was at its limit before the storage was, so the line could not be reached.",
        "unknown": "Whether the storage was at its limit is not known.",
    }[found.limited_by]
    error = f" The prediction was {error_text(found.error_share)}." if found.error_share is not None else ""
    return (
        f"The line of {found.target} within {found.slo}, at the proof's own mix, was {format_rate(found.line_iops)} I/Os per "
        f"second; the database did {format_rate(found.proved_iops)}.{error} {limited} {sentence(found.reason)}"
    )


def power(proof: Proof) -> list[QueryResult]:
    """The queries that ran one after the other, of all power runs."""
    return [query for query in proof.queries if query.stream == 0]


def counted_queries(count: int) -> str:
    """`1 query`, `22 queries`."""
    return "1 query" if count == 1 else f"{count} queries"


def answers(queries: Sequence[QueryResult]) -> str:
    """`19 right, 1 wrong, 1 failed, 1 unknown`."""
    counts = Counter(query.answer for query in queries)
    order = ("right", "wrong", "failed", "unknown")
    return ", ".join(f"{counts[answer]} {answer}" for answer in order if counts[answer])


def total_s(queries: Sequence[QueryResult]) -> float | None:
    """The time of all together; None where one of them is not known."""
    times = [query.elapsed_s for query in queries]
    return sum(time for time in times if time is not None) if None not in times and times else None


def power_s(proof: Proof) -> list[float | None]:
    """The time of all queries of each power run; None for one of which a query's time is not known."""
    repeats: dict[int, list[QueryResult]] = {}
    for query in power(proof):
        repeats.setdefault(query.repeat, []).append(query)
    return [total_s(queries) for queries in repeats.values()]


def power_time(proof: Proof) -> str:
    """`5.2 s`, or `5.2 s, mean of 3 power runs`."""
    totals = power_s(proof)
    known = [total for total in totals if total is not None]
    if not known or len(known) < len(totals):
        return f"{UNKNOWN} time"
    mean = format_seconds(fmean(known))
    return mean if len(known) == 1 else f"{mean}, mean of {len(known)} power runs"
