"""Ids sort by time and do not meet."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from plimsoll.store import new_run_id

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
