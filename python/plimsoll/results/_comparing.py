"""Holds runs of one kind against each other: settings that differ, figures with what can be told of them, and the headline.

It knows no kind: what there is to compare is in the kind's own file (`_compared.py`). The first side is what the others are held
against. More is called better or worse only where all sides were asked for the same work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from plimsoll.base.errors import UsageError
from plimsoll.base.units import format_bytes
from plimsoll.facts import Run, Target
from plimsoll.facts.comparison import (
    ComparedFigure,
    ComparedSetting,
    ComparedSide,
    Comparison,
    Direction,
    FigureChange,
    SideFigure,
)
from plimsoll.predict.changes import Change, Sample, change_of
from plimsoll.results import answer, compared_of
from plimsoll.results._compared import Compared, Pair, Quantity, Side, cell_doubts, shown

_FAILED_NOTES = ("storage-failed", "point-failed")
_NO_SETTING = frozenset(
    {"target", "targets", "tag", "out", "html", "run", "runs", "paths", "database", "store"}
)
"""Words of a request that say what and where, which the facts tell better, or where an answer goes."""
_OF_SERVER = " of the server"
_SINGLE = "one run each: no statement"


def compare_runs(sides: Sequence[Side]) -> Comparison:
    """Of at least two sides whose runs all are of one kind or family. Raises UsageError `compare-unlike`, `compare-none`."""
    _check_subjects(sides)
    kind, compared = compared_of(sides[0].runs[0])
    pair = _pair(compared, sides)
    told = [_told_side(side, pair.doubts if at else ()) for at, side in enumerate(sides)]
    settings = [*_settings(sides, _work, is_work=True), *_settings(sides, _around, is_work=False)]
    is_same_work = not any(setting.is_work for setting in settings)
    figures = list(_figures(sides, is_same_work))
    if not figures:
        ids = " and ".join(run.id for side in sides for run in side.runs)
        message = f"none of the runs {ids} has a figure to compare"
        raise UsageError("compare-none", message, "Look at each with `plimsoll store show`.")
    main = _main(figures)
    figures = [main, *(one for one in figures if one is not main)]
    return Comparison(
        kind=kind,
        headline=_headline(told, figures, pair),
        sides=tuple(told),
        settings=tuple(settings),
        figures=tuple(figures),
        remarks=tuple(_remarks(sides, is_same_work, figures, pair)),
    )


def _check_subjects(sides: Sequence[Side]) -> None:
    """That all measured the same kind of thing. Raises UsageError `compare-unlike`."""
    first, *others = [run for side in sides for run in side.runs]
    name, kind = compared_of(first)
    for other in others:
        its_name, its_kind = compared_of(other)
        same = its_name == name or (kind.family and kind.family == its_kind.family)
        if not same:
            raise _unlike(f"{first.id} ({_said(name)})", f"{other.id} ({_said(its_name)})")
        if kind.subject(first) != its_kind.subject(other):
            raise _unlike(
                f"{first.id} ({first.kind}: {kind.subject(first)})",
                f"{other.id} ({other.kind}: {its_kind.subject(other)})",
            )


def _said(kind: str) -> str:
    article = "an" if kind[0] in "aeiou" else "a"
    return f"{article} {kind.replace('_', ' ')}"


def _unlike(first: str, second: str) -> UsageError:
    message = f"run {first} and run {second} measured different things"
    hint = "Compare runs of one kind; `plimsoll store list --kind KIND` shows them."
    return UsageError("compare-unlike", message, hint)


def _pair(compared: Compared, sides: Sequence[Side]) -> Pair:
    if compared.pair is None or len(sides) != 2 or any(len(side.runs) > 1 for side in sides):
        return Pair()
    return compared.pair(sides[0].runs[0], sides[1].runs[0])


def _told_side(side: Side, further: Sequence[str]) -> ComparedSide:
    first, *repeats = side.runs
    doubts = dict.fromkeys(
        f"run {run.id}: {doubt}" if repeats else doubt for run in side.runs for doubt in run_doubts(run)
    )
    return ComparedSide(
        label=side.label,
        runs=tuple(run.id for run in side.runs),
        title=first.title,
        answer=answer(first),
        doubts=(*doubts, *further),
    )


def run_doubts(run: Run) -> Iterator[str]:
    """Why a run is not valid; nothing of one that is valid."""
    _, compared = compared_of(run)
    if run.interrupted:
        yield "it was interrupted"
    yield from (note.message for note in run.notes if note.code in _FAILED_NOTES)
    yield from cell_doubts(compared.cells(run))
    yield from compared.doubts(run)


def _work(run: Run) -> dict[str, str]:
    return dict(compared_of(run)[1].work(run))


def _around(run: Run) -> dict[str, str]:
    """What did the work, and the other words of the request."""
    facts = dict(_surroundings(run)) | dict(compared_of(run)[1].around(run))
    known = {*_work(run), *facts}
    words = {} if run.request is None else run.request.words
    rest = {
        f"--{word.replace('_', '-')}": _word(value)
        for word, value in words.items()
        if word not in known and word not in _NO_SETTING
    }
    return facts | rest


def _word(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return ", ".join(map(_word, value)) if isinstance(value, list | tuple) else str(value)


def _surroundings(run: Run) -> Iterator[tuple[str, str]]:
    cell = run.cell or next(iter(run.cells), None)
    if run.line is not None and run.line.trials:
        cell = run.line.trials[0].cell
    if cell is not None:
        yield "engine", cell.engine
    targets = run.targets or ((run.target,) if run.target else ())
    if targets:
        yield "target", ", ".join(target.name for target in targets)
        yield from _of_target(targets[0])
    yield from _of_database(run)
    if run.kind != "import":  # The host that reads a file of another tool is none that measured.
        yield from _of_host(run)
    yield "plimsoll", run.provenance.plimsoll


def _of_target(target: Target) -> Iterator[tuple[str, str]]:
    yield "span", format_bytes(target.span_bytes)
    if (system := target.file_system) is not None:
        yield "file system", system.kind
        yield "mount options", system.options
    if (device := target.device) is not None:
        yield "device", " ".join(word for word in (device.name, device.model, device.serial) if word)
        yield "scheduler", device.scheduler or "unknown"
        yield "write cache", device.write_cache or "unknown"


def _of_database(run: Run) -> Iterator[tuple[str, str]]:
    held = run.proof or run.demand
    if held is not None:
        database = held.database
        yield "database version", f"{database.kind} {database.version}"
        yield from ((f"{name} of the database", value) for name, value in database.settings.items())


def _of_host(run: Run) -> Iterator[tuple[str, str]]:
    host = run.provenance.host
    yield "host", host.hostname
    yield "kernel", host.kernel
    yield "CPUs", f"{host.cpus}{'' if host.cpu_model is None else f' of {host.cpu_model}'}"
    yield "memory", "unknown" if host.memory_bytes is None else format_bytes(host.memory_bytes)


def _settings(
    sides: Sequence[Side], of: Callable[[Run], dict[str, str]], *, is_work: bool
) -> Iterator[ComparedSetting]:
    by_side = [_joined([of(run) for run in side.runs]) for side in sides]
    for name in dict.fromkeys(name for side in by_side for name in side):
        values = tuple(side.get(name) for side in by_side)
        if len(set(values)) > 1:
            yield ComparedSetting(name=name, values=values, is_work=is_work)


def _joined(found: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """What runs of one side say together: each value once."""
    names = dict.fromkeys(name for one in found for name in one)
    return {name: " | ".join(dict.fromkeys(one.get(name, absent(name)) for one in found)) for name in names}


def absent(name: str) -> str:
    """What a setting is that a run does not name: options and settings of a server have defaults, all else is not known."""
    return "default" if name.startswith("--") or name.endswith(_OF_SERVER) else "unknown"


def _figures(sides: Sequence[Side], is_same_work: bool) -> Iterator[ComparedFigure]:
    """Every figure that any side has, in the order of the first that has it."""
    by_side = [[_by_name(run) for run in side.runs] for side in sides]
    names = dict.fromkeys(name for runs in by_side for run in runs for name in run)
    for name in names:
        found = [
            [run[name] for run in runs if name in run and run[name].value is not None] for runs in by_side
        ]
        if any(found):
            yield _figure(name, found, is_same_work)


def _by_name(run: Run) -> dict[str, Quantity]:
    return {one.name: one for one in compared_of(run)[1].figures(run)}


def _figure(name: str, found: Sequence[Sequence[Quantity]], is_same_work: bool) -> ComparedFigure:
    all_of_them = [one for side in found for one in side]
    # One that was asked for on one side alone is no better or worse either.
    is_judged = len({one.better_when for one in all_of_them}) == 1
    better = all_of_them[0].better_when if is_judged else None
    samples = [_sample(side) for side in found]
    bounds = [any(one.is_bound for one in side) for side in found]
    changes = tuple(
        _change(change_of(samples[0], other), bounds[0] or bound, better if is_same_work else None)
        for other, bound in zip(samples[1:], bounds[1:], strict=True)
    )
    return ComparedFigure(
        name=name,
        # Of hosts some may have been lost on one side: the figure then is another.
        title=" | ".join(dict.fromkeys(one.title for one in all_of_them)),
        unit=all_of_them[0].unit,
        better_when=better,
        sides=tuple(
            SideFigure(value=one.mean, ci95=one.ci95, count=one.count, is_bound=bound)
            for one, bound in zip(samples, bounds, strict=True)
        ),
        changes=changes,
    )


def _sample(quantities: Sequence[Quantity]) -> Sample:
    values = tuple(one.value for one in quantities if one.value is not None)
    if len(quantities) != 1:
        return Sample(values)
    return Sample(values, quantities[0].repeats, quantities[0].ci95)


def _change(change: Change, is_bound: bool, better: Direction | None) -> FigureChange:
    if is_bound:
        return FigureChange(share=change.share, basis="none", told="unknown")
    told = change.told
    is_better = None if better is None or told in ("same", "unknown") else told == better
    return FigureChange(
        share=change.share, ci95=change.ci95, basis=change.basis, told=told, is_better=is_better
    )


def _main(figures: Sequence[ComparedFigure]) -> ComparedFigure:
    """What the headline is about: the first that can be better or worse, for a rate that was asked for says nothing."""
    return next((one for one in figures if one.better_when is not None), figures[0])


def _headline(sides: Sequence[ComparedSide], figures: Sequence[ComparedFigure], pair: Pair) -> str:
    """A doubt of any side comes first."""
    doubts = [f"{side.label}: {side.doubts[0].rstrip('.')}" for side in sides if side.doubts]
    said = pair.headline or _figure_words(sides, figures[0])
    return f"not valid, {'; '.join(doubts)}. {said}" if doubts else said


def _figure_words(sides: Sequence[ComparedSide], figure: ComparedFigure) -> str:
    parts = [
        f"{side.label} {change_words(change)}"
        for side, change in zip(sides[1:], figure.changes, strict=True)
        if change.told != "unknown"
    ]
    if parts:
        return f"{figure.title} against {sides[0].label}: {'; '.join(parts)}"
    values = " and ".join(shown(side.value, figure.unit) for side in figure.sides)
    return f"{figure.title}: {values}; {_why_unknown(figure)}"


def _why_unknown(figure: ComparedFigure) -> str:
    if any(side.is_bound for side in figure.sides):
        return "one is a bound: no statement"
    if any(side.value is None for side in figure.sides):
        return "not known of every side: no statement"
    counts = [side.count for side in figure.sides]
    return _SINGLE if max(counts) == 1 else "not repeated on every side: no statement"


def change_words(change: FigureChange) -> str:
    """`+12 % (95 %: +9.1 % to +15 %), better`, or that no difference can be told."""
    single = ", one run each" if change.basis in ("own", "repeats") else ""
    interval = f"{percent(change.share)} (95 %: {interval_words(change)}{single})"
    match change.told:
        case "unknown":
            return "no statement"
        case "same":
            return f"no difference can be told, {interval}"
        case _:
            judged = {True: ", better", False: ", worse", None: ""}[change.is_better]
            return f"{interval}{judged}"


def interval_words(change: FigureChange) -> str:
    """`+9.1 % to +15 %`."""
    return "unknown" if change.ci95 is None else " to ".join(map(percent, change.ci95))


def percent(share: float | None) -> str:
    """`+12 %`, with a digit more below 10 %, and `-99.9 %` where something is left."""
    if share is None:
        return "unknown"
    digits = 1 if abs(share) < 0.0995 else 0
    if share > -1 and round(100 * share, digits) <= -100:
        return "-99.9 %" if round(100 * share, 1) > -100 else "more than -99.9 %"
    return f"{100 * share:+,.{digits}f} %"


_CHANCE_FIGURES_MIN = 10


def _remarks(
    sides: Sequence[Side], is_same_work: bool, figures: Sequence[ComparedFigure], pair: Pair
) -> Iterable[str]:
    yield from pair.remarks
    if not is_same_work:
        yield "the work is not the same: more is not said to be better or worse"
    bases = {change.basis for figure in figures for change in figure.changes}
    if bases & {"own", "repeats"}:
        yield "intervals are from within one run each; what changes from one run to the next is not in them"
    if all(len(side.runs) == 1 for side in sides) and bases == {"none"}:
        yield "one run each says nothing of how sure a change is; repeat each, and join repeats with commas: A1,A2,A3 B1,B2,B3"
    told = sum(change.told != "unknown" for figure in figures for change in figure.changes)
    if told >= _CHANCE_FIGURES_MIN:
        yield f"each interval is 95 % by itself: of {told} about {max(1, round(told / 20))} leaves out no change by chance"
