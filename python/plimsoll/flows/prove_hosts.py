"""The sessions of a proof on several hosts: each agent connects its share, and all begin at one instant of the server's clock.

The counters of the server are read, and tables and procedures made, from the calling host alone.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any

from plimsoll import __version__
from plimsoll.base.errors import ExitStatus, PlimsollError, UsageError
from plimsoll.base.printable import printable
from plimsoll.base.redact import redact_database
from plimsoll.base.units import counted
from plimsoll.cluster.conduct import Conductor, agents, late, lost_agent, works_on
from plimsoll.cluster.launch import PLACE, Way
from plimsoll.cluster.limits import AGENT_ALIVE_S, AGENT_END_S, AGENT_SILENCE_S, AGENT_STOP_S
from plimsoll.cluster.link import Heard
from plimsoll.cluster.post import Post
from plimsoll.cluster.result import notes_of_machines
from plimsoll.cluster.ways import names_of, way_of
from plimsoll.cluster.wire import Message
from plimsoll.context import Context
from plimsoll.databases import AskPassword, Connection
from plimsoll.demand.told_apart import data_of
from plimsoll.facts import Database, Note
from plimsoll.proof.crew import SLICE_S, FarWorker, Track
from plimsoll.proof.sessions import Schedule
from plimsoll.proof.slices import Slice, slice_of
from plimsoll.requests.proofs import EMBEDDED
from plimsoll.requests.shared import AsksHosts, on_hosts

_STAGE = "prove"
_WAIT_S = 0.05
_IN_URLS = re.compile(r"[\w.-]+")
"""Names of hosts that mean in a URL what they mean elsewhere."""


Opened = Callable[[AskPassword | None], AbstractContextManager[Connection]]


@dataclass(frozen=True)
class ProofHosts:
    """From which hosts sessions are driven, and how agents are started there."""

    names: tuple[str, ...]
    way: Way

    @classmethod
    def of(cls, asked: AsksHosts) -> ProofHosts | None:
        """None without hosts. The workers of a cluster are asked who they are.

        Raises UsageError (`hosts-twice`, `host-name`, `launcher-unreadable`, `launcher-no-host`), and what `ways.names_of` raises.
        """
        return cls(names_of(asked), way_of(asked)) if on_hosts(asked) else None

    def check(self, database: str) -> None:
        """Raises UsageError `proof-embedded`."""
        if database == EMBEDDED:
            message = "the embedded database listens on this host alone, and others cannot reach it"
            hint = "Name one that all hosts reach: --database postgresql://user@host/name."
            raise UsageError("proof-embedded", message, hint)


def location_here(location: str, hosts: ProofHosts | None) -> str:
    """How the calling host reaches the database: as the first of the hosts does, where each goes by a way of its own.

    Raises UsageError `database-per-host`.
    """
    if PLACE not in location:
        return location
    if hosts is None:
        message = f"the name of the database has {PLACE} in it, and no hosts are named"
        raise UsageError("database-per-host", message, "Name them with --hosts, or write the name itself.")
    for name in hosts.names:
        # Of `root@app1` a URL would take the login for the user of the database.
        if not _IN_URLS.fullmatch(name):
            message = f"the host {name} cannot stand in the name of the database: {PLACE} takes letters, digits, . _ and -"
            hint = "Say how to log in with --launcher 'ssh root@{host}', and name hosts alone: --hosts app1,app2."
            raise UsageError("database-per-host", message, hint)
    return location.replace(PLACE, hosts.names[0])


class TypedPassword:
    """Keeps what was typed when a password was asked for, as agents cannot ask anybody."""

    def __init__(self, ask: AskPassword) -> None:
        self._ask = ask
        self.password: str | None = None

    def __call__(self, location: str) -> str:
        self.password = self._ask(location)
        return self.password


@dataclass(frozen=True)
class Login:
    """How agents reach the database; told to them on their standard input alone."""

    url: str
    """With a place for the host's name where each reaches the database by a way of its own."""
    typed: TypedPassword | None
    database: Database
    """What the calling host reaches there."""

    def told_on(self, host: str) -> Mapping[str, Any]:
        """What its agent is told."""
        password = None if self.typed is None else self.typed.password
        return {"database": self.url.replace(PLACE, host), "password": password}

    def refuse(self, host: str) -> UsageError:
        """That a host reaches another database than the calling one."""
        here = self.database.location
        if PLACE in self.url:
            there = redact_database(self.url.replace(PLACE, host))
            message = f"{host} reaches another database at {there} than this host does at {here}"
            hint = f"{PLACE} is for several ways to one database: see where the name with {host} in it leads."
            return UsageError("hosts-differ", message, hint)
        message = f"{host} reaches another database at {here} than this host does"
        return UsageError("hosts-differ", message, "Write the server's name as all hosts know it.")


