"""The verdict, first on the page: the answer in words for a manager, then the demand laid against the line."""

from __future__ import annotations

from plimsoll.base.sentences import capital
from plimsoll.base.units import (
    format_bytes,
    format_mb,
    format_rate,
    format_ratio,
    format_seconds,
    format_share,
    format_us,
)
from plimsoll.charts import Subject, Table, ratio_text
from plimsoll.facts import (
    Calibration,
    Demand,
    Extreme,
    FillSweep,
    Interference,
    LadderCurve,
    Line,
    LinkBound,
    Run,
    Settlement,
    TargetLadder,
    Verdict,
    WorkingSetSweep,
)
from plimsoll.pages import _advice, _cell, _placement, _proof, _report
from plimsoll.pages._doubt import in_doubt
from plimsoll.pages._say import UNKNOWN, counted, instant, name, percent, sentence
from plimsoll.pages._section import Section
from plimsoll.predict.failover import in_short
from plimsoll.predict.verdict import failed_ios
from plimsoll.results import (
    MIX_COLUMNS,
    Answer,
    Block,
    Figures,
    Gauge,
    Grid,
    Tone,
    answer,
    hosts_lost,
    hosts_said,
    of_mix,
    unconfirmed_said,
)
from plimsoll.results.consolidation import which_fit
from plimsoll.supply.knee import range_in_words

_NO_RESULTS = "Nothing was measured before it ended, or its results are of kinds that are not known here."


def applies(subject: Subject) -> bool:
    """Always: each run has an answer, if only that there is none."""
    return True


def blocks(subject: Subject) -> list[Block]:
    """The answer; for a verdict also the gauge and the classes."""
    run = subject.run
    found: list[Block] = [in_doubt(run, _answer(run))]
    gauge = _gauge(run.verdict, run.line) if run.verdict is not None else None
    if gauge is not None:
        found.append(gauge)
    if figures := _figures(run):
        found.append(Figures(tuple(figures)))
    if run.verdict is not None and run.verdict.classes:
        found.append(Grid(_classes_caption(run.line), _classes(run.verdict)))
    if run.verdict is not None and run.verdict.mixes:
        found.append(Grid(_mixes_caption(run.verdict), _mixes(run.verdict)))
    return found


def _answer(run: Run) -> Answer:
    remark = "This run was interrupted. What was measured until then is shown." if run.interrupted else None
    if run.proof is not None or run.sweep is not None:
        return _proof.answer(run, remark)
    if run.settlement is not None:
        tone = {True: "yes", False: "no", None: "unknown"}[run.settlement.as_predicted]
        return Answer(tone, _settled_headline(run.settlement), run.settlement.reason, remark)  # type: ignore[arg-type]
    if run.verdict is not None:
        tone, headline = _tone(run), _verdict_headline(run.verdict)
        work = "" if run.verdict.work is None else f"; {run.verdict.work}"
        fit = "" if run.consolidation is None else f"; {which_fit(run.consolidation)}"
        nodes = "" if run.failover is None else f"; {in_short(run.failover)}"
        return Answer(tone, f"{headline}{work}{fit}{nodes}", sentence(run.verdict.reason), remark)
    if run.line is not None:
        tone = (
            "unknown"
            if run.line.outcome in ("unsteady", "failed", "host_lost", "interrupted")
            else "no"
            if run.line.line_iops is None or run.line.checks
            else "plain"
        )
        return Answer(tone, _line_headline(run.line), _line_reason(run.line), remark)
    if run.calibration is not None:
        return Answer("plain", *_calibration_words(run.calibration), remark)
    if (swept := _sweep_words(run)) is not None:
        return Answer("plain", *swept, remark)
    if run.interference is not None:
        return Answer("plain", *_interference_words(run.interference), remark)
    return _plain_answer(run, remark)


def _settled_headline(found: Settlement) -> str:
    return {True: "As predicted", False: "Not as predicted", None: "It cannot be settled"}[found.as_predicted]


def _tone(run: Run) -> Tone:
    """Yes only where all that was asked is answered with yes, the work beside the demand and lost nodes too."""
    assert run.verdict is not None, "the caller has looked"
    answer, work = run.verdict.carries, run.work_window
    if run.failover is not None:
        answer = run.failover.answer
    elif answer and work is not None:
        answer = work.answer
    return "unknown" if answer is None else "yes" if answer else "no"


