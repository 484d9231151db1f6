"""What can be asked of `plimsoll host bench ladder`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from plimsoll.base.errors import UsageError
from plimsoll.requests import shared
from plimsoll.requests.asked import BYTES, Asked, Examples, Request
from plimsoll.requests.host import OUT

_TARGETS = Asked(
    "targets",
    "Each NAME=TARGET: a file, device, folder or nfs://HOST/PATH.",
    metavar="NAME=TARGET",
    stands_first=True,
    shown="caches and memory alone",
)
_RUNTIME = shared.RUNTIME.but(help="How long each rung is measured.")
_SET = Asked(
    "working_set",
    "Bytes of memory that are read from.",
    unit=BYTES,
    low=1 << 20,
    shown="four times the last cache, or an eighth of what is free",
    group="Load",
)
_PRICES = Asked(
    "prices",
    "TOML file with currency and price of a GB by name.",
    metavar="FILE",
    shown="none",
    group="Hardware",
)
_SEED = shared.SEED.but(help="Equal seeds draw equal offsets.")
_NAME_ALONE = re.compile(r"[A-Za-z][\w-]*=")
_NAMED = re.compile(r"([A-Za-z][\w-]*)=(.+)", re.DOTALL)


@dataclass(frozen=True)
class HostBenchLadderRequest(Request):
    """How long one read takes from each cache, memory and named storage."""

    verb = "host bench ladder"
    examples: ClassVar[Examples] = (
        ("Caches and memory of this host", "host bench ladder"),
        (
            "With storage, and what a GB of each costs, as a page",
            "host bench ladder flash=/u01 disk=/archive --prices prices.toml --out ladder.html",
        ),
        ("A file server", "host bench ladder flash=/u01 nfs=nfs://filer/export/db1"),
    )

    targets: tuple[str, ...] = _TARGETS.field(())
    runtime_s: float = _RUNTIME.field(1.0)
    set_bytes: int | None = _SET.field(None)
    bytes_wanted: int | None = shared.SIZE.field(None)
    engine: str = shared.ENGINE.field("auto")
    prices: str | None = _PRICES.field(None)
    seed: int | None = _SEED.field(None)
    out: str | None = OUT.field(None)

    def named(self, taken: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """Name and target of each; without a name the target is its own. Raises UsageError `ladder-name`."""
        found = tuple(self._named())
        names = [name for name, _ in found]
        for at, name in enumerate(names):
            if name in (*taken, *names[:at]):
                whose = "two targets" if name in names[:at] else "a rung of the host itself"
                hint = "Give each a name of its own, such as flash=/u01 disk=/archive."
                raise UsageError("ladder-name", f"{name} is the name of {whose}", hint)
        return found

    def _named(self) -> Iterator[tuple[str, str]]:
        for word in self.targets:
            found = _NAMED.fullmatch(word)
            if not word.strip("=") or (
                found is None and (word.startswith("=") or _NAME_ALONE.fullmatch(word))
            ):
                hint = "Write a name and a file, device or folder, such as flash=/u01."
                raise UsageError("ladder-name", f"'{word}' is no NAME=TARGET", hint)
            yield (found[1], found[2]) if found else (word, word)
