"""Ranges of a knee."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plimsoll.store.schema import TYPES

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Adds what the facts gained."""
    op.add_column("runs", sa.Column("calibration_max_small_iops_near_value", TYPES["real"], nullable=True))
    op.add_column(
        "runs", sa.Column("calibration_max_small_iops_near_small_depth", TYPES["integer"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_max_small_iops_near_large_depth", TYPES["integer"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_max_large_mb_per_s_near_value", TYPES["real"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_max_large_mb_per_s_near_small_depth", TYPES["integer"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_max_large_mb_per_s_near_large_depth", TYPES["integer"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_min_small_latency_us_near_value", TYPES["real"], nullable=True)
    )
    op.add_column(
        "runs",
        sa.Column("calibration_min_small_latency_us_near_small_depth", TYPES["integer"], nullable=True),
    )
    op.add_column(
        "runs",
        sa.Column("calibration_min_small_latency_us_near_large_depth", TYPES["integer"], nullable=True),
    )
    op.add_column("runs", sa.Column("calibration_knee_iops_range_lo", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("calibration_knee_iops_range_hi", TYPES["real"], nullable=True))
