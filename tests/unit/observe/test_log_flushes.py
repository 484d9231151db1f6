"""Calls of PostgreSQL's XLogFlush are seen in turns, whatever happens."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.observe.log_flushes import ONE_STEP_IN, LogFlushTurns, postgres_executables
from plimsoll.ports.clock import VirtualClock


class Probe:
    def __init__(self, *refused: str) -> None:
        self.did: list[str] = []
        self.refused = refused

    def see(self, executable: str) -> None:
        if executable in self.refused:
            raise WorldError("probe-refused", f"no XLogFlush in {executable}", "hint")
        self.did.append(f"see {executable}")

    def leave(self) -> None:
        self.did.append("leave")


def turns_of(probe: Probe, *executables: str) -> LogFlushTurns:
    return LogFlushTurns(probe, VirtualClock(), lambda: executables)


def pass_steps(turns: LogFlushTurns, steps: int) -> None:
    for _ in range(steps):
        turns.step()
        turns.clock.sleep(1.0)
    turns.end()


def test_one_step_of_several_is_seen_and_timed() -> None:
    turns = turns_of(probe := Probe(), "18")
    pass_steps(turns, 2 * ONE_STEP_IN)
    assert probe.did == ["see 18", "leave", "see 18", "leave"]
    assert turns.seen_s == pytest.approx(2.0)


def test_ended_within_its_turn_it_is_left_and_timed() -> None:
    turns = turns_of(probe := Probe(), "18")
    pass_steps(turns, 1)
    assert (probe.did, turns.seen_s) == (["see 18", "leave"], pytest.approx(1.0))


def test_without_a_program_nothing_is_seen() -> None:
    turns = turns_of(probe := Probe())
    pass_steps(turns, ONE_STEP_IN + 1)
    assert (probe.did, turns.seen_s, turns.refusal) == ([], None, None)


def test_a_program_that_is_refused_leaves_the_others() -> None:
    alone, beside = turns_of(Probe("15"), "15"), turns_of(Probe("15"), "15", "18")
    pass_steps(alone, 2)
    pass_steps(beside, 2)
    assert (alone.seen_s, beside.seen_s) == (None, pytest.approx(1.0))
    assert all(turns.refusal is not None and "in 15" in turns.refusal.message for turns in (alone, beside))


def test_a_server_that_comes_later_is_seen_at_the_next_turn() -> None:
    running: list[str] = []
    turns = LogFlushTurns(probe := Probe(), VirtualClock(), lambda: running)
    turns.step()
    running.append("18")
    pass_steps(turns, ONE_STEP_IN)
    assert probe.did == ["see 18", "leave"]


def test_each_program_of_postgresql_is_found_once(tmp_path: Path) -> None:
    programs = [tmp_path / name for name in ("15", "18", "other")]
    for program in programs:
        program.write_text("")
    found = (("10", "postgres", 0), ("11", "postgres", 0), ("12", "postmaster", 1), ("13", "fio", 2))
    proc = tmp_path / "proc"
    for pid, command, which in found:
        folder = proc / pid
        folder.mkdir(parents=True)
        (folder / "comm").write_text(f"{command}\n")
        os.symlink(programs[which], folder / "exe")
    (proc / "14").mkdir()  # has ended
    (proc / "sys").mkdir()
    ways = postgres_executables(proc)
    assert {os.path.realpath(way) for way in ways} == {str(programs[0]), str(programs[1])}
    assert len(ways) == 2
