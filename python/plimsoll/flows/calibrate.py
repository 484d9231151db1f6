"""`plimsoll calibrate`: the matrix of small and large loads side by side, from the command's options to a stored run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from plimsoll.base.errors import UsageError
from plimsoll.base.limits import (
    CALIBRATE_BUFFER_BYTES_MAX,
    CALIBRATE_DEPTH_MAX,
    CALIBRATE_THREADS_MAX,
    WARM_UP_S,
)
from plimsoll.base.units import counted, format_rate, format_us
from plimsoll.context import Context
from plimsoll.facts import Calibration, Cell, Expectation, LinkBound, Note, Plan, Point, Run, Target
from plimsoll.flows.record import record
from plimsoll.host.link_speeds import parse_links
from plimsoll.host.safety import WritePermit
from plimsoll.native.engine import blocks
from plimsoll.requests.calibrate import CalibrateRequest
from plimsoll.supply import matrix as matrices
from plimsoll.supply import remote
from plimsoll.supply.adaptive import Reach, calibrate_adaptively
from plimsoll.supply.calibration import Course, Step, extremes, measure_grid
from plimsoll.supply.choose import check_engine, check_engine_name, choose_engine, plainest
from plimsoll.supply.knee import TURNS, knee_of, measure_in_turns
from plimsoll.supply.link_bound import link_bound, notes_on
from plimsoll.supply.point_checks import with_cache_check
from plimsoll.supply.point_load import PointLoad
from plimsoll.supply.point_run import STAGE, PointRunner
from plimsoll.supply.same_load import with_same_load_checks
from plimsoll.supply.seeds import seed_of
from plimsoll.supply.spindles import expectation
from plimsoll.supply.targets import Opened, Wish, on_opened, opened, permits_of

OnPoint = Callable[[Point], None]


def calibrate(
    ctx: Context,
    asked: CalibrateRequest,
    on_point: OnPoint = lambda point: None,
    opened_bench: Callable[[Context, CalibrateRequest], AbstractContextManager[Measurable]] | None = None,
) -> Run:
    """Measures point by point, stores and returns the run; `on_point` is told of each one. `opened_bench` is on what, if not on
    targets of this host.

    Ctrl-C and a device that fails keep the points measured until then; run.interrupted tells of the one, a note
    `point-failed` of the other. Raises UsageError before anything is opened when the words do not fit together.
    """
    started_at = ctx.clock.now()
    check(asked)
    with (opened_bench or bench)(ctx, asked) as on:
        course = on.course(
            seed_of(asked.seed, *asked.targets),
            _teller(ctx, sum(map(any, points_of(asked))) or None, on_point),
        )
        if matrix_of(asked) == "adaptive":
            calibrate_adaptively(course, reach(asked, on.engine), asked.duration_s)
        else:
            measure_grid(course, points_of(asked), asked.duration_s)
        measure_in_turns(course, asked.duration_s, lambda turn: ctx.progress(STAGE, _turn_in_words(turn)))
        found = calibration(asked, course)
        found = _believed(on, found) if isinstance(on, Bench) else found
        found = found.model_copy(update={"points": with_same_load_checks(found.points, course.further)})
    return keep(ctx, asked, on, started_at, found, course.interrupted or ctx.cancel.is_set)


def _believed(on: Bench, found: Calibration) -> Calibration:
    """With the verdict on caches, where it was asked for."""
    if on.asked.check is None:
        return found
    on.ctx.progress(STAGE, "checking: cached")
    points = with_cache_check(found.points, on.targets, on.plan, on.permits, on.ctx.cancel)
    return found.model_copy(update={"points": points})


class Measurable(Protocol):
    """Targets that are open, on which a course of points can be measured."""

    @property
    def targets(self) -> tuple[Target, ...]: ...

    @property
    def engine(self) -> str: ...

    @property
    def notes(self) -> tuple[Note, ...]: ...

    def course(self, seed: int, on_step: Callable[[Step], None]) -> Course: ...


@dataclass(frozen=True)
class Bench:
    """Opened targets, and how points are measured on them."""

    ctx: Context
    asked: CalibrateRequest
    targets: tuple[Target, ...]
    engine: str
    plan: Plan
    permits: tuple[WritePermit, ...]
    notes: tuple[Note, ...]

    def course(self, seed: int, on_step: Callable[[Step], None]) -> Course:
        """A new course of points, drawn from that seed."""
        load, plan = load_of(self.asked, self.engine), self.plan.but(seed=seed)
        runner = PointRunner(self.ctx, self.targets, load, plan, self.permits, self.asked.cache_bytes)
        return Course(runner, lambda: self.ctx.cancel.is_set, on_step)


def load_of(asked: CalibrateRequest, engine: str) -> PointLoad:
    """What small and large I/Os are like."""
    return PointLoad(
        small_bytes=asked.small_bytes,
        large_bytes=asked.large_bytes,
        large_pattern=asked.large_pattern,
        streams_depth=asked.streams_depth,
        write_share=asked.write_share,
        engine=engine,
    )


@contextmanager
def bench(ctx: Context, asked: CalibrateRequest) -> Iterator[Bench]:
    """Opens the targets; scratch files are gone when the block ends."""
    with ExitStack() as stack:
        made = [stack.enter_context(opened(ctx, wish)) for wish in _wishes(asked)]
        engine, notes = _engine(asked, made)
        plan = Plan(
            direct=asked.direct,
            merge=asked.merge,
            warm_up_s=WARM_UP_S,
            stripe_bytes=asked.stripe_bytes if asked.volume == "raid0" else None,
            path_timeout_s=asked.path_timeout_s,
        )
        plan, targets = on_opened(plan, *made), tuple(one.target for one in made)
        yield Bench(ctx, asked, targets, engine, plan, permits_of(made), notes)


def keep(
    ctx: Context,
    asked: CalibrateRequest,
    on: Measurable,
    started_at: datetime,
    found: Calibration,
    interrupted: bool,
) -> Run:
    """The stored run of a calibration."""
    cells = [point.cell for point in found.points if point.cell is not None]
    # Those of this host are not what several hosts have.
    links = None if asked.hosts else links_of(asked, on.targets, cells)
    return record(
        ctx,
        "calibrate",
        f"{found.shape} calibration of {', '.join(asked.targets)}{_from_hosts(asked)}",
        started_at,
        interrupted=interrupted,
        target=on.targets[0],
        targets=on.targets if len(on.targets) > 1 else (),
        calibration=found,
        links=links,
        notes=(
            *(note for target in on.targets for note in target.notes),
            *on.notes,
            *found.notes,
            *notes_on(links),
        ),
    )


def _from_hosts(asked: CalibrateRequest) -> str:
    return f" from {counted(len(asked.hosts), 'host')}" if asked.hosts else ""


def links_of(asked: CalibrateRequest, targets: Sequence[Target], cells: Sequence[Cell]) -> LinkBound | None:
    """What the links to the targets carry, and what the busiest of the cells used."""
    stated = None if asked.links is None else parse_links(asked.links)
    return link_bound(targets, stated, asked.copies, cells)


def check(asked: CalibrateRequest) -> None:
    """That the words fit together, before anything is opened or made.

    Raises UsageError `depth-missing`, `calibrate-unfit`, `spindles-unfit`, `option-idle`, `engine-unknown`, `links-unreadable`,
    `nfs-unfit`.
    """
    _check_remote(asked)
    if not asked.targets:
        raise UsageError("calibrate-unfit", "there is no target", "Name at least one.")
    if matrix_of(asked) != "adaptive" and not any(map(any, points_of(asked))):
        raise UsageError(
            "calibrate-unfit",
            "the matrix has no point with any I/O",
            "Give a --small-depth or --large-depth.",
        )
    _check_depths(asked)
    if (asked.spindles is None) != (asked.disk_type is None):
        raise UsageError(
            "spindles-unfit",
            "the arithmetic of spindles needs both their number and their kind",
            "Give --spindles and --disk-type, or neither.",
        )
    expected_of(asked)
    (check_engine_name if asked.hosts else check_engine)(asked.engine)
    if asked.links is not None:
        parse_links(asked.links)


def _check_remote(asked: CalibrateRequest) -> None:
    """Raises UsageError `nfs-unfit`: the engine has one file of a server for each client."""
    remotes = [name for name in asked.targets if remote.is_remote(name)]
    several = len(asked.targets) > 1 and (asked.oranfstab is not None or bool(remotes))
    mixed = asked.oranfstab is None and len(remotes) < len(asked.targets)
    if several and mixed and remotes:
        message = f"{remotes[0]} is a file of an NFS server, and others of the targets are of this host"
        raise UsageError("nfs-unfit", message, "Name targets of one kind.")
    if several and not asked.ladder:
        raise UsageError(
            "nfs-unfit",
            "several files of NFS servers are not measured as one volume",
            "Name one of them; --ladder measures several files of servers with clients of their own.",
        )


def _check_depths(asked: CalibrateRequest) -> None:
    """That each given load is one that the matrix has a use for. Raises UsageError `option-idle`."""
    used = matrices.LOADS_USED[matrix_of(asked)]
    given = {"small": asked.small_depth, "large": asked.large_depth}
    idle = [f"--{size}-depth" for size, depth in given.items() if depth is not None and size not in used]
    if idle:
        message = f"{' and '.join(idle)} would have no effect on the points of the {matrix_of(asked)} matrix"
        raise UsageError("option-idle", message, "Leave it out, or choose another --matrix.")


def expected_of(asked: CalibrateRequest) -> Expectation | None:
    """What the spindles ought to give, where they were named."""
    if asked.spindles is None or asked.disk_type is None:
        return None
    return expectation(asked.spindles, asked.disk_type, asked.raid, 1 - asked.write_share)


def points_of(asked: CalibrateRequest) -> list[tuple[int, int]]:
    """Every point of the fixed matrix, (0, 0) among them; none of the adaptive one."""
    if matrix_of(asked) == "adaptive":
        return []
    small, large = levels_of(asked)
    return matrices.points(matrix_of(asked), small, large, *_fixed_loads(asked))


def levels_of(asked: CalibrateRequest) -> tuple[matrices.Levels, matrices.Levels]:
    """The small and the large loads that the shape walks through."""
    return matrices.levels(shape_of(asked), disks_of(asked))


def matrix_of(asked: CalibrateRequest) -> str:
    """The matrix asked for, or the shape's own."""
    if asked.is_adaptive:
        return "adaptive"
    return asked.matrix or matrices.SHAPES[shape_of(asked)]


