"""`plimsoll agent`: one host's part of a measurement that a client has begun on several."""

from __future__ import annotations

import base64
import os
import shutil
import signal
import stat
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from plimsoll import __version__
from plimsoll.base.errors import ExitStatus, PlimsollError, UsageError
from plimsoll.base.limits import DEFAULT_SCRATCH_BYTES, WINDOW_S_MIN
from plimsoll.base.units import format_bytes
from plimsoll.cluster.agent import BY_HAND, CLIENT_GONE, AgentEnd
from plimsoll.cluster.wire import Message
from plimsoll.context import Context
from plimsoll.facts import Cell, Event, Note, Plan, Progress, Remark, Stretch, Workload
from plimsoll.flows.agent_sessions import serve_sessions
from plimsoll.flows.io import plan_of
from plimsoll.host import filesystems
from plimsoll.host.identities import identities
from plimsoll.native.latency import latency
from plimsoll.ports import processes
from plimsoll.ports.clock import Clock
from plimsoll.requests.io import IoRequest
from plimsoll.supply.checks import with_checks
from plimsoll.supply.choose import check_engine, choose_engine
from plimsoll.supply.engine import Following, mean_bytes, measure
from plimsoll.supply.room import check_room
from plimsoll.supply.targets import Opened, Wish, on_opened, opened

if TYPE_CHECKING:
    from plimsoll.native.engine import Row
    from plimsoll.native.outcome import Outcome

SLICE_S = 1.0
SLICES_MAX = 1800
"""Of a long run they are longer: the client keeps the distribution of each."""
PROGRESS_S = 1.0
_MISSED = "begin-missed"
"""The engine's word for a moment of the begin that is past."""


def serve(ctx: Context, heard: IO[bytes], said: IO[bytes]) -> ExitStatus:
    """Talks with the client until its work is done, refused, or nobody is there any more. Raises UsageError
    `agent-at-terminal`, WorldError `client-gone`.
    """
    if heard.isatty():
        message = "an agent is talked to by a program, and this is a terminal"
        raise UsageError("agent-at-terminal", message, BY_HAND)
    end = AgentEnd(heard, said, ctx.clock, ctx.cancel, _look, _leave)
    end.begin(
        __version__, host=processes.host_name(), boot=processes.boot_id(), pid=processes.own_identity().pid
    )
    try:
        work, told = end.order("work"), replace(ctx, events=_Progress(ctx.clock, end))
        if "sessions" in work:
            serve_sessions(told, end, work["sessions"])
        else:
            _serve_io(told, end, work)
        end.say("finished")
        end.until_bye()
    except PlimsollError as error:
        if error.id == CLIENT_GONE:
            raise
        if error.status is not ExitStatus.INTERRUPTED:
            end.say("failed", id=error.id, message=error.message, hint=error.hint, status=int(error.status))
        return error.status
    finally:
        end.end()
    return ExitStatus.DONE


class _Progress:
    """Passes on remarks, and how far it is, as with a file that is filled: once a second is enough for who looks at many hosts."""

    def __init__(self, clock: Clock, end: AgentEnd) -> None:
        self._clock, self._end = clock, end
        self._next_s = 0.0

    def __call__(self, event: Event) -> None:
        now_s = self._clock.monotonic_s()
        if isinstance(event, Progress) and (now_s >= self._next_s or event.finished):
            self._next_s = now_s + PROGRESS_S
            self._end.say("progress", message=event.message, share=event.share, left_s=event.left_s)
        if isinstance(event, Remark):
            self._end.say("remark", message=event.message, warning=event.warning)


def _check_room(asked: IoRequest, sharing: int) -> None:
    """Where hosts make files in one folder, that there is room for all of them. Raises WorldError `disk-full`."""
    if sharing > 1 and os.path.isdir(asked.target):
        each = asked.bytes_wanted or DEFAULT_SCRATCH_BYTES
        what = f" for files of {sharing} hosts, {format_bytes(each)} each"
        check_room(asked.target, shutil.disk_usage(asked.target).free, each * sharing, what)


def _leave() -> None:
    """As whoever sends TERM would: what is under way ends, and the process does so even where a device never answers."""
    processes.send(processes.own_identity(), signal.SIGTERM)


def _look(paths: Sequence[str]) -> list[Any]:
    """What is at each path, by which files of two hosts can be told to be one; None where nothing is."""
    return [_seen(path) for path in paths]


def _seen(path: str) -> Mapping[str, Any] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    is_device = stat.S_ISBLK(found.st_mode)
    kind = None if is_device else getattr(filesystems.file_system(Path(path)), "kind", None)
    return {
        "device": found.st_dev,
        "inode": found.st_ino,
        "number": found.st_rdev if is_device else 0,
        "size_bytes": found.st_size,
        "is_folder": stat.S_ISDIR(found.st_mode),
        "modified_ns": found.st_mtime_ns,
        "file_system": kind,
        "names": [(one.kind, one.value) for one in identities(Path(path))] if is_device else [],
    }


def _serve_io(ctx: Context, end: AgentEnd, work: Message) -> None:
    """Its part of a measurement of storage."""
    asked = IoRequest.of_words(work["words"])
    _check_room(asked, int(work["sharing"]))
    _serve(ctx, end, asked, Workload.model_validate(work["mix"]))


