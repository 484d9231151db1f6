"""`plimsoll orion`: a test in ORION's words, measured as a calibration, and written down in ORION's files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.base.units import format_seconds
from plimsoll.context import Context
from plimsoll.dialects.orion.arguments import Arguments, parse
from plimsoll.dialects.orion.files_write import free_prefix, write_files
from plimsoll.dialects.orion.grid import planned, shape_of
from plimsoll.dialects.orion.luns import Luns, read_luns
from plimsoll.dialects.orion.summary_text import Outcome, best_lines
from plimsoll.dialects.orion.trace_text import trace_line
from plimsoll.facts import Note, Point, Run
from plimsoll.flows.calibrate import calibrate, check
from plimsoll.requests.calibrate import CalibrateRequest
from plimsoll.requests.orion import OrionRequest
from plimsoll.supply.matrix import LOADS_USED
from plimsoll.supply.seeds import seed_of

_KIB, _MIB = 1 << 10, 1 << 20


@dataclass(frozen=True)
class Prepared:
    """A test that can begin: its targets are known, its words fit together, and its files have names."""

    asked: OrionRequest
    arguments: Arguments
    luns: Luns
    request: CalibrateRequest
    prefix: Path
    points: int
    """Data points as ORION counts them, (0, 0) among them."""

    @property
    def minutes(self) -> int:
        """About how long it takes: one point more than there are, for what lies between them."""
        return max(1, ceil((self.points + 1) * self.request.duration_s / 60))

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the user must know of how the words were read."""
        return (*self.arguments.notes, *self.luns.notes)


@dataclass(frozen=True)
class Written:
    """The stored run, and the files that were written of it."""

    run: Run
    files: tuple[Path, ...]
    best: tuple[str, ...]
    """The lines of the summary with the best values."""


def prepare(ctx: Context, asked: OrionRequest) -> Prepared:
    """Reads the .lun file and finds names for the files; nothing is measured or written yet. Raises UsageError, WorldError."""
    arguments = parse(asked.words)
    luns = read_luns(arguments.testname)
    request = _calibration(asked, arguments, luns)
    check(request)
    prefix = free_prefix(
        luns.testname, None if asked.output_dir is None else Path(asked.output_dir), ctx.clock.now()
    )
    points = planned(arguments, request.disks or len(luns.targets))
    return Prepared(asked, arguments, luns, request, prefix, len(points))


def run_orion(ctx: Context, test: Prepared, on_trace: Callable[[str], None] = lambda line: None) -> Written:
    """Measures, stores and writes the files, also of a test that was interrupted; `on_trace` gets the trace as it grows."""

    def on_point(point: Point) -> None:
        on_trace(trace_line(point))

    ctx.progress(
        "calibrate", f"{test.points} data points of {format_seconds(test.request.duration_s)} each", 0.0
    )
    run = calibrate(ctx, test.request, on_point)
    assert run.calibration is not None, "a calibration was made"
    targets = run.targets or ((run.target,) if run.target is not None else ())
    outcome = Outcome(Path(test.luns.testname).name, test.arguments, run.calibration, targets)
    files = _written(test, run, outcome)
    return Written(run, files, tuple(best_lines(outcome, test.asked.layout)))


def _written(test: Prepared, run: Run, outcome: Outcome) -> tuple[Path, ...]:
    """The files; where they cannot be written, the error says that the run is not lost."""
    try:
        return write_files(test.prefix, outcome, test.asked.layout)
    except PlimsollError as error:
        raise WorldError(
            error.id, error.message, f"Nothing is lost: see it with plimsoll store show {run.id}."
        ) from error


def _calibration(asked: OrionRequest, given: Arguments, luns: Luns) -> CalibrateRequest:
    # ORION passes over a load that its matrix has no use for.
    used = LOADS_USED[given.matrix]
    return CalibrateRequest(
        targets=luns.targets,
        shape=shape_of(given),
        matrix=given.matrix,
        disks=given.num_disks,
        small_bytes=given.size_small * _KIB,
        large_bytes=given.size_large * _KIB,
        large_pattern="sequential" if given.sequential else "random",
        streams_depth=given.num_streamIO,
        small_depth=given.num_small if "small" in used else None,
        large_depth=given.num_large if "large" in used else None,
        write_share=given.write / 100,
        volume=given.simulate,
        stripe_bytes=given.stripe * _KIB,
        duration_s=float(given.duration),
        cache_bytes=None if given.cache_size is None else given.cache_size * _MIB,
        engine=asked.engine,
        destroy=asked.destroy,
        seed=seed_of(asked.seed, *luns.targets),
    )
