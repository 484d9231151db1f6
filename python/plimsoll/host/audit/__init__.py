"""An audit of a host that databases run on: each file is a rule on what of its kernel, its CPUs or its memory costs them time.

What cannot be read is in doubt, by name, and never taken for well. A recording of `sys` and `proc` has no processes, and no time
passes in it: rules that take either say so.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.base import registry
from plimsoll.facts import HostAudit, HostFinding, HostRule
from plimsoll.facts.host_audit import HostAuditAnswer, HostRuleOutcome
from plimsoll.host.audit._databases import databases as databases
from plimsoll.host.audit._look import Host as Host
from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._unread import Absent, Idle, Unread
from plimsoll.host.audit._watched import watch_host as watch_host
from plimsoll.ports import processes

_ORDER = ("wrong", "hint", "doubt")


def rule_names() -> list[str]:
    """All rules, sorted."""
    return registry.names(sys.modules[__name__])


def rule(name: str) -> Rule:
    """The rule of that name."""
    return registry.load(sys.modules[__name__], name, "RULE")


def audit(host: Host) -> HostAudit:
    """What all rules say of a host."""
    judged = [_judge(name, rule(name), host) for name in rule_names()]
    findings = [finding for one in judged for finding in one.findings]
    findings.sort(key=lambda one: (_ORDER.index(one.severity), one.of is None))
    return HostAudit(
        answer=_answer(findings),
        source=host.topology.source,
        watched_s=None if host.watched is None else host.watched.watched_s,
        databases=tuple(one.fact() for one in host.databases),
        findings=tuple(findings),
        rules=tuple(one.rule for one in judged),
    )


def _answer(findings: Sequence[HostFinding]) -> HostAuditAnswer:
    if any(one.severity != "doubt" for one in findings):
        return "findings"
    return "not known" if findings else "nothing found"


@dataclass(frozen=True)
class _Judged:
    rule: HostRule
    findings: tuple[HostFinding, ...]


def _judge(name: str, rule: Rule, host: Host) -> _Judged:
    look = Look(host)
    told: list[Told] = []
    idle = _tell(rule, look, told)
    outcome = "does not apply" if idle is not None and not told else _outcome(told)
    doubts = [one.message for one in told if one.severity == "doubt"]
    reason = idle if outcome == "does not apply" else "; ".join(doubts) or None
    said = HostRule(name=name, title=rule.title, outcome=outcome, reason=reason, seen=look.facts())
    return _Judged(said, tuple(_finding(name, rule, one, look) for one in told))


def _tell(rule: Rule, look: Look, told: list[Told]) -> str | None:
    """Adds what the rule says, also where it then breaks off; why it does not apply, or None."""
    said = rule.look(look)
    try:
        while (one := next(said, None)) is not None:
            told.append(one)
    except Idle as why:
        return str(why)
    except Absent as why:
        if rule.absent and look.host.root is not None and not look.seen:
            return rule.absent
        told.append(Told("doubt", str(why)))
    except Unread as why:
        told.append(Told("doubt", str(why), _root_advice(look.host)))
    return None


def _outcome(told: Sequence[Told]) -> HostRuleOutcome:
    if any(one.severity != "doubt" for one in told):
        return "findings"
    return "not looked at" if told else "nothing found"


def _root_advice(host: Host) -> str | None:
    return None if host.root is None or processes.is_root() else "Run it as root, who may read it."


def _finding(name: str, rule: Rule, told: Told, look: Look) -> HostFinding:
    others = [
        number
        for one in look.host.databases
        if told.of not in (None, one.words) and one.words not in told.message
        for number in one.processes
    ]
    starts = tuple(f"/proc/{number}/" for number in others)
    return HostFinding(
        rule=name,
        severity=told.severity,
        of=told.of,
        message=told.message,
        seen=tuple(one for one in look.facts() if not one.path.startswith(starts)),
        why=rule.why,
        source=rule.source,
        advice=told.advice,
    )
