"""What is to be written where, by database and version."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from plimsoll.facts import FlashSetting
from plimsoll.placement.flash import settings
from plimsoll.placement.flash.settings import Setup
from plimsoll.placement.scripts.oracle import Release, Server


def oracle(release: Release = (19, 0), *, clustered: bool = False) -> Setup:
    return Setup("oracle", Server(release, "enterprise", "oracle-linux"), clustered)


POSTGRES = Setup("postgres", Server(), clustered=False)
UNNAMED = Setup(None, Server(), clustered=False)


def written(found: Iterable[FlashSetting]) -> dict[str, str]:
    return {one.program: one.statement for one in found}


@pytest.mark.parametrize(
    ("release", "said"),
    [
        ((12, 1), "ALTER SYSTEM SET ASM_PREFERRED_READ_FAILURE_GROUPS = '<GROUP>.<FLASH>'"),
        ((12, 2), "ALTER DISKGROUP <GROUP> SET ATTRIBUTE 'preferred_read.enabled' = 'TRUE'"),
    ],
)
def test_asm_reads_the_preferred_side_by_release(release: Release, said: str) -> None:
    assert written(settings.of_mirror(oracle(release)))["ASM instance"] == said


def test_any_database_is_mirrored_by_the_volume_manager_of_its_host() -> None:
    found = written(settings.of_mirror(POSTGRES))
    assert found.keys() == {"Linux md", "Linux LVM"}
    assert "<FLASH> --write-mostly <DISK>" in found["Linux md"], "what follows the word is written only"
    assert "--writemostly <DISK>:y" in found["Linux LVM"]
    assert written(settings.of_mirror(oracle(clustered=True))).keys() == {"ASM instance"}


def test_a_cache_is_written_through() -> None:
    assert "--cachemode writethrough" in written(settings.of_storage_cache(POSTGRES))["Linux LVM"]
    assert "Linux LVM" not in written(settings.of_storage_cache(oracle(clustered=True)))


def test_the_flash_cache_of_oracle() -> None:
    said = [one.statement for one in settings.of_database_cache(oracle(), 200 << 30, 2500 << 20)]
    assert said[0] == "DB_FLASH_CACHE_FILE = '<FILE>', DB_FLASH_CACHE_SIZE = 204800M"
    assert said[1].endswith("larger by 2500M")
    assert list(settings.of_database_cache(POSTGRES, 1 << 30, 0)) == []


def test_a_larger_buffer_cache_by_database() -> None:
    assert written(settings.of_memory(oracle(), 3 << 30)) == {"instance parameters": "DB_CACHE_SIZE = 3072M"}
    assert written(settings.of_memory(POSTGRES, 3 << 30)) == {"postgresql.conf": "shared_buffers = 3072MB"}
    assert written(settings.of_memory(UNNAMED, 3 << 30)) == {}


def test_parts_are_moved_by_the_script_of_the_plan() -> None:
    assert written(settings.of_move(POSTGRES)) == {"plimsoll": "plimsoll place script latest"}
    assert "--dialect oracle --edition enterprise" in written(settings.of_move(oracle()))["plimsoll"]
