"""What noise in one slice does to a measurement in another, with the slices and without them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import counted, format_mb, format_rate, format_ratio, format_seconds, format_us
from plimsoll.charts import Table
from plimsoll.facts import Cell, Isolation, IsolationEffect, IsolationTrial, PolicyEffect, Ratio, Run
from plimsoll.host.topology.values import in_short
from plimsoll.predict.isolation import matters
from plimsoll.results._blocks import Block, Figure, Grid, Pairs, Points, Words
from plimsoll.results._compared import Compared, Quantity, cell_work
from plimsoll.results._kind import ResultKind
from plimsoll.results._words import sentence

_UNKNOWN = "unknown"
_METHOD = (
    "In each round the measurement is made alone and beside each noise, in slices and without them, in an order that is drawn anew."
    " Ratios are of trials of the same round, their mean is the geometric one, and intervals are of 95 %. Without slices"
    " measurement and noise are in one control group that has as many CPUs as both slices, and no limits."
)


def _answer(found: Isolation) -> str:
    """One sentence: what noise does without slices and in them, and whether slices help; or why nobody can tell."""
    told = [_of_effect(one) for one in found.effects]
    reasons = [one for one in (found.too_few and f"too few cores: {found.too_few}",) if one]
    if found.findings:
        reasons.append(f"not valid: {'; '.join(one.message for one in found.findings)}")
    if len(found.trials) < _trials_asked(found):
        reasons.append(f"{len(found.trials)} of {_trials_asked(found)} trials")
    if matters(found.p99_alone):
        told.append(f"alone, slices make p99 {_times(found.p99_alone)} what it is without them")
    told += [
        f"memory policy {one.policy} makes p99 {_times(one.p99)} what it is with off"
        for one in found.policies
    ]
    return "; ".join([f"{_headline(found)}{': ' if reasons else ''}{'; '.join(reasons)}", *told])


def _headline(found: Isolation) -> str:
    """That slices help would be half of it where a work beside noise is slower in them than without them."""
    if found.answer == "slices help" and any(map(_costs_more, found.effects)):
        return "slices keep noise off, and cost more than it does"
    return found.answer


def _costs_more(one: IsolationEffect) -> bool:
    """Whether p99 beside noise is surely more in slices than without them, as where a cap on the disk is what holds it up."""
    return one.p99_helped.told == "more" and matters(one.p99_helped)


def _trials_asked(found: Isolation) -> int:
    stands = 2 if found.shared_cpus else 1
    policies = 1 + len(found.policies) if found.policies else 0
    return found.rounds_asked * (stands * (1 + len(found.effects)) + policies)


def _of_effect(one: IsolationEffect) -> str:
    without, within = _times(one.p99_unsliced), _times(one.p99_sliced)
    if one.p99_kept_off.ratio is None:
        helped = f"in slices over without them {_times(one.p99_helped)}"
    else:
        helped = f"the second over the first is {_times(one.p99_kept_off)}"
    return f"noise of {one.noise} makes p99 {without} without slices and {within} in slices; {helped}, so {_so(one)}"


def _so(one: IsolationEffect) -> str:
    if one.answer == "slices help" and _costs_more(one):
        return f"they keep it off, and cost more: beside it p99 in slices is {_times(one.p99_helped)} what it is without"
    return {
        "slices help": "they help",
        "slices do not help": "they do not help",
        "the noise did nothing": "the noise did nothing, and nobody can tell whether they help",
        "cannot tell": "nobody can tell whether they help",
    }[one.answer]


def _times(ratio: Ratio) -> str:
    """`3.10 times [2.80, 3.40]`."""
    if ratio.ratio is None:
        return "unknown"
    return f"{format_ratio(ratio.ratio)} times{_interval(ratio)}"


def _interval(ratio: Ratio) -> str:
    if ratio.ci95 is None:
        return ""
    return f" [{format_ratio(ratio.ci95[0])}, {format_ratio(ratio.ci95[1])}]"


def _cells(run: Run) -> list[Cell]:
    return [one.cell for one in run.results["isolation"].trials if one.cell is not None]


def _status(run: Run) -> ExitStatus:
    """130: it was interrupted; 4: I/Os failed; 1: slices do not help, or trials are not valid; 5: nobody can tell, or not all
    trials were made."""
    found: Isolation = run.results["isolation"]
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    if any(cell.errors for cell in _cells(run)):
        return ExitStatus.WORLD_FAILED
    if found.findings or found.answer == "slices do not help":
        return ExitStatus.ANSWER_IS_NO
    is_whole = len(found.trials) >= _trials_asked(found)
    return ExitStatus.DONE if found.answer == "slices help" and is_whole else ExitStatus.DONE_IN_PART


def _blocks(run: Run) -> list[Block]:
    found: Isolation = run.results["isolation"]
    blocks: list[Block] = [
        Words(sentence(_answer(found))),
        Grid("What noise does, in slices and without them", _effects(found)),
        Grid("Trials, in the order in which they were made", _trials(found), folded=True),
        Pairs("Where", tuple(_where(found))),
    ]
    if found.policies:
        blocks.insert(
            2,
            Grid(
                "Memory policies: each over none set (off), alone and without slices",
                _policies(found.policies),
            ),
        )
    if found.findings:
        blocks.append(Points(tuple((one.code, sentence(one.message)) for one in found.findings)))
    return blocks


def _where(found: Isolation) -> Iterator[tuple[str, str]]:
    yield from (found.settings or {}).items()
    if found.client is not None:
        yield (
            "sessions were driven from",
            "the slice" if found.client == "inside" else "outside of the slices",
        )
    yield f"CPUs of {found.slice}", in_short(found.cpus)
    yield f"CPUs of {found.noise_slice}, with the noise", in_short(found.noise_cpus)
    yield "CPUs of both without slices", in_short(found.shared_cpus) or "none are left"
    yield "p99 alone, in slices over without them", _times(found.p99_alone)
    yield "order drawn by", str(found.seed)


def _rate_words(found: Isolation) -> str:
    return "I/Os per s" if found.driver == "io" else "operations per s"


def _effects(found: Isolation) -> Table:
    columns = (
        "noise",
        "figure",
        "without slices",
        "in slices",
        "second over first",
        "in slices over without",
        "so",
    )
    rows = [row for one in found.effects for row in _rows(one, _rate_words(found))]
    return Table(columns, tuple(rows), (False, False, True, True, True, True, False), ("so",))


def _rows(one: IsolationEffect, rate: str) -> Iterator[tuple[str, ...]]:
    p99 = one.p99_unsliced, one.p99_sliced, one.p99_kept_off, one.p99_helped
    yield one.noise, "p99", *map(_cell, p99), one.answer
    rates = map(_cell, (one.iops_unsliced, one.iops_sliced))
    yield one.noise, rate, *rates, "–", _cell(one.iops_helped), ""


def _cell(ratio: Ratio) -> str:
    return _UNKNOWN if ratio.ratio is None else f"{format_ratio(ratio.ratio)}{_interval(ratio)}"


def _policies(policies: Sequence[PolicyEffect]) -> Table:
    rows = tuple((one.policy, _cell(one.p99), _cell(one.iops)) for one in policies)
    return Table(("policy", "p99", "I/Os per s"), rows, (False, True, True))


def _trials(found: Isolation) -> Table:
    columns = ("round", "where", "noise", _rate_words(found), "p99", "looks", "noise did", "its CPU time")
    numeric = (True, False, False, True, True, True, True, True)
    return Table(columns, tuple(map(_trial, found.trials)), numeric, ("looks", "its CPU time"))


def _trial(one: IsolationTrial) -> tuple[str, ...]:
    noise = one.noise
    did, cpu_s = ("–", "–") if noise is None else (_did(noise.kind, noise.done), format_seconds(noise.cpu_s))
    where = f"policy {one.policy}" if one.policy else one.stand
    figures = format_rate(one.rate_per_s), format_us(one.latency_us.p99)
    return (
        str(one.round_number), where, "alone" if noise is None else noise.kind, *figures, f"{one.samples:,}", did, cpu_s,
    )  # fmt: skip


def _did(kind: str, done: float) -> str:
    return format_seconds(done) if kind == "cpu" else f"{format_mb(done / 1e6)} MB"


def _figures(run: Run) -> list[Quantity]:
    found: Isolation = run.results["isolation"]
    return [quantity for one in found.effects for quantity in _of_noise(one)]


def _of_noise(one: IsolationEffect) -> Iterator[Quantity]:
    stands = (("unsliced", "without slices", one.p99_unsliced), ("sliced", "in slices", one.p99_sliced))
    for name, words, ratio in stands:
        said = f"p99 beside noise of {one.noise} ÷ alone, {words}"
        yield Quantity(f"isolation.{one.noise}.p99_{name}", said, "times", ratio.ratio, "less")


def _work(run: Run) -> dict[str, str]:
    found: Isolation = run.results["isolation"]
    cells = _cells(run)
    slices = {"CPUs": in_short(found.cpus), "CPUs of the noise": in_short(found.noise_cpus)}
    driven = found.settings or {}
    if found.client is not None:
        driven = driven | {"client": found.client}
    rounds = {"rounds": counted(found.rounds_asked, "round")}
    return slices | rounds | driven | (cell_work(cells[0]) if cells else {})


RESULT = ResultKind(
    fact=Isolation,
    rows=(IsolationEffect, IsolationTrial),
    rank=15,
    answer=_answer,
    cells=_cells,
    status=_status,
    envelope="host-slice-prove",
    title="What noise does to a slice",
    help="I/O in one slice of a host beside noise in another, with the slices and without them.",
    page_rank=53,
    blocks=_blocks,
    on_page=lambda run: [Figure("isolation-bars"), Words(_METHOD)],
    compared=Compared(figures=_figures, work=_work, cells=_cells),
)
