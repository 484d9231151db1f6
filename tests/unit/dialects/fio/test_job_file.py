"""Job files: sections and defaults, each key, and errors that name file, line and key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.base.errors import ExitStatus, PlimsollError, UsageError
from plimsoll.dialects.fio import job_file
from plimsoll.dialects.fio.job_file import Job
from plimsoll.dialects.fio.options import KEYS, OPTIONS
from plimsoll.dialects.fio.phases import phases
from plimsoll.dialects.fio.values import Distribution, Range, Size

JOBS = Path(__file__).parent / "jobs"
CHAPTER = ("rand-read-sync", "rand-read-async", "rand-read-async-32")


def parse(text: str, environment: Mapping[str, str] | None = None) -> tuple[Job, ...]:
    return job_file.parse("my.fio", text, environment or {})


def one(lines: str) -> Job:
    (job,) = parse(f"[j]\n{lines}\n")
    return job


def refused(text: str, environment: Mapping[str, str] | None = None) -> UsageError:
    with pytest.raises(UsageError) as caught:
        parse(text, environment)
    assert caught.value.hint
    assert caught.value.status is ExitStatus.USAGE
    return caught.value


@pytest.mark.parametrize(
    ("name", "engine", "depth"),
    [("rand-read-sync", "sync", 8), ("rand-read-async", "libaio", 8), ("rand-read-async-32", "libaio", 32)],
)
def test_the_published_files(name: str, engine: str, depth: int) -> None:
    """Three job files for a disk under a database: blocking, asynchronous, and with more in flight."""
    (job,) = job_file.read(JOBS / f"{name}.fio", {})
    assert (job.rw, job.size, job.block_bytes) == ("randread", Size(bytes=2**30), (Range(8192), Range(8192)))
    assert (job.ioengine, job.iodepth, job.directory) == (engine, depth, "/u01/fio/data")
    assert (job.direct, job.invalidate, job.ioscheduler) == (True, True, "noop")


def test_defaults_are_those_of_fio() -> None:
    job = one("size=1m")
    assert (job.rw, job.block_bytes, job.iodepth, job.numjobs, job.ioengine) == (
        "read",
        (Range(4096), Range(4096)),
        1,
        1,
        "psync",
    )
    assert (job.direct, job.invalidate, job.randrepeat, job.norandommap, job.stonewall) == (
        False,
        True,
        True,
        False,
        False,
    )
    assert job.options == (("size", "1m"),)


def test_global_sections_hold_for_the_jobs_below_them() -> None:
    text = """
        ; a remark
        [global]
        bs=8k
        direct=1
        [first]
        # another
        bs=16k
        [second]
        [global]
        iodepth=4
        [third]
    """
    first, second, third = parse(text)
    assert [job.block_bytes[0].low for job in (first, second, third)] == [16384, 8192, 8192]
    assert [job.iodepth for job in (first, second, third)] == [1, 1, 4]
    assert all(job.direct for job in (first, second, third))
    assert third.options == (("bs", "8k"), ("direct", "1"), ("iodepth", "4"))
    assert [job.line for job in (first, second, third)] == [6, 9, 12]


EVERY_KEY: dict[str, tuple[str, str, Any]] = {
    "name": ("other", "name", "other"),
    "description": ("a b", "description", "a b"),
    "rw": ("randrw", "rw", "randrw"),
    "readwrite": ("write", "rw", "write"),
    "bs": ("8k,16k", "block_bytes", (Range(8192), Range(16384))),
    "blocksize": ("8k", "block_bytes", (Range(8192), Range(8192))),
    "bssplit": ("4k/100", "splits", (((4096, 100),), ((4096, 100),))),
    "bsrange": ("4k-16k", "block_bytes", (Range(4096, 16384), Range(4096, 16384))),
    "blocksize_range": ("4k-8k,1k-2k", "block_bytes", (Range(4096, 8192), Range(1024, 2048))),
    "size": ("50%", "size", Size(percent=50)),
    "filesize": ("1g", "file_bytes", 2**30),
    "io_size": ("50%", "io_size", Size(percent=50)),
    "io_limit": ("1m", "io_size", Size(bytes=2**20)),
    "loops": ("3", "loops", 3),
    "nrfiles": ("4", "file_count", 4),
    "nr_files": ("2", "file_count", 2),
    "allow_file_create": ("0", "may_create", False),
    "timeout": ("60", "runtime_us", 60_000_000),
    "startdelay": ("4", "delay_us", 4_000_000),
    "rate": ("1m,500k", "byte_rates", (2**20, 500 * 1024)),
    "ratemin": ("1m", "byte_rates_min", (2**20, 2**20)),
    "rate_min": ("1m,", "byte_rates_min", (2**20, None)),
    "rate_iops_min": ("10", "rates_min", (10, 10)),
    "io_submit_mode": ("offload", "submit_mode", "offload"),
    "wait_for": ("writers", "wait_for", "writers"),
    "threads": ("1", "thread", True),
    "new_group": ("1", "new_group", True),
    "gtod_reduce": ("1", "gtod_reduce", True),
    "disable_lat": ("1", "disable_lat", True),
    "disable_clat": ("1", "disable_clat", True),
    "disable_slat": ("1", "disable_slat", True),
    "disable_bw_measurement": ("1", "disable_bw", True),
    "disable_bw": ("1", "disable_bw", True),
    "write_bw_log": ("a", "bw_log", "a"),
    "write_iops_log": ("b", "iops_log", "b"),
    "write_lat_log": ("c", "lat_log", "c"),
    "log_avg_msec": ("500", "log_ms", 500),
    "mem": ("mmap", "memory", "mmap"),
    "iomem": ("mmap", "memory", "mmap"),
    "offset": ("1m", "offset_bytes", 2**20),
    "filename": ("a:b", "filenames", ("a", "b")),
    "directory": ("/tmp", "directory", "/tmp"),
    "ioengine": ("io_uring", "ioengine", "io_uring"),
    "iodepth": ("16", "iodepth", 16),
    "numjobs": ("3", "numjobs", 3),
    "direct": ("1", "direct", True),
    "buffered": ("0", "direct", True),
    "invalidate": ("0", "invalidate", False),
    "sync": ("1", "sync", "sync"),
    "fsync": ("32", "fsync", 32),
    "fdatasync": ("1", "fdatasync", 1),
    "runtime": ("2m", "runtime_us", 120_000_000),
    "time_based": ("1", "time_based", True),
    "ramp_time": ("500ms", "ramp_us", 500_000),
    "rwmixread": ("70", "read_percent", 70),
    "rwmixwrite": ("70", "read_percent", 30),
    "rate_iops": ("2k", "rates", (2048, 2048)),
    "rate_process": ("poisson", "arrivals", "poisson"),
    "thinktime": ("250", "think_us", 250),
    "random_distribution": ("zipf:1.2", "distribution", Distribution("zipf", 1.2)),
    "norandommap": ("1", "norandommap", True),
    "randrepeat": ("0", "randrepeat", False),
    "randseed": ("42", "randseed", 42),
    "stonewall": ("1", "stonewall", True),
    "wait_for_previous": ("1", "stonewall", True),
    "thread": ("1", "thread", True),
    "group_reporting": ("1", "group_reporting", True),
    "ioscheduler": ("none", "ioscheduler", "none"),
    "kb_base": ("1000", "kb_base", 1000),
}


def test_every_key_is_tried() -> None:
    assert set(EVERY_KEY) == set(KEYS)


@pytest.mark.parametrize("key", EVERY_KEY)
def test_a_key_sets_its_field(key: str) -> None:
    value, field, expected = EVERY_KEY[key]
    assert getattr(one(f"{key} = {value}"), field) == expected
    assert getattr(one(""), field) != expected


@pytest.mark.parametrize("key", KEYS)
def test_a_key_alone_is_a_flag_or_an_error(key: str) -> None:
    if KEYS[key].option.alone_as == "":
        assert getattr(one(key), KEYS[key].option.field) == ""
    elif KEYS[key].option.alone:
        assert getattr(one(key), KEYS[key].option.field) is True
        assert getattr(one(f"{key}=0"), KEYS[key].option.field) is False
    else:
        error = refused(f"[j]\n{key}\n")
        assert error.id == "job-value-unreadable"
        assert error.message == f"my.fio, line 2: {key} needs a value"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("ioengine=rados", "ioengine=rados speaks to a storage service over its own library"),
        ("ioengine=external:/lib/x.so", "ioengine=external:/lib/x.so runs code of somebody else"),
        ("rw=trim", "rw=trim discards blocks instead of reading or writing them"),
        ("rw=randtrim", "rw=randtrim discards blocks"),
        ("verify=crc32c", "verify=crc32c tests that what was written is read back"),
        ("do_verify", "do_verify tests that"),
        ("zonemode=zbd", "zonemode=zbd is for devices of zones"),
        ("pi_act=0", "pi_act=0 makes and checks protection information"),
    ],
)
def test_what_is_another_tools_work_is_said_with_its_reason(line: str, says: str) -> None:
    error = refused(f"[j]\nunheard_of=1\n{line}\n")
    assert error.id == "job-elsewhere"
    assert error.message.startswith(f"my.fio, line 3: {says}")
    assert "plimsoll import" in (error.hint or "")


def test_the_engine_says_best_whose_work_it_is() -> None:
    error = refused("[j]\nhostname=${NOT_SET}\nverify=md5\nioengine=net\n")
    assert error.message == "my.fio, line 4: ioengine=net moves data over a network"


@pytest.mark.parametrize("line", ["verify=0", "do_verify=0", "zonemode=none"])
def test_a_key_that_asks_for_nothing_of_another_tool_is_only_not_known(line: str) -> None:
    assert refused(f"[j]\n{line}\n").id == "job-key-unknown"


def test_a_remark_may_stand_behind_a_value_as_in_fio() -> None:
    job = one("numjobs=4\t; four at once\nruntime=60 # at most\nfilename=a#b")
    assert (job.numjobs, job.runtime_us, job.filenames) == (4, 60_000_000, ("a",))


def test_the_later_of_bs_and_bsrange_wins() -> None:
    assert one("bsrange=4k-16k\nbs=8k").sizes(0) == ((8192, 100),)
    assert one("bs=8k\nbsrange=4k-16k").sizes(0) == ((4096, 25), (8192, 25), (12288, 25), (16384, 25))


def test_the_later_of_two_wins_whatever_it_is_called() -> None:
    assert one("direct=1\nbuffered=1").direct is False
    assert one("rwmixread=70\nrwmixwrite=10").read_percent == 90
    assert one("bs=4k\nblocksize=8k").block_bytes == (Range(8192), Range(8192))


def test_kb_base_holds_wherever_it_stands() -> None:
    assert one("bs=8k\nkb_base=1000\nsize=1m").size == Size(bytes=10**6)


def test_a_key_that_is_not_supported_is_never_left_out() -> None:
    error = refused("[j]\nrw=read\n\niodpeth=8\n")
    assert error.id == "job-key-unknown"
    assert error.message == "my.fio, line 4: key 'iodpeth' is not supported"
    assert error.hint is not None
    assert error.hint.startswith("Did you mean iodepth? ")
    assert all(option.name in error.hint for option in OPTIONS)


@pytest.mark.parametrize(
    "key", ["include", "flow", "filename_format", "steadystate", "latency_target", "zonemode", "IODEPTH"]
)
def test_keys_of_fio_that_are_left_out_by_intention(key: str) -> None:
    assert refused(f"[global]\n{key}=1\n[j]\n").id == "job-key-unknown"


@pytest.mark.parametrize("key", ["exec_prerun", "exec_postrun"])
def test_a_command_with_a_login_is_refused_by_its_key_alone(key: str) -> None:
    error = refused(f"[j]\n{key}=sqlplus me/hunter2@db @before.sql\n")
    assert error.message == f"my.fio, line 2: key '{key}' is not supported"
    assert "hunter2" not in (error.hint or "")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("ioengine=posixaio", "ioengine=posixaio is none of sync, psync, libaio, io_uring, null"),
        ("bsrange=8k-4k", "bsrange=8k-4k ends below its beginning"),
        ("bsrange=512-1m", "bsrange=512-1m has more than 64 sizes"),
        ("filesize=1m-2m", "filesize=1m-2m is a range of sizes"),
        ("startdelay=1-5", "startdelay=1-5 is a range of times"),
        ("mem=mmaphuge", "mem=mmaphuge is none of malloc, mmap"),
        ("rw=randread:8", "rw=randread:8 is none of"),
        ("iodepth=0", "iodepth=0 is not between 1 and 65536"),
        ("rwmixread=101", "rwmixread=101 is not between 0 and 100"),
        ("direct=yes", "direct=yes is neither 0 nor 1"),
        ("bs=100", "bs=100 is not a block from 512 bytes to 64 MiB"),
        ("size=", "size= is not a whole number"),
        ("directory=/a:/b", "directory=/a:/b names several folders"),
        ("runtime=soon", "runtime=soon is not a time"),
    ],
)
def test_a_value_that_cannot_be_is_an_error_with_its_place(line: str, says: str) -> None:
    error = refused(f"[j]\n{line}\n")
    assert error.id == "job-value-unreadable"
    assert error.message.startswith(f"my.fio, line 2: {says}")
    key = line.partition("=")[0]
    assert error.hint == f"What {key} takes: {KEYS[key].option.takes}."


@pytest.mark.parametrize(
    ("text", "id", "place"),
    [
        ("bs=4k\n[j]\n", "job-file-syntax", "line 1"),
        ("[j]\nrw randread\n", "job-file-syntax", "line 2"),
        ("[j\nrw=read\n", "job-file-syntax", "line 1"),
        ("[ ]\n", "job-file-syntax", "line 1"),
        ("[j] rw=read\n", "job-file-syntax", "line 1"),
        ("", "job-file-empty", "holds no job"),
        ("[global]\nbs=4k\n", "job-file-empty", "holds no job"),
    ],
)
def test_what_is_no_job_file(text: str, id: str, place: str) -> None:
    error = refused(text)
    assert error.id == id
    assert place in error.message


def test_a_file_of_other_bytes_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "odd.fio"
    path.write_bytes(b"[j]\nname=\xff\xfe\n")
    with pytest.raises(UsageError, match=r"odd\.fio, line 2: this is not UTF-8") as caught:
        job_file.read(path, {})
    assert caught.value.id == "job-file-syntax"


def test_a_file_that_is_not_there_is_a_mistake_in_the_command_and_a_folder_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no") as missing:
        job_file.read(tmp_path / "none.fio", {})
    assert missing.value.id == "file-missing"
    with pytest.raises(PlimsollError, match="could not read") as caught:
        job_file.read(tmp_path, {})
    assert caught.value.id == "job-file-unreadable"


def test_a_file_of_a_million_lines_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "long.fio"
    path.write_bytes(b"; \n" * 400_000)
    with pytest.raises(UsageError, match="longer than"):
        job_file.read(path, {})


def test_variables_come_from_the_environment() -> None:
    (job,) = parse("[j]\ndirectory=${DIR}/data\nsize=${SIZE}\n", {"DIR": "/srv", "SIZE": "1g"})
    assert (job.directory, job.size) == ("/srv/data", Size(bytes=2**30))


def test_a_variable_that_is_not_set_is_an_error() -> None:
    error = refused("[j]\ndirectory=${NOWHERE}\n")
    assert error.message == "my.fio, line 2: directory uses the variable NOWHERE, which is not set"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PGPASSWORD", "hunter2"),
        ("MYSQL_PWD", "hunter2"),
        ("api_token", "hunter2"),
        ("AWS_SECRET_ACCESS_KEY", "hunter2"),
        ("STRIPE_KEY", "hunter2"),
        ("PLIMSOLL_DATABASE", "system/hunter2"),
        ("PLIMSOLL_STORE", "system/hunter2"),
        ("DATABASE_URL", "hunter2"),
        ("PLACE", "postgresql://me:hunter2@db/shop"),
        ("ARGS", "host=db password=hunter2"),
    ],
)
@pytest.mark.parametrize("key", ["filename", "description", "bs", "name"])
def test_a_variable_that_may_hold_a_password_is_refused(key: str, name: str, value: str) -> None:
    """The job file may be a stranger's, and what it makes of the value is shown and kept."""
    error = refused(f"[j]\n{key}=a${{{name}}}\n", {name: value})
    assert error.id == "job-value-unreadable"
    assert name in error.message
    assert "hunter2" not in f"{error.message} {error.hint}"


