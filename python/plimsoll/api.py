"""Plimsoll in a Python process: what the command line measures, as facts and as Polars frames.

Sizes, times and rates are numbers or the words of the command line: 8192 or "8k", 0.5 or "500ms", 20000 or "20k". Nothing is
printed, and nothing is stored unless `store` names a place. Python's lock is free while a measurement runs.
Errors are `plimsoll.PlimsollError` with id, message and hint. KeyboardInterrupt ends the measurement, removes scratch files and
is raised; to end early and keep what was measured, set a `plimsoll.Cancel` from another thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path as FolderPath
from typing import TYPE_CHECKING, Any, Literal, get_args

from plimsoll.base import settings
from plimsoll.base.errors import PlimsollError, UsageError, WorldError
from plimsoll.base.limits import CALIBRATE_POINT_S, DEFAULT_SLO, PROOF_SLO, WARM_UP_S
from plimsoll.base.units import parse_bytes, parse_rate, parse_seconds
from plimsoll.context import Cancel, Context, LocalExecutor, Scratch, scratch
from plimsoll.context import Store as _Store
from plimsoll.facts import (
    Bucket,
    Calibration,
    Cell,
    Event,
    Fact,
    Interference,
    IoCalibration,
    LatencyUs,
    Line,
    Note,
    Prediction,
    Proof,
    Run,
    RunSummary,
)
from plimsoll.ports.clock import SystemClock
from plimsoll.supply.latency import buckets as _buckets
from plimsoll.supply.latency import latency as _merged
from plimsoll.supply.latency import quantile_us

if TYPE_CHECKING:
    import polars

__all__ = [
    "Calibrated",
    "CalibratedIo",
    "Cancel",
    "Found",
    "Measured",
    "PlimsollError",
    "Proved",
    "Result",
    "Together",
    "buckets",
    "calibrate",
    "calibrate_io",
    "line",
    "load",
    "measure",
    "merge",
    "prove_order_entry",
    "prove_slob",
    "prove_tpch",
    "quantile_us",
    "shapes",
]

Path = str | PathLike[str]
Listener = Callable[[Event], None]


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
        """The run as one JSON document."""
        return self.run.model_dump_json()


@dataclass(frozen=True)
class Measured(Result):
    """One cell."""

    @property
    def cell(self) -> Cell:
        """Rate, latency, cost."""
        return _given(self.run.cell)

    def frame(self, of: Literal["classes", "windows"] = "classes") -> polars.DataFrame:
        """A row per class of I/O, or per window of the measured time."""
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


def measure(
    target: Path,
    *,
    rw: str = "randread",
    block: int | str = "8k",
    depth: int | None = None,
    jobs: int = 1,
    engine: str = "auto",
    runtime: float | str = "5s",
    warm_up: float | str = WARM_UP_S,
    size: int | str | None = None,
    read_share: float | None = None,
    rate: float | str | None = None,
    arrivals: Literal["poisson", "uniform"] = "poisson",
    direct: bool = True,
    prefill: bool = False,
    destroy: Sequence[str] = (),
    check: Literal["cache", "steady", "all"] | None = None,
    repeats: int = 1,
    seed: int = 1,
    store: str | None = None,
    listen: Listener | None = None,
    cancel: Cancel | None = None,
) -> Measured:
    """One workload, as `plimsoll io`. With a `rate` (per second) latency counts from when each I/O was due."""
    from plimsoll.flows.io import IoRequest, measure_io

    asked = IoRequest(
        target=fspath(target),
        rw=rw,
        block_bytes=_bytes(block),
        depth=depth,
        jobs=jobs,
        engine=engine,
        runtime_s=_seconds(runtime),
        warm_up_s=_seconds(warm_up),
        bytes_wanted=None if size is None else _bytes(size),
        read_share=read_share,
        rate_per_s=None if rate is None else _rate(rate),
        arrivals=arrivals,
        direct=direct,
        prefill=prefill,
        destroy=tuple(destroy),
        check=check,
        repeats=repeats,
        seed=seed,
    )
    with _context("measure", store, listen, cancel) as ctx:
        return Measured(measure_io(ctx, asked))


def line(
    target: Path,
    *,
    slo: str = DEFAULT_SLO,
    rw: str = "randread",
    block: int | str = "8k",
    read_share: float | None = None,
    jobs: int = 1,
    engine: str = "auto",
    size: int | str | None = None,
    trial: float | str | None = None,
    repeats: int = 5,
    beside: str | None = None,
    direct: bool = True,
    prefill: bool = False,
    destroy: Sequence[str] = (),
    seed: int = 1,
    store: str | None = None,
    listen: Listener | None = None,
    cancel: Cancel | None = None,
) -> Found:
    """The highest rate at which the objective `slo` still holds, as `plimsoll line`."""
    from plimsoll.flows.line import LineRequest, measure_line

    asked = LineRequest(
        target=fspath(target),
        slo=slo,
        rw=rw,
        block_bytes=_bytes(block),
        read_share=read_share,
        jobs=jobs,
        engine=engine,
        bytes_wanted=None if size is None else _bytes(size),
        trial_s=None if trial is None else _seconds(trial),
        trials_confirm=repeats,
        beside=beside,
        direct=direct,
        prefill=prefill,
        destroy=tuple(destroy),
        seed=seed,
    )
    with _context("line", store, listen, cancel) as ctx:
        return Found(measure_line(ctx, asked))


def calibrate(
    targets: Path | Sequence[Path],
    *,
    shape: str | None = None,
    matrix: str | None = None,
    disks: int | None = None,
    small: int | str = "8k",
    large: int | str = "1m",
    write_share: float = 0.0,
    duration: float | str = CALIBRATE_POINT_S,
    store: str | None = None,
    listen: Listener | None = None,
    cancel: Cancel | None = None,
    **more: Any,
) -> Calibrated:
    """The matrix of small and large loads, as `plimsoll calibrate`: adaptive, or a grid where `shape` or `matrix` asks for one.

    `more` are further fields of plimsoll.flows.calibrate.CalibrateRequest.
    """
    from plimsoll.flows.calibrate import CalibrateRequest
    from plimsoll.flows.calibrate import calibrate as measure_matrix

    asked = CalibrateRequest(
        targets=_names(targets),
        shape=shape or "simple",
        matrix=matrix or (None if shape else "adaptive"),
        disks=disks,
        small_bytes=_bytes(small),
        large_bytes=_bytes(large),
        write_share=write_share,
        duration_s=_seconds(duration),
        **more,
    )
    with _context("calibrate", store, listen, cancel) as ctx:
        return Calibrated(measure_matrix(ctx, asked))


def calibrate_io(
    targets: Path | Sequence[Path],
    *,
    disks: int | None = None,
    max_latency: float | str = "20ms",
    repeats: int = 5,
    duration: float | str = CALIBRATE_POINT_S,
    store: str | None = None,
    listen: Listener | None = None,
    cancel: Cancel | None = None,
    **more: Any,
) -> CalibratedIo:
    """What Oracle's CALIBRATE_IO answers, `repeats` times; `more` are fields of plimsoll.flows.calibrate.CalibrateRequest."""
    from plimsoll.flows.calibrate import CalibrateRequest
    from plimsoll.flows.calibrate_io import CalibrateIoRequest, measure_calibrate_io

    of = CalibrateRequest(targets=_names(targets), disks=disks, duration_s=_seconds(duration), **more)
    asked = CalibrateIoRequest(of, max_latency_us=_seconds(max_latency) * 1e6, repeats=repeats)
    with _context("calibrate_io", store, listen, cancel) as ctx:
        return CalibratedIo(measure_calibrate_io(ctx, asked))


