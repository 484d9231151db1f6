"""Metrics as text that Prometheus' node_exporter reads from files (its textfile collector) and that OpenMetrics 1.0 allows.

Both formats agree on gauges: HELP, UNIT and TYPE before the samples of a family, which stand together; labels in quotes; no
timestamps, which the textfile collector refuses. Source: the OpenMetrics 1.0 specification, sections "Text Format" and "Units".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

UNITS = ("bytes_per_second", "seconds", "ratio")
"""Those that a name ends with; other names are counts, or rates of counts, without a unit of their own."""
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_ESCAPES = {"\\": "\\\\", "\n": "\\n", '"': '\\"'}


@dataclass(frozen=True)
class Sample:
    """One value, with its labels."""

    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Family:
    """A gauge: its name, what it means, and its samples."""

    name: str
    help: str
    samples: tuple[Sample, ...]

    @property
    def unit(self) -> str:
        """By the end of the name; empty for a count."""
        return next((unit for unit in UNITS if self.name.endswith(f"_{unit}")), "")


def text_of(families: Iterable[Family]) -> str:
    """The file, with its end marked. A family without samples is left out: what is unknown has no line."""
    lines = [line for family in families if family.samples for line in _lines(family)]
    return "\n".join([*lines, "# EOF", ""])


def _lines(family: Family) -> list[str]:
    assert _NAME.fullmatch(family.name), family.name
    # A double quote in a help is escaped in the one format and must not be in the other: it becomes a single one.
    help = family.help.replace('"', "'")
    head = [f"# HELP {family.name} {_escaped(help)}"]
    head += [f"# UNIT {family.name} {family.unit}"] if family.unit else []
    head += [f"# TYPE {family.name} gauge"]
    return head + [f"{family.name}{_labels(one.labels)} {_number(one.value)}" for one in family.samples]


def _labels(labels: Mapping[str, str]) -> str:
    """Those that say something; an empty label is the same as none."""
    said = [f'{name}="{_escaped(value)}"' for name, value in labels.items() if value]
    return f"{{{','.join(said)}}}" if said else ""


def _escaped(text: str) -> str:
    """As in both formats; other characters of control, which no reader needs, become spaces."""
    shown = "".join(one if one.isprintable() or one == "\n" else " " for one in text)
    return "".join(_ESCAPES.get(one, one) for one in shown)


def _number(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return "NaN" if math.isnan(value) else f"{value:.12g}"
