"""Names of runs: sortable by when they started, and different without anybody to ask."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
"""No letter that reads like another."""

_TAIL_LENGTH = 6
"""31^6 tails a second: even a thousand runs started in one second meet with a chance of one in two thousand."""


def new_run_id(now: datetime) -> str:
    """A new id such as `20261120-114205-k3f97q`, its time in UTC. `now` has a zone."""
    tail = "".join(secrets.choice(_LETTERS) for _ in range(_TAIL_LENGTH))
    return f"{now.astimezone(UTC):%Y%m%d-%H%M%S}-{tail}"


def content_run_id(local_time: str | None, sha256: str) -> str:
    """The id of a run that is about given content: equal content, equal id. `local_time` is that content's own, ISO 8601."""
    time = datetime.fromisoformat(local_time) if local_time else datetime.fromtimestamp(0, UTC)
    number, letters = int(sha256, 16), []
    for _ in range(_TAIL_LENGTH):
        number, place = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[place])
    return f"{time:%Y%m%d-%H%M%S}-{''.join(letters)}"
