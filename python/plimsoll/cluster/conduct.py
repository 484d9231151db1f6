"""Brings agents to one moment and back: greetings, clocks, work, readiness, the begin, what they tell, the end.

Nothing of it decides what is measured. A host that is lost before the begin ends the whole, as nothing was measured
yet; one that is lost after it keeps what it had told, and the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from queue import Empty, Queue
from typing import Any

from plimsoll.base.errors import ExitStatus, Interrupted, PlimsollError, UsageError, WorldError
from plimsoll.base.printable import printable
from plimsoll.base.units import format_seconds
from plimsoll.cluster.clocks import EXCHANGES, Exchange, Offset, offset_of
from plimsoll.cluster.launch import Way
from plimsoll.cluster.limits import AGENT_ALIVE_S, AGENT_GREETING_S, AGENT_SILENCE_S, AGENT_STOP_S
from plimsoll.cluster.link import Heard, Link
from plimsoll.cluster.merge import Slice
from plimsoll.cluster.post import Done, Post
from plimsoll.cluster.wire import GREETING, PROTOCOL, Message, said_wrongly
from plimsoll.context import Cancel
from plimsoll.facts import Target
from plimsoll.ports.clock import Clock
from plimsoll.ports.processes import how_ended

_AHEAD_S_MIN = 1.0
"""So far ahead lies the moment of the begin at least: the order is there by then on any link that is not distant, and a busy host
has opened what it measures.
"""
_AHEAD_AGAIN_S_MIN = 0.5
"""The same where all have measured before, with the target open."""
_AHEAD_ROUND_TRIPS = 4
_NS_PER_S = 1_000_000_000
_MISSING = (126, 127)
"""A shell's own exit status for a program that cannot be run, or is not there."""
_SSH_FAILED = 255
_WORD_LETTERS_MAX = 40
_WORDS = frozenset(
    (
        "alive", "clock", "done", "ended", "failed", "finished", "handed", "hello", "looked", "missed", "opened", "progress",
        "ready", "remark", "slice",
    )
)  # fmt: skip
"""All that an agent may say."""
_INSTALL = "Install plimsoll there, the same release, or say with --agent where it is: --agent '/opt/plimsoll/bin/plimsoll agent'."