def shape_of(asked: CalibrateRequest) -> str:
    """The shape asked for, or the one that ORION takes where none is."""
    return asked.shape or "simple"


def disks_of(asked: CalibrateRequest) -> int:
    """The spindles asked for, or as many as there are targets."""
    return len(asked.targets) if asked.disks is None else asked.disks


def _fixed_loads(asked: CalibrateRequest) -> tuple[int | None, int | None]:
    """`oltp` has no large I/Os and `dss` no small ones, without being told so."""
    small = 0 if asked.shape == "dss" and asked.small_depth is None else asked.small_depth
    large = 0 if asked.shape == "oltp" and asked.large_depth is None else asked.large_depth
    return small, large


def _wishes(asked: CalibrateRequest) -> list[Wish]:
    return [
        Wish(
            name,
            asked.bytes_wanted,
            asked.direct,
            writes=asked.write_share > 0,
            reads=asked.write_share < 1,
            prefill=asked.prefill,
            destroy=asked.destroy,
            engine=asked.engine,
            path_timeout_s=asked.path_timeout_s,
            oranfstab=asked.oranfstab,
        )
        for name in asked.targets
    ]


def _engine(asked: CalibrateRequest, made: Sequence[Opened]) -> tuple[str, tuple[Note, ...]]:
    """One engine for all targets: the plainest of those that would be chosen for each."""
    choices = [choose_engine(asked.engine, one.target) for one in made]
    names = {choice.engine for choice in choices}
    if any(one.simulation != made[0].simulation for one in made):
        raise UsageError(
            "calibrate-unfit",
            "simulated targets can be measured together only where all of them are the same one",
            "Name files and devices, or one simulated target.",
        )
    notes = {note.message: note for choice in choices for note in choice.notes}
    return plainest(names), tuple(notes.values())


