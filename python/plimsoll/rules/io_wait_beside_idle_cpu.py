"""CPUs are idle while I/O is waited for.

What it finds:
    The host's CPUs are less than 70 % busy, and the operating system counts at least half as much I/O wait as busy time, or
    sessions waited longer for user I/O than CPUs were busy.
Why it matters:
    The host has CPU to spare while sessions wait for data.
What to do:
    Faster storage can pay here, since there is CPU for the work that sessions do instead of waiting.
Evidence:
    `IOWAIT_TIME`, `BUSY_TIME` and `IDLE_TIME`; the statistic `user I/O wait time`.
Source:
    M. Ault's walk through a report for Tier Zero (2012), figures 3 and 4.
"""

from __future__ import annotations

from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_SHARE_MIN = 0.5
_BUSY_MAX = 0.7


def _find(interval: Interval) -> Found | None:
    busy, share = interval.busy_time, interval.busy
    if busy is None or share is None or share.value >= _BUSY_MAX or not busy.value:
        return None
    waiting = interval.find("os_statistics", "statistic", "IOWAIT_TIME", "value")
    user = interval.statistic("user I/O wait time")
    waited_s, user_s = (None if one is None else one.value / 100.0 for one in (waiting, user))
    told: list[str] = []
    if waited_s is not None and waited_s >= _SHARE_MIN * busy.value:
        told.append(f"CPUs waited {waited_s:,.0f} s for I/O and were busy for {busy.value:,.0f} s")
    if user_s is not None and user_s > busy.value:
        told.append(
            f"sessions waited {user_s:,.0f} s for I/O, more than the {busy.value:,.0f} s for which CPUs were busy"
        )
    return Found(reason="; ".join(told), cells=cells_of(waiting, user, busy, share)) if told else None


RULE = Rule(
    title="CPUs are idle while sessions wait for I/O",
    family="reads",
    advice="Faster storage can pay: there is CPU for what sessions would no longer wait for.",
    disproof="Few sessions make all of the waits, and their users do not wait for them: a backup, a batch.",
    find=_find,
    severity="hint",
)
