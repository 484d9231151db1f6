"""Logs of other tools under generated content: what is written is read again, and whatever a line becomes, it is never lost."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.base.errors import PlimsollError
from plimsoll.dialects import foreign, hlog
from plimsoll.dialects.foreign import Imported
from plimsoll.facts import OperationLog
from plimsoll.native.latency import latency_of_counts

BEGIN = 1_726_000_000
ONE_IO = latency_of_counts([(100.0, 1)]).hdr or b""
TAGS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
HLOG_LINES = hlog.text_of(
    [(hlog.Interval(tag, BEGIN + second, 1.0, ONE_IO), 1e5) for second in range(4) for tag in ("", "A")]
).splitlines()
PGBENCH_LINES = [
    *(f"{client} {number} {900 + number} {number % 2} {BEGIN + number} {client}" for client in (0, 1) for number in (1, 2, 3)),
    f"0 9 skipped 0 {BEGIN + 4} 5",
    f"1 9 failed 1 {BEGIN + 4} 5",
]  # fmt: skip


def read(name: str, content: bytes) -> Imported:
    """By this reader alone."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        path.write_bytes(content)
        return foreign.load(name).read(path)


def log_of(found: Imported) -> OperationLog:
    assert found.operation_log is not None
    return found.operation_log


@st.composite
def damaged(draw: st.DrawFn, lines: list[str]) -> bytes:
    """A log in which bytes were cut out, put in or exchanged, lines repeated or left out, and of which the end may lack."""
    chosen = draw(st.lists(st.sampled_from(lines), min_size=1, max_size=12))
    content = bytearray("\n".join([*lines[:5], *chosen, ""]).encode())
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(content)))
        taken = draw(st.integers(0, 3))
        content[at : at + taken] = draw(
            st.binary(max_size=3) | st.text("0123456789 .,=#-\n\r", max_size=20).map(str.encode)
        )
    return bytes(content[: draw(st.integers(0, len(content)))] if draw(st.booleans()) else content)


def lines_of(content: bytes, comment: str) -> int:
    """How many lines must be results or problems: all but those that are empty, and comments."""
    lines = content.split(b"\n")
    return len(lines) - sum(_is_passed_over(line, comment) for line in lines)


def _is_passed_over(line: bytes, comment: str) -> bool:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return False
    return not text.strip() or re.match(comment, text) is not None


def accounted(log: OperationLog) -> int:
    return log.lines_failed + sum(
        one.operations + (one.failed or 0) + (one.skipped or 0) for one in log.operations
    )


@given(
    st.lists(
        st.tuples(TAGS, st.integers(0, 10_000), st.integers(1, 5_000), st.integers(1, 900)),
        min_size=1,
        max_size=12,
    )
)
def test_a_log_of_histograms_is_read_as_it_was_written(rows: list[tuple[str, int, int, int]]) -> None:
    intervals = [
        (hlog.Interval(tag, BEGIN + start / 1_000, length / 1_000, latency_of_counts([(250.0, ios)]).hdr or b""), 250e3)
        for tag, start, length, ios in rows
    ]  # fmt: skip
    found = read("hlog", hlog.text_of(intervals).encode())
    meant: Counter[str] = Counter()
    for tag, _, _, ios in rows:
        meant[re.sub(r"[,\s]+", "-", tag) or "all"] += ios
    assert {one.name: one.operations for one in log_of(found).operations} == meant
    assert log_of(found).lines_failed == 0
    begin, end = min(row[1] for row in rows), max(row[1] + row[2] for row in rows)
    assert log_of(found).duration_s == pytest.approx((end - begin) / 1_000)
    assert found.started_at is not None
    assert found.started_at.timestamp() == pytest.approx(BEGIN + begin / 1_000)


@given(damaged(HLOG_LINES))
def test_no_line_of_a_damaged_log_of_histograms_is_lost(content: bytes) -> None:
    try:
        found = read("hlog", content)
    except PlimsollError:
        return
    assert accounted(log_of(found)) == lines_of(content, '#|"StartTimestamp"')


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10**7) | st.sampled_from(["skipped", "failed", "deadlock"]),
                          st.integers(0, 900), st.integers(0, 999_999)), min_size=1, max_size=30))  # fmt: skip
def test_transactions_are_counted_by_script(rows: list[tuple[int, int | str, int, int]]) -> None:
    content = "".join(f"0 1 {took} {script} {BEGIN + s} {us}\n" for script, took, s, us in rows).encode()
    done = Counter(script for script, took, *_ in rows if isinstance(took, int))
    if not done:
        with pytest.raises(PlimsollError, match="no transaction that ended"):
            read("pgbench", content)
        return
    log = log_of(read("pgbench", content))
    failed = Counter(script for script, took, *_ in rows if took in ("failed", "deadlock"))
    skipped = Counter(script for script, took, *_ in rows if took == "skipped")
    assert {one.name: (one.operations, one.failed, one.skipped) for one in log.operations} == {
        f"script {number}": (done[number], failed[number], skipped[number])
        for number in done | failed | skipped
    }
    assert sum(one.operations for one in log.slices) == done.total()
    assert log.lines_failed == 0


@given(damaged(PGBENCH_LINES))
def test_no_line_of_a_damaged_log_of_pgbench_is_lost(content: bytes) -> None:
    try:
        found = read("pgbench", content)
    except PlimsollError:
        return
    if not found.notes:  # A line of an interval may stand for many transactions.
        assert accounted(log_of(found)) == lines_of(content, "(?!)")
