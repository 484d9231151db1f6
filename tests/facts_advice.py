"""Advice on one interval, for runs that hold it."""

from __future__ import annotations

from plimsoll.facts import Advice, DbTimePart, EvidenceCell, Finding, IntervalVerdict, StorageWhatIf


def advice() -> Advice:
    """An interval that reads bound, with one finding and one hint."""
    file = "/var/awr/awr_100_101.html"
    cell = EvidenceCell(
        file=file, section="Foreground Wait Events", row="db file sequential read", heading="Total Wait Time (s)", line=378,
        value="1,097",
    )  # fmt: skip
    flash = StorageWhatIf(
        name="flash", read_latency_us=250.0, log_latency_us=85.0, saves_s=585.0, saves_s_max=601.0, saves_share=0.32,
        source="an article",
    )  # fmt: skip
    seen = IntervalVerdict(
        file=file, db_name="SHOP", instance="shop1", begin_time="2024-05-01T10:00:00", end_time="2024-05-01T11:00:00",
        elapsed_s=3600.0, db_time_s=1807.2, verdict="storage-bound", cause="single-block reads",
        reason="78 % of DB time is waits for storage, single-block reads above all: 'db file sequential read' 1,097 s",
        faster_storage_helps="yes", what_if=(flash,), evidence=(cell,),
        parts=(DbTimePart(part="reads", db_time_s=1340.0, share=0.74), DbTimePart(part="cpu", db_time_s=331.0, share=0.18)),
    )  # fmt: skip
    finding = Finding(
        file=file, rule="single-block-reads", title="Sessions wait for single-block reads", family="reads",
        severity="finding", db_time_s=1340.0, db_time_share=0.74, storage_saves_s=542.0,
        events=("db file sequential read",), reason="sessions waited 1,097 s for 'db file sequential read'",
        advice="Measure the storage that is thought of.", disproof="IOStat shows faster reads.", evidence=(cell,),
    )  # fmt: skip
    hint = finding.but(
        rule="buffer-hit-ratio-low", title="The buffer hit ratio is low", severity="hint", db_time_s=None
    )
    return Advice(verdicts=(seen,), findings=(finding, hint.but(db_time_share=None, storage_saves_s=None)))