def _serve(ctx: Context, end: AgentEnd, asked: IoRequest, mix: Workload) -> None:
    """Opens the target once, and measures as often as it is told to begin."""
    check_engine(asked.engine)
    wish = Wish(
        asked.target, asked.bytes_wanted, asked.direct, mix.writes, reads=mix.read_share > 0,
        merge=asked.merge, stable=asked.stable, engine=asked.engine, path_timeout_s=asked.path_timeout_s,
        seeks_leftovers=False,
    )  # fmt: skip
    with opened(ctx, wish) as made, ExitStack() as others:
        choice = choose_engine(asked.engine, made.target, mix)
        window_s = max(WINDOW_S_MIN, min(SLICE_S, asked.runtime_s / 10), asked.runtime_s / SLICES_MAX)
        plan = plan_of(asked, mix, choice.engine).but(window_s=window_s)
        own, also = _Ready(made, on_opened(plan, made), choice.notes), None
        end.say("ready", target=made.target.model_dump(mode="json"), engine=choice.engine)
        for order in end.orders():
            if order["say"] == "also":
                other = others.enter_context(
                    opened(ctx, replace(wish, name=order["path"], bytes_wanted=None))
                )
                also = _Ready(other, on_opened(plan, other), choice.notes)
                end.say("opened")
            else:
                _tried(ctx, end, also if order.get("also") and also is not None else own, order)


@dataclass(frozen=True)
class _Ready:
    """A target that is open, and how it is measured unless an order says otherwise."""

    made: Opened
    plan: Plan
    notes_of_choice: tuple[Note, ...]

    @property
    def notes(self) -> tuple[Note, ...]:
        return (*self.made.target.notes, *self.notes_of_choice)


def _changed(plan: Plan, order: Mapping[str, Any]) -> Plan:
    """The plan as this run wants it: from a moment on, at a rate, with a length and a seed of its own, on a part of the target."""
    plan = plan.but(**order.get("plan", {}), begin_unix_ns=int(order["at_ns"]))
    if (share := order.get("span_share")) is not None:
        block = max(io.block_bytes for io in plan.group.classes)
        plan = plan.but(targets=tuple(_part(target, float(share), block) for target in plan.targets))
    if (group := order.get("group")) is not None:
        plan = plan.with_group(**group)
    return plan if order.get("pin", True) else plan.doing(one.but(pin=False) for one in plan.groups)


def _part(target: Stretch, share: float, block_bytes: int) -> Stretch:
    """Its first part, in whole blocks."""
    blocks = max(1, round(share * target.span_bytes / block_bytes))
    return target.but(span_bytes=min(target.span_bytes, blocks * block_bytes))


def _tried(ctx: Context, end: AgentEnd, ready: _Ready, order: Mapping[str, Any]) -> None:
    """Measures, or says that the moment of the begin was past; then there may be another one."""
    try:
        _measure(ctx, end, ready, order)
    except PlimsollError as error:
        if error.id != _MISSED:
            raise
        end.say("missed", message=error.message)


def _measure(ctx: Context, end: AgentEnd, ready: _Ready, order: Mapping[str, Any]) -> None:
    cell, outcome, last_s = _measured(ctx, end, ready.made, _changed(ready.plan, order))
    end.say(
        "done",
        cell=cell.but(notes=(*ready.notes, *cell.notes)).model_dump(mode="json"),
        started_ns=outcome.started_unix_ns,
        first_ns=outcome.first_io_unix_ns,
        last_s=last_s,
    )


def _measured(ctx: Context, end: AgentEnd, made: Opened, plan: Plan) -> tuple[Cell, Outcome, float | None]:
    """The cell, while each slice of it is told as it ends; and when its last I/O did, after the begin of the measured time."""
    outcomes: list[Outcome] = []
    teller = _Teller(end)
    following = Following(teller.tell, outcomes.append)
    cell = measure(plan, made.permits, end.trial, ctx.live, on_rows=teller.tell, following=following)
    return with_checks(cell, made.target, ()), outcomes[0], teller.last_s


class _Teller:
    """Tells each slice of the measured time once, all classes of I/O together; those without I/O come at the end."""

    def __init__(self, end: AgentEnd) -> None:
        self._end = end
        self._told: set[int] = set()
        self.last_s: float | None = None
        """When the last of all I/Os ended, once that is known."""

    def tell(self, rows: Sequence[Row]) -> None:
        by_index: dict[int, list[Row]] = {}
        lasts = [row["last_s"] for row in rows if row["scope"] == "run" and row["last_s"] is not None]
        self.last_s = max(lasts, default=self.last_s)
        for row in rows:
            index = row["window_index"]
            if index is not None and index not in self._told:
                by_index.setdefault(index, []).append(row)
        for index in sorted(by_index):
            self._end.say("slice", index=index, **_slice(by_index[index]))
            self._told.add(index)


def _slice(rows: Sequence[Row]) -> dict[str, Any]:
    hdr = latency([row["latency_hdr"] for row in rows]).hdr
    firsts, lasts = (
        [moment for row in rows if (moment := row[name]) is not None] for name in ("first_s", "last_s")
    )
    return {
        "from_s": rows[0]["start_s"],
        "lasting_s": rows[0]["duration_s"],
        "first_s": min(firsts, default=None),
        "last_s": max(lasts, default=None),
        "ios": sum(row["completed_ios"] for row in rows),
        "bytes": round(sum(row["completed_ios"] * mean_bytes(row) for row in rows)),
        "errors": sum(row["errors"] for row in rows),
        "hdr": base64.b64encode(hdr or b"").decode(),
    }