def shapes(
    target: Path,
    *,
    log: Path | None = None,
    only: Iterable[str] = (),
    rates: Mapping[str, float] | None = None,
    share: float = 0.5,
    readers: int = 8,
    depth: int = 32,
    streams: int = 4,
    block: int | str = "8k",
    runtime: float | str = "5s",
    size: int | str | None = None,
    engine: str = "auto",
    direct: bool = True,
    seed: int = 1,
    store: str | None = None,
    listen: Listener | None = None,
    cancel: Cancel | None = None,
) -> Together:
    """What database clients do to each other, as `plimsoll shapes`; `rates` are per second, by shape."""
    from plimsoll.flows.shapes import ShapesRequest, measure_shapes
    from plimsoll.supply.shapes import Sizes

    asked = ShapesRequest(
        target=fspath(target),
        log=None if log is None else fspath(log),
        only=tuple(only),
        sizes=Sizes(_bytes(block), readers, depth, streams),
        rate_share=share,
        rates_per_s={name.replace("-", "_"): rate for name, rate in (rates or {}).items()},
        runtime_s=_seconds(runtime),
        bytes_wanted=None if size is None else _bytes(size),
        engine=engine,
        direct=direct,
        seed=seed,
    )
    with _context("shapes", store, listen, cancel) as ctx:
        return Together(measure_shapes(ctx, asked))


