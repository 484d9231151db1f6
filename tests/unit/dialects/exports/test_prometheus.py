"""Answers of Prometheus: counters become rates, expressions have the name of their file, and labels tell series apart."""

from __future__ import annotations

from pathlib import Path

import pytest

import exports_made as made
from plimsoll.base.errors import UsageError

DEVICE = "db1:9100/sda"


def reads(step: int) -> float:
    return 100.0 + step


def test_counters_become_rates_and_sums_and_latencies_follow(tmp_path: Path) -> None:
    found = made.read(
        tmp_path,
        made.prometheus("node_disk_reads_completed_total", made.counted(reads, 5)),
        made.prometheus("node_disk_writes_completed_total", made.counted(lambda _: 50.0, 5)),
        made.prometheus(
            "node_disk_read_time_seconds_total", made.counted(lambda step: 0.002 * reads(step), 5)
        ),
        made.prometheus("node_disk_read_bytes_total", made.counted(lambda _: 8e6, 5)),
    )
    assert made.values(found, DEVICE, "read_per_s") == pytest.approx([100, 101, 102, 103, 104])
    assert made.values(found, DEVICE, "iops") == pytest.approx([150, 151, 152, 153, 154])
    assert made.values(found, DEVICE, "read_latency_us") == pytest.approx([2_000.0] * 5)
    assert made.weights(found, DEVICE, "read_latency_us")[1] == pytest.approx(101 * made.STEP_S)
    assert made.values(found, DEVICE, "read_mb_per_s") == pytest.approx([8.0] * 5)
    assert made.begins(found, DEVICE, "iops") == [0, 1, 2, 3, 4]
    assert made.lengths(found, DEVICE, "iops") == {made.STEP_S}
    assert found.has_zones
    assert "write_mb_per_s is missing" in next(
        one.message for one in found.notes if one.code == "sum-unknown"
    )
    assert found.off_files == 0


def test_a_counter_that_began_anew_makes_a_gap(tmp_path: Path) -> None:
    readings = [1_000.0, 4_600.0, 100.0, 3_700.0]
    found = made.read(tmp_path, made.prometheus("node_disk_reads_completed_total", readings))
    assert made.values(found, DEVICE, "read_per_s") == [1.0, 1.0]
    assert made.begins(found, DEVICE, "read_per_s") == [0, 2]
    assert "counter-reset" in made.codes(found)


def test_an_expression_has_the_name_of_its_file_and_counts_for_the_step_before(tmp_path: Path) -> None:
    found = made.read(tmp_path, made.prometheus("", [10.0, 11.0, 12.0]), name="iops.json")
    assert made.values(found, DEVICE, "iops") == [10.0, 11.0, 12.0]
    assert made.begins(found, DEVICE, "iops") == [-1, 0, 1]
    assert {key.metric for key in found.asked} == {"iops"}


def test_a_sum_without_labels_is_of_all(tmp_path: Path) -> None:
    answer = made.matrix(({}, [(made.at(step).timestamp(), "5") for step in range(3)]))
    assert made.values(made.read(tmp_path, answer, name="iops.json"), "all", "iops") == [5.0, 5.0, 5.0]


def test_a_gauge_stays_what_it_is(tmp_path: Path) -> None:
    answer = made.prometheus("pg_database_size_bytes", [4e9, 5e9], datname="shop", device="")
    assert made.values(made.read(tmp_path, answer), "db1:9100/shop", "size_gb") == [4.0, 5.0]
    other = made.prometheus("pg_stat_activity_count", [4.0, 5.0])
    assert made.values(made.read(tmp_path, other), DEVICE, "pg_stat_activity_count") == [4.0, 5.0]


def test_unknown_counters_keep_their_name(tmp_path: Path) -> None:
    answer = made.prometheus("node_network_receive_bytes_total", [0.0, 7_200.0])
    assert made.values(made.read(tmp_path, answer), DEVICE, "node_network_receive_bytes_per_s") == [2.0]


def test_other_labels_tell_series_apart_where_they_differ(tmp_path: Path) -> None:
    samples = [(made.at(step).timestamp(), "1") for step in range(2)]
    answer = made.matrix(
        ({**made.LABELS, "__name__": "up", "mode": "read", "env": "prod"}, samples),
        ({**made.LABELS, "__name__": "up", "mode": "write", "env": "prod"}, samples),
    )
    found = made.read(tmp_path, answer)
    assert sorted(key.database for key in found.points) == [
        f'{DEVICE}{{mode="read"}}',
        f'{DEVICE}{{mode="write"}}',
    ]


