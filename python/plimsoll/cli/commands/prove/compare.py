"""`plimsoll prove compare`: two stored proofs beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from plimsoll.cli.asking import asks
from plimsoll.cli.output import say

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.facts import Run
    from plimsoll.predict.comparison import Comparison
    from plimsoll.predict.queries import QueryComparison
    from plimsoll.requests.prove_compare import ProveCompareRequest


@asks("prove_compare.ProveCompareRequest")
def compare(asked: ProveCompareRequest, place: Place) -> int:
    """Say by how much the second proof did more than the first, or how many times as fast its queries were.

    The interval of rates is taken from the seconds of both windows and knows that seconds resemble their neighbours; that of
    queries from repeated power runs.
    """
    from plimsoll.base.errors import ExitStatus
    from plimsoll.cli.data import of_dicts
    from plimsoll.cli.session import session
    from plimsoll.flows.prove_compare import compare_proofs
    from plimsoll.predict.queries import QueryComparison

    with session(place) as here:
        found, runs = compare_proofs(here.ctx, asked.first, asked.second)
        if isinstance(found, QueryComparison):
            data, show = _data_of_queries(found, runs), lambda: _show_queries(found, runs)
        else:
            data, show = _data_of_rates(found, runs), lambda: _show_rates(found, runs)
        status = ExitStatus.ANSWER_IS_NO if found.doubts else ExitStatus.DONE
        tables = [of_dicts(name, data[name]) for name in ("queries", "runs") if name in data]
        return here.finish("prove-compare", data, show, (), status, lambda: tables)


def _doubt(run: Run) -> str:
    return "" if run.proof and run.proof.holds else ", which may not be believed"


def _show_rates(found: Comparison, runs: Sequence[Run]) -> None:
    from plimsoll.base.units import format_rate

    say(f"{found.words}.")
    for run, rate in zip(runs, (found.first, found.second), strict=True):
        say(f"  {run.id}: {format_rate(rate.mean)} operations per second, {run.title}{_doubt(run)}")
    _show_differences(found.differences)


def _data_of_rates(found: Comparison, runs: Sequence[Run]) -> dict[str, Any]:
    return {
        "words": found.words,
        "change_share": found.change,
        "half_width_share": found.half_width,
        "runs": [
            {"run": run.id, "operations_per_s": rate.mean, "ci95": rate.ci95}
            for run, rate in zip(runs, (found.first, found.second), strict=True)
        ],
        "doubts": list(found.doubts),
        "differences": list(found.differences),
    }


def _show_queries(found: QueryComparison, runs: Sequence[Run]) -> None:
    from plimsoll.base.units import format_bytes, format_seconds
    from plimsoll.cli.tables import filled, show_table

    say(f"{found.words}.")
    say(f"{found.storage_words}.")
    rows = [
        (
            f"Q{one.query}",
            format_seconds(one.first_s),
            format_seconds(one.second_s),
            f"{one.speed.ratio:.3g} ×",
            _interval(one.speed.ci95),
            *("–" if size is None else format_bytes(size) for size in one.device_read_bytes),
        )
        for one in found.changes
    ]
    columns = ("query", "first", "second", "speed", "95 %", "device read", "second's")
    spare = ("second's", "device read", "second", "first")
    show_table(filled(columns, rows, (False, True, True, True, False, True, True), spare))
    for run in runs:
        say(f"  {run.id}: {run.title}{_doubt(run)}")
    for doubt in found.doubts:
        say(f"  doubt: {doubt}")
    _show_differences(found.differences)


def _interval(ci95: tuple[float, float] | None) -> str:
    """`1.9 to 2.3`, or that it tells no difference; unknown where too few repeats tell."""
    if ci95 is None:
        return "unknown"
    return f"{ci95[0]:.3g} to {ci95[1]:.3g}" + (", no difference" if ci95[0] <= 1 <= ci95[1] else "")


def _show_differences(differences: Sequence[str]) -> None:
    for difference in differences:
        say(f"  not the same: {difference}")


def _data_of_queries(found: QueryComparison, runs: Sequence[Run]) -> dict[str, Any]:
    return {
        "words": found.words,
        "storage": found.storage_words,
        "speed_ratio": found.speed.ratio,
        "ci95": found.speed.ci95,
        "queries": [
            {
                "query": one.query,
                "first_s": one.first_s,
                "second_s": one.second_s,
                "speed_ratio": one.speed.ratio,
                "ci95": one.speed.ci95,
                "runs": one.runs,
                "device_read_bytes": one.device_read_bytes,
            }
            for one in found.changes
        ],
        "runs": [{"run": run.id, "holds": bool(run.proof and run.proof.holds)} for run in runs],
        "doubts": list(found.doubts),
        "differences": list(found.differences),
    }
