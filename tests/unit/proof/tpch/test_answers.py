"""Rows in any order and spelling are the same answer; anything else is told from it, with what differs."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.context import Context
from plimsoll.proof.tpch import answers, generator
from plimsoll.proof.tpch.answers import Answer, Column, check

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "scripts"))

import tpch_answers

ROWS = (
    ("AIR", Decimal("10.50"), 1, date(1995, 1, 2)),
    ("RAIL", Decimal("20.00"), 2, None),
    ("RAIL", Decimal("20.00"), 3, date(1996, 1, 2)),
)
NAMES = ("mode", "price", "count", "day")


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """One known answer, that of `ROWS`, unless a test looks at the real ones."""
    if "real" not in request.node.name:
        entry = tpch_answers.answer_of(ROWS, NAMES)
        made = {"1": {6: answers._answer(entry)}}
        monkeypatch.setattr(answers, "known_answers", lambda: made)


def changed(row: int, column: int, value: Any) -> list[tuple[Any, ...]]:
    rows = [list(line) for line in ROWS]
    rows[row][column] = value
    return [tuple(line) for line in rows]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        (7, "7"),
        (Decimal("7.00"), "7"),
        (7.0, "7"),
        (Decimal("0.00005"), "0.0001"),
        (Decimal("-0.00001"), "0"),
        (Decimal("-2.50"), "-2.5"),
        (Decimal("1E+3"), "1000"),
        (0.1 + 0.2, "0.3"),
        (Decimal("55909065222.827692"), "55909065222.8277"),
        (Decimal("9" * 40 + ".12344"), "9" * 40 + ".1234"),
        (Decimal("NaN"), "NaN"),
        (date(1995, 3, 5), "1995-03-05"),
        ("BUILDING  ", "BUILDING"),
        (" about ", " about"),
    ],
)
def test_a_value_is_written_in_one_way(value: Any, text: str | None) -> None:
    assert answers.cell_text(value) == text


@given(st.randoms(use_true_random=False))
def test_order_and_spelling_do_not_matter(chance: random.Random) -> None:
    rows = [(f"{mode:<10}", float(price), Decimal(count), day) for mode, price, count, day in ROWS]
    chance.shuffle(rows)
    assert check("1", 6, rows) == ("right", "")


@given(st.decimals(allow_nan=False, allow_infinity=False, places=8, min_value=-(10**12), max_value=10**12))
def test_a_number_is_kept_to_four_decimals(number: Decimal) -> None:
    text = answers.cell_text(number)
    assert text is not None
    assert abs(Decimal(text) - number) <= Decimal("0.00005")
    assert answers.cell_text(Decimal(text)) == text


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (changed(0, 1, Decimal("10.51")), ["column price adds up to 50.51 instead of 50.5", "row AIR | 10.5 |"]),
        (changed(1, 0, "TRUCK"), ["column mode differs", "row RAIL | 20 | 2 | null is missing"]),
        (changed(1, 3, date(1995, 1, 1)), ["column day differs"]),
        (changed(1, 1, None), ["column price adds up to 30.5 instead of 50.5"]),
        ([(*row[:2], row[2] % 3 + 1, row[3]) for row in ROWS], ["the rows pair them differently", "missing"]),
        (ROWS[:2], ["gave 2 rows instead of 3", "row RAIL | 20 | 3 | 1996-01-02 is missing"]),
        ((), ["gave 0 rows instead of 3"]),
        ((*ROWS, ROWS[0]), ["gave 4 rows instead of 3"]),
        ([row[:2] for row in ROWS], ["gave 2 columns instead of 4"]),
    ],
)  # fmt: skip
def test_a_wrong_answer_names_what_differs(rows: Sequence[tuple[Any, ...]], said: list[str]) -> None:
    verdict, reason = check("1", 6, rows)
    assert verdict == "wrong"
    assert all(part in reason for part in said), reason
    assert "\n" not in reason


def test_two_columns_that_differ_are_both_named() -> None:
    _, reason = check("1", 6, [(*row[:1], 0, 0, row[3]) for row in ROWS])
    assert "column price adds up to 0 instead of 50.5; column count adds up to 0 instead of 6" in reason


def test_what_is_not_known_is_not_judged() -> None:
    assert check("3", 6, ROWS) == ("unknown", "no answer is known for scale 3")
    assert check("1", 7, ROWS)[0] == "unknown"


def test_real_answers_are_there_for_each_query_and_scale() -> None:
    known = answers.known_answers()
    assert set(known) == {"0.01", "0.1", "1"}
    for scale in known:
        assert set(known[scale]) == set(range(1, 23))
        for answer in known[scale].values():
            assert answer.rows > 0
            assert len(answer.sample) == min(answer.rows, tpch_answers.SAMPLE_ROWS)
            assert all(len(row) == len(answer.columns) for row in answer.sample)


PUBLISHED: dict[int, tuple[int, dict[str, list[str]]]] = {
    1: (4, {
        "sum_qty": ["37734107", "991417", "74476040", "37719753"],
        "sum_base_price": ["56586554400.73", "1487504710.38", "111701729697.74", "56568041380.90"],
        "sum_disc_price": ["53758257134.87", "1413082168.05", "106118230307.61", "53741292684.60"],
        "sum_charge": ["55909065222.83", "1469649223.19", "110367043872.50", "55889619119.83"],
        "avg_qty": ["25.52", "25.52", "25.50", "25.51"],
        "avg_price": ["38273.13", "38284.47", "38249.12", "38250.85"],
        "count_order": ["1478493", "38854", "2920374", "1478870"],
    }),
    4: (5, {"order_count": ["10594", "10476", "10410", "10556", "10487"]}),
    5: (5, {"revenue": ["55502041.17", "55295087.00", "53724494.26", "52035512.00", "45410175.70"]}),
    6: (1, {"revenue": ["123141078.23"]}),
    8: (2, {"mkt_share": ["0.03", "0.04"]}),
    12: (2, {"high_line_count": ["6202", "6200"], "low_line_count": ["9324", "9262"]}),
    14: (1, {"promo_revenue": ["16.38"]}),
    15: (1, {"s_suppkey": ["8449"], "total_revenue": ["1772627.21"]}),
    17: (1, {"avg_yearly": ["348406.05"]}),
    19: (1, {"revenue": ["3083843.06"]}),
}  # fmt: skip
"""Rows and figures of the specification's answer set for scale 1, at its two decimals (clause 2.4, "sample output")."""