def _plain_answer(run: Run, remark: str | None) -> Answer:
    """Of what was measured, read or counted, and of kinds that have no words of their own here."""
    if run.cells:
        return Answer("plain", f"{counted(len(run.cells), 'measurement')}", sentence(run.title), remark)
    if run.cell is not None:
        return _cell.answer(run.cell, remark)
    if run.report is not None:
        return _report.answer(run.report, remark)
    if run.advice is not None:
        return _advice.answer(run, run.advice, remark)
    if not run.results:
        return Answer("unknown", "This run has no results", _NO_RESULTS, remark)
    if run.demand is None:
        words = answer(run)
        return Answer("plain", capital(words), sentence(run.title), remark)
    return _demand_answer(run.demand, remark)


def _verdict_headline(verdict: Verdict) -> str:
    if verdict.carries is None:
        return "Cannot tell"
    if verdict.headroom is None or verdict.headroom <= 0:
        return "Carries it" if verdict.carries else "Does not carry it"
    if not verdict.carries and verdict.is_by_replay:
        return f"Does not carry it: {format_share(verdict.headroom)} of the load held"
    if not verdict.carries:
        most = f": it can take {format_share(verdict.headroom)} of the load" if verdict.headroom < 1 else ""
        return f"Does not carry it{most}"
    least = "at least " if verdict.is_at_least else ""
    return f"Carries it, with {least}{format_ratio(verdict.headroom)} × headroom"


def _line_headline(line: Line) -> str:
    rate = f"{format_rate(line.line_iops)} I/Os per second"
    doubt = ", not valid" if line.checks else ""
    safe_words = f", safe up to {format_rate(line.safe_iops)}{unconfirmed_said(line)}"
    safe = safe_words if line.safe_iops and not line.checks else ""
    return {
        "found": f"The line{hosts_said(line)}: {rate}{safe}{doubt}",
        "never_held": "The objective never held",
        "not_limited": f"Holds up to {rate} at least{hosts_said(line)}{doubt}",
        "unsteady": "Cannot tell where the line is",
        "failed": "No line: the storage failed",
        "host_lost": f"No line, lost: {hosts_lost(line)}",
        "interrupted": f"Interrupted; holds up to {rate}"
        if line.line_iops
        else "Interrupted before a line was found",
    }[line.outcome]


def _line_reason(line: Line) -> str:
    doubts = "".join(f" Not valid: {check.reason}." for check in line.checks)
    return f"The objective is {line.slo.words}. {sentence(line.reason)}{doubts}"


def _calibration_words(found: Calibration) -> tuple[str, str]:
    """The best that was measured, and where more of it stops paying."""
    best = []
    if found.max_small_iops is not None:
        best.append(f"{format_rate(found.max_small_iops.value)} I/Os per second")
    if found.max_large_mb_per_s is not None:
        best.append(f"{format_mb(found.max_large_mb_per_s.value)} MB per second")
    if not best and found.points:
        measured = f"{counted(len(found.points), 'point')} of the matrix were measured before the end"
        return "The most is not known", f"{measured}: too few for the highest rate or throughput."
    if not best:
        return "Nothing was measured", "No point of the matrix was completed."
    sizes = f"{format_bytes(found.small_bytes)} and {format_bytes(found.large_bytes)}"
    reason = f"That is the most of {counted(len(found.points), 'point')} with I/Os of {sizes}."
    if found.knee is not None:
        knee = f"{format_rate(found.knee.iops)} I/Os per second with {found.knee.small_depth} outstanding"
        reason += f" Up to {knee}, more I/Os in flight pay; beyond, they mostly wait for each other."
        reason += f" {range_in_words(found)}".rstrip()
    return f"At most {' and '.join(best)}", reason


def _sweep_words(run: Run) -> tuple[str, str] | None:
    """Of measurements over sizes, targets or levels of fill."""
    if run.working_sets is not None:
        return _working_sets_headline(run.working_sets), run.working_sets.reason
    if run.ladder is not None:
        return _ladder_words(run.ladder)
    return None if run.fill is None else _fill_words(run.fill)


