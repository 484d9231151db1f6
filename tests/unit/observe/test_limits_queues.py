"""Room for requests at a disk, as the kernel tells it with and without debugfs."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.facts import BindingLimit
from plimsoll.observe.limits import LimitWatch

DEADLINE, BFQ, NONE = "none [mq-deadline] kyber bfq", "none mq-deadline kyber [bfq]", "[none] mq-deadline"


def disk(
    root: Path,
    *,
    held: int,
    driver: int = 0,
    scheduler: str = DEADLINE,
    room: int = 256,
    numbered: tuple[int, ...] = (128,),
) -> None:
    """A disk with a queue for each of these numbers of its driver."""
    said = {
        "inflight": f"       {driver}        0",
        "queue/nr_requests": str(room),
        "queue/scheduler": scheduler,
        **{f"mq/{number}/nr_tags": str(tags) for number, tags in enumerate(numbered)},
    }
    write(root / "proc/diskstats", f"   8      16 sdb 10 0 80 1 20 0 160 2 {held} 3 4 0 0 0 0 0 0\n")
    for name, text in said.items():
        write(root / "sys/block/sdb" / name, f"{text}\n")


def kernel(root: Path, release: str) -> None:
    write(root / "proc/sys/kernel/osrelease", f"{release}\n")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def tags(root: Path, which: str, queue: int, busy: int, waiting: int = 0, depth: int = 256) -> None:
    """As Linux 6.18 writes it: places for the driver's own commands come last."""
    places = f"depth={depth}\nbusy={busy}\ncleared=2\nbits_per_word=64\nwake_batch=8\nws_active={waiting}\nws={{\n}}\n"
    reserved = "depth=1\nbusy=1\nws_active=1\n"
    text = f"nr_tags={depth}\nnr_reserved_tags=1\nactive_queues=0\n\nbitmap_tags:\n{places}\nbreserved_tags:\n{reserved}"
    write(root / f"sys/kernel/debug/block/sdb/hctx{queue}/{which}", text)


def looked(root: Path) -> tuple[dict[str, BindingLimit], tuple[str, ...]]:
    limits = LimitWatch(root)
    limits.look()
    return {one.name: one for one in limits.binding()}, limits.unseen


def test_what_a_scheduler_holds_is_seen_while_the_driver_has_nothing(tmp_path: Path) -> None:
    """As a loop device with mq-deadline at a depth of 600, whose driver was seen to have nothing at most moments."""
    disk(tmp_path, held=256)
    found, unseen = looked(tmp_path)
    assert {name: (one.value, one.used_max) for name, one in found.items()} == {
        "nr_requests": (256, 256),
        "queue_depth": (128, 128),
    }
    assert unseen == ()
    assert "in its scheduler (mq-deadline)" in found["nr_requests"].advice
    assert "echo 512 > /sys/block/sdb/queue/nr_requests" in found["nr_requests"].advice


def test_a_disk_that_has_room_for_all_binds_nothing(tmp_path: Path) -> None:
    disk(tmp_path, held=128, driver=60)
    assert looked(tmp_path) == ({}, ())
    disk(tmp_path, held=1, driver=1, scheduler=NONE)
    assert looked(tmp_path) == ({}, ())


def test_who_waits_for_room_is_told_by_debugfs_before_all_of_it_is_taken(tmp_path: Path) -> None:
    """bfq leaves places free for others: 241 of 256 were taken, and a process waited."""
    disk(tmp_path, held=241, driver=60, scheduler=BFQ)
    found, (words,) = looked(tmp_path)
    assert found == {}
    assert "241 requests were at sdb" in words
    assert "mount -t debugfs none /sys/kernel/debug" in words
    tags(tmp_path, "sched_tags", 0, busy=241)
    assert looked(tmp_path) == ({}, ()), "nobody waits"
    tags(tmp_path, "sched_tags", 0, busy=241, waiting=1)
    found, unseen = looked(tmp_path)
    assert {name: (one.value, one.used_max) for name, one in found.items()} == {"nr_requests": (256, 241)}
    assert unseen == ()


def test_what_bfq_holds_back_from_an_idle_disk_is_not_what_the_disk_refuses(tmp_path: Path) -> None:
    disk(tmp_path, held=200, driver=3, scheduler=BFQ)
    assert looked(tmp_path)[0] == {}
    disk(tmp_path, held=200, driver=128, scheduler=BFQ)
    assert list(looked(tmp_path)[0]) == ["queue_depth"]


