"""What agents have told, as one result: each host on the common axis of time, and all of them together in the steady window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from plimsoll.base.errors import WorldError
from plimsoll.base.units import counted
from plimsoll.cluster.machines import by_machine, cells_of
from plimsoll.cluster.merge import (
    Amount,
    Course,
    Slice,
    amount_within,
    common_window,
    judge_clocks,
    judge_standing,
    judge_storage,
    judge_stragglers,
    judge_window,
    steady_window,
    together,
)
from plimsoll.cluster.post import Post
from plimsoll.facts import Cell, HostPart, Note, Target, TogetherOnHosts, Window
from plimsoll.native.latency import latency

_NS_PER_S = 1e9


@dataclass(frozen=True)
class Asked:
    """What all hosts were asked for."""

    warm_up_s: float
    runtime_s: float
    is_paced: bool
    """Whether I/Os came at a rate."""
    is_own_storage: bool
    """Whether nothing is expected of what hosts have in common."""


def result_of(
    asked: Asked, posts: Sequence[Post], begin_ns: int, one_storage: bool | None
) -> TogetherOnHosts:
    """Raises WorldError `hosts-lost` where nothing was told by anybody."""
    measured_ns = begin_ns + asked.warm_up_s * _NS_PER_S
    courses = {post.host: _course(post, measured_ns, asked.runtime_s) for post in posts}
    if not any(course.slices or course.is_whole for course in courses.values()):
        _raise_lost(posts)
    window, complete = steady_window(list(courses.values())), common_window(list(courses.values()))
    amounts = _amounts(courses, window)
    whole = {host: amount for host, amount in amounts.items() if courses[host].is_whole}
    summed = together(list(whole.values())) if window is not None else None
    cells = cells_of(posts)
    parts = tuple(
        _part(post, begin_ns, courses[post.host], amounts.get(post.host), cells.get(post.host))
        for post in posts
    )
    return TogetherOnHosts(
        hosts=parts,
        began_at=datetime.fromtimestamp(begin_ns / _NS_PER_S, UTC),
        start_spread_us=_spread([part.begun_late_us for part in parts]),
        end_spread_us=_spread([_end_us(post) for post in posts]),
        spread_error_us=sum(sorted(map(_moment_error_us, posts))[-2:]),
        steady_from_s=None if window is None else window[0],
        steady_s=None if window is None else window[1] - window[0],
        asked_s=asked.runtime_s,
        complete_s=None if complete is None else complete[1] - complete[0],
        complete_iops=None if complete is None else together(list(_amounts(courses, complete).values())).iops,
        iops=summed and summed.iops,
        mb_per_s=summed and summed.mb_per_s,
        latency_us=summed and summed.latency_us,
        one_storage=one_storage,
        checks=(
            judge_window(complete, asked.runtime_s, len(posts)),
            judge_standing(list(courses.values()), asked.is_paced),
            judge_stragglers(whole, asked.is_paced),
            judge_clocks({post.host: _moved_us(post) for post in posts}, asked.runtime_s),
            *judge_storage(one_storage, asked.is_own_storage, len(posts)),
        ),
        notes=tuple(_notes(parts, posts)),
    )


def _raise_lost(posts: Sequence[Post]) -> None:
    reasons = [post.link.lost_because for post in posts if post.link.lost_because is not None]
    if reasons:
        first, left = reasons[0], left_behind(posts)
        raise WorldError("hosts-lost", f"all hosts were lost before anything was measured: {first}{left}")


def _amounts(courses: Mapping[str, Course], window: tuple[float, float] | None) -> dict[str, Amount]:
    if window is None:
        return {}
    found = {host: amount_within(course, window) for host, course in courses.items()}
    return {host: amount for host, amount in found.items() if amount is not None}


def _course(post: Post, measured_ns: float, asked_s: float) -> Course:
    """Its slices on the common axis. A lost host has not said when it began to measure; it did so when it was told to, and so
    did one in virtual time.
    """
    later_s = begun_s = 0.0
    if post.done is not None and post.done.first_ns is not None:
        later_s, begun_s = (
            (post.here_ns(moment_ns) - measured_ns) / _NS_PER_S
            for moment_ns in (post.done.started_ns, post.done.first_ns)
        )
    slices = tuple(post.slices[index].later(later_s) for index in sorted(post.slices))
    there_until_s = _there_until_s(post, slices, measured_ns, asked_s)
    return Course(post.host, slices, post.done is not None, begun_s, there_until_s)


def _there_until_s(post: Post, slices: Sequence[Slice], measured_ns: float, asked_s: float) -> float:
    """Until when a lost host was there for sure: a slice that had ended before its last word but one would have been told."""
    if post.done is not None or post.heard_ns is None or not slices:
        return 0.0
    heard_s = (post.heard_ns - measured_ns) / _NS_PER_S
    return min(asked_s, heard_s - 2 * slices[0].lasting_s)


def _end_us(post: Post) -> float | None:
    """When its last I/O ended, by our clock; None in virtual time."""
    if post.done is None or post.done.first_ns is None or post.done.last_s is None:
        return None
    return post.here_ns(post.done.started_ns) / 1e3 + post.done.last_s * 1e6


def start_spread_us(posts: Sequence[Post]) -> float | None:
    """From the first host's first I/O to the last host's first, in microseconds; None in virtual time."""
    return _spread([_first_us(post) for post in posts])


def _first_us(post: Post) -> float | None:
    first_ns = None if post.done is None else post.done.first_ns
    return None if first_ns is None else post.here_ns(first_ns) / 1e3


def _spread(moments: Sequence[float | None]) -> float | None:
    known = [moment for moment in moments if moment is not None]
    return max(known) - min(known) if len(known) > 1 else None


def _part(post: Post, begin_ns: int, course: Course, amount: Amount | None, cell: Cell | None) -> HostPart:
    assert post.offset is not None, "clocks are compared first"
    first_ns = None if post.done is None else post.done.first_ns
    return HostPart(
        host=post.host,
        clock_offset_us=post.offset.ahead_ns / 1e3,
        clock_error_us=post.offset.error_ns / 1e3,
        clock_drift_us=_drift_us(post),
        begun_late_us=None if first_ns is None else (post.here_ns(first_ns) - begin_ns) / 1e3,
        iops=amount and amount.iops,
        mb_per_s=amount and amount.mb_per_s,
        latency_us=amount and amount.latency_us,
        lost_because=post.link.lost_because,
        windows=tuple(map(_window, course.slices)),
        target=post.target,
        cell=cell,
    )


def _drift_us(post: Post) -> float | None:
    """By how much its clock is further ahead after the run than before; None where it could not be asked any more."""
    if post.offset is None or post.offset_after is None:
        return None
    return (post.offset_after.ahead_ns - post.offset.ahead_ns) / 1e3


def _moved_us(post: Post) -> float | None:
    """The same, 0 where both comparisons may be wrong by as much."""
    drift_us = _drift_us(post)
    if drift_us is None or post.offset is None or post.offset_after is None:
        return None
    unsure_us = (post.offset.error_ns + post.offset_after.error_ns) / 1e3
    return drift_us if abs(drift_us) > unsure_us else 0.0


def _moment_error_us(post: Post) -> float:
    """By how much a moment of its clock may be wrong by ours: when its clock moved, nobody knows."""
    assert post.offset is not None, "clocks are compared first"
    return post.offset.error_ns / 1e3 + abs(_moved_us(post) or 0.0)


def _window(one: Slice) -> Window:
    spread = latency([one.latency_hdr])
    return Window(
        start_s=one.from_s,
        duration_s=one.lasting_s,
        iops=one.ios / one.lasting_s if one.lasting_s > 0 else 0.0,
        latency_us_p50=spread.p50,
        latency_us_p99=spread.p99,
        latency_us_max=spread.max,
        first_end_s=one.first_s,
        last_end_s=one.last_s,
    )


def _notes(parts: Sequence[HostPart], posts: Sequence[Post]) -> list[Note]:
    """Each host's own, with its name, and what became of hosts and clocks."""
    notes = [
        Note(code=note.code, message=f"{part.host}: {note.message}")
        for part in parts
        if part.cell is not None
        for note in part.cell.notes
    ]
    for part in parts:
        if part.lost_because is not None:
            notes.append(Note(code="host-lost", message=_loss(part)))
    notes += notes_of_machines(posts)
    return notes


