"""A backup or a migration beside a demand: how long it takes, and whether it fits."""

from __future__ import annotations

from plimsoll.base.errors import ExitStatus
from plimsoll.base.limits import WORK_TRIAL_S
from plimsoll.base.units import format_mb, format_rate, format_ratio, format_seconds, format_us, moment_form
from plimsoll.charts import Table
from plimsoll.facts import Run, WorkTrial, WorkWindow
from plimsoll.predict.work_window import in_short
from plimsoll.results._blocks import Block, Grid, Pairs, Points, Words
from plimsoll.results._kind import ResultKind, RunColumn
from plimsoll.supply.work import DEPTH

_LIMITS = {
    "objective": "the demand's objective",
    "storage": "the storage's own throughput",
    "links": "what the links carry",
}
_COLUMNS = (
    "beside",
    "from",
    "asked MB/s",
    "moved MB/s",
    "demand per s",
    "p99 of demand",
    "limited by",
    "outcome",
)
_SPARE = ("p99 of demand", "limited by", "asked MB/s", "from", "demand per s")


def work_status(found: WorkWindow) -> ExitStatus:
    """1 where it does not fit, or the demand does not hold beside it; 5 where that cannot be told."""
    if found.answer is None:
        return ExitStatus.DONE_IN_PART
    return ExitStatus.DONE if found.answer else ExitStatus.ANSWER_IS_NO


def _status(run: Run) -> ExitStatus:
    return ExitStatus.INTERRUPTED if run.interrupted else work_status(run.results["work_window"])


def _blocks(run: Run) -> list[Block]:
    """The answer, what it rests on, and each trial."""
    found: WorkWindow = run.results["work_window"]
    blocks: list[Block] = [Words(found.reason)]
    if found.trials:
        blocks.append(Pairs("The work", tuple(_figures(found))))
        form = moment_form(trial.begin_time for trial in found.trials)
        rows = tuple(_row(trial, form) for trial in found.trials)
        caption = "The work at each rate that was tried, alone and beside the demand as it was"
        blocks.append(
            Grid(
                caption,
                Table(_COLUMNS, rows, (False, False, *(True,) * 4, False, False), _SPARE),
            )
        )
    blocks.append(Points(tuple(("assumed", f"{words}.") for words in found.assumptions)))
    return blocks


def _figures(found: WorkWindow) -> list[tuple[str, str]]:
    rows = [
        ("needs", found.needed_mb_per_s),
        ("alone", found.alone_mb_per_s),
        ("held beside the demand", found.held_mb_per_s),
        ("not carried", found.missed_mb_per_s),
    ]
    figures = [(name, f"{format_mb(rate)} MB/s") for name, rate in rows if rate is not None]
    if found.factor is not None:
        figures.append(("window ÷ time taken", format_ratio(found.factor)))
    if found.limited_by is not None:
        of = "" if found.limiting_class is None else f", of {found.limiting_class.replace('_', ' ')}s"
        figures.append(("limited by", f"{_LIMITS[found.limited_by]}{of}"))
    return figures


def _row(trial: WorkTrial, form: str) -> tuple[str, ...]:
    outcome = {True: "held", False: "missed", None: "–" if trial.beside == "nothing" else "void"}[trial.held]
    return (
        {"nothing": "nothing", "mix": "a mix", "replay": "worst 10 s"}[trial.beside],
        "–" if trial.begin_time is None else trial.begin_time.strftime(form),
        "all it can" if trial.asked_mb_per_s is None else format_mb(trial.asked_mb_per_s),
        format_mb(trial.mb_per_s),
        "–" if trial.demand_iops is None else format_rate(trial.demand_iops),
        "–" if trial.demand_iops is None else format_us(trial.latency_us_p99),
        "–" if trial.limiting_class is None else trial.limiting_class.replace("_", " "),
        outcome if trial.kept_up else f"{outcome}, work too slow",
    )


def _on_page(run: Run) -> list[Block]:
    """How it is measured."""
    found: WorkWindow = run.results["work_window"]
    return (
        [] if not found.trials else [Words(_METHOD.format(seconds=format_seconds(WORK_TRIAL_S), depth=DEPTH))]
    )


_METHOD = (
    "The work reads or writes 1 MiB at a time, up to {depth} of them outstanding, round and round in the target. At each rate it"
    " runs beside every mix of the demand at the demand's own rate, and beside its worst ten seconds as they were. The objective is"
    " held against up to {seconds} of the demand's I/Os. The work takes its bytes divided by a rate that was tried."
)

RESULT = ResultKind(
    fact=WorkWindow,
    rows=(WorkTrial,),
    rank=36,
    answer=in_short,
    status=_status,
    columns=(
        RunColumn("work", "text", lambda run: run.work_window and run.work_window.work),
        RunColumn("work_fits", "boolean", lambda run: run.work_window and run.work_window.fits),
        RunColumn("work_beside_s", "real", lambda run: run.work_window and run.work_window.beside_s),
    ),
    title="The window of work",
    help="A backup or a migration beside the demand.",
    page_rank=29,
    blocks=_blocks,
    on_page=_on_page,
)
