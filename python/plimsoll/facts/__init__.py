"""Frozen records that every layer exchanges; each fact is defined here once and nowhere else.

JSON, Arrow and database schemas are derived from these classes. Fields are added, never retyped. None means unknown, never 0.
"""

# ruff: noqa: F401 - what checkers of types read

from typing import TYPE_CHECKING

from plimsoll.base.later import loaded_later

if TYPE_CHECKING:
    from plimsoll.facts._fact import Fact, Note
    from plimsoll.facts.advice import (
        Advice,
        Change,
        DbTimePart,
        EvidenceCell,
        Finding,
        IntervalVerdict,
        RecurringFinding,
        StatementChange,
        StorageWhatIf,
    )
    from plimsoll.facts.calibration import (
        Calibration,
        Expectation,
        Extreme,
        IoCalibration,
        Knee,
        LatencyBucket,
        Point,
        PointSpread,
        Spread,
    )
    from plimsoll.facts.cell import (
        AtDevices,
        Cell,
        CellOnHost,
        ClassResult,
        Cpu,
        Group,
        HostTime,
        Outage,
        ServerPath,
        Window,
    )
    from plimsoll.facts.check import Check
    from plimsoll.facts.commits import CommitCause, CommitsOfRole, CommitsUnderWay, CommitTimes, CommitWaits
    from plimsoll.facts.comparison import (
        ComparedFigure,
        ComparedSetting,
        ComparedSide,
        Comparison,
        FigureChange,
        SideFigure,
    )
    from plimsoll.facts.consolidation import Coincidence, Consolidation, DatabaseLoad, SetVerdict, SumStep
    from plimsoll.facts.cpu_bench import CpuBench, CpuRound, CpuSecond
    from plimsoll.facts.demand import BeneathServer, ClassDemand, Database, Demand, DemandInterval, HeldBack
    from plimsoll.facts.event import Event, Live, Progress, Remark, Tick
    from plimsoll.facts.failover import Failover, NodeLoad, NodeLoss
    from plimsoll.facts.fill import DeviceWear, FillLevel, FillSweep
    from plimsoll.facts.flash import FlashSetting, FlashUse, FlashUses, HitCurve, HitPoint
    from plimsoll.facts.foreign_bench import ForeignBench, ForeignFigure, ForeignSetting
    from plimsoll.facts.host_audit import AuditedDatabase, HostAudit, HostFinding, HostRule, HostSeen
    from plimsoll.facts.hosts import HostPart, TogetherOnHosts
    from plimsoll.facts.hot_file import HotFile, HotFileRound
    from plimsoll.facts.interference import Effect, Encounter, Interference
    from plimsoll.facts.isolation import (
        Isolation,
        IsolationEffect,
        IsolationTrial,
        IsolationWrong,
        NoiseSeen,
        PolicyEffect,
        Ratio,
        ServerTrial,
    )
    from plimsoll.facts.kept_rows import KeptRows, KeptRowsKind
    from plimsoll.facts.kept_snapshot import KeptSnapshot, SnapshotSeries, ThinnedSeries
    from plimsoll.facts.laboratory import (
        DeviceCap,
        DeviceTraffic,
        DiskCounters,
        DiskRequests,
        DiskTimes,
        MirrorSide,
        ServedDisk,
        ServedTier,
        ServedTiers,
    )
    from plimsoll.facts.ladder import LadderCurve, LadderStep, LadderTarget, TargetLadder
    from plimsoll.facts.latency import Bucket, LatencyUs
    from plimsoll.facts.latency_ladder import LatencyLadder, LatencyRung
    from plimsoll.facts.line import Line, LineHost, Objective, Slo, Trial
    from plimsoll.facts.links import LinkBound
    from plimsoll.facts.memory_bench import MemoryBench, MemoryChase, MemoryLoad, MemoryStream, MemoryUpdates
    from plimsoll.facts.network_bench import NetworkBench, NetworkTest
    from plimsoll.facts.operation_log import OperationLog
    from plimsoll.facts.placement import (
        AccessCount,
        AfterMoves,
        CacheSize,
        CountBound,
        CurvePoint,
        Inventory,
        MemoryInstead,
        MoveCost,
        MoveTotals,
        MoveWait,
        ObjectKind,
        Placement,
        PlanRow,
        StorageObject,
        Tier,
        TierLatency,
        TierUse,
        UnseenShare,
    )
    from plimsoll.facts.plan import Faults, Plan, PlanGroup, Simulation
    from plimsoll.facts.proof import (
        Agreement,
        BlockOrigin,
        CommitParts,
        Condition,
        CpuUse,
        DeviceSecond,
        HostSecond,
        LogLine,
        OperationResult,
        OperationSlice,
        Prediction,
        Proof,
        ProofSession,
        ProofStart,
        ProofWindow,
        QueryResult,
        Scalability,
        ServerLog,
        Sweep,
        SweepPoint,
    )
    from plimsoll.facts.proof_hosts import ProofHost, ProofHosts
    from plimsoll.facts.replay import Replay, ReplayClass, ReplayTrial, ReplayWindow
    from plimsoll.facts.report import (
        CellCounts,
        NumberCounts,
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
    from plimsoll.facts.request import StoredRequest
    from plimsoll.facts.run import Host, Provenance, Run, RunSummary
    from plimsoll.facts.server_rows import (
        CountedPart,
        CountedRelations,
        CountedStatements,
        Gains,
        RelationGains,
        RelationGrowth,
        RelationSizes,
        SeenWait,
        SeenWaits,
        ServerRows,
        StatementGains,
    )
    from plimsoll.facts.settlement import ClassSettlement, PredictionSummary, Settlement
    from plimsoll.facts.shared import Shared
    from plimsoll.facts.slice_checks import (
        SharedMemoryNode,
        SliceCap,
        SliceCheck,
        SliceChecks,
        SliceSharedMemory,
        SliceWrong,
    )
    from plimsoll.facts.slices import (
        HostSlice,
        SliceChange,
        SliceDevice,
        SliceDisk,
        SliceFinding,
        SliceMemory,
        SlicePlan,
    )
    from plimsoll.facts.snapshot import IoCounters, RelationCounters, Snapshot
    from plimsoll.facts.target import BlockDevice, Contents, FileSystem, Stretch, Target
    from plimsoll.facts.topology import (
        NodeHugePages,
        Topology,
        TopologyAllowed,
        TopologyCache,
        TopologyCore,
        TopologyCpu,
        TopologyDevice,
        TopologyNode,
        TopologyProblem,
    )
    from plimsoll.facts.trend import (
        Trend,
        TrendAhead,
        TrendAnomaly,
        TrendDay,
        TrendHour,
        TrendInstance,
        TrendSeries,
        TrendStep,
    )
    from plimsoll.facts.unread import Unread, UnreadFile
    from plimsoll.facts.verdict import ClassVerdict, MixVerdict, Verdict
    from plimsoll.facts.watch import (
        BindingLimit,
        Watch,
        WatchedCall,
        WatchedCallGroup,
        WatchedDevice,
        WatchedGroup,
        WatchedIo,
        WatchedOperation,
        WatchedSize,
        WatchedStretch,
    )
    from plimsoll.facts.work_window import WorkTrial, WorkWindow
    from plimsoll.facts.working_sets import CacheStep, WorkingSet, WorkingSetSweep
    from plimsoll.facts.workload import Arrivals, Flush, IoClass, RateStep, SizeShare, Workload

_NAMES = {
    "_fact": ("Fact", "Note"),
    "advice": (
        "Advice",
        "Change",
        "DbTimePart",
        "EvidenceCell",
        "Finding",
        "IntervalVerdict",
        "RecurringFinding",
        "StatementChange",
        "StorageWhatIf",
    ),
    "calibration": (
        "Calibration",
        "Expectation",
        "Extreme",
        "IoCalibration",
        "Knee",
        "LatencyBucket",
        "Point",
        "PointSpread",
        "Spread",
    ),
    "cell": (
        "AtDevices",
        "Cell",
        "CellOnHost",
        "ClassResult",
        "Cpu",
        "Group",
        "HostTime",
        "Outage",
        "ServerPath",
        "Window",
    ),
    "check": ("Check",),
    "commits": ("CommitCause", "CommitsOfRole", "CommitsUnderWay", "CommitTimes", "CommitWaits"),
    "comparison": (
        "ComparedFigure",
        "ComparedSetting",
        "ComparedSide",
        "Comparison",
        "FigureChange",
        "SideFigure",
    ),
    "consolidation": ("Coincidence", "Consolidation", "DatabaseLoad", "SetVerdict", "SumStep"),
    "cpu_bench": ("CpuBench", "CpuRound", "CpuSecond"),
    "demand": ("BeneathServer", "ClassDemand", "Database", "Demand", "DemandInterval", "HeldBack"),
    "event": ("Event", "Live", "Progress", "Remark", "Tick"),
    "failover": ("Failover", "NodeLoad", "NodeLoss"),
    "fill": ("DeviceWear", "FillLevel", "FillSweep"),
    "flash": ("FlashSetting", "FlashUse", "FlashUses", "HitCurve", "HitPoint"),
    "foreign_bench": ("ForeignBench", "ForeignFigure", "ForeignSetting"),
    "host_audit": ("AuditedDatabase", "HostAudit", "HostFinding", "HostRule", "HostSeen"),
    "hosts": ("HostPart", "TogetherOnHosts"),
    "hot_file": ("HotFile", "HotFileRound"),
    "interference": ("Effect", "Encounter", "Interference"),
    "isolation": (
        "Isolation",
        "IsolationEffect",
        "IsolationTrial",
        "IsolationWrong",
        "NoiseSeen",
        "PolicyEffect",
        "Ratio",
        "ServerTrial",
    ),
    "kept_rows": ("KeptRows", "KeptRowsKind"),
    "kept_snapshot": ("KeptSnapshot", "SnapshotSeries", "ThinnedSeries"),
    "laboratory": (
        "DeviceCap",
        "DeviceTraffic",
        "DiskCounters",
        "DiskRequests",
        "DiskTimes",
        "MirrorSide",
        "ServedDisk",
        "ServedTier",
        "ServedTiers",
    ),
    "ladder": ("LadderCurve", "LadderStep", "LadderTarget", "TargetLadder"),
    "latency": ("Bucket", "LatencyUs"),
    "latency_ladder": ("LatencyLadder", "LatencyRung"),
    "line": ("Line", "LineHost", "Objective", "Slo", "Trial"),
    "links": ("LinkBound",),
    "memory_bench": ("MemoryBench", "MemoryChase", "MemoryLoad", "MemoryStream", "MemoryUpdates"),
    "network_bench": ("NetworkBench", "NetworkTest"),
    "operation_log": ("OperationLog",),
    "placement": (
        "AccessCount",
        "AfterMoves",
        "CacheSize",
        "CountBound",
        "CurvePoint",
        "Inventory",
        "MemoryInstead",
        "MoveCost",
        "MoveTotals",
        "MoveWait",
        "ObjectKind",
        "Placement",
        "PlanRow",
        "StorageObject",
        "Tier",
        "TierLatency",
        "TierUse",
        "UnseenShare",
    ),
    "plan": ("Faults", "Plan", "PlanGroup", "Simulation"),
    "proof": (
        "Agreement",
        "BlockOrigin",
        "CommitParts",
        "Condition",
        "CpuUse",
        "DeviceSecond",
        "HostSecond",
        "LogLine",
        "OperationResult",
        "OperationSlice",
        "Prediction",
        "Proof",
        "ProofSession",
        "ProofStart",
        "ProofWindow",
        "QueryResult",
        "Scalability",
        "ServerLog",
        "Sweep",
        "SweepPoint",
    ),
    "proof_hosts": ("ProofHost", "ProofHosts"),
    "replay": ("Replay", "ReplayClass", "ReplayTrial", "ReplayWindow"),
    "report": (
        "CellCounts",
        "NumberCounts",
        "Report",
        "ReportInstance",
        "ReportPeriod",
        "ReportProblem",
        "ReportSection",
        "ReportTable",
        "View",
        "ViewColumn",
    ),
    "reported": (
        "InstanceShare",
        "Origin",
        "PrintedCell",
        "ReportedClass",
        "ReportedDemand",
        "ReportedDoubt",
        "ReportedInterval",
        "ReportedSeries",
    ),
    "request": ("StoredRequest",),
    "run": ("Host", "Provenance", "Run", "RunSummary"),
    "server_rows": (
        "CountedPart",
        "CountedRelations",
        "CountedStatements",
        "Gains",
        "RelationGains",
        "RelationGrowth",
        "RelationSizes",
        "SeenWait",
        "SeenWaits",
        "ServerRows",
        "StatementGains",
    ),
    "settlement": ("ClassSettlement", "PredictionSummary", "Settlement"),
    "shared": ("Shared",),
    "slice_checks": (
        "SharedMemoryNode",
        "SliceCap",
        "SliceCheck",
        "SliceChecks",
        "SliceSharedMemory",
        "SliceWrong",
    ),
    "slices": (
        "HostSlice",
        "SliceChange",
        "SliceDevice",
        "SliceDisk",
        "SliceFinding",
        "SliceMemory",
        "SlicePlan",
    ),
    "snapshot": ("IoCounters", "RelationCounters", "Snapshot"),
    "target": ("BlockDevice", "Contents", "FileSystem", "Stretch", "Target"),
    "topology": (
        "NodeHugePages",
        "Topology",
        "TopologyAllowed",
        "TopologyCache",
        "TopologyCore",
        "TopologyCpu",
        "TopologyDevice",
        "TopologyNode",
        "TopologyProblem",
    ),
    "trend": (
        "Trend",
        "TrendAhead",
        "TrendAnomaly",
        "TrendDay",
        "TrendHour",
        "TrendInstance",
        "TrendSeries",
        "TrendStep",
    ),
    "unread": ("Unread", "UnreadFile"),
    "verdict": ("ClassVerdict", "MixVerdict", "Verdict"),
    "watch": (
        "BindingLimit",
        "Watch",
        "WatchedCall",
        "WatchedCallGroup",
        "WatchedDevice",
        "WatchedGroup",
        "WatchedIo",
        "WatchedOperation",
        "WatchedSize",
        "WatchedStretch",
    ),
    "work_window": ("WorkTrial", "WorkWindow"),
    "working_sets": ("CacheStep", "WorkingSet", "WorkingSetSweep"),
    "workload": ("Arrivals", "Flush", "IoClass", "RateStep", "SizeShare", "Workload"),
}
"""Modules, and the facts that each defines."""
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [*sorted(_HOMES)]  # noqa: PLE0604 # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:  # or no checker of types would miss a name that is none
    __getattr__ = loaded_later(__name__, _HOMES)
    """To make all of these classes is half of the time that a command takes to start."""
