"""The interference matrix as people read it: the answers, then who makes whom how many times slower."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.units import format_rate, format_us
from plimsoll.cli.output import say, say_run
from plimsoll.cli.tables import Shown, show_table, table
from plimsoll.facts import ClassResult, Effect, Encounter, Interference, Run


def show(run: Run) -> None:
    """The strongest effect, each client alone, and the matrix of ratios."""
    found = run.interference
    assert found is not None, "the caller has looked"
    for sentence in _sentences(found):
        say(sentence)
    show_table(_alone_table(found))
    if found.effects:
        _print_matrix(found)
    say_run(run)


def _sentences(found: Interference) -> list[str]:
    """The answers, after the strongest effect where none of them tells it."""
    from plimsoll.supply.failed_checks import failed_sentence

    failed = failed_sentence(one.cell for one in found.encounters)
    first = [failed] if failed else []
    if found.strongest is None:
        return [*first, "No pair was measured."]
    told = any(found.strongest.partition(": ")[2] in answer for answer in found.answers)
    return [*first, *([] if told else [found.strongest]), *found.answers]


def _print_matrix(found: Interference) -> None:
    say(
        "p99 beside others, as a multiple of the p99 alone at the same rate; rows: whose, columns: beside whom"
    )
    show_table(_matrix_table(found))
    if any(effect.lower_bound and effect.p99_ratio is not None for effect in found.effects):
        say("≥: it did not get its rate, so the longer it lasts, the slower it becomes")


def _alone_table(found: Interference) -> Shown:
    made = table("alone", "at most per s", "MB/s", "p99", "asked per s", "p50", "p99")
    fast = {one.together[0]: one for one in found.encounters if one.paced is None}
    calm = {one.paced: one for one in found.encounters if one.paced and len(one.together) == 1}
    for name, encounter in fast.items():
        for number, result in enumerate(encounter.cell.classes):
            rest = _calm_figures(calm.get(name), number)
            figures = (format_rate(result.iops), f"{result.mb_per_s:,.1f}", format_us(result.latency_us.p99))
            made.add_row(_spoken(result.name), *figures, *rest)
    return made


def _calm_figures(encounter: Encounter | None, number: int) -> tuple[str, str, str]:
    if encounter is None:
        return ("–", "–", "–")
    result: ClassResult = encounter.cell.classes[number]
    share = result.iops / encounter.cell.iops if encounter.cell.iops else 0.0
    asked = None if encounter.rate_per_s is None else encounter.rate_per_s * share
    return format_rate(asked), format_us(result.latency_us.p50), format_us(result.latency_us.p99)


def _matrix_table(found: Interference) -> Shown:
    by_row: dict[tuple[str, str], list[Effect]] = {}
    for effect in found.effects:
        by_row.setdefault((effect.shape, effect.io_class), []).append(effect)
    everyone = len(found.shapes) > 2
    columns = [_spoken(name) for name in found.shapes]
    made = table("", *columns, *(["all others"] if everyone else []))
    for (shape, io_class), effects in by_row.items():
        cells = [_ratio(shape, effects, (other,)) for other in found.shapes]
        others = tuple(name for name in found.shapes if name != shape)
        made.add_row(_spoken(io_class), *cells, *([_ratio(shape, effects, others)] if everyone else []))
    return made


def _ratio(shape: str, effects: Sequence[Effect], neighbours: tuple[str, ...]) -> str:
    if neighbours == (shape,):
        return "·"
    effect = next((effect for effect in effects if effect.neighbours == neighbours), None)
    if effect is None:
        return "–"
    if effect.p99_ratio is None:
        return "unknown"
    return f"{'≥ ' if effect.lower_bound else ''}{format_rate(effect.p99_ratio)}"


def _spoken(name: str) -> str:
    return name.replace("_", " ")
