"""Spreads of points."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plimsoll.store.schema import TYPES

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Adds what the facts gained."""
    op.create_table(
        "latency_buckets",
        sa.Column("run_id", TYPES["text"], nullable=False),
        sa.Column("row_no", TYPES["integer"], nullable=False),
        sa.Column("parent_no", TYPES["integer"], nullable=False),
        sa.Column("field", TYPES["text"], nullable=False),
        sa.Column("position", TYPES["integer"], nullable=True),
        sa.Column("low_us", TYPES["real"], nullable=False),
        sa.Column("high_us", TYPES["real"], nullable=False),
        sa.Column("ios", TYPES["integer"], nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_latency_buckets_run_id"),
        sa.PrimaryKeyConstraint("run_id", "row_no", name="pk_latency_buckets"),
    )
    op.create_table(
        "point_spreads",
        sa.Column("run_id", TYPES["text"], nullable=False),
        sa.Column("row_no", TYPES["integer"], nullable=False),
        sa.Column("parent_no", TYPES["integer"], nullable=False),
        sa.Column("field", TYPES["text"], nullable=False),
        sa.Column("position", TYPES["integer"], nullable=True),
        sa.Column("name", TYPES["text"], nullable=False),
        sa.Column("ios", TYPES["integer"], nullable=True),
        sa.Column("mean_us", TYPES["real"], nullable=True),
        sa.Column("min_us", TYPES["real"], nullable=True),
        sa.Column("max_us", TYPES["real"], nullable=True),
        sa.Column("stddev_us", TYPES["real"], nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_point_spreads_run_id"),
        sa.PrimaryKeyConstraint("run_id", "row_no", name="pk_point_spreads"),
    )
