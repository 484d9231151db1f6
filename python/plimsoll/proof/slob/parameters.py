"""What a SLOB run can be told: one table of parameters, under our names, SLOB's and pgio's.

Source: SLOB 2.5.3 and pgio 1.0, their documentation and defaults (slob.conf, pgio.conf). Where theirs cannot work, ours differ:
UPDATE_PCT and SCAN_PCT take any whole percentage, WORK_UNIT means that many blocks, and frequencies are chances that are drawn for
each operation, so that sessions do not move in step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from plimsoll.base.errors import UsageError
from plimsoll.base.units import SLOB_BLOCK_BYTES as BLOCK_BYTES
from plimsoll.base.units import parse_blocks, parse_bytes, parse_seconds
from plimsoll.requests.prove_slob import Focus

RedoStress = Literal["LITE", "HEAVY"]


@dataclass(frozen=True)
class SlobParameters:
    """The parameters of one run. A block holds one row; times are seconds; a frequency of N means one operation in N, 0 none."""

    schemas: int = 1
    threads: int = 1
    scale: int = 10_240
    scan_table: int = 128
    work_unit: int = 64
    update_work_unit: int = 0
    update_pct: int = 10
    scan_pct: int = 0
    run_time_s: float = 300.0
    warm_up_s: float = 5.0
    work_loop: int = 0
    redo_stress: RedoStress = "LITE"
    hotspot: int = 0
    hotspot_offset: int = 0
    hotspot_frequency: int = 0
    hot_schema_frequency: int = 0
    think_frequency: int = 0
    think_s_min: float = 0.1
    think_s_max: float = 0.5
    load_parallel: int = 2
    rate_per_s: float = 0.0
    seed: int = 1

    @property
    def sessions(self) -> int:
        """Sessions in all."""
        return self.schemas * self.threads

    @property
    def blocks_updated(self) -> int:
        """Blocks of one update."""
        return self.update_work_unit or self.work_unit

    @property
    def bytes_of_data(self) -> int:
        """All tables together, without indexes."""
        return self.schemas * (self.scale + self.scan_table) * BLOCK_BYTES

    @property
    def pauses(self) -> bool:
        """Whether sessions are idle of their own will."""
        return bool(self.think_frequency or self.rate_per_s)


@dataclass(frozen=True)
class Parameter:
    """One parameter: its field, the names that SLOB and pgio know it by, how its text is read, and what is legal."""

    field: str
    names: tuple[str, ...]
    read: Callable[[str], Any]
    low: float
    high: float
    help: str

    @property
    def shown(self) -> str:
        """The name that people know it by."""
        return (
            self.names[0]
            if self.names
            else f"--{self.field.removesuffix('_per_s').removesuffix('_s').replace('_', '-')}"
        )

    @property
    def wanted(self) -> str:
        """What may be written for it, as a hint."""
        return f"Write {_WANTED[self.read]}. It means: {self.help}."


def _whole(text: str) -> int:
    return int(text.replace("_", ""))


def _megabytes(text: str) -> int:
    """A bare number is MiB, as in SLOB."""
    return parse_bytes(f"{text}m" if text.strip().isdigit() else text) // BLOCK_BYTES


def _stress(text: str) -> str:
    """Anything but LITE was HEAVY in SLOB; here it is one of the two."""
    word = text.strip().upper()
    if word not in ("LITE", "HEAVY"):
        raise ValueError(text)
    return word


def _seconds(text: str) -> float:
    """A bare number is seconds, as in SLOB."""
    return parse_seconds(text)


_WANTED: dict[Callable[[str], Any], str] = {
    _whole: "a whole number", parse_blocks: "blocks, or a size such as 80M", _megabytes: "MiB, or a size such as 8M",
    _stress: "LITE or HEAVY", _seconds: "seconds, or a time such as 5m", float: "a number",
}  # fmt: skip
_ANY = 1e12
PARAMETERS: tuple[Parameter, ...] = (
    Parameter("schemas", ("NUM_SCHEMAS",), _whole, 1, 4096, "tables, each with sessions of its own"),
    Parameter("threads", ("THREADS_PER_SCHEMA", "NUM_THREADS"), _whole, 1, 4096, "sessions for each schema"),
    Parameter("scale", ("SCALE",), parse_blocks, 64, 2**40, "blocks of each table, or its size"),
    Parameter("scan_table", ("SCAN_TABLE_SZ",), parse_blocks, 1, 2**40, "blocks of the table that scans read, or its size"),
    Parameter("work_unit", ("WORK_UNIT",), _whole, 1, 65_536, "blocks of one operation"),
    Parameter("update_work_unit", ("UPDATE_WORK_UNIT",), _whole, 0, 65_536, "blocks of one update; 0: as many"),
    Parameter("update_pct", ("UPDATE_PCT",), _whole, 0, 100, "updates among all operations, in percent"),
    Parameter("scan_pct", ("SCAN_PCT",), _whole, 0, 100, "scans among the reads, in percent"),
    Parameter("run_time_s", ("RUN_TIME",), _seconds, 1, 10_000_000, "measured time"),
    Parameter("warm_up_s", (), _seconds, 0, 100_000, "time before it, which is left out"),
    Parameter("work_loop", ("WORK_LOOP",), _whole, 0, 2**53, "operations of each session, then it ends; 0: by time"),
    Parameter("redo_stress", ("REDO_STRESS",), _stress, 0, 0, "LITE: an update changes 2 columns; HEAVY: all 19"),
    Parameter("hotspot", ("HOTSPOT_MB",), _megabytes, 0, 2**40, "size of the hot spot of each table"),
    Parameter("hotspot_offset", ("HOTSPOT_OFFSET_MB",), _megabytes, 0, 2**40, "where the hot spot begins"),
    Parameter("hotspot_frequency", ("HOTSPOT_FREQUENCY",), _whole, 0, 1_000_000, "one in so many goes there; 0: none"),
    Parameter(
        "hot_schema_frequency", ("HOT_SCHEMA_FREQUENCY", "SHARED_DATA_MODULUS"), _whole, 0, 1_000_000,
        "one operation in so many goes to the first schema; 0: none",
    ),
    Parameter("think_frequency", ("THINK_TM_FREQUENCY", "THINK_TM_MODULUS"), _whole, 0, 1_000_000, "a pause before one in so many"),
    Parameter("think_s_min", ("THINK_TM_MIN",), _seconds, 0, 3600, "shortest pause"),
    Parameter("think_s_max", ("THINK_TM_MAX",), _seconds, 0, 3600, "longest pause"),
    Parameter("load_parallel", ("LOAD_PARALLEL_DEGREE",), _whole, 1, 256, "sessions that load"),
    Parameter("rate_per_s", (), float, 0, _ANY, "operations per second of all sessions, whatever became of earlier ones"),
    Parameter("seed", (), _whole, 0, 2**31, "of keys, kinds and pauses"),
)  # fmt: skip

BY_FIELD = {parameter.field: parameter for parameter in PARAMETERS}


def parameters(**given: Any) -> SlobParameters:
    """The parameters with what was given, None left at its default. Raises UsageError `slob-parameter`."""
    made = replace(SlobParameters(), **{name: value for name, value in given.items() if value is not None})
    for field in fields(made):
        check(field.name, getattr(made, field.name))
    _check_together(made)
    return made


def focused(focus: Focus, chosen: dict[str, Any]) -> dict[str, Any]:
    """What was chosen, with what the focus sets. Raises UsageError `slob-parameter` where the two differ."""
    if focus != "redo":
        return chosen
    if chosen.get("update_pct") not in (None, 100):
        hint = "Leave --update-pct out, or use --focus logical."
        raise UsageError("slob-parameter", "a proof with the focus on redo updates only", hint)
    return {**chosen, "update_pct": 100}


def check(name: str, value: Any) -> None:
    """Raises UsageError `slob-parameter` for a value that is not legal."""
    parameter = BY_FIELD[name]
    if isinstance(value, str) or parameter.low <= value <= parameter.high:
        return
    message = f"{parameter.shown} is {_number(value)}, outside of {_number(parameter.low)} to {_number(parameter.high)}"
    raise UsageError("slob-parameter", message, f"It means: {parameter.help}.")


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,}"


def _check_together(made: SlobParameters) -> None:
    longest = max(made.work_unit, made.blocks_updated)
    if longest > made.scale:
        message = f"an operation touches {longest:,} blocks and a table has {made.scale:,}"
        raise UsageError("slob-parameter", message, "Raise --scale or lower --work-unit.")
    if made.hotspot_frequency and not longest <= made.hotspot <= made.scale - made.hotspot_offset:
        message = f"a hot spot of {made.hotspot:,} blocks from {made.hotspot_offset:,} on does not lie in a table of {made.scale:,}"
        raise UsageError("slob-parameter", message, "Set HOTSPOT_MB and HOTSPOT_OFFSET_MB so that it does.")
    if made.think_s_min > made.think_s_max:
        message = f"pauses from {made.think_s_min:g} s to {made.think_s_max:g} s cannot be: the least is above the most"
        raise UsageError("slob-parameter", message, "Set THINK_TM_MIN no higher than THINK_TM_MAX.")
