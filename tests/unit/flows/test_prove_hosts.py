"""What a crew on several hosts makes of what agents say: with a conductor that passes on what a test has them say."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from plimsoll.base.errors import PlimsollError, UsageError, WorldError
from plimsoll.base.redact import redact_database
from plimsoll.cluster.conduct import Conductor
from plimsoll.context import Context
from plimsoll.facts import Database
from plimsoll.flows import prove_hosts
from plimsoll.flows.prove_hosts import HostsAtWork, HostsCrew, Login, ProofHosts, TypedPassword
from plimsoll.ports.clock import VirtualClock
from plimsoll.proof.sessions import Schedule
from plimsoll.proof.slices import Counted, Slice, text_of
from plimsoll.proof.slob.run import SlobWorker
from plimsoll.requests.prove_slob import ProveSlobRequest

DATABASE = Database(
    kind="postgresql",
    version="18",
    version_number=180000,
    location="me@db1/bench",
    name="bench",
    system_identifier="7",
)
SLICE = text_of(Slice(1, 2, {"select": Counted(3, 48, 0, {9: 3})}))
OPENED = {"say": "opened", "system_identifier": "7", "name": "bench"}


class _Link:
    lost_because: str | None = None
    exit_status: int | None = None

    def __init__(self) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.heard = threading.Event()

    def say(self, word: str, **members: Any) -> None:
        self.told.append((word, members))
        self.heard.set()


class _Conductor:
    """Hosts whose agents have said some things already."""

    has_heard_all = True

    def __init__(self, *hosts: str) -> None:
        self.posts = [
            SimpleNamespace(host=host, boot="", start="", link=_Link(), ended=False, gone=False)
            for host in hosts
        ]
        self.said: list[tuple[str, dict[str, Any]]] = []
        self.losses: list[tuple[str, PlimsollError]] = []

    def there(self) -> list[Any]:
        return [post for post in self.posts if not post.gone]

    def losing(self, remark: Callable[..., None]) -> Callable[[Any, PlimsollError], None]:
        def lose(post: Any, error: PlimsollError) -> None:
            post.gone = post.ended = True
            post.link.lost_because = error.message

        return lose

    def finish(self) -> None:
        for post in self.there():
            post.link.say("finish")

    def listen(
        self,
        is_done: Callable[[], bool],
        hear: Callable[..., None],
        is_lost: Callable[..., None] | None = None,
    ) -> None:
        while self.said:
            host, said = self.said.pop(0)
            post = next(post for post in self.posts if post.host == host)
            hear(post, SimpleNamespace(message=said))
        for host, error in self.losses:
            assert is_lost is not None
            is_lost(next(post for post in self.posts if post.host == host), error)
        self.losses.clear()


def _crew(
    ctx: Context, conductor: _Conductor, sessions: int, typed: TypedPassword | None = None
) -> HostsCrew:
    workers = [SlobWorker(f"1.{number}", 1, 0.5, "postgres", False) for number in range(1, sessions + 1)]
    login = Login("postgresql://me@db1/bench", typed, DATABASE)
    return HostsAtWork(ctx, cast("Conductor", conductor), login).hire(workers, Schedule(0, 3))


def _ready(
    ctx: Context, sessions: int = 3, hosts: tuple[str, ...] = ("a", "b")
) -> tuple[HostsCrew, _Conductor]:
    conductor = _Conductor(*hosts)
    crew = _crew(ctx, conductor, sessions)
    shares = [sum(track.host == host for track in crew.tracks) for host in hosts]
    for host, share in zip(hosts, shares, strict=True):
        conductor.said += [(host, OPENED), (host, {"say": "ready", "processes": list(range(share))})]
    crew.get_ready()
    return crew, conductor


def test_sessions_are_shared_out_evenly_and_keep_their_order(ctx: Context) -> None:
    crew, _ = _ready(ctx, 8, ("a", "b", "c"))
    assert [track.name for track in crew.tracks] == [
        "a 1.1", "a 1.2", "b 1.3", "b 1.4", "b 1.5", "c 1.6", "c 1.7", "c 1.8",
    ]  # fmt: skip


def test_agents_are_told_the_database_the_typed_password_and_their_own_sessions(ctx: Context) -> None:
    typed, conductor = TypedPassword(lambda location: "secret"), _Conductor("a", "b")
    typed("me@db1/bench")
    crew = _crew(ctx, conductor, 2, typed)
    for host in "ab":
        conductor.said += [(host, OPENED), (host, {"say": "ready", "processes": [None]})]
    crew.get_ready()
    told = [
        members["sessions"] for post in conductor.posts for word, members in post.link.told if word == "work"
    ]
    assert [one["password"] for one in told] == ["secret"] * 2
    assert [[worker["name"] for worker in one["workers"]] for one in told] == [["1.1"], ["1.2"]]
    assert "secret" not in repr(typed)


def test_each_agent_is_told_its_own_way_to_the_database(ctx: Context) -> None:
    conductor = _Conductor("app1", "app2")
    workers = [SlobWorker(f"1.{number}", 1, 0.5, "oracle", False) for number in (1, 2)]
    login = Login("oracle://me@scan:1521/bench_{host}", None, DATABASE)
    crew = HostsAtWork(ctx, cast("Conductor", conductor), login).hire(workers, Schedule(0, 3))
    for host in ("app1", "app2"):
        conductor.said += [(host, OPENED), (host, {"say": "ready", "processes": [None]})]
    crew.get_ready()
    told = [members["sessions"]["database"] for post in conductor.posts for _, members in post.link.told]
    assert told == ["oracle://me@scan:1521/bench_app1", "oracle://me@scan:1521/bench_app2"]


def _asked(*hosts: str) -> ProveSlobRequest:
    return ProveSlobRequest(hosts=hosts, launcher="env HOST={host}")


def test_the_calling_host_goes_the_way_of_the_first() -> None:
    hosts = ProofHosts.of(_asked("app1", "app2"))
    assert prove_hosts.location_here("oracle://me@scan/bench_{host}", hosts) == "oracle://me@scan/bench_app1"
    assert prove_hosts.location_here("oracle://me@scan/bench", None) == "oracle://me@scan/bench"
    with pytest.raises(UsageError) as error:
        prove_hosts.location_here("oracle://me@scan/bench_{host}", None)
    assert error.value.id == "database-per-host"


@pytest.mark.parametrize("name", ["root@app2", "pod/db-0", "[fe80::1%eth0]", "app2:22"])
def test_what_means_something_else_in_a_url_does_not_stand_in_one(name: str) -> None:
    hosts = ProofHosts.of(_asked("app1", name))
    assert prove_hosts.location_here("oracle://me@scan/bench", hosts) == "oracle://me@scan/bench"
    with pytest.raises(UsageError, match="cannot stand in the name of the database") as error:
        prove_hosts.location_here("postgresql://me@{host}/bench", hosts)
    assert error.value.id == "database-per-host"


@pytest.mark.parametrize("other", [{"system_identifier": "8"}, {"name": "template1"}])
def test_another_database_is_refused(ctx: Context, other: dict[str, str]) -> None:
    conductor = _Conductor("a", "b")
    conductor.said += [("b", {**OPENED, **other})]
    with pytest.raises(UsageError, match="b reaches another database at me@db1/bench") as error:
        _crew(ctx, conductor, 2).get_ready()
    assert error.value.id == "hosts-differ"


def test_another_database_by_a_way_of_its_own_is_named() -> None:
    login = Login("postgresql://me:secret@db1/bench_{host}", None, DATABASE)
    error = login.refuse("b")
    assert error.id == "hosts-differ"
    assert error.message == (
        f"b reaches another database at {redact_database('postgresql://me:secret@db1/bench_b')} than this host does at"
        f" {DATABASE.location}"
    )
    assert "secret" not in error.message
    assert error.hint is not None
    assert error.hint.startswith("{host} is for several ways to one database")


@pytest.mark.parametrize(
    ("there", "is_refused"), [("4711/1", False), ("4711/2", False), ("4712/1", True), (None, False)]
)
def test_of_a_cluster_each_host_may_reach_another_instance(
    ctx: Context, there: str | None, is_refused: bool
) -> None:
    """As where all go by one service: the database is the same, and its counters are summed over all instances."""
    conductor = _Conductor("a", "b")
    cluster = DATABASE.but(kind="oracle", name="SHOPDB", system_identifier="4711/1")
    login = Login("oracle://me@scan:1521/shop", None, cluster)
    workers = [SlobWorker(f"1.{number}", 1, 0.5, "oracle", False) for number in (1, 2)]
    crew = HostsAtWork(ctx, cast("Conductor", conductor), login).hire(workers, Schedule(0, 3))
    for host, number in (("a", "4711/1"), ("b", there)):
        opened = {"say": "opened", "system_identifier": number, "name": "SHOPDB"}
        conductor.said += [(host, opened), (host, {"say": "ready", "processes": [None]})]
    if is_refused:
        with pytest.raises(UsageError, match="b reaches another database"):
            crew.get_ready()
    else:
        crew.get_ready()


@pytest.mark.parametrize(
    "said",
    [
        {"say": "handed", "session": 2, "at": 1, "slice": SLICE},
        {"say": "handed", "session": -1, "at": 1, "slice": SLICE},
        {"say": "handed", "session": 0, "at": 4, "slice": SLICE},
        {"say": "handed", "session": 0, "at": 0, "slice": SLICE},
        {"say": "handed", "session": 0, "at": 1, "slice": '{"began": 1, "ended": 2, "ops": []}'},
        {"say": "handed", "session": 0, "at": 1, "slice": "none"},
        {"say": "handed", "session": 0},
    ],
)
def test_what_no_agent_of_ours_says_is_counted_nowhere(ctx: Context, said: dict[str, Any]) -> None:
    crew, conductor = _ready(ctx)
    conductor.said = [("b", said)]
    with pytest.raises((KeyError, TypeError, ValueError)):
        crew.catch_up()
    assert not any(track.slices for track in crew.tracks)


def test_a_lost_host_keeps_what_it_told_and_stops_no_other(ctx: Context) -> None:
    crew, conductor = _ready(ctx)
    conductor.said = [("b", {"say": "handed", "session": 0, "at": 1, "slice": SLICE})]
    conductor.losses = [("b", WorldError("host-lost", "b was lost"))]
    crew.catch_up()
    assert [(track.host, track.is_lost, len(track.slices)) for track in crew.tracks] == [
        ("a", False, 0), ("b", True, 1), ("b", True, 0),
    ]  # fmt: skip
    assert not crew.is_stopped


def test_a_session_that_breaks_ends_those_of_all_hosts(ctx: Context) -> None:
    crew, conductor = _ready(ctx)
    error = {"id": "database-lost", "message": "the server is gone", "hint": None}
    conductor.said = [("a", {"say": "ended", "session": 0, "error": error})]
    crew.catch_up()
    first = crew.tracks[0]
    assert first.error is not None
    assert (first.error.id, first.error.message) == ("database-lost", "a: the server is gone")
    assert not first.is_lost
    assert [[word for word, _ in post.link.told].count("stop") for post in conductor.posts] == [1, 1]


def test_a_session_that_has_ended_hands_in_no_more(ctx: Context) -> None:
    crew, conductor = _ready(ctx)
    ended = {"say": "ended", "session": 0, "error": None}
    conductor.said = [("a", ended), ("a", {"say": "handed", "session": 0, "at": 1, "slice": SLICE})]
    with pytest.raises(ValueError, match="no session of this host is at work as number 0"):
        crew.catch_up()


def test_agents_hear_that_their_client_is_there_whatever_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint before the start may take longer than agents wait for a word."""
    monkeypatch.setattr(prove_hosts, "AGENT_ALIVE_S", 0.001)
    conductor = _Conductor("a", "b")
    conductor.posts[1].gone = True
    heard = conductor.posts[0].link.heard
    with prove_hosts.kept_alive(cast("Conductor", conductor)):
        assert heard.wait(60)
    assert conductor.posts[0].link.told[0][0] == "alive"
    assert not conductor.posts[1].link.told


