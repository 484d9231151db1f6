"""The law of a disk of the laboratory in words, as `law=exponential,mean=1ms,servers=1`, and as the extension takes it.

| words | meaning |
|---|---|
| `law=`, `mean=`, `sigma=`, `servers=` | distribution and mean of service times, and how many requests are served at once |
| `write_mean=`, `us_per_mib=` | mean of writes, where it is another; what each MiB of a request adds |
| `law=seek`, `seek=`, `full_seek=`, `rpm=` | one arm: shortest and longest seek, by the root of the distance; turns a minute |
| `iops=`, `mb_per_s=` | caps of requests and of 10^6 bytes a second, in front of the servers |
| `cache=64m`, `cache_us=5us` | reads within the first bytes are answered by a cache |
| `write_cache=16m`, `write_cache_us=20us` | writes are answered while a cache has room for them |
| `cliff_bytes=1g`, `cliff_factor=8` | after so much was written, everything takes so many times as long |
| `pause_every=10s`, `pause=200ms` | the disk stands still this often, for so long |
| `flush=5ms` | what a flush takes, and a durable write more |
"""

from __future__ import annotations

import json
from typing import Any

from plimsoll.base.errors import UsageError
from plimsoll.base.units import parse_bytes, parse_seconds
from plimsoll.supply.law_words import (
    CACHE_TOGETHER,
    DRAWN_LAWS,
    SERVICE_WORDS,
    Vocabulary,
    Word,
    number,
    one_of,
    us,
)

_ERROR = "disk-law-unreadable"
_SEEK = "seek"
_HINT = (
    "Write it like law=exponential,mean=1ms,servers=1; the laws are exponential, constant, lognormal and seek, and the page on the"
    " laboratory lists all words."
)
_SEEK_WORDS = {
    "seek": Word("seek_us", us),
    "full_seek": Word("full_seek_us", us),
    "rpm": Word("rpm", number),
}
_DRAWN_WORDS = ("mean", "sigma", "write_mean", "servers")
_VOCABULARY = Vocabulary(
    words={
        "law": Word("law", one_of(*DRAWN_LAWS, _SEEK)),
        **SERVICE_WORDS,
        **_SEEK_WORDS,
        "iops": Word("iops", number),
        "mb_per_s": Word("mb_per_s", number),
        "write_cache": Word("write_cache_bytes", parse_bytes),
        "write_cache_us": Word("write_cache_us", us),
        "cliff_bytes": Word("cliff_bytes", parse_bytes),
        "cliff_factor": Word("cliff_factor", number),
        "pause_every": Word("pause_every_s", parse_seconds),
        "pause": Word("pause_s", parse_seconds),
        "flush": Word("flush_us", us),
    },
    together=(
        CACHE_TOGETHER,
        ("write_cache", "write_cache_us"),
        ("cliff_bytes", "cliff_factor"),
        ("pause_every", "pause"),
        ("seek", "full_seek"),
    ),
    error_id=_ERROR,
    hint=_HINT,
)
_DRAWN = {"law": "exponential", "mean_us": 100.0, "servers": 1}
_ARM = {"seek_us": 500.0, "full_seek_us": 8_000.0, "rpm": 7_200.0}
"""A disk of the kind that databases had before flash, where the words do not say."""


def parse_law(words: str) -> dict[str, Any]:
    """The extension's members for a law, with what was left out put in. Raises UsageError `disk-law-unreadable`."""
    model, given = _VOCABULARY.read(words, words)
    arm = model.get("law") == _SEEK
    idle = sorted(given.intersection(_DRAWN_WORDS if arm else _SEEK_WORDS))
    if idle:
        law = "with the law seek" if arm else "without law=seek"
        raise UsageError(
            _ERROR, f"'{idle[0]}=' would have no effect {law} in '{words}'", f"Leave {idle[0]}= out."
        )
    return (_ARM if arm else _DRAWN) | model


def specification(
    law: dict[str, Any],
    size_bytes: int,
    seed: int,
    mirror: dict[str, Any] | None = None,
    reads: str = "alternate",
) -> str:
    """What the extension is told of a disk, or of a mirror whose other side has that law."""
    shared = {"size_bytes": size_bytes, "seed": seed}
    second = None if mirror is None else {**mirror, **shared}
    return json.dumps({"first": {**law, **shared}, "second": second, "reads": reads})
