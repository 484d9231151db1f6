"""How surely the knee of a calibration is known."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plimsoll.store.schema import TYPES

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Adds what the facts gained."""
    op.add_column("runs", sa.Column("calibration_knee_small_depth_range", TYPES["json"], nullable=True))
