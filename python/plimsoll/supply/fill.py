"""Writes a file of ours in full, with data that neither compresses nor deduplicates, and shows how far it is."""

from __future__ import annotations

import json
import secrets
from itertools import count
from pathlib import Path

from plimsoll.base.errors import Interrupted
from plimsoll.base.limits import LIVE_PERIOD_S, PATH_TIMEOUT_S, POLL_PERIOD_S
from plimsoll.base.units import format_bytes
from plimsoll.context import Context
from plimsoll.host.safety import WritePermit
from plimsoll.native.engine import start_fill
from plimsoll.native.errors import engine_errors

_BLOCK_BYTES = 1 << 20
_STAGE = "prefill"
_SEED_BITS = 32
_TOLD_EVERY_POLLS = round(LIVE_PERIOD_S / POLL_PERIOD_S)


def _name(path: Path | str) -> str:
    return path.name if isinstance(path, Path) else path.partition("?")[0].rpartition("/")[2]


def fill(
    ctx: Context,
    path: Path | str,
    size_bytes: int,
    permit: WritePermit,
    direct: bool = True,
    seed: int | None = None,
    offset_bytes: int = 0,
    path_timeout_s: float = PATH_TIMEOUT_S,
) -> None:
    """Fills `size_bytes` of `path`, a file of this host or a server's URL, on stable storage when this returns.

    Without a seed no two fills are alike: storage that keeps equal blocks once would answer for several files out of one.
    Raises Interrupted, and WorldError `disk-full`.
    """
    spec = {
        "path": str(path),
        "offset_bytes": offset_bytes,
        "span_bytes": size_bytes,
        "block_bytes": _BLOCK_BYTES,
        "direct": direct,
        "seed": secrets.randbits(_SEED_BITS) if seed is None else seed,
        **({} if isinstance(path, Path) else {"path_timeout_s": path_timeout_s}),
    }
    message = f"writing {format_bytes(size_bytes)} of random data to {_name(path)}"
    with engine_errors():
        handle = start_fill(json.dumps(spec), permit)
        for polls in count():
            if handle.wait(POLL_PERIOD_S):
                break
            if ctx.cancel.is_set:
                handle.stop()
            if polls % _TOLD_EVERY_POLLS:
                continue
            now = handle.poll()
            share = now.bytes / size_bytes
            left_s = now.elapsed_s * (1 - share) / share if share > 0.02 else None
            ctx.progress(_STAGE, message, share, left_s)
        handle.collect()
    if ctx.cancel.is_set:
        raise Interrupted(f"interrupted while {_name(path)} was filled; nothing was measured yet")
    ctx.progress(_STAGE, message, 1.0, 0.0, finished=True)
