"""Processors of a sweep."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plimsoll.store.schema import TYPES

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Adds what the facts gained."""
    op.add_column("sweep_points", sa.Column("processors_busy_share", TYPES["real"], nullable=True))
