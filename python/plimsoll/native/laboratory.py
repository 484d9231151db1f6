"""Disks of the laboratory: served by this process until they are stopped. Whoever measures one must be another process.

A process that ends while a request of its own waits for its own answer never ends. Refusals are `CoreError`; `native.errors`
makes ours of them.
"""

from __future__ import annotations

from plimsoll import _core
from plimsoll.facts import DiskCounters

Disk = _core.Disk


def serve_disk(spec_json: str, folder: str, source: str) -> Disk:
    """Mounts `folder` with a disk in it, named `source` in the list of mounts. Raises CoreError `disk-refused`, `spec-invalid`."""
    return _core.serve_disk(spec_json, folder, source)


def counters(of: Disk) -> DiskCounters:
    """What the disk counted until now."""
    return DiskCounters.model_validate_json(of.counters())
