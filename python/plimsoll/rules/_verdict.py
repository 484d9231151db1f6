"""What an interval amounts to: what bounds the database, and whether faster storage would take time off.

Gates come first: an interval that says nothing, an idle database, a host that lacks CPU (which makes every wait longer than what is
waited for). Then the part of DB time that is largest decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from plimsoll.facts import PrintedCell
from plimsoll.facts.advice import AdviceAnswer, StorageHelps, StorageWhatIf
from plimsoll.rules import _saving
from plimsoll.rules._cache import of_cache
from plimsoll.rules._commits import commits_of
from plimsoll.rules._disproof import ALONE_SHARE_MAX, contradictions, other_causes
from plimsoll.rules._events import (
    COMMITS,
    CONTENTION_PARTS,
    CPU,
    LOGS,
    NETWORK,
    NO_CPU,
    NOT_PRINTED,
    OTHER,
    RATIONED,
    RUNNING,
    STORAGE_PARTS,
    TEMP,
    UNACCOUNTED,
    UNSAMPLED,
    WRITES,
)
from plimsoll.rules._interval import Interval, Wait, cells_of, cells_of_waits, named
from plimsoll.rules.cpu_bound import SHARE_MIN as CPU_SHARE_MIN
from plimsoll.rules.cpu_starved import cells as starved_cells
from plimsoll.rules.cpu_starved import words_of as starved_words
from plimsoll.rules.database_idle import is_idle
from plimsoll.rules.redo_logs_too_small import words_of as small_logs

INTERVAL_S_MAX = 86_400.0 * 1.05
"""Longer than a day, busy and quiet hours are one average (MOS 1359094.1 asks for an hour)."""
PART_SHARE_MIN = 0.1
"""Where no part is as large as that, none bounds the database."""
PARTS_SHARE_MAX = 2.0
"""Real reports print up to 1.4 times their DB time, since some waits of jobs and parallel work are in no call."""
Doubt = tuple[str, tuple[PrintedCell, ...]]
"""What it says, and its cells."""
_ROUNDED_S, _APART_SHARE = 1.0, 0.1
"""Heads print DB time in hundredths of a minute; in 39 real reports it is that of the time model."""
_MOST = 0.5
_UNNAMED = (OTHER, UNACCOUNTED, NOT_PRINTED, UNSAMPLED)
"""Parts of which nobody knows what they are for."""
YES_SHARE, LITTLE_SHARE = 0.2, 0.05
"""Of DB time: what must vanish for faster storage to help, or to help a little. From these on a change shows in response times."""
_BESIDE_CPU: dict[StorageHelps, str] = {
    "a little": "faster storage takes a little off",
    "no": "faster storage will not help",
    "unknown": "what faster storage would save is not known",
}
_UNSEEN = "what sessions were at is not known: this login does not see others, or they were not sampled"
_NO_DB_TIME = {
    "oracle": "the report prints no DB time, and no share of it",
    "postgresql": _UNSEEN,
    "mariadb": _UNSEEN,
}


@dataclass(frozen=True)
class Judged:
    """The verdict on an interval."""

    answer: AdviceAnswer
    reason: str
    cells: tuple[PrintedCell, ...]
    helps: StorageHelps
    cause: str | None = None
    what_if: tuple[StorageWhatIf, ...] = ()


@dataclass(frozen=True)
class _Group:
    """Parts of DB time that speak for one answer, largest first."""

    answer: AdviceAnswer
    seconds: float = 0.0
    parts: tuple[str, ...] = ()


def judge(interval: Interval) -> Judged:
    """The first gate that is shut, else the largest part of DB time."""
    what_if = what_ifs(interval)
    return (
        _cannot_tell(interval)
        or _idle(interval)
        or _too_much(interval)
        or _starved(interval, what_if)
        or _by_parts(interval, what_if)
    )


def what_ifs(interval: Interval) -> tuple[StorageWhatIf, ...]:
    """The storage that is thought of beside a larger cache, as far as each can be computed."""
    found = (_of_storage(interval), of_cache(interval))
    return tuple(one for one in found if one is not None)


def _of_storage(interval: Interval) -> StorageWhatIf | None:
    saving, then = _saving.of_interval(interval), interval.storage.then
    share = None if saving is None else interval.share(saving.low_s)
    if saving is None or share is None:
        return None
    part = None if saving.is_whole else "not all waits could be computed"
    return StorageWhatIf(
        name=then.name,
        read_latency_us=then.read_us,
        log_latency_us=then.log_us,
        saves_s=saving.low_s,
        saves_s_max=saving.high_s,
        saves_share=share,
        capped_by=saving.capped_by or part,
        source=then.source,
    )


def _grade(share: float) -> StorageHelps:
    if share >= YES_SHARE:
        return "yes"
    return "a little" if share >= LITTLE_SHARE else "no"


def _grade_beside_cpu(share: float) -> StorageHelps:
    """What is gained beside CPU time becomes more load on CPUs: with 11 % of disk beside 73 % of CPU the sources say no."""
    return "a little" if share >= YES_SHARE else "no"


def _helps(
    interval: Interval, what_if: tuple[StorageWhatIf, ...], grade: Callable[[float], StorageHelps] = _grade
) -> StorageHelps:
    """By what would vanish; not known where that which cannot be computed might change the answer."""
    least = next((one.saves_share for one in what_if if one.read_latency_us is not None), 0.0)
    most = interval.share(_saving.at_most_s(interval)) or 0.0
    if least >= YES_SHARE or grade(least) == grade(most):
        return grade(least)
    return "unknown"


def _cannot_tell(interval: Interval) -> Judged | None:
    if (spoilt := interval.spoilt) is not None:
        return _unknown(f"the counts of the interval are of no use: {spoilt.message}")
    if interval.db_time is None:
        return _unknown(_NO_DB_TIME[interval.system])
    if (head_s := interval.db_time_of_head_s) is not None and _are_apart(head_s, interval.db_time.value):
        told = f"its head says {head_s:,.0f} s of DB time, and its tables say {interval.db_time.value:,.0f} s"
        return _unknown(f"the report contradicts itself: {told}", cells_of(interval.db_time))
    if interval.elapsed_s is not None and interval.elapsed_s > INTERVAL_S_MAX:
        long = f"the interval is {interval.elapsed_s / 3600:,.0f} hours long"
        reason = f"{long}: busy and quiet hours are one average. Take intervals of an hour"
        return _unknown(reason, cells_of(interval.db_time))
    return None


def _are_apart(one_s: float, other_s: float) -> bool:
    """Further than the rounding of both explains."""
    return abs(one_s - other_s) > _ROUNDED_S + _APART_SHARE * max(one_s, other_s)


def _too_much(interval: Interval) -> Judged | None:
    """Background work that counts as sessions', or counts gone wrong: shares of DB time say nothing then."""
    known_s = sum(interval.parts.values())
    factor = interval.share(known_s) or 0.0
    if factor > PARTS_SHARE_MAX:
        longest = interval.waits_of(*interval.parts)[:1]
        return _more_than_all(
            interval, f"waits and CPU time that are printed, {known_s:,.0f} s", factor, longest
        )
    groups = [
        _Group("cpu-bound", interval.parts.get(CPU, 0.0), (CPU,)),
        *_groups(interval.parts, "storage-bound"),
    ]
    group = max(groups, key=lambda one: one.seconds)
    share = interval.share(group.seconds) or 0.0
    if share <= ALONE_SHARE_MAX:
        return None
    waits = interval.waits_of(*group.parts)[:3]
    told = f"{', '.join(named(waits)) or 'CPU time'}: {group.seconds:,.0f} s"
    return _more_than_all(interval, told, share, waits)


