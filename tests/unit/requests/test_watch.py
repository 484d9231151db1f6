"""How often rows are shown, and for how long."""

from __future__ import annotations

from typing import Any

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


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ({"by": "databse"}, "watch-by", "--by databse: nothing is summed by databse"),
        ({"by": "role,disk"}, "watch-by", "--by role,disk: nothing is summed by disk"),
        (
            {"by": "role,device", "calls": True},
            "watch-by",
            "--calls cannot be summed by device: a call goes to a file and not to a disk",
        ),
        ({"in_cgroup": ("pg.slice",)}, "watch-cgroup", "--in-cgroup pg.slice is no path of a control group"),
    ],
)
def test_what_nothing_can_be_summed_by_is_refused(words: dict[str, Any], code: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        WatchRequest.of_words(words)
    assert (caught.value.id, caught.value.message) == (code, message)


def test_a_word_that_is_nearly_one_is_told() -> None:
    with pytest.raises(UsageError) as caught:
        WatchRequest.of_words({"by": "databse"})
    assert "database" in (caught.value.hint or "")


def test_calls_are_summed_by_all_but_disks() -> None:
    asked = WatchRequest.of_words({"by": "role,database,tablespace,file,cgroup", "calls": True})
    assert asked.by == ("role", "database", "tablespace", "file", "cgroup")