def prove_slob(
    database: str = "embedded",
    *,
    focus: Literal["physical", "logical", "redo"] = "physical",
    scale: int | str = "80M",
    run_time: float | str = "5m",
    warm_up: float | str = "5s",
    rate: float | str | None = None,
    folder: Path | None = None,
    against: Path | None = None,
    slo: str = PROOF_SLO,
    store: str | None = None,
    listen: Listener | None = None,
    cancel: Cancel | None = None,
    **parameters: int | float | str,
) -> Proved:
    """A database driven with random block reads and updates, as `plimsoll prove slob run`.

    `parameters` are further fields of `plimsoll.proof.slob.parameters.SlobParameters`: schemas, threads, update_pct, work_unit ….
    """
    from plimsoll.flows.prove import Against
    from plimsoll.flows.prove_slob import SlobRequest
    from plimsoll.flows.prove_slob import prove_slob as prove
    from plimsoll.proof.slob.parameters import blocks_of
    from plimsoll.proof.slob.parameters import parameters as checked

    preset = {"update_pct": 100} if focus == "redo" else {}
    times = {"run_time_s": _seconds(run_time), "warm_up_s": _seconds(warm_up)}
    asked = SlobRequest(
        database=database,
        parameters=checked(
            **(preset | parameters | times),
            scale=blocks_of(scale) if isinstance(scale, str) else scale,
            rate_per_s=None if rate is None else _rate(rate),
        ),
        focus=focus,
        folder=_folder(folder),
        against=None if against is None else Against(fspath(against), slo),
    )
    with _context("prove_slob", store, listen, cancel) as ctx:
        return Proved(prove(ctx, asked))


def prove_tpch(
    database: str = "embedded",
    *,
    scale: float = 0.01,
    streams: int = 0,
    layout: Literal["indexed", "clustered"] = "indexed",
    folder: Path | None = None,
    store: str | None = None,
    listen: Listener | None = None,
    cancel: Cancel | None = None,
) -> Proved:
    """TPC-H's 22 questions and whether the answers are right, as `plimsoll prove tpch run`."""
    from plimsoll.flows.prove_tpch import TpchProofRequest
    from plimsoll.flows.prove_tpch import prove_tpch as prove
    from plimsoll.proof.tpch import TpchRequest

    asked = TpchProofRequest(
        database, TpchRequest(scale=scale, streams=streams, layout=layout), _folder(folder)
    )
    with _context("prove_tpch", store, listen, cancel) as ctx:
        return Proved(prove(ctx, asked))


