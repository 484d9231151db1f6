"""Whether a verdict came true after the move."""

from __future__ import annotations

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_rate, format_ratio, format_us
from plimsoll.charts import Table
from plimsoll.facts import ClassSettlement, Run, Settlement
from plimsoll.results._blocks import Block, Grid, Pairs, Words
from plimsoll.results._kind import ResultKind, RunColumn

_OUTCOMES = {True: "as predicted", False: "not as predicted", None: "cannot be settled"}
_CARRIES = {True: "carries", False: "does not carry", None: "cannot tell"}
_HELD_BACK = {True: "held back", False: "not held back", None: "held back or not is unknown"}
_OBJECTIVE = {"held": "objective held", "missed": "objective missed", "unknown": "objective unknown"}
_COLUMNS = (
    "class",
    "judged per s",
    "now per s",
    "mean as predicted",
    "mean now",
    "error",
    "limit",
    "objective",
)
_SPARE = ("limit", "judged per s", "now per s", "error")


def _answer(found: Settlement) -> str:
    load = "load unknown" if found.load_ratio is None else f"load × {found.load_ratio:.2f}"
    seen = f"{load}, {_HELD_BACK[found.held_back.is_held_back]}, {_OBJECTIVE[found.objective]}"
    return f"{_OUTCOMES[found.as_predicted]}: {seen}{_error(found)}"


def _error(found: Settlement) -> str:
    return "" if found.error_share is None else f", {found.error_of} {100 * found.error_share:+.0f} %"


def _status(run: Run) -> ExitStatus:
    """0 as predicted, 1 not as predicted, 5 it cannot be settled, and the reason says what is missing."""
    found: Settlement = run.results["settlement"]
    if found.as_predicted is None:
        return ExitStatus.DONE_IN_PART
    return ExitStatus.DONE if found.as_predicted else ExitStatus.ANSWER_IS_NO


def _blocks(run: Run) -> list[Block]:
    """The answer, what was predicted beside what was seen, and the classes."""
    found: Settlement = run.results["settlement"]
    blocks: list[Block] = [
        Words(found.reason),
        Pairs("Predicted", tuple(_predicted(found))),
        Pairs("Observed", tuple(_observed(found))),
    ]
    if found.classes:
        caption = (
            "The classes, in the minute that takes most of the storage's time; error is predicted against now"
        )
        table = Table(_COLUMNS, tuple(map(_row, found.classes)), (False, *(True,) * 6, False), _SPARE)
        blocks.append(Grid(caption, table))
    return blocks


def _predicted(found: Settlement) -> list[tuple[str, str]]:
    rows = [
        ("run", found.predicted_run),
        ("at", f"{found.predicted_at:%Y-%m-%d %H:%M}"),
        ("target", found.predicted_target or "unknown"),
        ("verdict", _CARRIES[found.predicted_carries]),
        ("objective", found.slo),
    ]
    if found.predicted_headroom is not None:
        rows.append(("headroom", format_ratio(found.predicted_headroom)))
    if found.predicted_limiting_class is not None:
        rows.append(("limited by", found.predicted_limiting_class.replace("_", " ")))
    return rows


def _observed(found: Settlement) -> list[tuple[str, str]]:
    rows = []
    if found.later_begin_time is not None and found.later_end_time is not None:
        rows.append(
            (
                "from",
                f"{found.later_begin_time:%Y-%m-%d %H:%M:%S} to {found.later_end_time:%Y-%m-%d %H:%M:%S}",
            )
        )
    for name, ratio in (("I/Os", found.load_ratio), ("bytes", found.bytes_ratio)):
        rows.append((name, "unknown" if ratio is None else f"{ratio:.2f} × what was judged"))
    if found.observed_headroom is not None:
        least = "at least " if found.observed_at_least else ""
        rows.append(("headroom seen", f"{least}{format_ratio(found.observed_headroom)}"))
    held = {True: "yes", False: "no", None: "unknown"}[found.held_back.is_held_back]
    rows += [("held back by the storage", held), ("objective", found.objective)]
    return rows


def _row(one: ClassSettlement) -> tuple[str, ...]:
    return (
        one.name.replace("_", " "),
        format_rate(one.judged_per_s),
        format_rate(one.later_per_s),
        format_us(one.latency_us_predicted),
        format_us(one.latency_us_observed),
        "–" if one.error_share is None else f"{100 * one.error_share:+.0f} %",
        "–" if one.limit_us is None else format_us(one.limit_us),
        one.objective or "–",
    )


def _on_page(run: Run) -> list[Block]:
    """What means can say."""
    return [Words(_METHOD)]


_METHOD = (
    "A server counts the time of all its I/Os, so that only means are known, and a mean is no quantile. An objective on a quantile"
    " q surely held where the mean is no more than (1 - q) times the limit, by Markov's inequality. It was surely missed where, of"
    " ten seconds, more intervals have a mean beyond the limit than the quantile leaves of their I/Os, as each of them has one such"
    " I/O at least. Everything in between is unknown."
)

RESULT = ResultKind(
    fact=Settlement,
    rows=(ClassSettlement,),
    rank=25,
    answer=_answer,
    status=_status,
    envelope="settle",
    columns=(
        RunColumn("settles", "text", lambda run: run.settlement and run.settlement.predicted_run),
        RunColumn("settled", "text", lambda run: run.settlement and _OUTCOMES[run.settlement.as_predicted]),
        RunColumn("settled_error", "real", lambda run: run.settlement and run.settlement.error_share),
    ),
    title="The settlement",
    help="A verdict held against what happened after the move.",
    page_rank=31,
    blocks=_blocks,
    on_page=_on_page,
    instead="A settlement compares already, a verdict with what came after it. All of them: `plimsoll store predictions`.",
)
