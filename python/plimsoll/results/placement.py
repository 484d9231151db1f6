"""What belongs on which tier of storage."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll import charts
from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_bytes, format_rate, format_seconds, format_share, format_us
from plimsoll.charts import Subject, Table
from plimsoll.facts import Placement, PlanRow, Run, TierUse
from plimsoll.results import _move_costs
from plimsoll.results._blocks import Block, Figure, Grid, Pairs, Points, Words
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind, RunColumn
from plimsoll.results._words import sentence

MOVES_SHOWN_MAX = 20
"""On a terminal; --json and the page have them all."""
_STAYS_SHOWN_MAX = 5
_ON_PAGE_MAX = 1_000
GAP_PROVED = 1e-6
"""A plan as near as this to the bound is called the best: the search aims at no more."""
_GAP_SHOWN_MIN = 1e-3
_CHARTS = ("budget-curve", "gain-density", "latency-pyramid")
_UNKNOWN = "unknown"
_COLUMNS = ("object", "kind", "from", "to", "size", "waits", "gains", "why")
_NUMERIC = (False, False, False, False, True, True, True, False)
_SPARE = ("why", "kind", "waits")


def _answer(found: Placement) -> str:
    return f"{found.answer}: {found.reason}" if found.answer != "move" else found.reason


def _status(run: Run) -> ExitStatus:
    """5 where an object could not be planned since its size or its tier is not known, where one plan cannot serve all intervals,
    or an earlier one was wrong.
    """
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    # Every command knows all kinds of results, and few of them show this one.
    from plimsoll.placement.after import is_as_predicted
    from plimsoll.placement.doubts import is_changing

    found: Placement = run.results["placement"]
    changes = found.answer == "move" and is_changing(found.raw_gain_s, found.own_plans_gain_s)
    in_part = (
        changes
        or (found.after is not None and not is_as_predicted(found.after))
        or found.answer == "cannot tell"
        or any(row.bytes is None or row.from_tier == _UNKNOWN for row in found.plan)
    )
    return ExitStatus.DONE_IN_PART if in_part else ExitStatus.DONE


def _blocks(run: Run) -> list[Block]:
    """The answer, what moves, the tiers before and after, what stays though it waits most, and what it rests on."""
    found: Placement = run.results["placement"]
    answer = _answer(found)
    blocks: list[Block] = [Words(sentence(answer))]
    blocks += _moves(found, MOVES_SHOWN_MAX)
    blocks += _after(found)
    blocks += _move_costs.sums(found)
    blocks += _stays(found)
    blocks.append(Grid("The tiers", _tiers(found)))
    blocks += _budget(found)
    blocks.append(Points(tuple((about, sentence(one)) for about, one in _said(found))))
    return blocks


def _said(found: Placement) -> Iterator[tuple[str, str]]:
    """Sentences, each with what it is about."""
    yield "how good", _proof(found)
    yield from (("note", one) for one in found.reasons)
    if found.memory_instead is not None:
        gain = found.memory_instead.gain_s
        yield (
            "memory instead",
            found.memory_instead.reason + ("" if gain is None else f", {format_seconds(gain)}"),
        )


def _proof(found: Placement) -> str:
    """How far from best it can be, beside the rule of thumb."""
    greedy = f"moving what gains most per byte first saves {_seconds(found.greedy_s)}"
    return f"the moves save {_seconds(found.raw_gain_s)} by counts and latencies, {_gap(found.gap)}; {greedy}"


def _gap(gap: float) -> str:
    """How far below the best the plan may be; a gap that is there is never 0.0 %."""
    if gap <= GAP_PROVED:
        return "proved best"
    if gap < _GAP_SHOWN_MIN:
        return f"less than {format_share(_GAP_SHOWN_MIN)} below the best"
    return f"at most {format_share(gap)} below the best"


def _moves(found: Placement, count: int) -> list[Block]:
    moved = [row for row in found.plan if row.tier != row.from_tier]
    if not moved:
        return []
    caption = "What moves, most gain per byte first"
    if len(moved) > count:
        caption += f": the first {count:,} of {len(moved):,}"
    return [Grid(caption, _table(moved[:count], found))]


def _stays(found: Placement) -> list[Block]:
    """What waits most and stays: the first question of whoever reads the plan."""
    stays = sorted(
        (row for row in found.plan if row.tier == row.from_tier and row.wait_s > 0),
        key=lambda row: -row.wait_s,
    )
    return [Grid("What waits most and stays", _table(stays[:_STAYS_SHOWN_MAX], found))] if stays else []


def _table(rows: list[PlanRow], found: Placement) -> Table:
    several = found.interval_count > 1
    columns = (*_COLUMNS[:-1], *(("at worst", "chosen") if several else ()), _COLUMNS[-1])
    numeric = (*_NUMERIC[:-1], *((True, True) if several else ()), _NUMERIC[-1])
    return Table(columns, tuple(_row(row, several) for row in rows), numeric, _SPARE)


def _row(row: PlanRow, several: bool) -> tuple[str, ...]:
    extra = (_seconds(row.gain_s_worst), format_share(row.chosen_share)) if several else ()
    return (
        row.object,
        row.kind,
        row.from_tier,
        row.tier,
        _UNKNOWN if row.bytes is None else format_bytes(row.bytes),
        format_seconds(row.wait_s),
        _gain(row),
        *extra,
        row.reason,
    )


def _gain(row: PlanRow) -> str:
    """From low to high ends, where they differ."""
    low = _seconds(row.gain_s)
    if row.gain_s_max is None:
        return f"at least {low}"
    high = _seconds(row.gain_s_max)
    return low if low == high else f"{low} to {high}"


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return _UNKNOWN
    return f"-{format_seconds(-seconds)}" if seconds < 0 else format_seconds(seconds)


def _tiers(found: Placement) -> Table:
    columns = (
        "tier",
        "capacity",
        "bytes now",
        "then",
        "I/Os per s now",
        "then",
        "small read now",
        "then",
        "a month",
        "lasts",
    )
    rows = tuple(_tier(one) for one in found.tier_uses)
    return Table(
        columns, rows, (False, *(True,) * 9), ("lasts", "a month", "I/Os per s now", "small read now")
    )


def _tier(one: TierUse) -> tuple[str, ...]:
    return (
        one.tier,
        "no limit" if one.capacity_bytes is None else format_bytes(one.capacity_bytes),
        format_bytes(one.bytes_before),
        format_bytes(one.bytes_after),
        format_rate(one.ios_per_s_before),
        format_rate(one.ios_per_s_after),
        format_us(one.small_read_us_before),
        format_us(one.small_read_us_after),
        _UNKNOWN if one.price_per_month is None else f"{one.price_per_month:,.2f}",
        _UNKNOWN if one.endurance_years is None else f"{one.endurance_years:,.1f} years",
    )


def _after(found: Placement) -> list[Block]:
    """An earlier plan, and what it came to."""
    if found.after is None:
        return []
    rows = (
        ("waits without its moves", format_seconds(found.after.before_s)),
        ("predicted with them", format_seconds(found.after.predicted_s)),
        ("measured", format_seconds(found.after.measured_s)),
        ("so", found.after.reason),
    )
    return [Pairs("What became of the plan before", rows)]


def _budget(found: Placement) -> list[Block]:
    rows = []
    if found.knee_bytes is not None and found.knee_gain_s is not None and found.curve:
        rows.append(
            (
                "knee",
                (
                    f"{format_bytes(found.knee_bytes)} gain {format_seconds(found.knee_gain_s)}; each further byte gains "
                    f"less than the average byte"
                ),
            )
        )
    if found.curve:
        last = found.curve[-1]
        rows.append(("all that gains", f"{format_bytes(last.bytes)} gain {format_seconds(last.gain_s)}"))
    if found.interval_count > 1 and found.worst_interval is not None:
        rows.append(("worst interval", f"{found.worst_interval}: {_seconds(found.worst_interval_gain_s)}"))
    if found.own_plans_gain_s is not None:
        rows.append(("a plan for each", f"{_seconds(found.own_plans_gain_s)} in the mean of the intervals"))
    return [Pairs("Budgets", tuple(rows))] if rows else []


def _on_page(run: Run) -> list[Block]:
    """The pictures, and every object with what its figures rest on."""
    found: Placement = run.results["placement"]
    subject = Subject(run)
    blocks: list[Block] = [Figure(name) for name in _CHARTS if charts.load(name).applies(subject)]
    rows = list(found.plan[:_ON_PAGE_MAX])
    caption = (
        "Every object"
        if len(rows) == len(found.plan)
        else f"The first {len(rows):,} of {len(found.plan):,} objects"
    )
    table = _table(rows, found)
    evidence = tuple((*cells, row.evidence) for cells, row in zip(table.rows, rows, strict=True))
    columns = (*table.columns, "evidence")
    blocks += _move_costs.each(rows)
    blocks.append(
        Grid(caption, Table(columns, evidence, (*table.numeric, False), (*_SPARE, "evidence")), folded=True)
    )
    return blocks


def _figures(run: Run) -> list[Quantity]:
    """What the plan gains and moves. More to gain is no better: it is more that is waited for today."""
    found: Placement = run.results["placement"]
    return [
        Quantity("placement.gain_s", "saved", "s", found.gain_s, None),
        Quantity("placement.bound_s", "bound of what can be saved", "s", found.bound_s, None),
        Quantity("placement.moved_bytes", "moved", "bytes", float(found.moved_bytes), None),
    ]


def _work(run: Run) -> dict[str, str]:
    found: Placement = run.results["placement"]
    return {"objects": f"{len(found.plan):,}", "tiers": ", ".join(tier.name for tier in found.tiers)}


RESULT = ResultKind(
    fact=Placement,
    rows=(PlanRow,),
    rank=22,
    answer=_answer,
    status=_status,
    envelope="place",
    columns=(
        RunColumn("gain_s", "real", lambda run: run.placement and run.placement.gain_s),
        RunColumn("moved_bytes", "integer", lambda run: run.placement and run.placement.moved_bytes),
    ),
    title="Placement",
    help="Which object belongs on which tier, what that gains, and how far from best it can be.",
    page_rank=36,
    blocks=_blocks,
    on_page=_on_page,
    compared=Compared(figures=_figures, work=_work),
)