class Conductor:
    """All agents of one run."""

    def __init__(self, posts: Sequence[Post], inbox: Queue[Heard], clock: Clock, cancel: Cancel) -> None:
        self.posts = list(posts)
        self._inbox, self._clock, self._cancel = inbox, clock, cancel
        self._alive_s = self._clock.monotonic_s()

    @property
    def has_heard_all(self) -> bool:
        """Whether nothing that was said waits to be taken in."""
        return self._inbox.empty()

    def greet(self, version: str, tell: Callable[[Sequence[str], float], None]) -> None:
        """Waits until all agents have greeted; once a second it is told which have not, and how long they may take still.

        Raises WorldError, UsageError `host-version`.
        """
        greeted: set[str] = set()
        until_s = self._clock.monotonic_s() + AGENT_GREETING_S
        next_s = self._clock.monotonic_s() + AGENT_ALIVE_S

        def hear(post: Post, heard: Heard) -> None:
            said = heard.message or {}
            if GREETING not in said:
                return
            if said.get("plimsoll") != version:
                message = f"{post.host} has plimsoll {said.get('plimsoll')}, and this is {version}"
                raise UsageError("host-version", message, "Install the same release on all of them.")
            if said[GREETING] != PROTOCOL:
                talks = f"which talks otherwise: {said[GREETING]}, and this {PROTOCOL}"
                message = f"{post.host} has another build of plimsoll {version}, {talks}"
                raise UsageError("host-version", message, "Install the same build on all of them.")
            post.boot = str(said.get("boot"))
            post.ends_as_agent |= post.link.is_agent(said.get("boot"), said.get("pid"))
            greeted.add(post.host)

        def is_done() -> bool:
            nonlocal next_s
            now_s = self._clock.monotonic_s()
            if now_s >= next_s:
                next_s = now_s + AGENT_ALIVE_S
                tell(
                    [post.host for post in self.posts if post.host not in greeted], max(0.0, until_s - now_s)
                )
            return len(greeted) == len(self.posts)

        self.listen(is_done, hear, AGENT_GREETING_S)

    def compare_clocks(self, exchanges: int = EXCHANGES, *, is_over: bool = False) -> dict[str, Offset]:
        """How far each clock is ahead of ours; of all hosts that are there, at the same time.

        Once the run `is_over`, neither a wish to stop nor a host that goes is of any consequence.
        """
        known: dict[str, list[Exchange]] = {post.host: [] for post in self.posts}
        asked: dict[str, int] = {}

        def ask(post: Post) -> None:
            asked[post.host] = self._clock.unix_ns()
            post.link.say("clock", number=len(known[post.host]))

        def hear(post: Post, heard: Heard) -> None:
            said = heard.message or {}
            own = known[post.host]
            if said.get("say") == "clock" and said.get("number") == len(own):
                own.append(Exchange(asked[post.host], int(said["shown_ns"]), heard.at_ns))
                if len(own) < exchanges:
                    ask(post)

        def is_done() -> bool:
            return all(len(known[post.host]) == exchanges for post in self.there())

        for post in self.there():
            ask(post)
        self.listen(is_done, hear, is_lost=_let_go if is_over else None)
        return {host: offset_of(own) for host, own in known.items() if len(own) == exchanges}

    def prepare(self, work: Callable[[int], Mapping[str, Any]], tell: Callable[[str, Message], None]) -> None:
        """Hands out the work, by the host's place, and waits until all are ready, which may take as long as filling files does."""
        for place, post in enumerate(self.posts):
            post.link.say("work", **work(place))

        def hear(post: Post, heard: Heard) -> None:
            said = heard.message or {}
            if said.get("say") == "ready":
                post.target, post.engine = Target.model_validate(said["target"]), str(said["engine"])
            elif said.get("say") in ("progress", "remark"):
                post.fills = post.fills or said["say"] == "progress"
                tell(post.host, said)

        self.listen(lambda: all(post.target is not None for post in self.posts), hear)

    def open_also(self, path: str, tell: Callable[[str, Message], None]) -> None:
        """Has all open another target beside their own, for reading, and waits until it is."""
        opened: set[str] = set()
        for post in self.posts:
            post.link.say("also", path=path)

        def hear(post: Post, heard: Heard) -> None:
            said = heard.message or {}
            if said.get("say") == "opened":
                opened.add(post.host)
            elif said.get("say") in ("progress", "remark"):
                tell(post.host, said)

        self.listen(lambda: len(opened) == len(self.posts), hear)

    def look(self, paths: Sequence[str]) -> None:
        """What each host sees at these paths."""
        for post in self.posts:
            post.looked = None
            post.link.say("look", paths=list(paths))

        def hear(post: Post, heard: Heard) -> None:
            if (heard.message or {}).get("say") == "looked":
                post.looked = list((heard.message or {}).get("files", ()))

        self.listen(lambda: all(post.looked is not None for post in self.posts), hear)

    def begin(
        self, preparing_s: float = 0.0, changes: Callable[[int], Mapping[str, Any]] | None = None
    ) -> int:
        """Tells all the moment at which they begin, and returns it by our clock. They may take so long to get ready.

        `changes`, by the host's place, are to what it was told with its work. What was told of a run before is forgotten.
        """
        errors = [post.offset.error_ns for post in self.posts if post.offset is not None]
        least_s = _AHEAD_S_MIN if any(post.done is None for post in self.posts) else _AHEAD_AGAIN_S_MIN
        ahead_s = least_s + preparing_s + _AHEAD_ROUND_TRIPS * 2 * max(errors) / _NS_PER_S
        at_ns = self._clock.unix_ns() + round(ahead_s * _NS_PER_S)
        for place, post in enumerate(self.posts):
            assert post.offset is not None, "clocks are compared first"
            post.slices, post.done, post.ended, post.missed = {}, None, post.gone, None
            changed = {} if changes is None else changes(place)
            post.link.say("begin", at_ns=round(at_ns + post.offset.ahead_ns), **changed)
        return at_ns

    def follow(
        self,
        tell: Callable[[Sequence[Post]], None],
        until_ns: int,
        remark: Callable[[str, Message], None],
        as_one: bool = False,
    ) -> None:
        """Takes in what they measure until all have ended. A wish to stop is passed on, and their results are waited for.

        `as_one`: what one of them measures is worth nothing without the others, so that all end where one does early, or is lost.

        A host that has not ended when it should have, or some time after it was told to stop, is lost, also where it says that
        it is there. Raises `begin-missed` where one was not ready at the moment of the begin.
        """
        lose = self.losing(remark)
        ending = _Ending(self._clock.monotonic_s() + (until_ns - self._clock.unix_ns()) / _NS_PER_S)

        def hear(post: Post, heard: Heard) -> None:
            said = heard.message or {}
            if said.get("say") == "slice":
                post.slices[int(said["index"])] = Slice.of(said)
                tell(self.posts)
            elif said.get("say") == "remark":
                remark(post.host, said)
            elif said.get("say") == "done":
                post.done, post.ended = Done.of(said), True
            elif said.get("say") == "missed":
                post.missed, post.ended = f"{post.host}: {said['message']}", True
                if not as_one:
                    # What the others measure without it is nothing that was asked for.
                    raise missed(post)

        def is_done() -> bool:
            now_s = self._clock.monotonic_s()
            if self._cancel.is_set:
                ending.order("stop", self.there(), now_s)
            elif as_one and any(map(_is_early, self.posts)):
                ending.order("halt", self.there(), now_s)
            self._lose_late(now_s, ending.until_s, lose)
            return all(post.ended for post in self.posts)

        self.listen(is_done, hear, is_lost=lose)

    def losing(self, remark: Callable[[str, Message], None]) -> Callable[[Post, PlimsollError], None]:
        """What notes a loss, and tells it at once."""

        def lose(post: Post, error: PlimsollError) -> None:
            if not post.ended:
                remark(post.host, {"say": "lost", "message": error.message})
                post.link.lost_because = error.message
            post.ended, post.gone, post.gone_because = True, True, error.message

        return lose

    def _lose_late(self, now_s: float, until_s: float, lose: Callable[[Post, PlimsollError], None]) -> None:
        for post in self.posts if now_s > until_s else ():
            if not post.ended:
                lose(post, late(post))

    def finish(self) -> None:
        """Has all that are there take back what they made, and waits for that, as removing a large file may take a while."""
        for post in self.there():
            post.link.say("finish")
        self.listen(self._have_finished, _pass_over, is_lost=_let_go)

    def _have_finished(self) -> bool:
        return all(post.finished for post in self.there())

    def there(self) -> Iterator[Post]:
        """Those that can be asked something."""
        return (post for post in self.posts if not post.gone)

    def listen(
        self,
        is_done: Callable[[], bool],
        hear: Callable[[Post, Heard], None],
        patience_s: float | None = None,
        is_lost: Callable[[Post, PlimsollError], None] | None = None,
    ) -> None:
        """Passes on what comes until it is done. Without `is_lost` a host that is lost raises why, and so does a wish to stop."""
        by_link = {id(post.link): post for post in self.posts}
        until_s = None if patience_s is None else self._clock.monotonic_s() + patience_s
        while not is_done():
            if is_lost is None and self._cancel.is_set:
                raise Interrupted
            for post, lost in (*self._silent(until_s), *self._next(by_link, hear)):
                if is_lost is None:
                    post.link.lost_because, post.gone, post.gone_because = lost.message, True, lost.message
                    raise lost
                is_lost(post, lost)

    def _next(
        self, by_link: Mapping[int, Post], hear: Callable[[Post, Heard], None]
    ) -> Iterator[tuple[Post, PlimsollError]]:
        """Passes on what comes next, if anything does in a moment; gives the host that is lost with it."""
        with suppress(Empty):
            heard = self._inbox.get(timeout=0.05)
            post = by_link[id(heard.link)]
            if heard.message is not None:
                # What comes of one that was given up tells nothing of what it measured.
                post.heard_ns = post.heard_ns if post.gone else heard.at_ns
                post.finished = post.finished or heard.message["say"] == "finished"
            refused = None if post.gone else _refusal(post, heard) or _misheard(post, heard, hear)
            if refused is not None:
                yield post, refused

    def _silent(self, until_s: float | None) -> Iterator[tuple[Post, PlimsollError]]:
        """Hosts that have said nothing for too long. Once in a while they are told that we are there, and looked at."""
        now_s = self._clock.monotonic_s()
        if now_s - self._alive_s < AGENT_ALIVE_S:
            return
        self._alive_s = now_s
        for post in list(self.there()):
            post.link.say("alive")
            if post.link.greeted and now_s - post.link.heard_s > AGENT_SILENCE_S:
                yield post, _silence(post, AGENT_SILENCE_S)
            elif not post.link.greeted and until_s is not None and now_s > until_s:
                yield post, _silence(post, AGENT_GREETING_S)


