"""What was asked."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plimsoll.store.schema import TYPES

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Adds what the facts gained."""
    op.add_column("runs", sa.Column("request_verb", TYPES["text"], nullable=True))
    op.add_column("runs", sa.Column("request_words", TYPES["json"], nullable=True))
    op.add_column("runs", sa.Column("request_left_out", TYPES["json"], nullable=True))
    op.add_column("runs", sa.Column("request_folder", TYPES["text"], nullable=True))
