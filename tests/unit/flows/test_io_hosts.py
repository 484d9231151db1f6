"""What is found out of hosts before they begin, and of clocks afterwards: with posts that say what a test wants."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from queue import Queue
from types import SimpleNamespace
from typing import Any, cast

import pytest

from facts_builder import target
from made_up_trials import made_up
from plimsoll.base.errors import PlimsollError, SafetyError, UsageError, WorldError
from plimsoll.base.units import format_bytes
from plimsoll.cluster import conduct, result
from plimsoll.cluster.clocks import Offset
from plimsoll.cluster.conduct import Conductor
from plimsoll.cluster.post import Post
from plimsoll.cluster.result import left_behind, left_there
from plimsoll.cluster.wire import said_wrongly
from plimsoll.context import Cancel
from plimsoll.facts import Cell, Target
from plimsoll.flows import agent, hosts_together, io_hosts
from plimsoll.flows.hosts_together import HostsTogether, HostsWork
from plimsoll.native.latency import latency_of_counts
from plimsoll.ports.clock import SystemClock, VirtualClock
from plimsoll.requests.io import IoRequest
from plimsoll.supply.workloads import workload

ASKED = IoRequest.of_words({"target": "/data/file", "hosts": ("a", "b"), "runtime": "5s"})


def _work(asked: IoRequest) -> HostsWork:
    return HostsWork("io", asked, workload(asked.rw, asked.block_bytes, asked.read_share))


class _Conductor:
    """Posts on which each path was looked at already."""

    def __init__(self, kind: str, looked: list[list[Any]], boots: str) -> None:
        self.looked_at: list[str] = []
        self.posts = [
            SimpleNamespace(target=self._target(kind, number), looked=seen, boot=boots[number])
            for number, seen in enumerate(looked)
        ]

    @staticmethod
    def _target(kind: str, number: int) -> Target:
        path = f"/data/plimsoll-scratch-{number}.dat" if kind == "scratch" else f"/real/{number}"
        return target().model_copy(update={"path": path, "kind": kind, "ours": kind == "scratch"})

    def look(self, paths: list[str]) -> None:
        self.looked_at = list(paths)


def _storage(
    kind: str, looked: list[list[Any]], boots: str = "ab", writes: bool = False, asked: IoRequest = ASKED
) -> bool | None:
    conductor = _Conductor(kind, looked, boots)
    asked = replace(asked, rw="randwrite" if writes else "randread")
    same = hosts_together.check_storage(_work(asked), cast("Conductor", conductor))
    if kind != "scratch":
        assert conductor.looked_at == [asked.target], "links are followed by each host itself"
    return same


ONE = {
    "device": 2, "inode": 7, "number": 0, "size_bytes": 1 << 20, "modified_ns": 5, "file_system": "nfs4", "names": [],
}  # fmt: skip
OTHER = {**ONE, "inode": 8}


def test_one_folder_is_known_by_the_files_of_the_others() -> None:
    assert _storage("scratch", [[ONE, OTHER], [ONE, OTHER]], writes=True) is True
    assert _storage("scratch", [[ONE, None], [None, OTHER]], writes=True) is False


def test_hosts_that_see_different_files_under_one_name_are_refused() -> None:
    with pytest.raises(UsageError) as error:
        _storage("file", [[ONE], [OTHER]])
    assert error.value.id == "hosts-differ"
    own = IoRequest.of_words({"target": "/data/file", "hosts": ("a", "b"), "own_storage": True})
    assert _storage("file", [[ONE], [OTHER]], asked=own) is False
    assert _storage("file", [[ONE], [ONE]]) is True


def test_one_file_is_not_written_to_by_several() -> None:
    with pytest.raises(SafetyError) as error:
        _storage("file", [[ONE], [ONE]], writes=True)
    assert error.value.id == "hosts-write-one-file"


@pytest.mark.parametrize(
    ("seen", "is_refused"),
    [([{"is_folder": False}], True), ([{"is_folder": True}], False), ([None], False), ([7], False)],
)
def test_what_hosts_would_write_to_is_refused_before_any_agent_opens_it(
    seen: list[Any], is_refused: bool
) -> None:
    conductor = cast("Conductor", _Conductor("file", [[None], seen], "aa"))
    hosts_together.check_writes(_work(ASKED), conductor)
    writes = _work(replace(ASKED, rw="randwrite"))
    if not is_refused:
        hosts_together.check_writes(writes, conductor)
        return
    with pytest.raises(SafetyError, match="2 hosts would write to /data/file") as error:
        hosts_together.check_writes(writes, conductor)
    assert error.value.id == "hosts-write-one-file"


def test_options_that_hosts_do_not_take_are_told_as_those_of_one_host() -> None:
    told = hosts_together._hint_over_hosts(
        "Make one with --prefill, or confirm it with --destroy /dev/sdb=SERIAL."
    )
    assert told is not None
    assert told.endswith(" --hosts takes no --prefill and --destroy: that is done without it, on one host.")
    assert hosts_together._hint_over_hosts("Ask for less with --size.") == "Ask for less with --size."
    assert hosts_together._hint_over_hosts(None) is None


def test_a_wish_to_end_after_all_was_measured_interrupted_nothing() -> None:
    def post(ended: str | None, lost: str | None = None) -> Post:
        done = None if ended is None else SimpleNamespace(cell=SimpleNamespace(ended_early=ended))
        return cast("Post", SimpleNamespace(done=done, link=SimpleNamespace(lost_because=lost)))

    assert io_hosts._is_whole([post(""), post("ios_max")])
    assert io_hosts._is_whole([post(""), post(None, "b was lost")])
    assert not io_hosts._is_whole([post(""), post("stopped")])
    assert not io_hosts._is_whole([post(None)])
    assert not io_hosts._is_whole([post(None, "b was lost")])


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (KeyError("cell"), "'cell' is missing"),
        (ValueError("the word wall"), "the word wall"),
        (TypeError(), "TypeError"),
    ],
)
def test_why_a_word_was_not_understood_is_told_in_words(error: Exception, told: str) -> None:
    assert said_wrongly(error) == told


def _ended(
    status: int | None, *, greeted: bool = True, wrongly: bool = False, ends_as_agent: bool = False
) -> str:
    words = "it said 1,000 lines and no greeting of an agent" if wrongly else ""
    link = SimpleNamespace(
        host="b", greeted=greeted, exit_status=status, last_words=words, talks_wrongly=wrongly, first_line="hello", program="ssh",
    )  # fmt: skip
    return conduct._end_of(Post(cast("Any", link), "ssh b true", ends_as_agent=ends_as_agent)).message


def test_which_program_ended_is_told() -> None:
    assert _ended(-9) == "b was lost: the launcher (ssh) was ended by signal 9 (SIGKILL)"
    ended = "b was lost: its agent ended without its result, with"
    assert _ended(-9, ends_as_agent=True) == f"{ended} signal 9 (SIGKILL)"
    assert _ended(3) == f"{ended} status 3"
    told = "no agent greeted from b: it said 1,000 lines and no greeting of an agent; in place of a greeting it printed 'hello'"
    assert _ended(None, greeted=False, wrongly=True) == told
    assert _ended(0, greeted=False).startswith("no agent greeted from b, with status 0 it ended")


def test_what_a_host_tells_of_a_file_may_be_of_any_form() -> None:
    with pytest.raises(WorldError) as error:
        _storage("file", [[ONE], [{"inode": "seven"}]])
    assert error.value.id == "host-talk"


def test_a_path_from_here_is_none_on_other_hosts() -> None:
    with pytest.raises(UsageError) as error:
        hosts_together.check_target(IoRequest.of_words({"target": ".", "hosts": ("a",)}))
    assert error.value.id == "hosts-relative"
    for name in ("/data", "sim:", "nfs://h/e/f"):
        hosts_together.check_target(IoRequest.of_words({"target": name, "hosts": ("a",)}))


@pytest.mark.parametrize("hosts", [(), ("",), (1, 2)])
def test_no_host_is_not_this_one(hosts: tuple[object, ...]) -> None:
    with pytest.raises(UsageError) as error:
        IoRequest.of_words({"target": "/data", "hosts": hosts}).refuse_idle(frozenset({"hosts"}))
    assert error.value.id == "host-name"


def _preparing_s(asked: IoRequest, engine: str = "io_uring") -> float:
    posts = [cast("Post", SimpleNamespace(engine=engine))]
    return sum(map(hosts_together._preparing_s, hosts_together._widest(_work(asked), posts)))


def test_much_to_prepare_puts_the_begin_off() -> None:
    many = IoRequest.of_words(
        {"target": "/d", "rw": "write", "block": "1m", "depth": 32, "jobs": 64, "hosts": ("a",)}
    )
    assert _preparing_s(many) > 20
    assert _preparing_s(ASKED) < 0.1
    deep = IoRequest.of_words({"target": "/d", "rate": 1000.0, "jobs": 112, "hosts": ("a",)})
    assert _preparing_s(deep) < 1, "what is read into need not be filled"
    assert _preparing_s(deep, "psync") > 5, "a thread for each I/O"


def test_names_of_one_machine_are_told() -> None:
    posts = [
        cast("Post", SimpleNamespace(host=host, boot=boot))
        for host, boot in (("a", "1"), ("b", "2"), ("c", "1"))
    ]
    (note,) = result.notes_of_machines(posts)
    assert note.message.startswith("a, c are one machine")


def test_a_clock_that_is_hardly_known_is_refused() -> None:
    hosts_together.check_clock(_work(ASKED), "a", Offset(7.2e12, 0.05e9))
    with pytest.raises(WorldError) as error:
        hosts_together.check_clock(_work(ASKED), "a", Offset(0.0, 0.051e9))
    assert error.value.id == "clocks-apart"
    assert error.value.hint is not None
    assert "--runtime 11s" in error.value.hint


def test_hosts_that_were_all_lost_are_an_error() -> None:
    posts = [Post(cast("Any", SimpleNamespace(lost_because="a was lost")), "ssh a true")]
    with pytest.raises(WorldError) as error:
        result._raise_lost(posts)
    assert error.value.id == "hosts-lost"


SLICE = {
    "say": "slice",
    "index": 0,
    "from_s": 0,
    "lasting_s": 1,
    "ios": 1,
    "bytes": 1,
    "hdr": "",
    "first_s": None,
    "last_s": 0.5,
}


@pytest.mark.parametrize(
    "said",
    [
        {**SLICE, "index": "seven"},
        {**SLICE, "hdr": "no base64"},
        {"say": "done", "started_ns": 1, "first_ns": None, "last_s": None, "cell": {"iops": "many"}},
        {"say": "done", "cell": {}},
        {"say": "wall"},
    ],
)
def test_what_cannot_be_understood_is_as_good_as_no_word(said: dict[str, Any]) -> None:
    link = SimpleNamespace(host="a", greeted=True, heard_s=0.0, say=lambda word, **members: None)
    post, inbox = Post(cast("Any", link), "ssh a true"), Queue[Any]()
    conductor = Conductor([post], inbox, SystemClock(), Cancel())
    inbox.put(SimpleNamespace(link=link, at_ns=1, message=said))
    conductor.follow(lambda posts: None, SystemClock().unix_ns() + 10**10, lambda host, said: None)
    assert "cannot be understood" in (post.link.lost_because or "")
    assert not re.search(r"Error\(|\n", post.link.lost_because or "")
    inbox.put(SimpleNamespace(link=link, at_ns=1, message={"say": "looked", "files": 7}))
    before = Conductor([Post(cast("Any", link), "ssh a true")], inbox, SystemClock(), Cancel())
    with pytest.raises(PlimsollError) as error:
        before.look(["/x"])
    assert error.value.id == "host-talk"


class _Hours(VirtualClock):
    """Every look at it is a minute later."""

    def monotonic_s(self) -> float:
        self.sleep(60.0)
        return super().monotonic_s()


@pytest.mark.parametrize("greeted", [False, True])
def test_a_host_that_says_nothing_ends_what_has_not_begun(greeted: bool) -> None:
    link = SimpleNamespace(
        host="a", greeted=greeted, heard_s=0.0, first_line="", say=lambda word, **members: None
    )
    conductor = Conductor([Post(cast("Any", link), "ssh a true")], Queue[Any](), _Hours(), Cancel())
    with pytest.raises(WorldError) as error:
        conductor.greet("0", lambda left, left_s: None)
    assert error.value.id == "host-silent"


def test_a_host_that_never_ends_is_lost_with_what_it_told() -> None:
    said: list[str] = []
    link = SimpleNamespace(
        host="a", greeted=True, heard_s=1e12, say=lambda word, **members: said.append(word)
    )
    post, inbox, clock, cancel = Post(cast("Any", link), "ssh a true"), Queue[Any](), _Hours(), Cancel()
    inbox.put(SimpleNamespace(link=link, at_ns=1, message=SLICE))
    conductor = Conductor([post], inbox, clock, cancel)
    cancel.set()
    conductor.follow(lambda posts: None, clock.unix_ns() + 10**15, lambda host, said: None)
    assert "stop" in said
    assert post.link.lost_because == "a was lost: it had not ended long after it should have"
    assert conduct.late(post).id == "host-late"


class _End:
    """Where an agent's slices go."""

    def __init__(self) -> None:
        self.told: list[int] = []

    def say(self, word: str, *, index: int, **members: Any) -> None:
        self.told.append(index)


