"""What the verdict of a proof is made of: the answer, and the few figures that carry it."""

from __future__ import annotations

from plimsoll.base.sentences import all_of, those_left
from plimsoll.base.units import format_rate, format_seconds, format_us
from plimsoll.facts import Prediction, Proof, Run, Sweep
from plimsoll.pages import proof_words
from plimsoll.pages._say import UNKNOWN, counted, name, percent
from plimsoll.results import Answer, Tone


def answer(run: Run, remark: str | None) -> Answer:
    """The answer in a few words, then why."""
    return Answer(_tone(run), proof_words.headline(run), proof_words.reason(run), remark)


def _tone(run: Run) -> Tone:
    if run.proof is None:
        return "plain" if run.sweep is not None and run.sweep.points else "unknown"
    if not run.proof.holds:
        return "no"
    return "unknown" if run.proof.window is None and not run.proof.queries else "yes"


def figures(run: Run) -> list[tuple[str, str, str]]:
    """What it is, the figure, and a word on it."""
    if run.proof is None:
        return _of_sweep(run.sweep) if run.sweep is not None and run.sweep.points else []
    rows = _of_queries(run.proof) if run.proof.queries else _of_operations(run.proof)
    # Four of them make a row; the blocks read are in the words of those asked for as well.
    last = _outside(run.proof) if run.prediction is None else _of_prediction(run.prediction)
    return [*rows, last]


def _of_operations(proof: Proof) -> list[tuple[str, str, str]]:
    main = proof_words.main_result(proof)
    tail = None if main is None else main.latency_us.p99
    of = (
        ""
        if main is None
        else f"{name(main.name)}{_of_left(proof)}, half within {format_us(main.latency_us.p50)}"
    )
    whose = _whose(proof)
    sessions = proof_words.sessions_left(proof) if proof.sessions else ""
    return [
        (
            "Operations",
            format_rate(proof.operations_per_s),
            f"per second{', ' if sessions else ''}{sessions}",
        ),
        ("p99", format_us(tail), of),
        (
            "Blocks asked for",
            format_rate(proof.logical_reads_per_s),
            f"per second{whose}, {_not_found(proof)}",
        ),
    ]


def _of_left(proof: Proof) -> str:
    """Whose operations are counted, where hosts were lost."""
    is_part = proof.hosts is not None and proof.hosts.left and proof_words.lost_hosts(proof)
    return f" of {those_left(proof.hosts.left)}" if proof.hosts and is_part else ""


def _whose(proof: Proof) -> str:
    """Beside what hosts did that were not lost: that the server counts for the others too."""
    return f", {all_of(len(proof.hosts.hosts))}" if proof.hosts and proof_words.lost_hosts(proof) else ""


def _not_found(proof: Proof) -> str:
    """How many of them did not lie in the database's own buffer."""
    asked, read = proof.logical_reads_per_s, proof.physical_reads_per_s
    if not asked or read is None:
        return "how many lay in its own buffer is unknown"
    return f"{percent(read / asked)} from outside its own buffer"


def _outside(proof: Proof) -> tuple[str, str, str]:
    return (
        "Blocks read",
        format_rate(proof.physical_reads_per_s),
        f"per second{_whose(proof)}, from outside its own buffer",
    )


def _of_queries(proof: Proof) -> list[tuple[str, str, str]]:
    queries = proof_words.power(proof)
    timed = [query for query in queries if query.elapsed_s is not None]
    rows = [
        ("Queries", str(len(queries)), proof_words.answers(queries)),
        ("All of them", proof_words.power_time(proof), "one after the other"),
    ]
    if timed:
        slowest = max(timed, key=lambda query: query.elapsed_s or 0.0)
        rows.append(("Slowest", format_seconds(slowest.elapsed_s or 0.0), f"query {slowest.query}"))
    return rows


def _of_prediction(found: Prediction) -> tuple[str, str, str]:
    error = UNKNOWN if found.error_share is None else f"{100 * found.error_share:+.1f} %"
    line, proved = format_rate(found.line_iops), format_rate(found.proved_iops)
    return ("Prediction's error", error, f"predicted {line}, proved {proved} I/Os per second")


def _of_sweep(sweep: Sweep) -> list[tuple[str, str, str]]:
    best = max(sweep.points, key=lambda point: point.operations_per_s)
    knee = ("Knee", "none", "each doubling of sessions still brought a fifth or more")
    if sweep.knee_sessions is not None:
        knee = ("Knee", str(sweep.knee_sessions), "sessions; one more doubling brings less than a fifth")
    rows = [
        (
            "Most",
            format_rate(best.operations_per_s),
            f"operations per second, {counted(best.sessions, 'session')}",
        ),
        knee,
    ]
    law = sweep.scalability
    if law is not None and law.contention_ci95 is not None and proof_words.tells(law):
        rows.append(("One session alone", format_rate(law.per_session), "operations per second, by the law"))
        low, high = (percent(end) for end in law.contention_ci95)
        rows.append(("Waits for one another", f"{low} to {high}", "of the work, by the law, 95 % interval"))
    return rows
