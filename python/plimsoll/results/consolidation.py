"""What several databases ask of one storage together, and which of them fit."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import (
    format_mb,
    format_rate,
    format_ratio,
    format_seconds,
    format_share,
    moment_form,
)
from plimsoll.charts import Table
from plimsoll.demand.summed import in_words
from plimsoll.demand.together import STEPS_SAID_S
from plimsoll.facts import Coincidence, Consolidation, DatabaseLoad, Run
from plimsoll.predict.consolidation import all_of
from plimsoll.predict.failover import UNKNOWN_SHARE_TOLD
from plimsoll.results._blocks import Block, Figure, Grid, Pairs, Points, Words
from plimsoll.results._kind import ResultKind, RunColumn

_COLUMNS = (
    "database",
    "peak I/Os per s",
    "from",
    "at peak of all",
    "peak MB/s",
    "storage's time",
    "weight",
    "in the set",
)
_SPARE = ("weight", "peak MB/s", "from", "storage's time")
_COINCIDENCES_SHOWN_MAX = 5
_UNKNOWN = "–"


def which_fit(found: Consolidation) -> str:
    """The answer in a few words, with what of it is not seen."""
    return f"{_fit(found)}{_means(found)}{_unknown_time(found)}"


def _means(found: Consolidation) -> str:
    """Of what length of intervals the answer is, where bursts within them may meet."""
    length_s = found.resolution_s
    return "" if length_s is None or length_s <= STEPS_SAID_S else f", by means of {format_seconds(length_s)}"


def _unknown_time(found: Consolidation) -> str:
    """In it the databases may have asked for more than is judged."""
    share = found.unknown_share
    return (
        "" if share < UNKNOWN_SHARE_TOLD else f"; {format_share(share)} of their time together is not known"
    )


def _fit(found: Consolidation) -> str:
    count = len(found.databases)
    if found.carries:
        return f"{all_of(count)} fit together"
    if found.carries is None or found.fits is None:
        return f"cannot tell which of {count} databases fit together"
    return f"{len(found.fits)} of {count} databases fit together" + (
        f": {in_words(found.fits)}" if found.fits else ""
    )


def _status(run: Run) -> ExitStatus:
    """As of the verdict: 0 all fit, 1 not all do, 5 it cannot be told."""
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    carries = run.results["consolidation"].carries
    if carries is None:
        return ExitStatus.DONE_IN_PART
    return ExitStatus.DONE if carries else ExitStatus.ANSWER_IS_NO


def _blocks(run: Run) -> list[Block]:
    """The answer, each database, when peaks coincide, and the sets that were judged."""
    found: Consolidation = run.results["consolidation"]
    blocks: list[Block] = [
        Words(found.reason),
        Grid("Each database alone, and when all together ask for most", _table(found)),
        Pairs("All of them together", tuple(_figures(found))),
    ]
    if found.coincidences:
        blocks.append(Grid(_coincidences_caption(found), _coincidences(found)))
    if found.sets:
        told = tuple((in_words(one.databases), one.reason) for one in found.sets)
        blocks.append(Points(told))
    return blocks


def _table(found: Consolidation) -> Table:
    form = moment_form(one.peak_time for one in found.databases if one.peak_time is not None)
    rows = tuple(_row(one, form) for one in found.databases)
    return Table(_COLUMNS, rows, (False, True, False, *(True,) * 4, False), _SPARE)


def _row(one: DatabaseLoad, form: str) -> tuple[str, ...]:
    return (
        one.name,
        format_rate(one.peak_iops),
        _UNKNOWN if one.peak_time is None else one.peak_time.strftime(form),
        format_rate(one.iops_at_peak),
        _UNKNOWN if one.peak_mb_per_s is None else format_mb(one.peak_mb_per_s),
        _UNKNOWN if one.storage_share_max is None else format_share(one.storage_share_max),
        f"{one.weight:,}",
        {True: "yes", False: "no", None: _UNKNOWN}[one.fits],
    )


def _figures(found: Consolidation) -> Iterator[tuple[str, str]]:
    yield "known", f"{format_seconds(found.known_s)}, from {found.begin_time:%Y-%m-%d %H:%M:%S}"
    if found.unknown_s:
        yield "not known", f"{format_seconds(found.unknown_s)}, in which one or more were not watched"
    yield "most at once", f"{format_rate(found.peak_iops)} I/Os per s"
    yield "sum of their peaks", f"{format_rate(found.sum_of_peaks_iops)} I/Os per s"
    yield "sum of peaks ÷ most at once", format_ratio(found.saving_iops)
    if found.saving_mb is not None:
        yield "the same of MB/s", format_ratio(found.saving_mb)
    yield (
        "two or more at their peaks",
        format_seconds(found.coincide_s) if found.coincide_s else "never",
    )


def _coincidences_caption(found: Consolidation) -> str:
    shown = min(_COINCIDENCES_SHOWN_MAX, len(found.coincidences))
    few = found.coincidence_count > shown
    which = f"The {shown} busiest of {found.coincidence_count:,} times" if few else "Hours"
    return f"{which} in which two or more are within a tenth of their peaks at once"


def _coincidences(found: Consolidation) -> Table:
    rows = tuple(_coincidence(one) for one in found.coincidences[:_COINCIDENCES_SHOWN_MAX])
    return Table(("hour", "at their peaks", "for", "most at once"), rows, (False, False, True, True))


def _coincidence(one: Coincidence) -> tuple[str, ...]:
    return (
        f"{one.begin_time:%Y-%m-%d %H}:00",
        in_words(one.databases),
        format_seconds(one.duration_s),
        format_rate(one.iops),
    )


def _on_page(run: Run) -> list[Block]:
    return [Figure("databases-together")]


RESULT = ResultKind(
    fact=Consolidation,
    rows=(DatabaseLoad,),
    rank=37,
    answer=which_fit,
    status=_status,
    columns=(
        RunColumn(
            "databases_fit",
            "integer",
            lambda run: (
                None
                if run.consolidation is None or run.consolidation.fits is None
                else len(run.consolidation.fits)
            ),
        ),
    ),
    title="Databases together",
    help="What each database asks for, and all of them together.",
    page_rank=38,
    blocks=_blocks,
    on_page=_on_page,
)
