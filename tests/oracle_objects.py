"""Outputs of objects.sql as SQL*Plus prints them, for tests: what an instance of a made database counted until a moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

COUNTS = (
    "logical", "blocks", "requests", "direct", "written", "write_requests", "written_direct", "scans", "optimized",
)  # fmt: skip
SIZES = {
    ("SHOP", "ORDERS", ""): ("TABLE", "USERS", 80 << 30),
    ("SHOP", "ORDERS_PK", ""): ("INDEX", "USERS", 4 << 30),
    ("SHOP", "LINES", "Y2024"): ("TABLE PARTITION", "USERS", 40 << 30),
    ("SHOP", "CODES", ""): ("TABLE", "USERS", 1 << 20),
    ("SYS", "OBJ$", ""): ("TABLE", "SYSTEM", 8 << 20),
    ("SYS", "_SYSSMU1$", ""): ("TYPE2 UNDO", "UNDOTBS1", 64 << 20),
}
"""Segments of the made database: type, tablespace, bytes."""


def segment(**counts: float) -> tuple[float, ...]:
    """Counters of a segment; those that are not named are 0."""
    return tuple(counts.get(name, 0) for name in COUNTS)


def sample(
    segments: Mapping[tuple[str, str, str], Sequence[float]],
    *,
    instance: int = 1,
    taken: str = "2024-05-01T10:00:00",
    started: str = "2024-01-01T08:00:00",
    statistics: Mapping[str, float] | None = None,
    waits: Mapping[str, tuple[float, float]] | None = None,
    times_s: Mapping[str, float] | None = None,
    host: Mapping[str, float] | None = None,
    temp_files: Sequence[float] | None = None,
    parallel: str = "NO",
    db: str = "SHOP",
    more: Iterable[str] = (),
) -> str:
    """One output; `waits` are of sessions, in seconds."""
    lines = [
        "Session altered.",
        "",
        "H|plimsoll-objects|1",
        f"I|77|{db}|{instance}|{db.lower()}{instance}|db{instance}|19.0.0.0.0|Linux|{parallel}|{started}|{taken}|8192|{8 << 30}",
    ]
    lines += [f"S|{name}|{value:.0f}" for name, value in (statistics or {}).items()]
    lines += [
        f"W|{event}|{count:.0f}|{seconds * 1e6:.0f}" for event, (count, seconds) in (waits or {}).items()
    ]
    lines += [f"T|{name}|{seconds * 1e6:.0f}" for name, seconds in (times_s or {}).items()]
    lines += [f"O|{name}|{value:.0f}" for name, value in (host or {}).items()]
    for (owner, name, part), counts in segments.items():
        kind, space, _ = SIZES[owner, name, part]
        values = "|".join(f"{value:.0f}" for value in counts)
        lines.append(f"G|{owner}|{name}|{part}|{kind}|{space}|{values}")
    lines += [
        f"B|{owner}|{name}|{part}|{kind}|{space}|{size}"
        for (owner, name, part), (kind, space, size) in SIZES.items()
    ]
    lines += ["X|TEMP|TEMPORARY|1073741824", "X|UNDOTBS1|UNDO|2147483648", f"L|{instance}|3221225472"]
    if temp_files is not None:
        lines.append("F|Temp File|" + "|".join(f"{value:.0f}" for value in temp_files))
    return "\n".join([*lines, *more, "E|end", ""])
