"""Waits are counted from look to look, and come back as they were seen."""

from __future__ import annotations

from datetime import timedelta
from typing import cast

import pytest

from demand_snapshots import START
from plimsoll.base.errors import WorldError
from plimsoll.databases import CountsRows, WaitingSessions
from plimsoll.demand.changed_rows import ChangedRows
from plimsoll.demand.wait_looks import SeenWaits, WaitLooks, seen_waits
from plimsoll.facts import KeptRows
from plimsoll.ports.clock import VirtualClock

READ = WaitingSessions("client backend", "IO", "DataFileRead", 2)
CPU = WaitingSessions("client backend", None, None, 1)
ODD = WaitingSessions("an\tex\\tension", "Extension", "a\nb", 1)


class Server:
    """Answers with what is next."""

    def __init__(self, *answers: list[WaitingSessions] | None) -> None:
        self.answers = list(answers)
        self.log: list[str] = []

    def waiting(self) -> list[WaitingSessions] | None:
        if not self.answers:
            raise WorldError("database-lost", "the server went away", "Look at it.")
        return self.answers.pop(0)

    def reopen(self) -> None:
        self.log.append("reopen")

    def close(self) -> None:
        self.log.append("close")


def looked(server: Server, seconds: int) -> WaitLooks:
    """For so many seconds, asked four times in each."""
    clock = VirtualClock(START)
    looks = WaitLooks(clock, cast(CountsRows, server))
    looks.look()
    looks.begin()
    for _ in range(4 * seconds + 1):
        looks.look()
        clock.sleep(0.25)
    return looks


def kept(looks: WaitLooks) -> KeptRows:
    return ChangedRows("waits").kept_of(looks.rows(), START)


def test_each_second_is_looked_at_once() -> None:
    server = Server([READ, CPU], [READ], [ODD], [READ])
    part = kept(looked(server, 3))
    assert len(server.answers) == 1
    assert seen_waits([part]) == SeenWaits(
        3, 0,
        {
            ("client backend", "IO", "DataFileRead"): 4,
            ("client backend", None, None): 1,
            ("an\tex\\tension", "Extension", "a\nb"): 1,
        },
    )  # fmt: skip


def test_what_the_store_did_not_take_stays_and_what_it_took_does_not() -> None:
    looks = looked(Server([READ], [CPU]), 2)
    assert looks.rows() == looks.rows()
    looks.confirm()
    assert looks.rows().unknown == "nobody has looked yet"


@pytest.mark.parametrize(
    ("answers", "reason"), [([], "the server went away"), ([None], "this user may not see")]
)
def test_without_a_look_the_reason_is_told(answers: list[None], reason: str) -> None:
    part = kept(looked(Server(*answers), 1))
    assert reason in (part.unknown or "")
    later = part.but(
        unknown=None, taken_at=START + timedelta(minutes=1), figures={"looks": 2.0, "missed": 1.0}
    )
    assert seen_waits([part, later]) == SeenWaits(2, 1, {}, (part.unknown or "",))


def test_a_lost_session_is_opened_again_after_a_while() -> None:
    server = Server([CPU])
    looks = looked(server, 13)
    assert server.log == ["close", "reopen", "close", "reopen", "close"]
    assert looks.rows().figures == {"looks": 1.0, "missed": 3.0}
