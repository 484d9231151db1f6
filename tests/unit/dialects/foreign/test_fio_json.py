"""fio's JSON as facts: what it tells, in our units; what it does not tell stays unknown; what is broken names its place."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fio_reports import direction, job, report
from plimsoll.base.errors import PlimsollError
from plimsoll.dialects import foreign
from plimsoll.dialects.foreign import Imported
from plimsoll.facts import LatencyUs
from plimsoll.native.latency import quantile_us


def imported(folder: Path, document: Any, before: str = "", after: str = "") -> Imported:
    path = folder / "result.json"
    path.write_text(before + json.dumps(document, indent=2) + after, encoding="utf-8")
    return foreign.read(path)


def refused(folder: Path, text: str) -> PlimsollError:
    path = folder / "result.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PlimsollError) as caught:
        foreign.read(path)
    assert caught.value.hint
    assert str(path) in caught.value.message
    return caught.value


def test_a_job_is_a_cell_in_our_units(tmp_path: Path) -> None:
    found = imported(tmp_path, report())
    assert (found.tool, found.tool_version, found.title) == ("fio", "fio-3.33", "a")
    (cell,) = found.cells
    assert (cell.ios, cell.iops, cell.mb_per_s, cell.runtime_s) == (1000, 2000, 16.384, 0.5)
    assert (cell.engine, cell.direct, cell.jobs, cell.depth) == ("libaio", True, 1, 1)
    assert (cell.cpu_s.user, cell.cpu_s.system) == (pytest.approx(0.02), pytest.approx(0.08))
    assert cell.cpu_us_per_io == pytest.approx(100)
    assert cell.context_switches == 1003
    assert cell.started_at == datetime(2026, 9, 1, 11, 59, 59, 750_000, UTC)
    (read,) = cell.workload.classes
    assert (read.op, read.pattern, read.block_bytes) == ("read", "shuffled", 8192)
    assert (cell.groups[0].name, cell.groups[0].classes) == ("a", ("read",))


def test_commands_that_a_job_ran_are_not_taken(tmp_path: Path) -> None:
    """They may hold a login, in whatever form its tool takes it."""
    ran = {"rw": "randread", "bs": "8k", "exec_prerun": "sqlplus me/hunter2@db"}
    found = imported(
        tmp_path, report(job(options=ran), **{"global options": {"exec_postrun": "mysql -phunter2"}})
    )
    assert found.cells
    assert "hunter2" not in repr(found)


def test_latency_is_that_of_completion_and_says_so(tmp_path: Path) -> None:
    found = imported(tmp_path, report())
    spread = found.cells[0].latency_us
    assert (spread.count, spread.mean, spread.min, spread.max, spread.stddev) == (1000, 120, 20, 950, 30)
    assert (spread.p50, spread.p90, spread.p99, spread.p999) == (100, 200, 400, 800)
    assert spread.p9999 is None, "a tenth of an I/O lies beyond it"
    assert spread.hdr is None
    (note,) = (note for note in found.notes if note.code == "fio-clat")
    assert "submission took up to 5.0 µs more" in note.message


def test_submission_and_memory_are_kept(tmp_path: Path) -> None:
    options = {"rw": "randread", "bs": "8k", "mem": "mmaphuge"}
    found = imported(tmp_path, report(job(options=options)))
    (io,) = found.cells[0].classes
    assert io.submission_us == LatencyUs(count=1000, mean=5, min=1, max=9, stddev=0.1)
    assert found.cells[0].groups[0].memory == "mmaphuge"


def test_submission_that_nobody_timed_is_unknown(tmp_path: Path) -> None:
    untimed = {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
    found = imported(tmp_path, report(job(read=direction(slat_ns=untimed))))
    assert found.cells[0].classes[0].submission_us is None
    assert found.cells[0].groups[0].memory is None
    assert all(note.code != "fio-clat" for note in found.notes)
    without = direction()
    del without["slat_ns"]
    assert imported(tmp_path, report(job(read=without))).cells[0].classes[0].submission_us is None


def test_total_latency_is_taken_where_fio_kept_it_whole(tmp_path: Path) -> None:
    total = direction()["lat_ns"] | {"percentile": {"50.000000": 104_000}}
    found = imported(tmp_path, report(job(read=direction(lat_ns=total))))
    spread = found.cells[0].latency_us
    assert (spread.mean, spread.p50, spread.p99) == (125, 104, None)
    assert "fio-clat" not in [note.code for note in found.notes]


def test_reads_and_writes_have_moments_together_and_no_percentiles(tmp_path: Path) -> None:
    slow = {
        "min": 10_000,
        "max": 2_000_000,
        "mean": 320_000.0,
        "stddev": 30_000.0,
        "N": 1000,
        "percentile": {"50.000000": 300_000},
    }
    (cell,) = imported(tmp_path, report(job(write=direction(clat_ns=slow)))).cells
    assert [(io.name, io.latency_us.p50) for io in cell.classes] == [("read", 100), ("write", 300)]
    spread = cell.latency_us
    assert (spread.count, spread.mean, spread.min, spread.max, spread.p50) == (2000, 220, 10, 2000, None)
    assert spread.stddev == pytest.approx((30**2 + 100**2) ** 0.5)
    assert cell.iops == 4000


def test_options_of_the_job_come_before_global_ones(tmp_path: Path) -> None:
    options = {
        "rw": "randrw",
        "ioengine": "io_uring",
        "iodepth": "32",
        "direct": "0",
        "norandommap": "1",
        "ramp_time": "2s",
    }
    (cell,) = imported(tmp_path, report(job(options=options, numjobs="4"))).cells
    assert (cell.engine, cell.depth, cell.direct, cell.warm_up_s) == ("io_uring", 32, False, 2)
    assert cell.workload.classes[0].pattern == "random"


@pytest.mark.parametrize(
    ("options", "pattern", "skew"),
    [
        ({}, "sequential", None),
        ({"rw": "write"}, "sequential", None),
        ({"readwrite": "randread"}, "shuffled", None),
        ({"rw": "randread", "random_distribution": "zipf:1.2"}, "zipf", 1.2),
        ({"rw": "randread", "random_distribution": "normal:5"}, "shuffled", None),
    ],
)
def test_patterns(tmp_path: Path, options: dict[str, str], pattern: str, skew: float | None) -> None:
    (cell,) = imported(tmp_path, report(job(options=options))).cells
    assert (cell.workload.classes[0].pattern, cell.workload.classes[0].skew) == (pattern, skew)


def test_clones_are_counted_once_however_they_are_reported(tmp_path: Path) -> None:
    clone = job(options={"numjobs": "3"})
    assert [cell.jobs for cell in imported(tmp_path, report(clone, clone, clone)).cells] == [1, 1, 1]
    assert [cell.jobs for cell in imported(tmp_path, report(clone)).cells] == [3]


def test_what_fio_does_not_say_is_said(tmp_path: Path) -> None:
    rated, idle = job("rated", {"rate_iops": "500"}), job("idle", read=direction(0))
    trimmed, failed = job("trims", trim=direction(7)), job("failed", error=5, write=direction())
    bare = job("bare")
    del bare["job options"]
    found = imported(tmp_path, report(rated, idle, trimmed, failed, bare))
    assert [cell.workload.name for cell in found.cells] == ["rated", "trims", "failed", "bare"]
    said = {note.code: note.message for note in found.notes}
    assert said["fio-rate"].startswith("job rated went at a rate: latency counts from submission")
    assert said["fio-idle"] == "job idle did no I/O and is left out"
    assert said["fio-trims"].startswith("job trims ")
    assert said["fio-errors"].startswith("job failed ")
    assert said["fio-options"].startswith("job bare ")
    assert found.cells[2].errors == 1
    assert found.cells[3].engine == "unknown"
    assert found.cells[0].arrivals.kind == "closed"


def test_a_job_of_no_millisecond_has_no_rate(tmp_path: Path) -> None:
    """fio writes 0 I/Os per second of it, which nobody measured."""
    instant = job("instant", read=direction(5, runtime=0, iops=0.0, bw_bytes=0))
    found = imported(tmp_path, report(instant, job("whole")))
    assert [cell.workload.name for cell in found.cells] == ["whole"]
    said = {note.code: note.message for note in found.notes}
    assert said["fio-instant"].startswith("job instant took less than a millisecond, ")
    assert "fio-idle" not in said
    assert "no job of it lasted a millisecond" in refused(tmp_path, json.dumps(report(instant))).message


def test_rates_of_sides_that_took_different_times_are_over_the_longer(tmp_path: Path) -> None:
    short = direction(1000, runtime=100, iops=10_000.0, bw_bytes=81_920_000)
    found = imported(tmp_path, report(job(write=short)))
    (cell,) = found.cells
    assert (cell.runtime_s, cell.iops, cell.mb_per_s) == (0.5, 4000, pytest.approx(2000 * 8192 / 0.5 / 1e6))
    assert [io.iops for io in cell.classes] == [2000, 2000]
    said = {note.code: note.message for note in found.notes}
    assert said["fio-runtimes"].startswith(
        "job a read for 0.5 s and wrote for 0.1 s: rates are over the longer time"
    )
    even = imported(tmp_path, report(job(write=direction(1000, runtime=499))))
    assert "fio-runtimes" not in {note.code for note in even.notes}
    assert even.cells[0].iops == pytest.approx(4000)


def test_short_and_dropped_ios_are_told(tmp_path: Path) -> None:
    reads = direction(short_ios=3, drop_ios=0)
    writes = direction(short_ios=4, drop_ios=2)
    found = imported(tmp_path, report(job("a", read=reads, write=writes), job("b")))
    said = {note.code: note.message for note in found.notes}
    assert said["fio-short"] == "short I/Os, which moved less than was asked: 7 of job a"
    assert said["fio-dropped"] == "dropped I/Os, which were never answered: 2 of job a"
    assert not {"fio-short", "fio-dropped"} & {note.code for note in imported(tmp_path, report()).notes}


def test_what_fio_printed_before_and_after_is_passed_over(tmp_path: Path) -> None:
    before = "fio: this platform does not support process shared mutexes\n{ is no document\nnote: both iodepth >= 1\n"
    found = imported(tmp_path, report(), before, after="\n\nRun status group 0 (all jobs):\n")
    assert found.cells[0].ios == 1000


def test_bins_of_the_longer_format_are_a_distribution(tmp_path: Path) -> None:
    slow = direction()["clat_ns"] | {"bins": {"900608": 1000}}
    fast = direction()["clat_ns"] | {"bins": {"20096": 400, "100352": 600}}
    (cell,) = imported(
        tmp_path, report(job(read=direction(clat_ns=fast), write=direction(clat_ns=slow)))
    ).cells
    read, write = cell.classes
    assert (read.latency_us.p50, write.latency_us.p50) == (100, 100), "fio's own percentiles stay"
    assert read.latency_us.hdr is not None
    assert quantile_us(read.latency_us, 0.3) == pytest.approx(20.1, rel=0.001)
    whole = cell.latency_us
    assert (whole.count, whole.mean) == (2000, 120)
    assert whole.p50 == pytest.approx(100.4, rel=0.001)
    assert whole.p90 == pytest.approx(900.6, rel=0.001)


def test_without_an_instant_the_file_says_when(tmp_path: Path) -> None:
    document = report()
    del document["timestamp"], document["timestamp_ms"]
    found = imported(tmp_path, document)
    assert "the time of the file stands for its end" in str(found.notes)
    modified = datetime.fromtimestamp((tmp_path / "result.json").stat().st_mtime, UTC)
    assert found.ended_at == modified


def test_later_releases_say_when_a_job_began(tmp_path: Path) -> None:
    found = imported(tmp_path, report(job(job_start=1_788_263_990_000)))
    assert found.cells[0].started_at == datetime(2026, 9, 1, 11, 59, 50, tzinfo=UTC)
    assert "fio-started" not in [note.code for note in found.notes]


def _without(*path: str) -> dict[str, Any]:
    document = report()
    node: Any = document["jobs"][0]
    for name in path[:-1]:
        node = node[name]
    del node[path[-1]]
    return document


ODD_PERCENTILE = {"N": 5, "min": 0, "max": 1, "mean": 1, "stddev": 0, "percentile": {"x": 1}}
ODD_BINS = {"N": 5, "min": 0, "max": 1, "mean": 1, "stddev": 0, "bins": {"-1": 5}}


@pytest.mark.parametrize(
    ("document", "says"),
    [
        (report(**{"fio version": "fio-2.1"}), "was written by fio-2.1, whose units differ"),
        (report(jobs=3), "jobs is no list"),
        (report(jobs=[]), "no job of it did any I/O"),
        (report(job(read=direction(0))), "no job of it did any I/O"),
        (report(jobs=[4]), "jobs[0] is no object"),
        (report(job(mixed=direction())), "jobs[0] reports reads and writes as one"),
        (report(job(usr_cpu="4")), 'jobs[0].usr_cpu is "4", which is not a number'),
        (report(job(read=direction(iops=-1))), "jobs[0].read.iops is -1, which is not a number of at least 0"),
        (report(job(read=direction(total_ios=1.5))), "jobs[0].read.total_ios is 1.5, which is not a whole number"),
        (report(job(job_start=1e290)), "jobs[0].job_start is no instant"),
        (report(job(read=direction(clat_ns=ODD_BINS))), 'bins names "-1", which is no number of nanoseconds'),
        (report(job(read=direction(clat_ns=ODD_BINS | {"bins": {"1": 4}}))), "bins holds 4 I/Os, but N is 5"),
        (_without("usr_cpu"), "jobs[0].usr_cpu is missing"),
        (_without("jobname"), "jobs[0].jobname is missing"),
        (_without("read", "lat_ns"), "jobs[0].read.lat_ns is missing"),
        (_without("read", "clat_ns", "mean"), "jobs[0].read.clat_ns.mean is missing"),
        (report(job(read=direction(clat_ns=ODD_PERCENTILE))), 'percentile names "x", which is no percentage'),
        (report(job(read=direction(runtime=1e12))), "jobs[0].read.runtime is longer than a year"),
        (report(job(read=direction(total_ios=1e20))), "jobs[0].read.total_ios is more than can be counted"),
    ],
)  # fmt: skip
def test_a_broken_document_names_the_member(tmp_path: Path, document: Any, says: str) -> None:
    error = refused(tmp_path, json.dumps(document))
    assert error.id == "import-broken"
    assert says in error.message


def test_a_broken_text_names_the_line(tmp_path: Path) -> None:
    text = json.dumps(report(), indent=2)
    end = text.index('"slat_ns"')
    error = refused(tmp_path, "fio: a warning\n" + text[: end + 4])
    assert error.id == "import-broken"
    assert error.message.endswith("unterminated string starting at")
    assert f"line {text.count(chr(10), 0, end) + 2}:" in error.message
    assert (
        "NaN stands where a number"
        in refused(tmp_path, json.dumps(report(job(usr_cpu=float("nan"))))).message
    )
    assert "begins a line" in refused(tmp_path, ' "fio version"').message


def test_another_file_is_not_taken_for_fio(tmp_path: Path) -> None:
    assert refused(tmp_path, '{"some": "json"}').id == "import-unknown"
    assert refused(tmp_path, "").id == "import-unknown"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PlimsollError, match="there is no") as missing:
        foreign.read(tmp_path / "none.json")
    assert missing.value.id == "file-missing"
    with pytest.raises(PlimsollError, match="could not read") as caught:
        foreign.read(Path("/dev/null"))
    assert caught.value.id == "import-unreadable"
    with pytest.raises(PlimsollError, match="holds no files of an ORION test"):
        foreign.read(tmp_path)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "is empty", "has ended"),
        (
            '{\n "plimsoll_demand": 1,\n "intervals": []}',
            "written by Plimsoll",
            "plimsoll assess --demand FILE",
        ),
        ("<html><title>AWR Report</title>", "looks like a page or a report", "plimsoll read FILE"),
        ("STATSPACK report for\n", "looks like a page or a report", "plimsoll read FILE"),
        ('{"some": "json"}', "in no format", "fio --output-format=json"),
    ],
)
def test_what_cannot_be_imported_is_told_with_the_next_step(
    tmp_path: Path, text: str, message: str, hint: str
) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(PlimsollError, match=message) as caught:
        foreign.read(tmp_path / "file")
    assert caught.value.id == "import-unknown"
    assert hint in (caught.value.hint or "")


def test_an_unknown_format_by_name() -> None:
    with pytest.raises(PlimsollError, match="no foreign is called 'vdbench'") as caught:
        foreign.load("vdbench")
    assert caught.value.id == "foreign-unknown"


def _nodes(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of the document whose value can be put to something else."""
    keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else []
    for key in keys:
        yield node, key
        yield from _nodes(node[key])


