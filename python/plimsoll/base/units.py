"""Sizes, durations and rates as people type them, and as people read them.

`8k` is 8 KiB and `1g` 1 GiB, as in fio and ORION; `1MB` is 10^6 bytes and `1MiB` 2^20. Latencies are microseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from math import floor, log10
from typing import TYPE_CHECKING

from plimsoll.base.errors import UsageError

if TYPE_CHECKING:
    from decimal import Decimal

BYTES_OF = {
    "": 1, "b": 1,
    "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40, "p": 2**50,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40, "pib": 2**50,
    "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "pb": 10**15,
}  # fmt: skip
SECONDS_OF = {
    "us": "0.000001",
    "ms": "0.001",
    "": "1",
    "s": "1",
    "m": "60",
    "min": "60",
    "h": "3600",
    "d": "86400",
}
PER_SECOND_OF = {"": 1, "k": 1_000, "m": 1_000_000}
"""Rates are decimal."""
SLOB_BLOCK_BYTES = 8192
"""SLOB's and pgio's block, in which sizes with a unit are counted."""
_NUMBER = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*([a-zA-Z]*)\s*\Z")


def _split(text: str, what: str, example: str, known: object) -> tuple[Decimal, str]:
    match = _NUMBER.match(text)
    unit = match.group(2).lower() if match else ""
    if match is None or unit not in known:  # type: ignore[operator]
        raise UsageError(
            f"{what}-unreadable", f"cannot read '{text}' as a {what}", f"Write it like {example}."
        )
    from decimal import Decimal

    return Decimal(match.group(1)), unit


def parse_bytes(text: str) -> int:
    """Bytes from `4096`, `8k`, `1g`, `1.5MiB`, `10MB`. Raises UsageError `size-unreadable`."""
    number, unit = _split(text, "size", "8k, 1g or 100MB", BYTES_OF)
    exact = number * BYTES_OF[unit]
    if exact != int(exact):
        raise UsageError("size-unreadable", f"'{text}' is not a whole number of bytes", "Use a smaller unit.")
    return int(exact)


def parse_blocks(text: str) -> int:
    """`80M` as blocks of SLOB and pgio; a bare number is blocks already, as there. Raises UsageError `size-unreadable`."""
    return int(text) if text.strip().isdecimal() else parse_bytes(text) // SLOB_BLOCK_BYTES


def parse_seconds(text: str) -> float:
    """Seconds from `5`, `500ms`, `2m`, `1h`. Raises UsageError `duration-unreadable`."""
    number, unit = _split(text, "duration", "5s, 500ms or 2m", SECONDS_OF)
    return float(number * type(number)(SECONDS_OF[unit]))


def parse_rate(text: str) -> float:
    """Operations per second from `2000`, `20k` (thousands: rates are decimal), `1.5m`. Raises UsageError `rate-unreadable`."""
    number, unit = _split(text, "rate", "2000 or 20k", PER_SECOND_OF)
    return float(number * PER_SECOND_OF[unit])


def typed_bytes(count: int) -> str:
    """A size as it is typed: `8k`, `1g`."""
    size, unit = next(
        (size, unit) for unit, size in _TYPED_BYTES if count % size == 0 and (count or size == 1)
    )
    return f"{count // size}{unit}"


_TYPED_BYTES = (("t", 2**40), ("g", 2**30), ("m", 2**20), ("k", 2**10), ("", 1))


def typed_seconds(seconds: float) -> str:
    """A span of time as it is typed: `300ms`, `5s`, `114s`, `5m`, `1d`."""
    for unit, size in _TYPED_SECONDS:
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:g}{unit}"
    return f"{seconds:g}s" if seconds >= 1 or seconds == 0 else f"{seconds * 1000:g}ms"


_TYPED_SECONDS = (("d", 86_400), ("h", 3_600), ("m", 60))


def typed_rate(per_second: float) -> str:
    """A rate as it is typed: `2000`."""
    return f"{per_second:.10g}"


def format_bytes(count: float) -> str:
    """Binary units with at most one decimal: `8 KiB`, `1.5 GiB`."""
    for unit, size in (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count / size >= 0.99995:
            return f"{_trim(count / size)} {unit}"
    return f"{count:.0f} B"


def format_us(microseconds: float | None) -> str:
    """A latency in the unit in which a person would say it: `85 µs`, `1.2 ms`, `3.4 s`; `unknown` for None."""
    if microseconds is None:
        return "unknown"
    if microseconds < 9.95:
        return f"{microseconds:.1f} µs"
    if microseconds < 999.5:
        return f"{microseconds:.0f} µs"
    if microseconds < 999_500:
        return f"{_three_digits(microseconds / 1_000)} ms"
    return f"{_three_digits(microseconds / 1_000_000)} s"


def format_ns(nanoseconds: float) -> str:
    """A latency below a microsecond in nanoseconds, others as `format_us` has them: `1.6 ns`, `85 µs`."""
    return f"{nanoseconds:.1f} ns" if nanoseconds < 999.5 else format_us(nanoseconds / 1e3)


def format_count(count: int | None) -> str:
    """`4,000`, or `unknown`."""
    return "unknown" if count is None else f"{count:,}"


def counted(number: int, noun: str) -> str:
    """`1 host`, `1,200 hosts`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_rate(per_second: float | None) -> str:
    """A rate with three significant digits and thousands: `54,300`; `unknown` for None."""
    return "unknown" if per_second is None else _three_digits(per_second)


