"""Plimsoll in a Python process: facts and frames, nothing printed, nothing left behind."""

from __future__ import annotations

import builtins
import json
import os
import signal
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import facts_builder
import plimsoll
from plimsoll.demand import intervals
from plimsoll.facts import Event, LatencyUs
from plimsoll.facts.document import from_json
from proof_doubts import our_doubts

pytestmark = pytest.mark.slow

SIM = "sim:mean=100us"


def test_a_measurement_is_a_fact_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    found = plimsoll.measure(SIM, rate="5k", runtime=5, block="16k")
    assert found.cell.iops == pytest.approx(5_000, rel=0.05)
    assert found.cell.workload.classes[0].block_bytes == 16384
    assert found.notes == ()
    assert not found.interrupted
    assert from_json(found.json()) == found.run
    assert capfd.readouterr() == ("", "")


def test_words_and_numbers_mean_the_same() -> None:
    words = plimsoll.measure(SIM, block="8k", runtime="500ms", rate="2k", size="1g")
    numbers = plimsoll.measure(SIM, block=8192, runtime=0.5, rate=2000.0, size=1 << 30)
    assert words.cell.classes == numbers.cell.classes


def test_frames_have_a_row_per_class_window_and_trial() -> None:
    mixed = plimsoll.measure(SIM, rw="randrw", read_share=0.7, runtime=2)
    classes = mixed.frame()
    assert classes["name"].to_list() == ["read", "write"]
    assert classes["ios"].sum() == mixed.cell.ios
    assert classes["latency_us_p99"][0] == mixed.cell.classes[0].latency_us.p99
    assert "latency_us_hdr" not in classes.columns
    assert "service_us" not in classes.columns
    windows = mixed.frame("windows")
    assert windows.height == len(mixed.cell.windows) == 10
    line = plimsoll.line(SIM, slo="p99=1ms", trial="2s", repeats=3)
    assert line.frame()["rate"].to_list() == [trial.rate for trial in line.line.trials]
    assert line.line.line_iops == pytest.approx(5_395, rel=0.08)


def test_a_calibration_and_what_oracle_would_answer() -> None:
    adaptive = plimsoll.calibrate("sim:mean=100us,servers=4", runtime="200ms")
    assert adaptive.calibration.matrix == "adaptive"
    grid = plimsoll.calibrate("sim:mean=100us,servers=4", shape="simple", disks=1, runtime="100ms")
    assert grid.frame().height == len(grid.calibration.points) > 4
    io = plimsoll.calibrate_io("sim:mean=100us,servers=4", disks=1, runtime="100ms", repeats=2)
    assert io.answer.repeats == 2
    assert io.answer.max_iops is not None
    assert io.answer.max_iops.median == pytest.approx(40_000, rel=0.1)


def test_working_sets_and_a_ladder() -> None:
    sets = plimsoll.working_sets(
        "sim:mean=1ms,cache=100m,cache_us=20us", working_sets=["16m", 64 << 20, "1g"], runtime="200ms"
    )
    assert sets.frame()["set_bytes"].to_list() == [16 << 20, 64 << 20, 1 << 30]
    assert [(step.low_bytes, step.high_bytes) for step in sets.working_sets.caches] == [(64 << 20, 1 << 30)]
    found = plimsoll.ladder(["sim:servers=64"] * 2, runtime="200ms", links="64x64gfc", repeats=2)
    assert found.frame()["targets"].to_list() == found.frame("large")["targets"].to_list() == [1, 2]
    assert found.links is not None
    assert found.links.paths == 64
    assert found.ladder.repeats == 2


def test_a_verdict_needs_a_demand() -> None:
    with pytest.raises(plimsoll.PlimsollError, match="no demand was named"):
        plimsoll.assess(target="sim:")


