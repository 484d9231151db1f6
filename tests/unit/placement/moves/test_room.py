"""Room in a tablespace and standbys' lag: what is not known is not taken for enough."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plimsoll.base.errors import PlimsollError, UsageError, WorldError
from plimsoll.placement.moves.catalogue import Lag
from plimsoll.placement.moves.room import Room, check_lags, stated_of, unknown_lags
from plimsoll.ports import files

GB = 1 << 30


class Server:
    """Answers where tablespaces lie and how large they are."""

    def __init__(self, *sizes: int) -> None:
        self.sizes = list(sizes)

    def run(self, sql: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
        if "pg_tablespace_size" in sql:
            return [(self.sizes.pop(0),)]
        return [("/data",)] if "data_directory" in sql else [("fast", "/fast"), ("pg_default", "")]


def test_the_lesser_of_what_is_seen_and_what_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Path] = []

    def free(path: Path) -> int:
        seen.append(path)
        return 2 * GB

    monkeypatch.setattr(files, "free_bytes", free)
    assert Room(Server(), True, {}).free_bytes("fast") == 2 * GB  # type: ignore[arg-type]
    assert Room(Server(), True, {}).free_bytes("pg_default") == 2 * GB  # type: ignore[arg-type]
    assert seen == [Path("/fast"), Path("/data")]
    assert Room(Server(0), True, {"fast": GB}).free_bytes("fast") == GB  # type: ignore[arg-type]
    assert Room(Server(), False, {}).free_bytes("fast") is None  # type: ignore[arg-type]


def test_what_was_stated_shrinks_by_what_the_tablespace_grows() -> None:
    made = Room(Server(10, GB + 10), False, {"fast": 3 * GB})  # type: ignore[arg-type]
    assert [made.free_bytes("fast"), made.free_bytes("fast")] == [3 * GB, 2 * GB]


def test_a_copy_wants_more_than_its_size() -> None:
    made = Room(Server(0, 0), False, {"fast": GB})  # type: ignore[arg-type]
    made.check("fast", GB // 2)
    with pytest.raises(WorldError, match=r"has 1 GiB free, and the next step needs 1.1 GiB") as caught:
        made.check("fast", GB)
    assert caught.value.id == "moves-no-room"


def test_not_known_is_not_enough() -> None:
    with pytest.raises(PlimsollError) as caught:
        Room(Server(), False, {}).check("fast", 0)  # type: ignore[arg-type]
    assert caught.value.id == "moves-room-unknown"
    assert caught.value.status == 3


def test_a_location_that_is_not_there_is_not_known() -> None:
    class Elsewhere(Server):
        def run(self, sql: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
            return [] if "data_directory" in sql else [("fast", "/nowhere/at/all"), ("pg_default", "")]

    assert Room(Elsewhere(), True, {}).free_bytes("fast") is None  # type: ignore[arg-type]
    assert Room(Elsewhere(), True, {}).free_bytes("pg_default") is None  # type: ignore[arg-type]


def test_lag() -> None:
    lags = [Lag("standby a", 10), Lag("standby b", GB + 1), Lag("standby c", None)]
    check_lags(lags[:1], GB)
    check_lags(lags[2:], GB)
    with pytest.raises(WorldError, match="standby b is 1 GiB of WAL behind") as caught:
        check_lags(lags, GB)
    assert caught.value.id == "moves-standby-behind"
    assert unknown_lags(lags) == ["standby c"]


def test_free_bytes_as_they_are_typed() -> None:
    assert stated_of(["a=1g", "b=c=2k"]) == {"a": GB, "b=c": 2048}
    for word in ("a", "=1g", "a="):
        with pytest.raises(UsageError) as caught:
            stated_of([word])
        assert caught.value.id == "free-bytes-unreadable"
