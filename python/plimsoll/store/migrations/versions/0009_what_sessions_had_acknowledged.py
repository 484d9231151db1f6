"""What sessions had acknowledged."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plimsoll.store.schema import TYPES

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Adds what the facts gained."""
    op.add_column("proof_sessions", sa.Column("acknowledged", TYPES["integer"], nullable=True))
    op.add_column("proof_sessions", sa.Column("acknowledged_orders", TYPES["integer"], nullable=True))
