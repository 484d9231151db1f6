"""A run: one stored measurement, kept for good, with where and how it was made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, TypeAdapter, ValidationInfo, model_validator

from plimsoll.facts._fact import Fact, Note, Said, Text, Typed
from plimsoll.facts.links import LinkBound
from plimsoll.facts.request import StoredRequest
from plimsoll.facts.target import Target

if TYPE_CHECKING:
    from plimsoll.facts.advice import Advice
    from plimsoll.facts.calibration import Calibration
    from plimsoll.facts.cell import Cell
    from plimsoll.facts.commits import CommitWaits
    from plimsoll.facts.consolidation import Consolidation
    from plimsoll.facts.demand import Demand
    from plimsoll.facts.failover import Failover
    from plimsoll.facts.fill import FillSweep
    from plimsoll.facts.hosts import TogetherOnHosts
    from plimsoll.facts.hot_file import HotFile
    from plimsoll.facts.interference import Interference
    from plimsoll.facts.ladder import TargetLadder
    from plimsoll.facts.line import Line
    from plimsoll.facts.operation_log import OperationLog
    from plimsoll.facts.placement import Placement
    from plimsoll.facts.proof import Prediction, Proof, Sweep
    from plimsoll.facts.replay import Replay
    from plimsoll.facts.report import Report, ReportTable
    from plimsoll.facts.settlement import Settlement
    from plimsoll.facts.topology import Topology
    from plimsoll.facts.trend import Trend
    from plimsoll.facts.unread import Unread
    from plimsoll.facts.verdict import Verdict
    from plimsoll.facts.watch import Watch
    from plimsoll.facts.work_window import WorkWindow
    from plimsoll.facts.working_sets import WorkingSetSweep


class Host(Fact):
    """The machine that measured."""

    hostname: Text
    """Its name."""
    kernel: str
    """Release of its kernel."""
    distribution: str | None = None
    """Its Linux distribution."""
    cpu_model: str | None = None
    """What its CPUs call themselves."""
    cpus: int
    memory_bytes: int | None = None
    """Memory in bytes."""
    virtualization: str | None = None
    """What it is a guest of, as far as it can be told; None: no guest, or not known."""
    python: str
    """Version of Python that measured."""


class Provenance(Fact):
    """What a stranger needs in order to repeat the run. `command` is as typed, passwords redacted."""

    plimsoll: str
    """Version that measured."""
    command: Typed
    """As it was typed, without passwords."""
    host: Host
    """The machine that measured."""
    versions: dict[str, str] = {}
    """Versions of the packages that take part, by name."""


RunKind = Literal[
    "advise",
    "assess",
    "calibrate",
    "commits",
    "demand",
    "demo",
    "fio",
    "host",
    "import",
    "io",
    "line",
    "place",
    "prove",
    "read",
    "settle",
    "shapes",
    "trend",
    "watch",
]
"""What runs are of that are kept: the verb that made them, or the one in whose words another verb measured."""
RUN_KINDS: tuple[RunKind, ...] = get_args(RunKind)


class ResultClasses(MutableMapping[str, Any]):
    """A fact class for each kind of result, or a tuple of one; it is loaded when it is first asked for."""

    def __init__(self, held: dict[str, Any]) -> None:
        self._held = held

    def __getitem__(self, kind: str) -> Any:
        held = self._held[kind]
        if isinstance(held, str):
            held = self._held[kind] = _loaded(held)
        return held

    def __setitem__(self, kind: str, held: Any) -> None:
        self._held[kind] = held

    def __delitem__(self, kind: str) -> None:
        del self._held[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, kind: object) -> bool:
        return kind in self._held


def _loaded(held: str) -> Any:
    from plimsoll import facts

    name = held.removeprefix(_TUPLE_BEGIN).removesuffix(_TUPLE_END)
    fact = getattr(facts, name)
    return fact if name == held else tuple[fact, ...]


_TUPLE_BEGIN, _TUPLE_END = "tuple[", ", ...]"

RESULTS = ResultClasses(
    {
        "advice": "Advice",
        "cell": "Cell",
        "cells": "tuple[Cell, ...]",
        "calibration": "Calibration",
        "working_sets": "WorkingSetSweep",
        "ladder": "TargetLadder",
        "fill": "FillSweep",
        "hosts": "TogetherOnHosts",
        "hot_file": "HotFile",
        "interference": "Interference",
        "line": "Line",
        "demand": "Demand",
        "verdict": "Verdict",
        "replay": "Replay",
        "work_window": "WorkWindow",
        "consolidation": "Consolidation",
        "failover": "Failover",
        "settlement": "Settlement",
        "placement": "Placement",
        "flash_uses": "FlashUses",
        "trend": "Trend",
        "unread": "Unread",
        "watch": "Watch",
        "commits": "CommitWaits",
        "cpu_bench": "CpuBench",
        "host_audit": "HostAudit",
        "isolation": "Isolation",
        "latency_ladder": "LatencyLadder",
        "memory_bench": "MemoryBench",
        "network_bench": "NetworkBench",
        "slice_checks": "SliceChecks",
        "slices": "SlicePlan",
        "topology": "Topology",
        "proof": "Proof",
        "prediction": "Prediction",
        "sweep": "Sweep",
        "operation_log": "OperationLog",
        "foreign_bench": "ForeignBench",
        "report": "Report",
        "report_tables": "tuple[ReportTable, ...]",
    }
)
"""What a run can hold, by kind: a fact class or a tuple of one. It is open: `plimsoll.results` adds what its files hold."""


def _decoded(results: Any, info: ValidationInfo) -> Any:
    """Facts of the kinds that are known; of the others what their document says."""
    if not isinstance(results, Mapping):
        return results
    return {
        kind: _adapter(kind).validate_python(value, context=info.context) if kind in RESULTS else value
        for kind, value in results.items()
    }


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(RESULTS[kind])


def _with_results_inside(fields: dict[str, Any], held: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a run, those that name a result gathered with the results that are held."""
    named = {name: fields[name] for name in RESULTS if name in fields}
    if not named:
        return fields
    results = {kind: value for kind, value in {**held, **named}.items() if value is not None and value != ()}
    return {**{name: fields[name] for name in fields if name not in named}, "results": results}


