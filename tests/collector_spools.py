"""Spools of the collector as SQL*Plus prints them, for tests: what the instances of a made database counted until some moments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

LETTERS = "TDCSWBHJOFUXYKGAPM"
VIEWS = {
    "T": "gv$instance", "D": "v$database", "C": "v$containers", "S": "gv$sysstat", "W": "gv$system_event, sessions",
    "B": "gv$system_event, background", "H": "gv$event_histogram_micro", "J": "gv$sys_time_model", "O": "gv$osstat",
    "F": "gv$iostat_file", "U": "gv$iostat_function", "X": "gv$filestat", "Y": "gv$tempstat", "K": "gv$con_sysstat",
    "G": "gv$segment_statistics", "A": "gv$sga_target_advice", "P": "gv$db_cache_advice", "M": "gv$sysmetric",
}  # fmt: skip
Facts = Mapping[tuple[str, ...], Sequence[float | str]]


@dataclass(frozen=True)
class MadeInstance:
    """What one instance had counted, by letter and words."""

    counts: Mapping[str, Facts]
    number: int = 1
    started: str = "2024-01-01T08:00:00"


@dataclass(frozen=True)
class MadeSnapshot:
    """All instances at a moment."""

    instances: Sequence[MadeInstance]
    taken: str = "2024-05-01T10:00:00+02:00"
    db: str = "SHOP"
    db_id: int = 77
    cdb: bool = False
    here: str = "CDB$ROOT"
    containers: Mapping[str, str] = field(default_factory=dict[str, str])
    comma: bool = False
    parallel: bool | None = None


def counted(
    scale: float = 1.0, commits: float = 500.0
) -> dict[str, dict[tuple[str, ...], tuple[float | str, ...]]]:
    """What an instance has counted after so many times the same load."""

    def times(*values: float) -> tuple[float, ...]:
        return tuple(float(round(value * scale)) for value in values)

    return {
        "S": {
            ("logons current",): (12.0,),
            ("physical read total IO requests",): times(30_000),
            ("physical read total bytes",): times(30_000 * 16_384),
            ("physical read total multi block requests",): times(300),
            ("physical write total IO requests",): times(9_000),
            ("physical write total bytes",): times(9_000 * 8_192),
            ("physical write total multi block requests",): times(0),
            ("redo blocks written",): times(12_000),
            ("redo size",): times(5_700_000),
            ("redo wastage",): times(100_000),
            ("redo writes",): times(3_000),
            ("user commits",): times(commits),
        },
        "W": {
            ("db file sequential read", "User I/O"): times(25_000, 25_000 * 600),
            ("log file sync", "Commit"): times(500, 500 * 900),
        },
        "B": {("log file parallel write", "System I/O"): times(3_000, 3_000 * 400)},
        "H": {
            ("db file sequential read", "512"): times(15_000),
            ("db file sequential read", "1024"): times(10_000),
        },
        "J": {("DB CPU",): times(60e6), ("DB time",): times(120e6)},
        "O": {
            ("BUSY_TIME", "YES"): times(30_000),
            ("IDLE_TIME", "YES"): times(90_000),
            ("NUM_CPUS", "NO"): (8.0,),
        },
        "F": {
            ("Data File",): times(28_000, 300, 220, 240, 5_900, 0, 47, 0, 16_800, 3_000),
            ("Log File",): times(0, 0, 0, 0, 3_000, 0, 6, 0, 0, 0),
            ("Temp File",): times(300, 0, 3, 0, 200, 0, 2, 0, 150, 0),
        },
        "U": {
            ("Buffer Cache Reads",): times(28_000, 300, 220, 240, 0, 0, 0, 0),
            ("DBWR",): times(0, 0, 0, 0, 5_900, 0, 47, 0),
            ("LGWR",): times(0, 0, 0, 0, 3_000, 0, 6, 0),
            ("Others",): times(1_700, 0, 13, 0, 100, 0, 1, 0),
        },
        "X": {("1", "USERS"): times(28_000, 58_000, 2_000, 27_000, 1_700, 5_900, 300)},
        "Y": {("1", "TEMP"): times(300, 400, 20, 250, 15, 200, 10)},
        "G": {("physical reads", "1", "SHOP", "ORDERS", "", "TABLE", "USERS"): times(40_000)},
        "A": {("1024",): ("0.5", "200", "1.25", "90000")},
        "P": {("DEFAULT", "8192", "512"): ("0.5", "64000", "1.8", "70000")},
        "M": {("Physical Reads Per Sec", "Reads Per Second"): ("101.25",)},
    }


def line(letter: str, instance: int, place: int, of: int, *values: object) -> str:
    """A fact."""
    return "|".join([f":{letter}", str(instance), str(place), str(of), *map(str, values), "."])


def snapshot(made: MadeSnapshot) -> str:
    """One snapshot's lines."""
    lines = [f":V|plimsoll-collect|1|{LETTERS}|."]
    for letter in LETTERS:
        lines += [f":Q|{letter}|{VIEWS[letter]}|.", *facts(made, letter)]
    return "\n".join([*lines, ":E|end|.", ""])