@pytest.mark.parametrize("query", PUBLISHED)
def test_real_answers_at_scale_1_are_the_published_ones(query: int) -> None:
    """Of small answers all rows are in the sample, so their columns can be laid beside the published ones."""
    answer = answers.known_answers()["1"][query]
    rows, columns = PUBLISHED[query]
    assert answer.rows == rows == len(answer.sample)
    names = [column.name for column in answer.columns]
    for name, published in columns.items():
        found = [row[names.index(name)] for row in answer.sample]
        assert sorted(Decimal(cell or "nan").quantize(Decimal("0.01")) for cell in found) == sorted(
            Decimal(figure).quantize(Decimal("0.01")) for figure in published
        )


@pytest.mark.parametrize(
    ("query", "rows"), [(2, 100), (9, 175), (11, 1048), (13, 42), (16, 18314), (18, 57), (20, 186)]
)
def test_real_answers_at_scale_1_have_as_many_rows_as_published(query: int, rows: int) -> None:
    assert answers.known_answers()["1"][query].rows == rows


def test_real_answers_are_what_the_script_computes(ctx: Context, tpchgen: Path) -> None:
    folder = ctx.scratch.new_folder(Path("/var/tmp"), "tpch-answers")
    generator.generate(ctx, tpchgen, folder, "0.01", generator.Batch(tuple(generator.BYTES_AT_SCALE_1)))
    made = tpch_answers.answers_of("0.01", folder)
    known = answers.known_answers()["0.01"]
    assert {int(query): answers._answer(entry) for query, entry in made.items()} == known


def test_a_known_answer_is_read_as_it_was_written() -> None:
    entry = tpch_answers.answer_of(ROWS, NAMES)
    answer = answers._answer(entry)
    assert isinstance(answer, Answer)
    assert answer.columns[0] == Column("mode", entry["columns"][0][1], None)
    assert answer.columns[1].sum == "50.5"