def _more_than_all(interval: Interval, what: str, factor: float, waits: Sequence[Wait]) -> Judged:
    why = "some of it is in no call of a session, such as work of jobs and of parallel servers, or a count is wrong"
    reason = f"{what}, are {factor:.2g} times the DB time: {why}"
    return _unknown(reason, cells_of(interval.db_time, interval.db_cpu) + cells_of_waits(waits))


def _unknown(reason: str, cells: tuple[PrintedCell, ...] = ()) -> Judged:
    return Judged("cannot tell", reason, cells, "unknown")


def _idle(interval: Interval) -> Judged | None:
    if not is_idle(interval):
        return None
    reason = f"{interval.sessions or 0.0:.3f} average active sessions: there is nothing to gain"
    return Judged("idle", reason, cells_of(interval.db_time), "no")


def _starved(interval: Interval, what_if: tuple[StorageWhatIf, ...]) -> Judged | None:
    words = starved_words(interval)
    if words is None:
        return None
    reason = f"{words}: every wait is longer than what it waits for. Faster storage will not help until there is CPU"
    return Judged("cpu-bound", reason, starved_cells(interval), "no", "lack of CPU", what_if)


def _by_parts(interval: Interval, what_if: tuple[StorageWhatIf, ...]) -> Judged:
    parts = interval.parts
    cpu_share = interval.share(parts.get(CPU)) or 0.0
    helps = _helps(interval, what_if)
    if cpu_share >= CPU_SHARE_MIN:
        helps = _helps(interval, what_if, _grade_beside_cpu)
        waits = f"reads, writes and commits are {100 * _storage_share(interval):.0f} %"
        reason = f"{100 * cpu_share:.0f} % of DB time is CPU time, {waits}; {_BESIDE_CPU[helps]}"
        return Judged("cpu-bound", reason, cells_of(interval.db_cpu, interval.db_time), helps, None, what_if)
    large = {part: seconds for part, seconds in parts.items() if not _is_little(interval, part, seconds)}
    groups = _groups(large, _writes_answer(interval))
    if not groups:
        return _unknown("no wait is printed, and no CPU time", cells_of(interval.db_time))
    group = groups[0]
    share = interval.share(group.seconds) or 0.0
    if group.parts == (NO_CPU,):
        return _without_cpu(interval, groups[1:], what_if)
    if share < PART_SHARE_MIN or group.answer == "cannot tell":
        return _nothing_stands_out(interval, group.parts[0], share, what_if)
    return _bound(interval, group, helps, what_if)


