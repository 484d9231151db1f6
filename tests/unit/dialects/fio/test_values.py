"""fio's ways of writing numbers, by the examples of fio(1), and what is no value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.dialects.fio import values
from plimsoll.dialects.fio.values import Distribution, Range, Size


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, 4096) for text in ("4096", "4096b", "4096B", "4k", "4kb", "4kB", "4K", "4KB", "0x1000")),
        *((text, 2**20) for text in ("1048576", "1m", "1024k")),
        *((text, 10**6) for text in ("1000000", "1mi", "1MiB", "1000ki")),
        *((text, 2**40) for text in ("1t", "1024g", "1048576m")),
        *((text, 10**12) for text in ("1000000000000", "1ti", "1000gi")),
    ],
)
def test_numbers_in_the_usual_base(text: str, expected: int) -> None:
    assert values.integer(text, 1024) == expected


@pytest.mark.parametrize(("text", "expected"), [("4k", 4000), ("4ki", 4096), ("1m", 10**6), ("1mib", 2**20)])
def test_numbers_in_the_other_base(text: str, expected: int) -> None:
    assert values.integer(text, 1000) == expected


@pytest.mark.parametrize(
    "text", ["", "k", "-1", "1.5k", "4x", "4ib", "1 2", "(2*4k)", "٤", "9999999p", "1_000"]
)
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match=r"is |has "):
        values.integer(text, 1024)


@given(st.integers(0, 2**40), st.sampled_from(["", "k", "m"]), st.sampled_from(["", "b", "B"]), st.booleans())
def test_a_number_means_what_it_says(number: int, prefix: str, byte: str, binary: bool) -> None:
    text = f"{number}{prefix}{'i' if binary and prefix else ''}{byte}"
    base = 1000 if binary and prefix else 1024
    assert values.integer(text, 1024) == number * base ** " km".index(prefix or " ")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30", 30),
        ("30s", 30),
        ("30sec", 30),
        ("2m", 120),
        ("1h", 3600),
        ("1D", 86400),
        ("500ms", 0.5),
        ("7usec", 7e-6),
    ],
)
def test_times(text: str, seconds: float) -> None:
    assert values.duration_us("s")(text, 1024) == pytest.approx(seconds * 1e6)


def test_a_bare_thinktime_is_in_microseconds() -> None:
    assert values.duration_us("us")("250", 1024) == 250


@pytest.mark.parametrize("text", ["", "-1", "1.5", "3 weeks", "1min", "31d"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a time|longer"):
        values.duration_us("s")(text, 1024)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8k", (8192, 8192)),
        ("8k,32k", (8192, 32768)),
        ("8k,32k,", (8192, 32768)),
        (",8k", (4096, 8192)),
        ("8k,", (8192, 4096)),
    ],
)
def test_blocks_for_reads_and_writes(text: str, expected: tuple[int, int]) -> None:
    assert values.pair_of_blocks(text, 1024) == tuple(map(Range, expected))


@pytest.mark.parametrize("text", ["", ",", "256", "1g", "8k,8k,8k", "8k,8k,,", "4k-8k"])
def test_what_is_no_block(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not|has a value"):
        values.pair_of_blocks(text, 1024)


def test_rates_for_reads_and_writes() -> None:
    assert values.pair_of_rates("500", 1024) == (500, 500)
    assert values.pair_of_rates("500,200", 1024) == (500, 200)
    assert values.pair_of_rates(",2k", 1024) == (None, 2048)


def test_splits_share_out_what_is_left_open() -> None:
    reads, writes = values.pair_of_splits("4k/10:64k/50:32k/40", 1024)
    assert reads == writes == ((4096, 10), (65536, 50), (32768, 40))
    reads, writes = values.pair_of_splits("2k/50:4k/:8k,16k", 1024)
    assert reads == ((2048, 50), (4096, 25), (8192, 25))
    assert writes == ((16384, 100),)


@pytest.mark.parametrize("text", ["", "4k/60:8k/60", "4k/10", "4k/10:8k/20", "4k/x:8k", "4k/50:4k/50", "/50"])
def test_splits_that_do_not_add_up(text: str) -> None:
    with pytest.raises(ValueError, match=r"has|is|names"):
        values.pair_of_splits(text, 1024)


def test_a_split_leaves_out_sizes_without_a_share() -> None:
    assert values.pair_of_splits("4k/0:8k/100", 1024)[0] == ((8192, 100),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("random", Distribution()),
        ("zipf:1.2", Distribution("zipf", 1.2)),
        ("pareto:0.9", Distribution("pareto", 0.9)),
    ],
)
def test_distributions(text: str, expected: Distribution) -> None:
    assert values.distribution(text, 1024) == expected


@pytest.mark.parametrize(
    "text",
    [
        "zipf",
        "zipf:1",
        "zipf:0",
        "zipf:10.1",
        "zipf:1.2:0.5",
        "pareto:1",
        "pareto:nan",
        "normal:10",
        "random:1",
        "",
    ],
)
def test_distributions_that_are_not_there(text: str) -> None:
    with pytest.raises(ValueError, match=r"needs|is none"):
        values.distribution(text, 1024)


def test_sizes_in_bytes_and_in_hundredths() -> None:
    assert values.size("1g", 1024) == Size(bytes=2**30)
    assert values.size("20%", 1024).of(1000) == 200
    for text in ("0", "0%", "101%", "5%%", "%", "x%", "20z"):
        with pytest.raises(ValueError, match="is not"):
            values.size(text, 1024)


def test_names_of_files() -> None:
    assert values.paths(r"/dev/sda:/dev/sdb", 1024) == ("/dev/sda", "/dev/sdb")
    assert values.paths(r"/dev/disk/pci-0000\:00", 1024) == ("/dev/disk/pci-0000:00",)
    for text in ("", "a:", ":a", "a::b"):
        with pytest.raises(ValueError, match="empty name"):
            values.paths(text, 1024)


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        ("4k-4k", {4096: 100}),
        ("4k-16k", {4096: 25, 8192: 25, 12288: 25, 16384: 25}),
        ("4k-10k", {4096: 40, 8192: 40, 10240: 20}),
    ],
)
def test_a_range_of_sizes_is_drawn_as_fio_draws_it(text: str, shares: dict[int, float]) -> None:
    """fio 3.33 adds a random number below the highest to the lowest, rounds down to a multiple, and cuts at the highest."""
    reads, writes = values.pair_of_ranges(text, 1024)
    assert dict(reads.shares()) == pytest.approx(shares)
    assert writes == reads
    low, high = min(shares), max(shares)
    drawn = [min((low + at) // low * low, high) for at in range(0, high, 512)]
    assert {size: 100 * drawn.count(size) / len(drawn) for size in shares} == pytest.approx(shares, abs=1)
