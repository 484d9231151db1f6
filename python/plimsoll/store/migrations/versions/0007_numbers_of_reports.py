"""Numbers of reports."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plimsoll.store.schema import TYPES

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Adds what the facts gained."""
    op.add_column("reports", sa.Column("numbers_printed", TYPES["integer"], nullable=True))
    op.add_column("reports", sa.Column("numbers_notes", TYPES["integer"], nullable=True))
    op.add_column("reports", sa.Column("numbers_unread", TYPES["integer"], nullable=True))
