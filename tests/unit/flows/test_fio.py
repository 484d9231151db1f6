"""`plimsoll fio` from end to end: simulated devices for the method, small files for the truth, fio itself for the counts."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from plimsoll.base.errors import ExitStatus, PlimsollError
from plimsoll.dialects import foreign
from plimsoll.dialects.fio.results import document, job_results
from plimsoll.facts import Cell, Run
from plimsoll.flows.fio import FioOutcome, run_job_file, write_fio_json
from plimsoll.requests.fio import FioRequest
from plimsoll.supply.checks import deciding
from plimsoll.supply.engine import measure
from simulated import MemoryStore, context

pytestmark = pytest.mark.slow

JOBS = Path(__file__).parent.parent / "dialects" / "fio" / "jobs"
SIMULATED = "filename=sim\\:law=constant,mean=100us,servers=4\ndirect=1\n"


def run_text(folder: Path, text: str, **asked: Any) -> FioOutcome:
    path = folder / "my.fio"
    path.write_text(text, encoding="utf-8")
    return run_path(folder, path, **asked)


def run_path(folder: Path, path: Path, **asked: Any) -> FioOutcome:
    with context(folder / "journals") as ctx:
        outcome = run_job_file(ctx, FioRequest(str(path), **asked))
        assert isinstance(ctx.store, MemoryStore)
        assert ctx.store.runs == [outcome.run]
        return outcome


def refused(folder: Path, text: str, **asked: Any) -> PlimsollError:
    with pytest.raises(PlimsollError) as caught:
        run_text(folder, text, **asked)
    return caught.value


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in ("journals", "my.fio"))


def codes(run: Run) -> list[str]:
    return [note.code for note in run.notes]


def test_jobs_run_one_after_the_other_behind_a_stonewall(tmp_path: Path) -> None:
    """A device that takes 100 µs for each of four at once: four in flight get 40,000 a second, one gets 10,000."""
    deeply = "rw=randread\nnorandommap\niodepth=4\nioengine=libaio"
    text = f"[global]\n{SIMULATED}size=64m\nbs=8k\n[deep]\n{deeply}\n[lone]\nstonewall\n"
    outcome = run_text(tmp_path, text)
    deep, lone = outcome.run.cells
    assert (deep.ios, lone.ios) == (8192, 8192)
    assert deep.iops == pytest.approx(40_000, rel=0.01)
    assert lone.iops == pytest.approx(10_000, rel=0.01)
    assert [cell.ended_early for cell in outcome.run.cells] == ["ios_max", "ios_max"]
    assert outcome.run.kind == "fio"
    assert outcome.run.title == "my.fio: deep, lone"


OF_THE_WINDOW = {
    "runtime_s", "direct", "merge", "stable", "at_devices", "started_at", "warm_up_s", "ended_early", "processor_wait_share",
    "host", "notes", "checks", "beside", "engine", "depth", "arrivals", "errors", "cpu_workers_s", "seed",
    "service_us", "offered_ios", "backlog_ios_max", "lateness_us_max", "outages", "paths", "hosts",
    "held", "held_latency_us",
}  # fmt: skip
"""Members of a cell that are true of each of its jobs, or that this test's jobs have none of."""


def test_jobs_at_once_share_a_cell_and_are_told_apart(tmp_path: Path) -> None:
    mix = "rw=randrw\nrwmixread=75\nnumjobs=2\nnorandommap"
    text = f"[global]\n{SIMULATED}time_based\nruntime=2\nbs=8k\n[one]\nrw=read\n[two]\n{mix}\n"
    (cell,) = run_text(tmp_path, text).run.cells
    one, two = job_results([cell])
    assert not one.alone
    assert sum(io.iops for io in one.classes) == pytest.approx(10_000, rel=0.01)
    assert sum(io.iops for io in two.classes) == pytest.approx(20_000, rel=0.01)
    assert [io.name for io in two.classes] == ["two read", "two write"]
    assert two.latency_us.count == sum(io.ios for io in two.classes)
    members = document(two)
    assert (members["ios"], members["jobs"], members["cpu_s"], members["windows"]) == (
        two.latency_us.count,
        2,
        None,
        [],
    )
    whole = cell.model_dump(mode="json")
    told_apart = {name for name in whole if members[name] != whole[name]}
    assert set(members) == set(whole)
    assert set(whole) - told_apart - OF_THE_WINDOW == set(), "a figure of all jobs would pass for this one's"
    assert document(one)["workload"]["classes"][0]["name"] == "one read"


