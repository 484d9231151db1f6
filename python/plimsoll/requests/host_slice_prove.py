"""What can be asked of `plimsoll host slice prove`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.base.errors import UsageError
from plimsoll.base.limits import DEFAULT_BLOCK_BYTES, WARM_UP_S
from plimsoll.requests import proofs, prove_slob, shared
from plimsoll.requests.asked import NAMES, Asked, Examples, Request, idle
from plimsoll.requests.host_slice_apply import JOURNAL_FOLDER

NOISE_KINDS = ("cpu", "memory", "disk", "network")
POLICIES = ("off", "interleave", "local", "bind")
ROUNDS_MIN = 3
"""Of fewer pairs an interval says nothing."""

_OF_SLOB = ("database", "client", "schemas", "threads", "scale", "update_pct", "more", "while_in_use")
_OWN_DATABASE = "on a database of your own, which setup has loaded"
_OF_IO = ("policies", "rw", "block_bytes", "depth", "jobs", "engine", "rate_per_s")

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
_DRIVER = Asked("driver", "What is measured: io, or SLOB's load on a server.", group="Load")
_DATABASE = shared.DATABASE.but(
    help="The slice's PostgreSQL, or embedded: one of our own.",
    shown="embedded",
    values=("embedded", "postgresql://"),
)
_CLIENT = Asked("client", "Where sessions are driven from: outside, or inside.", group="Load")
_WHILE_IN_USE = shared.WHILE_IN_USE.but(
    help="Noise of disks also on storage that databases use.", group="Target"
)
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
            "Its PostgreSQL in place of plain I/O, with tables of `prove slob setup`",
            "host slice prove db1 --noise db2 --driver slob --database postgresql://me@/bench --noise-kind cpu",
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
    driver: Literal["io", "slob"] = _DRIVER.field("io")
    database: str | None = _DATABASE.field(None)
    client: Literal["outside", "inside"] = _CLIENT.field("outside")
    schemas: int | None = prove_slob.SCHEMAS.field(None)
    threads: int | None = prove_slob.THREADS.field(None)
    scale: int | None = prove_slob.SCALE.field(None)
    """Blocks."""
    update_pct: int | None = prove_slob.UPDATE_PCT.field(None)
    more: tuple[str, ...] = prove_slob.MORE.field(())
    while_in_use: bool = _WHILE_IN_USE.field(False)
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

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`, `database-missing`."""
        if self.driver == "io":
            idle(given, HostSliceProveRequest, "without --driver slob", *_OF_SLOB)
        else:
            idle(given, HostSliceProveRequest, "with --driver slob", *_OF_IO)
            if proofs.chosen_database(self.database) != proofs.EMBEDDED:
                idle(given, HostSliceProveRequest, _OWN_DATABASE, "scale")
            if "disk" not in self.noise_kinds:
                idle(
                    given,
                    HostSliceProveRequest,
                    "without noise of disks",
                    "target",
                    "bytes_wanted",
                    "while_in_use",
                )

    def check_names(self) -> None:
        """Raises UsageError `noise-unknown`, `policy-unknown`, `policies-alone`, `noise-same-slice`."""
        _check("noise-unknown", "--noise-kind", self.noise_kinds, NOISE_KINDS, least=1)
        _check("policy-unknown", "--policies", self.policies, POLICIES, least=0)
        if self.policies == ("off",):
            message = "--policies: off is what the others are held against, and there is no other"
            raise UsageError("policies-alone", message, f"Name one more: --policies {','.join(POLICIES)}.")
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