def _row(index: int) -> Any:
    hdr = latency_of_counts([(100.0, 1)]).hdr
    return {
        "scope": "window", "window_index": index, "start_s": float(index), "duration_s": 1.0, "ios": 1, "completed_ios": 1,
        "bytes": 1, "errors": 0,
        "latency_hdr": hdr, "first_s": None, "last_s": None,
    }  # fmt: skip


def test_slices_without_ios_are_told_at_the_end() -> None:
    end = _End()
    teller = agent._Teller(cast("Any", end))
    teller.tell([_row(2)])
    teller.tell([_row(index) for index in range(5)])
    assert end.told == [2, 0, 1, 3, 4]


def test_room_is_for_the_files_of_all_hosts(tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free
    asked = IoRequest.of_words({"target": str(tmp_path), "size": free // 3})
    agent._check_room(asked, 1)
    with pytest.raises(WorldError) as error:
        agent._check_room(asked, 4)
    assert error.value.id == "disk-full"
    each = format_bytes(free // 3)
    assert f"are needed for files of 4 hosts, {each} each, with " in error.value.message


class _Talk:
    """A link to an agent that is asked, and says what a test wants."""

    def __init__(self, host: str, says: list[list[dict[str, Any]]], inbox: Queue[Any]) -> None:
        self.host, self.greeted, self.heard_s = host, True, 1e12
        self.lost_because: str | None = None
        self.exit_status, self.last_words, self.talks_wrongly = 0, "", False
        self.asked: list[str] = []
        self._says, self._inbox = says, inbox

    def say(self, word: str, **members: Any) -> None:
        self.asked.append(word)
        if word == "clock":
            self._tell({"say": "clock", "number": members["number"], "shown_ns": SystemClock().unix_ns()})
        if word == "begin" and self._says:
            for said in self._says.pop(0):
                self._tell(said)

    def _tell(self, said: dict[str, Any]) -> None:
        message = None if said.get("say") == "gone" else said
        self._inbox.put(SimpleNamespace(link=self, at_ns=SystemClock().unix_ns(), message=message))


def _done(ended_early: str = "") -> dict[str, Any]:
    cell = made_up("psync", 0.2, 0.0, held_below=1e9)(rate=1000.0, runtime_s=1.0)
    told = cell.but(ended_early=ended_early, engine="psync").model_dump(mode="json")
    return {"say": "done", "cell": told, "started_ns": 0, "first_ns": 0, "last_s": 1.0}


def _together(**says: list[list[dict[str, Any]]]) -> tuple[HostsTogether, dict[str, _Talk]]:
    inbox: Queue[Any] = Queue()
    links = {host: _Talk(host, these, inbox) for host, these in says.items()}
    posts = [
        Post(cast("Any", link), f"ssh {host} true", boot=host, engine="psync") for host, link in links.items()
    ]
    conductor = Conductor(posts, inbox, SystemClock(), Cancel())
    asked = replace(ASKED, hosts=tuple(says))
    ctx = SimpleNamespace(remark=lambda stage, message, warning: None)
    return HostsTogether(cast("Any", ctx), _work(asked), conductor), links


def _measured(together: HostsTogether) -> Cell:
    return together.measure(1.0, 0.0, lambda place: {})


def test_a_host_that_goes_once_it_has_told_all_is_lost_for_the_next_run() -> None:
    together, _ = _together(a=[[_done(), {"say": "gone"}]], b=[[_done("stopped")]])
    with pytest.raises(WorldError) as error:
        _measured(together)
    assert error.value.id == "host-lost"
    assert error.value.message.startswith("a was lost")


def test_a_moment_that_one_host_missed_is_made_again_for_all() -> None:
    late = {"say": "missed", "message": "it was ready 0.1 s after the moment of its begin"}
    together, links = _together(a=[[_done("stopped")], [_done()]], b=[[late], [_done()]])
    assert _measured(together).ended_early == ""
    assert links["a"].asked.count("begin") == 2
    assert "halt" in links["a"].asked, "it does not go on without the other one"
    together, _ = _together(a=[[_done()]] * 3, b=[[late]] * 3)
    with pytest.raises(WorldError) as error:
        _measured(together)
    assert error.value.id == "begin-missed"
    assert error.value.message.startswith("b: it was ready")


def test_one_that_has_done_its_ios_does_not_end_the_others() -> None:
    together, links = _together(a=[[_done("ios_max")]], b=[[_done("ios_max")]])
    assert _measured(together).ended_early == "ios_max"
    assert "halt" not in links["b"].asked


def test_a_word_that_is_none_is_no_word_of_an_agent() -> None:
    together, _ = _together(a=[[{"say": "banana"}]])
    with pytest.raises(WorldError) as error:
        _measured(together)
    assert error.value.id == "host-lost"
    assert "no word of this talk: 'banana'" in error.value.message
    inbox: Queue[Any] = Queue()
    link = SimpleNamespace(host="a", greeted=True, heard_s=1e12, say=lambda word, **members: None)
    inbox.put(SimpleNamespace(link=link, at_ns=1, message={"say": "banana"}))
    with pytest.raises(PlimsollError) as refused:
        Conductor([Post(cast("Any", link), "ssh a true")], inbox, SystemClock(), Cancel()).look(["/x"])
    assert refused.value.id == "host-talk"


def test_simulated_hosts_do_not_draw_alike() -> None:
    asked = IoRequest.of_words({"target": "sim:", "hosts": ("a", "b")})
    seeds = {hosts_together._work(_work(asked), place)["words"]["seed"] for place in (0, 1)}
    assert len(seeds) == 2


def test_the_file_of_a_host_that_went_is_named() -> None:
    together, _ = _together(a=[[_done(), {"say": "gone"}]], b=[[_done("stopped")]])
    made = target().model_copy(
        update={"kind": "scratch", "ours": True, "path": "/data/plimsoll-scratch-1.dat"}
    )
    together.conductor.posts[0].target = made
    with pytest.raises(WorldError):
        _measured(together)
    (note,) = together.losses
    assert "/data/plimsoll-scratch-1.dat may be left there" in note.message


def test_a_file_on_a_server_is_for_somebody_to_remove() -> None:
    """No journal of a host tells of it, so no later command takes it back."""
    post = Post(cast("Any", SimpleNamespace(host="a")), "ssh a true", gone_because="a was lost", fills=True)
    told = left_behind([post], "nfs://srv/export", is_remote=True)
    assert told.startswith(
        "; a scratch file in nfs://srv/export may be left on the server by a: it stays until"
    )
    path = "nfs://srv/export/plimsoll-scratch-1.dat"
    post.target = target().model_copy(update={"kind": "remote", "ours": True, "path": path})
    for words in (told, left_behind([post]), left_there(post.target)):
        assert words.endswith("it stays until somebody removes it by hand")
        assert "takes it back" not in words
    assert f"the scratch file {path} may be left on the server by a" in left_behind([post])
    assert f"{path} may be left on the server:" in left_there(post.target)
    post.target = target().model_copy(
        update={"kind": "remote", "ours": False, "path": "nfs://srv/export/data"}
    )
    assert left_behind([post]) == left_there(post.target) == "", "it was there before"