def prove_order_entry(
    database: str = "embedded",
    *,
    warehouses: int = 1,
    sessions: int = 4,
    run_time: float | str = "1m",
    warm_up: float | str = "5s",
    think: float = 0.0,
    seed: int = 1,
    folder: Path | None = None,
    store: str | None = None,
    listen: Listener | None = None,
    cancel: Cancel | None = None,
) -> Proved:
    """Order entry and the conditions on what it leaves, as `plimsoll prove order-entry run`."""
    from plimsoll.flows.prove_orders import OrdersRequest, prove_orders
    from plimsoll.proof.order_entry import Options, Scale

    options = Options(
        sessions=sessions,
        run_s=_seconds(run_time),
        warm_up_s=_seconds(warm_up),
        think_factor=think,
        seed=seed,
    )
    asked = OrdersRequest(database, Scale(warehouses=warehouses, seed=seed), options, _folder(folder))
    with _context("prove_order_entry", store, listen, cancel) as ctx:
        return Proved(prove_orders(ctx, asked))


def _folder(folder: Path | None) -> FolderPath | None:
    return None if folder is None else FolderPath(folder)


def load(run_id: str = "latest", store: str | None = None) -> Run:
    """A stored run, by its id, a unique beginning of it, or `latest`; `store` None is the default store."""
    from plimsoll.store import open_store

    return open_store(store).load(run_id)


def merge(latencies: Iterable[LatencyUs]) -> LatencyUs:
    """One distribution of several, exact: quantiles of the whole, over classes, cells, hosts or days.

    Raises UsageError `no-distribution` where one of them has its figures alone.
    """
    parts = [_distribution(one) for one in latencies]
    return _merged(parts) if parts else LatencyUs(count=0)


def buckets(latency: LatencyUs, per_decade: int = 20) -> list[Bucket]:
    """A distribution in logarithmic steps, for a picture. Raises UsageError `no-distribution`."""
    return _buckets(_distribution(latency), per_decade)


def _distribution(latency: LatencyUs) -> bytes:
    if latency.hdr is None:
        message = "a latency without its distribution cannot be merged or drawn"
        raise UsageError("no-distribution", message, "Take it from a measurement of our own.")
    return latency.hdr


class _Nowhere:
    """A store that keeps nothing."""

    def save(self, run: Run) -> None:
        pass

    def load(self, run_id: str) -> Run:
        raise UsageError("run-unknown", f"there is no run '{run_id}'", "Name a store.")

    def summaries(self, limit: int | None = None) -> list[RunSummary]:
        return []


@contextmanager
def _context(
    function: str, store: str | None, listen: Listener | None, cancel: Cancel | None
) -> Iterator[Context]:
    """Surroundings of one measurement; what it made as scratch is gone when the block ends, however it ends."""
    clock = SystemClock()
    journals = settings.state_folder() / "scratch"
    scratch.reclaim(journals, clock)
    with Scratch(journals, clock) as own_scratch:
        yield Context(
            clock=clock,
            events=listen or _ignore,
            cancel=cancel or Cancel(),
            scratch=own_scratch,
            executor=LocalExecutor(),
            store=_store(store),
            command=f"plimsoll.{function}()",
        )


def _store(place: str | None) -> _Store:
    if place is None:
        return _Nowhere()
    from plimsoll.store import open_store

    return open_store(place)


def _ignore(event: Event) -> None:
    """Nobody listens."""


def _given(part: Any) -> Any:
    assert part is not None, "a run of its kind has this part"
    return part


def _names(targets: Path | Sequence[Path]) -> tuple[str, ...]:
    some = [targets] if isinstance(targets, str | PathLike) else targets
    return tuple(fspath(target) for target in some)


def _bytes(size: int | str) -> int:
    return parse_bytes(size) if isinstance(size, str) else size


def _seconds(time: float | str) -> float:
    return parse_seconds(time) if isinstance(time, str) else time


def _rate(rate: float | str) -> float:
    return parse_rate(rate) if isinstance(rate, str) else rate


def _frame(facts: Sequence[Fact]) -> polars.DataFrame:
    try:
        import polars
    except ImportError as error:
        hint = "Install it with: pip install 'plimsoll[tables]'."
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
