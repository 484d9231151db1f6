"""Sessions that wait for a standby, told from what they show of themselves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plimsoll.observe.standby_waits import StandbyWaits
from seen_commits import under_way

WAITING = "postgres: alice shop [local] COMMIT waiting for 0/3000148"


def session(
    proc: Path, pid: int, title: str = WAITING, command: str = "postgres", started: int = 4242
) -> None:
    folder = proc / str(pid)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "comm").write_text(f"{command}\n")
    (folder / "cmdline").write_text(f"{title}\0\0")
    (folder / "stat").write_text(f"{pid} ({command}) S {' '.join(['1'] * 18)} {started} 1 1\n")


def for_s(waits: StandbyWaits, now_s: float) -> dict[int, float]:
    """By process, for how long it waits."""
    return {one["owner_pid"]: one["for_ns"] / 1e9 for one in waits.beside([], now_s)}


def test_one_that_waits_since_the_first_look_waits_all_the_while(tmp_path: Path) -> None:
    session(tmp_path, 100)
    waits = StandbyWaits(tmp_path)
    waits.look(10.0)
    session(tmp_path, 101)
    for now_s in (15.0, 20.0):
        waits.look(now_s)
    assert for_s(waits, 20.0) == {100: 10.0, 101: 5.0}
    (first, _) = sorted(waits.beside([], 20.0), key=lambda one: one["owner_pid"])
    assert (first["kind"], first["part"], first["thread"]) == ("standby", "queue", 100)
    assert first["owner_started_ns"] == 4242 * 10**9 // os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize(
    "later",
    [
        {"title": "postgres: alice shop [local] COMMIT waiting for 0/3000150"},
        {"title": "postgres: alice shop [local] idle"},
        {"started": 4243},
    ],
    ids=["another commit", "it went on", "another process"],
)
def test_one_that_went_on_does_not_hang(tmp_path: Path, later: dict[str, object]) -> None:
    session(tmp_path, 100)
    waits = StandbyWaits(tmp_path)
    waits.look(0.0)
    session(tmp_path, 100, **later)  # type: ignore[arg-type]
    waits.look(9.0)
    assert all(waited_s == 0.0 for waited_s in for_s(waits, 9.0).values())


def test_only_what_postgresql_shows_counts(tmp_path: Path) -> None:
    session(tmp_path, 100, command="cat")
    session(tmp_path, 101, title="postgres: 18/main: walwriter")
    (tmp_path / "102").mkdir()  # has ended
    waits = StandbyWaits(tmp_path)
    waits.look(0.0)
    assert for_s(waits, 9.0) == {}


def test_what_the_probe_times_from_its_begin_is_not_told_twice(tmp_path: Path) -> None:
    session(tmp_path, 100)
    session(tmp_path, 101)
    waits = StandbyWaits(tmp_path)
    waits.look(0.0)
    known = [under_way(owner_pid=100, kind="standby"), under_way(owner_pid=101, kind="leader")]
    assert [one["owner_pid"] for one in waits.beside(known, 3.0)] == [101]
