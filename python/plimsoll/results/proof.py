"""A run of a real database."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, log
from statistics import fmean
from typing import Any

from plimsoll.base.errors import ExitStatus
from plimsoll.base.sentences import those_left
from plimsoll.base.units import format_rate, format_share
from plimsoll.facts import Condition, LatencyUs, OperationResult, Proof, QueryResult, Run
from plimsoll.facts.comparison import Direction
from plimsoll.facts.proof import LEFT_OUT
from plimsoll.results._compared import Compared, Pair, Quantity, latency_quantities
from plimsoll.results._kind import ResultKind, RunColumn


def _answer(proof: Proof) -> str:
    doubt = "" if proof.holds else ", not valid"
    if proof.queries:
        right = sum(one.answer == "right" for one in proof.queries)
        return f"{right} of {len(proof.queries)} answers right{doubt}"
    if proof.operations_per_s is None:
        return f"nothing was proved{doubt}"
    hosts = proof.hosts
    of = "" if hosts is None or len(hosts.left) == len(hosts.hosts) else f" of {those_left(hosts.left)}"
    return f"{format_rate(proof.operations_per_s)} operations per s{of}{doubt}"


def proof_status(run: Run) -> ExitStatus:
    """130 interrupted, 4 the database went, 5 a host was lost, 1 not valid, 5 no prediction although one was asked for, else 0."""
    codes = {note.code for note in run.notes}
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    if any(code.startswith("database-") for code in codes):
        return ExitStatus.WORLD_FAILED
    if "host-lost" in codes:
        return ExitStatus.DONE_IN_PART
    believed = run.proof.holds if run.proof is not None else LEFT_OUT not in codes
    if not believed:
        return ExitStatus.ANSWER_IS_NO
    unpredicted = run.prediction is not None and run.prediction.error_share is None
    return ExitStatus.DONE_IN_PART if unpredicted else ExitStatus.DONE


def proof_data(run: Run, _: str = "proof") -> dict[str, Any]:
    """The proof's own fields; `latency_us` again by operation, as the contract has it. A sweep has no proof of its own."""
    return {
        "run": run.id,
        "interrupted": run.interrupted,
        **({} if run.proof is None else _fields(run.proof)),
        "prediction": None if run.prediction is None else run.prediction.model_dump(mode="json"),
        "sweep": None if run.sweep is None else run.sweep.model_dump(mode="json"),
    }


def _fields(proof: Proof) -> dict[str, Any]:
    by_operation = {
        one.name: one.latency_us.model_dump(mode="json", exclude={"hdr"}) for one in proof.operations
    }
    return {**proof.model_dump(mode="json"), "latency_us": by_operation}


_NOT_ASKED = {
    "seed", "load_seed", "run_s", "warm_up_s", "repeats", "generator", "synchronous_commit", "fsync", "full_page_writes", "hosts",
}  # fmt: skip
"""Of a proof's settings: how long and how often it was measured, what it drew, from which hosts, and how the server was set up."""
_WHERE_IT_LISTENS = frozenset(
    {"unix_socket_directories", "listen_addresses", "port", "socket", "pid_file", "external_pid_file"}
)
"""Every embedded server has a folder of its own."""


def _is_paced(proof: Proof) -> bool:
    """Whether its sessions pause: more operations then mean that more were asked for."""
    words = ("rate_per_s", "think_frequency", "think_factor")
    return any(float(proof.settings.get(word, "0") or "0") > 0 for word in words)


def _figures(run: Run) -> list[Quantity]:
    proof: Proof = run.results["proof"]
    if proof.queries:
        return list(_of_queries(proof))
    # Imported when used, here and below: a store that saves a proof compares nothing.
    from plimsoll.predict.comparison import rate_of, seconds_of

    better: Direction | None = None if _is_paced(proof) else "more"
    return [
        Quantity(
            "proof.operations_per_s", "operations per s", "per_s", proof.operations_per_s, better,
            rate_of(seconds_of(proof)).ci95,
        ),
        *(
            quantity
            for one in proof.operations
            for quantity in latency_quantities(
                one.latency_us, f"proof.operations.{one.name}.latency_us", f", {one.name.replace('_', ' ')}"
            )
        ),
        Quantity("proof.logical_reads_per_s", "blocks asked for per s", "per_s", proof.logical_reads_per_s, None),
        Quantity("proof.physical_reads_per_s", "blocks read per s", "per_s", proof.physical_reads_per_s, None),
        Quantity("proof.redo_mb_per_s", "log MB/s", "mb_per_s", proof.redo_mb_per_s, None),
    ]  # fmt: skip


