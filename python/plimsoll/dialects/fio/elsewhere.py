"""What a job file asks for that is another tool's work, and the way on: fio runs it, and `plimsoll import` takes in its results.

Plimsoll measures reads and writes of files and block devices. What moves bytes elsewhere, changes names instead of bytes, speaks a
device's own commands or judges what it reads is refused with its reason, not as a key that nobody knows.
"""

from __future__ import annotations

import re

WAY_ON = "Run it with fio itself: fio --output-format=json --output=FILE JOBFILE. plimsoll import FILE reads what it measured."

_NETWORK = "moves data over a network"
_REMOTE = "speaks to a storage service over its own library"
_COMMANDS = "sends a device commands of its own instead of reads and writes of the kernel"
_MEMORY = "moves data between memories"
_NAMES = "changes files instead of reading and writing them"
_PROCESSORS = "keeps CPUs busy and moves nothing"
_OTHER_CODE = "runs code of somebody else"
_READS_BACK = "tests that what was written is read back, and measures nothing"
_ZONES = "is for devices of zones, which take writes in one order only"
_TRIMS = "discards blocks instead of reading or writing them"
_PROTECTION = "makes and checks protection information of NVMe devices"
_PLACEMENT = "tells an NVMe device where to put data"

_ENGINES = {
    "net": _NETWORK, "netsplice": _NETWORK, "rdma": _NETWORK, "librpma_apm": _NETWORK, "librpma_gpspm": _NETWORK,
    "rados": _REMOTE, "rbd": _REMOTE, "http": _REMOTE, "gfapi": _REMOTE, "gfapi_async": _REMOTE, "libhdfs": _REMOTE,
    "libiscsi": _REMOTE, "nbd": _REMOTE, "nfs": _REMOTE, "dfs": _REMOTE, "ime_psync": _REMOTE, "ime_psyncv": _REMOTE,
    "ime_aio": _REMOTE, "sg": _COMMANDS, "io_uring_cmd": _COMMANDS, "libzbc": _COMMANDS, "mtd": _COMMANDS, "xnvme": _COMMANDS,
    "libblkio": _COMMANDS, "dev-dax": _MEMORY, "libpmem": _MEMORY, "libpmem2": _MEMORY, "pmemblk": _MEMORY, "libcufile": _MEMORY,
    "libhipfile": _MEMORY, "page_fault": _MEMORY, "filecreate": _NAMES, "filestat": _NAMES, "filedelete": _NAMES,
    "dircreate": _NAMES, "dirstat": _NAMES, "dirdelete": _NAMES, "falloc": _NAMES, "ftruncate": _NAMES, "e4defrag": _NAMES,
    "cpuio": _PROCESSORS, "exec": _OTHER_CODE, "external": _OTHER_CODE, "cpp_null": _OTHER_CODE,
}  # fmt: skip
_KEYS = (
    (re.compile(r"verify(_.+)?|do_verify|experimental_verify|atomic"), _READS_BACK),
    (re.compile(r"(max|job_max)_open_zones|zone_reset_.+|read_beyond_wp"), _ZONES),
    (re.compile(r"trim_.+|num_range"), _TRIMS),
    (re.compile(r"md_per_io_size|pi_act|pi_chk|apptag(_mask)?"), _PROTECTION),
    (re.compile(r"fdp(_.+)?|dp_scheme|dataplacement|plids?"), _PLACEMENT),
    (re.compile(r"client(name)?|hostname|port"), _NETWORK),
)
_MODES = re.compile(r"(rand)?trim(write)?(:.*)?")


def why(key: str, value: str | None) -> str | None:
    """What the key or its value does that is another tool's work; None where it is not."""
    said = (value or "").strip()
    if key == "ioengine":
        return _ENGINES.get(said.partition(":")[0])
    if key in ("rw", "readwrite"):
        return _TRIMS if _MODES.fullmatch(said) else None
    if key == "zonemode":
        return _ZONES if said == "zbd" else None
    if key in ("verify", "do_verify") and said in ("0", "none", ""):
        return None if said else _READS_BACK
    return next((reason for names, reason in _KEYS if names.fullmatch(key)), None)
