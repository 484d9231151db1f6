"""What each query of a proof read, and which repeat it was."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plimsoll.store.schema import TYPES

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Adds what the facts gained."""
    op.add_column("query_results", sa.Column("repeat", TYPES["integer"], nullable=True))
    op.add_column("query_results", sa.Column("block_reads", TYPES["integer"], nullable=True))
    op.add_column("query_results", sa.Column("block_hits", TYPES["integer"], nullable=True))
    op.add_column("query_results", sa.Column("read_bytes", TYPES["integer"], nullable=True))
    op.add_column("query_results", sa.Column("read_s", TYPES["real"], nullable=True))
    op.add_column("query_results", sa.Column("temp_bytes", TYPES["integer"], nullable=True))
    op.add_column("query_results", sa.Column("device", TYPES["text"], nullable=True))
    op.add_column("query_results", sa.Column("device_reads", TYPES["integer"], nullable=True))
    op.add_column("query_results", sa.Column("device_read_bytes", TYPES["integer"], nullable=True))
    op.add_column("query_results", sa.Column("device_write_bytes", TYPES["integer"], nullable=True))