def test_a_verdict_on_a_kept_demand_and_what_became_of_it(tmp_path: Path) -> None:
    """Of the same demand, at a time after the prediction."""
    from plimsoll.flows.demand import write_demand

    before, place = facts_builder.demand(), str(tmp_path / "runs.sqlite")
    write_demand(before, tmp_path / "before.json")
    judged = plimsoll.assess(
        target="sim:mean=200us,servers=8", demand=tmp_path / "before.json", trial="1s", seed=1, store=place
    )
    assert judged.verdict.carries is ((judged.verdict.headroom or 0) > 1)
    assert judged.line.trials
    assert judged.frame().height == len(judged.verdict.classes)
    later = timedelta(days=30) + (judged.run.started_at - before.intervals[0].begin_time)
    moved = [
        interval.model_copy(
            update={"begin_time": interval.begin_time + later, "end_time": interval.end_time + later}
        )
        for interval in before.intervals
    ]
    after = before.model_copy(update={"intervals": tuple(moved), "peak": intervals.peak(moved)})
    write_demand(after, tmp_path / "later.json")
    found = plimsoll.settle(judged.run.id, demand=tmp_path / "later.json", store=place)
    assert found.settlement.predicted_run == judged.run.id
    assert found.settlement.load_ratio == pytest.approx(1.0)
    assert found.frame().height == len(found.settlement.classes)
    assert plimsoll.load(found.run.id, store=place) == found.run
    with pytest.raises(plimsoll.PlimsollError, match="no run is called"):
        plimsoll.settle(judged.run.id, demand=tmp_path / "later.json")


def test_shapes_beside_each_other() -> None:
    found = plimsoll.shapes(SIM, only=["scans", "oltp-readers"], rate={"oltp-readers": 1000.0}, runtime=2)
    assert found.interference.shapes == ("scans", "oltp_readers")
    assert found.frame().height == 2
    assert {one.rate_per_s for one in found.interference.encounters if one.paced == "oltp_readers"} == {
        1000.0
    }


def test_distributions_merge_exactly() -> None:
    one = plimsoll.measure(SIM, rate=2000, runtime=2).cell.latency_us
    other = plimsoll.measure(SIM, rate=8000, runtime=2, seed=2).cell.latency_us
    whole = plimsoll.merge([one, other])
    assert whole.count == one.count + other.count
    assert (whole.max, whole.min) == (max(one.max or 0, other.max or 0), min(one.min or 0, other.min or 0))
    assert plimsoll.quantile_us(whole, 0.99) == whole.p99
    assert sum(bucket.ios for bucket in plimsoll.buckets(whole)) == whole.count
    assert plimsoll.merge([]) == LatencyUs(count=0)


def test_figures_alone_do_not_merge() -> None:
    with pytest.raises(plimsoll.PlimsollError) as refused:
        plimsoll.merge([LatencyUs(count=5, p99=100.0)])
    assert refused.value.id == "no-distribution"


def test_an_empty_name_is_not_the_current_folder() -> None:
    with pytest.raises(plimsoll.PlimsollError) as refused:
        plimsoll.measure("")
    assert refused.value.id == "target-name"


def test_nothing_is_stored_unless_a_store_is_named(tmp_path: Path) -> None:
    plimsoll.measure(SIM, runtime="100ms")
    assert not list(Path(os.environ["XDG_DATA_HOME"]).rglob("*sqlite*"))
    store = str(tmp_path / "runs.sqlite")
    kept = plimsoll.measure(SIM, runtime="100ms", store=store)
    assert plimsoll.load("latest", store) == kept.run


def test_listeners_hear_what_happens() -> None:
    heard: list[Event] = []
    plimsoll.line(SIM, trial="1s", repeats=2, listen=heard.append)
    assert {event.kind for event in heard} >= {"progress", "remark"}


def test_errors_have_id_and_hint() -> None:
    with pytest.raises(plimsoll.PlimsollError, match="no mode is called 'frog'") as refused:
        plimsoll.measure(SIM, rw="frog")
    assert refused.value.id == "rw-unknown"
    assert refused.value.hint


