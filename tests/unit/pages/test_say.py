"""How figures and facts are worded."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from plimsoll.pages import _say


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("it holds", "It holds."), ("It holds!", "It holds!"), ("p99 was 3 ms", "p99 was 3 ms."), ("pages", "Pages."), ("", ""),
    ],
)  # fmt: skip
def test_sentences(raw: str, said: str) -> None:
    assert _say.sentence(raw) == said


def test_figures_stay_with_their_units() -> None:
    nbsp = "\u00a0"
    assert (
        _say.glued("99 % within 1 ms at 8 KiB, 2 of 3") == f"99{nbsp}% within 1{nbsp}ms at 8{nbsp}KiB, 2 of 3"
    )
    assert _say.glued("5 sessions, 3 missed") == "5 sessions, 3 missed"


def test_what_is_unknown_is_said() -> None:
    assert [_say.or_unknown(value) for value in (None, "", True, False, 0)] == [
        "unknown",
        "unknown",
        "yes",
        "no",
        "0",
    ]
    assert _say.number(None) == _say.percent(None) == _say.bytes_text(None) == "unknown"
    assert _say.number(0.0) == "0.0"


def test_instants_tell_their_zone() -> None:
    moment = datetime(2025, 3, 14, 9, 26, 53, 987, tzinfo=UTC)
    assert _say.instant(moment) == "2025-03-14 09:26:53 UTC"
    assert _say.instant(moment.replace(tzinfo=None)) == "2025-03-14 09:26:53 (local time, zone unknown)"


def test_counts_and_shares() -> None:
    assert [_say.counted(count, "trial") for count in (1, 0, 2000)] == ["1 trial", "0 trials", "2,000 trials"]
    assert [_say.percent(share) for share in (0.78, 0.043, 0.0)] == ["78 %", "4.3 %", "0.0 %"]