@pytest.mark.parametrize("name", ["DIR", "KEYSPACE_SIZE", "TMPDIR", "HOME", "MONKEY"])
def test_a_variable_of_another_name_is_taken(name: str) -> None:
    (job,) = parse(f"[j]\ndirectory=${{{name}}}\n", {name: "data/a@b"})
    assert job.directory == "data/a@b"


def test_the_machine_has_words() -> None:
    assert one("numjobs=$ncpus").numjobs >= 1
    assert one("bs=$pagesize").block_bytes[0].low % 512 == 0
    assert one("size=$mb_memory").size != Size(bytes=0)


FILES = [(JOBS / f"{name}.fio").read_text(encoding="utf-8") for name in CHAPTER] + [
    "[global]\nbs=8k,16k\n[a]\nrw=randrw\nrate_iops=50,20\n[b]\nstonewall\nbssplit=4k/50:8k\ntime_based\nruntime=3\n"
]


def refusal(text: str) -> str:
    """How the text is refused in the way that users are told of; the empty word when it is not."""
    try:
        phases(parse(text))
    except PlimsollError as error:
        return error.message
    return ""


def check_refusal(text: str) -> None:
    message = refusal(text)
    assert not message or re.match(r"my\.fio(, line \d+:| holds no job)", message)
    assert message.isprintable()


