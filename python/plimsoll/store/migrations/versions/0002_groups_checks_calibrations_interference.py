"""Groups, checks, calibrations and interference."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plimsoll.store.schema import TYPES

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Adds what the facts gained."""
    op.create_table(
        "checks",
        sa.Column("run_id", TYPES["text"], nullable=False),
        sa.Column("row_no", TYPES["integer"], nullable=False),
        sa.Column("parent_no", TYPES["integer"], nullable=False),
        sa.Column("field", TYPES["text"], nullable=False),
        sa.Column("position", TYPES["integer"], nullable=True),
        sa.Column("name", TYPES["text"], nullable=False),
        sa.Column("passed", sa.Boolean(), nullable=True),
        sa.Column("reason", TYPES["text"], nullable=False),
        sa.Column("figures", TYPES["json"], nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_checks_run_id"),
        sa.PrimaryKeyConstraint("run_id", "row_no", name="pk_checks"),
    )
    op.create_table(
        "effects",
        sa.Column("run_id", TYPES["text"], nullable=False),
        sa.Column("row_no", TYPES["integer"], nullable=False),
        sa.Column("parent_no", TYPES["integer"], nullable=False),
        sa.Column("field", TYPES["text"], nullable=False),
        sa.Column("position", TYPES["integer"], nullable=True),
        sa.Column("shape", TYPES["text"], nullable=False),
        sa.Column("io_class", TYPES["text"], nullable=False),
        sa.Column("neighbours", TYPES["json"], nullable=False),
        sa.Column("p50_ratio", TYPES["real"], nullable=True),
        sa.Column("p99_ratio", TYPES["real"], nullable=True),
        sa.Column("latency_us_p99_alone", TYPES["real"], nullable=True),
        sa.Column("latency_us_p99", TYPES["real"], nullable=True),
        sa.Column("lower_bound", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_effects_run_id"),
        sa.PrimaryKeyConstraint("run_id", "row_no", name="pk_effects"),
    )
    op.create_table(
        "encounters",
        sa.Column("run_id", TYPES["text"], nullable=False),
        sa.Column("row_no", TYPES["integer"], nullable=False),
        sa.Column("parent_no", TYPES["integer"], nullable=False),
        sa.Column("field", TYPES["text"], nullable=False),
        sa.Column("position", TYPES["integer"], nullable=True),
        sa.Column("together", TYPES["json"], nullable=False),
        sa.Column("paced", TYPES["text"], nullable=True),
        sa.Column("rate_per_s", TYPES["real"], nullable=True),
        sa.Column("kept_up", sa.Boolean(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_encounters_run_id"),
        sa.PrimaryKeyConstraint("run_id", "row_no", name="pk_encounters"),
    )
    op.create_table(
        "groups",
        sa.Column("run_id", TYPES["text"], nullable=False),
        sa.Column("row_no", TYPES["integer"], nullable=False),
        sa.Column("parent_no", TYPES["integer"], nullable=False),
        sa.Column("field", TYPES["text"], nullable=False),
        sa.Column("position", TYPES["integer"], nullable=True),
        sa.Column("name", TYPES["text"], nullable=False),
        sa.Column("engine", TYPES["text"], nullable=False),
        sa.Column("jobs", TYPES["integer"], nullable=False),
        sa.Column("depth", TYPES["integer"], nullable=False),
        sa.Column("arrivals_kind", TYPES["text"], nullable=True),
        sa.Column("arrivals_rate_per_s", TYPES["real"], nullable=True),
        sa.Column("think_us", TYPES["real"], nullable=True),
        sa.Column("classes", TYPES["json"], nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_groups_run_id"),
        sa.PrimaryKeyConstraint("run_id", "row_no", name="pk_groups"),
    )
    op.create_table(
        "points",
        sa.Column("run_id", TYPES["text"], nullable=False),
        sa.Column("row_no", TYPES["integer"], nullable=False),
        sa.Column("parent_no", TYPES["integer"], nullable=False),
        sa.Column("field", TYPES["text"], nullable=False),
        sa.Column("position", TYPES["integer"], nullable=True),
        sa.Column("small_depth", TYPES["integer"], nullable=False),
        sa.Column("large_depth", TYPES["integer"], nullable=False),
        sa.Column("small_iops", TYPES["real"], nullable=True),
        sa.Column("large_mb_per_s", TYPES["real"], nullable=True),
        sa.Column("small_latency_us_mean", TYPES["real"], nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_points_run_id"),
        sa.PrimaryKeyConstraint("run_id", "row_no", name="pk_points"),
    )
    op.create_table(
        "size_shares",
        sa.Column("run_id", TYPES["text"], nullable=False),
        sa.Column("row_no", TYPES["integer"], nullable=False),
        sa.Column("parent_no", TYPES["integer"], nullable=False),
        sa.Column("field", TYPES["text"], nullable=False),
        sa.Column("position", TYPES["integer"], nullable=True),
        sa.Column("bytes", TYPES["integer"], nullable=False),
        sa.Column("weight", TYPES["real"], nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_size_shares_run_id"),
        sa.PrimaryKeyConstraint("run_id", "row_no", name="pk_size_shares"),
    )
    op.add_column("cells", sa.Column("cpu_threads_s", TYPES["real"], nullable=True))
    op.add_column("cells", sa.Column("cpu_workers_s", TYPES["real"], nullable=True))
    op.add_column("cells", sa.Column("host_user_s", TYPES["real"], nullable=True))
    op.add_column("cells", sa.Column("host_system_s", TYPES["real"], nullable=True))
    op.add_column("cells", sa.Column("host_steal_s", TYPES["real"], nullable=True))
    op.add_column("cells", sa.Column("seed", TYPES["integer"], nullable=True))
    op.add_column("class_results", sa.Column("distinct_blocks", TYPES["integer"], nullable=True))
    op.add_column("class_results", sa.Column("space_blocks", TYPES["integer"], nullable=True))
    op.add_column("io_classes", sa.Column("skew", TYPES["real"], nullable=True))
    op.add_column("io_classes", sa.Column("flush_every", TYPES["integer"], nullable=True))
    op.add_column("io_classes", sa.Column("flush_call", TYPES["text"], nullable=True))
    op.add_column("lines", sa.Column("beside", TYPES["text"], nullable=True))
    op.add_column("lines", sa.Column("beside_mb_per_s", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("calibration_shape", TYPES["text"], nullable=True))
    op.add_column("runs", sa.Column("calibration_matrix", TYPES["text"], nullable=True))
    op.add_column("runs", sa.Column("calibration_disks", TYPES["integer"], nullable=True))
    op.add_column("runs", sa.Column("calibration_small_bytes", TYPES["integer"], nullable=True))
    op.add_column("runs", sa.Column("calibration_large_bytes", TYPES["integer"], nullable=True))
    op.add_column("runs", sa.Column("calibration_large_pattern", TYPES["text"], nullable=True))
    op.add_column("runs", sa.Column("calibration_streams_depth", TYPES["integer"], nullable=True))
    op.add_column("runs", sa.Column("calibration_write_share", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("calibration_duration_s", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("calibration_small_depths", TYPES["json"], nullable=True))
    op.add_column("runs", sa.Column("calibration_large_depths", TYPES["json"], nullable=True))
    op.add_column("runs", sa.Column("calibration_max_small_iops_value", TYPES["real"], nullable=True))
    op.add_column(
        "runs", sa.Column("calibration_max_small_iops_small_depth", TYPES["integer"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_max_small_iops_large_depth", TYPES["integer"], nullable=True)
    )
    op.add_column("runs", sa.Column("calibration_max_large_mb_per_s_value", TYPES["real"], nullable=True))
    op.add_column(
        "runs", sa.Column("calibration_max_large_mb_per_s_small_depth", TYPES["integer"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_max_large_mb_per_s_large_depth", TYPES["integer"], nullable=True)
    )
    op.add_column("runs", sa.Column("calibration_min_small_latency_us_value", TYPES["real"], nullable=True))
    op.add_column(
        "runs", sa.Column("calibration_min_small_latency_us_small_depth", TYPES["integer"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_min_small_latency_us_large_depth", TYPES["integer"], nullable=True)
    )
    op.add_column("runs", sa.Column("calibration_knee_small_depth", TYPES["integer"], nullable=True))
    op.add_column("runs", sa.Column("calibration_knee_iops", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("calibration_knee_latency_us_mean", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("calibration_measured_s", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("calibration_expected_spindles", TYPES["integer"], nullable=True))
    op.add_column("runs", sa.Column("calibration_expected_disk_type", TYPES["text"], nullable=True))
    op.add_column("runs", sa.Column("calibration_expected_raid", TYPES["text"], nullable=True))
    op.add_column("runs", sa.Column("calibration_expected_read_share", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("calibration_expected_iops_per_spindle", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("calibration_expected_write_penalty", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("calibration_expected_iops", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("calibration_expected_reason", TYPES["text"], nullable=True))
    op.add_column("runs", sa.Column("calibration_io_calibration_disks", TYPES["integer"], nullable=True))
    op.add_column(
        "runs", sa.Column("calibration_io_calibration_max_latency_us", TYPES["real"], nullable=True)
    )
    op.add_column("runs", sa.Column("calibration_io_calibration_repeats", TYPES["integer"], nullable=True))
    op.add_column(
        "runs", sa.Column("calibration_io_calibration_max_iops_median", TYPES["real"], nullable=True)
    )
    op.add_column("runs", sa.Column("calibration_io_calibration_max_iops_min", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("calibration_io_calibration_max_iops_max", TYPES["real"], nullable=True))
    op.add_column(
        "runs", sa.Column("calibration_io_calibration_max_iops_relative", TYPES["real"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_io_calibration_max_iops_values", TYPES["json"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_io_calibration_actual_latency_us_median", TYPES["real"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_io_calibration_actual_latency_us_min", TYPES["real"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_io_calibration_actual_latency_us_max", TYPES["real"], nullable=True)
    )
    op.add_column(
        "runs",
        sa.Column("calibration_io_calibration_actual_latency_us_relative", TYPES["real"], nullable=True),
    )
    op.add_column(
        "runs", sa.Column("calibration_io_calibration_actual_latency_us_values", TYPES["json"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_io_calibration_max_mb_per_s_median", TYPES["real"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_io_calibration_max_mb_per_s_min", TYPES["real"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_io_calibration_max_mb_per_s_max", TYPES["real"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_io_calibration_max_mb_per_s_relative", TYPES["real"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_io_calibration_max_mb_per_s_values", TYPES["json"], nullable=True)
    )
    op.add_column(
        "runs",
        sa.Column("calibration_io_calibration_max_process_mb_per_s_median", TYPES["real"], nullable=True),
    )
    op.add_column(
        "runs", sa.Column("calibration_io_calibration_max_process_mb_per_s_min", TYPES["real"], nullable=True)
    )
    op.add_column(
        "runs", sa.Column("calibration_io_calibration_max_process_mb_per_s_max", TYPES["real"], nullable=True)
    )
    op.add_column(
        "runs",
        sa.Column("calibration_io_calibration_max_process_mb_per_s_relative", TYPES["real"], nullable=True),
    )
    op.add_column(
        "runs",
        sa.Column("calibration_io_calibration_max_process_mb_per_s_values", TYPES["json"], nullable=True),
    )
    op.add_column("runs", sa.Column("interference_rate_share", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("interference_shapes", TYPES["json"], nullable=True))
    op.add_column("runs", sa.Column("interference_strongest", TYPES["text"], nullable=True))
    op.add_column("runs", sa.Column("interference_answers", TYPES["json"], nullable=True))
    op.add_column("targets", sa.Column("offset_bytes", TYPES["integer"], nullable=True))