def _bound(
    interval: Interval, group: _Group, helps: StorageHelps, what_if: tuple[StorageWhatIf, ...]
) -> Judged:
    """By the largest part, unless something else in the interval explains or contradicts it."""
    answer, waits = group.answer, interval.waits_of(*group.parts)
    cause = _cause(interval, answer, group.parts[0])
    told = f", {_words_of(cause)}" if answer == "commit-bound" else ""
    what = f"waits for {_what(answer, group.parts[0])}{told}: {', '.join(named(waits))}"
    reason = f"{100 * (interval.share(group.seconds) or 0.0):.0f} % of DB time is {what}"
    cells = cells_of_waits(waits[:3]) + cells_of(interval.db_time)
    other = next(other_causes(interval), None) if answer == "storage-bound" else None
    if other is not None:
        return Judged("cannot tell", f"{reason}. But {other.words}", cells, "unknown", other.name, what_if)
    doubt = next(_doubts(interval, answer, waits), None)
    if doubt is not None:
        message, contradicting = doubt
        return Judged(answer, f"{reason}. But {message}", cells + contradicting, "unknown", cause, what_if)
    return Judged(answer, reason, cells, helps, cause, what_if)


def _without_cpu(interval: Interval, groups: Sequence[_Group], what_if: tuple[StorageWhatIf, ...]) -> Judged:
    """CPU time is not printed, and may be more than each part that is."""
    rest = interval.share(interval.parts[NO_CPU]) or 0.0
    reason = f"the report prints no CPU time, which may be {100 * rest:.0f} % of DB time"
    waits: list[Wait] = []
    if groups:
        waits = interval.waits_of(*groups[0].parts)[:3]
        share = interval.share(groups[0].seconds) or 0.0
        reason += f"; the largest part that is printed, {', '.join(named(waits))}, is {100 * share:.0f} %"
    return Judged(
        "cannot tell", reason, cells_of(interval.db_time) + cells_of_waits(waits), "unknown", None, what_if
    )


