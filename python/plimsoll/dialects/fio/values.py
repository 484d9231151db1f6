"""Values of a job file, each kind with one reader. A ValueError says what is wrong with one, without naming the key.

Suffixes are fio's (fio(1), PARAMETER TYPES): with `kb_base` 1024, the default, `k` and `kb` are 1024 and `ki` and `kib` 1000;
with 1000 it is the other way round. Times are whole numbers too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import TypeVar

KB_BASES = (1024, 1000)

_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_INT = re.compile(r"(0x[0-9a-f]+|[0-9]+)\s*([kmgtp]?)(i?)(b?)", re.ASCII)
_TIME = re.compile(r"([0-9]+)\s*([a-z]*)", re.ASCII)
_US = {
    "us": 1,
    "usec": 1,
    "ms": 1_000,
    "msec": 1_000,
    "s": 1_000_000,
    "sec": 1_000_000,
    "m": 60_000_000,
    "h": 3_600_000_000,
    "d": 86_400_000_000,
}
_LARGEST = 2**63 - 1
_SIZES_MAX = 64
"""As in the engine."""
_THETA_MAX = 10
"""As in the engine: beyond it one block gets practically all I/Os."""

T = TypeVar("T")

Read = Callable[[str, int], object]
"""From the text of a value, and `kb_base`, to the value."""


@dataclass(frozen=True)
class Size:
    """So many bytes, or so many hundredths of the file."""

    bytes: int | None = None
    percent: int | None = None

    def of(self, whole_bytes: int) -> int:
        """In bytes, of a file of this length."""
        return self.bytes if self.bytes is not None else whole_bytes * (self.percent or 0) // 100


@dataclass(frozen=True)
class Distribution:
    """Which blocks are drawn how often: fio's name, and its parameter where it has one."""

    name: str = "random"
    skew: float | None = None


Split = tuple[tuple[int, float], ...]
"""Block sizes in bytes, each with its percentage."""


@dataclass(frozen=True)
class Range:
    """Block sizes from `low` to `high` bytes; None is the same as `low`."""

    low: int
    high: int | None = None

    def shares(self) -> Split:
        """As fio draws them: the lowest and its multiples, equally often, and the highest with what is left."""
        high = self.low if self.high is None else self.high
        each = 100 * self.low / high
        steps = [(size, each) for size in range(self.low, high + 1, self.low)]
        rest = high % self.low
        return (*steps, (high, 100 * rest / high)) if rest else tuple(steps)


def integer(text: str, kb_base: int) -> int:
    """`4096`, `8k`, `0x1000`, `1mib`."""
    match = _INT.fullmatch(text.strip().lower())
    if match is None:
        raise ValueError("is not a whole number with a suffix like k, m or g")
    number, prefix, binary, _ = match.groups()
    if binary and not prefix:
        raise ValueError("has a suffix that is not known")
    other_base = KB_BASES[1 - KB_BASES.index(kb_base)]
    value = int(number, 0 if number.startswith("0x") else 10)
    value *= (other_base if binary else kb_base) ** _POWERS[prefix]
    if value > _LARGEST:
        raise ValueError("is larger than any file")
    return value


def whole(low: int, high: int) -> Read:
    """A reader of whole numbers from `low` to `high`."""

    def read(text: str, kb_base: int) -> int:
        value = integer(text, kb_base)
        if not low <= value <= high:
            raise ValueError(f"is not between {low} and {high}")
        return value

    return read


def flag(text: str, kb_base: int) -> bool:
    """fio's bool: 0 or 1."""
    if text.strip() not in ("0", "1"):
        raise ValueError("is neither 0 nor 1")
    return text.strip() == "1"


def one_delay(text: str, kb_base: int) -> int:
    """A time in microseconds; fio's range, of which it draws one, is not taken."""
    if "-" in text:
        raise ValueError("is a range of times, and one time is supported")
    return int(str(duration_us("s")(text, kb_base)))


def opposite(text: str, kb_base: int) -> bool:
    """A bool that says the contrary of the key that it stands for: buffered of direct."""
    return not flag(text, kb_base)


def words(text: str, kb_base: int) -> str:
    """Any text but none."""
    if not text.strip():
        raise ValueError("is empty")
    return text.strip()


def prefix(text: str, kb_base: int) -> str:
    """What the name of a log begins with; none is the job's name."""
    if text.endswith("/"):
        raise ValueError("names a folder, and the name of a file's beginning is wanted")
    return text.strip()


def one_of(known: dict[str, object]) -> Read:
    """A reader of the words in `known`, which says what each stands for."""

    def read(text: str, kb_base: int) -> object:
        if text.strip() not in known:
            raise ValueError(f"is none of {', '.join(known)}")
        return known[text.strip()]

    return read


def duration_us(unit: str) -> Read:
    """A reader of times in microseconds; `unit` is that of a bare number."""

    def read(text: str, kb_base: int) -> int:
        match = _TIME.fullmatch(text.strip().lower())
        if match is None or (match[2] or unit) not in _US:
            raise ValueError("is not a time like 30, 30s, 500ms or 2m")
        value = int(match[1]) * _US[match[2] or unit]
        if value > 30 * _US["d"]:
            raise ValueError("is longer than 30 days")
        return value

    return read