def _of_queries(proof: Proof) -> Iterator[Quantity]:
    """Times of power runs: of all queries as their geometric mean, and of each, with every repeat."""
    times: dict[int, dict[int, float]] = {}
    for one in proof.queries:
        if _counts(one) and one.elapsed_s:
            times.setdefault(one.query, {})[one.repeat] = one.elapsed_s
    means = _geometric_means(times)
    all_of_them = fmean(means) if means else None
    yield Quantity("proof.queries.elapsed_s", "all queries", "s", all_of_them, "less", repeats=means)
    for query, each in sorted(times.items()):
        repeats = tuple(each.values())
        yield Quantity(
            f"proof.queries.{query}.elapsed_s", f"Q{query}", "s", fmean(repeats), "less", repeats=repeats
        )
    read = [one.device_read_bytes for one in proof.queries if _counts(one)]
    known = [size for size in read if size is not None]
    total = sum(known) if len(known) == len(read) else None
    yield Quantity("proof.queries.device_read_bytes", "read from the device", "bytes", total, None)


def _counts(one: QueryResult) -> bool:
    return one.stream == 0 and one.elapsed_s is not None and one.answer != "wrong"


def _geometric_means(times: dict[int, dict[int, float]]) -> tuple[float, ...]:
    """Of each power run that answered every query."""
    repeats = sorted({repeat for each in times.values() for repeat in each})
    whole = [repeat for repeat in repeats if all(repeat in each for each in times.values())]
    return tuple(exp(fmean(log(each[repeat]) for each in times.values())) for repeat in whole)


def _subject(run: Run) -> str:
    proof: Proof = run.results["proof"]
    scale = f" at scale {proof.settings.get('scale', 'unknown')}" if proof.queries else ""
    return f"{proof.workload.replace('_', ' ')}{scale}"


def _work(run: Run) -> dict[str, str]:
    settings = run.results["proof"].settings
    return {name: value for name, value in settings.items() if name not in _NOT_ASKED}


def _around(run: Run) -> dict[str, str]:
    """Settings of the proof and of the server that are no work; where a server listens is no difference."""
    proof: Proof = run.results["proof"]
    own = {name: value for name, value in proof.settings.items() if name in _NOT_ASKED}
    if proof.server_settings is None:
        return own | {"settings of the server": "unknown"}
    of_server = {
        f"{name} of the server": value
        for name, value in proof.server_settings.items()
        if name not in _WHERE_IT_LISTENS
    }
    return own | of_server


def _doubts(run: Run) -> list[str]:
    proof: Proof = run.results["proof"]
    return [] if proof.holds else [f"it does not hold: {next(iter(proof.doubts), 'its reason is unknown')}"]


def _latencies(run: Run) -> dict[str, LatencyUs]:
    return {one.name.replace("_", " "): one.latency_us for one in run.results["proof"].operations}


def _pair(first: Run, second: Run) -> Pair:
    """Two single proofs: by the seconds of both windows, or by the queries that both answered. Raises UsageError."""
    from plimsoll.predict.comparison import compare
    from plimsoll.predict.queries import compare_queries

    one, other = first.results["proof"], second.results["proof"]
    beside = tuple(_beside(one, other))
    if one.queries:
        of_queries = compare_queries(one, other)
        return Pair(of_queries.words, of_queries.doubts, (of_queries.storage_words, *beside))
    if not one.slices or not other.slices:
        return Pair(remarks=beside)
    return Pair(compare(one, other).words, remarks=beside)


def _beside(*proofs: Proof) -> Iterator[str]:
    """That one of them ran beside other programs, and how much of the CPUs these had in each."""
    from plimsoll.predict.processors import OTHERS_SHARE_MAX

    shares = [proof.cpu_use and proof.cpu_use.others_share for proof in proofs]
    if any(share is not None and share > OTHERS_SHARE_MAX for share in shares):
        first, second = ("an unknown share" if share is None else format_share(share) for share in shares)
        yield f"other programs had {first} of the CPUs in the first run and {second} in the second"


_COMPARED = Compared(
    figures=_figures,
    work=_work,
    around=_around,
    doubts=_doubts,
    subject=_subject,
    latencies=_latencies,
    pair=_pair,
)

RESULT = ResultKind(
    fact=Proof,
    rows=(OperationResult, QueryResult, Condition),
    rank=20,
    answer=_answer,
    status=proof_status,
    data=proof_data,
    envelope="prove",
    columns=(RunColumn("operations_per_s", "real", lambda run: run.proof and run.proof.operations_per_s),),
    compared=_COMPARED,
)
