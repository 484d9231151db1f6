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


class Logging(Server):
    """Answers what it does with its WAL, too; what was written grows by 1 GiB from look to look."""

    def __init__(self, *, is_held: bool = False) -> None:
        super().__init__()
        self.is_held, self.written = is_held, 0

    def run(self, sql: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
        if "max_wal_size" not in sql:
            return super().run(sql, parameters)
        self.written += GB
        return [(False, GB, self.is_held, self.written)]


@pytest.mark.parametrize(
    ("is_held", "free", "said"),
    [
        (False, 3 * GB, None),
        (False, 2 * GB, r"pg_wal has 2 GiB free, and the next step needs 2.1 GiB \(2 GiB of WAL, 5.0 %"),
        (True, 10 * GB, r"pg_wal has 10 GiB free, and the next step needs 10.5 GiB \(10 GiB of WAL, 5.0 %"),
        (True, 11 * GB, None),
    ],
)
def test_wal_needs_room_by_what_may_remove_it(
    monkeypatch: pytest.MonkeyPatch, is_held: bool, free: int, said: str | None
) -> None:
    """Twice max_wal_size at most, unless an archive or a slot holds all of it."""
    monkeypatch.setattr(files, "free_bytes", lambda path: free)
    monkeypatch.setattr(files, "share_file_system", lambda one, other: False)
    made = Room(Logging(is_held=is_held), True, {})  # type: ignore[arg-type]
    if said is None:
        made.check_log("fast", 10 * GB, 10 * GB)
        return
    with pytest.raises(WorldError, match=said) as caught:
        made.check_log("fast", 10 * GB, 10 * GB)
    assert caught.value.id == "moves-no-room"


def test_a_copy_beside_the_log_needs_room_for_both(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs: list[tuple[Path, Path]] = []

    def share(one: Path, other: Path) -> bool:
        pairs.append((one, other))
        return True

    monkeypatch.setattr(files, "free_bytes", lambda path: 3 * GB)
    monkeypatch.setattr(files, "share_file_system", share)
    with pytest.raises(WorldError, match=r"2 GiB of WAL and the copy, 2 GiB, on the same file system"):
        Room(Logging(), True, {}).check_log("pg_default", 2 * GB, 2 * GB)  # type: ignore[arg-type]
    assert pairs == [(Path("/data"), Path("/data/pg_wal"))]


def test_room_for_wal_that_is_not_known_is_asked_for() -> None:
    with pytest.raises(
        PlimsollError, match="free space for WAL is unknown, and the next step may keep 1 GiB"
    ) as caught:
        Room(Logging(), False, {}).check_log("fast", GB, GB)  # type: ignore[arg-type]
    assert (caught.value.id, caught.value.status) == ("moves-room-unknown", 3)
    assert "--free-bytes pg_wal=SIZE" in (caught.value.hint or "")
    Room(Logging(), False, {}).check_log("fast", 1 << 20, 1 << 20)  # type: ignore[arg-type]


def test_what_was_stated_for_wal_shrinks_by_what_is_held() -> None:
    held = Room(Logging(is_held=True), False, {"pg_wal": 3 * GB})  # type: ignore[arg-type]
    for _ in range(2):
        held.check_log("fast", GB, GB)
    with pytest.raises(WorldError, match="pg_wal has 1 GiB free"):
        held.check_log("fast", GB, GB)
    recycled = Room(Logging(), False, {"pg_wal": 3 * GB})  # type: ignore[arg-type]
    for _ in range(5):
        recycled.check_log("fast", GB, GB)


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