@contextmanager
def agents(hosts: Sequence[str], launch: Way, clock: Clock, cancel: Cancel) -> Iterator[Conductor]:
    """Agents on all hosts, which end with the block. Raises WorldError `host-unreachable` where the launcher cannot be run."""
    inbox: Queue[Heard] = Queue()
    posts: list[Post] = []
    try:
        for host in hosts:
            command: list[str] = []
            try:
                command = launch.command(host)
                link = Link(host, command, inbox, clock)
                by_hand, agent_by_hand = launch.by_hand(host), launch.agent_by_hand(host)
                posts.append(
                    Post(link, by_hand, agent_by_hand=agent_by_hand, ends_as_agent=launch.ends_as_agent)
                )
            except OSError as error:
                message = (
                    f"could not start {command[0] if command else 'Python'} for {host}: {error.strerror}"
                )
                raise WorldError(
                    "host-unreachable", message, "Install it, or name another with --launcher."
                ) from error
        yield Conductor(posts, inbox, clock, cancel)
    finally:
        for post in posts:
            post.link.part()
        for post in posts:
            post.link.close()


@dataclass
class _Ending:
    """Until when hosts may be at work, by our clock, and what they were told to hurry them."""

    until_s: float
    told: set[str] = field(default_factory=set)

    def order(self, word: str, posts: Iterable[Post], now_s: float) -> None:
        """Tells them once."""
        if word not in self.told:
            self.told.add(word)
            self.until_s = min(self.until_s, now_s + AGENT_STOP_S)
            for post in posts:
                post.link.say(word)


