"""What proofs calibrations and jobs gained."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plimsoll.store.schema import TYPES

revision = "0008"
down_revision = "0007"


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
    op.add_column("groups", sa.Column("delay_s", TYPES["real"], nullable=True))
    op.add_column("groups", sa.Column("runtime_s", TYPES["real"], nullable=True))
    op.add_column("groups", sa.Column("memory", TYPES["text"], nullable=True))
    op.add_column("proof_sessions", sa.Column("acknowledged", TYPES["integer"], nullable=True))
    op.add_column("proof_sessions", sa.Column("acknowledged_orders", TYPES["integer"], nullable=True))
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
    op.add_column("sweep_points", sa.Column("processors_busy_share", TYPES["real"], nullable=True))
