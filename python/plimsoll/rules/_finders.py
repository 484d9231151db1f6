"""What several rules find in one way: a wait, a part of DB time, a statistic of the time model, a count, commits of one cause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from plimsoll.rules import _saving
from plimsoll.rules._commits import SHARE_MIN, SYNC, Commits, commits_of
from plimsoll.rules._interval import Interval, Wait, cells_of, cells_of_waits, total_s
from plimsoll.rules._rule import Found

Find = Callable[[Interval], Found | None]


def of_waits(interval: Interval, waits: list[Wait], share_min: float) -> Found | None:
    """The plainest finding: sessions waited for these, and it is `share_min` of DB time or more."""
    seconds = total_s(waits)
    share = interval.share(seconds)
    if not waits or share is None or share < share_min:
        return None
    longest = ", ".join(f"{wait.seconds:,.0f} s for '{wait.event}'" for wait in waits[:3])
    return Found(
        reason=f"sessions waited {longest}: {100 * share:.1f} % of DB time",
        cells=cells_of_waits(waits[:3]) + cells_of(interval.db_time),
        db_time_s=seconds,
        events=tuple(wait.event for wait in waits),
    )


def waited_for(event: str, share_min: float) -> Find:
    """Finds that sessions waited for that event."""

    def find(interval: Interval) -> Found | None:
        wait = interval.wait(event)
        return None if wait is None else of_waits(interval, [wait], share_min)

    return find


def part_waited_for(part: str, share_min: float) -> Find:
    """Finds that sessions waited for the events of that part of DB time."""
    return lambda interval: of_waits(interval, interval.waits_of(part), share_min)


def reads_waited_for(part: str, share_min: float, size: str) -> Find:
    """The same of reads, with what storage saves of them. What contradicts reads of that size, `small` or `large`, goes with it."""

    def find(interval: Interval) -> Found | None:
        waits = interval.waits_of(part)
        found = of_waits(interval, waits, share_min)
        if found is None:
            return None
        doubts = tuple(doubt.message for doubt in interval.doubts if f"{size} read" in doubt.message)
        return replace(found, storage_saves_s=_saving.of_reads(interval, waits), against=doubts)

    return find


def time_spent(statistic: str, what: str, share_min: float, *beside: str) -> Find:
    """Finds that a statistic of the time model is `share_min` of DB time or more; `beside` are statistics that go with it."""

    def find(interval: Interval) -> Found | None:
        spent = interval.find("time_model", "statistic", statistic, "time_s")
        share = None if spent is None else interval.share(spent.value)
        if spent is None or share is None or share < share_min:
            return None
        return Found(
            reason=f"{what} took {spent.value:,.0f} s, {100 * share:.1f} % of DB time",
            cells=cells_of(spent, interval.db_time, *(interval.statistic(one) for one in beside)),
            db_time_s=spent.value,
            events=(statistic,),
        )

    return find


def counted(statistic: str, words: str) -> Find:
    """Finds that something happened that should not at all; in `words` its count stands for `{}`."""

    def find(interval: Interval) -> Found | None:
        count = interval.statistic(statistic)
        if count is None or not count.value:
            return None
        return Found(reason=words.format(f"{count.value:,.0f}"), cells=cells_of(count))

    return find


def of_commits(interval: Interval, *causes: str) -> tuple[Commits, Found] | None:
    """Commits that waited for one of these causes, and a finding whose reason goes on."""
    commits = commits_of(interval)
    share = None if commits is None else interval.share(commits.sync.seconds)
    if commits is None or share is None or share < SHARE_MIN or commits.cause not in causes:
        return None
    return commits, Found(
        reason=f"sessions waited {commits.sync.seconds:,.0f} s for '{SYNC}', {100 * share:.1f} % of DB time",
        cells=commits.cells + cells_of(interval.db_time),
        db_time_s=commits.sync.seconds,
        events=(SYNC,),
        against=commits.against,
    )


def with_saving(interval: Interval, found: Found) -> Found:
    """With what a faster log would save at least."""
    saved = _saving.of_commits(interval)
    return found if saved is None else replace(found, storage_saves_s=saved[0])
