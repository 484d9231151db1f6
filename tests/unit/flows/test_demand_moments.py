"""The collector's queries over a connection: the same demand as a spool of the same counters, whatever the server refuses.

The server is a stand-in; docs/demand-collector.md says that none of Oracle's ran it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

import fake_oracledb
from collector_spools import MadeInstance, MadeSnapshot, counted, facts, history, history_facts, snapshot
from fake_oracle_moments import PLACE, REFUSALS, URL, Moments, asked
from plimsoll.base.errors import Interrupted, WorldError
from plimsoll.context import Cancel, Context
from plimsoll.demand.collector import QUERIES
from plimsoll.demand.series import as_demand
from plimsoll.facts import Demand
from plimsoll.flows.demand import learn_demand
from plimsoll.flows.demand_reports import demand_of_reports
from plimsoll.ports.clock import VirtualClock
from simulated import context

MINUTE_S = 60.0
TIMES = tuple(f"2024-05-01T10:{minute:02}:00.250+02:00" for minute in range(60))
USED = "TDCSWBFUXY"
"""Letters of the statements that demand is made of."""


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield replace(made, clock=VirtualClock())


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> fake_oracledb.Server:
    made = fake_oracledb.Server()
    monkeypatch.setattr(fake_oracledb, "SERVER", made)
    monkeypatch.setitem(sys.modules, "oracledb", fake_oracledb)
    return made


def moments(*scales: float, **given: Any) -> list[MadeSnapshot]:
    """One instance, a minute apart."""
    return [
        MadeSnapshot([MadeInstance(counted(scale))], taken=TIMES[at], **given)
        for at, scale in enumerate(scales)
    ]


def watched(ctx: Context, minutes: float, **more: Any) -> Demand:
    demand = learn_demand(ctx, URL, minutes * MINUTE_S, **more).demand
    assert demand is not None
    return demand


def spooled(ctx: Context, folder: Path, made: Sequence[MadeSnapshot], refused: Mapping[str, str]) -> Demand:
    """The demand of what SQL*Plus would have spooled of all statements."""
    path = folder / "plimsoll_collect.lst"
    path.write_text("".join(with_refusals(snapshot(one), one, refused) for one in made))
    return as_demand(demand_of_reports(ctx, [path]).demand)


def with_refusals(text: str, made: MadeSnapshot, refused: Mapping[str, str]) -> str:
    """In place of lines stands what SQL*Plus prints of an error."""
    for letter, code in refused.items():
        lines = "".join(f"{line}\n" for line in facts(made, letter))
        mark = next(line for line in text.split("\n") if line.startswith(f":Q|{letter}|"))
        said = f"from gv$view\n     *\nERROR at line 5:\n{code}: {REFUSALS[code]}\n\n"
        text = text.replace(f"{mark}\n{lines}", f"{mark}\n{said}")
    return text


def test_the_demand_is_that_of_each_minute(ctx: Context, server: fake_oracledb.Server) -> None:
    Moments(server, moments(10, 11, 13))
    demand = watched(ctx, 2)
    assert [one.duration_s for one in demand.intervals] == [60.0, 60.0]
    assert [one.iops for one in demand.intervals] == pytest.approx([39_000 / 60, 78_000 / 60])
    assert demand.peak == demand.intervals[1]
    assert demand.mean is not None
    assert demand.mean.iops == pytest.approx(117_000 / 120)
    assert demand.mean.classes["redo_write"].latency_us_mean == pytest.approx(400.0)
    assert demand.resolution_s == 60.0
    assert server.open == 0


def test_it_is_told_whose_it_is(ctx: Context, server: fake_oracledb.Server) -> None:
    Moments(server, moments(1, 2))
    run = learn_demand(ctx, URL, MINUTE_S)
    assert run.demand is not None
    database = run.demand.database
    assert (database.kind, database.location, database.name) == ("oracle", PLACE, "SHOP")
    assert (database.direct_io, database.io_timing) == (True, True)
    assert database.settings["wal_block_size"] == "4096"
    assert database.settings["filesystemio_options"] == "SETALL"
    assert {"untried", "local-times"} <= {note.code for note in run.notes}
    assert "tiger" not in run.model_dump_json()


def test_only_what_demand_is_made_of_is_asked_for(ctx: Context, server: fake_oracledb.Server) -> None:
    Moments(server, moments(1, 2, 3))
    watched(ctx, 2)
    assert asked(server) == list(USED * 3)
    assert {one.letter for one in QUERIES if one.is_of_demand} == set(USED)


OTHERS = [
    {},
    {"F": "ORA-00942"},
    {"U": "ORA-00942"},
    {"F": "ORA-00942", "U": "ORA-00942"},
    {"S": "ORA-00942"},
]
"""Views in whose place other views tell the same."""
scales = st.lists(st.integers(0, 40), min_size=2, max_size=4).map(sorted)


@settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@example(first=[1, 3], second=None, refused=OTHERS[0], space="USERS", container="SALES")
@example(first=[1, 3], second=None, refused=OTHERS[1], space="USERS", container=None)
@example(first=[1, 3], second=None, refused=OTHERS[2], space="USERS", container=None)
@example(first=[1, 3], second=None, refused=OTHERS[3], space="USERS", container=None)
@example(first=[1, 3], second=[2, 3], refused=OTHERS[4], space="USERS", container=None)
@given(
    first=scales,
    second=st.one_of(st.none(), scales),
    refused=st.dictionaries(st.sampled_from("CSWBFUXYHKG"), st.sampled_from(sorted(REFUSALS)), max_size=3),
    space=st.sampled_from(("USERS", "SALES|2024", "ÄRGER", "two words")),
    container=st.sampled_from((None, "CDB$ROOT", "SALES")),
)
def test_a_spool_of_the_same_counters_is_the_same_demand(
    ctx: Context,
    server: fake_oracledb.Server,
    tmp_path: Path,
    first: list[int],
    second: list[int] | None,
    refused: dict[str, str],
    space: str,
    container: str | None,
) -> None:
    made: list[MadeSnapshot] = []
    for at, scale in enumerate(first):
        instances = [MadeInstance(named(counted(scale), space))]
        if second is not None:
            instances.append(MadeInstance(counted(second[min(at, len(second) - 1)]), number=2))
        known = {} if container is None else {"cdb": True, "here": container, "containers": {"3": container}}
        made.append(MadeSnapshot(instances, taken=TIMES[at], **known))
    Moments(server, made, refused)
    live, kept = watched(ctx, len(made) - 1), spooled(ctx, tmp_path, made, refused)
    assert live.intervals == kept.intervals
    assert live.peak == kept.peak
    assert live.held_back == kept.held_back
    assert live.resolution_s == kept.resolution_s
    assert live.database.name == kept.database.name
    unasked = set() if set(refused) & set(USED) else {"collector-refused"}
    assert {note.code for note in kept.notes} - unasked <= {note.code for note in live.notes}


def named(counts: dict[str, Any], space: str) -> dict[str, Any]:
    return {**counts, "X": {("1", space): next(iter(counts["X"].values()))}}


@pytest.mark.parametrize("code", sorted(REFUSALS))
def test_a_view_that_is_refused_is_named_and_the_rest_goes_on(
    ctx: Context, server: fake_oracledb.Server, code: str
) -> None:
    whole = (Moments(server, moments(1, 2, 3)), watched(ctx, 2))[1]
    Moments(server, moments(1, 2, 3), {"Y": code, "X": code})
    demand = watched(ctx, 2)
    assert [one.iops for one in demand.intervals] == [one.iops for one in whole.intervals]
    (note,) = [note for note in demand.notes if note.code == "collector-refused"]
    for view in ("gv$filestat", "gv$tempstat"):
        assert note.message.count(f"{view}: the database refused a statement: {code}: {REFUSALS[code]}") == 1


def test_a_view_that_takes_too_long_costs_only_what_it_tells(
    ctx: Context, server: fake_oracledb.Server
) -> None:
    at = Moments(server, moments(1, 2))
    slow = fake_oracledb.failure(
        "DPY-4024", "call timeout of 10000 ms exceeded", fake_oracledb.OperationalError
    )
    server.answers[next(text for text in server.answers if "gv$filestat" in text)] = slow
    demand = watched(ctx, 1)
    assert demand.peak is not None
    assert any("gv$filestat" in note.message and "DPY-4024" in note.message for note in demand.notes)
    assert at.readings == 2


@pytest.mark.parametrize(("letter", "id"), [("T", "database-rights"), ("D", "database-rights")])
def test_without_whose_it_is_nothing_is_watched(
    ctx: Context, server: fake_oracledb.Server, letter: str, id: str
) -> None:
    Moments(server, moments(1, 2), {letter: "ORA-00942"})
    with pytest.raises(WorldError) as refused:
        watched(ctx, 10)
    assert refused.value.id == id
    assert "select_catalog_role" in (refused.value.hint or "")
    assert ctx.clock.monotonic_s() < MINUTE_S
    assert server.open == 0


def test_awr_is_read_only_with_a_licence_and_once(
    ctx: Context, server: fake_oracledb.Server, tmp_path: Path
) -> None:
    awr = ((7, TIMES[0], 1.0), (8, TIMES[30], 9.0), (9, TIMES[40], 10.0))
    made = moments(10, 11, 12)
    Moments(server, made, past={letter: history_facts(letter, *awr) for letter in "tsj"})
    demand = watched(ctx, 2, licensed=True)
    assert asked(server) == list(f"{USED}tswbjfu{USED}{USED}")
    assert sorted(one.duration_s for one in demand.intervals) == [60.0, 60.0, 600.0, 1800.0]
    path = tmp_path / "plimsoll_collect.lst"
    path.write_text(snapshot(made[0]) + history(*awr) + snapshot(made[1]) + snapshot(made[2]))
    kept = as_demand(demand_of_reports(ctx, [path]).demand)
    assert demand.intervals == kept.intervals
    assert demand.peak == kept.peak


def test_the_parameter_of_the_packs_is_no_licence(ctx: Context, server: fake_oracledb.Server) -> None:
    assert fake_oracledb.SETTINGS["control_management_pack_access"] == "DIAGNOSTIC+TUNING"
    Moments(server, moments(1, 2))
    watched(ctx, 1)
    assert asked(server) == list(USED * 2)


def test_a_clock_that_stepped_is_told(ctx: Context, server: fake_oracledb.Server) -> None:
    instances = [[MadeInstance(counted(scale))] for scale in (1, 2, 3)]
    Moments(
        server, [MadeSnapshot(one, taken=TIMES[at]) for one, at in zip(instances, (0, 1, 3), strict=True)]
    )
    demand = watched(ctx, 2)
    assert [one.duration_s for one in demand.intervals] == [60.0, 120.0]
    (note,) = [note for note in demand.notes if note.code == "clock-step"]
    assert "+60.00 s in the interval from 2024-05-01T10:01:00" in note.message


def test_a_session_that_broke_is_opened_again(ctx: Context, server: fake_oracledb.Server) -> None:
    at = Moments(server, moments(1, 2, 3))
    at.fails[2] = fake_oracledb.failure("ORA-03113", "end-of-file on communication channel")
    demand = watched(ctx, 2)
    assert [one.gap for one in demand.intervals] == [None, None]
    assert server.open == 0


def test_a_restart_is_a_gap(ctx: Context, server: fake_oracledb.Server) -> None:
    made = [MadeInstance(counted(3)), MadeInstance(counted(1), started="2024-05-01T10:00:30")]
    Moments(server, [MadeSnapshot([one], taken=TIMES[at]) for at, one in enumerate((*made, made[1]))])
    demand = watched(ctx, 2)
    assert "started at 2024-05-01T10:00:30" in (demand.intervals[0].gap or "")
    assert demand.intervals[0].iops is None
    assert demand.intervals[1].gap is None


def test_a_server_that_stays_away_leaves_a_gap_behind(ctx: Context, server: fake_oracledb.Server) -> None:
    at = Moments(server, moments(1, 2, 3))
    lost = fake_oracledb.failure("DPY-4011", "the database or network closed the connection")

    def away() -> None:
        server.connect_failure = fake_oracledb.failure(
            "ORA-12541", "no listener", fake_oracledb.OperationalError
        )

    at.fails[3] = lost
    server.answers[next(text for text in server.answers if "gv$tempstat" in text)] = away_after(at, 2, away)
    demand = watched(ctx, 10)
    assert [one.gap is None for one in demand.intervals] == [True, False]
    assert "had not come back at the end" in (demand.intervals[-1].gap or "")
    assert demand.peak == demand.intervals[0]


def away_after(at: Moments, reading: int, then: Any) -> Any:
    def answer(_: list[Any]) -> list[Any]:
        if at.readings == reading:
            then()
        return []

    return answer


def test_ctrl_c_keeps_what_there_is(tmp_path: Path, server: fake_oracledb.Server) -> None:
    for after_s, count in ((30.0, 0), (150.0, 2)):
        with context(tmp_path / f"journals{after_s}") as made:
            clock, cancel = VirtualClock(), Cancel()
            at = Moments(server, moments(1, 2, 3, 4))
            ending = replace(made, clock=Ending(clock, cancel, after_s), cancel=cancel)
            if not count:
                with pytest.raises(Interrupted):
                    watched(ending, 10)
                continue
            run = learn_demand(ending, URL, 10 * MINUTE_S)
            assert run.interrupted
            assert run.demand is not None
            assert len(run.demand.intervals) == count
            assert at.readings == 3
    assert server.open == 0


class Ending:
    """A virtual clock at one of whose moments the user gives up."""

    def __init__(self, clock: VirtualClock, cancel: Cancel, after_s: float) -> None:
        self._clock, self._cancel, self._after_s = clock, cancel, after_s
        self.now, self.monotonic_s = clock.now, clock.monotonic_s

    def sleep(self, seconds: float) -> None:
        self._clock.sleep(seconds)
        if self._clock.monotonic_s() >= self._after_s:
            self._cancel.set()
