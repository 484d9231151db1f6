"""What the same flash saves in each use."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_bytes, format_seconds, format_us
from plimsoll.charts import Table
from plimsoll.facts import FlashUse, FlashUses, Run
from plimsoll.results._blocks import Block, Grid, Points, Words
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind
from plimsoll.results._words import sentence

_UNKNOWN = "unknown"
_POSSIBLE = {True: "yes", False: "no", None: _UNKNOWN}
_COLUMNS = ("use", "possible", "saves", "flash", "a month", "small read", "small write", "lasts")
_SPARE = ("lasts", "small write", "small read", "a month")


def _answer(found: FlashUses) -> str:
    return found.reason if found.answer == "move" else f"{found.answer}: {found.reason}"


def _status(run: Run) -> ExitStatus:
    """5 where it cannot be told which use saves most."""
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    found: FlashUses = run.results["flash_uses"]
    return ExitStatus.DONE_IN_PART if found.answer == "cannot tell" else ExitStatus.DONE


def _blocks(run: Run) -> list[Block]:
    """The answer, the uses side by side, what each rests on and costs, what to write, and what all figures rest on."""
    found: FlashUses = run.results["flash_uses"]
    answer = _answer(found)
    caption = f"Uses of {format_bytes(found.flash_bytes)} of {found.flash}"
    rows = tuple(map(_row, found.uses))
    blocks: list[Block] = [
        Words(sentence(answer)),
        Grid(caption, Table(_COLUMNS, rows, (False, False, *(True,) * 6), _SPARE)),
        Points(tuple((use.use, _about(use)) for use in found.uses)),
    ]
    settings = tuple(_settings(found))
    if settings:
        blocks.append(
            Grid(
                "Settings to write",
                Table(("for", "where", "what", "note"), settings, (False,) * 4, ("note",)),
            )
        )
    blocks.append(Points(tuple(("rests on", sentence(one)) for one in found.reasons)))
    return blocks


def _row(use: FlashUse) -> tuple[str, ...]:
    return (
        use.use,
        _POSSIBLE[use.possible],
        _range(use),
        _UNKNOWN if use.flash_bytes is None else format_bytes(use.flash_bytes),
        _UNKNOWN if use.price_per_month is None else f"{use.price_per_month:,.2f}",
        _UNKNOWN if use.small_read_us is None else format_us(use.small_read_us),
        _writes(use),
        _UNKNOWN if use.endurance_years is None else f"{use.endurance_years:,.1f} years",
    )


def _range(use: FlashUse) -> str:
    """From low to high ends, where they differ."""
    if use.gain_s is None:
        return _UNKNOWN
    low = _seconds(use.gain_s)
    if use.gain_s_max is None:
        return f"at least {low}"
    high = _seconds(use.gain_s_max)
    return low if low == high else f"{low} to {high}"


def _seconds(seconds: float) -> str:
    return f"-{format_seconds(-seconds)}" if seconds < 0 else format_seconds(seconds)


def _writes(use: FlashUse) -> str:
    if use.small_write_us is None:
        return _UNKNOWN
    low, high = format_us(use.small_write_us), format_us(use.small_write_us_max)
    return low if low == high else f"{low} to {high}"


def _about(use: FlashUse) -> str:
    return " ".join(sentence(one) for one in (use.reason, *use.costs))


def _settings(found: FlashUses) -> Iterator[tuple[str, ...]]:
    for use in found.uses:
        if use.possible is not False:
            for one in use.settings:
                yield use.use, one.program, one.statement, one.remark


def _figures(run: Run) -> list[Quantity]:
    """What each use saves at least. More to save is no better: it is more that is waited for today."""
    found: FlashUses = run.results["flash_uses"]
    saved = [
        Quantity(f"flash_uses.{_key(use)}.gain_s", f"saved as {use.use}", "s", use.gain_s, None)
        for use in found.uses
        if use.gain_s is not None
    ]
    return [Quantity("flash_uses.flash_bytes", "flash", "bytes", float(found.flash_bytes), None), *saved]


def _key(use: FlashUse) -> str:
    return use.use.replace(",", "").replace(" ", "_")


def _work(run: Run) -> dict[str, str]:
    found: FlashUses = run.results["flash_uses"]
    return {"flash": f"{format_bytes(found.flash_bytes)} of {found.flash}"}


RESULT = ResultKind(
    fact=FlashUses,
    rows=(FlashUse,),
    rank=21,
    answer=_answer,
    status=_status,
    envelope="place-flash",
    title="Uses of flash",
    help="What the same flash saves as whole database, parts of it, side of a mirror, and cache.",
    page_rank=35,
    blocks=_blocks,
    compared=Compared(figures=_figures, work=_work),
)
