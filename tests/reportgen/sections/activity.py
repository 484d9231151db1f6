"""Statistics of the instance, log switches, checkpoints, parameters and parts of the memory."""

from __future__ import annotations

from reportgen.facts import Facts, Statistic
from reportgen.layout import Layout
from reportgen.model import Block, Column, Row, Table
from reportgen.printing import COUNT, TEXT, Value, fixed

_KEY = 3


def statistics(facts: Facts, layout: Layout) -> list[Block]:
    """Increases, then absolute values, then log switches."""
    increases = [each for each in facts.statistics if not each.absolute]
    made: list[Block] = []
    split = not layout.statspack and layout.since(11, 2, 0, 4)
    if split:
        rest = "Instance Activity Stats" if layout.since(12, 1) else "Other Instance Activity Stats"
        made += [
            _increases(facts, layout, "Key Instance Activity Stats", increases[:_KEY]),
            _increases(facts, layout, rest, increases[_KEY:]),
        ]
    else:
        made.append(_increases(facts, layout, "Instance Activity Stats", increases))
    if layout.since(10, 1):
        made += [_absolute(facts, layout), _switches(facts, layout)]
    return made


def _increases(facts: Facts, layout: Layout, title: str, chosen: list[Statistic]) -> Table:
    name, per_transaction = (33, 12) if layout.statspack else (32, 13)
    columns = (
        Column("statistic", "Statistic", name, TEXT),
        Column("total", "Total", 18, COUNT),
        Column("per_second", "per Second", 14, fixed(1, 2)),
        Column("per_transaction", "per Trans", per_transaction, fixed(1, 2)),
    )
    rows = tuple(
        Row((each.name, each.total, facts.per_second(each.total), facts.per_transaction(each.total)))
        for each in chosen
    )
    notes = ("Ordered by statistic name",) if not layout.statspack else ()
    summary = "This table displays Instance activity statistics"
    return Table(title, (columns,), rows, "instance_activity", notes=notes, summary=summary)


def _absolute(facts: Facts, layout: Layout) -> Table:
    columns = (
        Column("statistic", "Statistic", 33 if layout.statspack else 32, TEXT),
        Column("begin_value", "Begin Value", 15, COUNT),
        Column("end_value", "End Value", 15, COUNT),
    )
    rows = tuple(Row((each.name, each.total, each.end)) for each in facts.statistics if each.absolute)
    title = "Instance Activity Stats" if layout.statspack else "Instance Activity Stats - Absolute Values"
    notes = ("Statistics with absolute values (should not be diffed)",)
    summary = "This table displays absolute values of instance-related features"
    return Table(title, (columns,), rows, "instance_activity", notes=notes, summary=summary)


def _switches(facts: Facts, layout: Layout) -> Table:
    columns = (
        Column("statistic", "Statistic", 33 if layout.statspack else 32, TEXT),
        Column("total", "Total", 18, COUNT),
        Column("per_hour", "per Hour", 9, fixed(2, bare=not layout.html)),
    )
    rows = (Row(("log switches (derived)", facts.log_switches, facts.log_switches / facts.elapsed_s * 3600)),)
    title = "Instance Activity Stats" if layout.statspack else "Instance Activity Stats - Thread Activity"
    notes = ("Statistics identified by '(derived)' come from sources other than SYSSTAT",)
    summary = "This table displays thread activity stats in the instance"
    return Table(title, (columns,), rows, "log_switches", notes=notes, summary=summary)


def checkpoints(facts: Facts, layout: Layout) -> list[Block]:
    """Why dirty blocks were written, in AWR from 11.1."""
    if layout.statspack or not layout.since(11, 1):
        return []
    headings = (
        "MTTR\nWrites",
        "Log Size\nWrites",
        "Log Ckpt\nWrites",
        "Other\nSettings\nWrites",
        "Autotune\nCkpt\nWrites",
        "Thread\nCkpt\nWrites",
    )
    names = (
        "mttr_writes",
        "log_size_writes",
        "log_checkpoint_writes",
        "other_settings_writes",
        "autotune_writes",
        "thread_writes",
    )
    columns = tuple(Column(name, heading, 11, COUNT) for name, heading in zip(names, headings, strict=True))
    values: tuple[Value, ...] = facts.checkpoint
    summary = (
        "This table displays checkpoint activity statistics. Statistics includes MTTR writes, log size writes"
    )
    return [Table("Checkpoint Activity", (columns,), (Row(values),), "checkpoint_activity", summary=summary)]


def parameters(facts: Facts, layout: Layout) -> list[Block]:
    """Settings that are not at their default."""
    columns = (
        Column("parameter", "Parameter Name", 29, TEXT),
        Column("begin_value", "Begin value", 33, TEXT),
        Column("end_value", "End value\n(if different)", 14, TEXT),
    )
    rows = tuple(Row((each.name, each.begin, each.end)) for each in facts.parameters)
    title = "Modified Parameters" if layout.since(19) and not layout.statspack else "init.ora Parameters"
    summary = "This table displays name and value of init.ora parameters"
    return [Table(title, (columns,), rows, "parameters", summary=summary)]


def components(facts: Facts, layout: Layout) -> list[Block]:
    """Parts of the memory that change their size, in AWR from 11.1."""
    if layout.statspack or not layout.since(11, 1):
        return []
    columns = (
        Column("component", "Component", 15, TEXT),
        Column("begin_bytes", "Begin Snap\nSize (Mb)", 11, fixed(2, scale=1 << 20)),
        Column("current_bytes", "Current\nSize (Mb)", 11, fixed(2, scale=1 << 20)),
        Column("min_bytes", "Min\nSize (Mb)", 11, fixed(2, scale=1 << 20)),
        Column("max_bytes", "Max\nSize (Mb)", 11, fixed(2, scale=1 << 20)),
        Column("operations", "Oper\nCount", 6, COUNT),
        Column("last_operation", "Last Op\nTyp/Mod", 7, TEXT),
    )
    rows = tuple(
        Row(
            (
                each.name,
                each.begin_mib,
                each.current_mib,
                each.min_mib,
                each.max_mib,
                each.operations,
                each.last,
            )
        )
        for each in facts.components
    )
    summary = "This table displays memory dynamic component statistics. Begin snap size, current size, min size, max size"
    return [
        Table(
            "Memory Dynamic Components",
            (columns,),
            rows,
            "memory_components",
            notes=("ordered by Component",),
            summary=summary,
        )
    ]
