"""Calls of PostgreSQL's XLogFlush are seen in turns, whatever happens."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.observe.log_flushes import ONE_STEP_IN, LogFlushTurns, Program, are_withheld, postgres_programs
from plimsoll.ports.clock import VirtualClock


class Probe:
    def __init__(self, *refused: str) -> None:
        self.did: list[str] = []
        self.refused = refused
        self.hangs = False
        self.ended: set[str] = set()

    def see(self, executable: str) -> bool:
        if executable in self.refused:
            raise WorldError("probe-refused", f"no XLogFlush in {executable}", "hint")
        return self._do("see", executable)

    def see_standby_waits(self, executable: str) -> bool:
        if f"standby {executable}" in self.refused:
            raise WorldError("probe-refused", f"no SyncRepWaitForLSN in {executable}", "hint")
        return self._do("standby", executable)

    def _do(self, what: str, executable: str) -> bool:
        if executable in self.ended:
            return False
        self.did.append(f"{what} {executable}")
        return True

    def leave(self) -> None:
        self.did.append("leave")

    def is_within_calls(self) -> bool:
        return self.hangs

    def let_go(self) -> None:
        self.did.append("let go")


def turns_of(probe: Probe, *programs: str) -> LogFlushTurns:
    return LogFlushTurns(probe, VirtualClock(), lambda: map(Program, programs))


def pass_steps(turns: LogFlushTurns, steps: int) -> None:
    for _ in range(steps):
        turns.step()
        turns.clock.sleep(1.0)
    turns.end()


def test_one_step_of_several_is_seen_and_timed() -> None:
    turns = turns_of(probe := Probe(), "18")
    pass_steps(turns, 2 * ONE_STEP_IN)
    assert probe.did == ["see 18", "leave", "let go"] * 2
    assert turns.seen_s == pytest.approx(2.0)


def steps_seen(seed: int, steps: int, steps_max: int | None = None) -> list[int]:
    """The steps that are turns."""
    programs = lambda: [Program("18")]  # noqa: E731
    turns = LogFlushTurns(Probe(), VirtualClock(), programs, Random(seed), steps_max)
    seen: list[int] = []
    for step in range(steps):
        turns.step()
        turns.clock.sleep(1.0)
        seen += [step] if turns.is_on else []
    return seen


def test_each_round_has_one_turn_at_a_step_that_is_drawn() -> None:
    """What comes back every five seconds is seen at every moment of these, sooner or later."""
    seen = steps_seen(7, 100 * ONE_STEP_IN)
    assert [step // ONE_STEP_IN for step in seen] == list(range(100)), "each round once"
    assert {step % ONE_STEP_IN for step in seen} == set(range(ONE_STEP_IN))
    assert seen[0] == 0, "who watches for a moment sees calls"
    assert seen == steps_seen(7, 100 * ONE_STEP_IN), "by the seed"
    assert seen != steps_seen(8, 100 * ONE_STEP_IN)


@pytest.mark.parametrize("seed", range(8))
def test_a_last_round_that_is_shorter_has_its_turn_as_well(seed: int) -> None:
    steps = 2 * ONE_STEP_IN + 2
    assert len(steps_seen(seed, steps, steps)) == 3
    assert steps_seen(seed, ONE_STEP_IN + 1, ONE_STEP_IN + 1) == [0, ONE_STEP_IN]


def test_a_call_that_outlasts_its_turn_is_seen_to_its_end() -> None:
    turns = turns_of(probe := Probe(), "18")
    probe.hangs = True
    pass_steps(turns, ONE_STEP_IN - 1)
    assert (probe.did, turns.is_on) == (["see 18", "leave"], False), "its end is still waited for"
    assert turns.seen_s == pytest.approx(1.0), "those that began are counted for the time in which they could"
    probe.hangs = False
    turns.step()
    assert probe.did == ["see 18", "leave", "let go"]


def test_a_call_may_hang_beyond_the_next_turn() -> None:
    turns = turns_of(probe := Probe(), "18")
    probe.hangs = True
    pass_steps(turns, 2 * ONE_STEP_IN)
    assert probe.did == ["see 18", "leave", "see 18", "leave"]


def test_waits_for_a_standby_are_seen_where_there_is_one() -> None:
    programs = (Program("15"), Program("18", has_standby=True))
    turns = LogFlushTurns(probe := Probe(), VirtualClock(), lambda: programs)
    turns.step()
    assert probe.did == ["see 15", "see 18", "standby 18"]
    refusing = LogFlushTurns(Probe("standby 18"), VirtualClock(), lambda: programs)
    pass_steps(refusing, 1)
    assert (refusing.refusals, refusing.seen_s) == ((), pytest.approx(1.0))
    assert refusing.standby_refusal is not None


def test_a_turn_that_broke_off_counts_as_far_as_it_was_read() -> None:
    turns = turns_of(Probe(), "18")
    turns.step()
    turns.clock.sleep(0.7)
    turns.broke_off(turns.clock.monotonic_s() - 0.2)
    assert turns.seen_s == pytest.approx(0.5)


def test_ended_within_its_turn_it_is_left_and_timed() -> None:
    turns = turns_of(probe := Probe(), "18")
    pass_steps(turns, 1)
    assert (probe.did, turns.seen_s) == (["see 18", "leave", "let go"], pytest.approx(1.0))


def test_without_a_program_nothing_is_seen() -> None:
    turns = turns_of(probe := Probe())
    pass_steps(turns, ONE_STEP_IN + 1)
    assert (probe.did, turns.seen_s, turns.refusals) == ([], None, ())


def test_a_program_that_is_refused_leaves_the_others() -> None:
    alone, beside = turns_of(Probe("15"), "15"), turns_of(Probe("15"), "15", "18")
    pass_steps(alone, 2)
    pass_steps(beside, 2)
    assert (alone.seen_s, beside.seen_s) == (None, pytest.approx(1.0))
    for (told,) in (alone.refusals, beside.refusals):
        assert told.startswith("15: ")
        assert "in 15" in told


def test_a_process_that_is_gone_leaves_its_program_to_the_others() -> None:
    """Whatever becomes of the process by which a program was named first, and of programs that are no more."""
    programs = [
        Program("/proc/7/exe", name="/usr/bin/postgres of process 7"),
        Program("/proc/8/exe", has_standby=True, others=("/proc/9/exe", "/proc/10/exe")),
    ]
    turns = LogFlushTurns(probe := Probe(), VirtualClock(), lambda: programs)
    probe.ended = {"/proc/7/exe", "/proc/8/exe"}
    pass_steps(turns, 1)
    assert probe.did == ["see /proc/9/exe", "standby /proc/9/exe", "leave", "let go"]
    assert (turns.refusals, turns.gone) == ((), ("/usr/bin/postgres of process 7",))
    assert turns.seen_s == pytest.approx(1.0)


def test_what_was_seen_before_its_end_is_not_told_as_gone_nor_what_is_seen_later_as_refused() -> None:
    turns = turns_of(probe := Probe("15"), "15", "18")
    pass_steps(turns, ONE_STEP_IN)
    assert turns.refusals
    probe.refused, probe.ended = (), {"18"}
    pass_steps(turns, ONE_STEP_IN)
    assert (turns.refusals, turns.gone) == ((), ())


def test_a_server_that_comes_later_is_seen_at_the_next_turn() -> None:
    running: list[str] = []
    turns = LogFlushTurns(probe := Probe(), VirtualClock(), lambda: map(Program, running))
    turns.step()
    running.append("18")
    pass_steps(turns, 2 * ONE_STEP_IN - 1)
    assert probe.did == ["see 18", "leave", "let go"]


STANDBY_TITLES = {
    "postgres: walsender replica 10.0.0.7(51234) streaming 0/3000148": True,
    "postgres: alice shop [local] COMMIT waiting for 0/3000148": True,
    "postgres: alice shop [local] COMMIT": False,
    "postgres: 18/main: walwriter ": False,
}


@pytest.mark.parametrize("title", STANDBY_TITLES)
def test_each_program_of_postgresql_is_found_once(tmp_path: Path, title: str) -> None:
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
    (proc / "11" / "cmdline").write_text(f"{title}\0\0")
    (proc / "14").mkdir()  # has ended
    (proc / "sys").mkdir()
    found_programs = postgres_programs(proc)
    told = {os.path.realpath(one.executable): one.has_standby for one in found_programs}
    assert told == {str(programs[0]): STANDBY_TITLES[title], str(programs[1]): False}
    first, _ = found_programs
    assert (first.ways, first.name) == (
        (str(proc / "10" / "exe"), str(proc / "11" / "exe")),
        f"{programs[0]} of process 10",
    )


@pytest.mark.parametrize(
    ("command", "error", "wanted"),
    [
        ("postgres", PermissionError, True),
        ("postgres", FileNotFoundError, False),
        ("fio", PermissionError, False),
    ],
)
def test_a_program_is_withheld_from_who_may_not_know_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, error: type[OSError], wanted: bool
) -> None:
    def refuse(path: Path) -> str:
        raise error

    (tmp_path / "7").mkdir()
    (tmp_path / "7/comm").write_text(f"{command}\n")
    monkeypatch.setattr(os, "readlink", refuse)
    assert are_withheld(tmp_path) is wanted