def reach(asked: CalibrateRequest, engine: str) -> Reach:
    """How deep an adaptive calibration may go: what was asked, or what makes sense with that engine."""
    threads = blocks(engine)
    small = CALIBRATE_THREADS_MAX if threads else CALIBRATE_DEPTH_MAX
    streams = threads or asked.large_pattern == "sequential"
    each_bytes = asked.large_bytes * (asked.streams_depth if asked.large_pattern == "sequential" else 1)
    large = CALIBRATE_THREADS_MAX if streams else CALIBRATE_DEPTH_MAX
    large = max(1, min(large, CALIBRATE_BUFFER_BYTES_MAX // each_bytes))
    return Reach(
        small_max=0 if asked.shape == "dss" else asked.small_depth or small,
        large_max=0 if asked.shape == "oltp" else asked.large_depth or large,
        mixed=asked.shape == "normal",
    )


def _teller(ctx: Context, expected: int | None, on_point: OnPoint) -> Callable[[Step], None]:
    begun_s = ctx.clock.monotonic_s()

    def tell(step: Step) -> None:
        ctx.remark(STAGE, in_words(step.point))
        if expected is None:
            ctx.progress(STAGE, f"point {step.number}, chosen where the curve bends")
        else:
            each_s = (ctx.clock.monotonic_s() - begun_s) / step.number
            left = expected - step.number
            message = f"point {step.number} of {expected}"
            ctx.progress(STAGE, message, step.number / expected, each_s * left, finished=not left)
        on_point(step.point)

    return tell


def _turn_in_words(turn: int) -> str:
    return f"the loads that may be the knee again, turn {turn} of at most {TURNS}"


def in_words(point: Point) -> str:
    """A point in one line: `8 small, 2 large: 3,210 IOPS at 2.5 ms, 45.1 MB/s`."""
    loads = [
        f"{depth} {size}"
        for depth, size in ((point.small_depth, "small"), (point.large_depth, "large"))
        if depth
    ]
    figures = []
    if point.small_iops is not None:
        figures.append(f"{format_rate(point.small_iops)} IOPS at {format_us(point.small_latency_us_mean)}")
    if point.large_mb_per_s is not None:
        figures.append(f"{point.large_mb_per_s:,.1f} MB/s")
    return f"{', '.join(loads)}: {', '.join(figures)}"


def calibration(asked: CalibrateRequest, course: Course) -> Calibration:
    """What the points of a course say."""
    best = extremes(course.points)
    small, large = _loads(asked, course.points)
    return Calibration(
        shape=shape_of(asked),
        matrix=matrix_of(asked),  # type: ignore[arg-type]
        disks=disks_of(asked),
        hosts=asked.hosts,
        small_bytes=asked.small_bytes,
        large_bytes=asked.large_bytes,
        large_pattern=asked.large_pattern,
        streams_depth=asked.streams_depth if asked.large_pattern == "sequential" else None,
        write_share=asked.write_share,
        duration_s=asked.duration_s,
        small_depths=small,
        large_depths=large,
        points=course.points,
        max_small_iops=best.max_small_iops,
        max_large_mb_per_s=best.max_large_mb_per_s,
        min_small_latency_us=best.min_small_latency_us,
        knee=knee_of(course.points, course.turns),
        measured_s=course.measured_s,
        expected=expected_of(asked),
        notes=course.notes,
    )


def _loads(asked: CalibrateRequest, points: Sequence[Point]) -> tuple[matrices.Levels, matrices.Levels]:
    """Every small and every large load of the matrix, 0 among them where it has points with none."""
    spots = points_of(asked) or [(point.small_depth, point.large_depth) for point in points]
    return tuple(sorted({small for small, _ in spots})), tuple(sorted({large for _, large in spots}))