def _doubts(interval: Interval, answer: AdviceAnswer, waits: Sequence[Wait]) -> Iterator[Doubt]:
    """Where other sections contradict the waits that decide."""
    if answer == "storage-bound":
        yield from ((doubt.message, doubt.cells) for doubt in interval.doubts)
    commits = commits_of(interval) if answer == "commit-bound" else None
    if commits is not None:
        yield from ((said, ()) for said in commits.against)
    for wait in waits[:1]:
        yield from ((said, ()) for said in contradictions(interval, wait))


def _nothing_stands_out(
    interval: Interval, part: str, share: float, what_if: tuple[StorageWhatIf, ...]
) -> Judged:
    cells = cells_of(interval.db_time, interval.db_cpu) + cells_of_waits(interval.waits_of(part)[:1])
    reason = f"the largest part of DB time, {part}, is {100 * share:.0f} %, and says nothing of storage"
    helps = _helps(interval, what_if)
    is_open = part in _UNNAMED and share >= LITTLE_SHARE and helps != "yes"
    helps = "unknown" if is_open else helps
    return Judged("cannot tell", reason, cells, helps, None, what_if)


def _is_little(interval: Interval, part: str, seconds: float) -> bool:
    """What is neither CPU nor a wait decides only where it is more than all else; rows that could not be read may be one wait."""
    has_lost_rows = part == NOT_PRINTED and interval.least_printed is None
    is_rest = part in (UNACCOUNTED, NOT_PRINTED) and not has_lost_rows
    return is_rest and (interval.share(seconds) or 0.0) <= _MOST


def _writes_answer(interval: Interval) -> AdviceAnswer:
    """Logs that are too small keep the database's writers at checkpoints: what sessions wait for them is the log's fault then."""
    return "storage-bound" if small_logs(interval) is None else "configuration-bound"


def _groups(parts: dict[str, float], writes: AdviceAnswer) -> list[_Group]:
    """Parts that speak for one answer together, most seconds first; what says nothing is a group of its own, whatever else does."""
    found: dict[str, _Group] = {}
    for part, seconds in parts.items():
        if (answer := _answer_of(part, writes)) is not None:
            key = part if answer == "cannot tell" else answer
            before = found.get(key, _Group(answer))
            found[key] = replace(before, seconds=before.seconds + seconds, parts=(*before.parts, part))
    return sorted(found.values(), key=lambda group: -group.seconds)


def _answer_of(part: str, writes: AdviceAnswer) -> AdviceAnswer | None:
    if part == WRITES:
        return writes
    if part in STORAGE_PARTS:
        return "storage-bound"
    if part in CONTENTION_PARTS:
        return "contention-bound"
    known: dict[str, AdviceAnswer] = {
        COMMITS: "commit-bound",
        RATIONED: "cpu-bound",
        LOGS: "configuration-bound",
        OTHER: "cannot tell",
        RUNNING: "cannot tell",
        NETWORK: "cannot tell",
        UNACCOUNTED: "cannot tell",
        NO_CPU: "cannot tell",
        NOT_PRINTED: "cannot tell",
        UNSAMPLED: "cannot tell",
    }
    return known.get(part)


def _storage_share(interval: Interval) -> float:
    parts = interval.parts
    return interval.share(sum(parts.get(part, 0.0) for part in (*STORAGE_PARTS, COMMITS))) or 0.0


def _cause(interval: Interval, answer: AdviceAnswer, part: str) -> str:
    if answer != "commit-bound":
        return part
    commits = commits_of(interval)
    return "unknown" if commits is None else commits.cause


def _what(answer: AdviceAnswer, part: str) -> str:
    kinds = {TEMP: "temporary I/O", WRITES: "writes of data blocks"}
    words: dict[AdviceAnswer, str] = {
        "storage-bound": f"storage, {kinds.get(part, part)} above all",
        "cpu-bound": "a CPU, which the Resource Manager rations",
        "commit-bound": "commits",
        "configuration-bound": "log switches and log buffer",
        "contention-bound": f"others, {part} above all",
    }
    return words[answer]


def _words_of(cause: str) -> str:
    known = {"unknown": "of unknown cause", "mostly not I/O": "mostly not disk", "I/O": "by I/O"}
    return known.get(cause, "by replication" if cause == "replication" else f"by {cause}, not disk")
