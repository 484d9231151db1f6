"""Pictures of a watch: who did how much over time, and how late the I/Os of each file were."""

from __future__ import annotations

from typing import Any

import pytest

import facts_runs
import facts_watch
from plimsoll.charts import Subject, distribution_sources, load
from plimsoll.facts import Run, WatchedIo
from plimsoll.native.latency import buckets, latency_of_counts

OVER_TIME, BY_FILE = load("watch-over-time"), load("latency-by-file")


def subject_of(*rows: WatchedIo) -> Subject:
    run: Run = facts_runs.watch_run()
    assert run.watch is not None
    held = run.model_copy(update={"watch": run.watch.but(rows=rows or run.watch.rows)})
    return Subject(held, {label: buckets(hdr, 200) for label, hdr in distribution_sources(held).items()})


def fields(subject: Subject) -> list[dict[str, Any]]:
    """What is drawn of the strips."""
    layers = BY_FILE.draw(subject, 900).to_dict()["layer"]
    return next(layer["data"]["values"] for layer in layers if layer["mark"]["type"] == "rect")


def test_the_course_names_its_busiest_stretch_and_the_latest_role() -> None:
    told = OVER_TIME.words(subject_of())
    assert told == (
        "Between 58 and 716 I/Os per second, most 18 s after the start. "
        "The highest p99, 2.9 ms, had client backend 18 s after the start."
    )


def test_too_short_a_watch_has_no_course() -> None:
    run = facts_runs.watch_run()
    assert run.watch is not None
    short = Subject(run.model_copy(update={"watch": run.watch.but(course=facts_watch.course()[:6])}))
    assert not OVER_TIME.applies(short)
    assert OVER_TIME.words(short).startswith("It was watched for too short a time")


def test_the_areas_stand_on_each_other() -> None:
    spec = OVER_TIME.draw(subject_of(), 900).to_dict()
    areas = [layer for layer in spec["vconcat"][0]["layer"] if layer["mark"]["type"] == "area"]
    at_18_s = [next(row for row in area["data"]["values"] if row["x"] == 18.0) for area in areas]
    assert [row["y"] for row in at_18_s[1:]] == [row["y2"] for row in at_18_s[:-1]]
    assert at_18_s[-1]["y2"] == pytest.approx((4_000 + 250 + 48) / 6)


def test_two_humps_are_two_dark_fields_and_the_fuller_is_the_darker() -> None:
    row = facts_watch.row(latency_us=latency_of_counts([(80.0, 900), (6_000.0, 300)]), ios=1_200)
    found = fields(subject_of(row))
    assert [one["shade"] for one in found] == [1.0, pytest.approx(1 / 3, abs=0.001)]
    for one, us in zip(found, (80.0, 6_000.0), strict=True):
        assert one["x"] <= us * 1.001
        assert one["x2"] >= us * 0.999


def test_the_strips_hold_every_io() -> None:
    row = facts_watch.row(latency_us=latency_of_counts([(float(us), 10) for us in range(50, 5_000, 2)]))
    found = fields(subject_of(row))
    assert all(one["x2"] > one["x"] for one in found)
    assert [one["x"] for one in found[1:]] == pytest.approx([one["x2"] for one in found[:-1]])


def test_equal_rows_at_two_disks_are_told_apart() -> None:
    unknown: dict[str, Any] = {"file": None, "file_kind": "unknown", "inode_number": None}
    one, other = (facts_watch.row(device=disk, file="/data/t") for disk in ("sda", "sdb"))
    assert len(BY_FILE.table(subject_of(one, other)).rows) == 2
    assert BY_FILE.table(subject_of(facts_watch.row(**unknown))).rows[0][0] == "write of sda by checkpointer"


def test_rows_that_only_their_inode_or_kind_tells_apart_keep_their_figures() -> None:
    unknown: dict[str, Any] = {"role": "kernel", "file": None, "inode_number": None}
    rows = (
        facts_watch.row(inode_number=7, latency_us=latency_of_counts([(50.0, 900)])),
        facts_watch.row(inode_number=8, latency_us=latency_of_counts([(50.0, 800)])),
        facts_watch.row(**unknown, file_kind="unknown", latency_us=latency_of_counts([(50.0, 700)])),
        facts_watch.row(**unknown, file_kind="device", latency_us=latency_of_counts([(50.0, 600)])),
        facts_watch.row(**unknown, file_kind="device", latency_us=latency_of_counts([(50.0, 500)])),
    )
    assert [row[1] for row in BY_FILE.table(subject_of(*rows)).rows] == ["900", "800", "700", "600", "500"]


def test_stretches_of_unlike_length_are_drawn_together_by_their_time() -> None:
    run = facts_runs.watch_run()
    assert run.watch is not None
    (one, *_) = facts_watch.course()
    course = tuple(one.but(begin_s=float(at), duration_s=1.0, ios=10) for at in range(401))
    longer = (*course, one.but(begin_s=401.0, duration_s=6.0, ios=600))
    held = run.watch.but(course=longer, duration_s=407.0)
    spec = OVER_TIME.draw(Subject(run.model_copy(update={"watch": held})), 900).to_dict()
    area = next(layer for layer in spec["vconcat"][0]["layer"] if layer["mark"]["type"] == "area")
    assert area["data"]["values"][-1]["y2"] == pytest.approx(620 / 8)


def test_the_words_name_the_row_of_the_highest_p99() -> None:
    quick = facts_watch.row(latency_us=latency_of_counts([(50.0, 1_000)]))
    slow = facts_watch.row(role="walwriter", latency_us=latency_of_counts([(900.0, 500)]))
    told = BY_FILE.words(subject_of(quick, slow))
    assert "by walwriter: 900 µs, half of its 500 I/Os took up to 900 µs." in told