def _is_early(post: Post) -> bool:
    """Whether what the others do is worth nothing any more; one that has done as many I/Os as it was to is not."""
    ends_early = post.done is not None and post.done.cell.ended_early not in ("", "ios_max")
    return post.gone or post.missed is not None or ends_early


def missed(post: Post) -> WorldError:
    """That a host was not ready at the moment of the begin."""
    return WorldError("begin-missed", post.missed or "", "Measure when the host is less busy.")


def _pass_over(post: Post, heard: Heard) -> None:
    """That they have finished is noted of whatever they say."""


def _let_go(post: Post, error: PlimsollError) -> None:
    post.gone = True


def _misheard(post: Post, heard: Heard, hear: Callable[[Post, Heard], None]) -> PlimsollError | None:
    """Passes on what an agent says, which may be of any form; what cannot be understood is as good as no word."""
    try:
        if (heard.message or {}).get("say") not in _WORDS:
            word = printable(str((heard.message or {}).get("say"))[:_WORD_LETTERS_MAX])
            raise ValueError(f"no word of this talk: '{word}'")
        hear(post, heard)
    except (KeyError, TypeError, ValueError) as error:
        message = f"{post.host} said something that cannot be understood: {said_wrongly(error)}"
        return WorldError("host-talk", message, "See that the same release is on both sides.")
    return None