def _working_sets_headline(found: WorkingSetSweep) -> str:
    if found.repeats < 2 or found.is_open:
        return "Cannot tell"
    if not found.caches:
        return "No cache seen"
    step = found.caches[0]
    high = format_bytes(step.high_bytes)
    if step.low_bytes is None:
        return f"A cache ends below {high}"
    return f"A cache ends between {format_bytes(step.low_bytes)} and {high}"


def _ladder_words(found: TargetLadder) -> tuple[str, str]:
    """How far from the sum the worst kind of I/O ended, and all of them in words."""
    if not found.curves:
        return "Nothing can be compared", "No repeat came to its end."
    worst = min(found.curves, key=lambda curve: curve.steps[-1].linearity)
    end = worst.steps[-1]
    headline = f"{end.targets} targets give {percent(end.linearity)} of their sum in {worst.size} I/Os"
    return headline, " ".join(f"{curve.size.capitalize()} I/Os: {curve.reason}" for curve in found.curves)


def _fill_words(found: FillSweep) -> tuple[str, str]:
    """What is left of the rate at the highest level."""
    if len(found.levels) < 2 or not found.levels[0].cell.iops:
        return "Nothing can be compared", found.reason
    low, high = found.levels[0], found.levels[-1]
    rate = f"{format_rate(high.cell.iops)} I/Os per second when {percent(high.level_share)} full"
    return f"{rate}, {format_rate(low.cell.iops)} when {percent(low.level_share)}", found.reason


def _interference_words(found: Interference) -> tuple[str, str]:
    """The strongest effect as a number, and in words."""
    pairs = [
        effect for effect in found.effects if effect.p99_ratio is not None and len(effect.neighbours) == 1
    ]
    if not pairs:
        return "No pair was measured", "Each client was measured alone at most."
    worst = max(pairs, key=lambda effect: effect.p99_ratio or 0.0)
    beside = f"{name(worst.io_class)}s beside {name(worst.neighbours[0])}"
    if (found.strongest or "").startswith("Cannot tell"):
        return "Cannot tell", sentence(found.strongest or "")
    return f"At worst {ratio_text(worst)} × slower beside one other: {beside}", sentence(
        found.strongest or ""
    )


def _demand_answer(demand: Demand | None, remark: str | None) -> Answer:
    peak = demand.peak if demand is not None else None
    if demand is None or peak is None or peak.iops is None:
        return Answer(
            "unknown", "The demand is not known", "No interval with known figures was found.", remark
        )
    reason = f"That is the busiest of {counted(len(demand.intervals), 'interval')} of {format_seconds(demand.resolution_s)}."
    least = "at least " if demand.is_lower_bound else ""
    return Answer("plain", f"At its peak: {least}{format_rate(peak.iops)} I/Os per second", reason, remark)


def _gauge(verdict: Verdict, line_found: Line | None) -> Gauge | None:
    line, demand = verdict.line_iops, verdict.load_iops
    if not line or demand is None or failed_ios(line_found) is not None:
        return None
    scale = 100 / (1.08 * max(line, demand))
    ci = (
        tuple(min(100.0, edge * demand * scale) for edge in verdict.headroom_ci95)
        if verdict.headroom_ci95 and not verdict.is_by_replay
        else None
    )
    return Gauge(
        round(demand * scale, 2), round(line * scale, 2), (round(ci[0], 2), round(ci[1], 2)) if ci else None,
        f"demand {_product(verdict)}/s", f"line {_least(line_found)}{format_rate(line)}/s",
        f"The demand is {_product(verdict)} and the line is {format_rate(line)} I/Os per second.",
    )  # fmt: skip


def _figures(run: Run) -> list[tuple[str, str, str]]:
    if run.proof is not None or run.sweep is not None:
        return _proof.figures(run)
    if run.verdict is not None:
        return _verdict_figures(run.verdict, run.line)
    if run.line is not None:
        return _line_figures(run.line)
    if run.calibration is not None:
        return [*_calibration_figures(run.calibration), *_link_figures(run.links)]
    if run.ladder is not None:
        return [*map(_ladder_figure, run.ladder.curves), *_link_figures(run.links)]
    if run.working_sets is not None or run.fill is not None:
        return []
    if run.cell is not None:
        return _cell.figures(run.cell)
    return _database_figures(run)