def test_one_full_queue_of_several_is_told(tmp_path: Path) -> None:
    """Without a scheduler: each processor has its queue, and one asks for more than there is room for."""
    disk(tmp_path, held=300, driver=300, scheduler=NONE, room=256, numbered=(1023, 1023))
    found, (words,) = looked(tmp_path)
    assert (found, "each of its queues has room for 256" in words) == ({}, True)
    tags(tmp_path, "tags", 0, busy=256)
    assert looked(tmp_path)[1] == (words,), "the other queue is not told"
    tags(tmp_path, "tags", 1, busy=44)
    found, unseen = looked(tmp_path)
    assert {name: (one.value, one.used_max) for name, one in found.items()} == {"nr_requests": (256, 256)}
    assert unseen == ()


def test_one_full_queue_of_a_driver_with_several_is_its_depth(tmp_path: Path) -> None:
    disk(tmp_path, held=150, driver=150, scheduler=NONE, room=128, numbered=(128, 128))
    found, (words,) = looked(tmp_path)
    assert (found, "has room for 128: whether any waited for room (queue_depth)" in words) == ({}, True)
    tags(tmp_path, "tags", 0, busy=126, waiting=1, depth=128)
    tags(tmp_path, "tags", 1, busy=24, depth=128)
    found, _ = looked(tmp_path)
    assert {name: (one.value, one.used_max) for name, one in found.items()} == {"queue_depth": (128, 126)}
    assert "One of its 2 queues has no room" in found["queue_depth"].advice


def test_what_once_could_not_be_told_and_then_bound_is_told_once(tmp_path: Path) -> None:
    limits = LimitWatch(tmp_path)
    disk(tmp_path, held=250, driver=60)
    limits.look()
    assert len(limits.unseen) == 1
    disk(tmp_path, held=256, driver=60)
    limits.look()
    assert ("nr_requests" in {one.name for one in limits.binding()}, limits.unseen) == (True, ())


@pytest.mark.parametrize(
    ("release", "scheduler", "is_told"),
    [
        ("6.15.9-200.fc42.x86_64", DEADLINE, True),
        ("5.14.0-427.el9.x86_64", BFQ, True),
        ("6.16.0", DEADLINE, False),
        ("7.0-rc1", DEADLINE, False),
        ("6.1.0-40-amd64", NONE, False),
    ],
)
def test_a_scheduler_of_which_an_older_kernel_tells_nothing_is_told(
    tmp_path: Path, release: str, scheduler: str, is_told: bool
) -> None:
    """Its count of what is under way is of the driver alone: a full scheduler looks as an empty one."""
    kernel(tmp_path, release)
    disk(tmp_path, held=5, driver=5, scheduler=scheduler)
    found, unseen = looked(tmp_path)
    assert (found, len(unseen)) == ({}, int(is_told))
    assert all("before Linux 6.16 debugfs alone" in words for words in unseen)
    tags(tmp_path, "sched_tags", 0, busy=256)
    found, unseen = looked(tmp_path)
    assert ("nr_requests" in found, unseen) == (scheduler != NONE, ())


def test_a_disk_that_is_told_not_to_count_is_seen_by_debugfs(tmp_path: Path) -> None:
    disk(tmp_path, held=0)
    write(tmp_path / "sys/block/sdb/queue/iostats", "0\n")
    assert looked(tmp_path) == ({}, ())
    tags(tmp_path, "sched_tags", 0, busy=256)
    assert list(looked(tmp_path)[0]) == ["nr_requests"]
    write(tmp_path / "sys/block/sdb/queue/iostats", "1\n")
    assert looked(tmp_path) == ({}, ()), "what is counted says that there is nothing"


def test_what_a_driver_numbers_is_read_once_for_each_watch(tmp_path: Path) -> None:
    limits = LimitWatch(tmp_path)
    disk(tmp_path, held=100, driver=100)
    limits.look()
    disk(tmp_path, held=100, driver=100, numbered=(100,))
    limits.look()
    assert limits.binding() == (), "it was 128, and a driver does not change it"
    assert list(looked(tmp_path)[0]) == ["queue_depth"]
