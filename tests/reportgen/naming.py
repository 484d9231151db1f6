"""The names of the reader's typed sections and columns, where they are not those of the generator: one table, one edit to rename.

A column named None is read by no typed section.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reportgen.printing import Value

# Section of the generator → section of the reader.
SECTIONS: Mapping[str, str] = {"undo": "undo_stats", "rac_profile": "rac_load_profile"}

# Section of the generator → its columns → columns of the reader.
_TRAFFIC = {"read_requests_per_s": "reads_per_s", "write_requests_per_s": "writes_per_s"}
COLUMNS: Mapping[str, Mapping[str, str | None]] = {
    "load_profile": {"name": "statistic"},
    "instance_efficiency": {"name": "statistic", "value_percent": "percent"},
    "background_waits": {"bg_time_percent": "background_time_percent"},
    "io_profile": {"name": "statistic", "read_write_per_s": "both_per_s"},
    "addm_findings": {"avg_active_sessions": "task_active_sessions"},
    "time_model": {"total_cpu_percent": "cpu_time_percent"},
    "os_statistics": {"per_second": "per_s"},
    "sql": {"pdb": "pdb_name", "io_wait_s": "user_io_s", "text_start": "sql_text"},
    "sql_text": {"text": "sql_text"},
    "instance_activity": {"per_second": "per_s", "per_transaction": "per_txn"},
    "log_switches": {"total": "switches", "per_hour": "switches_per_hour"},
    "iostat_by_function": _TRAFFIC,
    "iostat_by_filetype": _TRAFFIC,
    "iostat_by_function_filetype": _TRAFFIC,
    "file_io": {"filename": "file"},
    "segments": {
        "statistic": "ordered_by",
        "object_number": "object_id",
        "data_object_number": "data_object_id",
        "pdb": "pdb_name",
    },
    "checkpoint_activity": {"thread_writes": "thread_checkpoint_writes"},
    "buffer_pool_advisory": {
        "read_factor": "physical_read_factor",
        "read_time_s": None,
        "db_time_percent": "db_time_for_reads_percent",
    },
    "pga_targets": {
        "target_bytes": "aggregate_target_bytes",
        "workarea_bytes": "work_area_bytes",
        "workarea_percent": "work_area_percent",
        "auto_percent": "auto_work_area_percent",
        "manual_percent": "manual_work_area_percent",
    },
    "pga_advisory": {"time_s": "processing_s"},
    "shared_pool_advisory": {"load_time_s": "load_s", "load_time_factor": "load_factor"},
    "buffer_waits": {"block_class": "class"},
    "enqueues": {"successes": "gets", "failures": "failed_gets"},
    "latches": {
        "miss_percent": "misses_percent",
        "wait_s": "total_wait_s",
        "nowait_requests": "no_wait_gets",
        "nowait_miss_percent": "no_wait_misses_percent",
    },
    "dictionary_cache": {"get_miss_percent": "misses_percent", "scan_miss_percent": "scan_misses_percent"},
    "library_cache": {"get_miss_percent": "misses_percent", "pin_miss_percent": "pin_misses_percent"},
    "memory_components": {"current_bytes": "end_bytes"},
    "rac_profile": {"name": "statistic"},
    "undo": {"max_query_s": "longest_query_s", "max_concurrency": "most_transactions_at_once"},
}


def section(view: str) -> str:
    """The reader's name of a section."""
    return SECTIONS.get(view, view)


def renamed(view: str, row: Mapping[str, Value]) -> Mapping[str, Value]:
    """A row under the reader's names, without what it does not read."""
    names = COLUMNS.get(view, {})
    taken = _APART[view](row) if view in _APART else row
    return {new: value for name, value in taken.items() if (new := names.get(name, name)) is not None}


def _function_and_filetype(row: Mapping[str, Value]) -> Mapping[str, Value]:
    """`DBWR (Data File)` is a function and a type of file; a function alone is the sum over its types."""
    both = str(row["function_filetype"])
    function, _, filetype = both.partition(" (")
    rest = {name: value for name, value in row.items() if name != "function_filetype"}
    return {"function": function, "filetype": filetype.rstrip(")") or None, **rest}


# Sections whose rows are more than their columns renamed.
_APART: Mapping[str, Callable[[Mapping[str, Value]], Mapping[str, Value]]] = {
    "iostat_by_function_filetype": _function_and_filetype,
}
