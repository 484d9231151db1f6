"""Writes a file of ours in full beside others: a little at a time, with rests, in which they are looked at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from plimsoll.base.errors import SafetyError
from plimsoll.base.units import format_bytes
from plimsoll.context import Context
from plimsoll.host.safety import WritePermit
from plimsoll.supply.fill import fill
from plimsoll.supply.guard import STOP_AT, Guard

_PIECE_BYTES = 4 << 20
_REST_TIMES = 4.0
"""So many times as long as a piece took: a fifth of the device's time at most."""
_LOOK_S = 0.5
_EVERY_PIECES = 8
_PATIENCE_S = 60.0


def fill_gently(
    ctx: Context, path: Path, size_bytes: int, permit: WritePermit, direct: bool, guard: Guard
) -> None:
    """As `fill`, slowly. Raises SafetyError `others-slowed` when others do not get back to how they were."""
    quiet = replace(ctx, events=lambda event: None)
    for number, offset in enumerate(range(0, size_bytes, _PIECE_BYTES)):
        begun_s = ctx.clock.monotonic_s()
        piece = min(_PIECE_BYTES, size_bytes - offset)
        ctx.progress(
            "prefill", f"writing {format_bytes(size_bytes)} of random data, slowly", offset / size_bytes
        )
        fill(quiet, path, piece, permit, direct, seed=1 + number, offset_bytes=offset)
        ctx.clock.sleep(_REST_TIMES * (ctx.clock.monotonic_s() - begun_s))
        if number % _EVERY_PIECES == 0:
            _wait_for_others(ctx, guard)
        ctx.cancel.check()
    ctx.progress(
        "prefill", f"wrote {format_bytes(size_bytes)} of random data, slowly", 1.0, 0.0, finished=True
    )


def _wait_for_others(ctx: Context, guard: Guard) -> None:
    deadline_s = ctx.clock.monotonic_s() + _PATIENCE_S
    while (ratio := guard.resting_ratio(_LOOK_S)) >= STOP_AT:
        ctx.cancel.check()
        if ctx.clock.monotonic_s() >= deadline_s:
            stayed = f"others' latency stayed at {ratio:.1f} times what it was"
            message = f"the scratch file was not written to its end, because {stayed}"
            hint = f"Try again when they are quieter, or with less than {format_bytes(_PIECE_BYTES * 64)} (--size)."
            raise SafetyError("others-slowed", message, hint)