def facts(made: MadeSnapshot, letter: str) -> list[str]:
    """What the statement of a letter prints."""
    of = len(made.instances)
    if letter == "T":
        parallel = of > 1 if made.parallel is None else made.parallel
        return [
            line("T", one.number, place, of, f"{made.db.lower()}{one.number}", f"db{one.number}", "19.0.0.0.0",
                 "YES" if parallel else "NO", one.started, made.taken)
            for place, one in enumerate(made.instances, start=1)
        ]  # fmt: skip
    if letter == "D":
        half = "1,5" if made.comma else "1.5"
        return [line("D", 0, 1, 1, made.db_id, made.db, "Linux", "YES" if made.cdb else "NO", 8192, half)]
    if letter == "C":
        rows = list(made.containers.items())
        return [
            line("C", 0, place, len(rows), con, name, "here" if name == made.here else "")
            for place, (con, name) in enumerate(rows, start=1)
        ]
    found = [
        (key, one.number, values)
        for one in made.instances
        for key, values in one.counts.get(letter, {}).items()
    ]
    found.sort(key=lambda one: (one[0], one[1]))
    return [
        line(
            letter,
            number,
            place,
            len(found),
            *(word.replace("|", "\\7c") for word in key),
            *(_typed(value, made) for value in values),
        )
        for place, (key, number, values) in enumerate(found, start=1)
    ]


def _typed(value: float | str, made: MadeSnapshot) -> str:
    words = value if isinstance(value, str) else f"{value:.0f}"
    return words.replace(".", ",") if made.comma else words


def spool(*made: MadeSnapshot) -> str:
    """Several snapshots, one behind the other."""
    return "".join(map(snapshot, made))


def two(**given: object) -> str:
    """Five minutes of one instance, which counts the same load once more in them."""
    times = ("2024-05-01T10:00:00+02:00", "2024-05-01T10:05:00+02:00")
    return spool(
        *(
            MadeSnapshot([MadeInstance(counted(scale))], taken=taken, **given)  # type: ignore[arg-type]
            for scale, taken in zip((10.0, 11.0), times, strict=True)
        )
    )


HISTORY_VIEWS = {"t": "dba_hist_snapshot", "s": "dba_hist_sysstat", "j": "dba_hist_sys_time_model"}


def history_facts(letter: str, *moments: tuple[int, str, float]) -> list[str]:
    """What a statement of the licensed part prints of snapshots of AWR: their ids, when, and how often the load was counted."""
    if letter == "t":
        instance = "shop1|db1|19.0.0.0.0|NO|2024-01-01T08:00:00"
        return [f":t|{snap}|1|1|1|{instance}|{taken}|." for snap, taken, _ in moments]
    lines: list[str] = []
    for snap, _, scale in moments:
        rows = sorted(counted(scale)[letter.upper()].items())
        lines += [
            f":{letter}|{snap}|1|{place}|{len(rows)}|{key[0]}|{number:.0f}|."
            for place, (key, (number, *_)) in enumerate(rows, start=1)
            if isinstance(number, float)
        ]
    return lines


def history(*moments: tuple[int, str, float]) -> str:
    """AWR's history as the licensed part prints it."""
    lines = [":V|plimsoll-history|1|tsj|."]
    for letter, view in HISTORY_VIEWS.items():
        lines += [f":Q|{letter}|{view}|.", *history_facts(letter, *moments)]
    return "\n".join([*lines, ":E|end|.", ""])


def wrapped(text: str, width: int) -> str:
    """As SQL*Plus breaks lines that are longer, and cuts spaces at their ends."""
    return "\n".join(part.rstrip() for one in text.split("\n") for part in (_pieces(one, width) or [""]))


def _pieces(text: str, width: int) -> list[str]:
    """Pieces of one width."""
    return [text[at : at + width] for at in range(0, len(text), width)]


def echoed(text: str, statement: str = "select ':S|' || inst_id || '|.'\nfrom gv$sysstat;") -> str:
    """As a script that comes in through standard input shows itself: prompts before answers, statements with numbers of lines."""
    said: list[str] = []
    for one in text.split("\n"):
        if one.startswith(":Q|"):
            first, *more = statement.split("\n")
            said += [f"SQL> prompt {one}", one, f"SQL> {first}"]
            said += [f"{number:3}  {part}" for number, part in enumerate(more, start=2)]
        elif one.startswith(":V|"):
            said.append(f"SQL> SQL> {one}")
        else:
            said.append(one)
    return "\n".join(said)


def paged(text: str, every: int = 7) -> str:
    """With page breaks: a form feed, a heading and its dashes, and blank lines; within facts too, where they are wrapped."""
    said: list[str] = []
    for number, one in enumerate(text.split("\n")):
        if number % every == every - 1:
            said += ["", "\fLINE", "-" * 40]
        said.append(one)
    return "\n".join(said)


def lines_of(text: str, letter: str) -> Iterable[tuple[int, str]]:
    """Numbers and texts of all lines of a letter."""
    return (
        (number, one) for number, one in enumerate(text.split("\n"), start=1) if one.startswith(f":{letter}|")
    )