def size(text: str, kb_base: int) -> Size:
    """`1g` or `20%`."""
    number, percent, rest = text.strip().partition("%")
    if not percent:
        return Size(bytes=_above_zero(integer(text, kb_base)))
    if rest or not re.fullmatch("[0-9]{1,3}", number, re.ASCII) or not 1 <= int(number) <= 100:
        raise ValueError("is not a percentage from 1 to 100")
    return Size(percent=int(number))


def file_bytes(text: str, kb_base: int) -> int:
    """`1g`; fio's range of sizes is another thing."""
    if "-" in text:
        raise ValueError("is a range of sizes, and one size is supported")
    return _above_zero(integer(text, kb_base))


def pair_of_blocks(text: str, kb_base: int) -> tuple[Range, Range]:
    """`8k` for both, `8k,32k` for reads and writes; what is left empty is 4096."""
    return _pair(text, lambda part: Range(_block(part, kb_base)), default=Range(4096))


def pair_of_ranges(text: str, kb_base: int) -> tuple[Range, Range]:
    """`4k-64k` for both, after a comma another for writes."""

    def blocks(part: str) -> Range:
        low, dash, high = part.partition("-")
        found = Range(_block(low, kb_base), _block(high, kb_base) if dash else None)
        if found.high is not None and found.high < found.low:
            raise ValueError("ends below its beginning")
        if len(found.shares()) > _SIZES_MAX:
            raise ValueError(f"has more than {_SIZES_MAX} sizes")
        return found

    return _pair(text, blocks, default=Range(4096))


def pair_of_rates(text: str, kb_base: int) -> tuple[int | None, int | None]:
    """`500` for reads and for writes, `500,200` for each; what is left empty has no rate."""

    def rate(part: str) -> int | None:
        return _above_zero(integer(part, kb_base))

    parts: tuple[int | None, int | None] = _pair(text, rate, default=None)
    return parts


def pair_of_splits(text: str, kb_base: int) -> tuple[Split, Split]:
    """`4k/10:64k/50:32k/40`, after a comma another for writes."""
    reads, comma, writes = text.strip().partition(",")
    first = _split(reads, kb_base)
    return first, _split(writes, kb_base) if comma else first


def distribution(text: str, kb_base: int) -> Distribution:
    """`random`, `zipf:1.2` or `pareto:0.9`."""
    name, colon, parameter = text.strip().partition(":")
    if name == "random" and not colon:
        return Distribution()
    if name not in ("zipf", "pareto"):
        raise ValueError("is none of random, zipf:THETA, pareto:H")
    skew = _decimal(parameter)
    if name == "zipf" and (skew is None or not 0 < skew <= _THETA_MAX or skew == 1):
        raise ValueError(
            f"needs a theta above 0 to {_THETA_MAX} other than 1, like zipf:1.2, and takes no centre"
        )
    if name == "pareto" and (skew is None or not 0 < skew < 1):
        raise ValueError("needs an h between 0 and 1, like pareto:0.9, and takes no centre")
    return Distribution(name, skew)


def paths(text: str, kb_base: int) -> tuple[str, ...]:
    r"""Names with colons between; a colon that belongs to a name is written `\:`."""
    names = tuple(re.sub(r"\\:", ":", name) for name in re.split(r"(?<!\\):", text.strip()))
    if not all(names):
        raise ValueError("holds an empty name")
    return names


def folder(text: str, kb_base: int) -> str:
    """One folder."""
    first, *more = paths(text, kb_base)
    if more:
        raise ValueError("names several folders, and one is supported")
    return first


def _above_zero(value: int) -> int:
    if value <= 0:
        raise ValueError("is not above 0")
    return value


def _block(text: str, kb_base: int) -> int:
    value = integer(text, kb_base)
    if not 512 <= value <= 64 << 20:
        raise ValueError("is not a block from 512 bytes to 64 MiB")
    return value


def _pair(text: str, read: Callable[[str], T], default: T) -> tuple[T, T]:
    """Values for reads and for writes; one that no comma follows holds for all after it."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 3 or not any(parts):
        raise ValueError("is not one value, or one for reads and one for writes")
    if len(parts) == 3 and parts[2]:
        raise ValueError("has a value for trims, which are not supported")
    first = read(parts[0]) if parts[0] else default
    if len(parts) == 1:
        return first, first
    return first, read(parts[1]) if parts[1] else default


def _split(text: str, kb_base: int) -> Split:
    parts = [part.partition("/") for part in text.strip().split(":")]
    sizes = [_block(name, kb_base) for name, _, _ in parts]
    if len(set(sizes)) < len(sizes):
        raise ValueError("names a size twice")
    given = [_percentage(share) if share.strip() else None for _, _, share in parts]
    left = 100 - sum(share for share in given if share is not None)
    blanks = given.count(None)
    if left < 0 or (left > 0 and not blanks):
        raise ValueError(f"has percentages that add up to {100 - left}")
    shares = [left / blanks if share is None else share for share in given]
    return tuple((size, share) for size, share in zip(sizes, shares, strict=True) if share > 0)


def _percentage(text: str) -> int:
    if not re.fullmatch("[0-9]{1,3}", text.strip(), re.ASCII):
        raise ValueError("has a percentage that is not a whole number")
    return int(text)


def _decimal(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None
