"""Statements by what they cost, and their full text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reportgen.facts import Facts, Sql
from reportgen.layout import Kind, Layout
from reportgen.model import Block, Column, Row, Table
from reportgen.printing import COUNT, IDENTIFIER, TEXT, TWO, Number, Value, fixed

_CUT = 30
# What a list is ordered by, where its title is shorter than that.
_MEASURED = {"Gets": "buffer gets", "Reads": "physical reads", "CPU": "cpu time"}
Measure = Callable[[Facts, Sql], Value]
Cost = Callable[[Sql], float]


@dataclass(frozen=True)
class _Order:
    """One list: what it is ordered by, by which figure, and its columns with their figures."""

    ordered_by: str
    key: Cost
    columns: tuple[tuple[Column, Measure], ...]
    summary: str = ""


def blocks(facts: Facts, layout: Layout) -> list[Block]:
    """All lists that the layout has, then the texts where it is HTML."""
    made: list[Block] = [_list(facts, layout, order) for order in _orders(layout)]
    if layout.html:
        made += texts(facts, layout)
    return made


def _orders(layout: Layout) -> tuple[_Order, ...]:
    if layout.statspack:
        return _statspack(layout)
    return _awr() if layout.since(11, 1) else _awr_10()


def _per(total: float, count: float) -> float | None:
    return total / count if count else None


def _share(part: float, whole: float) -> float:
    return part / whole * 100 if whole else 0.0


def _of(facts: Facts, part: Cost, sql: Sql) -> float:
    return _share(part(sql), sum(part(each) for each in facts.sql) * 1.25)


def _figure(column: Column, of: Cost) -> tuple[Column, Measure]:
    return column, lambda facts, sql: of(sql)


def _per_execution(column: Column, of: Cost) -> tuple[Column, Measure]:
    return column, lambda facts, sql: _per(of(sql), sql.executions)


def _part_of_all(column: Column, of: Cost) -> tuple[Column, Measure]:
    return column, lambda facts, sql: _of(facts, of, sql)


_TEN_NA = fixed(2, null="N/A", exponent=True)
_EXECUTIONS = Number(exponent=True)
_ELAPSED = fixed(1, 2)
_PERCENT = fixed(1, 2, bare=True, grouped=False, exponent=True)
_PER_EXECUTION = fixed(1, 2, null="N/A", exponent=True)
_TOTAL_PERCENT = Column("total_percent", "%Total", 6, _PERCENT)


def _executions(width: int) -> tuple[Column, Measure]:
    return Column("executions", "Executions", width, _EXECUTIONS), lambda facts, sql: sql.executions


def _cpu_and_io(width: int) -> tuple[tuple[Column, Measure], ...]:
    return (
        (Column("cpu_percent", "%CPU", width, _PERCENT), lambda facts, sql: _share(sql.cpu_s, sql.elapsed_s)),
        (Column("io_percent", "%IO", width, _PERCENT), lambda facts, sql: _share(sql.io_s, sql.elapsed_s)),
    )


def _elapsed(width: int) -> tuple[Column, Measure]:
    return Column("elapsed_s", "Elapsed\nTime (s)", width, _ELAPSED), lambda facts, sql: sql.elapsed_s


def _awr() -> tuple[_Order, ...]:
    return (*_awr_by_time(), *_awr_by_blocks(), _awr_by_executions(), _parse_calls())


def _awr_by_time() -> tuple[_Order, ...]:
    return (
        _Order(
            "Elapsed Time",
            lambda sql: sql.elapsed_s,
            (
                _elapsed(16),
                _executions(14),
                _per_execution(
                    Column("elapsed_per_exec_s", "Elapsed Time\nper Exec (s)", 13, _TEN_NA),
                    lambda sql: sql.elapsed_s,
                ),
                (_TOTAL_PERCENT, lambda facts, sql: facts.of_db_time(sql.elapsed_s)),
                *_cpu_and_io(6),
            ),
            "This table displays top SQL by elapsed time",
        ),
        _Order(
            "CPU Time",
            lambda sql: sql.cpu_s,
            (
                _figure(Column("cpu_s", "CPU\nTime (s)", 10, _ELAPSED), lambda sql: sql.cpu_s),
                _executions(12),
                _per_execution(
                    Column("cpu_per_exec_s", "CPU per\nExec (s)", 10, _TEN_NA), lambda sql: sql.cpu_s
                ),
                _part_of_all(_TOTAL_PERCENT, lambda sql: sql.cpu_s),
                _elapsed(10),
                *_cpu_and_io(6),
            ),
            "This table displays top SQL by CPU time",
        ),
    )


def _awr_by_blocks() -> tuple[_Order, ...]:
    return (
        _Order(
            "Gets",
            lambda sql: sql.gets,
            (
                _figure(Column("buffer_gets", "Buffer\nGets", 11, _EXECUTIONS), lambda sql: sql.gets),
                _executions(11),
                _per_execution(
                    Column("gets_per_exec", "Gets\nper Exec", 12, _PER_EXECUTION), lambda sql: sql.gets
                ),
                _part_of_all(_TOTAL_PERCENT, lambda sql: sql.gets),
                _elapsed(10),
                *_cpu_and_io(5),
            ),
            "This table displays top SQL by buffer gets",
        ),
        _Order(
            "Reads",
            lambda sql: sql.reads,
            (
                _figure(Column("physical_reads", "Physical\nReads", 11, _EXECUTIONS), lambda sql: sql.reads),
                _executions(11),
                _per_execution(
                    Column("reads_per_exec", "Reads\nper Exec", 10, _PER_EXECUTION), lambda sql: sql.reads
                ),
                _part_of_all(_TOTAL_PERCENT, lambda sql: sql.reads),
                _elapsed(10),
                *_cpu_and_io(6),
            ),
            "This table displays top SQL by physical reads",
        ),
    )


def _awr_by_executions() -> _Order:
    return _Order(
        "Executions",
        lambda sql: sql.executions,
        (
            _executions(12),
            _figure(Column("rows_processed", "Rows Processed", 15, _EXECUTIONS), lambda sql: sql.rows),
            _per_execution(
                Column("rows_per_exec", "Rows per Exec", 14, _PER_EXECUTION), lambda sql: sql.rows
            ),
            _elapsed(10),
            *_cpu_and_io(5),
        ),
        "This table displays top SQL by number of executions",
    )


def _parse_calls() -> _Order:
    return _Order(
        "Parse Calls",
        lambda sql: sql.parse_calls,
        (
            _figure(Column("parse_calls", "Parse Calls", 12, _EXECUTIONS), lambda sql: sql.parse_calls),
            _executions(12),
            _part_of_all(Column("total_percent", "% Total\nParses", 9, TWO), lambda sql: sql.parse_calls),
        ),
        "This table displays top SQL by number of parse calls",
    )


def _awr_10() -> tuple[_Order, ...]:
    elapsed, cpu = _elapsed(10), Column("cpu_s", "CPU\nTime (s)", 10, _ELAPSED)
    shared = Column("db_time_percent", "% Total\nDB Time", 7, fixed(1, 2))

    def cpu_s(facts: Facts, sql: Sql) -> Value:
        return sql.cpu_s

    def of_db_time(facts: Facts, sql: Sql) -> Value:
        return facts.of_db_time(sql.elapsed_s)

    percent = Column("total_percent", "%Total", 6, fixed(1, 2))
    return (
        _Order(
            "Elapsed Time",
            lambda sql: sql.elapsed_s,
            (
                elapsed,
                (cpu, cpu_s),
                _executions(12),
                _per_execution(
                    Column("elapsed_per_exec_s", "Elap per\nExec (s)", 10, fixed(1, 2)),
                    lambda sql: sql.elapsed_s,
                ),
                (shared, of_db_time),
            ),
            "This table displays top SQL by elapsed time",
        ),
        _Order(
            "Gets",
            lambda sql: sql.gets,
            (
                _figure(Column("buffer_gets", "Buffer Gets", 14, COUNT), lambda sql: sql.gets),
                _executions(12),
                _per_execution(
                    Column("gets_per_exec", "Gets\nper Exec", 12, fixed(1, 2)), lambda sql: sql.gets
                ),
                _part_of_all(percent, lambda sql: sql.gets),
                (Column("cpu_s", "CPU\nTime (s)", 8, _ELAPSED), cpu_s),
                _elapsed(9),
            ),
            "This table displays top SQL by buffer gets",
        ),
        _parse_calls(),
    )


def _statspack(layout: Layout) -> tuple[_Order, ...]:
    timed: tuple[tuple[Column, Measure], ...] = ()
    if layout.since(9):
        timed = (
            _figure(Column("cpu_s", "CPU\nTime (s)", 8, TWO), lambda sql: sql.cpu_s),
            _figure(Column("elapsed_s", "Elapsd\nTime (s)", 9, TWO), lambda sql: sql.elapsed_s),
        )
    percent = Column("total_percent", "%Total", 6, fixed(1))
    gets = _Order(
        "Gets",
        lambda sql: sql.gets,
        (
            _figure(Column("buffer_gets", "Buffer Gets", 15, COUNT), lambda sql: sql.gets),
            _figure(Column("executions", "Executions", 12, COUNT), lambda sql: sql.executions),
            _per_execution(Column("gets_per_exec", "Gets per Exec", 14, fixed(1)), lambda sql: sql.gets),
            _part_of_all(percent, lambda sql: sql.gets),
            *timed,
        ),
    )
    reads_heading = "Physical Rds" if layout.since(11, 1) else "Physical Reads"
    per_heading = "Rds per Exec" if layout.since(11, 1) else "Reads per Exec"
    reads = _Order(
        "Reads",
        lambda sql: sql.reads,
        (
            _figure(Column("physical_reads", reads_heading, 15, COUNT), lambda sql: sql.reads),
            _figure(Column("executions", "Executions", 12, COUNT), lambda sql: sql.executions),
            _per_execution(Column("reads_per_exec", per_heading, 14, fixed(1)), lambda sql: sql.reads),
            _part_of_all(percent, lambda sql: sql.reads),
            *timed,
        ),
    )
    return (*_timed_orders(layout), gets, reads, _statspack_executions())


def _timed_orders(layout: Layout) -> tuple[_Order, ...]:
    if not layout.since(10, 2):
        return ()
    percent = Column("total_percent", "%Total", 6, fixed(1))
    return (
        _Order(
            "CPU",
            lambda sql: sql.cpu_s,
            (
                _figure(Column("cpu_s", "CPU\nTime (s)", 10, TWO), lambda sql: sql.cpu_s),
                _figure(Column("executions", "Executions", 12, COUNT), lambda sql: sql.executions),
                _per_execution(Column("cpu_per_exec_s", "CPU per\nExec (s)", 10, TWO), lambda sql: sql.cpu_s),
                _part_of_all(percent, lambda sql: sql.cpu_s),
                _figure(Column("elapsed_s", "Elapsd\nTime (s)", 10, TWO), lambda sql: sql.elapsed_s),
                _figure(Column("buffer_gets", "Buffer Gets", 15, COUNT), lambda sql: sql.gets),
            ),
        ),
        _Order(
            "Elapsed time",
            lambda sql: sql.elapsed_s,
            (
                _figure(Column("elapsed_s", "Elapsed\nTime (s)", 10, TWO), lambda sql: sql.elapsed_s),
                _figure(Column("executions", "Executions", 12, COUNT), lambda sql: sql.executions),
                _per_execution(
                    Column("elapsed_per_exec_s", "Elap per\nExec (s)", 10, TWO), lambda sql: sql.elapsed_s
                ),
                (percent, lambda facts, sql: facts.of_db_time(sql.elapsed_s)),
                _figure(Column("cpu_s", "CPU\nTime (s)", 10, TWO), lambda sql: sql.cpu_s),
                _figure(Column("physical_reads", "Physical Reads", 15, COUNT), lambda sql: sql.reads),
            ),
        ),
    )


def _statspack_executions() -> _Order:
    return _Order(
        "Executions",
        lambda sql: sql.executions,
        (
            _figure(Column("executions", "Executions", 12, COUNT), lambda sql: sql.executions),
            _figure(Column("rows_processed", "Rows Processed", 15, COUNT), lambda sql: sql.rows),
            _per_execution(Column("rows_per_exec", "Rows per Exec", 16, fixed(1)), lambda sql: sql.rows),
            _per_execution(Column("cpu_per_exec_s", "CPU per\nExec (s)", 11, TWO), lambda sql: sql.cpu_s),
            _per_execution(
                Column("elapsed_per_exec_s", "Elap per\nExec (s)", 10, TWO), lambda sql: sql.elapsed_s
            ),
        ),
    )


def _list(facts: Facts, layout: Layout, order: _Order) -> Table:
    columns = tuple(column for column, _ in order.columns)
    rows: list[Row] = []
    for sql in sorted(facts.sql, key=lambda sql: -order.key(sql)):
        values = tuple(measure(facts, sql) for _, measure in order.columns)
        rows.append(_row(facts, layout, sql, values))
    title = f"SQL ordered by {order.ordered_by}"
    # Statspack's list by elapsed time kept the heading of 9i in 11.2 and 12.1.
    old = order.ordered_by == "Elapsed time" and layout.since(11, 1)
    return Table(
        title,
        ((*columns, *_names(facts, layout)),),
        tuple(rows),
        "sql",
        constants={"ordered_by": _MEASURED.get(order.ordered_by, order.ordered_by).lower()},
        notes=(
            "Resources reported for PL/SQL code includes the resources used by all SQL\n   statements called by the code.",
        ),
        summary=order.summary,
        old_title=old,
    )


def _names(facts: Facts, layout: Layout) -> tuple[Column, ...]:
    if layout.html:
        container = (Column("pdb", "PDB Name", 20, TEXT),) if has_containers(facts, layout) else ()
        names = (Column("sql_id", "SQL Id", 13, TEXT), Column("module", "SQL Module", 30, TEXT))
        return (*names, *container, Column("text_start", "SQL Text", 40, TEXT))
    if layout.statspack:
        heading = "Old\nHash Value" if layout.since(10, 1) else "Hash Value"
        return (Column("old_hash_value", heading, 10, IDENTIFIER),)
    return (Column("sql_id", "SQL Id", 13, TEXT),)


def has_containers(facts: Facts, layout: Layout) -> bool:
    """Whether HTML names the container of each row: from 12.1, in a database of containers."""
    return layout.html and layout.since(12, 1) and (facts.header.cdb or layout.kind is Kind.PDB)


def _row(facts: Facts, layout: Layout, sql: Sql, values: tuple[Value, ...]) -> Row:
    if layout.html:
        container = (facts.header.container,) if has_containers(facts, layout) else ()
        return Row((*values, sql.sql_id, sql.module, *container, sql.text[:_CUT] + "..."))
    width = 64 if layout.statspack else layout.width
    folded = [sql.text[start : start + width] for start in range(0, len(sql.text), width)][:5]
    module = [f"Module: {sql.module}"] if sql.module else []
    named: Value = sql.old_hash if layout.statspack else sql.sql_id
    told = (("module", sql.module), ("text_start", "".join(folded)))
    return Row((*values, named), after=(*module, *folded, ""), told=told)


def texts(facts: Facts, layout: Layout) -> list[Block]:
    """The full texts, as HTML lists them."""
    columns = (Column("sql_id", "SQL Id", 13, TEXT), Column("text", "SQL Text", 80, TEXT))
    rows = tuple(Row((sql.sql_id, sql.text)) for sql in sorted(facts.sql, key=lambda sql: sql.sql_id))
    summary = "This table displays the text of the SQL statements which have been referred to in the report"
    return [Table("Complete List of SQL Text", (columns,), rows, "sql_text", summary=summary)]
