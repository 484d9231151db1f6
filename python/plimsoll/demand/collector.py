"""The file that the DBA of an Oracle Database runs in SQL*Plus: demand is learnt of it without reports and without a connection.

It is put together from one query a file: head, the queries, a wait, the same queries again. What is printed comes back through
`plimsoll.reports.spool`.
"""

from __future__ import annotations

from plimsoll.databases import queries
from plimsoll.requests.demand import CollectorName

WAIT_S = 300
"""Between the two moments: short beside the hour of a report, and long beside the time that the queries take."""
_RELEASES: dict[CollectorName, int] = {"oracle": 12, "oracle-11": 11}
_RELEASE_WORDS = {12: "12.1 and later", 11: "11.2"}
_QUERIES = (
    ("T", "instances", "gv$instance"),
    ("D", "database", "v$database"),
    ("C", "containers", "v$containers"),
    ("S", "sysstat", "gv$sysstat"),
    ("W", "waits", "gv$system_event, sessions"),
    ("B", "background_waits", "gv$system_event, background"),
    ("J", "time_model", "gv$sys_time_model"),
    ("O", "os_statistics", "gv$osstat"),
    ("F", "filetypes", "gv$iostat_file"),
    ("U", "functions", "gv$iostat_function"),
    ("X", "tablespaces", "gv$filestat"),
    ("Y", "temp_spaces", "gv$tempstat"),
    ("H", "histogram", "gv$event_histogram"),
    ("K", "container_sysstat", "gv$con_sysstat"),
    ("A", "sga_advice", "gv$sga_target_advice"),
    ("P", "cache_advice", "gv$db_cache_advice"),
    ("M", "metrics", "gv$sysmetric"),
    ("G", "segments", "gv$segment_statistics"),
)
"""Letter, file and view of each query; the slowest stands last, so that the others are of one moment."""
_HISTORY = (
    ("t", "history_snapshots", "dba_hist_snapshot"),
    ("s", "history_sysstat", "dba_hist_sysstat"),
    ("w", "history_waits", "dba_hist_system_event, sessions"),
    ("b", "history_background_waits", "dba_hist_system_event, background"),
    ("j", "history_time_model", "dba_hist_sys_time_model"),
    ("f", "history_filetypes", "dba_hist_iostat_filetype"),
    ("u", "history_functions", "dba_hist_iostat_function"),
)
_FREE = "It needs no licence beyond the database's own"
_LICENSED = "Its part on AWR's history NEEDS A LICENCE OF THE DIAGNOSTICS PACK"


def script(name: CollectorName, licensed: bool = False) -> str:
    """The whole file. With `licensed` it reads AWR's history of the last seven days as well."""
    release = _RELEASES[name]
    files = queries("oracle_collector", release)
    words = {
        "{release}": _RELEASE_WORDS[release],
        "{licence}": _LICENSED if licensed else _FREE,
        "{wait_s}": str(WAIT_S),
    }
    moment = _block("plimsoll-collect", [one for one in _QUERIES if one[1] in files], files)
    parts = [
        files["head"],
        "-- The first moment.",
        moment,
        *([files["history"], _block("plimsoll-history", _HISTORY, files)] if licensed else []),
        files["wait"],
        "-- The second moment: the same queries, word for word.",
        moment,
        files["tail"],
    ]
    text = "\n".join(part.rstrip("\n") for part in parts)
    for word, value in words.items():
        text = text.replace(word, value)
    return text + "\n"


def _block(
    name: str, asked: list[tuple[str, str, str]] | tuple[tuple[str, str, str], ...], files: dict[str, str]
) -> str:
    """Queries, each with its mark, between the marks of all."""
    letters = "".join(letter for letter, _, _ in asked)
    lines = [f"prompt :V|{name}|1|{letters}|."]
    for letter, file, view in asked:
        lines += [f"prompt :Q|{letter}|{view}|.", files[file].rstrip("\n")]
    return "\n".join([*lines, "prompt :E|end|."])
