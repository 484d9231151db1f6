"""Targets added one by one: what each gives alone, what they give together, and from which on more of them bring nothing.

Linear means that together they give the sum of what each gives alone, measured in the same repeat. A target counts as bringing
nothing where it and all that follow it brought less than a quarter of what they give alone, in every repeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Literal

from plimsoll.base.units import format_rate, format_share
from plimsoll.facts import Cell, LadderCurve, LadderStep, LadderTarget, LinkBound
from plimsoll.supply.one_way import LINK_SLACK
from plimsoll.supply.repeats import median_cell, rate_ci95

Group = tuple[int, ...]
Size = Literal["small", "large"]
GAIN_SHARE_MIN = 0.25
_FIRST_GAIN_MAX = 0.5
"""The first of them must not have brought half of its own: it filled what was left."""
REPEATS_MIN = 2


def groups(targets: int) -> list[Group]:
    """Each target alone, and the first two, three … of them."""
    alone = [(at,) for at in range(targets)]
    return [*alone, *(tuple(range(count)) for count in range(2, targets + 1))]


def rate_of(cell: Cell, size: Size) -> float:
    """In the unit of the size."""
    return cell.iops if size == "small" else cell.mb_per_s


def curve(
    names: Sequence[str], cells: dict[Group, Sequence[Cell]], size: Size, block_bytes: int, depth: int
) -> LadderCurve:
    """The curve over whole repeats: each group has as many cells as the others."""
    rates = {group: [rate_of(cell, size) for cell in found] for group, found in cells.items()}
    count = len(names)
    sums: dict[int, list[float]] = {
        many: [sum(each) for each in zip(*(rates[(at,)] for at in range(many)), strict=True)]
        for many in range(1, count + 1)
    }
    steps = [_step(cells, rates, sums[many], many) for many in range(1, count + 1)]
    flat = flat_from([rates[tuple(range(many))] for many in range(1, count + 1)], sums)
    return LadderCurve(
        size=size,
        block_bytes=block_bytes,
        depth=depth,
        alone=tuple(
            LadderTarget(name=name, rate=fmean(rates[(at,)]), rate_ci95=rate_ci95(rates[(at,)]))
            for at, name in enumerate(names)
        ),
        steps=tuple(steps),
        flat_from=flat,
        reason=_words(steps, flat, size),
    )


def _step(
    cells: dict[Group, Sequence[Cell]], rates: dict[Group, list[float]], sums: Sequence[float], many: int
) -> LadderStep:
    group = tuple(range(many))
    shares = [rate / max(whole, 1e-9) for rate, whole in zip(rates[group], sums, strict=True)]
    return LadderStep(
        targets=many,
        rate=fmean(rates[group]),
        rate_ci95=rate_ci95(rates[group]),
        linearity=fmean(shares),
        linearity_ci95=rate_ci95(shares) if many > 1 else None,
        cell=median_cell(cells[group]),
    )


def flat_from(rates: Sequence[Sequence[float]], sums: dict[int, list[float]]) -> int | None:
    """The first target from which on all together brought too little in every repeat; `rates` are those of 1, 2, 3 … targets."""
    last = len(rates)
    for many in range(2, last + 1):
        gains = (after - before for after, before in zip(rates[last - 1], rates[many - 2], strict=True))
        alone = (after - before for after, before in zip(sums[last], sums[many - 1], strict=True))
        little = all(gain < GAIN_SHARE_MIN * own for gain, own in zip(gains, alone, strict=True))
        if little and fmean(rates[many - 1]) - fmean(rates[many - 2]) < _FIRST_GAIN_MAX * fmean(
            own_of(sums, many)
        ):
            return many
    return None


def own_of(sums: dict[int, list[float]], many: int) -> list[float]:
    """What that target gives alone, repeat by repeat."""
    return [after - before for after, before in zip(sums[many], sums[many - 1], strict=True)]


def _words(steps: Sequence[LadderStep], flat: int | None, size: Size) -> str:
    last = steps[-1]
    share = format_share(last.linearity)
    if last.linearity_ci95 is not None:
        low, high = last.linearity_ci95
        share += f" (95 % interval {format_share(low)} to {format_share(high)})"
    together = f"{last.targets} targets together give {in_unit(last.rate, size)}, {share} of what each gives alone, added up"
    if flat is None:
        return f"{together}."
    before = steps[flat - 2]
    more = f"target {flat} brings" if flat == last.targets else f"from target {flat} on, more bring"
    return f"{together}; {more} next to nothing: {before.targets} gave {in_unit(before.rate, size)}."


def in_unit(rate: float, size: Size) -> str:
    """`1,650 I/Os per second` or `1,650.1 MB/s`."""
    return f"{format_rate(rate)} I/Os per second" if size == "small" else f"{rate:,.1f} MB/s"


def with_link(found: LadderCurve, links: LinkBound | None) -> LadderCurve:
    """The curve with its end held against what the links carry, where it went flat and they are known."""
    if found.flat_from is None or links is None or not links.mb_per_s or links.used_share is None:
        return found
    carried = f"{links.words} carry {links.mb_per_s:,.0f} MB/s, of which {format_share(links.used_share)} were used at most"
    return found.model_copy(update={"reason": f"{found.reason} {carried}: {_link_words(links.used_share)}."})


def _link_words(used_share: float) -> str:
    if used_share > LINK_SLACK:
        return "that cannot be, so it says nothing of them"
    if used_share >= LINK_FULL_SHARE:
        return "the links are full"
    return "so the links are not what holds them back"


LINK_FULL_SHARE = 0.85
"""From here on a link counts as full: headers of protocols above it, and gaps between frames, take the rest."""
