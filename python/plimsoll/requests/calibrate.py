"""What can be asked of `plimsoll calibrate`, and of what it measures in place of the matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.base.errors import UsageError
from plimsoll.base.limits import (
    CALIBRATE_IO_LATENCY_S,
    CALIBRATE_POINT_S,
    DEFAULT_BLOCK_BYTES,
    PATH_TIMEOUT_S,
)
from plimsoll.base.units import parse_bytes
from plimsoll.requests import shared
from plimsoll.requests.asked import BYTES, SECONDS, Asked, Examples, Request, Unit, idle

AUTO_SIZES = "auto"
Shape = Literal["simple", "normal", "dss", "oltp", "custom"]
"""ORION's kinds of run."""
Matrix = Literal["basic", "detailed", "point", "row", "col", "max", "adaptive"]

_MIB = 1 << 20
_RUNS_LIKE_CALIBRATE_IO, _TURNS = 5, 3


def _sizes(text: str) -> tuple[int, ...]:
    return () if text == AUTO_SIZES else tuple(parse_bytes(part) for part in text.split(","))


_TARGETS = Asked(
    "targets",
    "Files, block devices, folders (scratch files are made in them), or sim:mean=100us; several are one volume.",
    metavar="TARGET",
    stands_first=True,
)
_SHAPE = Asked(
    "shape",
    "ORION's kinds of run: simple and normal have small and large I/Os, oltp only small, dss only large ones.",
    shown="simple",
    group="Matrix",
)
_MATRIX = Asked(
    "matrix",
    "Which points: adaptive chooses them where the curve bends, the others are ORION's grids.",
    shown="adaptive; with --shape that shape's own grid",
    group="Matrix",
)
_DISKS = Asked(
    "disks",
    "Disks behind the targets; they set the range of a grid.",
    low=1,
    high=10_000,
    shown="as many as targets",
    group="Matrix",
)
_SMALL_BLOCK = Asked("small_block", "Size of a small I/O.", unit=BYTES, group="Load")
_LARGE_BLOCK = Asked("large_block", "Size of a large I/O.", unit=BYTES, group="Load")
_LARGE_PATTERN = Asked("large_pattern", "Large I/Os at random places, or in streams.", group="Load")
_STREAMS_DEPTH = Asked("streams_depth", "I/Os outstanding of each stream.", low=1, high=1024, group="Load")
_SMALL_DEPTH = Asked(
    "small_depth",
    "Small I/Os outstanding: fixed for point and col, the most for max and adaptive.",
    low=0,
    high=65536,
    shown="",
    group="Matrix",
)
_LARGE_DEPTH = Asked(
    "large_depth",
    "Large I/Os outstanding, or streams: fixed for point and row, the most for max and adaptive.",
    low=0,
    high=8192,
    shown="",
    group="Matrix",
)
_WRITE_SHARE = Asked(
    "write_share",
    "Writes as a share of I/Os; of streams, each of which reads or writes.",
    low=0.0,
    high=1.0,
    group="Load",
)
_VOLUME = Asked("volume", "Several targets: one behind the other, or striped.", group="Hardware")
_STRIPE = Asked("stripe", "Depth of a stripe.", unit=BYTES, group="Hardware")
_CACHE_SIZE = Asked(
    "cache_size",
    "Random I/O of so many bytes before each point with streams, so that no cache knows them; 0 for none.",
    unit=BYTES,
    above_zero=False,
    shown="for twice the time of the point",
    group="Load",
)
_LIKE = Asked("like", "Answer as Oracle's CALIBRATE_IO does.", shown="", group="Matrix")
_MAX_LATENCY = Asked(
    "max_latency",
    "With --like: highest mean latency of small reads.",
    unit=SECONDS,
    group="Matrix",
)
_REPEATS = Asked(
    "repeats",
    "With --like: whole runs, for the spread; with --working-sets and --ladder: turns of all.",
    low=1,
    high=100,
    shown="5; turns 3",
    group="Time",
)
_SPINDLES = Asked(
    "spindles",
    "Disks that were paid for: says what they ought to give.",
    low=1,
    high=100_000,
    shown="",
    group="Hardware",
)
_DISK_TYPE = Asked("disk_type", "Which kind of disks they are.", shown="", group="Hardware")
_RAID = Asked("raid", "How they are combined.", group="Hardware")
_WORKING_SETS = Asked(
    "working_sets",
    "In place of the matrix: rates over bytes visited, such as 64m,256m,1g; auto goes up to the whole target.",
    unit=Unit("SIZES", _sizes, is_whole=True),
    shown="",
    group="Matrix",
)
_LADDER = Asked("ladder", "In place of the matrix: targets added one by one, and each alone.", group="Matrix")
_LINKS = Asked(
    "links",
    "Links to the storage, such as 2x8gfc, 2x10gbe or 1xsas12g, to hold the MB/s against.",
    metavar="LINKS",
    shown="what the kernel tells",
    group="Hardware",
)
_COPIES = Asked(
    "copies",
    "How often this host sends each write: 2 where it mirrors, as ASM with normal redundancy.",
    low=1,
    high=8,
    shown="what md tells, else 1",
    group="Hardware",
)
_CHECK = Asked(
    "check", "Measure more, to see whether a cache answered.", shown="only what costs nothing", group="Checks"
)