class Run(Fact):
    """Everything about one measurement: what every run has, and `results` by kind. Of a kind that it has not it says None.

    Results may be given by their names, as `Run(…, line=line)`; those that are None or empty are left out.
    """

    id: str
    """Unique, and in the order of time."""
    kind: Text
    """The verb that made it."""
    title: Said
    """What was measured, in a line."""
    tags: tuple[str, ...] = ()
    """Words that people gave it, to find it again and to compare by; the only part that changes once it is stored, with notes."""
    started_at: datetime
    ended_at: datetime
    interrupted: bool = False
    provenance: Provenance
    """Where and how it was made."""
    request: StoredRequest | None = None
    """What was asked; None where another tool measured, or each of several runs came from one request."""
    target: Target | None = None
    """What was measured; None for a run without storage of its own."""
    targets: tuple[Target, ...] = ()
    """All of them where there are several; `target` is then the first."""
    links: LinkBound | None = None
    """What lies between this host and the targets of a calibration."""
    results: Annotated[dict[str, Any], BeforeValidator(_decoded)] = {}
    """What was found, by kind: facts, or the JSON of a kind that is not known here."""
    notes: tuple[Note, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, data: Any) -> Any:
        return _with_results_inside(data, data.get("results", {})) if isinstance(data, dict) else data

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Run:
        """A copy in which results are replaced by their names; None and () take one away."""
        return super().model_copy(update=_with_results_inside(dict(update or {}), self.results), deep=deep)

    @property
    def advice(self) -> Advice | None:
        """What a database waited for, and what would help."""
        return self.results.get("advice")

    @property
    def cell(self) -> Cell | None:
        """One measured point."""
        return self.results.get("cell")

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Of runs with several cells that are neither trials nor points: jobs of a job file, clients beside each other."""
        return self.results.get("cells", ())

    @property
    def calibration(self) -> Calibration | None:
        """The matrix of small and large loads."""
        return self.results.get("calibration")

    @property
    def working_sets(self) -> WorkingSetSweep | None:
        """Rates over bytes visited."""
        return self.results.get("working_sets")

    @property
    def ladder(self) -> TargetLadder | None:
        """Targets added one by one."""
        return self.results.get("ladder")

    @property
    def fill(self) -> FillSweep | None:
        """One workload at several levels of fill."""
        return self.results.get("fill")

    @property
    def hosts(self) -> TogetherOnHosts | None:
        """One workload from several hosts at the same time."""
        return self.results.get("hosts")

    @property
    def hot_file(self) -> HotFile | None:
        """One file that all hosts read, against a file for each of them."""
        return self.results.get("hot_file")

    @property
    def interference(self) -> Interference | None:
        """What clients do to each other."""
        return self.results.get("interference")

    @property
    def line(self) -> Line | None:
        """The highest rate at which the objective still holds."""
        return self.results.get("line")

    @property
    def demand(self) -> Demand | None:
        """What a database asked of storage."""
        return self.results.get("demand")

    @property
    def verdict(self) -> Verdict | None:
        """Whether this storage carries that database."""
        return self.results.get("verdict")

    @property
    def replay(self) -> Replay | None:
        """The demand's worst stretches driven as they were."""
        return self.results.get("replay")

    @property
    def work_window(self) -> WorkWindow | None:
        """A backup or a migration beside the demand."""
        return self.results.get("work_window")

    @property
    def consolidation(self) -> Consolidation | None:
        """What several databases ask of one storage together."""
        return self.results.get("consolidation")

    @property
    def failover(self) -> Failover | None:
        """What becomes of databases on several nodes when one of these is lost."""
        return self.results.get("failover")

    @property
    def settlement(self) -> Settlement | None:
        """A verdict held against what happened after the move."""
        return self.results.get("settlement")

    @property
    def placement(self) -> Placement | None:
        """What belongs on which tier."""
        return self.results.get("placement")

    @property
    def unread(self) -> Unread | None:
        """What was named and is not in the result."""
        return self.results.get("unread")

    @property
    def trend(self) -> Trend | None:
        """Where the load of databases goes."""
        return self.results.get("trend")

    @property
    def watch(self) -> Watch | None:
        """Live I/O by owner and file."""
        return self.results.get("watch")

    @property
    def commits(self) -> CommitWaits | None:
        """What commits wait for."""
        return self.results.get("commits")

    @property
    def topology(self) -> Topology | None:
        """How a host is built."""
        return self.results.get("topology")

    @property
    def proof(self) -> Proof | None:
        """What driving a real database gave."""
        return self.results.get("proof")

    @property
    def prediction(self) -> Prediction | None:
        """What the storage's line said of the proof beside it."""
        return self.results.get("prediction")

    @property
    def sweep(self) -> Sweep | None:
        """Proofs with rising numbers of sessions."""
        return self.results.get("sweep")

    @property
    def operation_log(self) -> OperationLog | None:
        """Operations that another tool timed."""
        return self.results.get("operation_log")

    @property
    def report(self) -> Report | None:
        """Of a run that took in a report of a database, with the rows of its typed views in `report_tables`."""
        return self.results.get("report")

    @property
    def report_tables(self) -> tuple[ReportTable, ...]:
        """The rows of a stored report's typed views."""
        return self.results.get("report_tables", ())


class RunSummary(Fact):
    """A line of `plimsoll store list`."""

    id: str
    """Unique, and in the order of time."""
    kind: Text
    """The verb that made it."""
    title: Text
    started_at: datetime
    duration_s: float
    """From its beginning to its end, in seconds."""
    interrupted: bool
    result: Text
    """The answer in a few words: `54,300 IOPS, p99 410 µs`."""
    tags: tuple[str, ...] = ()
    """Words that people gave it."""
