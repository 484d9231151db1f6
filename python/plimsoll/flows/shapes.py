"""`plimsoll shapes`: what the parts of a database do to each other on one target, as an interference matrix."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import count

from plimsoll.base.errors import PlimsollError, SafetyError, UsageError
from plimsoll.base.limits import WINDOW_S_MIN
from plimsoll.context import Context
from plimsoll.facts import Cell, Interference, Live, Note, Plan, PlanGroup, Run, Target
from plimsoll.flows.if_permitted import opened_if_permitted
from plimsoll.flows.record import record
from plimsoll.native.errors import storage_failed
from plimsoll.requests.shapes import ShapesRequest
from plimsoll.supply import remote
from plimsoll.supply.checks import joined, with_checks
from plimsoll.supply.choose import check_engine, choose_engine, that_blocks
from plimsoll.supply.engine import measure
from plimsoll.supply.interference import Matrix
from plimsoll.supply.seeds import nth_seed, seed_of
from plimsoll.supply.shapes import LARGE_BYTES, Ground, Shape, Sizes, all_shapes, named
from plimsoll.supply.targets import Opened, Wish, on_opened, opened, permits_of

_STAGE = "shapes"
_LOG_SHARE = 8
"""Where the log has no target of its own, the last eighth of the target is its region, and the data are kept out of it."""
_SECTOR_BYTES = 512
_LOG_BYTES_MIN = 16 << 20


@dataclass(frozen=True)
class _Places:
    """What was opened, the targets of the run (data, then the log where there is one), and who may work there."""

    opened: tuple[Opened, ...]
    targets: tuple[Target, ...]
    shapes: tuple[Shape, ...]
    refusal: SafetyError | None = None
    """Why the shapes that write to the data were left out."""


def measure_shapes(ctx: Context, asked: ShapesRequest) -> Run:
    """Measures the matrix, stores and returns the run. One that is interrupted, or whose storage fails, holds the encounters
    until then. Raises UsageError `nfs-unfit`, `engine-unknown`, `shape-unknown`, and what opening a target raises.
    """
    started_at = ctx.clock.now()
    _check_log(asked)
    check_engine(asked.engine)
    wanted = _wanted(asked)
    with ExitStack() as stack:
        places = _places(ctx, asked, wanted, stack)
        matrix, notes = _matrix(ctx, asked, places)
        failed = _measure_all(ctx, matrix)
    found = matrix.result((*_left_out(wanted, places), *notes, *failed))
    targets = tuple(one.target for one in places.opened)
    return record(
        ctx,
        "shapes",
        f"database shapes on {asked.target}",
        started_at,
        interrupted=ctx.cancel.is_set,
        target=targets[0],
        targets=targets if len(targets) > 1 else (),
        interference=found,
        notes=(*_notes_once(targets), *found.notes, *_doubts(found)),
    )


def _wanted(asked: ShapesRequest) -> list[Shape]:
    wanted = named(list(dict.fromkeys(asked.only))) if asked.only else all_shapes()
    strange = sorted(set(_rates(asked)) - {shape.name for shape in wanted})
    if strange:
        known = ", ".join(shape.name.replace("_", "-") for shape in wanted)
        raise UsageError(
            "shape-unknown",
            f"a rate was given for '{strange[0]}', which is not measured",
            f"Measured are: {known}.",
        )
    return wanted


def _rates(asked: ShapesRequest) -> dict[str, float]:
    """By the shapes' own names, however they were written."""
    return {name.replace("-", "_"): rate for name, rate in asked.rates_per_s.items()}


def _places(ctx: Context, asked: ShapesRequest, wanted: Sequence[Shape], stack: ExitStack) -> _Places:
    """Data and log. Shapes that write are left out where that is refused, unless they were asked for by name."""
    wish = replace(
        _wish(asked), bytes_wanted=asked.bytes_wanted, prefill=asked.prefill, destroy=asked.destroy
    )
    own_log = [shape for shape in wanted if shape.place == "log" and asked.log is not None]
    writing = [shape for shape in wanted if shape.writes and shape not in own_log]
    if not writing:
        data, refusal = stack.enter_context(opened(ctx, wish)), None
    else:
        insisted = replace(wish, writes=bool(asked.only or asked.destroy))
        data, refusal = stack.enter_context(opened_if_permitted(ctx, insisted))
    able = tuple(shape for shape in wanted if refusal is None or shape not in writing)
    if all(shape.place == "data" for shape in able):
        return _Places((data,), (data.target,), able, refusal)
    if own_log or _is_new(data.target):
        log = _log(ctx, asked, data, stack)
        return _Places((data, log), (data.target, log.target), able, refusal)
    return _Places((data,), _cut(data.target), able, refusal)


def _check_log(asked: ShapesRequest) -> None:
    """Raises UsageError `nfs-unfit` where data and log are not reached in the same way."""
    names = [name for name in (asked.target, asked.log) if name is not None]
    if asked.oranfstab is None and len({remote.is_remote(name) for name in names}) > 1:
        message = f"the log at {asked.log} and the data at {asked.target} are not both files of an NFS server, or of this host"
        raise UsageError("nfs-unfit", message, "Name both as nfs://HOST/EXPORT/PATH, or leave --log out.")


