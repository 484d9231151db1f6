"""Every key of a job file that is supported, each defined once: name, other names, how its value is read, and what it does here.

The parser, its messages and the table in docs/fio.md come from this one list.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

from plimsoll.dialects.fio import values
from plimsoll.dialects.fio.values import Read


@dataclass(frozen=True)
class Option:
    """One key. `field` is the member of Job that it sets."""

    name: str
    takes: str
    """How a value is written."""
    says: str
    """What it does here."""
    read: Read
    field: str
    aliases: tuple[tuple[str, Read], ...] = ()
    """Other names; some of them read their value in another way."""
    alone: bool = False
    """The key may stand without a value, which then is `alone_as`."""
    alone_as: str = "1"


_RW: dict[str, Any] = {
    mode: mode for mode in ("read", "write", "randread", "randwrite", "readwrite", "rw", "randrw")
}
_ENGINES: dict[str, Any] = {name: name for name in ("sync", "psync", "libaio", "io_uring", "null")}
_SYNC: dict[str, Any] = {"0": "none", "none": "none", "1": "sync", "sync": "sync", "dsync": "dsync"}
_PROCESSES: dict[str, Any] = {"linear": "uniform", "poisson": "poisson"}
_KB_BASES: dict[str, Any] = {str(base): base for base in values.KB_BASES}


def _rest(text: str, kb_base: int) -> int:
    """A percentage of writes, as the one of reads that it leaves."""
    return 100 - int(str(values.whole(0, 100)(text, kb_base)))


def _or(known: Any, *names: str) -> tuple[tuple[str, Read], ...]:
    return tuple((name, known) for name in names)


_WORDS, _BLOCKS = values.words, values.pair_of_blocks
_MODE = values.one_of(_RW)
_COUNT = values.whole(0, 2**32 - 1)

OPTIONS: tuple[Option, ...] = (
    Option("name", "text", "Name of the job, in place of the section's.", _WORDS, "name"),
    Option(
        "description", "text", "Kept in the JSON in fio's shape; does nothing else.", _WORDS, "description"
    ),
    Option(
        "rw",
        "read, write, randread, randwrite, rw, readwrite or randrw",
        "Which I/Os, in which order. Default: read.",
        _MODE,
        "rw",
        _or(_MODE, "readwrite"),
    ),
    Option(
        "bs",
        "size, or reads,writes",
        "Size of an I/O. Default: 4k.",
        _BLOCKS,
        "block_bytes",
        _or(_BLOCKS, "blocksize"),
    ),
    Option(
        "bsrange",
        "low-high, or reads,writes",
        "Sizes from low to high in steps of low, equally often.",
        values.pair_of_ranges,
        "block_bytes",
        _or(values.pair_of_ranges, "blocksize_range"),
    ),
    Option(
        "bssplit",
        "size/percent:size/percent…, or reads,writes",
        "Several sizes by share.",
        values.pair_of_splits,
        "splits",
    ),
    Option(
        "size",
        "size or percent",
        "Bytes of its files that a job uses, and moves unless it is time_based; several files have equal parts of it.",
        values.size,
        "size",
    ),
    Option(
        "filesize",
        "size",
        "Bytes of each file that the job uses; size then says how many of them it moves.",
        values.file_bytes,
        "file_bytes",
    ),
    Option(
        "io_size",
        "size or percent",
        "Bytes that each clone moves, in place of size, over the same part of its files.",
        values.size,
        "io_size",
        _or(values.size, "io_limit"),
    ),
    Option("loops", "number", "Moves its bytes so many times.", values.whole(1, 2**31 - 1), "loops"),
    Option("offset", "size", "Where in each file the job's part begins.", values.integer, "offset_bytes"),
    Option(
        "filename",
        "path[:path…]",
        "Files or devices, shared by all numjobs. Default: one file for each of numjobs.",
        values.paths,
        "filenames",
    ),
    Option(
        "nrfiles",
        "number",
        "So many files for each of numjobs where no filename is given; they have equal parts of size.",
        values.whole(1, 1024),
        "file_count",
        _or(values.whole(1, 1024), "nr_files"),
    ),
    Option(
        "allow_file_create", "0 or 1", "Whether files that do not exist are made. Default: 1.", values.flag, "may_create"
    ),
    Option("directory", "folder", "Where the files are.", values.folder, "directory"),
    Option(
        "ioengine",
        "sync, psync, libaio, io_uring or null",
        "How I/Os are submitted. Default: psync; sync runs as psync. null moves nothing: the figures are this tool's own.",
        values.one_of(_ENGINES), "ioengine",
    ),
    Option(
        "iodepth",
        "number",
        "I/Os in flight of each of numjobs; sync and psync have one whatever it says.",
        values.whole(1, 65_536),
        "iodepth",
    ),
    Option("numjobs", "number", "So many clones at once; reported as one.", values.whole(1, 256), "numjobs"),
    Option(
        "direct",
        "0 or 1",
        "Bypass the page cache. Default: 0, as in fio.",
        values.flag,
        "direct",
        (("buffered", values.opposite),),
    ),
    Option(
        "invalidate",
        "0 or 1",
        "Drop the files from the page cache before the job. Default: 1.",
        values.flag,
        "invalidate",
    ),
    Option(
        "sync",
        "0, none, 1, sync or dsync",
        "Each write is durable before it counts as done, by RWF_DSYNC; sync does the same, with a note.",
        values.one_of(_SYNC),
        "sync",
    ),
    Option("fsync", "number", "An fsync after so many writes; 0 never.", _COUNT, "fsync"),
    Option("fdatasync", "number", "An fdatasync after so many writes; 0 never.", _COUNT, "fdatasync"),
    Option(
        "runtime",
        "time",
        "Ends the job at the latest then.",
        values.duration_us("s"),
        "runtime_us",
        _or(values.duration_us("s"), "timeout"),
    ),
    Option("time_based", "nothing, 0 or 1", "Goes on until runtime is over.", values.flag, "time_based", alone=True),
    Option("ramp_time", "time", "Warm-up, left out of every figure.", values.duration_us("s"), "ramp_us"),
    Option(
        "startdelay", "time", "Starts the job so long after the others of its group.", values.one_delay, "delay_us",
    ),
    Option(
        "rwmixread",
        "percent",
        "Reads as a share of a mix; rwmixwrite is the rest. Default: 50.",
        values.whole(0, 100),
        "read_percent",
        (("rwmixwrite", _rest),),
    ),
    Option(
        "rate_iops",
        "number, or reads,writes",
        "I/Os a second of each of numjobs; latency counts from when each was due.",
        values.pair_of_rates,
        "rates",
    ),
    Option(
        "rate",
        "bytes, or reads,writes",
        "Bytes a second of each of numjobs: as rate_iops with so many I/Os of the mean size.",
        values.pair_of_rates,
        "byte_rates",
    ),
    Option(
        "ratemin",
        "bytes, or reads,writes",
        "Fewer bytes a second of each of numjobs, over all its time, fail the job.",
        values.pair_of_rates,
        "byte_rates_min",
        _or(values.pair_of_rates, "rate_min"),
    ),
    Option(
        "rate_iops_min",
        "number, or reads,writes",
        "Fewer I/Os a second of each of numjobs, over all its time, fail the job.",
        values.pair_of_rates,
        "rates_min",
    ),
    Option(
        "io_submit_mode",
        "inline or offload",
        "offload needs a rate: I/Os are then due when they are due, which holds here for every job with a rate.",
        values.one_of({"inline": "inline", "offload": "offload"}),
        "submit_mode",
    ),
    Option(
        "rate_process", "linear or poisson", "How arrivals are spaced at a rate.",
        values.one_of(_PROCESSES), "arrivals",
    ),
    Option(
        "thinktime",
        "time, in microseconds without a unit",
        "Pause after each I/O; one I/O in flight then.",
        values.duration_us("us"),
        "think_us",
    ),
    Option(
        "random_distribution",
        "random, zipf:THETA or pareto:H",
        "Which blocks a random job prefers.",
        values.distribution,
        "distribution",
    ),
    Option(
        "norandommap",
        "nothing, 0 or 1",
        "Draw each block anew, instead of each once before any twice.",
        values.flag,
        "norandommap",
        alone=True,
    ),
    Option("randrepeat", "0 or 1", "The same offsets each time. Default: 1.", values.flag, "randrepeat"),
    Option("randseed", "number", "Seed of the offsets.", values.whole(0, 2**63 - 1), "randseed"),
    Option(
        "stonewall",
        "nothing, 0 or 1",
        "Wait until all jobs above have ended.",
        values.flag,
        "stonewall",
        _or(values.flag, "wait_for_previous"),
        alone=True,
    ),
    Option(
        "wait_for",
        "name of a job",
        "As stonewall, where nothing but the clones of that job is running by then.",
        _WORDS,
        "wait_for",
    ),
    Option(
        "thread", "nothing, 0 or 1", "Nothing: jobs are always threads here.", values.flag, "thread",
        _or(values.flag, "threads"), alone=True
    ),
    Option(
        "group_reporting",
        "nothing, 0 or 1",
        "Nothing: the clones of a job are always reported as one, and jobs never are.",
        values.flag,
        "group_reporting",
        alone=True,
    ),
    Option(
        "new_group", "nothing, 0 or 1", "Nothing: jobs are never reported as one.", values.flag, "new_group", alone=True
    ),
    Option(
        "gtod_reduce",
        "nothing, 0 or 1",
        "As disable_lat, disable_clat, disable_slat and disable_bw_measurement together.",
        values.flag,
        "gtod_reduce",
        alone=True,
    ),
    *(
        Option(
            f"disable_{name}",
            "nothing, 0 or 1",
            f"Leaves {what} out of --fio-json, as fio does. It is timed all the same, and in the table.",
            values.flag,
            f"disable_{name}",
            alone=True,
        )
        for name, what in (("lat", "lat_ns"), ("clat", "clat_ns"))
    ),
    Option(
        "disable_slat", "nothing, 0 or 1", "Nothing: submission is not timed apart.", values.flag, "disable_slat", alone=True
    ),
    Option(
        "disable_bw_measurement", "nothing, 0 or 1", "Nothing but a note: windows are kept all the same.",
        values.flag, "disable_bw",
        _or(values.flag, "disable_bw"), alone=True,
    ),
    *(
        Option(
            f"write_{name}_log",
            "nothing, or the beginning of a file's name",
            f"Writes {what} of each log_avg_msec into NAME_{name}.N.log, in fio's format.",
            values.prefix,
            f"{name}_log",
            alone=True,
            alone_as="",
        )
        for name, what in (("bw", "KiB a second"), ("iops", "I/Os a second"), ("lat", "mean latency in nanoseconds"))
    ),
    Option(
        "log_avg_msec",
        "milliseconds",
        "How long one line of a log stands for; needed for logs, because single I/Os are not logged.",
        values.whole(10, 3_600_000),
        "log_ms",
    ),
    Option(
        "mem",
        "malloc or mmap",
        "Nothing: buffers are always mapped, in pages of the usual size.",
        values.one_of({"malloc": "malloc", "mmap": "mmap"}),
        "memory",
        _or(values.one_of({"malloc": "malloc", "mmap": "mmap"}), "iomem"),
    ),
    Option(
        "ioscheduler", "name", "Compared with the device's scheduler, with a warning; never set.", _WORDS, "ioscheduler"
    ),
    Option("kb_base", "1024 or 1000", "What k means: 1024 by default.", values.one_of(_KB_BASES), "kb_base"),
)  # fmt: skip


@dataclass(frozen=True)
class Key:
    """A key as it may be written, with the option that it sets."""

    option: Option
    read: Read


KEYS: dict[str, Key] = {
    name: Key(option, read)
    for option in OPTIONS
    for name, read in ((option.name, option.read), *option.aliases)
}


def nearest(key: str) -> str | None:
    """The supported key that looks most like this one."""
    found = difflib.get_close_matches(key, KEYS, n=1)
    return found[0] if found else None
