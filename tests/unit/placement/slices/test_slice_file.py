"""`slices.toml`: what it asks for, and what is wrong with it, by file and line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from plimsoll.base.errors import ExitStatus, UsageError
from plimsoll.facts import BlockDevice
from plimsoll.placement.slices.disk_tables import RATES
from plimsoll.placement.slices.measured_disks import MeasuredDisk
from plimsoll.placement.slices.slice_file import SliceFile

GIB = 1 << 30
GOOD = """housekeeping_cores = 2
log_writer_cores = 1
memory_free_share = 0.2

[[slice]]
name = "db1"
cores = 6
memory = "6g"
shared_memory = "4g"
huge_page = "2m"
priority = 3
iops = 20_000
mb_per_s = 300.5
redo_mb_per_s = 20
devices = ["nvme0n1"]
database = "oracle"
service = "oracle-db1.service"
account = "oracle"
listener = "LSN1"

[[slice]]
name = "db2"
cpus = "6-11"
mems = "1"
memory = "1g"
"""


def _read(tmp_path: Path, text: str) -> SliceFile:
    path = tmp_path / "slices.toml"
    path.write_text(text)
    return SliceFile(path)


def test_all_that_can_be_asked_for(tmp_path: Path) -> None:
    division = _read(tmp_path, GOOD).division
    assert (division.housekeeping_cores, division.log_writer_cores, division.memory_free_share) == (2, 1, 0.2)
    db1, db2 = division.slices
    assert (db1.cores, db1.memory_bytes, db1.shared_bytes, db1.huge_page_bytes) == (
        6,
        6 * GIB,
        4 * GIB,
        2 << 20,
    )
    assert (db1.priority, db1.iops, db1.mb_per_s, db1.redo_mb_per_s) == (3, 20_000, 300.5, 20)
    assert db1.devices == ("nvme0n1",)
    assert (db1.database, db1.service, db1.account, db1.listener) == (
        "oracle",
        "oracle-db1.service",
        "oracle",
        "LSN1",
    )
    assert (db2.database, db2.service, db2.account, db2.listener) == (None, None, None, None)
    assert (db2.is_by_hand, db2.cpus, db2.mems) == (True, tuple(range(6, 12)), (1,))


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("cores = 6", "kores = 6", 7, "unknown key 'kores'"),
        ("housekeeping_cores", "housekeping_cores", 1, "unknown key 'housekeping_cores'"),
        ('name = "db2"', 'name = "db1"', 22, "'db1' is the name of two slices"),
        ("cores = 6", "cores = 0", 7, "cores: 0 is not 1 or more"),
        ("cores = 6", "cores = true", 7, "cores: True is not 1 or more"),
        ("cores = 6\n", "", 5, "cores is missing"),
        ('shared_memory = "4g"', 'shared_memory = "4097m"', 9, "not a whole number of huge pages of 2 MiB"),
        ('huge_page = "2m"\n', "", 9, "huge_page is missing"),
        ('memory = "6g"', 'memory = "3g"', 8, "memory is less than shared_memory"),
        ('memory = "6g"', 'memory = "lots"', 8, "cannot read 'lots' as a size"),
        ('memory = "6g"', "memory = 5", 8, "memory: 5 has no unit, and may be bytes, MiB or GiB"),
        ('memory = "6g"', 'memory = "5"', 8, "memory: 5 has no unit"),
        ('memory = "6g"', "memory = 5.5", 8, "memory: 5.5 has no unit"),
        ('memory = "6g"', "memory = 6_442_450_944", 8, "memory: 6442450944 has no unit"),
        ('memory = "6g"', "memory = -5", 8, "cannot read '-5' as a size"),
        ('memory = "6g"', "memory = true", 8, "memory: True is not a size"),
        ('memory = "6g"', 'memory = "0g"', 8, "memory: '0g' is not a size"),
        ('shared_memory = "4g"', "shared_memory = 4", 9, "shared_memory: 4 has no unit"),
        ('huge_page = "2m"', "huge_page = 2048", 10, "huge_page: 2048 has no unit"),
        ('cpus = "6-11"', 'cpus = "11-6"', 23, "is not a list of numbers"),
        ('mems = "1"\n', "", 23, "cpus is given alone"),
        ('mems = "1"', 'mems = "1"\ncores = 2', 25, "cores is given beside cpus"),
        ("iops = 20_000", "iops = -1", 12, "iops: -1 is not a rate"),
        ("memory_free_share = 0.2", "memory_free_share = 1", 3, "is not below 1"),
        ('name = "db1"', 'name = "db/1"', 6, "cannot be that of a control group"),
        ('name = "db1"', 'name = "housekeeping"', 6, "is the name of what is set aside"),
        ('devices = ["nvme0n1"]', 'devices = "nvme0n1"', 15, "is not a list of names"),
        ('devices = ["nvme0n1"]', 'devices = ["a\\u0000b"]', 15, "is not a list of names"),
        ("priority = 3", "priority = [3", 12, "it is not TOML"),
        ('"oracle"', '"orakle"', 16, "database: 'orakle' is none that is known"),
        ('database = "oracle"\n', "", 18, "listener is given, and the database is not oracle"),
        ('"oracle-db1.service"', '"oracle-db1"', 17, "service: 'oracle-db1' is not the name of a systemd service"),
        ('"oracle-db1.service"', '"a/b.service"', 17, "service: 'a/b.service' is not the name of a systemd service"),
        ('account = "oracle"', 'account = "a b"', 18, "account: 'a b' is not the name of an account"),
        ('"LSN1"', '"1;x"', 19, "listener: '1;x' is not the name of a listener"),
        ('cpus = "6-11"', 'service = "oracle-db1.service"\ncpus = "6-11"', 23, "'oracle-db1.service' is the service of two slices"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_file_and_line(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    assert old in GOOD
    with pytest.raises(UsageError) as caught:
        _read(tmp_path, GOOD.replace(old, new, 1))
    assert (caught.value.id, caught.value.status) == ("slices-unreadable", ExitStatus.USAGE)
    assert said in caught.value.message
    assert f"slices.toml, line {line}: " in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        ('memory = "6g"', "memory = 5", 'memory = "5 GiB"'),
        ('memory = "6g"', "memory = 6442450944", 'memory = "6 GiB"'),
        ('huge_page = "2m"', 'huge_page = "2"', 'huge_page = "2 MiB"'),
    ],
)
def test_a_size_without_a_unit_is_told_how_to_write_it(
    tmp_path: Path, old: str, new: str, written: str
) -> None:
    with pytest.raises(UsageError) as caught:
        _read(tmp_path, GOOD.replace(old, new, 1))
    assert caught.value.hint == f"Write it with its unit, such as {written}."
    _read(tmp_path, GOOD.replace(old, written, 1))


def test_a_file_without_slices_or_with_too_many(tmp_path: Path) -> None:
    for text, said in (("", "it has no [[slice]]"), ("[[slice]]\n" * 65, "65 slices are more than 64")):
        with pytest.raises(UsageError, match=r"slices\.toml, line 1") as caught:
            _read(tmp_path, text)
        assert said in caught.value.message
    with pytest.raises(UsageError) as caught:
        SliceFile(tmp_path / "none.toml")
    assert caught.value.id == "file-missing"


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("iops = 20_000", f"iops = {'9' * 400}", 12, f"iops: {'9' * 80}… is not a rate"),
        ("cores = 6", f"cores = {'9' * 5_000}", 7, "it is not TOML: a number has too many digits"),
        ("cores = 6", f"cores = 0x{'f' * 4_000}", 7, "cores: a value that is too long to be shown is not 1 or more"),
        ("= 300.5", f"= 0x{'f' * 4_000}", 13, "mb_per_s: a value that is too long to be shown is not a rate"),
        ("cores = 6", f"cores = {'[' * 5_000}", 25, "it is not TOML: "),
    ],
    ids=["rate", "digits", "hex", "hex rate", "deep"],
)  # fmt: skip
def test_odd_numbers_are_told_with_their_line(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        _read(tmp_path, GOOD.replace(old, new))
    assert f"slices.toml, line {line}: {said}" in caught.value.message


def test_disks_are_called_as_the_kernel_calls_them_and_each_once(tmp_path: Path) -> None:
    path = tmp_path / "slices.toml"
    path.write_text(GOOD.replace('["nvme0n1"]', '["/dev/disk/by-id/x", "nvme0n1", "S123", "eth0"]'))
    names = {"/dev/disk/by-id/x": "nvme0n1", "S123": "sdb"}
    file = SliceFile(path, lambda name: names.get(name, name))
    assert file.division.slices[0].devices == ("nvme0n1", "sdb", "eth0")


DISK = """
[[disk]]
device = "nvme0n1"
read_iops = 90_000
sequential_read_iops = 120_000
read_mb_per_s = 2000.5
write_iops = 40_000
sequential_write_iops = 60_000
write_mb_per_s = 900
"""
END = "write_mb_per_s = 900\n"


def test_what_a_disk_gives_is_read(tmp_path: Path) -> None:
    (disk,) = _read(tmp_path, GOOD + DISK).division.disks
    assert (disk.device, disk.read_iops, disk.sequential_read_iops, disk.read_mb_per_s) == (
        "nvme0n1",
        90_000,
        120_000,
        2_000.5,
    )
    assert (disk.write_iops, disk.sequential_write_iops, disk.write_mb_per_s) == (40_000, 60_000, 900)
    assert disk.rate_share == 1


@pytest.mark.parametrize(("text", "share"), [("0.6", 0.6), ("1", 1.0), ("1.0", 1.0), ("0.01", 0.01)])
def test_how_much_of_its_rates_the_kernel_is_told_is_read(tmp_path: Path, text: str, share: float) -> None:
    (disk,) = _read(tmp_path, f"{GOOD}{DISK}rate_share = {text}\n").division.disks
    assert (disk.rate_share, disk.read_iops) == (share, 90_000)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("read_iops = 90_000\n", "", 27, "read_iops is missing"),
        ("read_iops = 90_000", "read_iops = 0", 29, "read_iops: 0 is not a rate of 1 or more"),
        ("= 2000.5", "= nan", 31, "read_mb_per_s: nan is not a rate of 1 or more"),
        ('device = "nvme0n1"\n', "", 27, "device is missing"),
        ('device = "nvme0n1"', "device = 7", 28, "device: 7 is not a name"),
        ('device = "nvme0n1"', 'device = "a\\u0000b"', 28, r"device: 'a\x00b' is not a name"),
        ("write_iops = 40_000", "write_iop = 40_000", 32, "unknown key 'write_iop'"),
        (END, f"{END}rate_share = 0\n", 35, "rate_share: 0 is not above 0 and up to 1"),
        (END, f"{END}rate_share = -0.6\n", 35, "rate_share: -0.6 is not above 0 and up to 1"),
        (END, f"{END}rate_share = 1.01\n", 35, "rate_share: 1.01 is not above 0 and up to 1"),
        (END, f"{END}rate_share = 60\n", 35, "rate_share: 60 is not above 0 and up to 1"),
        (END, f"{END}rate_share = nan\n", 35, "rate_share: nan is not above 0 and up to 1"),
        (END, f"{END}rate_share = inf\n", 35, "rate_share: inf is not above 0 and up to 1"),
        (END, f"{END}rate_share = true\n", 35, "rate_share: True is not above 0 and up to 1"),
        (END, f"{END}rate_share = '60 %'\n", 35, "rate_share: '60 %' is not above 0 and up to 1"),
        (END, f"{END}rate_share = [0.6]\n", 35, "rate_share: [0.6] is not above 0 and up to 1"),
        (
            END,
            f"{END}rate_share = 0.001\n",
            35,
            "rate_share: 0.001 of write_mb_per_s, which is 900, is less than 1",
        ),
        (END, f"{END}rate_shar = 0.6\n", 35, "unknown key 'rate_shar'"),
    ],
)
def test_what_is_wrong_with_a_disk_is_told_with_file_and_line(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    assert old in DISK
    with pytest.raises(UsageError) as caught:
        _read(tmp_path, GOOD + DISK.replace(old, new, 1))
    assert (caught.value.id, caught.value.hint is None) == ("slices-unreadable", False)
    assert f"slices.toml, line {line}: {said}" in caught.value.message


MEASURED = """
[[disk]]
device = "nvme0n1"
run = ["one", "two"]
read_iops = 80_000
"""


def _of_runs(path: Path, text: str, rates: dict[str, float], *devices: BlockDevice | None) -> SliceFile:
    """On a host of which S1 is nvme0n1, and S2 is nvme1n1."""
    file = path / "slices.toml"
    file.write_text(text, encoding="utf-8")
    names = {"S1": "nvme0n1", "S2": "nvme1n1"}

    def by_runs(asked: Sequence[str]) -> MeasuredDisk:
        assert list(asked) == ["one", "two"]
        return MeasuredDisk(rates, devices)

    return SliceFile(file, lambda name: names.get(name, name), by_runs)


def test_runs_say_what_a_disk_gives_where_the_file_does_not(tmp_path: Path) -> None:
    rates = {key: 1_000.0 + number for number, key in enumerate(RATES)}
    then = BlockDevice(name="nvme3n1", serial="S1")
    (disk,) = _of_runs(tmp_path, GOOD + MEASURED, rates, then, then).division.disks
    assert (disk.read_iops, disk.sequential_read_iops, disk.write_mb_per_s) == (80_000, 1_001, 1_005)


def test_a_share_is_one_of_the_rates_of_runs_too(tmp_path: Path) -> None:
    then = BlockDevice(name="nvme3n1", serial="S1")
    text = f"{GOOD}{MEASURED}rate_share = 0.6\n"
    (disk,) = _of_runs(tmp_path, text, dict.fromkeys(RATES, 1_000.0), then, then).division.disks
    assert (disk.rate_share, disk.read_iops, disk.write_iops) == (0.6, 80_000, 1_000)
    with pytest.raises(UsageError, match=r"rate_share: 0\.6 of write_iops, which is 1\.5, is less than 1"):
        _of_runs(tmp_path, text, {**dict.fromkeys(RATES, 1_000.0), "write_iops": 1.5}, then, then)


@pytest.mark.parametrize(
    ("devices", "said"),
    [
        (("S1", "S2"), "run two measured nvme0n1 (S2), and the disk is nvme0n1"),
        (("S1", None), "run two measured no disk that is known, and the disk is nvme0n1"),
        (("S1", "S1"), "one and two measured no write_iops"),
    ],
)
def test_runs_of_another_disk_and_of_other_io_are_refused(
    tmp_path: Path, devices: tuple[str | None, ...], said: str
) -> None:
    rates = {key: 1_000.0 for key in RATES if key != "write_iops"}
    seen = [None if one is None else BlockDevice(name="nvme0n1", serial=one) for one in devices]
    with pytest.raises(UsageError) as caught:
        _of_runs(tmp_path, GOOD + MEASURED, rates, *seen)
    assert caught.value.id == "slices-unreadable"
    assert f"slices.toml, line 29: {said}" in caught.value.message
    if "no write_iops" in said:
        assert "`plimsoll io --rw randwrite --block 4k`" in str(caught.value.hint)


def test_a_run_that_measured_no_disk_is_told_by_what_it_is(tmp_path: Path) -> None:
    """As `latest` is, which is a plan once one was made."""
    file = tmp_path / "slices.toml"
    file.write_text(GOOD + MEASURED.replace('["one", "two"]', '"latest"'), encoding="utf-8")
    found = MeasuredDisk({}, (None,), ("20261129-172012-rsgte5, plan of 1 slice of this host",))
    with pytest.raises(UsageError) as caught:
        SliceFile(file, None, lambda _: found)
    wanted = (
        "run latest (20261129-172012-rsgte5, plan of 1 slice of this host) measured no disk that is known"
    )
    assert wanted in caught.value.message
    assert "by their ids" in str(caught.value.hint)


def test_what_is_no_name_of_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="line 29: run: 7 is not the name of a run"):
        _read(tmp_path, GOOD + MEASURED.replace('["one", "two"]', "7"))


def test_a_disk_is_told_once_and_in_a_table_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"line 37: 'nvme0n1' is the device of two disks"):
        _read(tmp_path, GOOD + DISK + DISK)
    with pytest.raises(UsageError, match="line 1: disk is not a list of tables"):
        _read(tmp_path, f"disk = 7\n{GOOD}")
    with pytest.raises(UsageError, match="line 1: 257 disks are more than 256"):
        _read(tmp_path, GOOD + "[[disk]]\n" * 257)