class HostsAtWork:
    """Agents that have greeted."""

    def __init__(self, ctx: Context, conductor: Conductor, login: Login) -> None:
        self._ctx, self._conductor, self._login = ctx, conductor, login
        self._remarks: list[Note] = []

    def hire(self, workers: Sequence[FarWorker], schedule: Schedule) -> HostsCrew:
        """The crew of a drive: neighbouring sessions on one host, as many on each as on any other, or one more."""
        shares = _shares(workers, len(self._conductor.posts))
        return HostsCrew(self._ctx, self._conductor, self._login, shares, schedule.slices, self._tell)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Who was lost, what hosts warned of, and which of them are one machine."""
        lost = tuple(
            Note(code="host-lost", message=f"{because}; nothing was run again elsewhere")
            for post in self._conductor.posts
            if (because := post.link.lost_because) is not None
        )
        return (*lost, *self._remarks, *notes_of_machines(self._conductor.posts))

    def tell_greeting(self, left: Sequence[str], left_s: float) -> None:
        """Of which agents nothing was heard yet."""
        total = len(self._conductor.posts)
        message = f"{total - len(left)} of {counted(total, 'agent')} there; waiting for {', '.join(left)}"
        self._ctx.progress(_STAGE, message, (total - len(left)) / total, left_s)

    def _tell(self, host: str, said: Message) -> None:
        if said["say"] == "lost":
            self._ctx.remark(_STAGE, str(said["message"]), warning=True)
            return
        message = f"{host}: {printable(str(said.get('message')))}"
        if said["say"] == "progress":
            self._ctx.progress(_STAGE, message)
            return
        self._ctx.remark(_STAGE, message, warning=bool(said.get("warning")))
        if said.get("warning"):
            self._remarks.append(Note(code="host-remark", message=message))


@contextmanager
def hosts_if_any(
    ctx: Context, hosts: ProofHosts | None, location: str, ask_password: AskPassword | None, opened: Opened
) -> Iterator[tuple[Connection, HostsAtWork | None]]:
    """The database that `opened` gives, and agents on all hosts that are ready for its sessions; None where none are named.

    `location` may have a place for the host's name.
    """
    typed = None if hosts is None or ask_password is None else TypedPassword(ask_password)
    with opened(typed or ask_password) as connection:
        if hosts is None:
            yield connection, None
            return
        with hosts_at_work(ctx, hosts, Login(location, typed, connection.database)) as at_work:
            yield connection, at_work


@contextmanager
def hosts_at_work(ctx: Context, hosts: ProofHosts, login: Login) -> Iterator[HostsAtWork]:
    """Agents on all hosts, which end with the block. Raises UsageError `host-version`, WorldError (`host-unreachable`,
    `host-without-plimsoll`, `host-silent`).
    """
    ctx.progress(_STAGE, f"starting agents on {counted(len(hosts.names), 'host')}")
    with agents(hosts.names, hosts.way, ctx.clock, ctx.cancel) as conductor:
        at_work = HostsAtWork(ctx, conductor, login)
        conductor.greet(__version__, at_work.tell_greeting)
        with kept_alive(conductor):
            yield at_work


@contextmanager
def kept_alive(conductor: Conductor) -> Iterator[None]:
    """Agents leave a client that says nothing, and a checkpoint may take long."""
    is_over = threading.Event()

    def keep() -> None:
        while not is_over.wait(AGENT_ALIVE_S):
            for post in list(conductor.there()):
                post.link.say("alive")

    thread = threading.Thread(target=keep, name="plimsoll-alive", daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join(AGENT_ALIVE_S)


def _shares(workers: Sequence[FarWorker], hosts: int) -> list[Sequence[FarWorker]]:
    edges = [len(workers) * number // hosts for number in range(hosts + 1)]
    return [workers[begin:end] for begin, end in pairwise(edges)]


class HostsCrew:
    """Sessions that agents drive; see `plimsoll.proof.crew.Crew`."""

    ahead_s = 1.0
    """The order is there by then on any link that is not distant; each session waits for the instant inside the server."""

    def __init__(
        self,
        ctx: Context,
        conductor: Conductor,
        login: Login,
        shares: Sequence[Sequence[FarWorker]],
        slices: int,
        tell: Callable[[str, Message], None],
    ) -> None:
        self._ctx, self._conductor, self._login, self._shares = ctx, conductor, login, shares
        self._slices, self._tell, self._gone = slices, tell, conductor.losing(tell)
        self._of = {
            post.host: [Track(f"{post.host} {worker.name}", host=post.host) for worker in share]
            for post, share in zip(conductor.posts, shares, strict=True)
        }
        self._ready: set[str] = set()
        self._stopped = False
        self._until_s = inf
        """When hosts that are still at work are given up."""
        self._early: set[str] = set()
        """Names of sessions that ended before their last slice without a word why."""

    @property
    def tracks(self) -> Sequence[Track]:
        """See `Crew`."""
        return [track for tracks in self._of.values() for track in tracks]

    @property
    def is_stopped(self) -> bool:
        """See `Crew`."""
        return self._stopped

    def get_ready(self) -> None:
        """See `Crew`. Raises UsageError `hosts-differ` where a host reaches another database."""
        for post, share in zip(self._conductor.posts, self._shares, strict=True):
            workers = [dict(worker.told) for worker in share]
            login = self._login.told_on(post.host)
            post.link.say("work", sessions={**login, "slices": self._slices, "workers": workers})
        self._conductor.listen(lambda: len(self._ready) == len(self._of), self._hear_ready)

    def go(self, start_us: int) -> None:
        """See `Crew`."""
        self._until_s = self._ctx.clock.monotonic_s() + self.ahead_s + self._slices * SLICE_S + AGENT_END_S
        for post in self._conductor.there():
            post.link.say("begin", start_us=start_us)

    def wait(self, is_so: Callable[[], bool]) -> bool:
        """See `Crew`. A host that is at work long after it should have ended is lost."""
        until_s = self._ctx.clock.monotonic_s() + _WAIT_S
        self._listen(lambda: is_so() or self._ctx.clock.monotonic_s() >= until_s)
        for post in self._conductor.posts if self._ctx.clock.monotonic_s() > self._until_s else ():
            if not post.ended:
                self._lose(post, late(post))
        return is_so()

    def catch_up(self) -> None:
        """See `Crew`."""
        self._listen(lambda: self._conductor.has_heard_all)

    def stop(self) -> None:
        """See `Crew`."""
        if not self._stopped:
            self._stopped = True
            self._until_s = min(self._until_s, self._ctx.clock.monotonic_s() + AGENT_STOP_S)
            for post in self._conductor.there():
                post.link.say("stop")

    def wait_done(self) -> None:
        """See `Crew`."""
        while not self.wait(self._are_done):
            if self._ctx.cancel.is_set:
                self.stop()

    def end(self) -> None:
        """See `Crew`. Agents that were not ready yet end when their client parts."""
        if len(self._ready) < len(self._of):
            return
        if not self._are_done():
            self.stop()
            self.wait_done()
        self._conductor.finish()

    def let_go(self) -> None:
        """See `Crew`. Agents end when their client parts, which comes next."""

    def _are_done(self) -> bool:
        return all(track.done for track in self.tracks)

    def _listen(self, is_done: Callable[[], bool]) -> None:
        self._conductor.listen(is_done, self._hear, is_lost=self._lose)

    def _hear_ready(self, post: Post, heard: Heard) -> None:
        said = heard.message or {}
        if said.get("say") in ("progress", "remark"):
            self._tell(post.host, said)
        elif said.get("say") == "opened":
            self._check_same(post, said)
        elif said.get("say") == "ready":
            for track, process in zip(self._of[post.host], said["processes"], strict=True):
                track.server_process = None if process is None else int(process)
            self._ready.add(post.host)

    def _check_same(self, post: Post, said: Message) -> None:
        """A name such as localhost leads elsewhere on each host; a service of a cluster may lead to another instance of the same
        database on each. Raises UsageError `hosts-differ`.
        """
        here = self._login.database
        there = here.but(name=str(said["name"]), system_identifier=said["system_identifier"])
        known = None not in (here.system_identifier, there.system_identifier)
        if there.name != here.name or (known and data_of(there) != data_of(here)):
            raise self._login.refuse(post.host)

    def _hear(self, post: Post, heard: Heard) -> None:
        said = heard.message or {}
        if said.get("say") == "remark":
            self._tell(post.host, said)
        elif said.get("say") == "handed":
            self._track(post, said).slices.append(self._piece(said))
        elif said.get("say") == "ended":
            self._end_track(post, self._track(post, said), said["error"])

    def _track(self, post: Post, said: Message) -> Track:
        """Raises ValueError, IndexError."""
        place = int(said["session"])
        tracks = self._of[post.host]
        if not 0 <= place < len(tracks) or tracks[place].done:
            raise ValueError(f"no session of this host is at work as number {place}")
        return tracks[place]

    def _piece(self, said: Message) -> tuple[int, Slice]:
        """Raises KeyError, TypeError, ValueError."""
        number = int(said["at"])
        if not 0 < number <= self._slices:
            raise ValueError(f"slice {number} of {self._slices}")
        try:
            return number, slice_of(said["slice"])
        except AttributeError as error:
            raise ValueError("a slice of another form") from error

    def _end_track(self, post: Post, track: Track, error: Mapping[str, Any] | None) -> None:
        track.done = True
        if error is not None:
            track.error = PlimsollError(str(error["id"]), f"{post.host}: {error['message']}", error["hint"])
            track.error.status = ExitStatus.WORLD_FAILED
            self.stop()
        elif not self._is_through(track):
            self._early.add(track.name)
        own = self._of[post.host]
        if not all(one.done for one in own):
            return
        # A session that breaks ends the others of its host, and may be told of after them.
        if any(one.error is not None for one in own) or not any(one.name in self._early for one in own):
            post.ended = True
            return
        self._lose(post, lost_agent(post, "was ended there"))

    def _is_through(self, track: Track) -> bool:
        """Whether it ended as it was to: with its last slice, or because we wished so."""
        if self._stopped or self._ctx.cancel.is_set:
            return True
        return bool(track.slices) and (track.slices[-1][0] >= self._slices or track.slices[-1][1].done)

    def _lose(self, post: Post, error: PlimsollError) -> None:
        """What it had handed in is kept, the others go on, and nothing of it is run again."""
        early = set() if post.ended else self._early
        self._gone(post, error)
        lost = [track for track in self._of[post.host] if not track.done or track.name in early]
        for track in lost:
            if not track.done and works_on(post, error):
                # The agent looks once in a while whether its client is there.
                track.unheard_s = AGENT_SILENCE_S + AGENT_ALIVE_S
            track.error, track.is_lost, track.done = error, True, True
