"""What a change of level within a cell can be told with: how long both lasted, and what else may be why."""

from __future__ import annotations

from plimsoll.facts import Cell, Check, Target
from plimsoll.supply.checks import host_noise
from plimsoll.supply.checks._cells import is_virtual
from plimsoll.supply.level_change import STAYS_MIN, LevelChange

_LEVEL_S_MIN = 1.0
"""A level of real storage lasts so long at least; there is no chance in virtual time."""
_NOISE_CHANGE_MAX = 4.0
"""So many times the rate may change because others began or ended their work; more only where they have most of a CPU."""
_NOISE_SHARE = 0.5


def is_too_short(cell: Cell, found: LevelChange) -> bool:
    """Whether a level lasted for so little time that a neighbour on a shared device explains it."""
    if found.windows_after < STAYS_MIN:
        return True
    return not is_virtual(cell) and min(found.at_s, cell.runtime_s - found.at_s) < _LEVEL_S_MIN


def excuse(cell: Cell, target: Target, found: LevelChange) -> str | None:
    """What happened on the way to the storage meanwhile, and may be why; None for nothing."""
    if cell.outages or any(path.losses for path in cell.paths):
        return "a connection to the server was lost meanwhile, and that may be why: measure again"
    noise = host_noise.CHECK.judge(cell, target)
    if noise is not None and noise.passed is False and _explains(noise, found):
        return "the machine was busy (host_noise), and that may be why: measure again"
    return None


def _explains(noise: Check, found: LevelChange) -> bool:
    """Whether others on the CPUs may be why: a moment of waiting does not make storage a hundred times slower."""
    waited, stolen = noise.figures.get("processor_wait_share", 0.0), noise.figures["steal_processors"]
    low, high = sorted((found.before, found.after))
    return high <= _NOISE_CHANGE_MAX * low or max(waited, stolen) > _NOISE_SHARE