def test_jobs_at_once_that_fell_have_a_held_part_of_their_own(tmp_path: Path) -> None:
    device = "filename=sim\\:law=constant,mean=100us,servers=2,cliff_ios=10000,cliff_mean=400us\ndirect=1\n"
    text = f"[global]\n{device}time_based\nruntime=2\nbs=8k\nsize=64m\nrw=randwrite\n[one]\n[two]\n"
    (cell,) = run_text(tmp_path, text).run.cells
    one, two = map(document, job_results([cell]))
    assert [io["name"] for io in (*one["held"], *two["held"])] == ["one write", "two write"]
    assert one["held"][0]["iops"] == pytest.approx(2500, rel=0.02)
    assert one["held_latency_us"]["p50"] == pytest.approx(400, rel=0.01)


def test_jobs_at_once_end_by_their_own_size_and_are_counted_over_their_own_time(tmp_path: Path) -> None:
    """Four servers of 100 µs: each job has one to itself, so the one of half the size is done in half the time."""
    text = f"[global]\n{SIMULATED}bs=8k\nsize=64m\n[whole]\n[half]\nio_size=32m\n[late]\nstartdelay=500ms\nruntime=1s\ntime_based\n"
    outcome = run_text(tmp_path, text)
    (cell,) = outcome.run.cells
    whole, half, late = job_results([cell])
    assert [sum(io.ios for io in job.classes) for job in (whole, half)] == [8192, 4096]
    assert [job.runtime_s for job in (whole, half, late)] == pytest.approx([0.8192, 0.4096, 1.0], abs=0.002)
    assert [sum(io.iops for io in job.classes) for job in (whole, half, late)] == pytest.approx(
        [10_000] * 3, rel=0.01
    )
    assert [document(job)["runtime_s"] for job in (whole, half)] == [whole.runtime_s, half.runtime_s]
    shown = json.loads(outcome.as_fio_json())["jobs"]
    assert [job["read"]["runtime"] for job in shown] == pytest.approx([819, 410, 1000], abs=2)
    assert [job["read"]["iops"] for job in shown] == pytest.approx([10_000] * 3, rel=0.01)


def test_files_that_end_apart_are_counted_as_fio_counts_them(tmp_path: Path) -> None:
    text = f"[global]\ndirectory={tmp_path}\nbs=64k\n[a]\nsize=8m\nloops=2\n[b]\nsize=4m\nnrfiles=2\n"
    (cell,) = run_text(tmp_path, text).run.cells
    assert [sum(io.ios for io in job.classes) for job in job_results([cell])] == [256, 64]
    assert cell.ended_early == "ios_max"
    assert left_in(tmp_path) == []


@pytest.mark.parametrize(("least", "passed"), [("70m", True), ("90m", False)])
def test_a_least_rate_that_is_missed_fails_the_job(tmp_path: Path, least: str, passed: bool) -> None:
    """10,000 I/Os of 8 KiB are 78 MiB a second."""
    text = f"[j]\n{SIMULATED}bs=8k\nsize=64m\nratemin={least}\n"
    (cell,) = run_text(tmp_path, text).run.cells
    (check,) = (check for check in cell.checks if check.name == "rate_min")
    assert check.passed is passed
    assert check.figures["found_per_s"] == pytest.approx(81_920_000, rel=0.01)
    assert check in deciding(cell.checks) or passed


def test_times_that_fio_would_not_take_are_left_out_of_its_json(tmp_path: Path) -> None:
    text = f"[global]\n{SIMULATED}size=64m\n[a]\ngtod_reduce=1\n[b]\nstonewall\ndisable_lat=1\n"
    outcome = run_text(tmp_path, text)
    a, b = json.loads(outcome.as_fio_json())["jobs"]
    assert [a["read"][name]["N"] for name in ("lat_ns", "clat_ns")] == [0, 0]
    assert [b["read"][name]["N"] for name in ("lat_ns", "clat_ns")] == [0, 16384]
    assert outcome.run.cells[0].latency_us.count == 16384
    assert "fio-timed" in codes(outcome.run)