@given(st.sampled_from(FILES), st.data())
def test_a_damaged_file_is_read_or_refused_and_nothing_else(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        end = at + data.draw(st.integers(0, 6))
        text = text[:at] + data.draw(st.text(max_size=6)) + text[end:]
    check_refusal(text)


_LINE = st.tuples(
    st.sampled_from([*KEYS, "global"]),
    st.text(st.sampled_from("0123456789kmgi%:,/.-sx$ {}"), max_size=8)
    | st.sampled_from(["randread", "zipf:1.2", "libaio", "1", "4k", "8k,16k", "4k/50:8k"]),
)


@given(st.lists(_LINE, max_size=12))
def test_any_keys_with_any_values_are_read_or_refused(lines: list[tuple[str, str]]) -> None:
    check_refusal("[j]\n" + "\n".join(f"{key}={value}" for key, value in lines))


@given(st.lists(st.sampled_from(sorted(EVERY_KEY)), unique=True))
def test_what_is_written_is_what_is_read(keys: list[str]) -> None:
    """Keys in any order and number: each field has the value of the last key that sets it, and the others their defaults."""
    keys = [key for key in keys if key != "kb_base"]
    job, fresh = one("\n".join(f"{key}={EVERY_KEY[key][0]}" for key in keys)), one("")
    wanted = {EVERY_KEY[key][1]: EVERY_KEY[key][2] for key in keys}
    for option in OPTIONS:
        assert getattr(job, option.field) == wanted.get(option.field, getattr(fresh, option.field))
    assert dict(job.options) == {key: EVERY_KEY[key][0] for key in keys}
