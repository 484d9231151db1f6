"""What people read is made of: one model for a terminal and for the page, which each say how it looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from plimsoll.base.values import value

if TYPE_CHECKING:
    # All charts come with it, and who prints no table need not wait for them.
    from plimsoll.charts import Table

Tone = Literal["yes", "no", "unknown", "plain"]


@value
class Words:
    """A paragraph."""

    kind: ClassVar[str] = "words"
    text: str


@value
class Figure:
    """A chart by its registry name, with its words as the caption and its figures folded away beneath."""

    kind: ClassVar[str] = "figure"
    chart: str


@value
class Grid:
    """A table under a caption; where it is `folded`, a page shows the caption until somebody wants the table."""

    kind: ClassVar[str] = "grid"
    caption: str
    table: Table
    folded: bool = False


@value
class Pairs:
    """Names and values: what is known of one thing."""

    kind: ClassVar[str] = "pairs"
    title: str
    rows: tuple[tuple[str, str], ...]


@value
class Points:
    """Sentences, each with what it is about."""

    kind: ClassVar[str] = "points"
    rows: tuple[tuple[str, str], ...]


@value
class Gauge:
    """The demand laid against the line. Places are shares of the scale in percent; `over` is the part beyond the line."""

    kind: ClassVar[str] = "gauge"
    demand_percent: float
    line_percent: float
    ci_percent: tuple[float, float] | None
    demand_text: str
    line_text: str
    words: str

    @property
    def over(self) -> bool:
        """Whether the demand lies beyond the line."""
        return self.demand_percent > self.line_percent


@value
class Answer:
    """The answer in a few words, then why."""

    kind: ClassVar[str] = "answer"
    tone: Tone
    headline: str
    reason: str
    remark: str | None = None


@value
class Figures:
    """The few figures that matter most: what it is, the figure, and a word on it."""

    kind: ClassVar[str] = "figures"
    rows: tuple[tuple[str, str, str], ...]


@value
class Folded:
    """Text as a program wrote it, line by line, folded away under a word on what it is."""

    kind: ClassVar[str] = "folded"
    summary: str
    text: str


Block = Words | Figure | Grid | Pairs | Points | Gauge | Answer | Figures | Folded
