"""Which of several intervals the headline of advice names, and of which it says that it is the worst."""

from __future__ import annotations

import pytest

from plimsoll.facts import IntervalVerdict
from plimsoll.results import Words
from plimsoll.results import advice as told


def one(file: str, verdict: str, db_time_s: float | None) -> IntervalVerdict:
    known = {
        "file": file,
        "verdict": verdict,
        "reason": "so",
        "faster_storage_helps": "no",
        "elapsed_s": 1000.0,
    }
    return IntervalVerdict.model_validate({**known, "db_time_s": db_time_s})


IDLE = one("idle.html", "idle", 10.0)
BUSY = one("busy.html", "cannot tell", 9000.0)
UNKNOWN = one("unknown.html", "cannot tell", None)
BOUND = one("bound.html", "storage-bound", 2000.0)


@pytest.mark.parametrize(
    ("verdicts", "words"),
    [
        ((BOUND, IDLE), "The worst interval is bound.html: storage-bound."),
        ((BOUND, BUSY), "The worst interval of those with an answer is bound.html: storage-bound."),
        ((IDLE, BUSY), "The worst interval is busy.html: cannot tell."),
        ((IDLE, UNKNOWN), "The worst interval of those with an answer is idle.html: idle."),
        ((BUSY, UNKNOWN), "The worst interval of those whose DB time is known is busy.html: cannot tell."),
        (
            (UNKNOWN, UNKNOWN),
            "Which interval is the worst cannot be told; the first is unknown.html: cannot tell.",
        ),
    ],
)
def test_the_headline_says_of_which_it_is_the_worst(
    verdicts: tuple[IntervalVerdict, ...], words: str
) -> None:
    first = next(told._verdicts(verdicts))
    assert isinstance(first, Words)
    assert first.text.startswith(words)
