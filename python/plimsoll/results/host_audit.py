"""What of a host costs its databases time or memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import counted, format_bytes, format_share
from plimsoll.charts import Table
from plimsoll.facts import AuditedDatabase, HostAudit, HostFinding, HostRule, HostSeen, Run
from plimsoll.results._blocks import Block, Grid, Points, Words
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind
from plimsoll.results._words import sentence

_UNKNOWN = "unknown"
_SEVERITIES = {"wrong": "wrong", "hint": "hint", "doubt": "not looked at"}
_SEEN_MAX = 4
"""Values that a finding is shown with; its rule has all of them."""


def _answer(found: HostAudit) -> str:
    """The worst finding, and how many there are."""
    if not found.findings:
        return f"nothing found: {_looked(found)}"
    worst = found.findings[0]
    about = "" if worst.of is None else f"{worst.of}: "
    return f"{found.answer}: {_counts(found)}; first {about}{worst.message}"


def _counts(found: HostAudit) -> str:
    wrong, hints, doubts = (_of(found, severity) for severity in _SEVERITIES)
    told = ((wrong, f"{wrong} wrong"), (hints, counted(hints, "hint")), (doubts, f"{doubts} not looked at"))
    return ", ".join(words for many, words in told if many)


def _of(found: HostAudit, severity: str) -> int:
    return sum(one.severity == severity for one in found.findings)


def _looked(found: HostAudit) -> str:
    idle = sum(one.outcome == "does not apply" for one in found.rules)
    rest = "" if not idle else f", and {idle} that {'does' if idle == 1 else 'do'} not apply"
    return f"{counted(len(found.rules) - idle, 'rule')} held against {found.source}{rest}"


def _status(run: Run) -> ExitStatus:
    """130: it was interrupted; 1: something is wrong; 5: something could not be looked at."""
    found: HostAudit = run.results["host_audit"]
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    if _of(found, "wrong"):
        return ExitStatus.ANSWER_IS_NO
    return ExitStatus.DONE_IN_PART if _of(found, "doubt") else ExitStatus.DONE


def _blocks(run: Run) -> list[Block]:
    """The answer, each finding with what to do, the databases, and each rule."""
    found: HostAudit = run.results["host_audit"]
    blocks: list[Block] = [Words(sentence(_answer(found)))]
    if found.findings:
        blocks.append(Points(tuple((one.of or "host", _said(one)) for one in found.findings)))
    if found.databases:
        blocks.append(
            Grid("Databases, where they run and where their memory is", _databases(found.databases))
        )
    return [*blocks, Grid("What was looked at", _rules(found.rules), folded=True)]


def _said(one: HostFinding) -> str:
    return " ".join(_parts(one))


def _parts(one: HostFinding) -> Iterator[str]:
    yield f"{_SEVERITIES[one.severity]}: {one.message} ({one.rule})."
    if one.seen:
        yield f"Read: {_seen(one.seen[:_SEEN_MAX])}."
    if one.severity != "doubt":
        yield f"{one.why} Source: {one.source}."
    if one.advice is not None:
        yield one.advice


def _seen(seen: Sequence[HostSeen]) -> str:
    return "; ".join(f"{one.path}: {one.value}" for one in seen)


def _databases(databases: Sequence[AuditedDatabase]) -> Table:
    rows = tuple(
        (
            one.of,
            f"{one.processes:,}",
            _list(one.cpus),
            _list(one.cpu_nodes),
            _list(one.memory_nodes),
            _UNKNOWN if one.memory_bytes is None else format_bytes(one.memory_bytes),
            _share(one),
        )
        for one in databases
    )
    columns = ("database", "processes", "CPUs", "nodes", "memory of nodes", "memory", "on other nodes")
    numeric = (False, True, False, False, False, True, True)
    return Table(columns, rows, numeric, ("memory of nodes", "processes"))


def _list(numbers: Sequence[int] | None) -> str:
    # Imported when used: each verb that keeps a run has this file, and few of them read topologies.
    from plimsoll.host.topology.values import in_short

    return _UNKNOWN if numbers is None else in_short(tuple(numbers)).replace(",", ", ")


def _share(one: AuditedDatabase) -> str:
    if one.memory_elsewhere_bytes is None or not one.memory_bytes:
        return _UNKNOWN
    return format_share(one.memory_elsewhere_bytes / one.memory_bytes)


def _rules(rules: Sequence[HostRule]) -> Table:
    rows = tuple((one.title, one.outcome, one.reason or _seen(one.seen) or "–", one.name) for one in rules)
    columns = ("looked for", "outcome", "what was read or why not", "rule")
    return Table(columns, rows, (False,) * len(columns), ("rule", "what was read or why not"))


def _figures(run: Run) -> list[Quantity]:
    found: HostAudit = run.results["host_audit"]
    return [
        Quantity("host_audit.wrong", "what is wrong", "count", _of(found, "wrong"), "less"),
        Quantity("host_audit.hints", "hints", "count", _of(found, "hint"), "less"),
    ]


def _work(run: Run) -> dict[str, str]:
    """Hosts are compared whatever they were read of."""
    return {}


RESULT = ResultKind(
    fact=HostAudit,
    rows=(HostFinding, HostRule, AuditedDatabase),
    rank=18,
    answer=_answer,
    status=_status,
    envelope="host-audit",
    title="What of the host costs databases",
    help="What of a host costs its databases time or memory.",
    page_rank=49,
    blocks=_blocks,
    compared=Compared(figures=_figures, work=_work),
)
