"""A PostgreSQL that Plimsoll did not start: its data lie in a folder with an ordinary name, as on any host."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.ports import processes

START_S_MAX = 20.0
SETTINGS: Mapping[str, str] = {
    "debug_io_direct": "data", "shared_buffers": "16MB", "track_io_timing": "on", "track_wal_io_timing": "on", "io_workers": "2",
    "listen_addresses": "", "dynamic_shared_memory_type": "mmap", "max_wal_size": "2GB",
}  # fmt: skip


@dataclass(frozen=True)
class ForeignPostgres:
    """A running server: `process` is its first process."""

    url: str
    data_folder: Path
    process: int
    programs: processes.Programs


@contextmanager
def foreign_postgres(
    ctx: Context, folder: Path, settings: Mapping[str, str] = SETTINGS
) -> Iterator[ForeignPostgres]:
    """Its data in `folder/pgdata`, its socket beside them; ended by its own id at the end of the block."""
    user = processes.find_user("nobody") if processes.is_root() else None
    source = processes.Programs(embedded.wheel_binaries(), user)
    programs = embedded._runnable_programs(ctx, source, Path("/var/tmp"))
    data, socket = folder / "pgdata", folder / "run"
    for made in (data, socket):
        made.mkdir(mode=0o700)
        if user is not None:
            subprocess.run(["chown", f"{user.user_id}:{user.group_id}", made], check=True)
    run = {"user": user.user_id, "group": user.group_id, "extra_groups": []} if user else {}
    subprocess.run(
        [str(programs.path("initdb")), "-D", str(data), "-U", "app", "--auth", "trust", "--encoding", "UTF8", "--locale", "C",
         "--no-sync", "--no-instructions"], check=True, capture_output=True, cwd=data, **run,
    )  # fmt: skip
    words = [
        f"{name}={value}" for name, value in {**settings, "unix_socket_directories": str(socket)}.items()
    ]
    server = subprocess.Popen(
        [str(programs.path("postgres")), "-D", str(data), *(part for word in words for part in ("-c", word))],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=data, **run,
    )  # fmt: skip
    try:
        deadline_s = time.monotonic() + START_S_MAX
        while not (data / "postmaster.pid").exists() or "ready" not in (data / "postmaster.pid").read_text():
            assert server.poll() is None, "the server has ended"
            assert time.monotonic() < deadline_s, "the server does not answer"
            time.sleep(0.05)
        url = f"postgresql://app@/postgres?host={quote(str(socket), safe='')}"
        yield ForeignPostgres(url, data, server.pid, programs)
    finally:
        server.send_signal(embedded.END_SIGNALS[0])
        server.wait(timeout=START_S_MAX)
