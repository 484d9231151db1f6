"""Several databases on one storage: what they ask for together, which of their peaks coincide, and which of them fit."""

from __future__ import annotations

from datetime import datetime

from plimsoll.facts._fact import Fact, Several, Text


class DatabaseLoad(Fact):
    """One of the databases, in the time in which all of them are known."""

    name: Text
    """Its name; where two have the same, with where it is."""
    weight: int
    """What it is worth beside the others."""
    peak_iops: float | None
    """The most that it asks for alone, in I/Os per second."""
    peak_mb_per_s: float | None
    """The most that it asks for alone, in megabytes (10^6 bytes) per second, whenever that is."""
    peak_time: datetime | None
    """When it asks for most I/Os per second."""
    iops_at_peak: float | None
    """What it asks for, in I/Os per second, when all together ask for most."""
    storage_share_max: float | None
    """The largest share of the storage's time that it takes alone in any moment, by the lines that were found and with the burst
    factor: 1 is all of it. None where no line is known."""
    fits: bool | None
    """Whether it is in the largest set that fits; None where no such set is known."""


class Coincidence(Fact):
    """An hour in which these are within a tenth of their own peaks at the same time, and no other one is."""

    begin_time: datetime
    """When the hour begins."""
    databases: tuple[Text, ...]
    """Those whose peaks coincide, two or more."""
    duration_s: float
    """For how long they do within that hour, in seconds."""
    iops: float | None
    """The most that all ask for meanwhile, in I/Os per second; None where that of one is not known."""


class SumStep(Fact):
    """The busiest moment of a span, to be drawn."""

    begin_time: datetime
    """When the span begins."""
    end_time: datetime
    """When the span ends."""
    iops: tuple[float, ...]
    """What each database asks for, in I/Os per second, in their order; empty where one of them is not known."""


class SetVerdict(Fact):
    """A set of the databases that was judged as all of them were."""

    databases: tuple[Text, ...]
    """Those in it."""
    weight: int
    """What they are worth together."""
    carries: bool | None
    """As of a verdict. None: it cannot be told, or was not measured."""
    headroom: float | None
    """As of a verdict."""
    reason: Text
    """As of a verdict."""


class Consolidation(Fact):
    """What several databases ask of one storage together; the run's verdict is on all of them."""

    databases: tuple[DatabaseLoad, ...]
    """In the order in which they were named."""
    begin_time: datetime
    """When the time begins that all of them have in common."""
    end_time: datetime
    """When it ends."""
    known_s: float
    """For how many seconds of it all of them are known."""
    unknown_s: float
    """For how many seconds of it one or more are not known, so that the sum is not known either."""
    resolution_s: float | None = None
    """Longest usual interval of one of them, in seconds: whether peaks meet within it is not seen."""
    peak_iops: float | None
    """The most that all ask for at once, in I/Os per second."""
    peak_time: datetime | None
    """When that is."""
    sum_of_peaks_iops: float | None
    """The sum of what each asks for at its own peak, in I/Os per second."""
    saving_iops: float | None
    """That sum / the most that all ask for at once: above 1, their peaks do not coincide."""
    peak_mb_per_s: float | None
    """The most that all ask for at once, in megabytes (10^6 bytes) per second."""
    sum_of_peaks_mb_per_s: float | None
    """The sum of what each asks for at its own peak, in megabytes (10^6 bytes) per second."""
    saving_mb: float | None
    """The same of megabytes per second."""
    coincide_s: float
    """For how long, in seconds, two or more are within a tenth of their own peaks."""
    coincidences: tuple[Coincidence, ...] = ()
    """When which peaks coincide, by hours: the busiest 24."""
    coincidence_count: int
    """How many there are in all."""
    carries: bool | None
    """Whether the storage carries all of them, by the verdict. None: it cannot be told."""
    fits: tuple[Text, ...] | None
    """The largest set that fits; empty: not one does. None: it is not known."""
    sets: tuple[SetVerdict, ...] = ()
    """Sets that were looked at where all of them do not fit, in that order."""
    reason: Text
    """A few sentences that a manager understands."""
    steps: Several[SumStep] = ()
    """What each asks for over time; of many moments each step has the busiest of its own."""

    @property
    def unknown_share(self) -> float:
        """Of the time that all of them have in common, in how much one or more are not known."""
        whole_s = self.known_s + self.unknown_s
        return self.unknown_s / whole_s if whole_s else 0.0
