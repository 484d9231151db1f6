"""Own times of groups."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plimsoll.store.schema import TYPES

revision = "0020"
down_revision = "0009"


def upgrade() -> None:
    """Adds what the facts gained."""
    op.add_column("groups", sa.Column("delay_s", TYPES["real"], nullable=True))
    op.add_column("groups", sa.Column("runtime_s", TYPES["real"], nullable=True))
