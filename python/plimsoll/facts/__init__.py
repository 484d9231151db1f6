"""Frozen records that every layer exchanges; each fact is defined here once and nowhere else.

JSON, Arrow and database schemas are derived from these classes. Fields are added, never retyped. None means unknown, never 0.
"""

from plimsoll.facts._fact import Fact, Note
from plimsoll.facts.calibration import (
    Calibration,
    Expectation,
    Extreme,
    IoCalibration,
    Knee,
    Point,
    Spread,
)
from plimsoll.facts.cell import Cell, ClassResult, Cpu, Group, HostTime, Window
from plimsoll.facts.check import Check
from plimsoll.facts.demand import ClassDemand, Database, Demand, DemandInterval
from plimsoll.facts.event import Event, Live, Progress, Remark
from plimsoll.facts.interference import Effect, Encounter, Interference
from plimsoll.facts.latency import Bucket, LatencyUs
from plimsoll.facts.line import Line, Objective, Slo, Trial
from plimsoll.facts.report import (
    CellCounts,
    Report,
    ReportInstance,
    ReportPeriod,
    ReportProblem,
    ReportSection,
    ReportTable,
    View,
    ViewColumn,
)
from plimsoll.facts.reported import (
    InstanceShare,
    Origin,
    PrintedCell,
    ReportedClass,
    ReportedDemand,
    ReportedDoubt,
    ReportedInterval,
    ReportedSeries,
)
from plimsoll.facts.run import Host, Provenance, Run, RunSummary
from plimsoll.facts.snapshot import IoCounters, RelationCounters, Snapshot
from plimsoll.facts.target import BlockDevice, Contents, FileSystem, Target
from plimsoll.facts.verdict import ClassVerdict, Verdict
from plimsoll.facts.workload import Arrivals, Flush, IoClass, SizeShare, Workload

__all__ = [
    "Arrivals",
    "BlockDevice",
    "Bucket",
    "Calibration",
    "Cell",
    "CellCounts",
    "Check",
    "ClassDemand",
    "ClassResult",
    "ClassVerdict",
    "Contents",
    "Cpu",
    "Database",
    "Demand",
    "DemandInterval",
    "Effect",
    "Encounter",
    "Event",
    "Expectation",
    "Extreme",
    "Fact",
    "FileSystem",
    "Flush",
    "Group",
    "Host",
    "HostTime",
    "InstanceShare",
    "Interference",
    "IoCalibration",
    "IoClass",
    "IoCounters",
    "Knee",
    "LatencyUs",
    "Line",
    "Live",
    "Note",
    "Objective",
    "Origin",
    "Point",
    "PrintedCell",
    "Progress",
    "Provenance",
    "RelationCounters",
    "Remark",
    "Report",
    "ReportInstance",
    "ReportPeriod",
    "ReportProblem",
    "ReportSection",
    "ReportTable",
    "ReportedClass",
    "ReportedDemand",
    "ReportedDoubt",
    "ReportedInterval",
    "ReportedSeries",
    "Run",
    "RunSummary",
    "SizeShare",
    "Slo",
    "Snapshot",
    "Spread",
    "Target",
    "Trial",
    "Verdict",
    "View",
    "ViewColumn",
    "Window",
    "Workload",
]
