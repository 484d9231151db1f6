"""What the functions give back: the run as facts, and its parts as Polars frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from plimsoll.base.errors import WorldError
from plimsoll.facts import (
    Calibration,
    Cell,
    Fact,
    FillSweep,
    Interference,
    IoCalibration,
    LatencyUs,
    Line,
    LinkBound,
    Note,
    Prediction,
    Proof,
    Run,
    Settlement,
    TargetLadder,
    Verdict,
    WorkingSetSweep,
)
from plimsoll.facts.document import to_json

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True)
class Result:
    """What was measured: `run` is everything, as it would be stored."""

    run: Run

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


@dataclass(frozen=True)
class Measured(Result):
    """One cell."""

    @property
    def cell(self) -> Cell:
        """Rate, latency, cost."""
        return _given(self.run.cell)

    @property
    def fill(self) -> FillSweep:
        """The same at each level of fill, where levels were asked for; there is no one cell then."""
        return _given(self.run.fill)

    def frame(self, of: Literal["classes", "windows", "levels"] = "classes") -> polars.DataFrame:
        """A row per class of I/O, per window of the measured time, or per level of fill."""
        if of == "levels":
            return _frame(self.fill.levels)
        return _frame(self.cell.classes if of == "classes" else self.cell.windows)


@dataclass(frozen=True)
class Found(Result):
    """The line."""

    @property
    def line(self) -> Line:
        """The rate at which the objective still holds, and the trials."""
        return _given(self.run.line)

    def frame(self) -> polars.DataFrame:
        """A row per trial."""
        return _frame(self.line.trials)


@dataclass(frozen=True)
class Calibrated(Result):
    """The matrix of small and large loads."""

    @property
    def calibration(self) -> Calibration:
        """Points, extremes and knee."""
        return _given(self.run.calibration)

    def frame(self) -> polars.DataFrame:
        """A row per point."""
        return _frame(self.calibration.points)


@dataclass(frozen=True)
class CalibratedIo(Calibrated):
    """What Oracle's CALIBRATE_IO answers, with the spread over the repeats."""

    @property
    def answer(self) -> IoCalibration:
        """Rate within the latency bound, throughput, and latency."""
        return _given(self.calibration.io_calibration)


@dataclass(frozen=True)
class Visited(Result):
    """Working sets of rising size."""

    @property
    def working_sets(self) -> WorkingSetSweep:
        """Rates by size, and where a cache ends."""
        return _given(self.run.working_sets)

    def frame(self) -> polars.DataFrame:
        """A row per size."""
        return _frame(self.working_sets.sets)


@dataclass(frozen=True)
class Added(Result):
    """Targets added one by one."""

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
        return _frame([step for curve in self.ladder.curves if curve.size == of for step in curve.steps])


@dataclass(frozen=True)
class Judged(Result):
    """Whether storage carries a demand."""

    @property
    def verdict(self) -> Verdict:
        """The answer with its reason, headroom, and what limits."""
        return _given(self.run.verdict)

    @property
    def line(self) -> Line:
        """The rate at which the objective still holds at the demand's mix; there is none for a demand without a mix."""
        return _given(self.run.line)

    def frame(self) -> polars.DataFrame:
        """A row per class of I/O."""
        return _frame(self.verdict.classes)


@dataclass(frozen=True)
class Settled(Result):
    """What became of a verdict."""

    @property
    def settlement(self) -> Settlement:
        """Whether it came true, with the reason, and by how much the headroom was off."""
        return _given(self.run.settlement)

    def frame(self) -> polars.DataFrame:
        """A row per class of I/O."""
        return _frame(self.settlement.classes)


@dataclass(frozen=True)
class Together(Result):
    """Database clients beside each other."""

    @property
    def interference(self) -> Interference:
        """Encounters, effects, and what they say."""
        return _given(self.run.interference)

    def frame(self) -> polars.DataFrame:
        """A row per effect of neighbours on a class."""
        return _frame(self.interference.effects)


class Proved(Result):
    """A real database, driven."""

    @property
    def proof(self) -> Proof:
        """What its sessions and its server counted."""
        assert self.run.proof is not None, "a prove run has a proof"
        return self.run.proof

    @property
    def prediction(self) -> Prediction | None:
        """The storage's line at the same mix, where it was asked for."""
        return self.run.prediction

    def frame(self, of: Literal["operations", "slices", "queries"] = "operations") -> polars.DataFrame:
        """A row for each kind of operation, for each of them in each second, or for each query."""
        return _frame(getattr(self.proof, of))


def _given(part: Any) -> Any:
    assert part is not None, "a run of its kind has this part"
    return part


def _frame(facts: Sequence[Fact]) -> polars.DataFrame:
    try:
        import polars
    except ImportError as error:
        hint = "Install it with: pip install 'plimsoll-storage[tables]'."
        raise WorldError("extra-missing", "frames need polars, which is not installed", hint) from error
    return polars.DataFrame([_row(fact) for fact in facts], infer_schema_length=None)


def _row(fact: Fact, prefix: str = "") -> dict[str, Any]:
    """Plain fields as they are, latencies as columns like `latency_us_p99`; whole facts within and distributions are left out."""
    row: dict[str, Any] = {}
    for name, field in type(fact).model_fields.items():
        value = getattr(fact, name)
        if isinstance(value, LatencyUs):
            row |= _row(value, f"{prefix}{name}_")
        elif _is_plain(value) and LatencyUs not in get_args(field.annotation):
            row[prefix + name] = list(value) if isinstance(value, tuple) else value
    return row


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(isinstance(part, str) for part in value)
    return value is None or isinstance(value, str | int | float)