def lines_of(path: Path) -> list[tuple[int, ...]]:
    return [tuple(map(int, line.split(", "))) for line in path.read_text(encoding="utf-8").splitlines()]


def test_logs_are_those_of_fio(tmp_path: Path) -> None:
    """10,000 I/Os a second of 8 KiB, of which a half are reads; the late job begins with its own time 0."""
    logged = f"write_bw_log={tmp_path}/x\nwrite_iops_log={tmp_path}/x\nwrite_lat_log={tmp_path}/x\nlog_avg_msec=100"
    jobs = "[a]\nnumjobs=2\nrw=randrw\nruntime=1\n[b]\nstartdelay=500ms\nruntime=300ms\n"
    text = f"[global]\n{SIMULATED}bs=8k\ntime_based\n{logged}\n{jobs}"
    run_text(tmp_path, text)
    assert left_in(tmp_path) == [
        f"x_{kind}.{number}.log" for kind in ("bw", "clat", "iops", "lat") for number in (1, 3)
    ]
    iops = lines_of(tmp_path / "x_iops.1.log")
    assert [line[0] for line in iops] == [at for at in range(100, 1001, 100) for _ in "rw"]
    assert [line[2:] for line in iops] == [(op, 0, 0) for _ in range(10) for op in (0, 1)]
    assert all(line[1] == pytest.approx(10_000, rel=0.1) for line in iops)
    late = lines_of(tmp_path / "x_bw.3.log")
    assert [line[0] for line in late] == [100, 200, 300]
    assert [line[1] for line in late] == pytest.approx([80_000] * 3, rel=0.02)
    assert all(line[1] == pytest.approx(100_000, rel=0.01) for line in lines_of(tmp_path / "x_lat.1.log"))
    run_text(tmp_path, text.replace("runtime=1\n", "runtime=600ms\n"))
    assert len(lines_of(tmp_path / "x_iops.1.log")) == 12, "an earlier log is replaced"