def format_mb(megabytes: float | None) -> str:
    """MB or MB per second to a tenth, as everywhere: `1,820.4`, and `1,820` where it is whole; `unknown` for None."""
    return "unknown" if megabytes is None else f"{megabytes:,.1f}".removesuffix(".0")


def format_ratio(ratio: float | None) -> str:
    """A headroom or another multiple: two decimals below 2, one below 10, then none: `0.83`, `2.3`, `15`. Never up to 1."""
    if ratio is None:
        return "unknown"
    if ratio < 0.1:
        return _three_digits(ratio)
    digits = 0 if ratio >= 9.95 else 1 if ratio >= 1.995 else 2
    return f"{min(ratio, 0.99) if ratio < 1 else ratio:,.{digits}f}"


def format_share(share: float | None, digits: int | None = None) -> str:
    """A part of a whole: `83 %`, with a digit more below 10 %; or with so many digits. Less than the whole is never 100 %."""
    if share is None:
        return "unknown"
    places = (1 if share < 0.1 else 0) if digits is None else digits
    percent = min(100 * share, 100 - 10.0**-places) if share < 1 else 100 * share
    return f"{percent:,.{places}f} %"


def format_change(share: float, digits: int = 0) -> str:
    """By what part of itself something changes: `+12 %`, `-3 %`."""
    return f"{100 * share:+,.{digits}f} %"


def format_seconds(seconds: float) -> str:
    """A span of time in words of a clock: `45 s`, `3 min 20 s`, `2 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{_three_digits(seconds)} s" if seconds < 9.995 else f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min" + (f" {whole % 60} s" if whole % 60 else "")
    return f"{whole // 3600} h" + (f" {whole % 3600 // 60} min" if whole % 3600 // 60 else "")


def moment_form(moments: Iterable[datetime | None]) -> str:
    """How to write moments beside each other: the time alone where all lie on one day, else the date before it."""
    days = {moment.date() for moment in moments if moment is not None}
    return "%H:%M:%S" if len(days) < 2 else "%Y-%m-%d %H:%M:%S"


def _three_digits(number: float) -> str:
    """Three significant digits, thousands marked, never with an exponent."""
    if number == 0:
        return "0"
    places = 2 - floor(log10(abs(number)))
    rounded = round(number, places)
    if abs(rounded) >= 100:
        return f"{rounded:,.0f}"
    text = f"{rounded:.{max(0, places)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _trim(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