def _database_figures(run: Run) -> list[tuple[str, str, str]]:
    """Of what databases printed or were asked for."""
    if run.report is not None:
        return _report.figures(run.report)
    if run.advice is not None:
        return _advice.figures(run.advice)
    if run.placement is not None:
        return _placement.figures(run.placement)
    return [] if run.demand is None else _demand_figures(run.demand)


def _verdict_figures(verdict: Verdict, line: Line | None) -> list[tuple[str, str, str]]:
    resolution = (
        f"I/Os per second, within {format_seconds(verdict.resolution_s)}"
        if verdict.resolution_s
        else "I/Os per second"
    )
    limiting = name(verdict.limiting_class) if verdict.limiting_class else UNKNOWN
    when = "" if verdict.moment is None else f", from {instant(verdict.moment)}"
    return [
        ("Line", *_line(verdict.line_iops, line)),
        ("Demand", format_rate(verdict.demand_iops), f"{resolution}{when}"),
        *_burst_figures(verdict),
        ("Headroom", _headroom(verdict), _headroom_interval(verdict)),
        ("Limited by", limiting, f"objective: {_objective(verdict, line)}"),
    ]


def _burst_figures(verdict: Verdict) -> list[tuple[str, str, str]]:
    """The factor and what it makes of the demand; they stand apart from what was measured."""
    if verdict.burst_factor is None:
        return []
    product = "I/Os per second: demand × burst factor, held against the line"
    return [
        ("Burst factor", f"{verdict.burst_factor:g}", "as given"),
        ("In bursts", format_rate(verdict.load_iops), product),
    ]


def _product(verdict: Verdict) -> str:
    """What the line is held against; with a burst factor as the product that it is: `937 × 3 = 2,810`."""
    load = format_rate(verdict.load_iops)
    if verdict.burst_factor is None:
        return load
    return f"{format_rate(verdict.demand_iops)} × {verdict.burst_factor:g} = {load}"


def _objective(verdict: Verdict, line: Line | None) -> str:
    return line.slo.words if line is not None else verdict.slo


def _headroom(verdict: Verdict) -> str:
    if not verdict.headroom:
        return UNKNOWN if verdict.headroom is None else "none"
    return f"{'≥ ' if verdict.is_at_least else ''}{format_ratio(verdict.headroom)} ×"


def _headroom_interval(verdict: Verdict) -> str:
    if verdict.headroom_ci95 is None:
        return "the highest factor that was driven and held" if verdict.is_by_replay else "line ÷ demand"
    low, high = map(format_ratio, verdict.headroom_ci95)
    if verdict.is_by_replay:
        return f"the highest factor that was driven and held; at {high} it was missed"
    return f"line ÷ demand; 95 % interval {low} to {high}"


def _line(line_iops: float | None, line: Line | None) -> tuple[str, str]:
    """The line's figure and a word on it. A line that does not exist is `none`; one that is not known is `unknown`."""
    if line is not None and line.outcome == "never_held":
        return "none", "no rate held the objective"
    if line_iops is None:
        return UNKNOWN, "I/Os per second"
    if line is None or line.ci95 is None:
        return f"{_sign(line)}{format_rate(line_iops)}", "I/Os per second"
    low, high = line.ci95
    interval = f"95 % interval {format_rate(low)}, which is safe, to {format_rate(high)}"
    return format_rate(line_iops), f"I/Os per second; {interval}"


def _least(line: Line | None) -> str:
    """A line that was not brought to its limit is a lower bound, and said as one."""
    return "at least " if line is not None and line.outcome == "not_limited" else ""


def _sign(line: Line | None) -> str:
    return "≥ " if _least(line) else ""


def _line_figures(line: Line) -> list[tuple[str, str, str]]:
    held = sum(trial.held is True for trial in line.trials)
    void = sum(trial.held is None for trial in line.trials)
    return [
        ("Line", *_line(line.line_iops, line)),
        (
            "Objective",
            line.slo.text,
            line.slo.words,
        ),
        (
            "Limited by",
            name(line.limiting_class) if line.limiting_class else UNKNOWN,
            "the class that misses first",
        ),
        (
            "Trials",
            str(len(line.trials)),
            f"{held} held, {len(line.trials) - held - void} missed, {void} void",
        ),
    ]


