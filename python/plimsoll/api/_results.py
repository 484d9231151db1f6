"""What the functions give back of a run: the run as facts, and its parts as Polars frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from plimsoll.api._frames import Tabular, frame_of, row
from plimsoll.api._shown import Shown, picked
from plimsoll.base.errors import PlimsollError
from plimsoll.facts import (
    Calibration,
    Cell,
    Fact,
    FillSweep,
    HotFile,
    Interference,
    IoCalibration,
    Line,
    LinkBound,
    Note,
    Prediction,
    Proof,
    Run,
    Settlement,
    Sweep,
    TargetLadder,
    TogetherOnHosts,
    Verdict,
    WorkingSetSweep,
)
from plimsoll.facts.document import to_json

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, repr=False)
class Result(Shown, Tabular):
    """What was measured: `run` is everything, as it would be stored."""

    run: Run

    _columns: ClassVar[tuple[str, ...]] = ()
    """Those of the frame that a notebook shows."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader of the result must know."""
        return self.run.notes

    @property
    def interrupted(self) -> bool:
        """Whether it was ended early; what was measured until then is here."""
        return self.run.interrupted

    def json(self) -> str:
        """The run as one JSON document, each distribution once under `distributions`."""
        return to_json(self.run)

    def frame(self) -> polars.DataFrame:
        """A row for each part. Raises WorldError `extra-missing` without Polars."""
        return frame_of(self._parts())

    def _parts(self) -> Sequence[Fact]:
        """What the frame has a row of; none where the run ended before there was any."""
        return ()

    def _answer(self) -> str:
        from plimsoll.results import answer

        return answer(self.run)

    def _about(self) -> str:
        return f"run {self.run.id}, {self.run.title}"

    def _remarks(self) -> Sequence[str]:
        return [note.message for note in self.notes]

    def _table(self) -> Sequence[Mapping[str, Any]]:
        return [picked(row(part), self._columns) for part in self._parts()]


class Measured(Result):
    """One cell."""

    _columns = (
        "name",
        "host",
        "level_share",
        "ios",
        "iops",
        "mb_per_s",
        "latency_us_p50",
        "latency_us_p99",
        "latency_us_max",
    )

    @property
    def cell(self) -> Cell:
        """Rate, latency, cost."""
        return _given(self.run.cell)

    @property
    def fill(self) -> FillSweep:
        """The same at each level of fill, where levels were asked for; there is no one cell then."""
        return _given(self.run.fill)

    @property
    def hosts(self) -> TogetherOnHosts:
        """What each host got and all together, where hosts were named; there is no one cell then."""
        return _given(self.run.hosts)

    @property
    def hot_file(self) -> HotFile:
        """What hosts read from one file, and from a file each, where `hot_file` was asked for."""
        return _given(self.run.hot_file)

    def frame(self, of: Literal["classes", "windows", "levels"] | None = None) -> polars.DataFrame:
        """A row per class of I/O, per window of the measured time, or per level of fill; None: levels or hosts where there
        are any, else classes.
        """
        if of is None:
            return super().frame()
        if of == "levels":
            return frame_of(self.fill.levels)
        return frame_of(self.cell.classes if of == "classes" else self.cell.windows)

    def _parts(self) -> Sequence[Fact]:
        if self.run.fill is not None:
            return self.run.fill.levels
        if self.run.hosts is not None:
            return self.run.hosts.hosts
        if self.run.hot_file is not None:
            return self.run.hot_file.rounds
        return () if self.run.cell is None else self.run.cell.classes


@dataclass(frozen=True, repr=False)
class Jobs(Result):
    """The jobs of a job file."""

    failure: PlimsollError | None = None
    """What ended the run after some of its jobs, or kept a log from being written; the others are here."""

    _columns = (
        "iops",
        "mb_per_s",
        "ios",
        "errors",
        "runtime_s",
        "latency_us_p50",
        "latency_us_p99",
        "latency_us_max",
    )

    @property
    def cells(self) -> tuple[Cell, ...]:
        """One for each phase of the file: jobs that ran at once are groups of one cell."""
        return self.run.cells

    def _parts(self) -> Sequence[Fact]:
        return self.run.cells


class Found(Result):
    """The line."""

    _columns = ("phase", "rate", "achieved", "latency_us_p50", "latency_us_p99", "held")

    @property
    def line(self) -> Line:
        """The rate at which the objective still holds, and the trials."""
        return _given(self.run.line)

    def _parts(self) -> Sequence[Fact]:
        return () if self.run.line is None else self.run.line.trials


class Calibrated(Result):
    """The matrix of small and large loads; the frame has a row per point."""

    _columns = ("small_depth", "large_depth", "small_iops", "large_mb_per_s", "small_latency_us_mean")

    @property
    def calibration(self) -> Calibration:
        """Points, extremes and knee."""
        return _given(self.run.calibration)

    def _parts(self) -> Sequence[Fact]:
        return () if self.run.calibration is None else self.run.calibration.points


