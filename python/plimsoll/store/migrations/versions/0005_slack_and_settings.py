"""Slack of agreements and settings of sweeps."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plimsoll.store.schema import TYPES

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Adds what the facts gained."""
    op.add_column("agreements", sa.Column("slack", TYPES["real"], nullable=True))
    op.add_column("sweeps", sa.Column("settings", TYPES["json"], nullable=True))