def _loss(part: HostPart) -> str:
    """Why it was lost, what is known of it, and what may be left there."""
    told = f"{part.lost_because}; it had told {counted(len(part.windows), 'slice')} of its time"
    return f"{told}{left_there(part.target)}"


def left_there(target: Target | None) -> str:
    """Of a host that was lost: that its scratch file may be there still."""
    if target is None or not target.ours or target.kind == "simulated":
        return ""
    where = "on the server" if target.kind == "remote" else "there"
    return f". Its scratch file {target.path} may be left {where}: {_who_removes(target.kind == 'remote')}"


def left_behind(posts: Sequence[Post], folder: str = "", *, is_remote: bool = False) -> str:
    """Behind an error: scratch files that lost hosts may have left, also one that was being filled in the folder, which is on a
    server if it `is_remote`.
    """
    lost = [post for post in posts if post.gone_because is not None and not post.refused]
    return "".join(_left_by(post, folder, is_remote) for post in lost)


def _left_by(post: Post, folder: str, is_remote: bool) -> str:
    target = post.target
    if target is not None:
        file, is_remote = (
            f"the scratch file {target.path}" if left_there(target) else "",
            target.kind == "remote",
        )
    else:
        file = f"a scratch file in {folder}" if folder and post.fills else ""
    where = f"on the server by {post.host}" if is_remote else f"on {post.host}"
    return f"; {file} may be left {where}: {_who_removes(is_remote)}" if file else ""


def _who_removes(is_remote: bool) -> str:
    """Of servers' files no journal tells: another host may be measuring one."""
    return (
        "it stays until somebody removes it by hand"
        if is_remote
        else "the next measurement there takes it back"
    )


def notes_of_machines(posts: Sequence[Post]) -> Iterator[Note]:
    """Hosts that are one machine under several names."""
    for these in by_machine(posts):
        if len(these) > 1:
            names = ", ".join(post.host for post in these)
            message = f"{names} are one machine, and share its processors and its way to storage"
            yield Note(code="one-machine", message=message)
