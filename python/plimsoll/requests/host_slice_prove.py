"""What can be asked of `plimsoll host slice prove`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.base.errors import UsageError
from plimsoll.base.limits import DEFAULT_BLOCK_BYTES, WARM_UP_S
from plimsoll.requests import shared
from plimsoll.requests.asked import NAMES, Asked, Examples, Request
from plimsoll.requests.host_slice_apply import JOURNAL_FOLDER

NOISE_KINDS = ("cpu", "memory", "disk", "network")
POLICIES = ("off", "interleave", "local", "bind")
ROUNDS_MIN = 3
"""Of fewer pairs an interval says nothing."""

_SLICE = Asked(
    "slice", "Name of the slice in which is measured.", metavar="SLICE", stands_first=True, group="Target"
)
_NOISE = Asked("noise", "Name of the slice in which the noise is.", metavar="SLICE", group="Target")
_TARGET = shared.TARGET.but(
    help="File, device, folder for a scratch file, or nfs://HOST/PATH.", stands_first=False, group="Target"
)
_KINDS = Asked(
    "noise_kind",
    "What the noise loads: cpu, memory, disk, network.",
    unit=NAMES,
    shown="cpu,memory,disk",
    values=NOISE_KINDS,
    group="Load",
)
_POLICIES = Asked(
    "policies",
    "Memory policies: off,interleave,local,bind.",
    unit=NAMES,
    shown="",
    values=POLICIES,
    group="Load",
)
_ROUNDS = Asked("rounds", "Rounds, each with all trials.", low=ROUNDS_MIN, high=100, group="Time")
_DEPTH = Asked("depth", "I/Os in flight per job.", low=1, high=65536, group="Load")
_RUNTIME = shared.RUNTIME.but(help="Measured time of each trial.")
_SEED = shared.SEED.but(help="Equal seeds draw equal orders and offsets.", shown="a new one each time")
_JOBS = shared.JOBS.but(help="Submitting threads, on any CPU of the slice.")
_JOURNAL = Asked("journal", "Folder of `host slice apply`'s journal.", metavar="FOLDER", group="Target")
_OUT = shared.OUT.but(help="Write it as a page.", shown="")


@dataclass(frozen=True)
class HostSliceProveRequest(Request):
    """What noise in one slice does to a measurement in another."""

    verb = "host slice prove"
    examples: ClassVar[Examples] = (
        (
            "Reads in db1 while db2 keeps CPUs, memory and the disk busy",
            "host slice prove db1 --noise db2 --target /u01",
        ),
        (
            "CPUs alone, more rounds, as a page",
            "host slice prove db1 --noise db2 --target /u01 --noise-kind cpu --rounds 10 --out proof.html",
        ),
        (
            "Memory policies as well",
            "host slice prove db1 --noise db2 --target /u01 --policies off,interleave,local,bind",
        ),
    )

    slice: str = _SLICE.field()
    noise: str = _NOISE.field()
    target: str = _TARGET.field(".")
    noise_kinds: tuple[str, ...] = _KINDS.field(("cpu", "memory", "disk"))
    policies: tuple[str, ...] = _POLICIES.field(())
    rw: str = shared.RW.field("randread")
    block_bytes: int = shared.BLOCK.field(DEFAULT_BLOCK_BYTES)
    depth: int = _DEPTH.field(4)
    jobs: int = _JOBS.field(1)
    engine: str = shared.ENGINE.field("auto")
    bytes_wanted: int | None = shared.SIZE.field(None)
    rate_per_s: float | None = shared.RATE_PER_S.field(None)
    rounds: int = _ROUNDS.field(5)
    runtime_s: float = _RUNTIME.field(2.0)
    warm_up_s: float = shared.WARM_UP.field(WARM_UP_S)
    seed: int | None = _SEED.field(None)
    journal: str = _JOURNAL.field(JOURNAL_FOLDER)
    out: str | None = _OUT.field(None)

    def check_names(self) -> None:
        """Raises UsageError `noise-unknown`, `policy-unknown`, `noise-same-slice`."""
        _check("noise-unknown", "--noise-kind", self.noise_kinds, NOISE_KINDS, least=1)
        _check("policy-unknown", "--policies", self.policies, POLICIES, least=0)
        if self.slice == self.noise:
            message = f"--noise: {self.noise} is the slice that is measured"
            raise UsageError("noise-same-slice", message, "Name another slice with --noise.")


def _check(code: str, option: str, given: tuple[str, ...], known: tuple[str, ...], least: int) -> None:
    wrong = [one for one in given if one not in known]
    if wrong or len(given) < least:
        said = f"'{wrong[0]}' is none of {', '.join(known)}" if wrong else "nothing is named"
        raise UsageError(code, f"{option}: {said}", f"Write {option} {','.join(known)}, or some of them.")
    if len(set(given)) < len(given):
        raise UsageError(code, f"{option}: {','.join(given)} names one twice", "Name each once.")
