"""Advice: what databases waited for, and whether faster storage would help."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest

from plimsoll.base.errors import ExitStatus
from plimsoll.base.sentences import capital
from plimsoll.base.units import format_seconds, format_share, format_us
from plimsoll.charts import Table
from plimsoll.facts import Advice, Change, Finding, IntervalVerdict, Run, StatementChange, StorageWhatIf
from plimsoll.results._blocks import Block, Grid, Points, Words
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind
from plimsoll.results._unread_files import data_with_unread
from plimsoll.results._words import sentence

FINDINGS_SHOWN_MAX = 8
"""On a terminal; --json and the page have them all."""
CHANGES_SHOWN_MAX = 8
_REASONS_SHOWN_MAX = 6
_INTERVALS_SHOWN_MAX = 40
_HELPS = {
    "yes": "faster storage will help",
    "a little": "faster storage will help a little",
    "no": "faster storage will not help",
    "unknown": "whether faster storage helps is not known",
}
_UNKNOWN = "unknown"


def _answer(advice: Advice) -> str:
    verdicts = advice.verdicts
    if not verdicts:
        return "nothing to advise on"
    if len(verdicts) == 1:
        return f"{verdicts[0].verdict}; {_HELPS[verdicts[0].faster_storage_helps]}"
    counts: dict[str, int] = {}
    for one in verdicts:
        counts[one.verdict] = counts.get(one.verdict, 0) + 1
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    return f"{len(verdicts):,} intervals: {', '.join(f'{count:,} {answer}' for answer, count in ranked)}"


def _status(run: Run) -> ExitStatus:
    """5 where something that was named has no verdict, or one on a part of it alone."""
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    advice: Advice = run.results["advice"]
    return ExitStatus.DONE_IN_PART if advice.is_in_part else ExitStatus.DONE


def _blocks(run: Run) -> list[Block]:
    """The verdicts first, then the few findings that matter, then what changed."""
    advice: Advice = run.results["advice"]
    if not advice.verdicts:
        return [Words("nothing to advise on")]
    verdicts = list(_verdicts(advice.verdicts))
    first = [advice.findings[places[0]] for places in _by_rule(advice.findings)]
    shown = _told(advice, first)
    found: list[Block] = [*verdicts, *_recurring(advice), *_findings(shown, len(advice.verdicts) > 1)]
    left = len(first) - len(shown)
    if left:
        found.append(Words(f"{left:,} more findings and hints are on the page of the run, and in --json"))
    return [*found, *_changes(advice)]


def _told(advice: Advice, first: Sequence[Finding]) -> list[Finding]:
    """The few that matter of `first`, which has each rule where it costs most; hints where none does, and no verdict either."""
    matter = [one for one in first if one.severity == "finding"]
    if not matter and all(one.verdict == "cannot tell" for one in advice.verdicts):
        matter = [*first]
    return matter[:FINDINGS_SHOWN_MAX]


def _verdicts(verdicts: Sequence[IntervalVerdict]) -> Iterator[Block]:
    if len(verdicts) > 1:
        yield Words(_answer_of_several(verdicts))
        if len(verdicts) <= _REASONS_SHOWN_MAX:
            yield Points(
                tuple((f"{_name(one.file)}, {one.verdict}", sentence(one.reason)) for one in verdicts)
            )
        caption = (
            "The intervals" if len(verdicts) <= _INTERVALS_SHOWN_MAX else "The intervals with most DB time"
        )
        yield Grid(caption, _table_of(verdicts))
        return
    one = verdicts[0]
    headline = f"{capital(one.verdict)}: {_HELPS[one.faster_storage_helps]}"
    yield Words(f"{headline}. {sentence(one.reason)}")
    yield from _breakdown(one)


def _worst(verdicts: Sequence[IntervalVerdict]) -> tuple[int, IntervalVerdict]:
    """That with most DB time for each second, so that a day is not worse than its worst hour; and where it stands."""
    return max(enumerate(verdicts), key=lambda placed: _badness(placed[1]))


def _badness(one: IntervalVerdict) -> tuple[bool, float, float]:
    """What has an answer comes before what has none; that it was idle is none to begin with, whatever cannot be told of others."""
    has_answer = one.verdict not in ("cannot tell", "idle")
    return has_answer, _sessions(one), one.db_time_s or 0.0


def _sessions(one: IntervalVerdict) -> float:
    return (one.db_time_s or 0.0) / one.elapsed_s if one.elapsed_s else 0.0


def _may_be_worse(one: IntervalVerdict, worst: IntervalVerdict) -> bool:
    """Whether it has no answer, and more DB time or nobody knows how much."""
    return one.verdict == "cannot tell" and (one.db_time_s is None or _sessions(one) > _sessions(worst))


def _which(worst: IntervalVerdict) -> str:
    """Of which the one that is named is the worst, where another may be worse."""
    if worst.verdict != "cannot tell":
        return "The worst interval of those with an answer"
    if worst.db_time_s is not None:
        return "The worst interval of those whose DB time is known"
    return "Which interval is the worst cannot be told; the first"


def _answer_of_several(verdicts: Sequence[IntervalVerdict]) -> str:
    place, worst = _worst(verdicts)
    when = (worst.begin_time or "").replace("T", " ")
    at = f", from {when}" if when else ""
    others = any(at != place and _may_be_worse(one, worst) for at, one in enumerate(verdicts))
    which = _which(worst) if others else "The worst interval"
    return f"{which} is {_name(worst.file)}{at}: {worst.verdict}. {sentence(worst.reason)}"


def _table_of(verdicts: Sequence[IntervalVerdict]) -> Table:
    times_s = [one.db_time_s or 0.0 for one in verdicts]
    most = sorted(nlargest(_INTERVALS_SHOWN_MAX, range(len(verdicts)), key=times_s.__getitem__))
    columns = ("report", "verdict", "faster storage helps", "DB time", "saves", "begin", "database", "cause")
    rows = tuple(_row(verdicts[place]) for place in most)
    return Table(
        columns, rows, (False, False, False, True, True, False, False, False), ("begin", "cause", "database")
    )


def _row(one: IntervalVerdict) -> tuple[str, ...]:
    storage = next((what for what in one.what_if if what.read_latency_us is not None), None)
    return (
        _name(one.file),
        one.verdict,
        one.faster_storage_helps,
        _UNKNOWN if one.db_time_s is None else format_seconds(one.db_time_s),
        _UNKNOWN if storage is None else format_seconds(storage.saves_s),
        (one.begin_time or _UNKNOWN).replace("T", " "),
        one.db_name or _UNKNOWN,
        one.cause or "",
    )


def _breakdown(one: IntervalVerdict) -> Iterator[Block]:
    if one.parts:
        rows = tuple(
            (part.part, format_seconds(part.db_time_s), format_share(part.share)) for part in one.parts
        )
        yield Grid("Where the DB time went", Table(("part", "seconds", "share"), rows, (False, True, True)))
    if one.what_if:
        yield Grid("What would take time off", _what_if_table(one.what_if))


def _what_if_table(what_if: Iterable[StorageWhatIf]) -> Table:
    columns = ("what", "read", "log write", "saves", "share of DB time", "no more because", "latencies from")
    rows = tuple(
        (
            what.name,
            format_us(what.read_latency_us) if what.read_latency_us is not None else "",
            format_us(what.log_latency_us) if what.log_latency_us is not None else "",
            _saves(what),
            format_share(what.saves_share),
            what.capped_by or "",
            what.source,
        )
        for what in what_if
    )
    return Table(
        columns, rows, (False, True, True, True, True, False, False), ("latencies from", "no more because")
    )


def _saves(what: StorageWhatIf) -> str:
    low, high = format_seconds(what.saves_s), format_seconds(what.saves_s_max)
    return low if low == high else f"{low} to {high}"


def _recurring(advice: Advice) -> Iterator[Block]:
    if advice.recurring:
        columns = ("database", "finding", "intervals", "DB time", "most in")
        rows = tuple(
            (
                one.db_name or _UNKNOWN,
                one.title,
                f"{one.interval_count:,}",
                format_seconds(one.db_time_s),
                _name(one.worst_file),
            )
            for one in advice.recurring
        )
        yield Grid(
            "What recurs", Table(columns, rows, (False, False, True, True, False), ("most in", "database"))
        )


def _changes(advice: Advice) -> Iterator[Block]:
    """Largest first."""
    most = nlargest(CHANGES_SHOWN_MAX, advice.changes, key=lambda one: abs(one.after_s - one.before_s))
    if most:
        yield Points(tuple((_name(one.after), _changed(one)) for one in most))
    if len(advice.changes) > len(most):
        yield Words(
            f"{len(advice.changes) - len(most):,} smaller changes between intervals: --json has them all"
        )


def _changed(one: Change) -> str:
    told = [one.reason, *(_changed_statement(statement) for statement in one.statements)]
    return f"After {_name(one.before)}: {sentence('; '.join(told))}"


def _changed_statement(one: StatementChange) -> str:
    times = f"statement {one.statement} took {format_seconds(one.before_s)} there and {format_seconds(one.after_s)} here"
    if one.plan_before is None:
        return times
    if one.plan_before == one.plan_after:
        return f"{times}, with plan {one.plan_after}"
    return f"{times}, with plan {one.plan_before} there and plan {one.plan_after} here"


def _findings(findings: Sequence[Finding], with_file: bool) -> Iterator[Block]:
    if findings:
        yield Points(tuple((_heading(one, with_file), _said(one)) for one in findings))


def _heading(one: Finding, with_file: bool) -> str:
    seconds = "" if one.db_time_s is None else f", {format_seconds(one.db_time_s)} of DB time"
    return f"{one.title}{seconds}{f' ({_name(one.file)})' if with_file else ''}"


def _said(one: Finding) -> str:
    against = "".join(f" Against it: {sentence(said)}" for said in one.against)
    return f"{sentence(one.reason)} {one.advice}{against}"


def _on_page(run: Run) -> list[Block]:
    """Each finding with its cells, one click away; and how it could be disproved. Of several intervals a rule is told once."""
    advice: Advice = run.results["advice"]
    if not advice.verdicts:
        return []
    _, worst = _worst(advice.verdicts)
    reasons = [_reasons(advice.verdicts)] if len(advice.verdicts) > 1 else []
    findings = advice.findings
    by_rule = [(findings[places[0]], places) for places in _by_rule(findings)]
    told = {one.rule for one in _told(advice, [first for first, _ in by_rule])}
    with_file = len(advice.verdicts) > 1
    cards = [
        block
        for first, places in by_rule
        for block in _card(first, [findings[place] for place in places], first.rule in told, with_file)
    ]
    return [*reasons, *_cells_of_verdict(worst), *cards]


def _reasons(verdicts: Sequence[IntervalVerdict]) -> Grid:
    rows = tuple((_name(one.file), one.verdict, sentence(one.reason)) for one in verdicts)
    return Grid(
        "Why: the verdict on each interval",
        Table(("report", "verdict", "reason"), rows, (False,) * 3),
        folded=True,
    )


def _cells_of_verdict(one: IntervalVerdict) -> Iterator[Block]:
    if one.evidence:
        yield Grid(f"The cells of the verdict on {_name(one.file)}", _cells(one), folded=True)


def _by_rule(findings: Sequence[Finding]) -> list[list[int]]:
    """The places of those of a rule together, most DB time first; what is a finding somewhere comes before what is a hint
    everywhere.
    """
    found: dict[str, list[int]] = {}
    for place, one in enumerate(findings):
        found.setdefault(one.rule, []).append(place)
    return list(found.values())


def _card(one: Finding, several: Sequence[Finding], is_told: bool, with_file: bool) -> Iterator[Block]:
    """Where it costs most with its cells, and all intervals where there are several. What is told above is not repeated."""
    saves = (
        ""
        if one.storage_saves_s is None
        else f" Faster storage would save {format_seconds(one.storage_saves_s)}."
    )
    kind = "Hint: " if one.severity == "hint" else ""
    said = f"{one.title}." if is_told else f"{kind}{_heading(one, with_file)}. {_said(one)}"
    yield Words(f"{said}{saves} What would disprove it: {one.disproof}")
    if len(several) > 1:
        yield Grid(f"All {len(several):,} intervals of: {one.title}", _intervals_of(several), folded=True)
    yield Grid(f"The cells of: {one.title}", _cells(one), folded=True)


def _intervals_of(findings: Sequence[Finding]) -> Table:
    rows = tuple(
        (
            _name(one.file),
            one.severity,
            _UNKNOWN if one.db_time_s is None else format_seconds(one.db_time_s),
            sentence(one.reason),
        )
        for one in findings
    )
    return Table(("report", "severity", "DB time", "reason"), rows, (False, False, True, False))


def _cells(one: Finding | IntervalVerdict) -> Table:
    rows = tuple(
        (
            _name(cell.file),
            "" if cell.line is None else f"{cell.line:,}",
            cell.section,
            cell.row,
            cell.heading,
            cell.value,
        )
        for cell in one.evidence
    )
    return Table(
        ("file", "line", "section", "row", "column", "value"), rows, (False, True, False, False, False, True)
    )


def _name(file: str) -> str:
    return os.path.basename(file)


def _figures(run: Run) -> list[Quantity]:
    """DB time by what it went to, of all intervals. More of it is more work or slower work: it is not said which."""
    advice: Advice = run.results["advice"]
    found = [
        Quantity("advice.db_time_s", "DB time", "s", _sum(one.db_time_s for one in advice.verdicts), None)
    ]
    parts = dict.fromkeys(part.part for one in advice.verdicts for part in one.parts)
    for name in parts:
        spent_s = sum(part.db_time_s for one in advice.verdicts for part in one.parts if part.part == name)
        found.append(Quantity(f"advice.parts.{name.replace(' ', '_')}_s", name, "s", spent_s, None))
    return found


def _sum(values: Iterable[float | None]) -> float | None:
    """None where one of them is unknown, or there is none."""
    known = list(values)
    return None if not known or None in known else sum(value or 0.0 for value in known)


def _work(run: Run) -> dict[str, str]:
    advice: Advice = run.results["advice"]
    names = dict.fromkeys(one.db_name or _UNKNOWN for one in advice.verdicts)
    return {"databases": ", ".join(names), "intervals": f"{len(advice.verdicts):,}"}


RESULT = ResultKind(
    fact=Advice,
    data=data_with_unread,
    rows=(Finding, IntervalVerdict),
    rank=85,
    answer=_answer,
    status=_status,
    envelope="advise",
    title="Advice",
    help="What the database waited for, most DB time first, and what would take time off.",
    page_rank=34,
    blocks=_blocks,
    on_page=_on_page,
    compared=Compared(figures=_figures, work=_work),
)