class CalibratedIo(Calibrated):
    """What Oracle's CALIBRATE_IO answers, with the spread over the repeats."""

    @property
    def answer(self) -> IoCalibration:
        """Rate within the latency bound, throughput, and latency."""
        return _given(self.calibration.io_calibration)


class Visited(Result):
    """Working sets of rising size; the frame has a row per size."""

    _columns = ("set_bytes", "iops", "latency_us_mean", "latency_us_p50", "latency_us_p99")

    @property
    def working_sets(self) -> WorkingSetSweep:
        """Rates by size, and where a cache ends."""
        return _given(self.run.working_sets)

    def _parts(self) -> Sequence[Fact]:
        return () if self.run.working_sets is None else self.run.working_sets.sets


class Added(Result):
    """Targets added one by one."""

    _columns = ("targets", "rate", "linearity")

    @property
    def ladder(self) -> TargetLadder:
        """A curve for small and one for large I/Os."""
        return _given(self.run.ladder)

    @property
    def links(self) -> LinkBound | None:
        """What lies between; None for simulated targets whose links were not stated."""
        return self.run.links

    def frame(self, of: Literal["small", "large"] = "small") -> polars.DataFrame:
        """A row per number of targets."""
        return frame_of(self._steps(of))

    def _parts(self) -> Sequence[Fact]:
        return self._steps("small") or self._steps("large")

    def _steps(self, of: str) -> Sequence[Fact]:
        curves = () if self.run.ladder is None else self.run.ladder.curves
        return [step for curve in curves if curve.size == of for step in curve.steps]


class Judged(Result):
    """Whether storage carries a demand; the frame has a row per class of I/O."""

    _columns = ("name", "demand_iops", "share", "latency_us_p99", "limit_us")

    @property
    def verdict(self) -> Verdict:
        """The answer with its reason, headroom, and what limits."""
        return _given(self.run.verdict)

    @property
    def line(self) -> Line:
        """The rate at which the objective still holds at the demand's mix; there is none for a demand without a mix."""
        return _given(self.run.line)

    def _parts(self) -> Sequence[Fact]:
        return () if self.run.verdict is None else self.run.verdict.classes


class Settled(Result):
    """What became of a verdict; the frame has a row per class of I/O."""

    _columns = (
        "name",
        "judged_per_s",
        "later_per_s",
        "latency_us_predicted",
        "latency_us_observed",
        "objective",
    )

    @property
    def settlement(self) -> Settlement:
        """Whether it came true, with the reason, and by how much the headroom was off."""
        return _given(self.run.settlement)

    def _parts(self) -> Sequence[Fact]:
        return () if self.run.settlement is None else self.run.settlement.classes


class Together(Result):
    """Database clients beside each other; the frame has a row per effect of neighbours on a class."""

    _columns = ("io_class", "neighbours", "p50_ratio", "p99_ratio", "latency_us_p99_alone", "latency_us_p99")

    @property
    def interference(self) -> Interference:
        """Encounters, effects, and what they say."""
        return _given(self.run.interference)

    def _parts(self) -> Sequence[Fact]:
        return () if self.run.interference is None else self.run.interference.effects


class Proved(Result):
    """A real database, driven."""

    _columns = (
        "name", "operations", "sessions", "operations_per_s", "latency_us_p50", "latency_us_p99",
        "query", "stream", "elapsed_s", "answer",
    )  # fmt: skip

    @property
    def proof(self) -> Proof:
        """What its sessions and its server counted."""
        return _given(self.run.proof)

    @property
    def sweep(self) -> Sweep | None:
        """Proofs with rising numbers of sessions, where `action` was sweep; each of them is a stored run."""
        return self.run.sweep

    @property
    def prediction(self) -> Prediction | None:
        """The storage's line at the same mix, where it was asked for."""
        return self.run.prediction

    def frame(
        self, of: Literal["operations", "slices", "queries", "points"] | None = None
    ) -> polars.DataFrame:
        """A row for each kind of operation, for each of them in each second, for each query, or for each point of a sweep; None:
        what there is of points, operations and queries, in this order.
        """
        if of is None:
            return super().frame()
        if of == "points":
            return frame_of(() if self.sweep is None else self.sweep.points)
        return frame_of(getattr(self.proof, of))

    def _parts(self) -> Sequence[Fact]:
        if self.run.sweep is not None:
            return self.run.sweep.points
        return () if self.run.proof is None else self.run.proof.operations or self.run.proof.queries


def _given(part: Any) -> Any:
    assert part is not None, "a run of its kind has this part"
    return part
