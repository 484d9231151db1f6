"""Prints as Oracle makes them, and what should be read back from each."""

from __future__ import annotations

import pytest

from reportgen.printing import (
    BARE_RATE,
    COUNT,
    RATE,
    TEXT,
    VOLUME,
    Duration,
    Form,
    Medium,
    Number,
    Repeated,
    Suffixed,
    Value,
    fixed,
)

MIB = 1 << 20


@pytest.mark.parametrize(
    ("form", "value", "width", "text", "found"),
    [
        (COUNT, 1_439.6, 9, "1,440", 1440),
        (COUNT, 12_345_678, 9, "#########", None),
        (Number(exponent=True), 126_707, 7, "126,707", 126_707),
        (Number(exponent=True), 1_267_070, 7, "1.3E+06", 1.3e6),
        (Number(exponent=True), 13_497_112, 10, "13,497,112", 13_497_112),
        (Number(exponent=True), 1_234.0, 6, "1,234", 1234),
        (fixed(1, grouped=False, exponent=True), 12_345.0, 6, "1.E+04", 1e4),
        (fixed(2, exponent=True), 24_268_250, 12, "2.426825E+07", 24_268_250),
        (fixed(1, bare=True), 0.06, 6, ".1", 0.1),
        (fixed(1, bare=True), 0.0, 6, ".0", 0.0),
        (fixed(1), -0.01, 6, "0.0", 0.0),
        (fixed(0, scale=1000.0), 16.4, 6, "16", 16_000),
        (VOLUME, 779 * MIB, 7, "779M", 779 * MIB),
        (VOLUME, 118.23 * 1024 * MIB, 7, "118.2G", 118.2 * 1024 * MIB),
        (RATE, 0.0394 * MIB, 7, ".039M", 0.039 * MIB),
        (RATE, 996.1961 * MIB, 7, "996.196", 996.196 * MIB),
        (RATE, 0.0, 7, "0M", 0.0),
        (BARE_RATE, 0.01314, 7, ".013140", 0.01314 * MIB),
        (BARE_RATE, 551.5881, 7, "551.588", 551.588 * MIB),
        (Suffixed(), 8959, 7, "8959", 8959),
        (Suffixed(), 10_249, 7, "10.2K", 10_200),
        (Duration(), 109.717, 9, "109.72us", 109.72),
        (Duration(), 3_843_391.0, 9, "3843.39ms", 3_843_390),
        (Duration(), 0.0, 9, ".00ns", 0.0),
        (Duration(), 786_670_000.0, 9, "786.67s", 786_670_000),
        (TEXT, "db file sequential read", 12, "db file sequ", "db file sequ"),
        (TEXT, Repeated("SYSAUX"), 24, "", "SYSAUX"),
        (Number(null="N/A"), None, 4, "N/A", None),
    ],
)
def test_a_value_is_printed_and_can_be_read_back(
    form: Form, value: Value, width: int, text: str, found: Value
) -> None:
    printed = form.printed(value, Medium(width=width))
    assert (printed.text, printed.found) == (
        text,
        pytest.approx(found) if isinstance(found, float) else found,
    )


def test_a_decimal_comma_changes_places_with_the_point() -> None:
    printed = fixed(2).printed(1_234.567, Medium(comma=True))
    assert (printed.text, printed.found) == ("1.234,57", 1234.57)


def test_html_has_its_own_precision_and_leaves_the_unknown_blank() -> None:
    form = Number(digits=1, html_digits=2, null="N/A")
    assert form.printed(1.234, Medium(html=True)).text == "1.23"
    assert form.printed(None, Medium(html=True)).text == ""
