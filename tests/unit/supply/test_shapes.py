"""The shapes of database clients: each is what its name says, and together they can run."""

from __future__ import annotations

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.context import Cancel
from plimsoll.facts import Plan, Simulation, Target
from plimsoll.supply.engine import measure
from plimsoll.supply.shapes import Ground, Shape, Sizes, all_shapes, named, paced
from plimsoll.supply.shapes.log_writer import write_sizes

SIMULATED = Ground("sim", "sim", 512)


def test_names_are_those_of_the_clients_and_class_names_are_unique() -> None:
    made = [(shape, shape.make(Sizes(), SIMULATED)) for shape in all_shapes()]
    assert [client.name for _, client in made] == [shape.name for shape, _ in made]
    classes = [io.name for _, client in made for io in client.workload.classes]
    assert len(set(classes)) == len(classes)


@pytest.mark.parametrize("shape", all_shapes(), ids=lambda shape: shape.name)
def test_a_shape_writes_when_it_says_so(shape: Shape) -> None:
    assert shape.make(Sizes(), SIMULATED).workload.writes == shape.writes
    assert shape.title
    assert not shape.title.endswith(".")


def test_sizes_reach_the_clients() -> None:
    sizes = Sizes(block_bytes=16384, readers=3, depth=7, streams=5)
    made = {shape.name: shape.make(sizes, Ground("psync", "io_uring", 4096)) for shape in all_shapes()}
    assert (made["oltp_readers"].engine, made["oltp_readers"].depth) == ("psync", 3)
    assert (made["async_readers"].engine, made["async_readers"].depth) == ("io_uring", 7)
    assert (made["scans"].jobs, made["scans"].workload.classes[0].block_bytes) == (5, 1 << 20)
    assert made["checkpoint"].workload.classes[0].block_bytes == 16384
    assert made["log_writer"].targets == (1,)
    assert made["oltp_readers"].targets == (0,)


@pytest.mark.parametrize(("bytes_min", "smallest", "kinds"), [(512, 512, 12), (4096, 4096, 9)])
def test_log_writes_keep_to_the_target_s_alignment(bytes_min: int, smallest: int, kinds: int) -> None:
    sizes = write_sizes(bytes_min)
    assert (sizes[0].bytes, sizes[-1].bytes, len(sizes)) == (smallest, 1 << 20, kinds)
    assert sum(size.weight for size in sizes) == pytest.approx(sum(0.7**n for n in range(12)), rel=1e-5)
    assert all(size.bytes % bytes_min == 0 for size in sizes)


def test_half_of_the_log_writes_are_small_and_the_mean_is_as_stated() -> None:
    sizes = write_sizes(512)
    total = sum(size.weight for size in sizes)
    assert sum(size.weight for size in sizes if size.bytes <= 1024) / total > 0.5
    assert sum(size.weight * size.bytes for size in sizes) / total == pytest.approx(21 * 1024, rel=0.02)


def test_a_shape_at_a_rate_may_have_more_under_way() -> None:
    (shape,) = named(["oltp-readers"])
    client = paced(shape, shape.make(Sizes(), SIMULATED), 500.0, 1000.0)
    assert (client.depth, client.arrivals.kind, client.arrivals.rate_per_s) == (64, "poisson", 500.0)


@pytest.mark.parametrize(("engine", "depth"), [("io_uring", 512), ("psync", 64)])
def test_where_each_i_o_is_a_thread_fewer_wait(engine: str, depth: int) -> None:
    (shape,) = named(["async-readers"])
    client = paced(shape, shape.make(Sizes(), Ground("psync", engine, 512)), 500.0, 1000.0)
    assert client.depth == depth


def test_a_log_writer_at_a_rate_pauses() -> None:
    """At 10,000 alone a write takes 100 µs; 4,000 a second leave 150 µs between them."""
    (shape,) = named(["log_writer"])
    client = paced(shape, shape.make(Sizes(), SIMULATED), 4_000.0, 10_000.0)
    assert client.think_us == pytest.approx(150.0)
    assert (client.depth, client.arrivals.kind) == (1, "closed")
    assert paced(shape, client, 20_000.0, 10_000.0).think_us == 0.0


def test_an_unknown_shape_is_an_error_that_names_the_others() -> None:
    with pytest.raises(UsageError, match="no shape is called 'frog'") as refused:
        named(["frog"])
    assert refused.value.id == "shape-unknown"
    assert "log-writer" in (refused.value.hint or "")


def test_all_of_them_run_together_on_a_simulated_device() -> None:
    target = Target(name="sim:", kind="simulated", path="sim:", span_bytes=1 << 40, ours=True)
    made = [shape.make(Sizes(), SIMULATED) for shape in all_shapes()]
    device = Simulation(law="exponential", mean_us=100.0)
    plan = Plan(groups=tuple(made), runtime_s=1.0, warm_up_s=0.3, simulation=device).on(target, target)
    cell = measure(plan, (), Cancel(), lambda live: None)
    assert all(result.ios > 0 and result.errors == 0 for result in cell.classes)
    assert len(cell.groups) == len(made)