@dataclass(frozen=True)
class CalibrateRequest(Request):
    """What storage gives at each load. With `like`, `working_sets` or `ladder`, of which one may be asked, that in its place.

    `small_depth` and `large_depth` are the fixed or largest loads of `point`, `row`, `col` and `max`; large ones are numbers of
    streams where these are sequential; on a ladder what is outstanding on each target, 0 leaving that kind out; with working sets
    the first is the reads outstanding.
    """

    verb = "calibrate"
    examples: ClassVar[Examples] = (
        ("Where the curve of small I/Os bends, and what large ones give", "calibrate /data"),
        ("ORION's matrix for transactions on two disks", "calibrate disk1 disk2 --shape oltp --disks 2"),
        ("What Oracle's CALIBRATE_IO would answer", "calibrate . --like calibrate-io --max-latency 10ms"),
        ("From which size on a cache no longer helps", "calibrate . --working-sets 64m,256m,1g"),
        ("What three hosts get at the same time", "calibrate /mnt/shared --hosts db1,db2,db3"),
    )

    targets: tuple[str, ...] = _TARGETS.field()
    shape: Shape | None = _SHAPE.field(None)
    matrix: Matrix | None = _MATRIX.field(None)
    """None: the shape's own; adaptive without a shape."""
    disks: int | None = _DISKS.field(None)
    """None: as many as there are targets."""
    small_bytes: int = _SMALL_BLOCK.field(DEFAULT_BLOCK_BYTES)
    large_bytes: int = _LARGE_BLOCK.field(_MIB)
    large_pattern: Literal["random", "sequential"] = _LARGE_PATTERN.field("random")
    streams_depth: int = _STREAMS_DEPTH.field(4)
    small_depth: int | None = _SMALL_DEPTH.field(None)
    large_depth: int | None = _LARGE_DEPTH.field(None)
    write_share: float = _WRITE_SHARE.field(0.0)
    volume: Literal["concat", "raid0"] = _VOLUME.field("concat")
    stripe_bytes: int = _STRIPE.field(_MIB)
    duration_s: float = shared.RUNTIME.but(
        help="Measured time of each point; adaptive also takes shorter looks."
    ).field(CALIBRATE_POINT_S)
    cache_bytes: int | None = _CACHE_SIZE.field(None)
    """None: for twice the time of the point."""
    like: Literal["calibrate-io"] | None = _LIKE.field(None)
    max_latency_s: float = _MAX_LATENCY.field(CALIBRATE_IO_LATENCY_S)
    repeats: int | None = _REPEATS.field(None)
    spindles: int | None = _SPINDLES.field(None)
    """Without it and `disk_type` there is no arithmetic of spindles."""
    disk_type: Literal["sata", "sas", "10k", "15k", "ssd", "nvme"] | None = _DISK_TYPE.field(None)
    raid: Literal["raid0", "raid1", "raid10", "raid5", "raid6", "raid-dp", "asm-normal", "asm-high"] = (
        _RAID.field("raid0")
    )
    working_sets: tuple[int, ...] | None = _WORKING_SETS.field(None)
    """Sizes in bytes; empty: a ladder up to the whole span."""
    ladder: bool = _LADDER.field(False)
    links: str | None = _LINKS.field(None)
    copies: int | None = _COPIES.field(None)
    bytes_wanted: int | None = shared.SIZE.field(None)
    engine: str = shared.ENGINE.field("auto")
    path_timeout_s: float = shared.PATH_TIMEOUT.field(PATH_TIMEOUT_S)
    oranfstab: str | None = shared.ORANFSTAB.field(None)
    check: Literal["cache"] | None = _CHECK.field(None)
    direct: bool = shared.DIRECT.field(True)
    merge: bool = shared.MERGE.field(False)
    prefill: bool = shared.PREFILL.field(False)
    destroy: tuple[str, ...] = shared.DESTROY.field(())
    seed: int | None = shared.SEED.field(None)
    hosts: tuple[str, ...] = shared.HOSTS.field(())
    """Empty: this host alone, or all workers of a cluster."""
    own_storage: bool = shared.OWN_STORAGE.field(False)
    launcher: str = shared.LAUNCHER.field(shared.SSH)
    agent: str = shared.AGENT.field("plimsoll agent")
    agents_cluster: str | None = shared.AGENTS_CLUSTER.field(None)
    agents_without_tls: bool = shared.AGENTS_WITHOUT_TLS.field(False)

    @property
    def is_adaptive(self) -> bool:
        """Whether points are chosen where the curve bends."""
        return self.matrix == "adaptive" or (self.matrix is None and self.shape is None)

    @property
    def turns(self) -> int:
        """Whole runs of what answers as CALIBRATE_IO does, else turns of all that is measured in turns."""
        return self.repeats or (_RUNS_LIKE_CALIBRATE_IO if self.like else _TURNS)

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `calibrate-unfit` where two measurements are asked for at once, `option-idle`."""
        self._refuse_two()
        shared.refuse_idle_agents(given, CalibrateRequest, self, "own_storage")
        for when, is_so, names in self._idle_when():
            if is_so:
                idle(given, CalibrateRequest, when, *names)

    def _refuse_two(self) -> None:
        wanted = {
            "--like": self.like,
            "--working-sets": self.working_sets is not None,
            "--ladder": self.ladder,
        }
        names = [name for name, is_wanted in wanted.items() if is_wanted]
        if len(names) > 1:
            raise UsageError(
                "calibrate-unfit", f"{' and '.join(names)} are measurements apart", "Ask for one at a time."
            )

    def _idle_when(self) -> tuple[tuple[str, bool, tuple[str, ...]], ...]:
        """What has no effect when."""
        has_points = self.working_sets is None and not self.ladder
        remote = self.oranfstab is not None or any(name.startswith(shared.REMOTE) for name in self.targets)
        return (
            (shared.WITHOUT_REMOTE, not remote, ("path_timeout_s",)),
            ("with --like", self.like is not None, ("shape", "matrix")),
            ("with --working-sets", self.working_sets is not None, (*_OF_THE_MATRIX, *_OF_MANY_LOADS)),
            ("with --ladder", self.ladder, _OF_THE_MATRIX),
            (shared.how_named(self), shared.on_hosts(self), _OF_ONE_HOST),
            ("without --like", self.like is None, ("max_latency_s",)),
            (
                "without --like, --working-sets or --ladder",
                self.like is None and has_points,
                ("repeats",),
            ),
            (
                "without --large-pattern sequential",
                self.large_pattern != "sequential",
                ("streams_depth", "cache_bytes"),
            ),
            ("without --volume raid0", self.volume == "concat", ("stripe_bytes",)),
            ("without --spindles", self.spindles is None, ("raid",)),
            ("without --write-share", self.write_share == 0, ("copies",)),
            (
                "on adaptive points; give a --shape or a --matrix",
                self.like is None and self.is_adaptive,
                ("disks",),
            ),
        )


_OF_ONE_HOST = (
    "like", "working_sets", "ladder", "volume", "stripe_bytes", "spindles", "disk_type", "raid", "links", "copies", "oranfstab",
    "check", "prefill", "destroy",
)  # fmt: skip
_OF_THE_MATRIX = (
    "shape", "matrix", "disks", "volume", "stripe_bytes", "cache_bytes", "streams_depth", "max_latency_s", "spindles",
    "disk_type", "check",
)  # fmt: skip
_OF_MANY_LOADS = ("large_pattern", "large_depth", "links", "copies")
