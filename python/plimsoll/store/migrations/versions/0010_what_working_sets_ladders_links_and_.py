"""What working sets ladders links and levels of fill need."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plimsoll.store.schema import TYPES

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Adds what the facts gained."""
    op.create_table(
        "cache_steps",
        sa.Column("run_id", TYPES["text"], nullable=False),
        sa.Column("row_no", TYPES["integer"], nullable=False),
        sa.Column("parent_no", TYPES["integer"], nullable=False),
        sa.Column("field", TYPES["text"], nullable=False),
        sa.Column("position", TYPES["integer"], nullable=True),
        sa.Column("low_bytes", TYPES["integer"], nullable=True),
        sa.Column("high_bytes", TYPES["integer"], nullable=False),
        sa.Column("settled_bytes", TYPES["integer"], nullable=False),
        sa.Column("fast_bytes", TYPES["integer"], nullable=False),
        sa.Column("fast_iops", TYPES["real"], nullable=False),
        sa.Column("slow_iops", TYPES["real"], nullable=False),
        sa.Column("fast_us_p50", TYPES["real"], nullable=True),
        sa.Column("slow_us_p50", TYPES["real"], nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_cache_steps_run_id"),
        sa.PrimaryKeyConstraint("run_id", "row_no", name="pk_cache_steps"),
    )
    op.create_table(
        "fill_levels",
        sa.Column("run_id", TYPES["text"], nullable=False),
        sa.Column("row_no", TYPES["integer"], nullable=False),
        sa.Column("parent_no", TYPES["integer"], nullable=False),
        sa.Column("field", TYPES["text"], nullable=False),
        sa.Column("position", TYPES["integer"], nullable=True),
        sa.Column("level_share", TYPES["real"], nullable=False),
        sa.Column("filled_bytes", TYPES["integer"], nullable=False),
        sa.Column("wear_fill_share", TYPES["real"], nullable=True),
        sa.Column("wear_used_share", TYPES["real"], nullable=True),
        sa.Column("wear_reason", TYPES["text"], nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_fill_levels_run_id"),
        sa.PrimaryKeyConstraint("run_id", "row_no", name="pk_fill_levels"),
    )
    op.create_table(
        "ladder_curves",
        sa.Column("run_id", TYPES["text"], nullable=False),
        sa.Column("row_no", TYPES["integer"], nullable=False),
        sa.Column("parent_no", TYPES["integer"], nullable=False),
        sa.Column("field", TYPES["text"], nullable=False),
        sa.Column("position", TYPES["integer"], nullable=True),
        sa.Column("size", TYPES["text"], nullable=False),
        sa.Column("block_bytes", TYPES["integer"], nullable=False),
        sa.Column("depth", TYPES["integer"], nullable=False),
        sa.Column("flat_from", TYPES["integer"], nullable=True),
        sa.Column("reason", TYPES["text"], nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_ladder_curves_run_id"),
        sa.PrimaryKeyConstraint("run_id", "row_no", name="pk_ladder_curves"),
    )
    op.create_table(
        "ladder_steps",
        sa.Column("run_id", TYPES["text"], nullable=False),
        sa.Column("row_no", TYPES["integer"], nullable=False),
        sa.Column("parent_no", TYPES["integer"], nullable=False),
        sa.Column("field", TYPES["text"], nullable=False),
        sa.Column("position", TYPES["integer"], nullable=True),
        sa.Column("targets", TYPES["integer"], nullable=False),
        sa.Column("rate", TYPES["real"], nullable=False),
        sa.Column("rate_ci95_lo", TYPES["real"], nullable=True),
        sa.Column("rate_ci95_hi", TYPES["real"], nullable=True),
        sa.Column("linearity", TYPES["real"], nullable=False),
        sa.Column("linearity_ci95_lo", TYPES["real"], nullable=True),
        sa.Column("linearity_ci95_hi", TYPES["real"], nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_ladder_steps_run_id"),
        sa.PrimaryKeyConstraint("run_id", "row_no", name="pk_ladder_steps"),
    )
    op.create_table(
        "ladder_targets",
        sa.Column("run_id", TYPES["text"], nullable=False),
        sa.Column("row_no", TYPES["integer"], nullable=False),
        sa.Column("parent_no", TYPES["integer"], nullable=False),
        sa.Column("field", TYPES["text"], nullable=False),
        sa.Column("position", TYPES["integer"], nullable=True),
        sa.Column("name", TYPES["text"], nullable=False),
        sa.Column("rate", TYPES["real"], nullable=False),
        sa.Column("rate_ci95_lo", TYPES["real"], nullable=True),
        sa.Column("rate_ci95_hi", TYPES["real"], nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_ladder_targets_run_id"),
        sa.PrimaryKeyConstraint("run_id", "row_no", name="pk_ladder_targets"),
    )
    op.create_table(
        "working_sets",
        sa.Column("run_id", TYPES["text"], nullable=False),
        sa.Column("row_no", TYPES["integer"], nullable=False),
        sa.Column("parent_no", TYPES["integer"], nullable=False),
        sa.Column("field", TYPES["text"], nullable=False),
        sa.Column("position", TYPES["integer"], nullable=True),
        sa.Column("set_bytes", TYPES["integer"], nullable=False),
        sa.Column("iops", TYPES["real"], nullable=False),
        sa.Column("iops_ci95_lo", TYPES["real"], nullable=True),
        sa.Column("iops_ci95_hi", TYPES["real"], nullable=True),
        sa.Column("iops_repeats", TYPES["json"], nullable=False),
        sa.Column("latency_us_mean", TYPES["real"], nullable=True),
        sa.Column("latency_us_p50", TYPES["real"], nullable=True),
        sa.Column("latency_us_p99", TYPES["real"], nullable=True),
        sa.Column("read_once_share", TYPES["real"], nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_working_sets_run_id"),
        sa.PrimaryKeyConstraint("run_id", "row_no", name="pk_working_sets"),
    )
    op.add_column("runs", sa.Column("working_sets_block_bytes", TYPES["integer"], nullable=True))
    op.add_column("runs", sa.Column("working_sets_depth", TYPES["integer"], nullable=True))
    op.add_column("runs", sa.Column("working_sets_repeats", TYPES["integer"], nullable=True))
    op.add_column("runs", sa.Column("working_sets_duration_s", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("working_sets_measured_s", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("working_sets_read_once_s", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("working_sets_reason", TYPES["text"], nullable=True))
    op.add_column("runs", sa.Column("ladder_repeats", TYPES["integer"], nullable=True))
    op.add_column("runs", sa.Column("ladder_duration_s", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("ladder_measured_s", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("ladder_write_share", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("fill_reason", TYPES["text"], nullable=True))
    op.add_column("runs", sa.Column("links_stated", TYPES["boolean"], nullable=True))
    op.add_column("runs", sa.Column("links_words", TYPES["text"], nullable=True))
    op.add_column("runs", sa.Column("links_paths", TYPES["integer"], nullable=True))
    op.add_column("runs", sa.Column("links_mb_per_s", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("links_duplex", TYPES["boolean"], nullable=True))
    op.add_column("runs", sa.Column("links_copies", TYPES["integer"], nullable=True))
    op.add_column("runs", sa.Column("links_write_mb_per_s", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("links_used_mb_per_s", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("links_used_share", TYPES["real"], nullable=True))
    op.add_column("runs", sa.Column("links_reason", TYPES["text"], nullable=True))
