"""How often rows are shown, and for how long."""

from __future__ import annotations

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.requests.watch import WatchRequest


def test_rows_that_would_be_shown_after_the_end_are_refused() -> None:
    with pytest.raises(UsageError, match="--every would have no effect with a shorter --runtime") as caught:
        WatchRequest.of_words({"every": "2s", "runtime": "1s"})
    assert caught.value.id == "option-idle"


@pytest.mark.parametrize(
    "words", [{"every": "2s", "runtime": "2s"}, {"every": "2s"}, {"runtime": "10ms"}], ids=str
)
def test_else_they_are_not(words: dict[str, str]) -> None:
    WatchRequest.of_words(words)
