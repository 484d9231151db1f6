"""What is found out of hosts before they begin, and of clocks afterwards: with posts that say what a test wants."""

from __future__ import annotations

from queue import Queue
from types import SimpleNamespace
from typing import Any, cast

import pytest

from facts_builder import target
from plimsoll.base.errors import PlimsollError, SafetyError, UsageError, WorldError
from plimsoll.cluster.clocks import Offset
from plimsoll.cluster.conduct import Conductor, Post
from plimsoll.context import Cancel
from plimsoll.flows import io_hosts
from plimsoll.ports.clock import SystemClock, VirtualClock
from plimsoll.requests.io import IoRequest

ASKED = IoRequest.of_words({"target": "/data/file", "hosts": ("a", "b"), "runtime": "5s"})


class _Conductor:
    """Posts on which each path was looked at already."""

    def __init__(self, paths: list[str], looked: list[list[Any]], writes: bool = False) -> None:
        self.posts = [
            SimpleNamespace(
                ready={
                    "target": target().model_copy(update={"path": path}).model_dump(mode="json"),
                    "writes": writes,
                },
                looked=seen,
            )
            for path, seen in zip(paths, looked, strict=True)
        ]

    def look(self, paths: list[str]) -> None:
        assert len(paths) == len(self.posts)


def _storage(paths: list[str], looked: list[list[Any]], writes: bool = False) -> bool | None:
    return io_hosts._check_storage(ASKED, cast("Conductor", _Conductor(paths, looked, writes)))


ONE = {"inode": 7, "size_bytes": 1 << 20, "names": []}
OTHER = {**ONE, "inode": 8}


def test_one_folder_is_known_by_the_files_of_the_others() -> None:
    assert _storage(["/data/1", "/data/2"], [[ONE, OTHER], [ONE, OTHER]]) is True
    assert _storage(["/data/1", "/data/2"], [[ONE, None], [None, OTHER]]) is False


def test_hosts_that_see_different_files_under_one_name_are_refused() -> None:
    with pytest.raises(UsageError) as error:
        _storage(["/data/file"] * 2, [[ONE, ONE], [OTHER, OTHER]])
    assert error.value.id == "hosts-differ"
    assert _storage(["/data/file"] * 2, [[ONE, ONE], [ONE, ONE]]) is True


def test_disks_are_one_by_their_identity() -> None:
    disk = {"inode": None, "size_bytes": 0, "names": ["serial=S1"]}
    assert _storage(["/dev/sdb"] * 2, [[disk, disk], [disk, disk]]) is True
    with pytest.raises(UsageError):
        _storage(["/dev/sdb"] * 2, [[disk, disk], [{**disk, "names": ["serial=S2"]}] * 2])


def test_one_file_is_not_written_to_by_several() -> None:
    with pytest.raises(SafetyError) as error:
        _storage(["/data/file"] * 2, [[ONE, ONE], [ONE, ONE]], writes=True)
    assert error.value.id == "hosts-write-one-file"
    assert _storage(["/data/1", "/data/2"], [[ONE, OTHER], [ONE, OTHER]], writes=True) is True


def test_a_clock_that_is_hardly_known_is_refused() -> None:
    io_hosts._check_clock(ASKED, "a", Offset(7.2e12, 0.05e9))
    with pytest.raises(WorldError) as error:
        io_hosts._check_clock(ASKED, "a", Offset(0.0, 0.051e9))
    assert error.value.id == "clocks-apart"
    assert error.value.hint is not None
    assert "--runtime 5s" in error.value.hint


def test_hosts_that_were_all_lost_are_an_error() -> None:
    posts = [cast("Post", SimpleNamespace(link=SimpleNamespace(lost_because="a was lost")))]
    with pytest.raises(WorldError) as error:
        io_hosts._raise_lost(posts)
    assert error.value.id == "hosts-lost"


def test_what_cannot_be_understood_is_as_good_as_no_word() -> None:
    link = SimpleNamespace(host="a", greeted=True, heard_s=0.0, say=lambda word, **members: None)
    post, inbox = Post(cast("Any", link)), Queue[Any]()
    conductor = Conductor([post], inbox, SystemClock(), Cancel())
    inbox.put(SimpleNamespace(link=link, at_ns=1, message={"say": "slice", "index": "seven"}))
    conductor.follow(lambda posts: None)
    assert "cannot be understood" in (post.link.lost_because or "")
    inbox.put(SimpleNamespace(link=link, at_ns=1, message={"say": "looked", "files": 7}))
    before = Conductor([Post(cast("Any", link))], inbox, SystemClock(), Cancel())
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
    link = SimpleNamespace(host="a", greeted=greeted, heard_s=0.0, say=lambda word, **members: None)
    conductor = Conductor([Post(cast("Any", link))], Queue[Any](), _Hours(), Cancel())
    with pytest.raises(WorldError) as error:
        conductor.greet("0")
    assert error.value.id == "host-silent"
