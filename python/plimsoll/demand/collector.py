"""The collector of an Oracle Database's counters: a file that its DBA runs in SQL*Plus, or the same queries over a connection.

The file is put together from one query a file: head, the queries, a wait, the same queries again. What is printed comes back
through `plimsoll.reports.spool`; so does what a connection answers, as the lines that SQL*Plus would have printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from plimsoll.databases import PrintsQueries, queries
from plimsoll.reports.spool.snapshots import HISTORY, MOMENT, VERSION
from plimsoll.requests.demand import CollectorName

WAIT_S = 300
"""Between the two moments: short beside the hour of a report, and long beside the time that the queries take."""
_FOLDER = "oracle_collector"
_RELEASES: dict[CollectorName, int] = {"oracle": 12, "oracle-11": 11}
_RELEASE_WORDS = {12: "12.1 and later", 11: "11.2"}


class Query(NamedTuple):
    """A statement: the letter of its facts, its file, and its view in words."""

    letter: str
    file: str
    view: str
    is_of_demand: bool = True
    """Whether demand is made of it; else it is only shown, by `plimsoll read`."""
    is_needed: bool = False
    """Whether without it nothing is known of a moment: whose it is, and when it was."""


QUERIES = (
    Query("T", "instances", "gv$instance", is_needed=True),
    Query("D", "database", "v$database", is_needed=True),
    Query("C", "containers", "v$containers"),
    Query("S", "sysstat", "gv$sysstat"),
    Query("W", "waits", "gv$system_event, sessions"),
    Query("B", "background_waits", "gv$system_event, background"),
    Query("J", "time_model", "gv$sys_time_model", is_of_demand=False),
    Query("O", "os_statistics", "gv$osstat", is_of_demand=False),
    Query("F", "filetypes", "gv$iostat_file"),
    Query("U", "functions", "gv$iostat_function"),
    Query("X", "tablespaces", "gv$filestat"),
    Query("Y", "temp_spaces", "gv$tempstat"),
    Query("H", "histogram", "gv$event_histogram", is_of_demand=False),
    Query("K", "container_sysstat", "gv$con_sysstat", is_of_demand=False),
    Query("A", "sga_advice", "gv$sga_target_advice", is_of_demand=False),
    Query("P", "cache_advice", "gv$db_cache_advice", is_of_demand=False),
    Query("M", "metrics", "gv$sysmetric", is_of_demand=False),
    Query("G", "segments", "gv$segment_statistics", is_of_demand=False),
)
"""The slowest stands last, so that the others are of one moment."""
HISTORY_QUERIES = (
    Query("t", "history_snapshots", "dba_hist_snapshot"),
    Query("s", "history_sysstat", "dba_hist_sysstat"),
    Query("w", "history_waits", "dba_hist_system_event, sessions"),
    Query("b", "history_background_waits", "dba_hist_system_event, background"),
    Query("j", "history_time_model", "dba_hist_sys_time_model"),
    Query("f", "history_filetypes", "dba_hist_iostat_filetype"),
    Query("u", "history_functions", "dba_hist_iostat_function"),
)
"""These need a licence of the Diagnostics Pack."""
_FREE = "It needs no licence beyond the database's own"
_LICENSED = "Its part on AWR's history NEEDS A LICENCE OF THE DIAGNOSTICS PACK"


def script(name: CollectorName, licensed: bool = False) -> str:
    """The whole file. With `licensed` it reads AWR's history of the last seven days as well."""
    release = _RELEASES[name]
    files = queries(_FOLDER, release)

    def typed(query: Query) -> str:
        return files[query.file].rstrip("\n")

    moment = _block(MOMENT, [one for one in QUERIES if one.file in files], typed, "prompt ")
    past = [files["history"], _block(HISTORY, HISTORY_QUERIES, typed, "prompt ")] if licensed else []
    before = [files["head"], files["session"], files["spool"], "-- The first moment."]
    between = [*past, files["wait"], "-- The second moment: the same queries, word for word."]
    text = _joined([*before, moment, *between, moment, files["tail"]])
    first, second = _count(before) + 1, _count([*before, moment, *between]) + 1
    words = {
        "{release}": _RELEASE_WORDS[release],
        "{licence}": _LICENSED if licensed else _FREE,
        "{wait_s}": str(WAIT_S),
        "{lines}": _places(first, second, moment),
    }
    for word, value in words.items():
        text = text.replace(word, value)
    return text


def _joined(parts: Sequence[str]) -> str:
    return "".join(part.rstrip("\n") + "\n" for part in parts)


def _count(parts: Sequence[str]) -> int:
    return _joined(parts).count("\n")


def _places(first: int, second: int, moment: str) -> str:
    """Where each of the moments stands, so that one is read and the other compared."""
    more = moment.count("\n")
    return f"lines {first} to {first + more} read a moment, lines {second} to {second + more} are the same, word for word"


def moment(connection: PrintsQueries, release: int) -> str:
    """What SQL*Plus would spool of this moment, of the queries that demand is made of.

    Raises WorldError where the connection is lost, or what is needed is refused.
    """
    files = queries(_FOLDER, release)
    connection.printed(files["session"], needed=True)
    asked = [one for one in QUERIES if one.is_of_demand and one.file in files]
    return _block(MOMENT, asked, _answers(connection, files)) + "\n"


def history(connection: PrintsQueries, release: int) -> str:
    """What SQL*Plus would spool of AWR's history. Only for who holds a licence of the Diagnostics Pack."""
    return _block(HISTORY, HISTORY_QUERIES, _answers(connection, queries(_FOLDER, release))) + "\n"


def _answers(connection: PrintsQueries, files: dict[str, str]) -> Callable[[Query], str]:
    return lambda query: "\n".join(connection.printed(files[query.file], needed=query.is_needed))


def _block(name: str, asked: Sequence[Query], text: Callable[[Query], str], before_mark: str = "") -> str:
    """The text of each query behind its mark, between the marks of all."""
    return "\n".join(_block_lines(name, asked, text, before_mark))


def _block_lines(
    name: str, asked: Sequence[Query], text: Callable[[Query], str], before_mark: str
) -> Iterator[str]:
    letters = "".join(query.letter for query in asked)
    yield f"{before_mark}:V|{name}|{VERSION}|{letters}|."
    for query in asked:
        yield f"{before_mark}:Q|{query.letter}|{query.view}|."
        yield text(query)
    yield f"{before_mark}:E|end|."
