"""Options that several verbs share, each defined once."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from plimsoll.base.errors import UsageError
from plimsoll.base.units import parse_bytes, parse_rate, parse_seconds


def positive(parse: Any, above_zero: bool = True) -> Any:
    """A typer parser from one of ours; its UsageError keeps its own words."""

    def convert(text: Any) -> Any:
        if not isinstance(text, str):
            return text
        value = parse(text)
        if above_zero and not value > 0:
            raise UsageError(
                "not-above-zero", f"'{text}' is not above zero", "Give more, or leave the option out."
            )
        return value

    convert.__name__ = parse.__name__.removeprefix("parse_")
    return convert


_SECONDS, _BYTES, _RATE = positive(parse_seconds), positive(parse_bytes), positive(parse_rate)
_SECONDS_OR_NONE = positive(parse_seconds, above_zero=False)

Target = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="File, block device, folder (a scratch file is made in it and removed), or sim:mean=100us.",
        show_default=False,
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on standard output, and nothing else there.")
]
EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas",
        help="In CSV, put ' before texts that a spreadsheet would run: those that begin with =, +, - or @.",
    ),
]
Events = Annotated[
    str | None,
    typer.Option(
        "--events",
        metavar="FILE|-",
        help="Write live events as NDJSON; - is standard error.",
        show_default=False,
    ),
]
StorePlace = Annotated[
    str | None,
    typer.Option(
        "--store", metavar="PLACE", help="Run repository: a file or a postgresql:// URL.", show_default=False
    ),
]
Rw = Annotated[
    str,
    typer.Option(
        "--rw",
        help="randread, randwrite, randrw, read, write or rw, as in fio; or log-write: one durable write after the other.",
    ),
]
Block = Annotated[
    int, typer.Option("--block", parser=_BYTES, metavar="SIZE", help="Size of each I/O.", show_default="8k")
]
ReadShare = Annotated[
    float | None,
    typer.Option(
        "--read-share", metavar="0..1", help="Reads as a share of I/Os, in a mix.", show_default=False
    ),
]
Jobs = Annotated[
    int, typer.Option("--jobs", min=1, max=256, help="Submitting threads, each pinned to a core.")
]
Engine = Annotated[
    str,
    typer.Option("--engine", help="How I/Os are submitted: auto, or the name of an engine such as psync."),
]
Size = Annotated[
    int | None,
    typer.Option(
        "--size",
        parser=_BYTES,
        metavar="SIZE",
        help="Part of the target to use, or size of the file to make.",
        show_default="all, or 1g",
    ),
]
Direct = Annotated[bool, typer.Option("--direct/--no-direct", help="Bypass the page cache, or do not.")]
Merge = Annotated[
    bool,
    typer.Option(
        "--merge",
        help="Let the kernel make one I/O of neighbouring ones. By default each goes to the device alone.",
    ),
]
Prefill = Annotated[
    bool,
    typer.Option(
        "--prefill",
        help="Make TARGET as a new file that stays, or take a device of zeros; write it in full with random data.",
    ),
]
Destroy = Annotated[
    list[str],
    typer.Option(
        "--destroy",
        metavar="DEVICE=IDENTITY",
        help="Write to that very device: IDENTITY is its serial, WWN, dm-uuid, by-id name, or a loop device's file.",
        show_default=False,
    ),
]
Check = Annotated[
    Literal["cache", "steady", "all"] | None,
    typer.Option(
        "--check",
        help="Measure more, to see whether the number can be believed.",
        show_default="only what costs nothing",
    ),
]
Runs = Annotated[
    int,
    typer.Option("--repeats", min=1, max=100, help="Runs to make; the median one is the result."),
]
Precondition = Annotated[
    bool,
    typer.Option(
        "--precondition", help="Write the target twice in full, then until it is steady, before measuring."
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        min=0,
        max=2**32 - 1,
        help="Equal seeds draw equal offsets and arrivals.",
        show_default="a new one each time; 1 on a simulated target",
    ),
]
Slo = Annotated[
    str,
    typer.Option(
        "--slo",
        metavar="OBJECTIVE",
        help="Latency objective: p99=1ms, or small_read.p99=5ms,redo_write.p99=2ms.",
    ),
]
Trial = Annotated[
    float | None,
    typer.Option(
        "--trial",
        parser=_SECONDS,
        metavar="TIME",
        help="Shortest trial.",
        show_default="2s; 2 million I/Os on a simulated target",
    ),
]
Repeats = Annotated[
    int, typer.Option("--repeats", min=1, max=50, help="Fresh trials at the answer; four in five must hold.")
]
Runtime = Annotated[
    float,
    typer.Option("--runtime", parser=_SECONDS, metavar="TIME", help="Measured time.", show_default="5s"),
]
WarmUp = Annotated[
    float,
    typer.Option(
        "--warm-up",
        parser=_SECONDS_OR_NONE,
        metavar="TIME",
        help="Time left out at the start.",
        show_default="300ms",
    ),
]
Rate = Annotated[
    float | None,
    typer.Option(
        "--rate",
        parser=_RATE,
        metavar="N",
        help="Arrivals per second; latency counts from when each I/O was due.",
        show_default="as fast as the depth allows",
    ),
]
DatabaseUrl = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="postgresql://…, or embedded: a PostgreSQL of our own under pgbench.",
        show_default=False,
    ),
]
Seconds = Annotated[
    float,
    typer.Option("--seconds", parser=_SECONDS, metavar="TIME", help="How long to watch.", show_default="30s"),
]
DemandPlace = Annotated[
    str | None,
    typer.Option(
        "--demand",
        metavar="RUN|FILE",
        help="A stored run, JSON of plimsoll demand, or Statspack and AWR reports: file, folder, archive, or -.",
        show_default=False,
    ),
]