def test_scratch_is_gone_after(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    found = plimsoll.measure(folder, rw="randrw", size="64m", runtime="50ms", engine="psync", depth=2)
    assert found.cell.ios > 0
    assert list(folder.iterdir()) == []


def test_from_another_thread_it_ends_early_and_keeps(tmp_path: Path) -> None:
    cancel = plimsoll.Cancel()
    results: list[Any] = []
    target = "sim:mean=1us,servers=64"

    def work() -> None:
        results.append(plimsoll.measure(target, runtime="1h", cancel=cancel))

    thread = threading.Thread(target=work)
    thread.start()
    cancel.set()
    thread.join()
    assert results[0].interrupted
    assert results[0].cell.ended_early == "stopped"


def interruptible(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A program of a user's that Ctrl-C reaches, also where these tests run in the background of a script."""
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


ENDED_BY_A_SIGNAL = """
import os, signal, sys, threading
import plimsoll
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    plimsoll.measure(sys.argv[1], size="64m", runtime="100s", engine="psync", depth=2)
except KeyboardInterrupt:
    print("interrupted", os.listdir(sys.argv[1]))
"""


def test_ctrl_c_ends_it_and_leaves_nothing(tmp_path: Path) -> None:
    done = interruptible(ENDED_BY_A_SIGNAL, str(tmp_path))
    assert done.stdout == "interrupted []\n", done.stderr


WAITS_AFTER_A_FRAME = """
import signal, threading
import plimsoll
plimsoll.measure("sim:", runtime=0.1).frame()
main = threading.main_thread().ident
threading.Timer(0.5, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
try:
    threading.Event().wait()
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_ends_a_wait_after_a_frame_too() -> None:
    """Polars takes the signal first, and the wait went on until the next one."""
    done = interruptible(WAITS_AFTER_A_FRAME)
    assert done.stdout == "interrupted\n", done.stderr


def test_without_polars_a_frame_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    found = plimsoll.measure(SIM, runtime="100ms")
    real = builtins.__import__

    def missing(name: str, *words: Any, **more: Any) -> Any:
        if name == "polars":
            raise ImportError(name)
        return real(name, *words, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(plimsoll.PlimsollError) as refused:
        found.frame()
    assert refused.value.id == "extra-missing"
    assert "'plimsoll-storage[tables]'" in (refused.value.hint or "")


def test_the_package_alone_imports_nothing_of_ours() -> None:
    program = (
        "import plimsoll, sys, json; print(json.dumps([n for n in sys.modules if n.startswith('plimsoll.')]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def test_names_are_found_and_others_are_not() -> None:
    assert {"measure", "line", "calibrate", "shapes"} <= set(dir(plimsoll))
    with pytest.raises(AttributeError, match="has no attribute 'frobnicate'"):
        plimsoll.frobnicate  # noqa: B018


def test_a_database_is_proved() -> None:
    found = plimsoll.prove_slob(scale="4M", runtime=2, warm_up=1, threads=2, update_pct=20)
    assert our_doubts(found.proof) == []
    assert found.prediction is None
    assert set(found.frame()["name"]) == {"select", "update", "commit"}
    assert found.frame("slices").height >= 4


def test_a_preset_is_a_beginning() -> None:
    found = plimsoll.prove_slob(focus="redo", scale="4M", runtime=1, warm_up=1)
    assert [one.name for one in found.proof.operations if one.name != "commit"] == ["update"]


def test_what_a_focus_sets_is_not_set_otherwise() -> None:
    with pytest.raises(plimsoll.PlimsollError) as refused:
        plimsoll.prove_slob(focus="redo", update_pct=10)
    assert refused.value.id == "slob-parameter"


def test_what_only_makes_or_drops_tables_is_the_commands() -> None:
    with pytest.raises(plimsoll.PlimsollError, match="drop gives no proof"):
        plimsoll.prove_slob("drop", database="postgresql://localhost/x")


def test_a_storage_that_is_not_there_is_refused_before_a_proof(tmp_path: Path) -> None:
    with pytest.raises(plimsoll.PlimsollError) as refused:
        plimsoll.prove_order_entry(against=tmp_path / "nothing")
    assert refused.value.id == "target-missing"
