"""Names of runs: sortable by when they started, and different without anybody to ask."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime

_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
"""No letter that reads like another."""

_TAIL_LENGTH = 6
"""31^6 tails a second: even a thousand runs started in one second meet with a chance of one in two thousand."""
_DRAWN_BYTES = 16
"""So many more than the letters take that each of these is as likely as another."""
LATEST = "latest"
_BEFORE_LATEST = re.compile(rf"{LATEST}(?:~([0-9]{{1,9}}))?")


def new_run_id(now: datetime) -> str:
    """A new id such as `20261120-114205-k3f97q`, its time in UTC. `now` has a zone."""
    drawn = int.from_bytes(os.urandom(_DRAWN_BYTES), "big")
    return f"{now.astimezone(UTC):%Y%m%d-%H%M%S}-{_tail(drawn)}"


def content_run_id(local_time: str | None, sha256: str) -> str:
    """The id of a run that is about given content: equal content, equal id. `local_time` is that content's own, ISO 8601."""
    time = datetime.fromisoformat(local_time) if local_time else datetime.fromtimestamp(0, UTC)
    return f"{time:%Y%m%d-%H%M%S}-{_tail(int(sha256, 16))}"


def runs_before_latest(word: str) -> int | None:
    """0 of `latest`, which is the newest run; 1 of `latest~1`, the one before it; None of what names a run by its id."""
    found = _BEFORE_LATEST.fullmatch(word)
    return None if found is None else int(found[1] or 0)


def _tail(number: int) -> str:
    """The letters that the last part of a large number stands for."""
    letters: list[str] = []
    for _ in range(_TAIL_LENGTH):
        number, place = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[place])
    return "".join(letters)
