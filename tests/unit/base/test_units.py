"""Sizes, durations and rates: what is read, what is refused, and that printing and reading agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.base import units
from plimsoll.base.errors import ExitStatus, UsageError


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("4096", 4096),
        ("0", 0),
        ("8k", 8192),
        ("8K", 8192),
        (" 8 k ", 8192),
        ("1g", 2**30),
        ("1.5MiB", 3 * 2**19),
        ("10MB", 10_000_000),
        ("10mib", 10 * 2**20),
        (".5k", 512),
        ("2t", 2**41),
        ("7PB", 7 * 10**15),
        ("1p", 2**50),
        ("512b", 512),
        ("0.1kb", 100),
    ],
)
def test_bytes_are_read(text: str, count: int) -> None:
    assert units.parse_bytes(text) == count


@pytest.mark.parametrize(
    "text", ["", "k", "8x", "-1", "1e3", "8k8", "8,5k", "0x10", "nan", "inf", "1..5", "\uff18k", "8k\n1"]
)
def test_bytes_are_refused(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        units.parse_bytes(text)
    assert refused.value.id == "size-unreadable"
    assert refused.value.status is ExitStatus.USAGE
    assert repr(text)[1:-1] in repr(refused.value.message)
    assert refused.value.hint


@pytest.mark.parametrize("text", ["0.3", "1.0000000001g", "0.5b"])
def test_a_part_of_a_byte_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a whole number of bytes") as refused:
        units.parse_bytes(text)
    assert refused.value.id == "size-unreadable"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("5", 5.0),
        ("500ms", 0.5),
        ("250us", 0.00025),
        ("2m", 120.0),
        ("2min", 120.0),
        ("1h", 3600.0),
        ("1d", 86400.0),
    ],
)
def test_durations_are_read(text: str, seconds: float) -> None:
    assert units.parse_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "5 years", "-1s", "1:30", "ms"])
def test_durations_are_refused(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        units.parse_seconds(text)
    assert refused.value.id == "duration-unreadable"


@pytest.mark.parametrize(("text", "rate"), [("2000", 2000.0), ("20k", 20_000.0), ("1.5m", 1_500_000.0)])
def test_rates_are_decimal(text: str, rate: float) -> None:
    assert units.parse_rate(text) == rate


@pytest.mark.parametrize("text", ["", "20g", "-5", "20k/s"])
def test_rates_are_refused(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        units.parse_rate(text)
    assert refused.value.id == "rate-unreadable"


@given(st.integers(0, 2**62), st.sampled_from(["", "k", "m", "g", "kib", "MiB", "KB", "tb"]))
def test_any_whole_number_of_any_unit_is_read_exactly(number: int, unit: str) -> None:
    factor = units.parse_bytes(f"1{unit}")
    assert units.parse_bytes(f"{number}{unit}") == number * factor


@given(st.integers(1, 2**52))
def test_what_is_printed_reads_back_to_within_half_of_the_last_digit(count: int) -> None:
    printed = units.format_bytes(count)
    number, unit = printed.split()
    size = units.parse_bytes(f"1{unit}")
    assert abs(float(number) * size - count) <= 0.0501 * size


@given(st.integers(0, 10**7))
def test_milliseconds_are_read_without_rounding_error(milliseconds: int) -> None:
    assert units.parse_seconds(f"{milliseconds}ms") == milliseconds / 1000


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (8192, "8 KiB"),
        (3 * 2**29, "1.5 GiB"),
        (2**30 - 1, "1 GiB"),
        (2**40, "1 TiB"),
    ],
)
def test_sizes_in_words(count: int, words: str) -> None:
    assert units.format_bytes(count) == words


@pytest.mark.parametrize(
    ("us", "words"),
    [
        (None, "unknown"),
        (0.5, "0.5 µs"),
        (9.96, "10 µs"),
        (85.4, "85 µs"),
        (999.4, "999 µs"),
        (999.6, "1 ms"),
        (1234.0, "1.23 ms"),
        (999_600.0, "1 s"),
        (3_400_000.0, "3.4 s"),
        (2_000_000_000.0, "2,000 s"),
    ],
)
def test_latencies_in_words(us: float | None, words: str) -> None:
    assert units.format_us(us) == words


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        (None, "unknown"),
        (0.0, "0"),
        (0.1234, "0.123"),
        (99.96, "100"),
        (123.4, "123"),
        (54_321.0, "54,300"),
        (999_600.0, "1,000,000"),
        (1_234_567.0, "1,230,000"),
    ],
)
def test_rates_in_words(rate: float | None, words: str) -> None:
    assert units.format_rate(rate) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.25, "0.25 s"),
        (9.996, "10 s"),
        (45.4, "45 s"),
        (59.6, "1 min"),
        (200.0, "3 min 20 s"),
        (3600.0, "1 h"),
        (7500.0, "2 h 5 min"),
    ],
)
def test_spans_in_words(seconds: float, words: str) -> None:
    assert units.format_seconds(seconds) == words


@given(st.floats(0.01, 1e12))
def test_no_word_is_in_scientific_notation(number: float) -> None:
    for words in (units.format_us(number), units.format_rate(number), units.format_bytes(number)):
        assert "e" not in words.replace("unknown", "")


@pytest.mark.parametrize(
    ("ratio", "ratio_words", "share_words"),
    [
        (0.0042, "0.0042", "0.4 %"),
        (0.05, "0.05", "5.0 %"),
        (0.834, "0.83", "83 %"),
        (0.997, "0.99", "99 %"),
        (0.99999, "0.99", "99 %"),
        (1.0, "1.00", "100 %"),
        (1.456, "1.46", "146 %"),
        (1.996, "2.0", "200 %"),
        (9.96, "10", "996 %"),
        (1234.0, "1,234", "123,400 %"),
    ],
)
def test_a_ratio_is_never_rounded_up_to_one(ratio: float, ratio_words: str, share_words: str) -> None:
    assert units.format_ratio(ratio) == ratio_words
    assert units.format_share(ratio) == share_words


@pytest.mark.parametrize(
    ("share", "digits", "words"),
    [
        (0.834, 1, "83.4 %"),
        (0.0042, 0, "0 %"),
        (0.9999, 1, "99.9 %"),
        (0.9999, 0, "99 %"),
        (1.2, 1, "120.0 %"),
    ],
)
def test_a_share_with_so_many_digits(share: float, digits: int, words: str) -> None:
    assert units.format_share(share, digits) == words


@pytest.mark.parametrize(
    ("share", "digits", "words"),
    [(0.124, 0, "+12 %"), (-0.03, 0, "-3 %"), (0.0, 1, "+0.0 %"), (12.0, 0, "+1,200 %")],
)
def test_a_change_has_its_sign(share: float, digits: int, words: str) -> None:
    assert units.format_change(share, digits) == words


def test_a_percentage_is_written_in_one_way() -> None:
    """`75 %`: Python's own format puts no space before the sign."""
    own = re.compile(r":[+,]*\.\d%\}")
    package = Path(units.__file__).parents[1]
    assert [path for path in package.rglob("*.py") if own.search(path.read_text(encoding="utf-8"))] == []
