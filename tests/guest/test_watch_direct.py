"""Direct I/O in the guest is booked on its file through a volume as well: there the device mapper is a module, whose types the
kernel tells apart from its own."""

from __future__ import annotations

import json
import shlex

import pytest

from guest_machine import Guest

pytestmark = [pytest.mark.guest, pytest.mark.timeout(900)]

COMMAND_S = 240.0
BLOCK_BYTES = 4096
BLOCKS = {"orders": 700, "customers": 300}
INTERRUPTED = 130
UNENDED_MAX = 5
"""Under load kernels do not tell of the end of up to one request in 200."""
_ON_VOLUME = """
set -e -m
folder=$(mktemp -d)
sectors=$(blockdev --getsz {disk})
dmsetup create lower --table "0 $sectors linear {disk} 0"
dmsetup create volume --table "0 $sectors linear $(dmsetup info --columns --noheadings --separator : --options major,minor lower) 0"
dmsetup mknodes
mkfs.ext4 -q /dev/mapper/volume
mkdir "$folder/data"
mount /dev/mapper/volume "$folder/data"
trap 'umount "$folder/data"; dmsetup remove volume; dmsetup remove lower; rm -r "$folder"' EXIT
for name in orders customers; do dd if=/dev/zero of="$folder/data/$name" bs=1M count=4 conv=fsync status=none; done
plimsoll watch --json --events "$folder/events" > "$folder/told" &
watch=$!
until grep -qs '"tick"' "$folder/events" || ! kill -0 $watch; do sleep 0.1; done
dd if="$folder/data/orders" of=/dev/null bs={bytes} count={orders} iflag=direct status=none
dd if="$folder/data/customers" of=/dev/null bs={bytes} count={customers} iflag=direct status=none
kill -INT $watch
status=0
wait $watch || status=$?
echo "[$(stat --format=%i "$folder/data/orders"), $(stat --format=%i "$folder/data/customers")]"
cat "$folder/told"
exit $status
"""
"""First the numbers of both files: who reads them has ended when their names are looked for."""


def test_direct_io_on_a_volume_on_a_volume_is_that_of_its_file(guest: Guest) -> None:
    words = _ON_VOLUME.format(disk=guest.disk(1), bytes=BLOCK_BYTES, **BLOCKS)
    done = guest.run(f"bash -c {shlex.quote(words)}", timeout_s=COMMAND_S)
    assert done.status == INTERRUPTED, str(done)
    numbers, told = map(json.loads, done.text.splitlines()[:2])
    rows = [row for row in told["data"]["rows"] if row["operation"] == "read"]
    for number, blocks in zip(numbers, BLOCKS.values(), strict=True):
        of_file = [row for row in rows if row["inode_number"] == number and row["role"] == "dd"]
        assert 0 <= blocks - sum(row["ios"] for row in of_file) <= UNENDED_MAX, rows
