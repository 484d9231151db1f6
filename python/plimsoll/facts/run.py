"""A run: one stored measurement, kept for good, with where and how it was made."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from plimsoll.facts._fact import Fact, Note, Said, Text, Typed
from plimsoll.facts.calibration import Calibration
from plimsoll.facts.cell import Cell
from plimsoll.facts.demand import Demand
from plimsoll.facts.fill import FillSweep
from plimsoll.facts.interference import Interference
from plimsoll.facts.ladder import TargetLadder
from plimsoll.facts.line import Line
from plimsoll.facts.links import LinkBound
from plimsoll.facts.proof import Prediction, Proof, Sweep
from plimsoll.facts.report import Report, ReportTable
from plimsoll.facts.request import StoredRequest
from plimsoll.facts.target import Target
from plimsoll.facts.verdict import Verdict
from plimsoll.facts.working_sets import WorkingSetSweep

RunKind = Literal[
    "io", "line", "demand", "assess", "demo", "calibrate", "shapes", "fio", "import", "read", "prove"
]


class Host(Fact):
    """The machine that measured."""

    hostname: Text
    kernel: str
    distribution: str | None = None
    cpu_model: str | None = None
    cpus: int
    memory_bytes: int | None = None
    virtualization: str | None = None
    python: str


class Provenance(Fact):
    """What a stranger needs in order to repeat the run. `command` is as typed, passwords redacted."""

    plimsoll: str
    command: Typed
    host: Host
    versions: dict[str, str] = {}


class Run(Fact):
    """Everything about one measurement. Parts that its kind has not are None."""

    id: str
    kind: RunKind
    title: Said
    started_at: datetime
    ended_at: datetime
    interrupted: bool = False
    provenance: Provenance
    request: StoredRequest | None = None
    """What was asked; None where another tool measured, or each of several runs came from one request."""
    target: Target | None = None
    targets: tuple[Target, ...] = ()
    """All of them where there are several; `target` is then the first."""
    cell: Cell | None = None
    cells: tuple[Cell, ...] = ()
    """Of runs with several cells that are neither trials nor points: jobs of a job file, clients beside each other."""
    calibration: Calibration | None = None
    working_sets: WorkingSetSweep | None = None
    ladder: TargetLadder | None = None
    fill: FillSweep | None = None
    links: LinkBound | None = None
    """What lies between this host and the targets of a calibration."""
    interference: Interference | None = None
    line: Line | None = None
    demand: Demand | None = None
    verdict: Verdict | None = None
    proof: Proof | None = None
    prediction: Prediction | None = None
    """What the storage's line said of the proof beside it."""
    sweep: Sweep | None = None
    report: Report | None = None
    """Of a run that took in a report of a database, with the rows of its typed views in `report_tables`."""
    report_tables: tuple[ReportTable, ...] = ()
    notes: tuple[Note, ...] = ()


class RunSummary(Fact):
    """A line of `plimsoll store list`."""

    id: str
    kind: RunKind
    title: Text
    started_at: datetime
    duration_s: float
    interrupted: bool
    result: Text
    """The answer in a few words: `54,300 IOPS, p99 410 µs`."""