@given(st.data())
def test_any_odd_value_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    document = json.loads(json.dumps(report(job(write=direction(3)))))
    node, key = data.draw(st.sampled_from(list(_nodes(document))))
    odd = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(max_size=3)
        | st.just([])
        | st.just({})
    )
    node[key] = data.draw(odd)
    check_refusal(tmp_path_factory, json.dumps(document))


@given(st.integers(0, 3000), st.text(max_size=5), st.integers(0, 5))
def test_any_damaged_text_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, at: int, put: str, cut: int
) -> None:
    text = json.dumps(report(), indent=1)
    check_refusal(tmp_path_factory, text[:at] + put + text[at + cut :])


def check_refusal(folders: pytest.TempPathFactory, text: str) -> None:
    path = folders.getbasetemp() / "odd.json"
    path.write_text(text, encoding="utf-8", errors="replace")
    message = ""
    try:
        foreign.read(path)
    except PlimsollError as error:
        message = error.message
    assert not message or message.startswith(str(path))
    assert message.isprintable()


def test_real_results_are_read(tmp_path: Path) -> None:
    """Two jobs of fio itself, the second of two clones, in both formats."""
    program = shutil.which("fio")
    if program is None:
        pytest.skip("fio is not installed")
    text = (
        "[global]\nsize=4m\nbs=8k\n[mix]\nrw=randrw\n[two]\nstonewall\nrw=read\nnumjobs=2\ngroup_reporting\n"
    )
    (tmp_path / "job.fio").write_text(text, encoding="utf-8")
    for style in ("json", "json+"):
        words = [program, f"--output-format={style}", f"--output={tmp_path}/{style}", "job.fio"]
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, timeout=60)
        mix, two = foreign.read(tmp_path / style).cells
        assert (mix.ios, two.ios, two.jobs) == (512, 1024, 2)
        assert sum(io.ios * io.block_bytes for io in mix.classes) == 4 << 20
        assert all(io.latency_us.p50 is not None for cell in (mix, two) for io in cell.classes)
        assert (mix.latency_us.p50 is None) == (style == "json")
        if style == "json+":
            check_bins(two.classes[0].latency_us)


def check_bins(spread: LatencyUs) -> None:
    """fio's percentiles and those of its bins agree within the width of a bin."""
    assert quantile_us(spread, 0.5) == pytest.approx(spread.p50, rel=0.02)
    assert quantile_us(spread, 0.9) == pytest.approx(spread.p90, rel=0.02)