def test_a_log_that_cannot_be_written_leaves_the_results(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    text = f"[j]\n{SIMULATED}size=64m\nwrite_bw_log={tmp_path}/none/j\nlog_avg_msec=100\n"
    outcome = run_text(tmp_path, text)
    assert outcome.failure is not None
    assert outcome.failure.id == "output-refused"
    assert outcome.run.cells[0].ios == 16384


def test_spread_of_rates_and_shares_of_latency_in_fios_shape(tmp_path: Path) -> None:
    """10,000 I/Os a second of 100 µs each, a half of them reads: a share of 100 % is counted below 250 µs."""
    text = f"[j]\n{SIMULATED}bs=4k\nrw=randrw\ntime_based\nruntime=2\n"
    (job,) = json.loads(run_text(tmp_path, text).as_fio_json())["jobs"]
    read = job["read"]
    assert read["iops_samples"] == read["bw_samples"] == 10
    assert read["iops_mean"] == pytest.approx(5000, rel=0.05)
    assert read["iops_min"] <= read["iops_mean"] <= read["iops_max"]
    assert 0 < read["iops_stddev"] < 500
    assert read["bw_mean"] == pytest.approx(read["iops_mean"] * 4)
    assert read["bw_dev"] == pytest.approx(read["iops_stddev"] * 4)
    assert job["trim"].get("iops_samples", 0) == 0
    shares = {
        (unit, end): share for unit in ("ns", "us", "ms") for end, share in job[f"latency_{unit}"].items()
    }
    assert sum(shares.values()) == pytest.approx(100, abs=0.001)
    assert shares["us", "100"] + shares["us", "250"] == pytest.approx(100, abs=0.001)
    assert list(job["latency_ms"])[-2:] == ["2000", ">=2000"]


def test_a_log_replaces_nothing_but_a_log(tmp_path: Path) -> None:
    (tmp_path / "j_bw.1.log").write_text("precious\n", encoding="utf-8")
    text = f"[j]\n{SIMULATED}size=64m\nwrite_bw_log={tmp_path}/j\nlog_avg_msec=100\n"
    assert refused(tmp_path, text).id == "log-refused"
    assert (tmp_path / "j_bw.1.log").read_text(encoding="utf-8") == "precious\n"


def test_the_null_engine_opens_and_makes_nothing(tmp_path: Path) -> None:
    text = f"[j]\ndirectory={tmp_path}\nioengine=null\nsize=1t\nnorandommap\nrw=randwrite\nruntime=100ms\n"
    outcome = run_text(tmp_path, text)
    assert outcome.run.cells[0].ios > 0
    assert "fio-null" in codes(outcome.run)
    assert left_in(tmp_path) == []


def test_a_rate_is_that_of_each_clone_and_latency_counts_from_when_due(tmp_path: Path) -> None:
    """One server of 100 µs serves 10,000 a second; 2 × 6,000 are asked, so I/Os wait longer and longer."""
    text = "[j]\nfilename=sim\\:law=constant,mean=100us\nrate_iops=6000\nnumjobs=2\nruntime=1\ntime_based\n"
    (cell,) = run_text(tmp_path, text).run.cells
    assert cell.arrivals.rate_per_s == 12_000
    assert cell.arrivals.kind == "uniform"
    assert cell.offered_ios == pytest.approx(12_000, rel=0.01)
    assert cell.service_us is not None
    assert cell.latency_us.p99 is not None
    assert cell.service_us.p99 is not None
    assert cell.latency_us.p99 > 100 * cell.service_us.p99


def test_the_json_in_fios_shape(tmp_path: Path) -> None:
    """A constant 100 µs, 8,192 times, one at a time: each figure of it is known."""
    text = f"[j]\n{SIMULATED}size=64m\nbs=8k\ndescription=why\n"
    outcome = run_text(tmp_path, text)
    found = json.loads(outcome.as_fio_json())
    assert found["fio version"].startswith("plimsoll-")
    (job,) = found["jobs"]
    assert (job["jobname"], job["groupid"], job["error"]) == ("j", 0, 0)
    assert job["job options"]["description"] == "why"
    reads, writes = job["read"], job["write"]
    assert (reads["total_ios"], reads["io_bytes"], reads["io_kbytes"]) == (8192, 64 << 20, 64 << 10)
    assert reads["runtime"] == pytest.approx(819, abs=2)
    assert reads["iops"] == pytest.approx(10_000, rel=0.001)
    assert reads["bw_bytes"] == pytest.approx(81_920_000, rel=0.001)
    assert reads["bw"] == pytest.approx(80_000, rel=0.001)
    assert reads["lat_ns"]["N"] == reads["clat_ns"]["N"] == 8192
    assert reads["lat_ns"]["mean"] == pytest.approx(100_000, rel=0.001)
    assert list(reads["clat_ns"]["percentile"].values()) == pytest.approx([100_000] * 17, rel=0.001)
    assert reads["slat_ns"]["N"] == 0
    assert (writes["total_ios"], writes["iops"], writes["runtime"]) == (0, 0, 0)
    assert "percentile" not in writes["clat_ns"]
    assert "plimsoll" in found["plimsoll"]["about"]


def test_at_a_rate_fios_latency_is_our_service_time(tmp_path: Path) -> None:
    text = "[j]\nfilename=sim\\:law=constant,mean=100us\nrate_iops=20k\nruntime=1\ntime_based\n"
    (job,) = json.loads(run_text(tmp_path, text).as_fio_json())["jobs"]
    assert job["read"]["lat_ns"]["max"] == pytest.approx(100_000, rel=0.01)


def test_jobs_at_once_have_no_processor_time_of_their_own(tmp_path: Path) -> None:
    text = f"[global]\n{SIMULATED}time_based\nruntime=100ms\n[one]\n[two]\n"
    jobs = json.loads(run_text(tmp_path, text).as_fio_json())["jobs"]
    assert [job["jobname"] for job in jobs] == ["one", "two"]
    assert not any("usr_cpu" in job or "ctx" in job for job in jobs)


def test_our_own_json_is_read_back(tmp_path: Path) -> None:
    outcome = run_text(tmp_path, f"[j]\n{SIMULATED}size=64m\nbs=8k\n")
    write_fio_json(outcome, tmp_path / "out.json")
    (cell,) = foreign.read(tmp_path / "out.json").cells
    (ours,) = outcome.run.cells
    assert (cell.ios, cell.mb_per_s) == (ours.ios, pytest.approx(ours.mb_per_s, rel=0.001))
    assert cell.latency_us.p99 == pytest.approx(ours.latency_us.p99, rel=0.001)
    assert cell.cpu_us_per_io == pytest.approx(ours.cpu_us_per_io, rel=0.01)


def test_json_replaces_ours_and_never_one_of_fio_s_own(tmp_path: Path) -> None:
    outcome = run_text(tmp_path, f"[j]\n{SIMULATED}size=1m\n")
    out = tmp_path / "out.json"
    for _ in range(2):
        write_fio_json(outcome, out)
    theirs = '{\n  "fio version" : "fio-3.33",\n  "jobs" : []\n}\n'
    for text in (theirs, theirs.replace('" : ', '": ')):
        out.write_text(text)
        with pytest.raises(PlimsollError, match="holds something else"):
            write_fio_json(outcome, out)
        assert out.read_text() == text


def test_json_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    outcome = run_text(tmp_path, f"[j]\n{SIMULATED}size=1m\n")
    with pytest.raises(PlimsollError, match="could not write") as caught:
        write_fio_json(outcome, tmp_path / "none" / "out.json")
    assert caught.value.id == "output-refused"


@pytest.mark.parametrize("name", ["rand-read-sync", "rand-read-async", "rand-read-async-32"])
def test_the_published_files_run(tmp_path: Path, name: str) -> None:
    """As they stand, but for their folder, and for 1 GiB of data, of which a test has 16 MiB."""
    text = (JOBS / f"{name}.fio").read_text(encoding="utf-8")
    assert "size=1024m\n" in text
    outcome = run_text(tmp_path, text.replace("size=1024m", "size=16m"), directory=str(tmp_path))
    (cell,) = outcome.run.cells
    assert (cell.ios, cell.errors, cell.ended_early) == (2048, 0, "ios_max")
    assert cell.classes[0].block_bytes == 8192
    assert (cell.engine, cell.depth) == (
        ("psync", 1) if "async" not in name else ("libaio", outcome.jobs[0].iodepth)
    )
    assert "fio-laid-out" in codes(outcome.run)
    assert ("fio-depth" in codes(outcome.run)) == (cell.engine == "psync")
    assert outcome.run.targets[0].name == f"{tmp_path}/{outcome.jobs[0].label}.0.0"
    assert left_in(tmp_path) == []


def test_files_are_taken_away_when_a_run_fails(tmp_path: Path) -> None:
    error = refused(tmp_path, f"[j]\ndirectory={tmp_path}\nsize=1m\nbs=700\ndirect=1\n")
    assert error.id == "block-misaligned"
    assert left_in(tmp_path) == []


def test_a_file_of_somebody_else_is_never_written_to(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_bytes(b"precious" * (8 << 20))
    error = refused(tmp_path, f"[j]\ndirectory={tmp_path}\nfilename=theirs\nrw=write\n")
    assert (error.id, error.status) == ("foreign-file-refused", ExitStatus.REFUSED_FOR_SAFETY)
    assert (tmp_path / "theirs").read_bytes() == b"precious" * (8 << 20)


def test_nothing_is_made_for_a_file_that_cannot_run(tmp_path: Path) -> None:
    text = f"[global]\ndirectory={tmp_path}\nsize=64m\n[a]\n[b]\nrw=write\ndirect=1\n"
    assert refused(tmp_path, text).id == "job-unsupported"
    assert left_in(tmp_path) == []


def test_a_wish_to_stop_keeps_the_phases_that_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "my.fio"
    path.write_text(f"[global]\n{SIMULATED}size=64m\n[a]\n[b]\nstonewall\n[c]\nstonewall\n", encoding="utf-8")
    with context(tmp_path / "journals") as ctx:

        def once(*words: Any, **more: Any) -> Cell:
            cell = measure(*words, **more)
            ctx.cancel.set()
            return cell

        monkeypatch.setattr("plimsoll.flows.fio.measure", once)
        outcome = run_job_file(ctx, FioRequest(str(path)))
    assert outcome.run.interrupted
    assert len(outcome.run.cells) == 1
    assert [job["jobname"] for job in json.loads(outcome.as_fio_json())["jobs"]] == ["a"]


def test_what_was_measured_is_kept_when_a_later_phase_fails(tmp_path: Path) -> None:
    text = f"[global]\ndirectory={tmp_path}\nsize=4m\ndirect=1\n[good]\n[bad]\nstonewall\nbs=700\n"
    outcome = run_text(tmp_path, text)
    assert [cell.ios for cell in outcome.run.cells] == [1024]
    assert outcome.failure is not None
    assert outcome.failure.id == "block-misaligned"
    said = {note.code: note.message for note in outcome.run.notes}["fio-failed"]
    assert said.startswith("job bad and what follows it did not run: ")
    assert left_in(tmp_path) == []


CROSS_CHECKED = """
[global]
directory={folder}
size=64m
direct=1
[shuffled]
rw=randread
bs=16k
ioengine=libaio
iodepth=8
[clones]
stonewall
rw=read
bs=64k
numjobs=2
group_reporting
[mix]
stonewall
rw=randrw
rwmixread=75
bs=16k
ioengine=io_uring
iodepth=4
[odd]
stonewall
rw=randread
norandommap
bs=12k
ioengine=libaio
iodepth=8
[write]
stonewall
rw=write
bs=128k
fsync=64
[two]
stonewall
rw=read
filename=one:other
bs=96k
[looped]
stonewall
rw=randread
bs=64k
size=16m
loops=3
[further]
stonewall
rw=randread
bs=64k
size=16m
io_size=20m
[files]
stonewall
rw=randread
nrfiles=3
numjobs=2
group_reporting
bs=64k
size=24m
[part]
stonewall
rw=randread
bs=64k
filesize=32m
size=8m
[long]
stonewall
rw=randread
bs=64k
size=32m
[short]
rw=write
bs=64k
size=8m
[paced]
stonewall
rw=read
bs=64k
size=16m
rate=32m
[behind]
wait_for=paced
rw=read
bs=64k
size=8m
"""


def test_fio_moves_as_many_ios_and_bytes(tmp_path: Path) -> None:
    """The same file through fio and through us, on 64 MiB: counts are equal where size is what ends a job."""
    program = shutil.which("fio")
    if program is None:
        pytest.skip("fio is not installed")
    text = CROSS_CHECKED.format(folder=tmp_path)
    ours = json.loads(run_text(tmp_path, text).as_fio_json())
    words = [program, "--output-format=json", f"--output={tmp_path}/fio.json", str(tmp_path / "my.fio")]
    subprocess.run(words, check=True, capture_output=True, timeout=60)
    theirs = json.loads((tmp_path / "fio.json").read_text(encoding="utf-8"))
    assert [job["jobname"] for job in ours["jobs"]] == [job["jobname"] for job in theirs["jobs"]]
    for own, other in zip(ours["jobs"], theirs["jobs"], strict=True):
        for member in ("total_ios", "io_bytes", "io_kbytes"):
            assert moved(own, member) == moved(other, member), (own["jobname"], member)
        if own["jobname"] == "paced":
            assert min(own["read"]["runtime"], other["read"]["runtime"]) >= 480, "16 MiB at 32 MiB a second"
        check_shape(own, other)


def moved(job: dict[str, Any], member: str) -> int:
    """Reads and writes together: how a mix falls out is chance."""
    return job["read"][member] + job["write"][member]


def check_shape(own: Any, other: Any) -> None:
    """Every member that we write is one of fio's and of the same type, but percentiles of lat, which fio keeps on request."""
    if isinstance(own, dict):
        for name, value in own.items():
            if name != "job options" and not (name == "percentile" and name not in other):
                assert name in other
                check_shape(value, other[name])
    else:
        assert isinstance(own, int | float) == isinstance(other, int | float)
        assert isinstance(own, str) == isinstance(other, str)
