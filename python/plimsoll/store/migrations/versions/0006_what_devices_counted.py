"""What devices counted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plimsoll.store.schema import TYPES

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Adds what the facts gained."""
    op.add_column("cells", sa.Column("merge", TYPES["boolean"], nullable=True))
    op.add_column("cells", sa.Column("at_devices_devices", TYPES["json"], nullable=True))
    op.add_column("cells", sa.Column("at_devices_reads", TYPES["integer"], nullable=True))
    op.add_column("cells", sa.Column("at_devices_read_bytes", TYPES["integer"], nullable=True))
    op.add_column("cells", sa.Column("at_devices_writes", TYPES["integer"], nullable=True))
    op.add_column("cells", sa.Column("at_devices_write_bytes", TYPES["integer"], nullable=True))
    op.add_column("cells", sa.Column("at_devices_device_reads", TYPES["integer"], nullable=True))
    op.add_column("cells", sa.Column("at_devices_device_read_bytes", TYPES["integer"], nullable=True))
    op.add_column("cells", sa.Column("at_devices_device_writes", TYPES["integer"], nullable=True))
    op.add_column("cells", sa.Column("at_devices_device_write_bytes", TYPES["integer"], nullable=True))
    op.add_column("cells", sa.Column("at_devices_others_bytes_per_s", TYPES["real"], nullable=True))
