"""Any bytes as a job file of fio: jobs, or a usage error that names the line."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.base.errors import PlimsollError
from plimsoll.dialects.fio.job_file import parse
from plimsoll.dialects.fio.options import OPTIONS

ENVIRONMENT = {"NAME": "value"}


def seeds() -> Iterator[bytes]:
    """Jobs as people write them, and every key once."""
    yield b"[global]\nioengine=libaio\ndirect=1\nbs=8k\nruntime=30\ntime_based\n[reads]\nrw=randread\nfilename=/dev/x\niodepth=32\n"
    yield b"[mix]\nrw=randrw\nrwmixread=70\nbssplit=4k/50:8k/50,64k\nrate_iops=1k,2k\nsize=50%\n;remark\nfilename=${NAME}:$ncpus\n"
    yield b"[global]\n" + b"".join(f"{option.name}=1\n".encode() for option in OPTIONS) + b"[job]\n"


def one(data: bytes) -> None:
    """Reads them."""
    try:
        parse("input", data.decode(errors="replace"), ENVIRONMENT)
    except PlimsollError:
        return