def test_what_is_no_number_is_told_with_its_path_and_nan_is_a_gap(tmp_path: Path) -> None:
    answer = made.prometheus("", [1.0, float("nan"), float("inf"), 4.0], device="")
    samples = answer["data"]["result"][0]["values"]
    samples.append([made.at(9).timestamp(), "much"])
    samples.append([12, "1"])
    samples.append("5")
    found = made.read(tmp_path, answer, name="iops.json")
    (told,) = made.unread(found)
    assert "iops.json: data.result[0].values[2]: 'inf' is no number, and 3 more parts" in told
    assert "query_range" in told
    assert found.off_files == 1


def test_infinity_is_no_figure(tmp_path: Path) -> None:
    (told,) = made.unread(made.read(tmp_path, made.prometheus("up", [1.0, float("inf"), 2.0])))
    assert "data.result[0].values[1]: 'inf' is no number" in told
    (told,) = made.unread(made.read(tmp_path, made.prometheus("up", [1.0, 1e19, 2.0])))
    assert "data.result[0]: up is no figure" in told


def test_warnings_of_prometheus_are_told(tmp_path: Path) -> None:
    answer = {**made.prometheus("up", [1.0, 2.0]), "warnings": ["some store was away"]}
    assert "some store was away" in made.read(tmp_path, answer).notes[0].message


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (
            {"status": "error", "errorType": "bad_data", "error": "parse error"},
            "refused the query: parse error",
        ),
        ({"status": "success", "data": {"resultType": "vector", "result": []}}, "of the kind vector"),
        ({"status": "success", "data": 5}, "it is no matrix"),
    ],
)
def test_answers_without_a_range_are_refused(tmp_path: Path, answer: object, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        made.read(tmp_path, answer)
    assert caught.value.id == "export-unreadable"
    assert told in caught.value.message


@pytest.mark.parametrize("name", ["", "my_iops"])
def test_what_is_infinite_is_left_out_by_itself(tmp_path: Path, name: str) -> None:
    labels = {"__name__": name, "instance": "db1"} if name else {"instance": "db1"}
    words = ["10", "+Inf", "12", "-Inf", "13"]
    answer = made.matrix((labels, [(made.at(step).timestamp(), word) for step, word in enumerate(words)]))
    found = made.read(tmp_path, answer, name="my_iops.json")
    assert made.values(found, "db1", "my_iops") == [10.0, 12.0, 13.0]
    (told,) = [note.message for note in found.notes if note.code == "export-unread"]
    assert "values[1]: '+Inf' is no number, and 1 more part" in told


def test_an_answer_that_is_partial_by_its_own_word_is_one_in_part(tmp_path: Path) -> None:
    """As servers say it that ask several others."""
    answer = made.prometheus("my_iops", [1.0, 2.0, 3.0])
    assert made.read(tmp_path, answer | {"isPartial": False}).off_files == 0
    found = made.read(tmp_path, answer | {"isPartial": True})
    assert found.off_files == 1
    assert made.values(found, DEVICE, "my_iops") == [1.0, 2.0, 3.0]
    assert any("the answer is partial" in note.message for note in found.notes)


@pytest.mark.parametrize(
    ("readings", "is_told"),
    [
        ([100.0 * step for step in range(30)], True),
        ([100.0 * step for step in range(20)], False),
        ([100.0 * step for step in range(29)] + [5.0], False),
        ([100.0 * (step // 4) for step in range(60)], False),
    ],
)
def test_what_only_rises_is_said_to_look_like_a_counter(
    tmp_path: Path, readings: list[float], is_told: bool
) -> None:
    """Not all exporters say so by its name."""
    found = made.read(tmp_path, made.prometheus("diskio_reads", readings))
    told = [note.message for note in found.notes if note.code == "counter-likely"]
    assert [message.startswith("diskio_reads only rises") for message in told] == [True] * is_told
    size = made.read(tmp_path, made.prometheus("pg_database_size_bytes", readings))
    assert "counter-likely" not in made.codes(size)