def test_a_host_that_does_not_end_after_a_wish_to_end_is_lost(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prove_hosts, "AGENT_STOP_S", 0.0)
    crew, conductor = _ready(ctx)
    conductor.said = [("a", {"say": "ended", "session": 0, "error": None})]
    ctx.cancel.set()
    crew.wait_done()
    assert [track.is_lost for track in crew.tracks] == [False, True, True]
    assert "had not ended" in str(conductor.posts[1].link.lost_because)
    assert ("stop", {}) in conductor.posts[0].link.told


def _handed(host: str, session: int, at: int, piece: str = SLICE) -> tuple[str, dict[str, Any]]:
    return host, {"say": "handed", "session": session, "at": at, "slice": piece}


def _ended(host: str, session: int, error: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
    return host, {"say": "ended", "session": session, "error": error}


def test_a_host_whose_agent_is_ended_there_is_lost_and_not_one_that_was_there_to_the_end(
    ctx: Context,
) -> None:
    crew, conductor = _ready(ctx)
    conductor.said = [_handed("b", 0, 1), _ended("b", 0)]
    crew.catch_up()
    assert not conductor.posts[1].gone, "the other session may say why"
    conductor.said = [_handed("b", 1, 2), _ended("b", 1)]
    crew.catch_up()
    assert [track.is_lost for track in crew.tracks] == [False, True, True]
    assert conductor.posts[1].link.lost_because == "b was lost: its agent was ended there"
    assert [len(track.slices) for track in crew.tracks] == [0, 1, 1], "what it had told is kept"
    assert not crew.is_stopped


def test_an_agent_that_vanishes_while_its_sessions_end_is_lost_with_all_of_them(ctx: Context) -> None:
    crew, conductor = _ready(ctx)
    conductor.said = [_ended("b", 0)]
    conductor.losses = [("b", WorldError("host-lost", "b was lost"))]
    crew.catch_up()
    assert [track.is_lost for track in crew.tracks] == [False, True, True]


def test_sessions_that_end_as_they_were_to_are_of_no_lost_host(ctx: Context) -> None:
    """With the last slice, or with as many operations as were wanted."""
    crew, conductor = _ready(ctx)
    done = text_of(Slice(1, 2, {"select": Counted(3, 48, 0, {9: 3})}, done=True))
    conductor.said = [_handed("b", 0, 3), _ended("b", 0), _handed("b", 1, 1, done), _ended("b", 1)]
    crew.catch_up()
    conductor.losses = [("b", WorldError("host-lost", "b was lost"))]
    crew.catch_up()
    assert not any(track.is_lost for track in crew.tracks), "whatever becomes of its agent afterwards"


def test_sessions_that_a_broken_one_ended_are_of_no_lost_host(ctx: Context) -> None:
    """Whichever is told of first."""
    crew, conductor = _ready(ctx)
    error = {"id": "database-lost", "message": "the server is gone", "hint": None}
    conductor.said = [_ended("b", 0), _ended("b", 1, error)]
    crew.catch_up()
    assert not any(track.is_lost for track in crew.tracks)
    assert crew.is_stopped


def test_a_host_that_hangs_is_lost_some_time_after_it_should_have_ended(ctx: Context) -> None:
    """Its way to the database is cut while its agent says that it is there."""
    crew, conductor = _ready(ctx)
    clock = VirtualClock()
    crew._ctx = replace(ctx, clock=clock)
    crew.go(1)
    conductor.said = [_handed("a", 0, 3), _ended("a", 0)]
    clock.sleep(crew.ahead_s + 3 + 60)
    assert not crew.wait(lambda: False)
    assert not any(track.is_lost for track in crew.tracks)
    clock.sleep(1)
    crew.wait(lambda: False)
    assert [track.is_lost for track in crew.tracks] == [False, True, True]
    assert "had not ended" in str(conductor.posts[1].link.lost_because)
    crew.wait_done()


@pytest.mark.parametrize(
    ("error", "status", "unheard_s"),
    [("host-lost", 137, 0), ("host-lost", 255, 15), ("host-silent", None, 15), ("host-talk", None, 15)],
)
def test_an_agent_whose_stream_did_not_end_may_be_at_work_for_some_time(
    ctx: Context, error: str, status: int | None, unheard_s: float
) -> None:
    crew, conductor = _ready(ctx)
    conductor.posts[1].link.exit_status = status
    conductor.losses = [("b", WorldError(error, "b was lost"))]
    crew.catch_up()
    assert [track.unheard_s for track in crew.tracks] == [0, unheard_s, unheard_s]


def test_hosts_that_are_let_go_are_not_waited_for(ctx: Context) -> None:
    """Their agents end when the client parts, as after a second Ctrl-C."""
    crew, conductor = _ready(ctx)
    before = [list(post.link.told) for post in conductor.posts]
    crew.let_go()
    assert [post.link.told for post in conductor.posts] == before
    assert not crew.is_stopped
