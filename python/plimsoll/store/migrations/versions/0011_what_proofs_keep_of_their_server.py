"""What proofs keep of their server."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plimsoll.store.schema import TYPES

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Adds what the facts gained."""
    op.create_table(
        "log_lines",
        sa.Column("run_id", TYPES["text"], nullable=False),
        sa.Column("row_no", TYPES["integer"], nullable=False),
        sa.Column("parent_no", TYPES["integer"], nullable=False),
        sa.Column("field", TYPES["text"], nullable=False),
        sa.Column("position", TYPES["integer"], nullable=True),
        sa.Column("severity", TYPES["text"], nullable=False),
        sa.Column("grave", TYPES["boolean"], nullable=True),
        sa.Column("at", TYPES["text"], nullable=True),
        sa.Column("message", TYPES["text"], nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_log_lines_run_id"),
        sa.PrimaryKeyConstraint("run_id", "row_no", name="pk_log_lines"),
    )
    op.add_column("proofs", sa.Column("start_checkpoint", TYPES["boolean"], nullable=True))
    op.add_column("proofs", sa.Column("start_log_switch", TYPES["boolean"], nullable=True))
    op.add_column("proofs", sa.Column("start_reason", TYPES["text"], nullable=True))
    op.add_column("proofs", sa.Column("start_checkpoints", TYPES["real"], nullable=True))
    op.add_column("proofs", sa.Column("start_full_page_images", TYPES["real"], nullable=True))
    op.add_column("proofs", sa.Column("server_settings", TYPES["json"], nullable=True))
    op.add_column("proofs", sa.Column("server_log_source", TYPES["text"], nullable=True))
    op.add_column("proofs", sa.Column("server_log_panics", TYPES["integer"], nullable=True))
    op.add_column("proofs", sa.Column("server_log_fatals", TYPES["integer"], nullable=True))
    op.add_column("proofs", sa.Column("server_log_errors", TYPES["integer"], nullable=True))
    op.add_column("proofs", sa.Column("server_log_warnings", TYPES["integer"], nullable=True))
    op.add_column("proofs", sa.Column("server_log_graves", TYPES["integer"], nullable=True))
    op.add_column("proofs", sa.Column("server_log_reason", TYPES["text"], nullable=True))
