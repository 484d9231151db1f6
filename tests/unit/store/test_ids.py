"""Ids sort by time and do not meet."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from plimsoll.store import new_run_id
from plimsoll.store.ids import content_run_id

AT = datetime(2026, 11, 20, 11, 42, 5, 999_999, tzinfo=UTC)


def test_an_id_is_its_second_in_utc_and_a_random_tail() -> None:
    assert re.fullmatch(r"20261120-114205-[2-9a-z]{6}", new_run_id(AT))
    elsewhere = AT.astimezone(timezone(timedelta(hours=9)))
    assert new_run_id(elsewhere).startswith("20261120-114205-")


def test_ids_sort_by_time() -> None:
    ids = [new_run_id(AT + timedelta(seconds=step)) for step in range(0, 10**8, 999_983)]
    assert ids == sorted(ids)


def test_ids_of_one_second_differ() -> None:
    assert len({new_run_id(AT) for _ in range(500)}) == 500


def test_the_id_of_content_is_the_same_each_time() -> None:
    """Its time is the content's own; another content of that time has another tail."""
    one, other = (content_run_id("2016-01-31T05:00:07", letter * 64) for letter in "ab")
    assert re.fullmatch(r"20160131-050007-[2-9a-z]{6}", one)
    assert one == content_run_id("2016-01-31T05:00:07", "a" * 64)
    assert one != other
    assert content_run_id(None, "a" * 64).startswith("19700101-000000-")
