"""From jobs to phases, files and clients: what runs at once, on what, and when it ends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.dialects.fio import job_file
from plimsoll.dialects.fio.job_file import Job
from plimsoll.dialects.fio.phases import phases, rate_per_s, read_share
from plimsoll.dialects.fio.places import paths, places
from plimsoll.dialects.fio.plan import Load, load
from plimsoll.facts import BlockDevice, Flush, Note, SizeShare, Target

MIB = 1 << 20


def parse(text: str) -> tuple[Job, ...]:
    return job_file.parse("my.fio", text, {})


def one(lines: str) -> Job:
    (job,) = parse(f"[j]\n{lines}\n")
    return job


def target(name: str, span_bytes: int, device: BlockDevice | None = None) -> Target:
    return Target(name=name, kind="file", path=f"/real/{name}", span_bytes=span_bytes, device=device)


def loaded(jobs: Sequence[Job], file_bytes: int = 64 * MIB, device: BlockDevice | None = None) -> Load:
    """The first phase of the jobs, on files of equal length."""
    (first, *_) = phases(jobs)
    return load(
        first, {path: target(path, file_bytes, device) for job in first for path in paths(job)}, seed=99
    )


def refused(text: str) -> str:
    with pytest.raises(UsageError) as caught:
        loaded(parse(text))
    assert caught.value.id == "job-unsupported"
    assert caught.value.hint
    return caught.value.message


def codes(notes: Sequence[Note]) -> list[str]:
    return [note.code for note in notes]


def test_a_stonewall_begins_a_phase() -> None:
    jobs = parse(
        "[a]\ntime_based\nruntime=1\n[b]\ntime_based\nruntime=1\n[c]\nstonewall\n[d]\nwait_for_previous\n"
    )
    assert [[job.label for job in phase] for phase in phases(jobs)] == [["a", "b"], ["c"], ["d"]]


def test_jobs_at_once_each_end_by_their_own_size_or_time() -> None:
    text = "[global]\nsize=64m\n[a]\n[b]\nruntime=2\nstartdelay=1\nio_size=32m\n[c]\nruntime=5\ntime_based\n"
    found = loaded(parse(text))
    assert [client.ios_max for client in found.plan.groups] == [16384, 8192, None]
    assert [client.runtime_s for client in found.plan.groups] == [None, 2, 5]
    assert [client.delay_s for client in found.plan.groups] == [0, 1, 0]
    assert (found.plan.ios_max, found.plan.runtime_s) == (None, None)


def test_jobs_at_once_that_end_together_have_one_time() -> None:
    found = loaded(parse("[global]\nsize=64m\ntime_based\nruntime=3\n[a]\n[b]\nstartdelay=1\nruntime=2\n"))
    assert found.plan.runtime_s == 3
    assert [client.runtime_s for client in found.plan.groups] == [None, None]
    assert [client.is_bounded for client in found.plan.groups] == [False, True]


def test_the_shortest_delay_is_nobodys() -> None:
    found = loaded(parse("[global]\nsize=64m\n[a]\nstartdelay=3\n[b]\nstartdelay=5\n"))
    assert [client.delay_s for client in found.plan.groups] == [0, 2]


@pytest.mark.parametrize(
    ("lines", "ios"),
    [
        ("size=1m", 256),
        ("size=1m\nloops=3", 768),
        ("size=1m\nio_size=3m", 768),
        ("size=4m\nio_size=1m", 256),
        ("size=1m\nio_size=1502k", 376),
        ("size=64k\nio_size=50%", 8),
        ("filesize=1m\nsize=4m", 256),
        ("filesize=4m\nsize=1m", 256),
        ("filesize=1m\nnrfiles=4", 1024),
        ("filesize=1m\noffset=256k", 192),
        ("size=1m\nnrfiles=4", 256),
        ("size=1m\nnrfiles=3", 255),
    ],
)
def test_a_job_moves_what_fio_moves(lines: str, ios: int) -> None:
    """The counts of fio 3.33 for a random reader of 4 KiB, seen on small files."""
    assert loaded([one(f"rw=randread\n{lines}")]).plan.ios_max == ios


def test_files_of_a_job_without_names() -> None:
    job = one("size=1m\nnrfiles=2\nnumjobs=2")
    assert paths(job) == ("j.0.0", "j.0.1", "j.1.0", "j.1.1")
    assert [part.span_bytes for part in loaded([job]).targets] == [MIB // 2] * 4
    assert [place.bytes_to_make for place in places([one("filesize=3m\nsize=1m")])] == [3 * MIB]


def test_a_rate_in_bytes_is_one_of_ios_of_the_mean_size() -> None:
    assert rate_per_s(one("rate=1m")) == 256
    assert rate_per_s(one("rate=1m\nbsrange=4k-12k\nnumjobs=2")) == 256
    assert rate_per_s(one("rate=1250")) == pytest.approx(0.305, abs=0.001)
    mix = one("rw=randrw\nrate=3m,1m")
    assert (rate_per_s(mix), read_share(mix)) == (1024, 0.75)
    assert codes(loaded([one("rate=1m\nbsrange=4k-12k\nsize=64m")]).notes) == [
        "page-cache",
        "fio-sizes",
        "fio-byte-rate",
    ]


def test_a_job_may_wait_for_another_where_that_is_all_that_runs() -> None:
    waits = "[a]\n[b]\nwait_for=a\n[c]\nwait_for=a\n[d]\nwait_for=c\n"
    with pytest.raises(UsageError, match="job d waits for c, but b may go on beside it"):
        phases(parse(waits))
    jobs = parse(waits.replace("wait_for=c", "stonewall"))
    assert [[job.label for job in phase] for phase in phases(jobs)] == [["a"], ["b", "c"], ["d"]]
    with pytest.raises(UsageError, match="job c would begin with the first ones, while b waits for a"):
        phases(parse("[a]\n[b]\nwait_for=a\n[c]\n"))
    with pytest.raises(UsageError, match="waits for x, which is not among the jobs just before it"):
        phases(parse("[a]\n[b]\nwait_for=x\n"))


def test_a_log_has_the_windows_that_it_asks_for() -> None:
    (found,) = [loaded([one("write_bw_log\nlog_avg_msec=250\nsize=1m\nruntime=60")])]
    assert found.plan.window_s == 0.25
    text = "[global]\nsize=1m\nwrite_bw_log\n[a]\nlog_avg_msec=250\n[b]\nlog_avg_msec=500\n"
    assert "have logs of 250 and 500 ms" in refused(text)


def test_more_jobs_at_once_than_can_be_told_apart_are_refused_before_a_file_is_made() -> None:
    mixed = "[global]\nrw=randrw\nsize=64m\n" + "".join(f"[j{number}]\n" for number in range(33))
    assert refused(mixed) == (
        "my.fio, line 4: job j0 and the jobs at once with it do 66 kinds of I/O, and 64 are the most"
    )
    assert len(phases(parse(mixed.replace("rw=randrw", "rw=read")))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "[a]\nstartdelay=1\n[b]\nstonewall\n",
        "[a]\n[b]\nstonewall\nstartdelay=1\n[c]\n",
        "[a]\n[b]\nstonewall\nstartdelay=1\n[c]\nstonewall\n",
    ],
)
def test_a_delay_that_would_let_others_begin_is_refused(text: str) -> None:
    with pytest.raises(
        UsageError, match="begins with a delay, and fio would begin with jobs behind it meanwhile"
    ):
        phases(parse(text))


def test_a_delay_at_the_end_or_beside_others_is_taken() -> None:
    assert len(phases(parse("[a]\n[b]\nstonewall\nstartdelay=1\n"))) == 2
    assert len(phases(parse("[a]\n[b]\nstartdelay=1\n[c]\nstonewall\n"))) == 2
    assert len(phases(parse("[a]\nstartdelay=1\n[b]\nwait_for=a\n"))) == 2


def test_the_null_engine_has_no_files() -> None:
    job = one("ioengine=null\nsize=64m\nnumjobs=2")
    assert places([job]) == ()
    found = load((job,), {}, seed=1)
    assert [target.path for target in found.targets] == ["j.0.0", "j.1.0"]
    assert found.plan.groups[0].engine == "null"
    assert codes(found.notes) == ["fio-null"]


def test_a_key_that_changes_no_timing_says_so() -> None:
    (note,) = (
        note
        for note in loaded([one("gtod_reduce=1\ndisable_slat=1\nsize=1m")]).notes
        if note.code == "fio-timed"
    )
    assert note.message.startswith("job j: gtod_reduce, disable_slat: times are taken all the same")


@pytest.mark.parametrize("line", ["direct=1", "ramp_time=1", "randseed=3", "randrepeat=0"])
def test_what_a_run_has_once_is_the_same_for_all_jobs_at_once(line: str) -> None:
    text = f"[global]\ntime_based\nruntime=1\nsize=64m\n[a]\n[b]\n{line}\n"
    assert refused(text).startswith("my.fio, line 6: job b runs at once with a, but with another")


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("time_based", "is time_based without a runtime"),
        ("fsync=1\nfdatasync=1", "has both fsync and fdatasync"),
        ("rate_iops=5\nthinktime=5", "has both a rate and thinktime"),
        ("rate_iops=5\nrate=5", "has both rate and rate_iops"),
        ("rw=randrw\nrate=5m,", "has a rate for one of reads and writes"),
        ("write_bw_log=x", "asks for a log of single I/Os, which are not kept"),
        ("io_size=1m\nloops=2", "has both loops and io_size"),
        ("io_submit_mode=offload", "has io_submit_mode=offload and no rate"),
        ("filesize=1m\nsize=50%", "has a filesize, and a size in percent"),
        ("filesize=1m\noffset=1m", "begins at an offset beyond its filesize"),
        ("filename=a:b\nnrfiles=3", "has nrfiles=3, but names 2 files"),
        ("rw=randrw\nrate_iops=5,", "has a rate for one of reads and writes"),
        ("rw=randrw\nrate_iops=5\nrwmixread=70", "asks for 70 % reads, but its rates make 50 %"),
        ("directory=/srv\nfilename=/dev/sda", "has directory=/srv and a file name that begins with /"),
        ("size=1k", "has a size of less than one block"),
    ],
)
def test_a_job_that_cannot_be_run_as_it_says(lines: str, says: str) -> None:
    assert refused(f"[j]\n{lines}\n").startswith(f"my.fio, line 1: job j {says}")


@pytest.mark.parametrize(
    ("lines", "share", "rate"),
    [
        ("rw=read\nrwmixread=20", 1.0, None),
        ("rw=randwrite", 0.0, None),
        ("rw=rw", 0.5, None),
        ("rw=randrw\nrwmixwrite=30", 0.7, None),
        ("rw=randread\nrate_iops=500\nnumjobs=4", 1.0, 2000),
        ("rw=write\nrate_iops=500,200", 0.0, 200),
        ("rw=write\nrate_iops=500,", 0.0, None),
        ("rw=randrw\nrate_iops=300,100", 0.75, 400),
        ("rw=randrw\nrate_iops=300,100\nrwmixread=75", 0.75, 400),
    ],
)
def test_shares_and_rates(lines: str, share: float, rate: float | None) -> None:
    job = one(lines)
    assert read_share(job) == pytest.approx(share)
    assert rate_per_s(job) == rate


def test_a_job_ends_when_each_clone_has_moved_its_size() -> None:
    assert loaded([one("size=16m\nbs=8k\nnumjobs=4")]).plan.ios_max == 4 * 2048
    assert loaded([one("size=16m\nbs=8k\nnumjobs=4\nfilename=x")]).plan.ios_max == 4 * 2048
    assert loaded([one("size=16m\nbs=12k\nfilename=x:y")]).plan.ios_max == 2 * 682
    assert loaded([one("size=16m\nbs=12k\nrw=randread")]).plan.ios_max == 1365
    assert loaded([one("size=16m\nbs=12k\nrw=randread\nnorandommap")]).plan.ios_max == 1366
    assert loaded([one("size=16m\nbs=8k\ntime_based\nruntime=1")]).plan.ios_max is None
    assert loaded([one("bs=1m\nfilename=x\noffset=4m")]).plan.ios_max == 60


@pytest.mark.parametrize("percent", range(101))
def test_no_block_is_lost_to_rounding(percent: int) -> None:
    assert loaded([one(f"size=48m\nbs=12k\nrw=randrw\nrwmixread={percent}")]).plan.ios_max == 4096


def test_of_several_sizes_it_ends_by_their_mean() -> None:
    ready = loaded([one("size=16m\nrw=randread\nbssplit=4k/50:12k/50")])
    assert (ready.plan.ios_max, codes(ready.notes)) == (2048, ["page-cache", "fio-sizes"])
    ready = loaded([one("size=16m\nrw=randrw\nrwmixread=75\nbs=4k,20k")])
    assert ready.plan.ios_max == 2048


def test_blocking_engines_have_one_in_flight_and_say_so() -> None:
    ready = loaded([one("size=16m\nioengine=sync\niodepth=8\nnumjobs=3\ndirect=1")])
    (client,) = ready.plan.groups
    assert (client.engine, client.jobs, client.depth) == ("psync", 3, 1)
    assert codes(ready.notes) == ["fio-depth"]
    (client,) = loaded([one("size=16m\nioengine=libaio\niodepth=8\nthinktime=5")]).plan.groups
    assert (client.engine, client.depth, client.think_us) == ("libaio", 1, 5)
    (client,) = loaded([one("size=16m\nioengine=io_uring\niodepth=8")]).plan.groups
    assert (client.engine, client.depth) == ("io_uring", 8)


@pytest.mark.parametrize(
    ("lines", "pattern", "skew"),
    [
        ("rw=read", "sequential", None),
        ("rw=read\nrandom_distribution=zipf:1.2", "sequential", None),
        ("rw=randread", "shuffled", None),
        ("rw=randread\nnorandommap", "random", None),
        ("rw=randread\nrandom_distribution=zipf:1.2", "zipf", 1.2),
        ("rw=randread\nnorandommap\nrandom_distribution=pareto:0.9", "pareto", 0.9),
    ],
)
def test_patterns(lines: str, pattern: str, skew: float | None) -> None:
    (client,) = loaded([one(f"size=16m\n{lines}")]).plan.groups
    assert [(io.pattern, io.skew) for io in client.workload.classes] == [(pattern, skew)]


def test_classes_of_a_mix() -> None:
    (client,) = loaded(
        [one("size=16m\nrw=randrw\nrwmixread=70\nbssplit=4k/25:8k/75,16k\nfsync=32\nsync=dsync")]
    ).plan.groups
    read, write = client.workload.classes
    assert (read.name, read.block_bytes, read.weight, read.flush, read.sync) == (
        "read",
        8192,
        0.7,
        None,
        False,
    )
    assert read.sizes == (SizeShare(bytes=4096, weight=25), SizeShare(bytes=8192, weight=75))
    assert (write.name, write.block_bytes, write.sizes, write.sync) == ("write", 16384, (), True)
    assert (write.weight, write.flush) == (pytest.approx(0.3), Flush(every=32, call="fsync"))


def test_jobs_at_once_are_told_apart() -> None:
    jobs = parse(
        "[global]\ntime_based\nruntime=1\nramp_time=500ms\nsize=16m\n[a]\nrw=rw\n[a]\nrw=read\nfilename=x:y\n"
    )
    ready = loaded(jobs)
    assert [client.name for client in ready.plan.groups] == ["a", "a (2)"]
    names = [io.name for client in ready.plan.groups for io in client.workload.classes]
    assert names == ["a read", "a write", "a (2) read"]
    assert [client.targets for client in ready.plan.groups] == [(0,), (1, 2)]
    assert [(part.name, part.span_bytes) for part in ready.targets] == [
        ("a.0.0", 16 * MIB),
        ("x", 8 * MIB),
        ("y", 8 * MIB),
    ]
    assert (ready.plan.runtime_s, ready.plan.warm_up_s, ready.plan.ios_max) == (1, 0.5, None)


def test_seeds() -> None:
    assert loaded([one("size=16m")]).plan.seed == 1
    assert loaded([one("size=16m\nrandseed=7")]).plan.seed == 7
    assert loaded([one("size=16m\nrandrepeat=0")]).plan.seed == 99


def test_a_part_of_a_file() -> None:
    (part,) = loaded([one("filename=x\noffset=16m\nsize=32m")]).targets
    assert (part.offset_bytes, part.span_bytes, part.path) == (16 * MIB, 32 * MIB, "/real/x")
    (part,) = loaded([one("filename=x\nsize=50%")]).targets
    assert part.span_bytes == 32 * MIB


def test_a_file_that_is_too_small_is_not_made_larger() -> None:
    with pytest.raises(
        UsageError, match=r"my\.fio, line 1: job j wants 64 MiB from 1 MiB on in x, which holds 64 MiB"
    ) as caught:
        loaded([one("filename=x\noffset=1m\nsize=64m")])
    assert caught.value.id == "target-too-small"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("filename=x\nnumjobs=2\nrw=read", ["fio-regions"]),
        ("filename=x\nnumjobs=2\nrw=randread\nnorandommap", []),
        ("numjobs=2\nrw=read", []),
        ("filename=x:y\nrw=read", ["fio-file-order"]),
        ("filename=x:y\nrw=randread", []),
        ("rw=write\nsync=1", ["fio-sync"]),
        ("rw=read\nsync=1", []),
    ],
)
def test_what_is_done_otherwise_than_by_fio_is_said(lines: str, expected: list[str]) -> None:
    assert codes(loaded([one(f"direct=1\nsize=16m\n{lines}")]).notes) == expected


@pytest.mark.parametrize(
    ("scheduler", "wanted", "said"),
    [("none", "noop", False), ("none", "none", False), ("mq-deadline", "noop", True), (None, "none", True)],
)
def test_the_scheduler_is_compared_and_never_set(scheduler: str | None, wanted: str, said: bool) -> None:
    device = BlockDevice(name="sdz", scheduler=scheduler)
    notes = loaded([one(f"size=16m\ndirect=1\nioscheduler={wanted}")], device=device).notes
    assert codes(notes) == (["fio-scheduler"] if said else [])
    if scheduler == "mq-deadline":
        assert "sdz uses mq-deadline" in notes[0].message
        assert "echo none > /sys/block/sdz/queue/scheduler" in notes[0].message


def test_files_have_the_names_that_fio_gives_them(tmp_path: Path) -> None:
    job = one(f"directory={tmp_path}\nnumjobs=2\nname=a/b\nsize=1m")
    assert paths(job) == (f"{tmp_path}/a_b.0.0", f"{tmp_path}/a_b.1.0")
    assert paths(one("directory=/srv\nfilename=x:y")) == ("/srv/x", "/srv/y")
    assert paths(one("directory=/srv\nfilename=sim\\:mean=100us")) == ("sim:mean=100us",)


def test_a_file_that_is_not_there_is_made_as_large_as_its_largest_job(tmp_path: Path) -> None:
    jobs = parse(
        f"[global]\ndirectory={tmp_path}\nfilename=x\ndirect=1\n[a]\nsize=1m\n[b]\nstonewall\nrw=write\noffset=1m\nsize=2m\n"
    )
    (place,) = places(jobs)
    assert (place.path, place.bytes_to_make) == (f"{tmp_path}/x", 3 * MIB)
    assert (place.wish.name, place.wish.bytes_wanted, place.wish.writes) == (str(tmp_path), 3 * MIB, True)


def test_a_file_that_is_there_is_used_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"data")
    jobs = parse(f"[a]\ndirectory={tmp_path}\nfilename=x\nrw=randrw\nsize=1m\n")
    (place,) = places(jobs, destroy=("/dev/sdz=123",))
    assert place.bytes_to_make is None
    assert (place.wish.name, place.wish.bytes_wanted, place.wish.writes) == (f"{tmp_path}/x", None, True)
    assert place.wish.destroy == ("/dev/sdz=123",)


@pytest.mark.parametrize(
    ("lines", "id", "says"),
    [
        (
            "directory=/nowhere/at/all\nsize=1m",
            "target-missing",
            "job j has its files in /nowhere/at/all, which is no folder",
        ),
        (
            "allow_file_create=0\nsize=1m",
            "job-unsupported",
            "job j has allow_file_create=0, and there is no j.0.0",
        ),
        ("filename=none", "job-unsupported", "job j has no size in bytes, and there is no none"),
        ("filename=none\nsize=10%", "job-unsupported", "job j has no size in bytes"),
        ("filename=/usr", "job-unsupported", "job j names the folder /usr as its file"),
    ],
)
def test_files_that_cannot_be(lines: str, id: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        places([one(lines)])
    assert (caught.value.id, caught.value.message.startswith(f"my.fio, line 1: {says}")) == (id, True)
