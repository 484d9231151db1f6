"""Submission and memory."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plimsoll.store.schema import TYPES

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Adds what the facts gained."""
    op.add_column("class_results", sa.Column("submission_us_count", TYPES["integer"], nullable=True))
    op.add_column("class_results", sa.Column("submission_us_mean", TYPES["real"], nullable=True))
    op.add_column("class_results", sa.Column("submission_us_min", TYPES["real"], nullable=True))
    op.add_column("class_results", sa.Column("submission_us_max", TYPES["real"], nullable=True))
    op.add_column("class_results", sa.Column("submission_us_stddev", TYPES["real"], nullable=True))
    op.add_column("class_results", sa.Column("submission_us_p50", TYPES["real"], nullable=True))
    op.add_column("class_results", sa.Column("submission_us_p90", TYPES["real"], nullable=True))
    op.add_column("class_results", sa.Column("submission_us_p99", TYPES["real"], nullable=True))
    op.add_column("class_results", sa.Column("submission_us_p999", TYPES["real"], nullable=True))
    op.add_column("class_results", sa.Column("submission_us_p9999", TYPES["real"], nullable=True))
    op.add_column("class_results", sa.Column("submission_us_hdr", TYPES["binary"], nullable=True))
    op.add_column("groups", sa.Column("memory", TYPES["text"], nullable=True))