def _calibration_figures(found: Calibration) -> list[tuple[str, str, str]]:
    rows = []
    if (best := found.max_small_iops) is not None:
        rows.append(("Most I/Os", format_rate(best.value), f"per second, {_outstanding(best)}"))
    if (best := found.max_large_mb_per_s) is not None:
        rows.append(("Bandwidth", format_mb(best.value), f"MB per second, {_outstanding(best)}"))
    if (best := found.min_small_latency_us) is not None:
        rows.append(("Least latency", format_us(best.value), f"mean, {_outstanding(best)}"))
    if (knee := found.knee) is not None:
        rows.append(
            ("Knee", format_rate(knee.iops), f"I/Os per second, {knee.small_depth} small outstanding")
        )
    return rows


def _ladder_figure(curve: LadderCurve) -> tuple[str, str, str]:
    """What all targets give together."""
    end = curve.steps[-1]
    rate = format_rate(end.rate) if curve.size == "small" else format_mb(end.rate)
    unit = "per second" if curve.size == "small" else "MB per second"
    return (
        f"{curve.size.capitalize()} I/Os",
        rate,
        f"{unit}, {percent(end.linearity)} of the sum of {end.targets}",
    )


def _link_figures(links: LinkBound | None) -> list[tuple[str, str, str]]:
    """What lies between, where it is known."""
    if links is None or links.mb_per_s is None or links.words is None:
        return []
    used = "" if links.used_share is None else f", {percent(links.used_share)} used at most"
    return [("Links", format_mb(links.mb_per_s), f"MB per second: {links.words}{used}")]


def _outstanding(best: Extreme) -> str:
    sizes = ((best.small_depth, "small"), (best.large_depth, "large"))
    return f"{' and '.join(f'{depth} {size}' for depth, size in sizes if depth)} outstanding"


def _demand_figures(demand: Demand) -> list[tuple[str, str, str]]:
    peak, mean = demand.peak, demand.mean
    return [
        ("Peak", format_rate(peak.iops if peak else None), "I/Os per second"),
        ("Peak", format_mb(peak.mb_per_s if peak else None), "MB per second"),
        ("Mean", format_rate(mean.iops if mean else None), "I/Os per second"),
        (
            "Resolution",
            format_seconds(demand.resolution_s),
            "shorter bursts are not seen",
        ),
    ]


def _classes_caption(line: Line | None) -> str:
    """A class may lie above the limit of an objective that counts all I/Os together, so that is said."""
    caption = "The classes of the mix that decides; p99 is what the storage gave near its line"
    together = line is not None and all(objective.io_class is None for objective in line.slo.objectives)
    return f"{caption}, and the limit counts all I/Os together" if together else caption


def _classes(verdict: Verdict) -> Table:
    columns = ("class", "I/Os per s", "share", "p99", "limit")
    rows = tuple(
        (
            name(row.name) + (" (limits)" if row.name == verdict.limiting_class else ""), format_rate(row.demand_iops),
            percent(row.share), format_us(row.latency_us_p99), "none" if row.limit_us is None else format_us(row.limit_us),
        )
        for row in verdict.classes
    )  # fmt: skip
    return Table(columns, rows, (False, True, True, True, True))


def _mixes_caption(verdict: Verdict) -> str:
    """What the table is of, and what its slack means."""
    if len(verdict.mixes) < 2:
        return "The mix that stands for the demand; slack is how much more it asks for than the largest of its intervals"
    return (
        f"The {len(verdict.mixes)} mixes that stand for the demand, the one that decides first; each asks for at least what its"
        " intervals did, and slack is by how much it asks for more than the largest of them"
    )


def _mixes(verdict: Verdict) -> Table:
    return Table(MIX_COLUMNS, tuple(map(of_mix, verdict.mixes)), (False, *(True,) * 6, False))


SECTION = Section("Verdict", "The answer in words, with the few figures that carry it.", 10, applies, blocks)
