"""A host that databases run on, looked at for what costs them time or memory, whoever set it up."""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Said, Several, Text

HostFindingSeverity = Literal["wrong", "hint", "doubt"]
HostRuleOutcome = Literal["findings", "nothing found", "not looked at", "does not apply"]
HostAuditAnswer = Literal["findings", "nothing found", "not known"]


class HostSeen(Fact):
    """A value that was read."""

    path: Text
    """The file; `*` stands for several that say the same."""
    value: Text
    """What it holds, or the part of it that counts."""


class HostFinding(Fact):
    """Something of the host that costs databases time or memory, or that could not be looked at."""

    rule: str
    """Name of the rule that found it; stable, for programs."""
    severity: HostFindingSeverity
    """Wrong: it harms what runs here; hint: it may, which depends on the work; doubt: it could not be looked at."""
    of: Text | None = None
    """The database; None: it is of the host."""
    message: Said
    """A sentence without its full stop."""
    seen: Several[HostSeen] = ()
    """What was read for it."""
    why: Text
    """Why it matters."""
    source: Text
    """Where that is written."""
    advice: Text | None = None
    """What to do, with the command; None: nothing was found, as it could not be looked at."""


class HostRule(Fact):
    """What one rule looked at."""

    name: str
    """Stable, for programs."""
    title: Text
    """What it looks for."""
    outcome: HostRuleOutcome
    """Not looked at: what it takes could not be read; does not apply: the host has nothing that it is about."""
    reason: Said | None = None
    """Why it was not looked at, or does not apply."""
    seen: Several[HostSeen] = ()
    """What it read."""


class AuditedDatabase(Fact):
    """A database server, or a process that was named, and where it runs."""

    of: Text
    """What it is called here."""
    kind: Text
    """Which database; `process`: one that was named by its id."""
    process: int
    """Its first process."""
    processes: int
    """How many it has."""
    cpus: tuple[int, ...] | None
    """CPUs that it may run on; None: not told."""
    cpu_nodes: tuple[int, ...] | None
    """Nodes that these are of."""
    memory_nodes: tuple[int, ...] | None
    """Nodes that it may take memory of; None: not told."""
    memory_bytes: int | None
    """Memory of its processes without mapped files, shared memory once; None: not told. Of many processes those with most."""
    memory_elsewhere_bytes: int | None
    """How much of that is on nodes that none of its CPUs is of, nor near to; None: not told."""


class HostAudit(Fact):
    """All that was looked at."""

    answer: HostAuditAnswer
    """Findings: something is wrong, or may be; not known: nothing that was looked at is, and not all could be."""
    source: Text
    """This host, or the recording."""
    watched_s: float | None
    """How long interrupts, CPUs of log writers and stolen time were watched; None: of a recording nothing can be."""
    databases: Several[AuditedDatabase] = ()
    """Those that run here."""
    findings: Several[HostFinding] = ()
    """The worst first."""
    rules: Several[HostRule] = ()
    """Every rule, by name."""