def _wish(asked: ShapesRequest) -> Wish:
    """What data and log have in common; `depth` and `block_bytes` are the most that any shape asks of a server at once."""
    return Wish(
        asked.target,
        direct=asked.direct,
        engine=asked.engine,
        depth=max(asked.depth, asked.streams),
        block_bytes=max(asked.block_bytes, LARGE_BYTES),
        path_timeout_s=asked.path_timeout_s,
        oranfstab=asked.oranfstab,
    )


def _is_new(target: Target) -> bool:
    """Whether it is a file that was made for this, so that another can lie beside it."""
    return target.kind == "scratch" or (target.kind == "remote" and target.ours)


def _log(ctx: Context, asked: ShapesRequest, data: Opened, stack: ExitStack) -> Opened:
    """The log's own target: the one that was named, or a second scratch file beside the first."""
    size = None if asked.log is not None else max(_LOG_BYTES_MIN, data.target.span_bytes // _LOG_SHARE)
    wish = replace(
        _wish(asked), name=asked.log or asked.target, bytes_wanted=size, writes=True, destroy=asked.destroy
    )
    return stack.enter_context(opened(ctx, wish))


def _cut(target: Target) -> tuple[Target, Target]:
    """Data and log as regions of one target, on borders of 1 MiB."""
    log_bytes = target.span_bytes // _LOG_SHARE >> 20 << 20
    data_bytes = target.span_bytes - log_bytes
    log = target.model_copy(
        update={"offset_bytes": target.offset_bytes + data_bytes, "span_bytes": log_bytes}
    )
    return target.model_copy(update={"span_bytes": data_bytes}), log


def _matrix(ctx: Context, asked: ShapesRequest, places: _Places) -> tuple[Matrix, tuple[Note, ...]]:
    choice = choose_engine(asked.engine, places.targets[0])
    alignment = places.targets[-1].direct_alignment_bytes if asked.direct else None
    ground = Ground(
        blocking_engine=that_blocks(choice.engine),
        asynchronous_engine=choice.engine,
        log_bytes_min=max(_SECTOR_BYTES, alignment or 0),
    )
    numbers = count(1)
    plan = Plan(
        direct=asked.direct,
        runtime_s=asked.runtime_s,
        warm_up_s=asked.warm_up_s,
        window_s=max(WINDOW_S_MIN, min(1.0, asked.runtime_s / 10)),
        seed=seed_of(asked.seed, asked.target),
        path_timeout_s=asked.path_timeout_s,
    )
    plan, permits = on_opened(plan, *places.opened).on(*places.targets), permits_of(places.opened)

    def together(groups: Sequence[PlanGroup]) -> Cell:
        here = plan.but(groups=tuple(groups), seed=nth_seed(plan.seed, next(numbers)))
        cell = measure(here, permits, ctx.cancel, quiet, _STAGE)
        return with_checks(cell, joined(places.targets))

    def quiet(live: Live) -> None:
        """Without the time left of one measurement: that of all of them is shown by the progress."""
        ctx.live(live.model_copy(update={"left_s": None}))

    sizes = Sizes(asked.block_bytes, asked.readers, asked.depth, asked.streams)
    clients = {shape: shape.make(sizes, ground) for shape in places.shapes}
    return Matrix(clients, together, asked.rate_share, _rates(asked)), choice.notes


def _measure_all(ctx: Context, matrix: Matrix) -> tuple[Note, ...]:
    """Meeting after meeting, until all are measured, somebody asks to end, or the storage fails, which a note says."""
    wanted, begun_s = matrix.meetings(), ctx.clock.monotonic_s()
    for number, meeting in enumerate(wanted):
        if ctx.cancel.is_set:
            break
        each_s = (ctx.clock.monotonic_s() - begun_s) / number if number else None
        left_s = None if each_s is None else each_s * (len(wanted) - number)
        ctx.progress(_STAGE, f"measurement {number + 1} of {len(wanted)}", number / len(wanted), left_s)
        try:
            ctx.remark(_STAGE, matrix.words(matrix.meet(meeting)))
        except PlimsollError as error:
            if not number:
                raise
            return (storage_failed(f"measurement {number + 1} of {len(wanted)}", error),)
    return ()


def _left_out(wanted: Sequence[Shape], places: _Places) -> tuple[Note, ...]:
    """Which shapes could not be measured, and why."""
    gone = [shape.words for shape in wanted if shape not in places.shapes]
    if places.refusal is None or not gone:
        return ()
    message = f"left out, because they write: {', '.join(gone)}; {places.refusal.message}"
    return (Note(code="shapes-left-out", message=message),)


def _doubts(found: Interference) -> tuple[Note, ...]:
    """Checks that failed in some of the measurements, each once, with the reason of the first."""
    failed: dict[str, list[str]] = {}
    for encounter in found.encounters:
        for check in encounter.cell.checks:
            if check.passed is False:
                failed.setdefault(check.name, []).append(check.reason)
    every = len(found.encounters)
    return tuple(
        Note(code=f"check-{name}", message=f"check failed in {len(reasons)} of {every}: {name}: {reasons[0]}")
        for name, reasons in failed.items()
    )


def _notes_once(targets: Sequence[Target]) -> tuple[Note, ...]:
    return tuple({note.code: note for target in targets for note in target.notes}.values())