def _refusal(post: Post, heard: Heard) -> PlimsollError | None:
    """Why the agent goes no further: it says so itself, or its program has ended."""
    said = heard.message
    if said is None:
        return _end_of(post)
    if said["say"] != "failed":
        return None
    post.refused = True
    error = PlimsollError(str(said.get("id")), f"{post.host}: {said.get('message')}", said.get("hint"))
    status = said.get("status")
    error.status = next((one for one in ExitStatus if one == status), ExitStatus.WORLD_FAILED)
    return error


def _end_of(post: Post) -> PlimsollError:
    status, words = post.link.exit_status, post.link.last_words
    because = f": {words}" if words else ""
    if post.link.greeted and post.link.talks_wrongly:
        message = f"{post.host} said something that cannot be understood{because}"
        return WorldError("host-talk", message, "See that the same release is on both sides.")
    if post.link.greeted and status is not None and status < 0 and not post.ends_as_agent:
        message = f"{post.host} was lost: the launcher ({post.link.program}) was ended by {how_ended(status)}"
        return WorldError("host-lost", message, f"See on this host who ended it. {post.reach}")
    if post.link.greeted:
        return lost_agent(post, f"ended without its result{_with(status)}{because}")
    if status in _MISSING:
        return WorldError(
            "host-without-plimsoll", f"{post.host} has no plimsoll that can be started{because}", _INSTALL
        )
    if status == _SSH_FAILED:
        return WorldError("host-unreachable", f"could not reach {post.host}{because}", post.reach)
    ended = "it" if status is None else f"with {how_ended(status)} it"
    # Of one that prints and prints it was we who did not wait any longer.
    how = "" if post.link.talks_wrongly else f", {ended} ended"
    message = f"no agent greeted from {post.host}{how}{because}{_printed(post)}"
    return WorldError("host-unreachable", message, post.start)


def lost_agent(post: Post, how: str) -> PlimsollError:
    """That its agent is there no more."""
    return WorldError(
        "host-lost", f"{post.host} was lost: its agent {how}", f"See there who ended it. {post.start}"
    )


def _with(status: int | None) -> str:
    return f", with {how_ended(status)}" if status else ""


def _printed(post: Post) -> str:
    return f"; in place of a greeting it printed '{post.link.first_line}'" if post.link.first_line else ""


def works_on(post: Post, error: PlimsollError) -> bool:
    """Whether the agent of a host that was lost may be at work until it notices that it hears nothing of us.

    A launcher such as ssh may give up a link that was cut before we do.
    """
    cut = error.id == "host-lost" and post.link.exit_status == _SSH_FAILED
    return cut or error.id in ("host-silent", "host-talk", "host-late")


def late(post: Post) -> PlimsollError:
    """That it is given up, though it may say that it is there."""
    message = f"{post.host} was lost: it had not ended long after it should have"
    return WorldError("host-late", message, "Look there for I/Os that hang: ps -eo pid,stat,wchan:30,args.")


def _silence(post: Post, seconds: float) -> PlimsollError:
    message = f"{post.host} was lost: nothing was heard of it for {format_seconds(seconds)}"
    if post.link.greeted:
        return WorldError("host-silent", message, post.reach)
    return WorldError("host-silent", f"{message}{_printed(post)}", post.start)
